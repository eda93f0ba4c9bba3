/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_EXPLORE_H
#define CMD_EXPLORE_H

#include "cmd/cmd.h"

/** The explorer as commands start it. */
struct explore_options {
	struct cmd_options common;
	const char *color;		/* "auto", "always" or "never"; NULL: "auto" */
	const char *script, *size;
	const char *lesson;		/* directory of a lesson of this crash; NULL: none */
	const char *at;			/* place to begin at; NULL: the crash */
	const char *play;		/* script to play; NULL: none */
	const char *record;		/* file to write what is done to; NULL: none */
	const char *config;		/* file; NULL: the user's */
	/* Opens what is explored, and may leave a sentence in `error`; NULL: the dump is. */
	enum cmd_status (*open)(struct cmd_input *input, const struct explore_options *options,
				struct error *error);
	void (*set_address)(void *context, uint64_t pc);	/* for the next `open` */
	void *open_context;
	bool plain, no_config, no_state, ascii;
};

/** Run the explorer over what `open` opens, or over the dump of the options. */
enum cmd_status
cmd_explore_with(const struct explore_options *options);

#endif
