/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_PROMPT_H
#define UI_TERMINAL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/request/completion.h"
#include "ui/terminal/term.h"

/**
 * The line that one types into: GNU readline inside our own screen. The only file
 * that uses readline.
 *
 * Readline reads from a queue of bytes that we fill and draws nothing; the prompt paints
 * its line through term. The loop goes on while it is open. There is one prompt, as there is
 * one readline. Every kind of prompt has its own history, kept in the state
 * directory where that can be written.
 */
enum prompt_kind {
	PROMPT_COMMAND,		/* ':' */
	PROMPT_FIND,		/* '/' */
	PROMPT_FILTER,		/* '&', with the history of '/' */
};

struct explorer;

/** What happens to a line while it is typed. Lines are good for the call. */
struct prompt_client {
	struct explorer *explorer;
	/** The line is another now. */
	void (*changed)(struct explorer *explorer, const char *line);
	/** Enter: the prompt is closed. */
	void (*accepted)(struct explorer *explorer, const char *line);
	/** Esc, C-c or C-d on an empty line: the prompt is closed. */
	void (*cancelled)(struct explorer *explorer);
	/** What is to stand under byte `*column` of the line while it is typed; false: nothing. */
	bool (*check)(const struct explorer *explorer, const char *line, size_t *column,
		      char *text, size_t size);
	/** Offer the words that could complete the line, which ends at its cursor. */
	void (*complete)(struct explorer *explorer, struct completion *completion);
};

/**
 * Make readline ready; once, behind term_start. `plain`: for prompt_ask, with the terminal as its
 * own. Histories come from `state` and go there (a directory, made when it is needed); NULL keeps
 * none.
 */
void
prompt_start(const struct prompt_client *client, const char *state, bool plain);

/**
 * Ask for a command, with history and completion. The line is to be freed; NULL at the end of
 * input. C-c begins an empty line.
 */
char *
prompt_ask(const char *label);

/**
 * To be called by a handler of SIGINT: if prompt_ask reads a line, that line is given up and the
 * handler does not go on.
 */
void
prompt_interrupt(void);

/** Close the prompt and forget the histories that were read. */
void
prompt_stop(void);

/** Remove what was typed since prompt_start from the histories and their files. */
void
prompt_forget(void);

/** Open the prompt with `line` in it. */
void
prompt_open(enum prompt_kind kind, const char *line);

/** Whether keys belong to the prompt. */
bool
prompt_is_open(void);

/** Give a key to the open prompt: an event that was read as bytes. Pastes are inserted. */
void
prompt_key(const struct term_event *event);

/**
 * Whether the last key was refused because it would have made the line longer than
 * LIMIT_PROMPT_LINE; a paste is inserted wholly or not at all.
 */
bool
prompt_is_full(void);

/** What is then said of the line, with LIMIT_PROMPT_LINE. */
#define PROMPT_FULL "the line is full: what would make it longer than %u bytes is not typed"

/** Put the cursor where the line was clicked; nothing happens elsewhere. */
void
prompt_click(int x, int y);

/**
 * Paint the open prompt in row `y`, one higher where there is something to say under it, and
 * possible completions in the rows above it, and put the cursor into it.
 */
void
prompt_paint(int y, int columns);

/** The readline library and its version. */
const char *
prompt_library(void);

#endif
