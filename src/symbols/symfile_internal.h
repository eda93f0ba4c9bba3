/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SYMFILE_INTERNAL_H
#define SYMBOLS_SYMFILE_INTERNAL_H

#include <pthread.h>

#include "base/limits.h"
#include "base/policy_rows.h"
#include "symbols/containment.h"
#include "symbols/slice.h"
#include "symbols/strict.h"
#include "symbols/symbols.h"
#include "symbols/table.h"

/**
 * Declarations shared by the parts of an open symbol file.
 *
 * The scan adds a row for each indexed record to a table, in the order of the file. Views list the
 * rows that lookups find: one of the whole file, one of the part that Breakpad reads.
 */

/* Bits of the packed place of a record: its length, then its offset. */
#define WHERE_LENGTH_BITS 24
#define WHERE_LENGTH_MAX ((UINT64_C(1) << WHERE_LENGTH_BITS) - 1)
#define WHERE_OFFSET_MAX ((UINT64_C(1) << (64 - WHERE_LENGTH_BITS)) - 1)

#define STACK_WIN_TYPES 5u
/* Maximum number of shadowed records shown for one lookup. */
#define SHADOWED_MAX 64u

/* The rows in use, by address or number. Ranges do not overlap, and a number has one row. */
struct row_index {
	uint32_t *order;	/* NULL: the order of the table */
	size_t count;
};

struct symfile_view {
	uint64_t end;		/* records from this offset on are ignored */
	/* Rows of all tables except STACK WIN; deltas only if `scattered` */
	struct row_index rows[TABLE_COUNT];
	struct segments win[STACK_WIN_TYPES];
	struct span *dropped;	/* refused functions by address */
	size_t dropped_count;
	uint64_t *dropped_lasts;
	struct peaks dropped_peaks;
	/* bits of the tables whose lists belong to an index file or another reading */
	uint32_t borrowed;
};

/* Iterator over lines; symfile_lines.c defines line ends. */
struct line_finder {
	const char *data;
	uint64_t end;
	uint64_t next;
	uint64_t newline;		/* offset of the newline found last */
	uint64_t first_return;	/* offset of the file's first carriage return, or of its end */
	const struct version_lines *version;	/* NULL: the lines of the file */
	size_t changed;		/* index of the first changed line at or after `next` */
};

/* A line of the file that a version replaces. */
struct version_line {
	uint64_t offset, length;
	uint64_t next;			/* start of the following line */
	uint64_t at, end;		/* range of the new lines; empty: none */
};

/*
 * The replaced lines of a version. Offsets of new lines are above those of the file, and each new
 * line ends with a line feed.
 */
struct version_lines {
	struct version_line *lines;	/* sorted by offset */
	size_t count;
	char *text;
	uint64_t start;			/* the offset of the text */
};

/* The part of the state that an index file stores unchanged. */
struct symfile_found {
	uint64_t size;			/* size without NULs at the end */
	uint64_t first_return, first_nul, first_ff;	/* offsets; `size`: none */
	uint64_t delta_count;
	uint32_t line_count;
	uint32_t corrupt;		/* whether Breakpad would call the file corrupt */
	/*
	 * Whether some delta does not follow its INIT record, or some INIT record is unused. If so,
	 * the deltas have a table; else they are read with their INIT record.
	 */
	uint32_t scattered;
	uint32_t stops;			/* whether Breakpad stops early */
};

/* The file as rust-minidump reads it, made on demand. */
struct strict_reading {
	pthread_mutex_t mutex;
	bool done, refused;
	/* NULL: out of memory, or version of a refused file. If `refused`, it has only messages */
	struct symfile *symfile;
};

struct symfile {
	uint64_t number;		/* unique among all opened files */
	struct file file;
	bool borrowed;			/* the bytes belong to the caller */
	const char *data;
	struct arena arena;
	struct message_list messages;
	struct symfile_identity identity;
	struct symfile_found found;
	bool strict;			/* it is a strict reading */
	/* for a strict reading or a version: the file whose bytes and lines it uses */
	const struct symfile *base;
	const struct version_lines *version;	/* NULL: not a version */
	struct strict_reading *reading;
	struct kept_functions *kept;	/* NULL: no cache */
	uint32_t *block_lines;		/* number of lines that end before each block */
	struct table tables[TABLE_COUNT];

	struct file index;		/* index file in use, or empty */
	struct index_key *key;		/* key of the file as opened; NULL: do not save an index */
	char *directory;		/* directory of index files */
	pthread_t writer;		/* thread that saves the index */
	bool writing;

	uint64_t bad[LIMIT_SYMBOL_ERRORS + 1];	/* offsets of the first bad records */
	size_t bad_count;

