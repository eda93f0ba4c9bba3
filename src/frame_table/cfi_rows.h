/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CFI_ROWS_H
#define FRAME_TABLE_CFI_ROWS_H

#include "base/arena.h"
#include "base/reader.h"
#include "crash/arch.h"
#include "frame_table/dwarf_operation.h"

/**
 * All rows of a table of call frame information, one after the other.
 *
 * libdw answers for one address, and runs an entry's instructions from their start to do so. Here
 * they are run once, for readers that need every row of a table: `.eh_frame` (LSB 5.0, 10.6) and
 * `.debug_frame` (DWARF 5, 6.4). Addresses are those that the file was linked for. Nothing is
 * trusted: an entry that is damaged costs itself.
 */
enum cfi_kind {
	CFI_UNSAID,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_OFFSET,		/* in the word at the CFA plus `value` */
	CFI_VALUE,		/* it is the CFA plus `value` */
	CFI_REGISTER,		/* it is register `reg` plus `value` */
	CFI_EXPRESSION,		/* in the word at the address that an expression makes */
	CFI_VALUE_EXPRESSION,	/* it is what an expression makes */
};

struct cfi_rule {
	uint8_t kind;		/* enum cfi_kind */
	uint16_t reg;		/* DWARF number */
	uint32_t length;	/* of an expression, whose offset in the section is `value` */
	int64_t value;
};

/** Rules of a row: of registers by their DWARF numbers, then these two. */
enum {
	CFI_RETURN_ADDRESS = ARCH_REGISTERS,	/* of the CIE's column */
	CFI_CFA,
	CFI_PLAIN,		/* the last CFA that was a register plus offset, for the cursor */
	CFI_SIGNED,		/* AArch64: CFI_UNDEFINED where the return address is signed */
	CFI_RULES,
};

/** An FDE. */
struct cfi_entry {
	/* Of the code; where two overlap, the one that begins later has it */
	uint64_t first, last;
	uint64_t offset;	/* of the entry in the section */
	uint64_t cie;
	uint32_t length;	/* of the whole entry */
	/* Of its instructions in the entry; 0: what is before them is damaged */
	uint32_t code;
};

struct cfi_table {
	struct arena arena;
	struct reader section;
	uint64_t address;	/* of the section as linked */
	bool eh;		/* .eh_frame */
	unsigned word_size;
	struct cfi_entry *entries;	/* by address */
	size_t count;
	bool overlap;		/* entries were cut where they lie over others */
};

/** List a section's entries, which lives as long as the table. False when out of memory. */
bool
cfi_table_read(struct cfi_table *table, const struct reader *section, uint64_t address, bool eh,
	       unsigned word_size);

/** cfi_table_read() of the entry at an offset. To be freed; false also if none is whole there. */
bool
cfi_table_read_entry(struct cfi_table *table, const struct reader *section, uint64_t address,
		     bool eh, unsigned word_size, uint64_t offset);

void
cfi_table_free(struct cfi_table *table);

/** What is needed of a CIE. */
struct cfi_common {
	uint64_t offset;	/* of the CIE; UINT64_MAX: none was read yet */
	bool good, augmented, signal;
	bool key_b;		/* AArch64: return addresses are signed with key B */
	int pointer;		/* how addresses are encoded */
	int handler;		/* the same of an entry's handlers; DW_EH_PE_omit: there are none */
	uint64_t code_align, column;
	int64_t data_align;
	uint64_t code, end;	/* of its instructions */
};

#define CFI_REMEMBERED 16u	/* states; compilers nest one or two */

/** Where a reader of rows is. */
struct cfi_cursor {
	const struct cfi_table *table;
	size_t entry;			/* at work */
	bool begun;
	struct cfi_common common;
	struct cfi_rule initial[CFI_RULES];	/* behind the CIE's instructions */
	struct cfi_rule rules[CFI_RULES];	/* in force */
	struct cfi_rule remembered[CFI_REMEMBERED][CFI_RULES];
	unsigned depth;
	uint64_t at, end;		/* of the instructions, in the section */
	uint64_t location;		/* that `rules` hold from */
	uint64_t changed;		/* rules that are others than in the row before: bits */
	uint64_t handlers, arguments;	/* as of struct cfi_row */
	const char *problem;
};

struct cfi_row {
	uint64_t first, last;		/* addresses as linked */
	uint64_t begins;		/* where the code of its entry does */
	uint64_t offset;		/* of its entry in the section */
	uint64_t handlers;		/* address as linked of the entry's LSDA; 0: none */
	/* Bytes that a call there has pushed (DW_CFA_GNU_args_size) */
	uint64_t arguments;
	bool signal, key_b;
	const struct cfi_rule *rules;	/* CFI_RULES; the cursor's */
	uint64_t changed;		/* bits of those that are others than in the row before */
	/* Why the rest of the entry cannot be followed; NULL: it can */
	const char *problem;
};

/** Begin with the first entry that reaches `address` or lies above it. */
void
cfi_cursor_begin(struct cfi_cursor *cursor, const struct cfi_table *table, uint64_t address);

/**
 * Make `common` and `initial` of a cursor those of a CIE, as its entries begin. False where it is
 * damaged. Rows can only be read again from a new beginning.
 */
bool
cfi_cursor_common(struct cfi_cursor *cursor, uint64_t cie);

/** The next row, in ascending order; false behind the last one. */
bool
cfi_cursor_next(struct cfi_cursor *cursor, struct cfi_row *row);

/** The bytes of a rule's expression. */
struct dwarf_expression
cfi_rule_expression(const struct cfi_table *table, const struct cfi_rule *rule);

#endif
