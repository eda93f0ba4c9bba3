/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_EXPLORE_H
#define CMD_EXPLORE_H

#include "cmd/cmd.h"

/** The explorer's options for commands. */
struct explore_options {
	struct cmd_options common;
	const char *color;		/* "auto", "always" or "never"; NULL: "auto" */
	const char *script, *size;
	const char *lesson;		/* directory of a lesson of this crash; NULL: none */
	const char *at;			/* place to begin at; NULL: the crash */
	const char *play;		/* script to play; NULL: none */
	const char *record;		/* file to record the session in; NULL: none */
	const char *config;		/* path; NULL: the user's file */
	/* Opens the input, and may store a note in `error`; NULL: the options' dump is opened. */
	enum cmd_status (*open)(struct cmd_input *input, const struct explore_options *options,
				struct error *error);
	void (*set_address)(void *context, uint64_t pc); /* sets the address for the next `open` */
	void *open_context;
	bool plain, no_config, no_state, ascii;
};

/** Run the explorer on the result of `open`, or on the dump of the options. */
enum cmd_status
cmd_explore_with(const struct explore_options *options);

#endif
