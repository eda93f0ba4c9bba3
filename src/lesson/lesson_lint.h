/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_LINT_H
#define LESSON_LESSON_LINT_H

#include "lesson/operand.h"

/**
 * Defects of a valid lesson: queries without an answer, unknown terms, texts that do not fit,
 * answers revealed before they are given. A file `solution` must pass each task; each answer of a
 * file `wrong` must get a sentence.
 */
struct lesson_finding {
	struct place place;
	const char *text;
};

struct lesson_findings {
	struct arena arena;
	struct lesson_finding *items;
	size_t count, capacity;
	struct input files[2];		/* inputs of places in `wrong` and `solution` */
};

/** Room for a card's text in a pane at the side of the views, and at the bottom. */
enum {
	LESSON_SIDE_COLUMNS = 38,
	LESSON_SIDE_ROWS = 30,
	LESSON_BELOW_COLUMNS = 78,
	LESSON_BELOW_ROWS = 6,
};

/** Add a finding. */
void
lesson_find(struct lesson_findings *findings, struct place place, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/**
 * Find answers that screens show before their tasks are answered. `rows` has the rows of each card.
 * Some answers may be shown: a place that the learner points at, a word of memory or an instruction
 * with its address, and a register of the card's frame.
 */
void
lesson_lint_rows(const struct lesson *lesson, const struct lesson_scene *scene,
	const char *const *rows, struct lesson_findings *findings);

/**
 * Check a lesson and its crash; `permits` says whether a card may run a line. Findings borrow the
 * lesson; free their arena.
 */
void
lesson_lint(const struct lesson *lesson, const struct lesson_scene *scene,
	    bool (*permits)(const char *line), struct lesson_findings *findings);

#endif
