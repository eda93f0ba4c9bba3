/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/compiler.h"
#include "document/listing.h"

/**
 * Facts for people: a label, a text and what says so, made at once and shown as rows of the
 * explorer, as plain text or as a table of Markdown.
 */
struct line {
	const char *label;		/* NULL: the line goes on with the fact above it */
	enum role label_role, role;
	struct text text; /* may hold bytes of an input; blanks at its beginning indent
					   all its rows */
	/* The bytes that say so; none: the text follows from others */
	struct place place;
	struct target target;		/* where its rows lead; TARGET_NONE: to the place */
	const char *explanation;	/* in one line; NULL: the text */
	bool is_name;			/* of a function: cut as row_add_name does, never wrapped */
};

struct lines {
	struct arena *arena;
	enum role label_role;		/* of lines that are added */
	size_t label_column, text_column;
	/* Texts take several rows if need be; false: they are cut */
	bool wraps;
	/* Columns by which all rows of a text but the first are moved in */
	size_t hang;
	bool shows_places;		/* behind the texts */
	struct target target;		/* of lines that are added */
	struct line *items;
	size_t count, capacity;
	/* Fills a row above the lines, which leads to `title_target`; NULL: there is none. */
	void (*title)(const void *context, struct row *row);
	const void *context;
	const char *title_explanation;
	struct target title_target;
};

/** Lines that are added from now on lead to `target`. Returns `lines`. */
struct lines *
lines_lead_to(struct lines *lines, struct target target);

/** Add a line, whose text is borrowed. NULL when out of memory, or if `text` is NULL for that. */
struct line *
lines_add(struct lines *lines, const char *label, enum role role, const char *text);

/** Add a line of formatted text. */
struct line *
lines_add_format(struct lines *lines, const char *label, enum role role, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** The lines as rows, wrapped for `columns` (0: any width). It borrows `lines`. */
struct listing
lines_listing(const struct lines *lines, size_t columns, struct arena *arena);

/** The lines that a listing of lines_listing() was made of; NULL: it is another one. */
const struct lines *
lines_of(const struct listing *listing);

#endif
