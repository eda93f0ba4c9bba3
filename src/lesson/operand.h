/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_OPERAND_H
#define LESSON_OPERAND_H

#include "inspect/query.h"
#include "lesson/scene.h"

/**
 * Values in a lesson: a query, a query plus or minus a term, or an expression.
 *
 *	frame 1 rule .cfa value
 *	frame 1 rule .cfa value - 8
 *	$rsp + 0x144
 */

struct lesson_operand {
	bool asks;			/* begins with a query */
	struct query query;
	struct text rest;		/* "- 8", or the whole expression */
};

/** Split an operand and parse its query but not its expression. Errors have a place. */
enum error_code
operand_parse(const struct lesson_text *text, struct lesson_operand *operand, struct error *error);

/** Evaluate an operand. Texts of the answer live in `arena`. */
enum error_code
operand_value(const struct lesson_operand *operand, const struct lesson_scene *scene,
	      struct arena *arena, struct query_answer *answer, struct error *error);

/** Parse and evaluate an operand; errors have the text's place. */
enum error_code
operand_of(const struct lesson_text *text, const struct lesson_scene *scene, struct arena *arena,
	   struct query_answer *answer, struct error *error);

/** Check that the queries in all texts of a lesson are valid and all brackets closed. */
enum error_code
operand_check_texts(const struct lesson *lesson, struct error *error);

/**
 * A text of a lesson with the answers of its queries, terms without brackets, and a blank for each
 * break except those between paragraphs. A query without an answer becomes "(?)". Lives in `arena`;
 * NULL when out of memory.
 */
const char *
operand_fill(const struct lesson_text *text, const struct lesson_scene *scene,
	     struct arena *arena);

/** Line `index` of a filled text at this width. False after the last line. */
bool
operand_filled_line(const char *filled, size_t columns, size_t index, struct text *line);

/** Number of lines of a filled text at this width. */
size_t
operand_filled_lines(const char *filled, size_t columns);

#endif
