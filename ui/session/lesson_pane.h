/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_LESSON_PANE_H
#define UI_SESSION_LESSON_PANE_H

#include "lesson/lesson_run.h"

/**
 * A lesson next to the views: the current card, its answers and its place.
 *
 * The lesson's own walks check answers. Values in the card's text come from the explorer's walk, so
 * that blind mode hides them too.
 */
struct explorer;
struct session;

struct lesson_pane {
	struct lesson lesson;
	struct lesson_scene scene;
	struct lesson_run run;
	struct arena arena;		/* holds the path and the notes' texts */
	const char *progress;		/* file of progress; NULL: not saved */
	struct lesson_note {		/* hints and replies about the card */
		const char *text;
		bool good;
	} *notes;
	size_t note_count, note_capacity;
};

/** Open the lesson of a directory at its first card, in a session of its crash. */
enum error_code
lesson_pane_open(struct explorer *explorer, const char *directory, struct error *error);

void
lesson_pane_close(struct explorer *explorer);

/** The form of an answer to the current task; NULL: no task. */
const char *
lesson_pane_how(const struct session *session);

/** Open the prompt for an answer, with the selection as a proposal. False if there is no task. */
bool
lesson_pane_ask(struct explorer *explorer);

#endif
