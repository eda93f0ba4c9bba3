/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_PLAY_H
#define UI_REQUEST_PLAY_H

#include <stdint.h>

#include "base/arena.h"
#include "ui/request/keymap.h"
#include "ui/request/script.h"
#include "ui/terminal/term.h"

/**
 * A script that the user runs on the screen line by line, forwards and back.
 *
 * A line runs once all work of the previous line is done. To go back, a session is opened as the
 * first one was and runs the earlier lines again, so that it has the state of that time. A line
 * runs only if lesson_permits() allows it (lesson/lesson.h).
 */
struct explorer;

struct play {
	bool on;
	struct script script;
	struct arena arena;
	/* text of each `say` step, printable; NULL for other steps */
	const char **says;
	size_t next;			/* index of the next step to run */
	size_t target;			/* steps before this one run without the user */
	/* steps before this one already ran in an earlier session */
	size_t repeated;
	bool running;			/* a step is running */
	bool ran;			/* a step has run and its result is not checked yet */
	/* request of the user that the end of a pause repeats */
	enum request asked;
	int64_t until;			/* end of the pause, in milliseconds; 0: none */
	size_t part;			/* index of the part shown of a card that does not fit */
	size_t columns, rows;		/* size of the largest card at this width */
	size_t taken;			/* rows of the screen used by the play */
	/* Settings at the beginning that are no part of a session. */
	enum theme_name theme;
	bool mouse, redact;
	size_t rows_printed;
	long changes;			/* bytes in explorer->changes at the beginning */
};

/** Read and check a script, to play it from its beginning. */
enum error_code
play_open(struct explorer *explorer, const char *path, struct error *error);

/** Restore the settings of the play's beginning in a new session. */
void
play_begin(struct explorer *explorer);

/** End the play, if there is one. */
void
play_close(struct explorer *explorer);

/** Handle a key of the play. False if it is another key. */
bool
play_takes_key(struct explorer *explorer, const struct term_event *event);

/** Whether lines are due without the user. */
bool
play_is_due(const struct explorer *explorer);

/** Run the next line that is due, unless work is under way. False if none is due. */
bool
play_work(struct explorer *explorer);

/** Continue after a pause. True if there is anything to do. */
bool
play_tick(struct explorer *explorer);

/** The number of the screen's `rows` that the play uses: a title and its largest card. */
int
play_rows(struct explorer *explorer, int columns, int rows);

/** Fill row `index` of the play, 0 for the title, for a screen of `columns`. */
void
play_fill(struct explorer *explorer, size_t index, size_t columns, struct row *row);

#endif
