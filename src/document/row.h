/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_ROW_H
#define DOCUMENT_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/text.h"
#include "base/output.h"
#include "document/role.h"

/**
 * One line of a report: pieces of text, each with its role.
 *
 * A row is made once and filled again and again: row_init, then for each line
 * row_clear and the adders. Its text lives in the arena and is reused, so an
 * arena that serves one row holds no more than its longest lines need.
 *
 * Everything that is added passes text_printable, and names of users are replaced in it before it
 * is cut, so a row may be painted or printed as it is; what had to be escaped gets ROLE_UNKNOWN.
 * Columns count from 0 as a terminal counts them. When out of memory the row stays short.
 *
 * Reports take the columns that there are; 0 means "do not cut", for files,
 * search and pipes.
 */
struct row_span {
	size_t start, length;	/* bytes of row.text */
	enum role role;
};

struct row {
	struct arena *arena;
	char *text;		/* terminated; NULL while nothing was added */
	size_t length, capacity;
	size_t width;		/* columns of the text */
	struct row_span *spans;	/* in order, without gaps, none empty */
	size_t span_count, span_capacity;
	char *scratch;		/* for making a text before it is appended */
	size_t scratch_capacity;
	const char *cut_mark;	/* "~" by default; one column */
	struct user_names *names;	/* replaced in all that is added; NULL: none */
};

/** What an empty row begins with whose text will live in an arena. */
#define ROW_IN(in) { .arena = (in), .cut_mark = "~" }

/** An empty row whose text will live in `arena`. */
void
row_init(struct row *row, struct arena *arena);

/** Make `row` empty again, keeping its memory, cut mark and names. */
void
row_clear(struct row *row);

/** Append formatted text. */
void
row_add(struct row *row, enum role role, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/** Append text that may hold any bytes. */
void
row_add_text(struct row *row, enum role role, struct text text);

/** row_add_text() of a source line: a tab moves to the next multiple of `tab` columns. */
void
row_add_source(struct row *row, enum role role, struct text text, size_t tab);

/**
 * Append text cut to `columns` (0: not cut) with the row's cut mark, in the middle
 * where `middle` is set.
 */
void
row_add_cut(struct row *row, enum role role, size_t columns, bool middle, struct text text);

/** Append the name of a function, cut by text_cut_name to `columns` (0: not cut). */
void
row_add_name(struct row *row, enum role role, size_t columns, struct text name);

/** Append blanks until the row is `column` columns wide; none where it is already. */
void
row_pad(struct row *row, size_t column);

/**
 * Append formatted text so that it ends at `columns`, with at least one blank
 * before it, but not so far from a short row that the eye loses the line; cuts the row
 * that is there where it must. Where `columns` is 0 two
 * blanks separate it.
 */
void
row_add_right(struct row *row, enum role role, size_t columns, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** Make a column `wanted` columns wide if it is narrower, but no wider than `most`. */
static inline void
row_widen(size_t *width, size_t wanted, size_t most)
{
	wanted = wanted < most ? wanted : most;
	*width = wanted > *width ? wanted : *width;
}

/** Shorten the row to `columns`, with its cut mark in the place of what is lost. */
void
row_cut(struct row *row, size_t columns);

/** row_cut(), between two words where there are short ones. */
void
row_cut_sentence(struct row *row, size_t columns);

/** The text without the roles; "" for an empty row. */
const char *
row_text(const struct row *row);

/** Write the row as a line without the spaces at its end, and make it empty again. */
void
row_write(const struct output *output, struct row *row);

/** The text of one span. */
struct text
row_span_text(const struct row *row, size_t index);

#endif
