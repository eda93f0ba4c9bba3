/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SLICE_H
#define SYMBOLS_SLICE_H

#include "system/file.h"
#include "symbols/records.h"

/**
 * The pass over one slice of a symbol file.
 *
 * Several threads read slices of a file; the results are merged in the order of the file. A slice
 * has the lines that begin in it. The pass handles only usual output of writers. At the first
 * oddity (a bad record, a line outside of any function, a lone carriage return, a very long line)
 * it gives up. The exact pass in symfile_scan.c then reads the slice again.
 */

/* Bytes of a block of the file; the number of each block's first line is stored. */
#define LINE_BLOCK ((uint64_t)16 << 10)
/* Bytes of a slice: large enough to justify a lock, small enough to balance the threads. */
#define SLICE_SIZE ((uint64_t)4 << 20)

enum table_kind {
	TABLE_FUNC,
	TABLE_INIT,
	TABLE_WIN,		/* five tables, by the type of the record */
	TABLE_WIN_LAST = TABLE_WIN + 4,
	TABLE_PUBLIC,
	TABLE_FILE,
	TABLE_ORIGIN,
	TABLE_MODULE,
	TABLE_INFO,
	TABLE_LEFT_OUT = TABLE_INFO,	/* strict reading: lines that are too long */
	TABLE_DELTA,		/* filled only if some deltas do not follow their INIT record */
	TABLE_COUNT
};

struct index_row {
	unsigned table;		/* enum table_kind */
	uint64_t address, size;
};

/* The row of a record. False if the record is malformed. MODULE and INFO are never malformed. */
bool
index_row_of(enum symbol_record_kind kind, struct text text, struct index_row *row);

/* The row of a record that was already read. */
bool
index_row_from(const struct symbol_record *record, struct index_row *row);

struct slice_row {
	uint64_t address;
	uint32_t size;
	uint32_t offset;	/* offset from the start of the slice */
	uint32_t table;		/* enum table_kind */
};

/* Whether a line belongs to a function. */
enum slice_state {
	SLICE_UNKNOWN,		/* as at the end of the previous slice */
	SLICE_INSIDE,
	SLICE_OUTSIDE,
};

/* A STACK CFI INIT record and the deltas that follow it line by line, in ascending order. */
struct cfi_run {
	enum { CFI_NONE, CFI_HEAD, CFI_INIT } begins;	/* nowhere; at slice start; at an INIT */
	uint64_t line;		/* start of its last line */
	uint64_t least, most;	/* allowed addresses of the next delta */
};

/* Bytes that change how a file is read. */
enum slice_odd {
	SLICE_RETURN = 1,
	SLICE_NUL = 2,
	SLICE_FF = 4,
};

struct slice {
	uint64_t start, end;
	struct slice_row *rows;
	size_t row_count, row_capacity;
	uint32_t newlines[SLICE_SIZE / LINE_BLOCK];	/* newlines of each block */
	unsigned odd;			/* bits of enum slice_odd */
	bool given_up;
	bool failed;			/* out of memory */
	enum slice_state state;		/* state at the end of the slice */
	bool bare;			/* lines that need a function precede the first FUNC */
	uint64_t delta_count;
	bool head;			/* the slice begins with deltas */
	/* Address of the first delta; lowest allowed address of a delta after these deltas */
	uint64_t head_first, head_next;
	bool stray;			/* a delta does not follow its INIT record */
	struct cfi_run tail;		/* state after the last line of the slice */
};

/** The state of one thread that reads slices. */
struct slice_reader;

/** NULL when out of memory. */
struct slice_reader *
slice_reader_create(const struct file *file, uint64_t size);

void
slice_reader_free(struct slice_reader *reader);

/** Empty a slice but keep its memory for rows. */
void
slice_reset(struct slice *slice, uint64_t start, uint64_t end);

/** Free a slice with its rows. NULL is allowed. */
void
slice_free(struct slice *slice);

/** Read the bytes from slice->start to slice->end into the empty slice. */
void
slice_read(struct slice_reader *reader, struct slice *slice);

#endif
