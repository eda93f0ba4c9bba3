/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_QUESTIONS_H
#define UI_REQUEST_QUESTIONS_H

#include "ui/request/keymap.h"

/** Questions about a crash, with the views and keys that answer them: the table question.def. */
struct question_row {
	const char *question;	/* NULL: another answer to the previous question */
	enum request request;
	const char *word;	/* the answer in one word */
};

/** Number of questions. */
enum {
	QUESTION_COUNT = 0
#define Q(question) + 1
#define A(id, word)
#include "ui/view/question.def"
};

/** The rows of the table in order; stores `count`. */
const struct question_row *
questions_rows(size_t *count);

/** The first answer to question `index`, from 0; REQUEST_NONE: no such question. */
enum request
questions_answer(size_t index);

/**
 * The views in the order of their questions, then those without one; `index` is 0 to
 * LAYOUT_VIEW_COUNT - 1. `question` is the question, or NULL.
 */
enum layout_view
questions_view(size_t index, const char **question);

/**
 * Write a line of question `index`: its answers with their keys; `again` repeats the question in
 * all lines. Returns its number of lines at this width; 0: no such question.
 */
size_t
questions_fill(size_t index, size_t line, size_t columns, bool again, struct row *row);

#endif
