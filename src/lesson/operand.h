/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_OPERAND_H
#define LESSON_OPERAND_H

#include "inspect/query.h"
#include "lesson/scene.h"

/**
 * Values that a lesson names: a query, a query with something added, or an expression.
 *
 *	frame 1 rule .cfa value
 *	frame 1 rule .cfa value - 8
 *	$rsp + 0x144
 */

struct lesson_operand {
	bool asks;			/* it begins with a query */
	struct query query;
	struct text rest;		/* "- 8", or the whole expression */
};

/**
 * Split an operand; the query is read, the expression is not. What is wrong is in `error` with its
 * place.
 */
enum error_code
operand_parse(const struct lesson_text *text, struct lesson_operand *operand, struct error *error);

/** Evaluate an operand. Texts of the answer live in `arena`. */
enum error_code
operand_value(const struct lesson_operand *operand, const struct lesson_scene *scene,
	      struct arena *arena, struct query_answer *answer, struct error *error);

/** Read an operand and evaluate it; errors have the text's place. */
enum error_code
operand_of(const struct lesson_text *text, const struct lesson_scene *scene, struct arena *arena,
	   struct query_answer *answer, struct error *error);

/** Whether the queries in all texts of a lesson can be read, and all brackets are closed. */
enum error_code
operand_check_texts(const struct lesson *lesson, struct error *error);

/**
 * A text of a lesson with the answers of its queries, words without brackets, and one blank for
 * each break but those between paragraphs. A query without an answer leaves "(?)". Lives in
 * `arena`; NULL when out of memory.
 */
const char *
operand_fill(const struct lesson_text *text, const struct lesson_scene *scene,
	     struct arena *arena);

/** Line `index` of a filled text in so many columns; false behind the last. */
bool
operand_filled_line(const char *filled, size_t columns, size_t index, struct text *line);

/** How many lines a filled text makes in so many columns. */
size_t
operand_filled_lines(const char *filled, size_t columns);

#endif
