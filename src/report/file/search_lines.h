/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_SEARCH_LINES_H
#define REPORT_FILE_SEARCH_LINES_H

#include "document/listing.h"

/**
 * Lines of text with a word at their left: what the reports of searches are made of.
 */
struct search_line {
	const char *label;		/* NULL: the line goes on with what is above it */
	enum role role;
	const char *text;		/* blanks at its beginning indent all its rows */
	struct target target;		/* where its rows lead */
};

struct search_lines {
	struct arena *arena;		/* that texts live in, too */
	struct target target;		/* that lines get which are added now */
	struct search_line *items;
	size_t count, capacity;
};

/** Add a line; nothing with `text` NULL, since memory ended. */
void
search_lines_add(struct search_lines *lines, const char *label, enum role role, const char *text);

/** The lines beneath a title. */
struct search_lines_options {
	const struct search_lines *lines;
	/* Fills the title's row. */
	void (*title)(const void *context, struct row *row);
	const void *context;
	const char *whole;		/* the title's explanation */
	struct target target;		/* where the title leads */
	size_t columns;			/* that lines are wrapped for; 0: not wrapped */
};

/** A listing of a title and lines, in `arena`; it borrows what the options name. */
struct listing
search_lines_listing(const struct search_lines_options *options, struct arena *arena);

#endif
