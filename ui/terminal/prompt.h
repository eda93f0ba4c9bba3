/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_PROMPT_H
#define UI_TERMINAL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/request/keymap.h"
#include "ui/terminal/term.h"

/**
 * The line editor: GNU readline inside the program's screen. Only prompt.c uses readline.
 *
 * Readline reads from a queue of bytes and draws nothing. The prompt paints its line through term,
 * and the event loop continues while the prompt is open. There is one prompt, because readline is
 * global. Histories are saved in the state directory if that directory is writable.
 */
enum prompt_kind {
	PROMPT_COMMAND,		/* ':' */
	PROMPT_FIND,		/* '/' */
	PROMPT_FILTER,		/* '&', with the history of '/' */
};

struct explorer;

/** Events of the prompt. Lines are valid during the call. */
struct prompt_client {
	struct explorer *explorer;
	void (*changed)(struct explorer *explorer, const char *line);
	/** Enter: the prompt is closed. */
	void (*accepted)(struct explorer *explorer, const char *line);
	/** Esc, C-c or C-d on an empty line: the prompt is closed. */
	void (*cancelled)(struct explorer *explorer);
	/** Text to show under byte `*column` of the unfinished line. False if there is no text. */
	bool (*check)(const struct explorer *explorer, const char *line, size_t *column,
		      char *text, size_t size);
	/** Offer words that complete the line, which ends at its cursor. */
	void (*complete)(struct explorer *explorer, struct completion *completion);
};

/** Load readline before another function of the prompt is called. False: it is missing. */
bool
prompt_load(void);

/**
 * Initialise readline. Call it once, after term_start. `plain`: no screen, and only prompt_ask is
 * used. `state` is the directory of the histories, created when needed. NULL: they are not saved.
 */
void
prompt_start(const struct prompt_client *client, const char *state, bool plain);

/**
 * Ask for a command, with history and completion. Returns the line, to be freed; NULL at the end of
 * input. C-c begins an empty line.
 */
char *
prompt_ask(const char *label);

/**
 * Call it in a handler of SIGINT. If prompt_ask is reading a line, prompt_ask starts over and this
 * call does not return.
 */
void
prompt_interrupt(void);

/** Close the prompt and free the histories. */
void
prompt_stop(void);

/** Remove the lines typed since prompt_start from the histories and their files. */
void
prompt_forget(void);

/** Open the prompt with `line` in it. `passing`: the line is not added to a history. */
void
prompt_open(enum prompt_kind kind, const char *line, bool passing);

/** Append a text; the first character that is typed replaces it. */
void
prompt_offer(const char *text);

/** Whether the prompt is open and gets the keys. */
bool
prompt_is_open(void);

/** Pass a key to the open prompt. Pastes are inserted. */
void
prompt_key(const struct term_event *event);

/**
 * Whether the last key was refused because the line would exceed LIMIT_PROMPT_LINE; a paste is
 * inserted in full or not at all.
 */
bool
prompt_is_full(void);

/** The message for a full line, with LIMIT_PROMPT_LINE. */
#define PROMPT_FULL "the line is full: what would make it longer than %u bytes is not typed"

/** Move the cursor to a click on the line. Ignore clicks elsewhere. */
void
prompt_click(int x, int y);

/**
 * Paint the open prompt in row `y`, or one row higher if there is text under it. Paint possible
 * completions in the rows over the prompt. Place the cursor in the line.
 */
void
prompt_paint(int y, int columns);

/** Load readline; its version. */
const char *
prompt_library(void);

#endif
