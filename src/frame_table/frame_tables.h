/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_H
#define FRAME_TABLE_FRAME_TABLES_H

#include "frame_table/unwind_row.h"
#include "locate/binaries.h"

struct cfi_table;

/**
 * The tables of call frame information of a crash's modules, opened when they are needed. All
 * threads may use them. The rows of `.eh_frame` and `.debug_frame`, of `.pdata`, `.ARM.exidx` and
 * `__unwind_info` have one form, so that the rest of the program has one method for all.
 */

/**
 * The tables of one module's files by their numbers: the order of look-ups. Windows itself unwinds
 * by `.pdata`, and macOS by `__unwind_info`, which leads to entries of `.eh_frame`. gcc's
 * .debug_frame of a PE file has wrong rows in epilogues of functions with alloca.
 */
enum {
	FRAME_TABLE_PDATA,
	FRAME_TABLE_COMPACT,		/* __unwind_info */
	FRAME_TABLE_EH,			/* .eh_frame */
	FRAME_TABLE_DEBUG,		/* .debug_frame */
	FRAME_TABLE_EXIDX,
	FRAME_TABLES
};

/** Whether a loaded module has a table in its file. False on NULL. */
bool
frame_tables_has(const struct binaries *binaries, size_t module);

/** A look-up of the row for an address in a loaded module. */
struct frame_table_question {
	size_t module;
	uint64_t relative;		/* address relative to the module's base */
	bool exact;			/* the thread stopped there; false: a return address */
	/* The only table to search; FRAME_TABLES: all, in their order */
	unsigned table;
	struct arch_wide wide;		/* a register that no walk follows; without a bank: none */
};

/** `*problem` if an entry is not run because that would take too much time or memory. */
extern const char frame_table_expensive[];

/**
 * The rules at an address, in `arena`. NULL with a reason in `*problem` if the table cannot be
 * read; NULL with `*problem` NULL if no entry covers the address, the module has no table, or when
 * out of memory.
 */
const struct unwind_row *
frame_tables_find(const struct binaries *binaries, const struct frame_table_question *question,
		  struct arena *arena, const char **problem);

/** The name of a table by its number: ".eh_frame". */
const char *
frame_tables_name(unsigned number);

/** The file with table `number` of a loaded module; NULL: none, or `binaries` is NULL. */
const struct binary *
frame_tables_file(const struct binaries *binaries, size_t module, unsigned number);

/**
 * `.eh_frame` or `.debug_frame` of a loaded module with the list of its entries, which live as long
 * as `binaries`; NULL if no file has it, for other tables, and without `binaries`.
 */
const struct cfi_table *
frame_tables_cfi(const struct binaries *binaries, size_t module, unsigned number);

/** The range around an address in one table: that of an entry, or of a gap. */
struct frame_extent {
	bool entry;			/* true: one entry covers the range; false: none does */
	uint64_t first, last;		/* relative to the module */
	uint64_t offset;		/* offset of the entry in its ELF section; 0: unknown */
};

/** The entry around `relative` in an existing table, or the gap between two. */
void
frame_tables_extent(const struct binaries *binaries, size_t module, unsigned number,
		    uint64_t relative, struct frame_extent *extent);

/**
 * A reader of all rows of an existing table, in ascending order, as walks find them. In epilogues,
 * rows of `.pdata` result from the machine code; adjacent equal rows of an entry are joined. Some
 * tables have a row for functions without an entry; a gap between entries then gives that row,
 * which is `presumed`. `begins` is the beginning of a row's entry. A row with a `problem` is the
 * rest of an entry that cannot be read.
 */
struct frame_cursor {
	const struct binaries *binaries;
	size_t module;
	unsigned table;
	uint64_t at;			/* where the next row begins */
	bool again;			/* next returns the current row again */
	bool ended;
	bool expensive;			/* ended because it made too many look-ups */
	uint64_t left;			/* look-ups that it may still make */
	struct arena arena;		/* memory of the current row */
	struct unwind_row row;		/* valid until the next call */
};

/** Begin with the row at address 0. Free the cursor's arena. */
void
frame_cursor_begin(struct frame_cursor *cursor, const struct binaries *binaries, size_t module,
		   unsigned table);

/** Continue with the row at or before `address` if an entry covers it, else with the next row. */
void
frame_cursor_seek(struct frame_cursor *cursor, uint64_t address);

/** Make `cursor->row` the next row; false after the last one. */
bool
frame_cursor_next(struct frame_cursor *cursor);

#endif
