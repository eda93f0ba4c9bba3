/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CFI_ROWS_H
#define FRAME_TABLE_CFI_ROWS_H

#include "base/limits.h"
#include "binary/elf_unpacked.h"
#include "frame_table/cfi_bytes.h"
#include "frame_table/unwind_row.h"
#include "frame_table/dwarf_operation.h"

/**
 * Reads the rows of a table of call frame information, one after the other, as claims.
 *
 * Only this reader runs call frame instructions: those of `.eh_frame` (LSB 5.0, 10.6) and those of
 * `.debug_frame` (DWARF 5, 6.4). It runs an entry once, from the first instruction on. Addresses
 * are as linked. Input is not trusted: if an entry is damaged, only that entry is lost. Registers
 * are those of the architecture's table, so a new processor only needs its DWARF numbers there.
 */

/** Exclusive bound of DWARF register numbers: the highest is PowerPC's cr2 (70). */
#define CFI_NUMBERS 80u

/** Columns of a row: the columns of claims, then these. */
enum {
	/* the requested floating-point or vector register; at most one */
	CFI_WIDE = CLAIM_COLUMNS,
	CFI_SIGNED,		/* AArch64: CLAIM_UNDEFINED if the return address is signed */
	CFI_COLUMNS,
};

_Static_assert(CFI_COLUMNS <= 64, "every column has a bit");

/**
 * The `base` of a CLAIM_EXPRESSION. CFI_BLOCK: the expression, after its length, is at `offset` in
 * the section; with `dereference` it computes a word's address. CFI_UNFOLLOWED: `offset` is the
 * DWARF number of an untracked register. CFI_FAR: the sum is too large for a claim.
 */
enum {
	CFI_BLOCK,
	CFI_UNFOLLOWED,
	CFI_FAR,
};

/** An FDE. */
struct cfi_entry {
	/* Range of the code. If two entries overlap, the shared code belongs to the later entry */
	uint64_t first, last;
	uint64_t offset;	/* offset of the entry in the section */
	uint64_t cie;
	uint32_t length;	/* length of the whole entry */
	/* offset of the instructions in the entry; 0: the entry is damaged before them */
	uint32_t code;
};

struct cfi_table {
	struct arena arena;
	const struct arch *arch;
	int8_t registers[CFI_NUMBERS];	/* register by its DWARF number; ARCH_NO_REGISTER: none */
	const struct binary *binary;	/* NULL: the section is not in a file */
	struct elf_bytes unpacked;
	bool placed;			/* the section's bytes are in the file, at `offset` */
	uint64_t offset;
	struct reader section;
	uint64_t address;		/* linked address of the section */
	struct reader index;		/* .eh_frame_hdr; without data: absent */
	uint64_t index_address;		/* linked address of the index */
	bool eh;			/* the section is .eh_frame */
	unsigned word_size;
	struct cfi_entry *entries;	/* sorted by address */
	size_t count;
	bool overlap;			/* entries were cut because they overlap others */
};

/** Make a table of these bytes without a list of its entries. */
void
cfi_table_init(struct cfi_table *table, const struct arch *arch, const struct reader *section,
	       uint64_t address, bool eh, unsigned word_size);

/**
 * Open the `.eh_frame` or `.debug_frame` of a file, without a list of its entries. If there are no
 * sections, the index's program header leads to `.eh_frame` (LSB 5.0, 10.6.2). False: there is no
 * such table, or it is damaged and `*damage` is set. Always free it; borrows `binary`.
 */
bool
cfi_table_open(struct cfi_table *table, const struct binary *binary, bool eh,
	       struct elf_damage *damage);

/** List a table's entries, which live as long as the table. False when out of memory. */
bool
cfi_table_list(struct cfi_table *table);

/** The entry at an offset of the section; false if it is not complete. */
bool
cfi_entry_at(const struct cfi_table *table, uint64_t offset, struct cfi_entry *entry);

/** The result of a lookup in the index of a table. */
enum cfi_indexed {
	CFI_NO_INDEX,		/* there is no sorted index */
	CFI_NOT_INDEXED,	/* every entry begins above the address */
	CFI_INDEXED,		/* the last entry at or below the address is at `*offset` */
};

enum cfi_indexed
cfi_table_indexed(const struct cfi_table *table, uint64_t address, uint64_t *offset);

/** The place of an entry in the file; length 0: unknown. */
struct place
cfi_entry_place(const struct cfi_table *table, const struct cfi_entry *entry);

void
cfi_table_free(struct cfi_table *table);

