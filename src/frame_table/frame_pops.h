/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_POPS_H
#define FRAME_TABLE_FRAME_POPS_H

#include "frame_table/frame_tables.h"

/**
 * Unwind codes undone one by one, as postfix.
 *
 * Tables that list what a prologue did (`.xdata`, `.ARM.extab`) move a stack pointer and load
 * registers from where it points. Here that stack pointer is an expression of the callee's
 * registers and a distance, and what was loaded are expressions of the same kind.
 */
struct frame_pops {
	const struct arch *arch;
	struct arena *arena;
	const char *base;		/* postfix that the stack pointer is counted from */
	int64_t offset;
	const char *values[ARCH_REGISTERS];	/* what was loaded; NULL: as the callee has it */
	/* Where it was saved is noted; without a bank: nothing is */
	struct arch_wide wanted;
	/* It was there, counted as the stack pointer is; NULL: it was not */
	const char *wanted_base;
	int64_t wanted_offset;
	const char *cannot;		/* why the codes cannot be followed; NULL: they can */
};

/** Nothing undone yet: the stack pointer is the callee's. */
void
frame_pops_begin(struct frame_pops *pops, const struct arch *arch, struct arena *arena);

/** The first reason why it cannot be done counts. */
void
frame_pops_fail(struct frame_pops *pops, const char *why);

/** What a register has by now, as postfix. */
const char *
frame_pops_value(const struct frame_pops *pops, int reg);

/** The address `distance` bytes above the stack pointer, as postfix. */
const char *
frame_pops_address(struct frame_pops *pops, int64_t distance);

/** Load a register from `distance` bytes above the stack pointer. */
void
frame_pops_load(struct frame_pops *pops, int reg, int64_t distance);

/** Load a register from the stack pointer, and go one word up. */
void
frame_pops_pop(struct frame_pops *pops, int reg);

/** The stack pointer is `distance` bytes above what `reg` has by now. */
void
frame_pops_move(struct frame_pops *pops, int reg, int64_t distance);

/** The loaded registers as the row's rules; the program counter and the stack pointer aside. */
void
frame_pops_rules(struct frame_pops *pops, struct frame_table_row *row);

#endif
