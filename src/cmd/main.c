/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/documents.h"
#include "ui/explorer.h"

static void
print_options(const struct cmd_command *command)
{
	for (size_t i = 0; i < cmd_option_count; i++) {
		const struct cmd_option *option = &cmd_option_table[i];
		char left[48];

		if (!cmd_takes(command, option) || option->help[0] == '\0')
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
		printf("  %-13s %s\n", cmd_command_table[i].name, cmd_command_table[i].help);
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
	const struct output output = cmd_output();

	return documents_print_schema(&output, command->name) ? CMD_DONE : CMD_USAGE;
}

static const struct cmd_command *
find_command(const char *name)
{
	for (size_t i = 0; name != NULL && i < cmd_command_count; i++)
		if (strcmp(cmd_command_table[i].name, name) == 0)
			return &cmd_command_table[i];
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
	fprintf(stderr, "unspool: standard output can't be written\n");
	return CMD_UNREADABLE;
}

int
main(int argc, char **argv)
{
	const struct cmd_command *command = find_command(argc > 1 ? argv[1] : NULL);
	int skip = command != NULL ? 2 : 1;
	struct cmd_options options;
	enum cmd_status status;

	signal(SIGPIPE, SIG_IGN);
	if (command == NULL)
		command = &cmd_command_table[0];
	if (!cmd_parse(command, argc - skip, argv + skip, &options))
		status = CMD_USAGE;
	else if (options.brief_help)
		status = skip == 1 ? print_commands() : print_help(command);
	else if (options.version)
		status = print_version();
	else if (options.schema)
		status = print_schema(command);
	else
		status = command->run(&options);
	cmd_options_free(&options);
	return (int)finish_output(status);
}
