/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/compiler.h"
#include "document/listing.h"

/**
 * Facts for people. A fact has a label, a text and a place in the input. Facts are shown as rows of
 * the explorer, as plain text or as a Markdown table.
 */
struct line {
	const char *label;		/* NULL: the line continues the fact of the line before */
	enum role label_role, role;
	struct text text; /* may hold bytes of an input; leading blanks indent all its rows */
	/* The bytes that prove the text; has no input if the text follows from other facts */
	struct place place;
	struct target target;		/* target of the line's rows; TARGET_NONE: `place` */
	const char *explanation;	/* one line; NULL: the text itself */
	bool is_name;			/* function name: cut as row_add_name does, never wrapped */
};

struct lines {
	struct arena *arena;
	enum role label_role;		/* role of the labels of lines added from now on */
	size_t label_column, text_column;
	/* Long texts are wrapped; false: they are cut */
	bool wraps;
	/* Columns of indent for the second and further rows of a text */
	size_t hang;
	bool shows_places;		/* places are written after the texts */
	struct target target;		/* target of lines added from now on */
	struct line *items;
	size_t count, capacity;
	const void *context;		/* for the caller */
};

/** Add a line; borrows `text`. NULL when out of memory, or if `text` is NULL. */
struct line *
lines_add(struct lines *lines, const char *label, enum role role, const char *text);

/** Add a line of formatted text. */
struct line *
lines_add_format(struct lines *lines, const char *label, enum role role, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** The lines as rows, wrapped at `columns` (0: not wrapped). Borrows `lines`. */
struct listing
lines_listing(const struct lines *lines, size_t columns, struct arena *arena);

/** The lines of a listing that lines_listing() made; NULL for any other listing. */
const struct lines *
lines_of(const struct listing *listing);

#endif
