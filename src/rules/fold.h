/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_FOLD_H
#define RULES_FOLD_H

#include "frame_table/linear.h"
#include "rules/program.h"

/**
 * Follows a program without registers or memory. Each value is kept as a sum, if it has that form.
 *
 * A comparison of rules needs only the sum (linear_of). Callers can also look at each name and
 * operator: the rules of STACK WIN records keep the postfix that computes a value, and lint reports
 * programs that fail for all values of registers and memory.
 */
#define FOLD_DEPTH 64		/* maximum number of values on the stack; real programs use five */

struct fold_value {
	struct linear linear;
	bool bare;		/* a name that no operator has used yet; it can be assigned to */
	uint32_t name;		/* index of a bare name */
	size_t first, last;	/* first and last token that compute the value */
	struct text text;	/* for use by the caller; at first the token's own text */
};

struct program_fold {
	const struct program *program;
	/* The value of each name (`bare`: not assigned). NULL: '=' fails */
	struct fold_value *assigned;
	/* Give a bare name its value. False: the program fails. */
	bool (*use)(struct program_fold *fold, struct fold_value *value);
	/*
	 * Called after `a` was replaced by the result of `a` and `b` (NULL for '^'). False: the
	 * program fails. May be NULL.
	 */
	bool (*operate)(struct program_fold *fold, const struct token *token, struct fold_value *a,
			const struct fold_value *b);
	void *context;		/* context of these two functions */
	/* result: the reason of a failure, its token, and the number of values on the stack */
	enum program_failure failure;
	size_t token, depth;
	struct fold_value stack[FOLD_DEPTH];
};

/**
 * Fold a program. The value of a successful expression is `stack[0]`. False if the program fails
 * for all values of registers and memory, or if `use` or `operate` failed (PROGRAM_UNKNOWN_NAME).
 */
bool
fold_run(struct program_fold *fold, enum program_mode mode);

/**
 * The sum that an expression computes; unknown if the expression is not a sum. `cfa` is the sum of
 * `.cfa`; NULL: the expression is the CFA's own.
 */
struct linear
linear_of(const struct program *program, const struct linear *cfa);

/**
 * The sum that a CFA's expression (as in a PLT) computes at `pc`, relative to the module's base.
 * Unknown if the expression is not a sum, or depends on the base.
 */
struct linear
linear_at(const struct program *program, int pc_register, uint64_t pc);

/**
 * Whether an expression fails for all values of registers and memory: an operator without
 * operands, more than one value at its end, a name that is not a register. False for programs with
 * assignments.
 */
bool
fold_always_fails(const struct program *program);

#endif
