/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_PLAY_H
#define UI_REQUEST_PLAY_H

#include <stdint.h>

#include "base/arena.h"
#include "ui/request/keymap.h"
#include "ui/request/script.h"
#include "ui/terminal/term.h"

/**
 * A script that is run on the screen, line by line, as its user asks: forwards and back.
 *
 * A line is run as a script's is, when all that the one before began has ended. To go back, a
 * session is opened as the first one was, and the lines before are run again: so that it has the
 * state it had. A line runs only if permitted_command() lets it (lesson/permitted.h).
 */
struct explorer;

struct play {
	bool on;
	struct script script;
	struct arena arena;
	/* The text of each step that is a `say`, printable; or NULL */
	const char **says;
	size_t next;			/* the step to run next */
	size_t target;			/* steps before this one are run without being asked for */
	/* Steps before this one have been run before, in another session */
	size_t repeated;
	bool running;			/* a step is being run */
	bool ran;			/* one was, and what it came to has not been looked at */
	/* How its user goes forward; a pause that ends asks again */
	enum request asked;
	int64_t until;			/* a pause ends, in milliseconds; 0: no pause */
	size_t part;			/* of a card that has no room as a whole: from 0 */
	size_t columns, rows;		/* of the largest card for a screen of these columns */
	size_t taken;			/* rows that the play has of the screen */
	/* What was set when it began and is no part of a session. */
	enum theme_name theme;
	bool mouse, redact;
	size_t rows_printed;
	long changes;			/* bytes of what the next session gets */
};

/** Read and check a script that is to be played from its beginning. */
enum error_code
play_open(struct explorer *explorer, const char *path, struct error *error);

/** A session has been opened to play in: set what was set when the play began. */
void
play_begin(struct explorer *explorer);

/** End it, if there is one. */
void
play_close(struct explorer *explorer);

/** Take a key from its user that is for the play; false where it is not. */
bool
play_takes_key(struct explorer *explorer, const struct term_event *event);

/** Whether lines are to be run without being asked for. */
bool
play_is_due(const struct explorer *explorer);

/** Run the next line that is due; nothing may be under way. False where none is. */
bool
play_work(struct explorer *explorer);

/** Go on where a pause has ended. Says whether there is anything to do. */
bool
play_tick(struct explorer *explorer);

/** The rows of the screen, of `rows`, that the play takes: a title, and its largest card. */
int
play_rows(struct explorer *explorer, int columns, int rows);

/** Fill row `index` of these, 0 the title, for a screen of `columns`. */
void
play_fill(struct explorer *explorer, size_t index, size_t columns, struct row *row);

#endif
