/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "system/shortage.h"
#include "ui/explorer.h"

/* Texts instead of the name and version of each library that the build left out. */
#ifndef HAVE_CURL
#define CURL_NAME "built without libcurl (symbol files and debug files are not downloaded)"
#endif
#ifndef HAVE_CAPSTONE
#define CAPSTONE_NAME "built without capstone (instructions are not shown)"
#endif
#ifndef HAVE_ZLIB
#define ZLIB_NAME "built without zlib (gzip is not decompressed)"
#endif
#ifndef HAVE_LZMA
#define LZMA_NAME "built without liblzma (xz is not decompressed)"
#endif
#ifndef HAVE_ZSTD
#define ZSTD_NAME "built without libzstd (zstd is not decompressed)"
#endif
#ifndef HAVE_LZ4
#define LZ4_NAME "built without liblz4 (lz4 is not decompressed)"
#endif
#ifndef HAVE_MSPACK
#define MSPACK_NAME "built without libmspack (cabinets are not decompressed)"
#endif
#ifndef HAVE_DEMANGLER
#define DEMANGLER_NAME "built without libiberty (names stay mangled)"
#endif

static enum cmd_status
print_commands(void)
{
	static const struct {
		const char *group;		/* NULL: a command */
		const struct cmd_command *command;
	} rows[] = {
#define GROUP(title) { title, NULL },
#define COMMAND(name) { NULL, &cmd_##name },
#include "cmd/command.def"
#undef COMMAND
#undef GROUP
	};

	puts("Usage: unspool [COMMAND] [--help] [OPTION...] DUMP [DIRECTORY|SYMBOL-FILE...]");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].group != NULL)
			printf("\n%s:\n ", rows[i].group);
		else
			printf(" %s", rows[i].command->name);
	puts("\n\n'unspool help COMMAND' prints the options of a command, 'unspool help' the list\n"
	     "of commands with a sentence each, of terms and of documents.");
	return CMD_DONE;
}

static enum cmd_status
print_version(void)
{
	char sandbox[64];

	printf("unspool " PACKAGE_VERSION "\n%s\n" CAPSTONE_NAME
	       "\n" ZLIB_NAME "\n" LZMA_NAME "\n" ZSTD_NAME "\n" LZ4_NAME
	       "\n" MSPACK_NAME "\n" CURL_NAME "\n" DEMANGLER_NAME
	       "\n%s\nLicence GPL-3.0-or-later\n",
	       explorer_libraries(), cmd_sandbox_kind(sandbox, sizeof(sandbox)));
	return CMD_DONE;
}

static enum cmd_status
print_schema(const struct cmd_options *options)
{
	const struct cmd_command *command = options->command;
	char title[64];

	if (options->json_errors) {
		facts_schema(&cmd_output, "errors", "unspool COMMAND --json-errors",
			     cmd_error_facts, false);
		return CMD_DONE;
	}
	snprintf(title, sizeof(title), "unspool %s --json", command->name);
	facts_schema(&cmd_output, command->name, title, command->document, command->lists);
	return CMD_DONE;
}

/* A failed write is an error, unless the reader closed its pipe. */
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

/* If memory or descriptors ran out, results may be incomplete, and other errors may be false. */
static enum cmd_status
finish_shortage(enum cmd_status status)
{
	const char *shortage = shortage_first();

	if (shortage == NULL)
		return status;
	if (status <= CMD_FINDINGS) {
		cmd_say("the output may be incomplete: %s", shortage);
		return CMD_INCOMPLETE;
	}
	if (!cmd_has_named(shortage))
		cmd_say("%s", shortage);
	return status == CMD_USAGE ? CMD_UNREADABLE : status;
}

/* The command most similar to `typed`. NULL: no command is similar, or `typed` is a file. */
static const char *
near_command(const char *typed)
{
	struct text_near near = text_near(text_of(typed));
	const char *found = NULL;

	for (size_t i = 0; i < cmd_command_count && access(typed, F_OK) != 0; i++)
		if (text_near_offer(&near, text_of(cmd_commands[i]->name)))
			found = cmd_commands[i]->name;
	return found;
}

/*
 * Open a dummy file for each closed standard stream. Otherwise an input file could get the stream's
 * number and receive output. Each dummy is opened in the wrong direction, so that its use fails.
 */
static bool
take_closed_streams(void)
{
	for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
		if (fcntl(number, F_GETFD) < 0 &&
		    open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number &&
		    open("/", O_RDONLY) != number)
			return false;
	return true;
}

/* Stack size for deep names, types and expressions, and the least size that is accepted. */
#define STACK_WANTED (UINT64_C(8) << 20)
#define STACK_LEAST (UINT64_C(1) << 20)

/* Raise the stack size of the program and of new threads to STACK_WANTED, if permitted. */
static bool
take_stack(void)
{
	struct rlimit limit;
	pthread_attr_t attributes;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= STACK_WANTED)
		return true;
	limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : (rlim_t)STACK_WANTED;
	if (setrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < STACK_LEAST) {
		cmd_say("the stack is limited to %" PRIu64 " KiB; at least %" PRIu64
			" are necessary (ulimit -s)",
			(uint64_t)limit.rlim_cur >> 10, STACK_LEAST >> 10);
		return false;
	}
	if (pthread_attr_init(&attributes) == 0) {
		pthread_attr_setstacksize(&attributes, (size_t)limit.rlim_cur);
		pthread_setattr_default_np(&attributes);
		pthread_attr_destroy(&attributes);
	}
	return true;
}

int
cmd_main(int argc, char **argv)
{
	const struct cmd_command *command = argc > 1 ? cmd_command_named(argv[1]) : NULL;
	const int skip = command != NULL ? 2 : 1;
	enum cmd_status status = CMD_USAGE;

	if (!take_closed_streams())
		return CMD_UNREADABLE;
	if (!take_stack())
		return CMD_INCOMPLETE;
	/* Look for --json-errors first, because parsing the other options may print errors. */
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json-errors") == 0)
			cmd_errors_as_json();
	/* Without these signals, write() fails with an error, which is reported. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const char *near = argc > 1 && command == NULL && argv[1][0] != '-' ? near_command(argv[1])
									    : NULL;
	command = command != NULL ? command : cmd_commands[0];
	if (near != NULL) {
		cmd_say("unknown command '%s'; did you mean '%s'?", argv[1], near);
		return CMD_USAGE;
	}
	if (argc <= 1) {
		cmd_say("open a crash: unspool DUMP [SYMBOLS...]");
		cmd_say("learn how a stack is unwound: unspool lesson 1");
		cmd_say("help: unspool --help");
		return CMD_USAGE;
	}
	struct cmd_options *options = cmd_parse(command, (size_t)(argc > skip ? argc - skip : 0),
						(const char **)argv + skip);
	if (options == NULL)
		return (int)finish_shortage(CMD_USAGE);
	if (options->show_help)
		status = skip == 1 ? print_commands() : cmd_print_help(command);
	else if (options->show_version)
		status = print_version();
	else if (options->show_schema)
		status = print_schema(options);
	else {
		cmd_page_output(options);
		status = cmd_run(options);
	}
	cmd_options_free(options);
	status = finish_shortage(status);
	/* The output lacks the content of unusable arguments. */
	if ((status == CMD_DONE || status == CMD_FINDINGS) && cmd_has_refused())
		status = CMD_UNREADABLE;
	return (int)finish_output(status);
}
