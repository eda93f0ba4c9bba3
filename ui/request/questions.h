/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_QUESTIONS_H
#define UI_REQUEST_QUESTIONS_H

#include "ui/request/keymap.h"

/**
 * The views and keys by the question that they answer: a table, question.def.
 */
struct question_row {
	const char *question;	/* NULL: an answer to the question above */
	enum request request;
	const char *word;	/* what the answer is, in few letters */
};

/** How many questions there are. */
enum {
	QUESTION_COUNT = 0
#define Q(question) + 1
#define A(id, word)
#include "ui/view/question.def"
};

/** The rows of the table in order; `count` is stored. */
const struct question_row *
questions_rows(size_t *count);

/** The first answer to question `index`, from 0; REQUEST_NONE where there is no such question. */
enum request
questions_answer(size_t index);

/**
 * The views in the order of the questions that they answer, then those that answer none; `index`
 * counts from 0 to LAYOUT_VIEW_COUNT - 1. `question` is the question, or NULL.
 */
enum layout_view
questions_view(size_t index, const char **question);

/**
 * Write a line of question `index`: its answers with their keys; `again` repeats the question in
 * all lines. Returns how many lines of `columns` it has; 0: there are no more questions.
 */
size_t
questions_fill(size_t index, size_t line, size_t columns, bool again, struct row *row);

#endif
