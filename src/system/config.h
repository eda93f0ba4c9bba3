/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CONFIG_H
#define SYSTEM_CONFIG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/message.h"

/**
 * The configuration file, see unspool-config(5). A line has a directive of config.def and
 * arguments.
 *
 * '#' begins a comment; words with blanks are in double quotes. A wrong line becomes a message with
 * its place; the other lines are used. No line starts a program.
 */
struct config_line {
	const char *word, *rest;	/* bind, unbind and set: run by the explorer */
	unsigned number;
};

/** Texts in the order of the file. */
struct config_list {
	const char **items;
	size_t count;
};

enum config_choice {
	CONFIG_UNSAID,
	CONFIG_ON,
	CONFIG_OFF,
};

struct config {
	struct arena arena;
	struct input input;
	struct message_list messages;
	struct config_line *lines;
	size_t line_count;
	struct config_list symbols;	/* directories */
	struct config_list symbol_urls;	/* URLs of servers */
	struct config_list binaries;	/* directories */
	struct config_list source_maps;	/* "OLD=NEW" */
	struct config_list signature_rules;	/* files; the last one is used */
	enum config_choice system_binaries, offline, follow_pointers, demangle, sandbox;
};

/**
 * Read the file at `path`; a missing file is an empty configuration, or an error with `must`.
 * Errors in its lines are in config->messages.
 */
enum error_code
config_read(struct config *config, const char *path, bool must, struct error *error);

/** Add a message about a line of the file. */
void
config_complain(struct config *config, unsigned line, const char *wrong);

void
config_free(struct config *config);

#endif
