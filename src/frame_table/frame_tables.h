/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_H
#define FRAME_TABLE_FRAME_TABLES_H

#include "frame_table/unwind_row.h"
#include "locate/binaries.h"

struct cfi_table;

/**
 * The unwind tables of a crash's modules. They are opened when they are needed; all threads may use
 * them. Rows of `.eh_frame`, `.debug_frame`, `.pdata`, `.ARM.exidx` and `__unwind_info` have one
 * form, so one method of the unwinder can use any of them.
 */

/**
 * The numbers of a module's tables, in the order of look-ups. `.pdata` is first because Windows
 * unwinds by it, and gcc's .debug_frame of a PE file has wrong rows in epilogues of functions with
 * alloca. `__unwind_info`, which macOS unwinds by, refers to entries of `.eh_frame`.
 */
enum {
	FRAME_TABLE_PDATA,
	FRAME_TABLE_COMPACT,		/* __unwind_info */
	FRAME_TABLE_EH,
	FRAME_TABLE_DEBUG,
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
	struct arch_wide wide;		/* a register that no walk follows; bank NULL: none */
};

/** The `*problem` of an entry that would take too much time or memory to run. */
extern const char frame_table_expensive[];

/**
 * The rules at an address, in `arena`. On failure returns NULL. `*problem` is then the reason if
 * the table cannot be read. It is NULL if no entry covers the address, if the module has no table,
 * or when out of memory.
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
 * The section and entries of `.eh_frame` or `.debug_frame` of a loaded module. They live as long as
 * `binaries`. NULL if no file has the section, for other tables, or if `binaries` is NULL.
 */
const struct cfi_table *
frame_tables_cfi(const struct binaries *binaries, size_t module, unsigned number);

/** The range of the entry, or of the gap between entries, that contains an address. */
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
 * Reads all rows of an existing table in ascending order, as walks find them. Rows of `.pdata` in
 * epilogues are derived from the machine code. Adjacent equal rows of an entry are joined. In some
 * tables, functions without an entry have a default row: it fills the gaps between entries, marked
 * `presumed`. If the rest of an entry cannot be read, its row has a `problem`. The entry of a row
 * begins at `begins`.
 */
struct frame_cursor {
	const struct binaries *binaries;
	size_t module;
	unsigned table;
	uint64_t at;			/* address of the next row */
	bool again;			/* frame_cursor_next keeps the current row */
	bool ended;
	bool expensive;			/* ended after too many look-ups */
	uint64_t left;			/* number of look-ups left */
	struct arena arena;		/* memory of the current row */
	struct unwind_row row;		/* valid until the next call */
};

/** Begin with the row at address 0. The caller frees the cursor's arena. */
void
frame_cursor_begin(struct frame_cursor *cursor, const struct binaries *binaries, size_t module,
		   unsigned table);

/** Continue with the row at or before `address` if an entry covers it, else with the next row. */
void
frame_cursor_seek(struct frame_cursor *cursor, uint64_t address);

/** Move `cursor->row` to the next row; false after the last row of the table. */
bool
frame_cursor_next(struct frame_cursor *cursor);

#endif
