/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_CLIP_H
#define UI_TERMINAL_CLIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Taking text away: to a command of the user, to the terminal's clipboard, or to a
 * register of our own.
 *
 * The terminal is only written to (OSC 52), never asked what its clipboard holds.
 */
enum clip_policy {
	CLIP_AUTO,	/* terminals that are known to take it */
	CLIP_ALWAYS,
	CLIP_NEVER,
};

enum clip_result {
	CLIP_COMMAND,	/* the user's command took it */
	CLIP_SENT,	/* it was sent to the terminal, which does not answer */
	CLIP_CUT,	/* its first CLIP_SIZE bytes were */
	CLIP_KEPT,	/* it is in the register only */
	CLIP_REFUSED,	/* so it is, because the sandbox does not run the command */
};

/* Bytes that a terminal is sent at most: some lose sequences of more than 75,000 whole. */
#define CLIP_SIZE 55296

/** What stands between the program and the terminal and must be told to hand a sequence on. */
enum clip_between {
	CLIP_NOTHING,
	CLIP_TMUX,	/* takes the sequence itself, or hands it on, by its configuration */
	CLIP_SCREEN,	/* hands it on in pieces */
};

/**
 * Copy `text`, made printable but for line feeds. `command` is run by the shell and reads it from
 * its standard input; NULL or "": none.
 */
enum clip_result
clip_copy(struct text text, const char *command, enum clip_policy policy);

/** What was copied last; "" at first. */
const char *
clip_register(void);

/** What is between, by the values of TMUX and STY (NULL: not set). */
enum clip_between
clip_between(const char *tmux, const char *sty);

/** Whether the policy lets text go to a terminal of type `term` (which may be NULL). */
bool
clip_allowed(enum clip_policy policy, enum clip_between between, const char *term);

/**
 * Write the sequence that gives `text` to the clipboard; `size` must be CLIP_SEQUENCE_SIZE for
 * CLIP_SIZE bytes. Returns its length, 0 where it does not fit.
 */
size_t
clip_sequence(struct text text, enum clip_between between, char *buffer, size_t size);

/* The plain sequence, and the same once more in the wrapping of what is between. */
#define CLIP_SEQUENCE_SIZE (3 * ((CLIP_SIZE + 2) / 3 * 4 + 64))

#endif
