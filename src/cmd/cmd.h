/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/policy.h"
#include "crash/crash.h"
#include "report/output.h"
#include "symbols/symbols.h"

/**
 * The commands of the program and what they share.
 *
 * One table of commands and one of options; help, man pages and completion are made
 * from them. Only this room prints and decides exit statuses.
 */
enum cmd_status {
	CMD_DONE = 0,
	CMD_FINDINGS = 1,	/* of a command that looks for them, or messages with --strict */
	CMD_USAGE = 2,
	CMD_UNREADABLE = 3,
};

/** What the command line says; strings are borrowed from it or from the environment. */
struct cmd_options {
	bool machine, strict, brief_help, version;
	enum policy_column compat;
	struct policy policy;
	bool policy_set[POLICY_COUNT];	/* rows that --policy chose, whatever --compat says */
	long thread, frame;		/* -1: not given */
	const char *reg;
	const char *color;		/* "auto", "always" or "never" */
	const char *script, *size;
	bool ascii;
	const char **source_maps;	/* OLD=NEW */
	size_t source_map_count;
	const char **paths;		/* the dump, then symbols */
	size_t path_count;
};

/** One option; which commands take it is a set of their letters. */
struct cmd_option {
	const char *name;		/* "--machine" */
	char letter;			/* 'm'; 0: none */
	const char *argument;		/* "N"; NULL: none */
	const char *commands;
	const char *help;
};

struct cmd_command {
	const char *name;		/* "" for the explorer */
	char letter;
	const char *arguments;
	const char *help;
	enum cmd_status (*run)(const struct cmd_options *options);
};

extern const struct cmd_option cmd_option_table[];
extern const size_t cmd_option_count;
extern const struct cmd_command cmd_command_table[];
extern const size_t cmd_command_count;

/** Parse what follows the command's name. On failure a message has been printed. */
bool
cmd_parse(const struct cmd_command *command, int argc, char **argv, struct cmd_options *options);

void
cmd_options_free(struct cmd_options *options);

/** A crash with its symbols, as most commands want it. */
struct cmd_input {
	struct crash crash;
	struct symbols *symbols;
	const char **symbol_paths;	/* of the command line, else of UNSPOOL_SYMBOLS */
	size_t symbol_path_count;
	char *environment;		/* copy that symbol_paths may point into */
};

/** Open the dump and the symbols of the options. Prints what is wrong. */
enum cmd_status
cmd_input_open(struct cmd_input *input, const struct cmd_options *options);

void
cmd_input_close(struct cmd_input *input);

/** Print the messages of the dump and of the symbols that were loaded to standard error. */
void
cmd_print_messages(const struct cmd_input *input);

/** Print an error as `unspool: place: text` with its hint on a line of its own. */
void
cmd_print_error(const struct error *error, const char *path);

/** An output to standard output. */
struct output
cmd_output(void);

/** CMD_DONE, or CMD_FINDINGS where there were messages and --strict asks. */
enum cmd_status
cmd_finish(const struct cmd_input *input, const struct cmd_options *options);

enum cmd_status
cmd_walk(const struct cmd_options *options);

enum cmd_status
cmd_explain(const struct cmd_options *options);

enum cmd_status
cmd_explore(const struct cmd_options *options);

enum cmd_status
cmd_policy(const struct cmd_options *options);

#endif
