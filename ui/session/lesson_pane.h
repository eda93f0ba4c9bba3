/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_LESSON_PANE_H
#define UI_SESSION_LESSON_PANE_H

#include "lesson/lesson_run.h"

/**
 * A lesson beside the views: the card at hand, what was answered, and where the card stands.
 *
 * Answers are checked by the lesson's own walks. What the card shows of the crash comes from the
 * explorer's walk, so that blind mode hides it there as well.
 */
struct explorer;
struct session;

struct lesson_pane {
	struct lesson lesson;
	struct lesson_scene scene;
	struct lesson_run run;
	struct arena arena;		/* of the path, and of what was said of the card */
	const char *progress;		/* file; NULL: none is kept */
	struct lesson_note {		/* what was said of the card: hints, and replies */
		const char *text;
		bool good;
	} *notes;
	size_t note_count, note_capacity;
};

/** Open the lesson in a directory for a session that shows its crash, at the first card. */
enum error_code
lesson_pane_open(struct explorer *explorer, const char *directory, struct error *error);

void
lesson_pane_close(struct explorer *explorer);

/** What the task at hand takes as an answer; NULL: there is no task. */
const char *
lesson_pane_how(const struct session *session);

/** Offer a prompt for the answer, with what is selected in it. False where there is no task. */
bool
lesson_pane_ask(struct explorer *explorer);

#endif
