/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_DWARF_FOLD_H
#define FRAME_TABLE_DWARF_FOLD_H

#include "base/arena.h"
#include "frame_table/dwarf_operation.h"
#include "frame_table/linear.h"

/**
 * Folds a DWARF expression to a sum and to postfix, without running it. Most expressions of call
 * frame information are a register plus an offset, or the word at that sum. In procedure linkage
 * tables they also use the program counter (DWARF 5, 2.5.1, 6.4.2.3).
 */
struct dwarf_fold_start {
	bool cfa;		/* the stack begins with the CFA, as for a register's rule */
	/*
	 * the result is the value's address, unless the expression declares it to be the value
	 */
	bool is_address;
	const uint64_t *pc;	/* the program counter; NULL: keep it symbolic */
	struct arena *arena;	/* arena for the text; NULL: make no text */
};

struct dwarf_folded {
	struct linear value;
	const char *text;	/* postfix; NULL: not requested, or see `cannot` */
	const char *cannot;	/* why postfix cannot express it */
	bool uses_pc;		/* `value` is valid only for the given `pc` */
};

/** Fold an expression. Text is in the arena of `start`. */
void
dwarf_fold(const struct dwarf_expression *expression, const struct arch *arch,
	   const struct dwarf_fold_start *start, struct dwarf_folded *folded);

#endif
