/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_H
#define REPORT_PROSE_PROSE_H

#include "report/step/step_view.h"

/**
 * A step told as a teacher would tell it: where it begins, what was tried and refused, each rule
 * with its arithmetic, what was saved where, what is only kept, lost or guessed, and the checks.
 *
 * All of it is made from the events of the trace; the sentences are a table, prose.def.
 */
enum prose_kind {
	PROSE_TITLE,
	PROSE_PARAGRAPH,
	PROSE_ITEM,		/* of a list */
	PROSE_FIGURE,		/* a line of arithmetic, or of a table */
};

struct prose_item {
	enum prose_kind kind;
	bool detail;		/* one token, one register: for a page that is stepped */
	uint32_t event;		/* of the trace: what has happened when this is told */
	const char *text;	/* printable; prose_next() finds the words of the glossary in it */
};

/** The explanations that a document has given, each once. Begin with all members 0. */
struct prose_told {
	const char *explanations[128];
	size_t count;
};

struct prose {
	const struct step_view *view;
	struct arena *arena;
	struct prose_item *items;
	size_t count, capacity;
	struct prose_told *told;	/* while it is made */
	uint32_t figure_event;		/* while it is made: of the lines that are added */
};

/**
 * Tell a step, whose whole walk is done; lives in `arena`. What was `told` in the document before
 * (NULL: nothing) is not explained again. NULL when out of memory.
 */
const struct prose *
prose_of(const struct step_view *view, struct prose_told *told, struct arena *arena);

/** A piece of a text: `term` is its word in the glossary, or empty. */
struct prose_piece {
	struct text text, term;
};

/** The next piece of an item's text from byte `*at` on, which moves behind it. False: the end. */
bool
prose_next(const char *text, size_t *at, struct prose_piece *piece);

/** An item's text without the marks of words, in `arena`; "" when out of memory. */
const char *
prose_plain(const char *text, struct arena *arena);

/* Arithmetic (prose_sum.c) -------------------------------------------------------------------- */

/**
 * Write a rule of the trace as people write arithmetic, a line (or several where one is too long)
 * for its result or for each assignment: ".cfa = $rsp + 48 = 0x7ffc + 0x30 = 0x802c". Each goes to
 * `add`.
 */
void
prose_sums(const struct step_view *view, uint32_t rule, struct arena *arena,
	   void (*add)(void *context, const char *line), void *context);

/** A value as sentences and sums have it: hexadecimal with 0x, below 10 the digit. */
const char *
prose_number(uint64_t value, struct arena *arena);

#endif
