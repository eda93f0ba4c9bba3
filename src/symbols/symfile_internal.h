/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMFILE_INTERNAL_H
#define SYMBOLS_SYMFILE_INTERNAL_H

#include "base/limits.h"
#include "symbols/containment.h"
#include "symbols/symbols.h"

/**
 * What the parts of an opened symbol file share.
 *
 * The scan appends a row for each indexed record to a table, in the order of the file.
 * Views then say which rows are found: one of the whole file, one of the part that
 * Breakpad reads.
 */

/* Bytes of a block of the file whose first line is known. */
#define LINE_BLOCK ((uint64_t)16 << 10)
/* Bits of the packed place of a record: its length, then its offset. */
#define WHERE_LENGTH_BITS 24
#define WHERE_LENGTH_MAX ((UINT64_C(1) << WHERE_LENGTH_BITS) - 1)
#define WHERE_OFFSET_MAX ((UINT64_C(1) << (64 - WHERE_LENGTH_BITS)) - 1)

/* A record with a range: FUNC, STACK WIN, STACK CFI INIT. */
struct range_row {
	uint64_t address, size;
	uint64_t where;
};

/* A record with an address or a number: PUBLIC, STACK CFI, FILE, INLINE_ORIGIN; MODULE, INFO. */
struct point_row {
	uint64_t address;
	uint64_t where;
};

struct range_table {
	struct range_row *rows;
	size_t count, capacity;
};

struct point_table {
	struct point_row *rows;
	size_t count, capacity;
};

/* Rows of a range table that count, by address. */
struct range_index {
	uint32_t *order;	/* NULL: the rows as they stand */
	size_t count;
	struct span *dropped;	/* refused ones by address, only where `peaks` has been asked for */
	size_t dropped_count;
	uint64_t *dropped_lasts;
	struct peaks dropped_peaks;
};

/* Rows of a point table that count, by address. */
struct point_index {
	uint32_t *order;	/* NULL: the rows as they stand */
	size_t count;
};

#define STACK_WIN_TYPES 5u
/* Records shown that one look-up shadows; more of them say nothing new. */
#define SHADOWED_MAX 64u

struct symfile_view {
	uint64_t end;		/* what begins at or behind this offset is not there */
	struct range_index functions, inits;
	struct point_index publics, deltas, files, origins;
	struct segments win[STACK_WIN_TYPES];
};

/* The line that goes on at the start of a block. */
struct line_mark {
	uint64_t start;		/* offset of its first byte */
	uint32_t line;		/* lines before it */
};

/* Walks over lines; all that knows what ends one is in symfile_lines.c. */
struct line_finder {
	const char *data;
	uint64_t end;
	uint64_t next;		/* where the next line begins */
	uint64_t feed;		/* the next line feed, once looked for */
	uint64_t first_return;	/* the first carriage return of the file, or its end */
};

struct symfile {
	struct file file;
	bool borrowed;			/* the bytes belong to somebody else */
	const char *data;
	uint64_t size;			/* without NULs at the end */
	struct arena arena;
	struct message_list messages;
	struct symfile_identity identity;
	bool corrupt;

	uint64_t first_return, first_nul, first_ff;	/* offsets, or `size` */
	struct line_mark *marks;	/* one a block */
	uint32_t line_count;

	struct range_table functions, inits, win[STACK_WIN_TYPES];
	struct point_table publics, deltas, files, origins, modules, infos;

	uint64_t bad[LIMIT_SYMBOL_ERRORS + 1];	/* offsets of the first bad records */
	size_t bad_count;			/* kept in `bad` */

	struct symfile_view whole;
	struct symfile_view part;	/* what Breakpad reads; only where it stops early */
	bool stops;			/* it does */
};

static inline uint64_t
where_offset(uint64_t where)
{
	return where >> WHERE_LENGTH_BITS;
}

static inline uint32_t
where_length(uint64_t where)
{
	return (uint32_t)(where & WHERE_LENGTH_MAX);
}

/* The place of a record; one longer than the bits can say is taken to end there. */
static inline uint64_t
where_of(uint64_t offset, uint64_t length)
{
	return offset << WHERE_LENGTH_BITS |
	       (length > WHERE_LENGTH_MAX ? WHERE_LENGTH_MAX : length);
}

static inline struct text
symfile_text(const struct symfile *symfile, uint64_t where)
{
	return (struct text){ symfile->data + where_offset(where), where_length(where) };
}

static inline const struct symfile_view *
symfile_view(const struct symfile *symfile, const struct symbols_policy *policy)
{
	return policy->stop_as_breakpad && symfile->stops ? &symfile->part : &symfile->whole;
}

/* symfile_lines.c */

/* Start at `offset`, which is the start of a line. */
struct line_finder
line_finder_at(const struct symfile *symfile, uint64_t offset);

/* The next line without its end; false behind the last one. */
bool
line_next(struct line_finder *finder, uint64_t *start, uint64_t *length);

/* The offset of the first byte of the line that holds `offset`, which is in the file. */
uint64_t
symfile_line_start(const struct symfile *symfile, uint64_t offset);

/* Add a message; its place is only worked out where it is kept. */
void
symfile_report(const struct symfile *symfile, struct message_list *list, enum message_kind kind,
	       uint64_t where, const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

/* symfile_scan.c, symfile_index.c */

/* Fill the tables; false where memory ends. */
bool
symfile_scan(struct symfile *symfile);

/* Build the views from the tables; false where memory ends. */
bool
symfile_index(struct symfile *symfile);

void
symfile_view_free(struct symfile_view *view);

/* The row whose range covers `address`, or SPAN_NONE. */
uint32_t
range_find(const struct range_table *table, const struct range_index *index, uint64_t address);

/* The row with the greatest start at or below `address`, or SPAN_NONE. */
uint32_t
range_below(const struct range_table *table, const struct range_index *index, uint64_t address);

/* The row with the least start above `address`, or SPAN_NONE. */
uint32_t
range_above(const struct range_table *table, const struct range_index *index, uint64_t address);

/* How many of the rows that count have an address at or below `address`. */
size_t
point_rank(const struct point_table *table, const struct point_index *index, uint64_t address);

/* The row of a rank. */
uint32_t
point_row(const struct point_index *index, size_t rank);

/* The row with exactly this address or number, or SPAN_NONE. */
uint32_t
point_find(const struct point_table *table, const struct point_index *index, uint64_t address);

/* Refused functions around `address`, in the order of the file; at most `most` rows. */
size_t
symfile_dropped_around(const struct range_index *index, uint64_t address, uint32_t *rows,
		       size_t most);

/* symfile_function.c: the name that a FILE record gives a number, empty where there is none. */
struct text
symfile_file_name(const struct symfile *symfile, const struct symfile_view *view, uint64_t number);

/* symfile_body.c: lines and inlined calls of the function in `row`. */
void
symfile_body(const struct symfile *symfile, const struct symfile_view *view, uint32_t row,
	     uint64_t address, struct arena *arena, struct message_list *messages,
	     struct symbol *symbol);

#endif
