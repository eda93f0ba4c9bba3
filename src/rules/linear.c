/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/linear.h"

/* Values on the stack while an expression is folded; rules that nest deeper are no plain ones. */
#define DEPTH 8

/* A sum of bases would need more than one; reading from memory is allowed once, in the end. */
static bool
add(struct linear *sum, const struct linear *term, bool subtract)
{
	if (!sum->known || !term->known || term->dereference || sum->dereference)
		return false;
	if (term->base != LINEAR_NONE && (subtract || sum->base != LINEAR_NONE))
		return false;
	if (term->parameters && (subtract || sum->parameters))
		return false;
	sum->parameters = sum->parameters || term->parameters;
	if (term->base != LINEAR_NONE)
		sum->base = term->base;
	uint64_t offset = (uint64_t)sum->offset;
	offset = subtract ? offset - (uint64_t)term->offset : offset + (uint64_t)term->offset;
	sum->offset = (int64_t)offset;
	return true;
}

static struct linear
named(const struct program_name *name, const struct linear *cfa)
{
	if (name->reg != ARCH_NO_REGISTER)
		return (struct linear){ .known = true, .base = name->reg };
	if (text_equal(name->text, text_of(".cbCalleeParams")))
		return (struct linear){ .known = true, .base = LINEAR_NONE, .parameters = true };
	if (cfa == NULL || !text_equal(name->text, text_of(".cfa")))
		return (struct linear){ .known = false };
	if (cfa->known && !cfa->dereference)
		return *cfa;
	return (struct linear){ .known = true, .base = LINEAR_CFA };
}

/* Apply a token to the `*depth` values; false where the form ends. */
static bool
apply(const struct program *program, const struct token *token, const struct linear *cfa,
      struct linear stack[DEPTH], size_t *depth)
{
	switch (token->operation) {
	case OPERATION_NUMBER:
	case OPERATION_NAME:
		if (*depth == DEPTH)
			return false;
		stack[(*depth)++] =
			token->operation == OPERATION_NAME
				? named(&program->names[token->name], cfa)
				: (struct linear){ .known = true, .base = LINEAR_NONE,
						   .offset = (int64_t)token->value };
		return true;
	case OPERATION_ADD:
	case OPERATION_SUBTRACT:
		if (*depth < 2)
			return false;
		(*depth)--;
		return add(&stack[*depth - 1], &stack[*depth],
			   token->operation == OPERATION_SUBTRACT);
	case OPERATION_READ:
		if (*depth < 1 || !stack[*depth - 1].known || stack[*depth - 1].dereference)
			return false;
		stack[*depth - 1].dereference = true;
		return true;
	default:
		return false;
	}
}

struct linear
linear_of(const struct program *program, const struct linear *cfa)
{
	struct linear stack[DEPTH];
	size_t depth = 0;

	for (size_t i = 0; i < program->token_count; i++)
		if (!apply(program, &program->tokens[i], cfa, stack, &depth))
			return (struct linear){ .known = false };
	return depth == 1 ? stack[0] : (struct linear){ .known = false };
}

static const struct rule *
rule_for(const struct rule_set *set, int reg)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->rules[i].target == RULE_REGISTER && set->rules[i].reg == reg)
			return &set->rules[i];
	return NULL;
}

static struct linear_rule
take(const struct rule *rule, const struct linear *cfa)
{
	const struct linear symbol = { .known = true, .base = LINEAR_CFA, .dereference = true };

	return (struct linear_rule){ .linear = linear_of(rule->program, cfa),
				     .by_cfa = linear_of(rule->program, &symbol),
				     .text = rule->program->text, .record = rule->record };
}

void
linear_rules(const struct arch *arch, const struct rule_set *set,
	     struct linear_rule rules[LINEAR_WHATS])
{
	const struct rule *fp = rule_for(set, arch->fp);

	rules[LINEAR_OF_CFA] = take(&set->rules[set->cfa], NULL);
	const struct linear *cfa = &rules[LINEAR_OF_CFA].linear;
	rules[LINEAR_OF_RETURN_ADDRESS] = take(&set->rules[set->return_address], cfa);
	if (fp != NULL)
		rules[LINEAR_OF_FRAME_POINTER] = take(fp, cfa);
	else
		rules[LINEAR_OF_FRAME_POINTER] = (struct linear_rule){
			.linear = { .known = true, .base = arch->fp },
			.by_cfa = { .known = true, .base = arch->fp },
			.implied = true, .text = text_of("unchanged"), .record = set->record };
}

static bool
same_form(const struct linear *a, const struct linear *b)
{
	return a->known && b->known && a->base == b->base && a->offset == b->offset &&
	       a->dereference == b->dereference && a->parameters == b->parameters;
}

bool
linear_equal(const struct linear_rule *one, const struct linear_rule *other)
{
	return same_form(&one->linear, &other->linear) ||
	       same_form(&one->by_cfa, &other->by_cfa) || text_equal(one->text, other->text);
}
