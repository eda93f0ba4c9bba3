/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_TABLES_H
#define FRAME_TABLE_FRAME_TABLES_H

#include "locate/binaries.h"
#include "crash/arch.h"

struct cfi_table;

/**
 * What a table of call frame information in a module's own file says of one address, as postfix.
 *
 * The rows of `.eh_frame` and `.debug_frame`, of `.pdata` and of `.ARM.exidx` have one form, so
 * that the rest of the program has one method for all.
 */
struct frame_table_rule {
	int reg;			/* register of the architecture */
	const char *expression;		/* postfix; NULL: it cannot be written so */
	const char *cannot;		/* why not */
};

struct frame_table_row {
	const char *table;		/* ".eh_frame" */
	/* Addresses that the row holds for, relative to the module */
	uint64_t first, last;
	struct place place;		/* of the entry; without an input: not known */
	bool outermost;			/* the return address is undefined: no caller */
	bool signal;			/* the caller was interrupted */
	bool in_register;		/* the return address is in a register that calls change */
	const char *note;		/* what is odd in it, and how it is read; NULL: nothing */
	struct frame_table_rule cfa, return_address;
	struct frame_table_rule *rules;	/* of other registers that the row mentions */
	size_t count;
	/* The floating-point or vector register that was asked for */
	enum {
		FRAME_WIDE_UNTOLD,	/* the row, or its reader, does not tell where it is */
		FRAME_WIDE_UNSAID,	/* the row has no rule for it: as the ABI has it */
		FRAME_WIDE_SAVED	/* at the CFA plus `wide_offset` */
	} wide;
	int64_t wide_offset;
};

/* The tables of a crash's modules, opened when they are needed. Any thread may ask. */

/** Tables that the files of one module may have, by their numbers: the order of asking. */
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

/** The place in a loaded module whose row is asked for. */
struct frame_table_question {
	size_t module;
	uint64_t relative;		/* to the module's base */
	bool exact;			/* stopped there; else within the call that it made */
	unsigned table;			/* to ask; FRAME_TABLES: all in their order */
	struct arch_wide wide;		/* a register that no walk follows; without a bank: none */
};

/** `*problem` of an entry that is not run since that would take too much time or memory. */
extern const char frame_table_expensive[];

/**
 * The rules at a place, in `arena`; NULL where no entry covers it, the module has no table, it
 * cannot be read (`*problem` says why then, else it is NULL) or out of memory.
 */
const struct frame_table_row *
frame_tables_find(const struct binaries *binaries, const struct frame_table_question *question,
		  struct arena *arena, const char **problem);

/** The name of a table by its number: ".eh_frame". */
const char *
frame_tables_name(unsigned number);

/** The file that has table `number` of a loaded module; NULL where none has. NULL on NULL. */
const struct binary *
frame_tables_file(const struct binaries *binaries, size_t module, unsigned number);

/**
 * `.eh_frame` or `.debug_frame` of a loaded module with the list of its entries, which live as long
 * as `binaries`; NULL if no file has it, or the table is another one. NULL on NULL.
 */
const struct cfi_table *
frame_tables_cfi(const struct binaries *binaries, size_t module, unsigned number);

/** What one table has around an address. */
struct frame_extent {
	bool entry;			/* one covers all of it; else none does */
	uint64_t first, last;		/* relative to the module */
	uint64_t offset;		/* of an entry of ELF in its section; 0: not known */
	/* The entry is where the linker's table of entries, if any, says */
	bool led_to;
};

/** The entry around `relative` in a table that is there, or what lies between two. */
void
frame_tables_extent(const struct binaries *binaries, size_t module, unsigned number,
		    uint64_t relative, struct frame_extent *extent);

/**
 * The next address to ask one table for behind that of a question, whose row is `row`, to go
 * through all rows: those of .pdata differ in epilogues, which only the code tells.
 */
uint64_t
frame_tables_next(const struct binaries *binaries, const struct frame_table_question *question,
		  const struct frame_table_row *row);

#endif
