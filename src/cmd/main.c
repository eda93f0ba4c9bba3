/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "ui/explorer.h"

static void
print_options(const struct cmd_command *command)
{
	const struct cmd_option *option;

	for (size_t at = 0; (option = cmd_next_option(command, &at)) != NULL;) {
		char left[48];

		if (option->help[0] == '\0')
			continue;
		snprintf(left, sizeof(left), "%c%c%s %s%s%s", option->letter != 0 ? '-' : ' ',
			 option->letter != 0 ? option->letter : ' ',
			 option->letter != 0 ? "," : " ", option->name,
			 option->argument != NULL ? " " : "",
			 option->argument != NULL ? option->argument : "");
		printf("  %-26s %s\n", left, option->help);
	}
}

/* All commands, on one screen. */
static enum cmd_status
print_commands(void)
{
	printf("Usage: unspool [COMMAND] [OPTION...] DUMP [SYMBOLS...], or COMMAND --help\n"
	       "SYMBOLS are directories or symbol files. Without a COMMAND it is explore.\n");
	for (size_t i = 0; i < cmd_command_count; i++)
		printf("  %-13s %s\n", cmd_commands[i]->name, cmd_commands[i]->help);
	return CMD_DONE;
}

static enum cmd_status
print_help(const struct cmd_command *command)
{
	printf("Usage: unspool %s [OPTION...] %s\n%s.\nOptions:\n", command->name,
	       command->arguments, command->help);
	print_options(command);
	return CMD_DONE;
}

static enum cmd_status
print_version(void)
{
	printf("unspool %s\n%s\n%s\nLicence GPL-3.0-or-later\n", PACKAGE_VERSION,
	       explorer_libraries(), cmd_libraries());
	return CMD_DONE;
}

static enum cmd_status
print_schema(const struct cmd_command *command)
{
	char title[64];

	if (command->document == NULL)
		return CMD_USAGE;
	snprintf(title, sizeof(title), "unspool %s --json", command->name);
	facts_schema(&cmd_output, title, command->document, command->lists);
	return CMD_DONE;
}

static const struct cmd_command *
find_command(const char *name)
{
	for (size_t i = 0; name != NULL && i < cmd_command_count; i++)
		if (strcmp(cmd_commands[i]->name, name) == 0)
			return cmd_commands[i];
	return NULL;
}

/* Output that could not be written is an error, but a reader that closed its pipe is none. */
static enum cmd_status
finish_output(enum cmd_status status)
{
	struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0)
		return status;
	cmd_say("cannot write standard output");
	return CMD_UNREADABLE;
}

int
main(int argc, char **argv)
{
	const struct cmd_command *command = find_command(argc > 1 ? argv[1] : NULL);
	int skip = command != NULL ? 2 : 1;
	enum cmd_status status = CMD_USAGE;

	signal(SIGPIPE, SIG_IGN);
	if (command == NULL)
		command = cmd_commands[0];
	struct cmd_options *options = cmd_parse(command, argc - skip, argv + skip);
	if (options == NULL)
		return CMD_USAGE;
	if (options->show_help)
		status = skip == 1 ? print_commands() : print_help(command);
	else if (options->show_version)
		status = print_version();
	else if (options->show_schema)
		status = print_schema(command);
	else
		status = cmd_run(options);
	cmd_options_free(options);
	return (int)finish_output(status);
}
