/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_OPERAND_H
#define LESSON_OPERAND_H

#include "inspect/query.h"
#include "inspect/surroundings.h"
#include "lesson/lesson.h"

/** The place where a lesson is played: a column of place_words.def. */
enum lesson_place {
	LESSON_IN_EXPLORER,
	LESSON_IN_TEXT,
	LESSON_IN_PAGE,
};

/** The crash of a lesson, walked without edits, and the current card's place in it. */
struct lesson_scene {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;
	struct surroundings *around;
	struct policy policy;
	struct walk **walks;		/* a walk for each thread, made on first use */
	struct walk *walk;		/* walk of the card's thread */
	size_t thread;			/* number of the thread in the walk's output */
	size_t frame;			/* the card's frame, whose registers expressions use */
	enum lesson_place place;
};

/**
 * Begin at the first frame of thread `thread` (index in crash->threads). Arguments are
 * borrowed. False when out of memory; lesson_scene_close is needed in any case.
 */
bool
lesson_scene_open(struct lesson_scene *scene, struct surroundings *around,
		  const struct policy *policy, size_t thread);

void
lesson_scene_close(struct lesson_scene *scene);

/**
 * Go to the place in the `at` of a card: "thread 2; frame 1". "goto" may precede each. Stay if the
 * card names no place. False: the crash has no such thread or frame, or out of memory.
 */
bool
lesson_scene_go(struct lesson_scene *scene, const struct lesson_card *card);

/**
 * Values in a lesson: a query, a query plus or minus a term, or an expression.
 *
 *	frame 1 rule .cfa value
 *	frame 1 rule .cfa value - 8
 *	$rsp + 0x144
 */

struct lesson_operand {
	bool asks;			/* the operand begins with a query */
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

/** The value of an expression with the registers of the scene's frame. */
struct expression
operand_expression(const struct lesson_scene *scene, struct text text, struct arena *arena);

/** Parse and evaluate an operand; errors have the text's place. */
enum error_code
operand_of(const struct lesson_text *text, const struct lesson_scene *scene, struct arena *arena,
	   struct query_answer *answer, struct error *error);

/** Check that the queries in all texts of a lesson are valid and all brackets closed. */
enum error_code
operand_check_texts(const struct lesson *lesson, struct error *error);

/** The words of place_words.def for a place; NULL: the table has no such word. */
const char *
operand_place_words(struct text word, enum lesson_place place);

/**
 * Fill in a text of a lesson: words of its place, answers of its queries, terms without brackets,
 * and blanks for breaks within a paragraph. A query without an answer becomes "(?)". The result
 * lives in `arena`; NULL when out of memory.
 */
const char *
operand_fill(const struct lesson_text *text, const struct lesson_scene *scene,
	     struct arena *arena);

/** Line `index` of a filled text at this width. False after the last line. */
bool
operand_filled_line(const char *filled, size_t columns, size_t index, struct text *line);

#endif
