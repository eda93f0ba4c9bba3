/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_CHECK_ANSWER_H
#define LESSON_CHECK_ANSWER_H

#include "lesson/operand.h"
#include "lint/lint.h"

/**
 * Whether an answer is right: the engine says so, never the text of the file.
 *
 * A check is read when the lesson is, so that a mistake in it is found there. A truth that would
 * show the answer to who reads the file is written as a digest (`lesson --seal`).
 */

/** A check of a task as it is read. */
struct check_truth {
	struct lesson_operand operand;		/* value, predict, place; the query of a rule or program */
	struct text without;		/* a name that the answer may not use; empty: none */
	struct text words;		/* of a set or choice, as they are written */
	bool open;			/* `words`, or a walk, are still to be sealed */
	bool sealed;
	uint64_t digest;		/* where it is sealed */
	enum {
		CHECK_CHOICE_WORD,
		CHECK_CHOICE_METHOD,	/* that found the caller of `frame` */
		CHECK_CHOICE_CHECK,	/* that failed in the step from `frame` */
	} choice;
	size_t frame;
	size_t edits;			/* of a walk, at most; 0: any number */
	bool lints;			/* `lint` must be gone from the edited files */
	enum lint_code lint;
};

/** The kind that a word names; false: none. */
bool
check_kind_named(struct text word, enum lesson_check_kind *kind);

/** Read what stands behind the kind's word; the error has its place. */
enum error_code
check_read(const struct lesson_check *check, struct check_truth *truth, struct error *error);

#endif
