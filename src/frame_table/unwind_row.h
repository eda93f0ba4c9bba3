/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_UNWIND_ROW_H
#define FRAME_TABLE_UNWIND_ROW_H

#include "base/arena.h"
#include "base/place.h"
#include "frame_table/claim.h"

/** The postfix of a claim of kind CLAIM_EXPRESSION. */
struct unwind_expression {
	const char *text;		/* NULL: postfix cannot express it */
	const char *cannot;		/* why postfix cannot express it; NULL: it can */
};

/**
 * One row of unwind rules: a claim for each register, valid for a range of addresses.
 *
 * All sources of rules have rows of this form: STACK CFI and STACK WIN records, `.eh_frame`,
 * `.debug_frame`, `.pdata`, `.ARM.exidx`, `__unwind_info` and SFrame. Walks look up single rows
 * (frame_table/frame_tables.h). Other readers visit all rows in ascending order
 * (rules/unwind_source.h).
 */
struct unwind_row {
	uint64_t first, last;		/* addresses relative to the module's base */
	/* Why the source's own record cannot be used; NULL: it can */
	const char *problem;
	uint64_t record;		/* offset of the record in force from `first` on */
	uint64_t entry;			/* offset of the record with the range of code */
	uint64_t begins;		/* beginning of that range */
	/* 1 + offset of the CIE; 0: none. Entries of one assembler share a CIE */
	uint64_t common;
	uint64_t changed;		/* bit n: column n may differ from the previous row */
	uint64_t expressed;		/* bit n: an expression gave column n */
	uint64_t failing;		/* bit n: the rule of column n always fails */
	bool signal;			/* the caller was interrupted */
	bool calls_only;		/* valid at calls, perhaps not at other instructions */
	/* The row describes a gap: no entry covers the code */
	bool presumed;
	bool in_register;		/* the return address is in a register that calls change */
	bool signed_ra, key_b;		/* AArch64: the return address is signed, with key B */
	struct claim claims[CLAIM_COLUMNS];
	uint64_t records[CLAIM_COLUMNS];	/* offset of each claim's record; 0: see `entry` */
	/* The following members are set only for rows that are looked up or shown */
	const char *table;		/* ".eh_frame" */
	const char *note;		/* oddity of the entry, and how it was read; NULL: none */
	struct place place;		/* place of the entry; without an input: unknown */
	/* The postfix of claims that are not sums, by column */
	const struct unwind_expression *expressions;
	/* Place of the requested floating-point or vector register; CLAIM_SILENT: unknown */
	struct claim wide;
};

_Static_assert(CLAIM_COLUMNS <= 64, "every column has a bit");

/** Whether the row's function has no caller. */
static inline bool
unwind_row_outermost(const struct unwind_row *row)
{
	return row->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_UNDEFINED;
}

/**
 * The rule of a column in postfix, in `arena`: "$rsp 8 +". NULL if the column has no rule, if
 * postfix cannot express it (`*cannot` says why), or out of memory.
 */
const char *
unwind_row_expression(const struct unwind_row *row, const struct arch *arch, unsigned column,
		      struct arena *arena, const char **cannot);

#endif
