/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_POPS_H
#define FRAME_TABLE_FRAME_POPS_H

#include "frame_table/frame_tables.h"

/**
 * Unwind codes undone one by one, as postfix.
 *
 * Tables that list a prologue's actions (`.xdata`, `.ARM.extab`) move a stack pointer and load
 * registers from where it points. Here that stack pointer is an expression of the callee's
 * registers plus a distance, and loaded values are expressions of the same kind.
 */
struct frame_pops {
	const struct arch *arch;
	struct arena *arena;
	const char *base;		/* postfix that the stack pointer counts from */
	int64_t offset;
	const char *values[ARCH_REGISTERS];	/* loaded values; NULL: the callee's value */
	/* Register whose place is noted; without a bank: none */
	struct arch_wide wanted;
	/* Its place, counted as the stack pointer is; NULL: not saved */
	const char *wanted_base;
	int64_t wanted_offset;
	const char *cannot;		/* why the codes cannot be followed; NULL: they can */
};

/** Nothing undone yet: the stack pointer is the callee's. */
void
frame_pops_begin(struct frame_pops *pops, const struct arch *arch, struct arena *arena);

/** Note a failure; only the first reason is kept. */
void
frame_pops_fail(struct frame_pops *pops, const char *why);

/** The current value of a register, as postfix. */
const char *
frame_pops_value(const struct frame_pops *pops, int reg);

/** The address `distance` bytes above the stack pointer, as postfix. */
const char *
frame_pops_address(struct frame_pops *pops, int64_t distance);

/** Load a register from `distance` bytes above the stack pointer. */
void
frame_pops_load(struct frame_pops *pops, int reg, int64_t distance);

/** Load a register from the stack pointer, and move it up by one word. */
void
frame_pops_pop(struct frame_pops *pops, int reg);

/** Set the stack pointer `distance` bytes above the current value of `reg`. */
void
frame_pops_move(struct frame_pops *pops, int reg, int64_t distance);

/** Set the loaded registers as the row's rules, except the program counter and stack pointer. */
void
frame_pops_rules(struct frame_pops *pops, struct frame_table_row *row);

#endif