/** The needed fields of a CIE. */
struct cfi_common {
	uint64_t offset;	/* offset of the CIE; UINT64_MAX: none was read yet */
	bool good, augmented, signal;
	bool key_b;		/* AArch64: return addresses are signed with key B */
	int pointer;		/* encoding of addresses */
	int handler;		/* encoding of handlers; DW_EH_PE_omit: none */
	uint64_t code_align, column;
	int64_t data_align;
	uint64_t code, end;	/* place of its instructions */
};

struct cfi_rules {
	struct claim claims[CFI_COLUMNS];
	/* DWARF number and offset of the last CFA that was a sum; `base` UINT64_MAX: none */
	uint64_t base;
	int64_t offset;
	/* The CFA's register was set after an expression; `offset` is older than the expression */
	bool odd;
};

#define CFI_COMMONS 8u		/* cached CIEs: functions with and without handlers alternate */

/** Cost of copying all rules of a state, in bytes of instructions. */
#define CFI_STATE_COST 8u

struct cfi_cursor {
	const struct cfi_table *table;
	const struct claim *silence;	/* claims of unmentioned columns; NULL: none */
	uint64_t wide[2];		/* DWARF numbers of CFI_WIDE; UINT64_MAX: none */
	size_t entry;			/* number of the current entry */
	bool begun;
	struct cfi_initial {
		struct cfi_common common;
		struct cfi_rules state;		/* state after the CIE's instructions */
		/* claim for the return address if no instruction mentions it */
		struct claim unsaid;
		bool expressions;		/* as in struct cfi_row */
		const char *problem;		/* why its entries cannot be followed, or NULL */
	} kept[CFI_COMMONS];
	uint64_t left;			/* bytes of entries and CIEs that may still be run */
	const struct cfi_initial *initial;	/* initial rules of the current entry */
	struct cfi_rules state;
	struct cfi_rules remembered[LIMIT_FRAME_STATES];
	unsigned depth;
	struct cfi_bytes bytes;		/* the instructions that have not been run yet */
	uint64_t location;		/* first address at which `state` holds */
	uint64_t changed;		/* bits of columns that differ from the previous row */
	uint64_t touched;		/* bits of columns that may differ from `initial` */
	uint64_t arguments;		/* as in struct cfi_row */
	bool expressions;		/* as in struct cfi_row */
	const char *problem;
};

struct cfi_row {
	uint64_t first, last;		/* addresses as linked */
	const struct cfi_entry *entry;
	/* Bytes of arguments pushed on the stack (DW_CFA_GNU_args_size) */
	uint64_t arguments;
	const struct claim *claims;	/* CFI_COLUMNS claims, owned by the cursor */
	uint64_t changed;		/* bits of columns that differ from the previous row */
	bool expressions;		/* a rule of the entry up to here is an expression */
	/* Why the rest of the entry cannot be followed; NULL: it can */
	const char *problem;
};

/** Begin with the first listed entry that contains or follows `address`. */
void
cfi_cursor_begin(struct cfi_cursor *cursor, const struct cfi_table *table, uint64_t address);

/** Go on with the first listed entry that contains or follows `address`. */
void
cfi_cursor_seek(struct cfi_cursor *cursor, uint64_t address);

/** Go on with the first row of entry number `entry` of the list. */
void
cfi_cursor_enter(struct cfi_cursor *cursor, size_t entry);

/** Read the next row, in ascending order; false after the last row. */
bool
cfi_cursor_next(struct cfi_cursor *cursor, struct cfi_row *row);

/** The linked address of the current entry's LSDA; 0: none. */
uint64_t
cfi_cursor_handlers(const struct cfi_cursor *cursor);

/**
 * Make the postfix of a column's expression in `arena`. If postfix cannot express it, returns NULL
 * and sets `*cannot` to the reason.
 */
const char *
cfi_expression_text(const struct cfi_table *table, unsigned column, const struct claim *claim,
		    struct arena *arena, const char **cannot);

/** The note of a row in which a register replaced an expression as the CFA. */
extern const char cfi_odd[];

/** Make the postfix of a row's expressions in `arena`. NULL: no expressions, or out of memory. */
const struct unwind_expression *
cfi_expressions(const struct cfi_table *table, const struct claim *claims, struct arena *arena);

/**
 * Evaluate a claim's expression at the address `pc`. Returns the value as a claim of the column if
 * the value is a sum, else the unchanged claim. Sets `*uses_pc` to true if the value depends on
 * `pc`, and does not change it otherwise.
 */
struct claim
cfi_expression_claim(const struct cfi_table *table, unsigned column, const struct claim *claim,
		     uint64_t pc, bool *uses_pc);

#endif
