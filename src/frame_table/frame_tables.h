/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_H
#define FRAME_TABLE_FRAME_TABLES_H

#include "locate/binaries.h"
#include "crash/arch.h"

struct cfi_table;

/**
 * The rules for one address in a table of call frame information of a module's file, as postfix.
 *
 * The rows of `.eh_frame` and `.debug_frame`, of `.pdata` and of `.ARM.exidx` have one form, so
 * that the rest of the program has one method for all.
 */
struct frame_table_rule {
	int reg;			/* register of the architecture */
	const char *expression;		/* postfix; NULL: postfix cannot express it */
	const char *cannot;		/* why not */
};

struct frame_table_row {
	const char *table;		/* ".eh_frame" */
	/* Addresses for which the row holds, relative to the module */
	uint64_t first, last;
	struct place place;		/* of the entry; without an input: unknown */
	bool outermost;			/* the return address is undefined: no caller */
	bool signal;			/* the caller was interrupted */
	bool in_register;		/* the return address is in a register that calls change */
	const char *note;		/* an oddity and how it is read; NULL: none */
	struct frame_table_rule cfa, return_address;
	struct frame_table_rule *rules;	/* of other registers that the row mentions */
	size_t count;
	/* The wanted floating-point or vector register */
	enum {
		FRAME_WIDE_UNTOLD,	/* the row, or its reader, does not have its place */
		FRAME_WIDE_UNSAID,	/* the row has no rule for it: the ABI decides */
		FRAME_WIDE_SAVED	/* at the CFA plus `wide_offset` */
	} wide;
	int64_t wide_offset;
};

/* The tables of a crash's modules, opened when they are needed. Any thread may call. */

/** The tables of one module's files by their numbers: the order of look-ups. */
enum {
	FRAME_TABLE_EH,			/* .eh_frame */
	FRAME_TABLE_DEBUG,		/* .debug_frame */
	FRAME_TABLE_PDATA,
	FRAME_TABLE_EXIDX,
	FRAME_TABLES
};

/** Whether a loaded module has a table in its file. False on NULL. */
bool
frame_tables_has(const struct binaries *binaries, size_t module);

/** The address in a loaded module whose row is wanted. */
struct frame_table_question {
	size_t module;
	uint64_t relative;		/* to the module's base */
	bool exact;			/* stopped there; else within the call that it made */
	unsigned table;			/* to search; FRAME_TABLES: all in their order */
	struct arch_wide wide;		/* a register that no walk follows; without a bank: none */
};

/** `*problem` of an entry that is not run because that would take too much time or memory. */
extern const char frame_table_expensive[];

/**
 * The rules at an address, in `arena`. NULL if no entry covers it, the module has no table, it
 * cannot be read (only then `*problem` says why, else it is NULL) or out of memory.
 */
const struct frame_table_row *
frame_tables_find(const struct binaries *binaries, const struct frame_table_question *question,
		  struct arena *arena, const char **problem);

/** The name of a table by its number: ".eh_frame". */
const char *
frame_tables_name(unsigned number);

/** The file that has table `number` of a loaded module, or NULL. NULL on NULL. */
const struct binary *
frame_tables_file(const struct binaries *binaries, size_t module, unsigned number);

/**
 * `.eh_frame` or `.debug_frame` of a loaded module with the list of its entries, which live as long
 * as `binaries`; NULL if no file has it, or for other tables. NULL on NULL.
 */
const struct cfi_table *
frame_tables_cfi(const struct binaries *binaries, size_t module, unsigned number);

/** The range around an address in one table. */
struct frame_extent {
	bool entry;			/* true: one entry covers the range; false: none does */
	uint64_t first, last;		/* relative to the module */
	uint64_t offset;		/* of an entry of ELF in its section; 0: unknown */
	/* The linker's index, if any, leads to the entry */
	bool led_to;
};

/** The entry around `relative` in an existing table, or the gap between two. */
void
frame_tables_extent(const struct binaries *binaries, size_t module, unsigned number,
		    uint64_t relative, struct frame_extent *extent);

/**
 * The next address to look up in one table after a question with the row `row`, so that all rows
 * are visited: those of .pdata differ in epilogues, which only the code shows.
 */
uint64_t
frame_tables_next(const struct binaries *binaries, const struct frame_table_question *question,
		  const struct frame_table_row *row);

#endif