	struct symfile_view whole;
	struct symfile_view part;	/* the part that Breakpad reads, if it stops early */
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

/* The packed place of a record; a longer record is cut to the bits available. */
static inline uint64_t
where_of(uint64_t offset, uint64_t length)
{
	return offset << WHERE_LENGTH_BITS |
	       (length > WHERE_LENGTH_MAX ? WHERE_LENGTH_MAX : length);
}

/* Whether an offset belongs to a line that only a version has. */
static inline bool
symfile_is_new(const struct symfile *symfile, uint64_t offset)
{
	return symfile->version != NULL && offset >= symfile->version->start;
}

static inline struct text
symfile_text(const struct symfile *symfile, uint64_t where)
{
	const uint64_t offset = where_offset(where);
	const char *start = symfile_is_new(symfile, offset)
				    ? symfile->version->text + (offset - symfile->version->start)
				    : symfile->data + offset;

	return (struct text){ start, where_length(where) };
}

static inline uint64_t
row_address(const struct symfile *symfile, enum table_kind table, size_t row)
{
	return table_address(&symfile->tables[table], row);
}

static inline uint64_t
row_size(const struct symfile *symfile, enum table_kind table, size_t row)
{
	return table_size(&symfile->tables[table], row);
}

static inline const struct symfile_view *
symfile_view(const struct symfile *symfile, const struct policy *policy)
{
	return policy->value[POLICY_SYMBOL_ERROR_LIMIT] == 1 && symfile->found.stops
		       ? &symfile->part : &symfile->whole;
}

/* symfile_version.c */

/* The index of the changed line whose new lines include `offset`. */
size_t
version_line_of(const struct version_lines *version, uint64_t offset);

/* The offset in the file: the offset of the replaced line for a new line, else `offset`. */
static inline uint64_t
symfile_origin(const struct symfile *symfile, uint64_t offset)
{
	return symfile_is_new(symfile, offset)
		       ? symfile->version->lines[version_line_of(symfile->version, offset)].offset
		       : offset;
}

/* The place of a record; for a record of a new line, the place of the line that it replaces. */
static inline uint64_t
symfile_told(const struct symfile *symfile, uint64_t where)
{
	if (!symfile_is_new(symfile, where_offset(where)))
		return where;
	const struct version_line *line =
		&symfile->version->lines[version_line_of(symfile->version, where_offset(where))];
	return where_of(line->offset, line->length);
}

/* Number of rows of a table before `end`, an offset in the file. */
size_t
symfile_rows_before(const struct symfile *symfile, enum table_kind table, uint64_t end);

/* A version of `from` with the lines of `version`; NULL when out of memory. */
struct symfile *
symfile_version_of(const struct symfile *from, const struct version_lines *version);

/* symfile.c */

/* An empty symbol file; NULL when out of memory. */
struct symfile *
symfile_create(struct error *error);

/* Whether lookups in a strict reading need a record; `*row` is the record's row. */
bool
symfile_strict_row(const struct symbol_record *record, struct index_row *row);

/* Whether a strict reading skips the line that begins at `offset`. */
static inline bool
symfile_left_out(const struct symfile *symfile, uint64_t offset)
{
	const struct table *table = &symfile->tables[TABLE_LEFT_OUT];
	const size_t row = symfile->strict ? table_rows_before(table, offset) : table->count;

	return row < table->count && table_offset(table, row) == offset;
}

/* symfile_lines.c */

/* The place of the record in a row. Searches for the end of the record to find its length. */
uint64_t
row_where(const struct symfile *symfile, enum table_kind table, size_t row);

/* The place of the record that begins at `offset`. */
uint64_t
symfile_where_at(const struct symfile *symfile, uint64_t offset);

/* An iterator that starts at `offset`, the start of a line. */
struct line_finder
line_finder_at(const struct symfile *symfile, uint64_t offset);

/* The next line without its end. False after the last one. */
bool
line_next(struct line_finder *finder, uint64_t *start, uint64_t *length);

/* The start of the line that contains `offset`. `offset` must be in the file. */
uint64_t
symfile_line_start(const struct symfile *symfile, uint64_t offset);

/* Number of line ends in [from, to). */
uint64_t
line_ends_between(const struct symfile *symfile, uint64_t from, uint64_t to);

/* Add a message; its place is computed only if the message is kept. */
void
symfile_report(struct symfile *symfile, enum message_kind kind, uint64_t where, const char *format,
	       ...) ATTRIBUTE_PRINTF(4, 5);

/* symfile_scan.c, symfile_index.c */

/* How to read a file; all members may be zero. */
struct scan_options {
	unsigned threads;		/* 0: one for each core, up to a limit */
	uint64_t slice_size;		/* a multiple of LINE_BLOCK; 0: SLICE_SIZE, the largest */
	bool exact;			/* read every slice as if it had something unusual */
	symfile_progress *progress;	/* NULL: none */
	void *context;
};

/* Fill the tables. Returns ERROR_NONE, ERROR_MEMORY or ERROR_CANCELLED. */
enum error_code
symfile_scan(struct symfile *symfile, const struct scan_options *options);

/* symfile_from_memory() with options. */
enum error_code
symfile_scan_memory(struct symfile **symfile, const char *name, const void *bytes, size_t size,
		    const struct scan_options *options, struct error *error);

/* Fill a table with the STACK CFI deltas at or after `from`; false when out of memory. */
bool
symfile_scan_deltas(const struct symfile *symfile, uint64_t from, struct table *deltas);

/* Build the views from the tables. False when out of memory. */
bool
symfile_index(struct symfile *symfile);

/* Rebuild one list of each view after its table changed. False when out of memory. */
bool
symfile_index_table(struct symfile *symfile, enum table_kind table);

/* Make refused functions findable by address; false when out of memory. */
bool
symfile_view_finish(struct symfile_view *view);

void
symfile_view_free(struct symfile_view *view);

/* Number of rows in use with an address or number up to `address`. */
size_t
rows_rank(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	  uint64_t address);

/* The row of rank `rank` among the rows in use. */
uint32_t
rows_at(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	size_t rank);

/* The row with the greatest start at or below `address`, or SPAN_NONE. */
uint32_t
rows_below(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	   uint64_t address);

/* The row whose range covers `address`, or SPAN_NONE. */
uint32_t
rows_covering(const struct symfile *symfile, const struct symfile_view *view,
	      enum table_kind table, uint64_t address);

/* The row with exactly this number, or SPAN_NONE. */
uint32_t
rows_numbered(const struct symfile *symfile, const struct symfile_view *view,
	      enum table_kind table, uint64_t number);

/* Refused functions around `address`, in the order of the file; at most SHADOWED_MAX rows. */
size_t
symfile_dropped_around(const struct symfile_view *view, uint64_t address,
		       uint32_t rows[SHADOWED_MAX]);

#endif
