/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_FRAME_POPS_H
#define FRAME_TABLE_FRAME_POPS_H

#include "frame_table/frame_tables.h"

/**
 * Undoes unwind codes one by one; the results are claims.
 *
 * `.xdata` and `.ARM.extab` list a prologue's actions. Undoing an action moves the stack pointer or
 * loads a register from the stack. The stack pointer is `base` plus `offset`. Nearly all values are
 * a register of the callee plus an offset, or the word at such a sum. Only a load from a loaded
 * value needs postfix.
 */
struct frame_value {
	struct claim claim;		/* in terms of the callee's registers; CLAIM_SILENT: none */
	const char *text;		/* postfix of CLAIM_EXPRESSION */
};

struct frame_pops {
	const struct arch *arch;
	struct arena *arena;
	struct frame_value base;	/* the value that the stack pointer counts from */
	int64_t offset;
	/* loaded value of each register; CLAIM_SILENT: the register has the callee's value */
	struct frame_value values[ARCH_REGISTERS];
	/* register whose place is requested; bank NULL: none */
	struct arch_wide wanted;
	/* the register's place is `wanted_base` plus `wanted_offset`; no claim: not saved */
	struct frame_value wanted_base;
	int64_t wanted_offset;
	const char *cannot;		/* why the codes cannot be undone; NULL: they can */
};

/** Begin with nothing undone: the stack pointer is the callee's. */
void
frame_pops_begin(struct frame_pops *pops, const struct arch *arch, struct arena *arena);

/** Note a failure; only the first reason is kept. */
void
frame_pops_fail(struct frame_pops *pops, const char *why);

/** Whether a register was loaded. */
static inline bool
frame_pops_has(const struct frame_pops *pops, int reg)
{
	return pops->values[reg].claim.kind != CLAIM_SILENT;
}

/** The current value of a register. */
struct frame_value
frame_pops_value(const struct frame_pops *pops, int reg);

/** The address `distance` bytes above the stack pointer. */
struct frame_value
frame_pops_address(struct frame_pops *pops, int64_t distance);

/** Load a register from `distance` bytes above the stack pointer. */
void
frame_pops_load(struct frame_pops *pops, int reg, int64_t distance);

/** Load a register from the word at the stack pointer, and move the pointer up by one word. */
void
frame_pops_pop(struct frame_pops *pops, int reg);

/** Set the stack pointer `distance` bytes above the current value of `reg`. */
void
frame_pops_move(struct frame_pops *pops, int reg, int64_t distance);

/**
 * The row with this CFA, this return address and the loaded registers, without the program counter
 * and stack pointer. NULL if the codes cannot be undone; `*problem` has the reason.
 */
const struct unwind_row *
frame_pops_row(struct frame_pops *pops, struct frame_value cfa, struct frame_value return_address,
	       struct unwind_row *row, const char **problem);

#endif
