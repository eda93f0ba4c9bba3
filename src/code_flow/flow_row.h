/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_ROW_H
#define CODE_FLOW_FLOW_ROW_H

#include "code_flow/flow_module.h"

/** The rule of a column, from the code that the frame has executed so far. */
struct flow_rule {
	unsigned column;
	struct claim claim; /* CLAIM_UNDEFINED if the code has overwritten the caller's value */
	int64_t beyond; /* added to the word that the claim reads, if the CFA is in memory */
	uint64_t maker; /* address of the instruction that caused the rule */
	uint32_t length;
	bool made; /* `maker` is known */
};

struct flow_row {
	uint64_t start; /* start of the executed function */
	uint64_t at; /* address of the instruction before which the rules hold */
	bool inferred; /* reached by a jump whose target is unknown */
	size_t count;
	/* Rules of the CFA, the return address and callee-saved registers that this code changes */
	struct flow_rule rules[CLAIM_COLUMNS];
};

/** The place whose rules are needed. */
struct flow_question {
	uint64_t address; /* address of the next instruction, relative to the module's base */
	bool exact; /* the thread stopped there; false: a return address */
	bool halfwords; /* as in struct flow_code */
	uint64_t start, size; /* the function in the symbol file; size 0: unknown */
};

/**
 * Run the function around a place; `function` is the runner. Sets `*start` to the function's start,
 * and `*point` to the state at the place (valid until the next run). Returns NULL, or why the code
 * gives no rules.
 */
const char *
flow_question_run(struct flow_module *module, const struct flow_question *question,
	struct flow_function *function, uint64_t *start, struct flow_point *point);

/**
 * Set the rules of `row` from the state before an instruction. `start` and `at` are not set.
 * Returns NULL, or why the code gives no rules. `kept`: use only registers that calls preserve.
 */
const char *
flow_row_make(const struct flow_code *code, const struct flow_state *state, bool kept,
	struct flow_row *row);

/** Make a row in `arena`. NULL: the code gives no rules, and `*problem` is the reason. */
const struct flow_row *
flow_row_find(struct flow_module *module, const struct flow_question *question, struct arena *arena,
	const char **problem);

#endif
