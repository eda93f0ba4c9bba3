/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_LINEAR_H
#define RULES_LINEAR_H

#include "frame_table/claim.h"
#include "rules/rule_set.h"

/**
 * Rules in a form in which two of them can be compared.
 *
 * Nearly every rule is a register plus an offset, or the word there, however it is written:
 * `$rsp 8 + ^`, `.cfa -8 + ^` and `.cfa 8 - ^` may be one and the same. What is more than that
 * stays text.
 */
struct linear {
	bool known;		/* false: the rule is more than this form can say */
	int base;		/* register number, LINEAR_CFA or LINEAR_NONE */
	int64_t offset;
	bool parameters;	/* plus `.cbCalleeParams`, the size of the callee's parameters */
	bool dereference;	/* the word at base plus offset */
};

/**
 * The form of one expression. `cfa` is that of `.cfa`; NULL: the expression is the CFA's own.
 * Offsets wrap at 64 bits: of a 32-bit architecture the lower half counts.
 */
struct linear
linear_of(const struct program *program, const struct linear *cfa);

/** Whether two forms are known and one and the same. */
bool
linear_same(const struct linear *a, const struct linear *b);

#endif
