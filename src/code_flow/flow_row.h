/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_ROW_H
#define CODE_FLOW_FLOW_ROW_H

#include "code_flow/flow_module.h"

/** The rule of a column by which a frame's caller is found from what its code has done. */
struct flow_rule {
	unsigned column;
	struct claim claim; /* CLAIM_UNDEFINED where the code has lost the caller's value */
	int64_t beyond; /* added to the word that the claim reads, for a CFA kept in memory */
	uint64_t maker; /* address of the instruction that made it so */
	uint32_t length; /* its bytes */
	bool made; /* there is one that is known */
};

struct flow_row {
	uint64_t start; /* the start of the function that was run */
	uint64_t at; /* the instruction before which the rules hold */
	bool inferred; /* reached by a jump whose target is unknown */
	size_t count;
	/* Rules of the CFA, the return address and callee-saved registers that this code changes */
	struct flow_rule rules[CLAIM_COLUMNS];
};

/** The place that rules are asked for. */
struct flow_question {
	uint64_t address; /* counted from the module's base: of the next instruction */
	bool exact; /* stopped there; else it is the return address of a call */
	bool halfwords; /* as of struct flow_code */
	uint64_t start, size; /* the function in the symbol file; size 0: unknown */
};

/**
 * Run the function around a place with `function`, which is of the module's code: `*start` is where
 * it begins, `*point` what is known at the place, up to the next run. NULL, or why the code does
 * not tell.
 */
const char *
flow_question_run(struct flow_module *module, const struct flow_question *question,
	struct flow_function *function, uint64_t *start, struct flow_point *point);

/**
 * The rules that hold before an instruction, from what is known there, without start and place.
 * NULL, or why the code does not tell. `kept`: only by registers that a call leaves alone.
 */
const char *
flow_row_make(const struct flow_code *code, const struct flow_state *state, bool kept,
	struct flow_row *row);

/** The row in `arena`; NULL where the code does not tell, and `*problem` says why. */
const struct flow_row *
flow_row_find(struct flow_module *module, const struct flow_question *question, struct arena *arena,
	const char **problem);

#endif
