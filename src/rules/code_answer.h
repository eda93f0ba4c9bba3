/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_CODE_ANSWER_H
#define RULES_CODE_ANSWER_H

#include "code_flow/flow_row.h"
#include "rules/rule_set.h"

/** Rules from a function's own code for an address. */
struct code_answer {
	const struct flow_row *row; /* NULL: no answer */
	/* Rules, each with the place of the instruction that caused it */
	const struct rule_set *set;
	const char *problem; /* why there is no row; may be NULL */
};

/** A loaded module whose code is run, and its crash. Other members may be NULL. */
struct code_source {
	const struct crash *crash;
	struct binaries *binaries;
	const struct memory_view *view;
	size_t module;
};

/** Run the function around an address; the answer lives in `arena`. */
struct code_answer
code_answer(const struct code_source *source, const struct flow_question *question,
	struct arena *arena);

#endif
