/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_PIECE_H
#define SYMBOLS_PIECE_H

#include "system/file.h"
#include "symbols/classify.h"
#include "symbols/symbols.h"

/**
 * The pass over one piece of a symbol file.
 *
 * A file is read in pieces that several threads take one by one; what each found is put
 * together in the order of the file. A piece has the lines that begin in it. It is only fit
 * for what writers write: at the first thing that is out of order (a bad record, a line outside
 * of any function, a lone carriage return, a very long line) it gives up, and the piece is read
 * again by the exact pass of symfile_scan.c.
 */

/* Bytes of a block of the file whose first line is known. */
#define LINE_BLOCK ((uint64_t)16 << 10)
/* Bytes of a piece: enough rows to be worth a lock, few enough to share the last ones. */
#define PIECE_SIZE ((uint64_t)4 << 20)

/* The tables of an index. */
enum table_kind {
	TABLE_FUNC,
	TABLE_INIT,
	TABLE_WIN,		/* and four more, by the type of the record */
	TABLE_WIN_LAST = TABLE_WIN + 4,
	TABLE_PUBLIC,
	TABLE_FILE,
	TABLE_ORIGIN,
	TABLE_MODULE,
	TABLE_INFO,
	TABLE_DELTA,		/* only filled where they do not all follow their INIT record */
	TABLE_COUNT
};

/* What the index keeps of a record. */
struct index_row {
	unsigned table;		/* enum table_kind */
	uint64_t address, size;
};

/* The row of a record; false where it is malformed. MODULE and INFO never are. */
bool
index_row_of(enum symbol_record_kind kind, struct text text, struct index_row *row);

/* A record that was found. */
struct piece_row {
	uint64_t address;
	uint32_t size;
	uint32_t offset;	/* from the start of the piece */
};

/* Rows of one table that come one after the other. */
struct piece_run {
	uint32_t table;		/* enum table_kind */
	uint32_t count;
};

/* Whether a line belongs to a function. */
enum piece_state {
	PIECE_UNKNOWN,		/* as at the end of the piece before */
	PIECE_INSIDE,
	PIECE_OUTSIDE,
};

/* A STACK CFI INIT record and the deltas that follow it line by line, in ascending order. */
struct cfi_run {
	enum { CFI_NONE, CFI_HEAD, CFI_INIT } begins;	/* with nothing, the piece, an INIT */
	uint64_t line;		/* where the last line of it begins */
	uint64_t least, most;	/* where the next delta may be */
};

struct piece {
	uint64_t start, end;
	struct piece_row *rows;
	size_t row_count, row_capacity;
	struct piece_run *runs;		/* of all rows */
	size_t run_count, run_capacity;
	uint32_t feeds[PIECE_SIZE / LINE_BLOCK];	/* line feeds of each block */
	unsigned odd;			/* enum classify_odd */
	bool given_up;
	bool failed;			/* memory has run out */
	enum piece_state state;		/* at its end */
	bool bare;			/* lines that need a function come before the first FUNC */
	uint64_t delta_count;
	bool head;			/* it begins with deltas */
	uint64_t head_first, head_next;	/* their first address, and the least for one more */
	bool stray;			/* a delta stands elsewhere than behind its INIT */
	struct cfi_run tail;		/* what is going on in its last line */
};

/** What one thread works with. */
struct piece_reader;

/** NULL when out of memory. */
struct piece_reader *
piece_reader_create(const struct file *file, uint64_t size, classify_function *classify);

void
piece_reader_free(struct piece_reader *reader);

/** Make a piece empty, but for its room for rows. */
void
piece_reset(struct piece *piece, uint64_t start, uint64_t end);

/** Free it with its rows; NULL is none. */
void
piece_free(struct piece *piece);

/** Read the piece from piece->start to piece->end; the rest of it is empty. */
void
piece_read(struct piece_reader *reader, struct piece *piece);

#endif
