/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_EXPLORE_H
#define CMD_EXPLORE_H

#include "cmd/cmd.h"
#include "ui/explorer.h"

/** The explorer's options for commands. */
struct explore_options {
	struct cmd_options common;
	/* The members without an option are set when the dump is open. */
	struct explorer_options explorer;
	const char *size;		/* COLUMNSxROWS of a script's screen; NULL: 80x24 */
	const char *config;		/* path; NULL: the user's file */
	bool no_config;
	/*
	 * Opens the input, and may store a note in `error`. NULL: the dump of the options is
	 * opened.
	 */
	enum cmd_status (*open)(struct cmd_input *input, const struct explore_options *options,
				struct error *error);
	/* Sets the address for the next `open`. */
	void (*set_address)(void *context, uint64_t pc);
	void *open_context;
};

/**
 * Run the explorer on the result of `open`, or on the dumps of the options. If standard output is
 * no terminal, and neither --plain nor a script is given, print the walks of the dumps instead.
 */
enum cmd_status
cmd_explore_with(const struct explore_options *options);

#endif
