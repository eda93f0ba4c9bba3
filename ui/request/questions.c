/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/questions.h"

#include <string.h>

#include "base/compiler.h"
#include "ui/request/binding.h"

static const struct question_row rows[] = {
#define Q(question) { question, REQUEST_NONE, NULL },
#define A(id, word) { NULL, REQUEST_##id, word },
#include "ui/view/question.def"
};

/* The column where answers begin, and the width of one. */
enum { ANSWER_COLUMN = 22, ANSWER_COLUMNS = 14 };

const struct question_row *
questions_rows(size_t *count)
{
	*count = ARRAY_COUNT(rows);
	return rows;
}

/* The row of question `index`; the number of rows if there is none. */
static size_t
row_of(size_t index)
{
	size_t at = 0;

	while (at < ARRAY_COUNT(rows) && (rows[at].question == NULL || index-- > 0))
		at++;
	return at;
}

enum request
questions_answer(size_t index)
{
	const size_t at = row_of(index);

	return at < ARRAY_COUNT(rows) ? rows[at + 1].request : REQUEST_NONE;
}

enum layout_view
questions_view(size_t index, const char **question)
{
	unsigned asked = 0;	/* bits: the views that answer questions */

	*question = NULL;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].question != NULL)
			*question = rows[i].question;
		for (unsigned view = 0; view < LAYOUT_VIEW_COUNT; view++) {
			if (keymap_view_request((enum layout_view)view) != rows[i].request ||
			    (asked & 1u << view) != 0)
				continue;
			asked |= 1u << view;
			if (index-- == 0)
				return (enum layout_view)view;
		}
	}
	*question = NULL;
	for (unsigned view = 0; view < LAYOUT_VIEW_COUNT; view++)
		if ((asked & 1u << view) == 0 && index-- == 0)
			return (enum layout_view)view;
	return LAYOUT_SUMMARY;
}

size_t
questions_fill(size_t index, size_t line, size_t columns, bool again, struct row *row)
{
	size_t at = row_of(index), column = ANSWER_COLUMN, lines = 0;
	char keys[64];

	if (at == ARRAY_COUNT(rows))
		return 0;
	if (line == 0 || again)
		row_add(row, ROLE_TITLE, " %s", rows[at].question);
	for (at++; at < ARRAY_COUNT(rows) && rows[at].question == NULL; at++) {
		binding_keys(rows[at].request, keys, sizeof(keys));
		keys[strcspn(keys, " ")] = '\0';
		/* The user may have unbound the key. */
		if (keys[0] == '\0')
			continue;
		const size_t width = text_width(text_of(keys)) + 1 + strlen(rows[at].word);
		if (column > ANSWER_COLUMN && column + width > columns) {
			column = ANSWER_COLUMN;
			lines++;
		}
		if (lines == line) {
			row_pad(row, column);
			row_add(row, ROLE_KEY, "%s", keys);
			row_add(row, ROLE_NORMAL, " %s", rows[at].word);
		}
		column += ANSWER_COLUMNS * (1 + width / ANSWER_COLUMNS);
	}
	return lines + 1;
}
