/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_CLIP_H
#define UI_TERMINAL_CLIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Copies of text: for a command of the user, for the terminal's clipboard, or in a register of the
 * program.
 *
 * The program writes the terminal's clipboard (OSC 52) but never reads it.
 */
enum clip_policy {
	CLIP_AUTO,	/* only terminals known to support it */
	CLIP_ALWAYS,
	CLIP_NEVER,
};

enum clip_result {
	CLIP_COMMAND,	/* the user's command took it */
	CLIP_SENT,	/* sent to the terminal, which does not answer */
	CLIP_CUT,	/* its first CLIP_SIZE bytes were sent */
	CLIP_KEPT,	/* in the register only */
	CLIP_REFUSED,	/* in the register only: the sandbox refuses the command */
};

/* Most bytes to send: some terminals drop sequences of more than 75,000 bytes. */
#define CLIP_SIZE 55296

/** A program between this one and the terminal, which passes a sequence on only in a wrapper. */
enum clip_between {
	CLIP_NOTHING,
	CLIP_TMUX,	/* copies itself or passes on, by its configuration */
	CLIP_SCREEN,	/* passes on in pieces */
};

/**
 * Copy `text`, made printable except line feeds. The shell runs `command` with it as standard
 * input; NULL or "": none.
 */
enum clip_result
clip_copy(struct text text, const char *command, enum clip_policy policy);

/** The last copy; "" at first. */
const char *
clip_register(void);

/** The multiplexer according to the values of TMUX and STY (NULL: unset). */
enum clip_between
clip_between(const char *tmux, const char *sty);

/** Whether the policy allows copies to a terminal of type `term` (or NULL). */
bool
clip_allowed(enum clip_policy policy, enum clip_between between, const char *term);

/**
 * Write the sequence that copies `text` to the clipboard; `size` must be CLIP_SEQUENCE_SIZE for
 * CLIP_SIZE bytes. Returns its length, or 0 if it does not fit.
 */
size_t
clip_sequence(struct text text, enum clip_between between, char *buffer, size_t size);

/* The plain sequence, and its copy in the wrapper. */
#define CLIP_SEQUENCE_SIZE (3 * ((CLIP_SIZE + 2) / 3 * 4 + 64))

#endif
