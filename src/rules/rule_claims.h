/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_CLAIMS_H
#define RULES_RULE_CLAIMS_H

#include "frame_table/claim.h"
#include "rules/fold.h"
#include "rules/rule_set.h"

/* Rules as claims. */

/** The claim of `linear` for a column or, if that gives no claim, of the expression `text`. */
struct claim
claim_of_linear(const struct arch *arch, unsigned column, const struct linear *linear,
		struct text text);

/** The claim of an expression in postfix for a column. */
struct claim
claim_of_program(const struct arch *arch, unsigned column, const struct program *program);

/** The column of a rule. False for the pc, for other names, and for an sp that is the CFA. */
bool
claim_column_of(const struct arch *arch, const struct rule *rule, unsigned *column);

#endif
