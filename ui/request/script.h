/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_SCRIPT_H
#define UI_REQUEST_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/place.h"
#include "ui/request/keymap.h"

/**
 * A recorded session: each line is a key, a command or text to type.
 *
 *	s		the key `s`; names are those of ui/terminal/key.h
 *	PgDn
 *	:goto frame 2	a command, run without opening the prompt
 *	goto frame 2	the same command, because no key has this name
 *	type main	the keys m, a, i, n; for an open prompt
 *	click 12,3	the mouse at column 12, row 3 from 1 on; also release, wheel-up, wheel-down
 *	resize 120x40	the screen has 120 columns and 40 rows from here on
 *	# text		a comment; empty lines are ignored too
 *
 * The whole file is checked before its first line runs. A bare `:` is the key that opens the
 * prompt, and a bare `#` the key of that name.
 */
enum script_kind { SCRIPT_KEY, SCRIPT_COMMAND, SCRIPT_TYPE };

struct script_step {
	enum script_kind kind;
	int key;		/* SCRIPT_KEY: a key, or the mouse at x, y from 0 on */
	int x, y;		/* TERM_KEY_RESIZE: columns and rows */
	const char *source;	/* the script's line */
	const char *text;	/* other kinds: text without ':' or 'type ' */
	unsigned line;		/* 1-based */
};

struct script {
	struct input input;
	char *text;		/* the file, its lines terminated */
	struct script_step *steps;
	size_t count, next;
};

/**
 * Read and check the script at `path`. On failure `script` has no steps and `error`
 * is set; its place names the script until script_close.
 */
enum error_code
script_open(struct script *script, const char *path, struct error *error);

/** Like script_open(), but parse a copy of `bytes` as a script called `name`. */
enum error_code
script_parse(struct script *script, const char *name, struct text bytes, struct error *error);

/** The next step, or NULL after the last. */
const struct script_step *
script_next(struct script *script);

/** Free all memory. Harmless on an empty script. */
void
script_close(struct script *script);

#endif
