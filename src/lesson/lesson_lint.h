/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_LINT_H
#define LESSON_LESSON_LINT_H

#include "lesson/operand.h"

/**
 * What is wrong with a lesson that can be read: queries without an answer, unknown words, texts
 * that do not fit, answers that can be read before they are given. If there is a file `solution`
 * with answers, each task must be passed by it; each answer of a file `wrong` must meet a sentence.
 */
struct lesson_finding {
	struct place place;
	const char *text;
};

struct lesson_findings {
	struct arena arena;
	struct lesson_finding *items;
	size_t count, capacity;
	struct input files[2];		/* of places in `wrong` and `solution` */
};

/** Panes have so much room for the text of a card: beside the views, and below them. */
enum {
	LESSON_SIDE_COLUMNS = 38,
	LESSON_SIDE_ROWS = 30,
	LESSON_BELOW_COLUMNS = 78,
	LESSON_BELOW_ROWS = 6,
};

/** Look at a lesson and its crash. Findings borrow the lesson; lesson_lint_free is due. */
void
lesson_lint(const struct lesson *lesson, const struct lesson_scene *scene,
	    struct lesson_findings *findings);

void
lesson_lint_free(struct lesson_findings *findings);

#endif
