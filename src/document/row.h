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
 * One line of a report: spans of text, each with its role.
 *
 * A row is made once and filled again and again: row_init, then for each line row_clear and the
 * adders. Its text lives in the arena and is reused, so an arena for one row holds no more than its
 * longest lines need.
 *
 * All text is passed through text_printable. User names are replaced before the text is cut. So a
 * row can be painted or printed as it is. Escapes have ROLE_UNKNOWN. Columns count from 0 as in a
 * terminal. When out of memory the row stays short.
 *
 * Reports get the number of columns; 0 means "do not cut", for files, search and pipes.
 */
struct row_span {
	size_t start, length;	/* bytes of row.text */
	enum role role;
};

struct row {
	struct arena *arena;
	char *text;		/* NUL-terminated; NULL if nothing was added */
	size_t length, capacity;
	size_t width;		/* in columns */
	struct row_span *spans;	/* in order, without gaps, none empty */
	size_t span_count, span_capacity;
	char *scratch;		/* memory for a text before it is appended */
	size_t scratch_capacity;
	const char *cut_mark;	/* "~" by default; one column */
	struct user_names *names;	/* replaced in added text; NULL: none */
};

/** Initializer of an empty row whose text will live in an arena. */
#define ROW_IN(in) { .arena = (in), .cut_mark = "~" }

/**
 * Begin and end a role in an output with colours; no effect in other outputs. Roles do not nest.
 * Escapes are those of ECMA-48, because terminfo would need a terminal.
 */
void
row_role(const struct output *output, enum role role);

void
row_role_end(const struct output *output, enum role role);

/** Make `row` an empty row whose text will live in `arena`. */
void
row_init(struct row *row, struct arena *arena);

/** Make `row` empty again, keeping its memory, cut mark and names. */
void
row_clear(struct row *row);

void
row_add(struct row *row, enum role role, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

/** Append text that may hold any bytes. */
void
row_add_text(struct row *row, enum role role, struct text text);

/** Append a source line: a tab moves to the next multiple of `tab` columns. */
void
row_add_source(struct row *row, enum role role, struct text text, size_t tab);

/** Append text, cut to `columns` (0: not cut) at its end, or with `middle`, in its middle. */
void
row_add_cut(struct row *row, enum role role, size_t columns, bool middle, struct text text);

/** Append the name of a function, cut by text_cut_name to `columns` (0: not cut). */
void
row_add_name(struct row *row, enum role role, size_t columns, struct text name);

/** Append blanks until the row is `column` columns wide; none if it is wider. */
void
row_pad(struct row *row, size_t column);

/**
 * Append formatted text so that it ends at column `columns`, after at least one blank. After a
 * short row the text ends earlier, so that the eye does not lose the line. A row that is too long
 * is cut. If `columns` is 0, two blanks precede the text.
 */
void
row_add_right(struct row *row, enum role role, size_t columns, const char *format, ...)
	ATTRIBUTE_PRINTF(4, 5);

/** Widen a column to `wanted` columns, but not beyond `most`. */
static inline void
row_widen(size_t *width, size_t wanted, size_t most)
{
	wanted = wanted < most ? wanted : most;
	*width = wanted > *width ? wanted : *width;
}

/** Shorten the row to `columns`, ending with its cut mark. */
void
row_cut(struct row *row, size_t columns);

/** Like row_cut(), but cut after a whole word, unless a long part of the next word fits. */
void
row_cut_sentence(struct row *row, size_t columns);

/** The text without the roles; "" for an empty row. */
const char *
row_text(const struct row *row);

/** Write the row as a line without trailing blanks, and clear it. */
void
row_write(const struct output *output, struct row *row);

/** The text of one span. */
struct text
row_span_text(const struct row *row, size_t index);

/* Sentences are wrapped at blanks, and within words that are wider than a line ----------------- */

/** The number of lines of `text` in `columns`; at least one. */
size_t
row_wrap_count(struct text text, size_t columns);

/** Line `index` of the text, counted from 0; empty if the text has fewer lines. */
struct text
row_wrap_line(struct text text, size_t columns, size_t index);

#endif
