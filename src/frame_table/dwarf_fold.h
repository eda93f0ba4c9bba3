/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_DWARF_FOLD_H
#define FRAME_TABLE_DWARF_FOLD_H

#include "base/arena.h"
#include "frame_table/dwarf_operation.h"
#include "frame_table/linear.h"

/**
 * The value of a DWARF expression without running it: as a sum and as postfix.
 *
 * Expressions of call frame information are a register plus an offset or the word there; those of
 * procedure linkage tables depend on the address as well (DWARF 5, 2.5.1 and 6.4.2.3).
 */
struct dwarf_fold_start {
	bool cfa;		/* the CFA is on the stack: the rule of a register */
	/* The result is where the value is in memory, unless the expression is the value itself */
	bool is_address;
	const uint64_t *pc;	/* value of the program counter; NULL: it is a register */
	struct arena *arena;	/* for the text; NULL: no text is wanted */
};

struct dwarf_folded {
	struct linear value;
	const char *text;	/* postfix; NULL: not wanted, or: */
	const char *cannot;	/* why postfix has no words for it */
	bool uses_pc;		/* `value` holds for that program counter only */
};

/** Fold an expression. Text is in the arena of `start`. */
void
dwarf_fold(const struct dwarf_expression *expression, const struct arch *arch,
	   const struct dwarf_fold_start *start, struct dwarf_folded *folded);

#endif
