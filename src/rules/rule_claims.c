/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_claims.h"

struct claim
claim_of_linear(const struct arch *arch, unsigned column, const struct linear *linear,
		struct text text)
{
	struct claim claim = { .kind = CLAIM_EXPRESSION };

	if (linear->known)
		claim = claim_sum(arch, column, linear->base, linear->offset, linear->dereference);
	if (claim.kind == CLAIM_EXPRESSION)
		return claim_of_text(text.start, text.length);
	claim.parameters = linear->parameters;
	return claim;
}

struct claim
claim_of_program(const struct arch *arch, unsigned column, const struct program *program)
{
	const struct linear cfa = { .known = true, .base = LINEAR_CFA, .dereference = true };
	const struct linear linear = linear_of(program, column == CLAIM_CFA ? NULL : &cfa);

	if (!linear.known && program->token_count == 1 &&
	    program->tokens[0].operation == OPERATION_NAME)
		return (struct claim){ .kind = CLAIM_UNDEFINED };
	return claim_of_linear(arch, column, &linear, program->text);
}

bool
claim_column_of(const struct arch *arch, const struct rule *rule, unsigned *column)
{
	if (rule->target == RULE_CFA)
		*column = CLAIM_CFA;
	else if (rule->target == RULE_RETURN_ADDRESS)
		*column = CLAIM_RETURN_ADDRESS;
	else if (rule->target == RULE_REGISTER && rule->reg != arch->pc)
		*column = CLAIM_REGISTER + (unsigned)rule->reg;
	else
		return false;
	return rule->reg != arch->sp || !text_is(rule->program->text, ".cfa");
}
