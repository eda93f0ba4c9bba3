/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CMD_RUN_H
#define TESTS_UNIT_CMD_RUN_H

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"

/** The version of capstone that wrote instructions of accepted outputs; others write some otherwise. */
#define CAPSTONE_ACCEPTED "capstone 4.0.2"
#ifndef CAPSTONE_NAME
#define CAPSTONE_NAME "no capstone"
#endif

/** Run commands in this process, as they are typed. A program for each takes ten times as long. */
#define RUN_WORDS 24

/** Called once before commands run: hide the settings of the user and of the terminal. */
static inline void
run_begin(void)
{
	static const char *const kept_out[] = {
		"COLORFGBG", "COLORTERM", "DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_TIMEOUT", "DEBUGINFOD_URLS", "EDITOR", "LOGNAME", "NO_COLOR",
		"SUDO_USER", "UNSPOOL_BINARIES", "UNSPOOL_SYMBOLS", "UNSPOOL_SYMBOLS_URL", "USER", "VISUAL", "XDG_CACHE_HOME",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "_NT_SYMBOL_PATH", "http_proxy",
	};

	for (size_t i = 0; i < sizeof(kept_out) / sizeof(kept_out[0]); i++)
		unsetenv(kept_out[i]);
	setenv("HOME", "/nonexistent", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("TZ", "UTC0", 1);
}

/* Split a command line at its blanks, in place; returns the number of words. */
static inline int
run_split(char *line, char *words[RUN_WORDS])
{
	char *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(line, " ", &rest); word != NULL && count < RUN_WORDS - 2; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	return count;
}

static inline int
run_words(int count, char *words[RUN_WORDS])
{
	/* A sandbox cannot be left for the next command. */
	static char no_sandbox[] = "--no-sandbox";

	for (size_t i = 0; count > 0 && i < cmd_command_count; i++) {
		if (strcmp(cmd_commands[i]->name, words[0]) != 0)
			continue;
		words[count] = no_sandbox;
		struct cmd_options *options = cmd_parse(cmd_commands[i], (size_t)count, (const char **)words + 1);
		if (options == NULL)
			return CMD_USAGE;
		const int status = (int)cmd_run(options);
		cmd_options_free(options);
		return status;
	}
	return -1;
}

/** The output of a command in a folder, its exit status and its messages; the caller frees it. */
static inline char *
run_command(const char *folder, struct text command)
{
	FILE *own_out = stdout, *own_errors = stderr;
	char *printed = NULL, *messages = NULL, *line = strndup(command.start, command.length);
	char *words[RUN_WORDS], *all = NULL;
	size_t size;

	if (chdir(folder) != 0 || line == NULL)
		return line;
	stdout = open_memstream(&printed, &size);
	stderr = open_memstream(&messages, &size);
	const int status = run_words(run_split(line, words), words);
	fclose(stdout);
	fclose(stderr);
	stdout = own_out;
	stderr = own_errors;
	if (asprintf(&all, "%sexit status %d\n%s", printed, status, messages) < 0)
		all = NULL;
	free(printed);
	free(messages);
	free(line);
	return all;
}

#endif
