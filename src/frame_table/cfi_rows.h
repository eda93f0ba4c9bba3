/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CFI_ROWS_H
#define FRAME_TABLE_CFI_ROWS_H

#include "base/limits.h"
#include "binary/elf_unpacked.h"
#include "frame_table/claim.h"
#include "frame_table/dwarf_operation.h"

/**
 * The rows of a table of call frame information, one after the other, as claims.
 *
 * The only reader of call frame instructions: those of `.eh_frame` (LSB 5.0, 10.6) and of
 * `.debug_frame` (DWARF 5, 6.4). An entry is run once, from its first instruction on. Addresses are
 * those that the file was linked for. Nothing is trusted: an entry that is damaged costs itself.
 * Registers are those of the architecture's table, so a processor needs its numbers of DWARF there
 * and nothing here.
 */

/** Numbers of DWARF that have registers: the highest one is PowerPC's cr2 (70). */
#define CFI_NUMBERS 80u

/** Columns of a row: those of claims, then these. */
enum {
	/* The floating-point or vector register that was asked for; one of all */
	CFI_WIDE = CLAIM_COLUMNS,
	CFI_SIGNED,		/* AArch64: CLAIM_UNDEFINED if the return address is signed */
	CFI_COLUMNS,
};

_Static_assert(CFI_COLUMNS <= 64, "every column has a bit");

/**
 * The `base` of CLAIM_EXPRESSION: `offset` is where the expression is in the section, with its
 * length before it (`dereference`: it makes the address of the word); or the number of DWARF of a
 * register that is not followed; or the sum is too large for a claim.
 */
enum {
	CFI_BLOCK,
	CFI_UNFOLLOWED,
	CFI_FAR,
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
	const struct arch *arch;
	int8_t registers[CFI_NUMBERS];	/* by numbers of DWARF; ARCH_NO_REGISTER: none */
	const struct binary *binary;	/* NULL: the section is of no file */
	struct elf_bytes unpacked;	/* of a compressed section */
	bool placed;			/* the section's bytes have places in the file: */
	uint64_t offset;		/* of the section in the file */
	struct reader section;
	uint64_t address;		/* of the section as linked */
	struct reader index;		/* .eh_frame_hdr; without data: absent */
	uint64_t index_address;		/* of it as linked */
	bool eh;			/* .eh_frame */
	unsigned word_size;
	struct cfi_entry *entries;	/* by address */
	size_t count;
	bool overlap;			/* entries were cut where they lie over others */
};

/** A table of these bytes without a list of its entries. */
void
cfi_table_init(struct cfi_table *table, const struct arch *arch, const struct reader *section,
	       uint64_t address, bool eh, unsigned word_size);

/**
 * The `.eh_frame` or `.debug_frame` of a file, without a list of its entries. Without sections
 * `.eh_frame` is where the program header of its index says (LSB 5.0, 10.6.2). False if there is
 * none or it is damaged, then with `*damage`. To be freed in any case; borrows `binary`.
 */
bool
cfi_table_open(struct cfi_table *table, const struct binary *binary, bool eh,
	       struct elf_damage *damage);

/** List a table's entries, which live as long as the table. False when out of memory. */
bool
cfi_table_list(struct cfi_table *table);

/** The entry at an offset of the section; false if none is whole there. */
bool
cfi_entry_at(const struct cfi_table *table, uint64_t offset, struct cfi_entry *entry);

/** The answer of the index of a table for an address. */
enum cfi_indexed {
	CFI_NO_INDEX,		/* there is none, or none that is sorted */
	CFI_NOT_INDEXED,	/* no entry begins at or below the address */
	CFI_INDEXED,		/* the last entry that does is at `*offset` */
};

enum cfi_indexed
cfi_table_indexed(const struct cfi_table *table, uint64_t address, uint64_t *offset);

/** Where an entry is in the file; without length: not known. */
struct place
cfi_entry_place(const struct cfi_table *table, const struct cfi_entry *entry);

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

/** What holds in a row. */
struct cfi_rules {
	struct claim claims[CFI_COLUMNS];
	/* The last CFA that was a register plus offset: number of DWARF, UINT64_MAX: none was */
	uint64_t base;
	int64_t offset;
	bool odd;		/* the CFA is a register after an expression, plus that offset */
};

#define CFI_COMMONS 8u		/* CIEs: functions with and without handlers alternate */

/** Where a reader of rows is. */
struct cfi_cursor {
	const struct cfi_table *table;
	const struct claim *silence;	/* claims of unmentioned columns; NULL: silent */
	uint64_t wide[2];		/* numbers of DWARF of CFI_WIDE; UINT64_MAX: none */
	size_t entry;			/* at work */
	bool begun;
	struct cfi_initial {
		struct cfi_common common;
		struct cfi_rules state;		/* after the CIE's instructions */
		/* The return address if no instruction mentions it */
		struct claim unsaid;
		const char *problem;		/* why its entries cannot be followed */
	} kept[CFI_COMMONS];
	uint64_t left;			/* bytes of CIEs that may still be run */
	const struct cfi_initial *initial;	/* of the entry at work */
	struct cfi_rules state;		/* in force */
	struct cfi_rules remembered[LIMIT_FRAME_STATES];
	unsigned depth;
	uint64_t at, end;		/* of the instructions, in the section */
	uint64_t location;		/* that `state` holds from */
	uint64_t changed;		/* columns that are others than in the row before: bits */
	uint64_t arguments;		/* as of struct cfi_row */
	const char *problem;
};

struct cfi_row {
	uint64_t first, last;		/* addresses as linked */
	const struct cfi_entry *entry;
	/* Bytes that a call there has pushed (DW_CFA_GNU_args_size) */
	uint64_t arguments;
	const struct claim *claims;	/* CFI_COLUMNS; the cursor's */
	uint64_t changed;		/* bits of those that are others than in the row before */
	/* Why the rest of the entry cannot be followed; NULL: it can */
	const char *problem;
};

/** Begin with the first listed entry that reaches `address` or lies above it. */
void
cfi_cursor_begin(struct cfi_cursor *cursor, const struct cfi_table *table, uint64_t address);

/** Go on with the first listed entry that reaches `address` or lies above it. */
void
cfi_cursor_seek(struct cfi_cursor *cursor, uint64_t address);

/** Go on with the first row of an entry by its place in the list. */
void
cfi_cursor_enter(struct cfi_cursor *cursor, size_t entry);

/** The next row, in ascending order; false behind the last one. */
bool
cfi_cursor_next(struct cfi_cursor *cursor, struct cfi_row *row);

/** Address as linked of the LSDA of the entry at work; 0: none. */
uint64_t
cfi_cursor_handlers(const struct cfi_cursor *cursor);

/**
 * The expression of a claim of a column in postfix, in `arena`; NULL if it cannot be written, then
 * with the reason in `*cannot`.
 */
const char *
cfi_expression_text(const struct cfi_table *table, unsigned column, const struct claim *claim,
		    struct arena *arena, const char **cannot);

/**
 * What the expression of a claim makes at the address `pc`, as a claim of a column, if that is a
 * sum; else the claim itself. `*uses_pc` is set if the address matters, and kept if not.
 */
struct claim
cfi_expression_claim(const struct cfi_table *table, unsigned column, const struct claim *claim,
		     uint64_t pc, bool *uses_pc);

#endif
