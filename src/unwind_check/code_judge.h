/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_CODE_JUDGE_H
#define UNWIND_CHECK_CODE_JUDGE_H

#include "code_flow/flow_state.h"
#include "code_flow/flow_function.h"
#include "rules/unwind_source.h"

/** Checks one row of a source against the known state before one instruction. */

/** The worst verdict on the source's row; `*column` is set unless all columns agree. */
enum flow_verdict
unwind_code_judge_row(const struct unwind_source *source, const struct flow_state *state,
	unsigned *column);

/**
 * Whether a function has lost the caller's value of a column's register. A function that never
 * returns need not keep the value, and then no rule can find it.
 */
bool
unwind_code_is_lost(const struct arch *arch, const struct flow_state *state, unsigned column);

/**
 * Describe the contradiction in a column of the source's row: "CFA: rsp+96, but the code has it at
 * rsp+144 since the instruction at 0x1204". `base` is added to addresses. Lives in the source's
 * arena. NULL when out of memory.
 */
const char *
unwind_code_say(struct unwind_source *source, unsigned column, const struct flow_point *point,
	uint64_t base);

/** The CFA of a row minus the stack pointer in bytes; 0: the CFA is based on another register. */
int32_t
unwind_code_pushed(const struct arch *arch, const struct unwind_row *row);

/**
 * Bytes of arguments that a callee pops on i386: `call` - `next`, the bytes pushed in the row at a
 * call less those pushed in the row after it. 0: none, or the difference is not plausible.
 */
uint16_t
unwind_code_taken(const struct arch *arch, int32_t call, int32_t next);

/**
 * Whether the row after a call, with a CFA `pushed` bytes above the stack pointer, fits the stack
 * that the call leaves. If not, the call does not return.
 */
bool
unwind_code_is_for(int32_t pushed, const struct flow_state *state,
	const struct flow_callee *callee, const struct arch *arch);

#endif
