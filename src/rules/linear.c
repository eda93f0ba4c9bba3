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

struct linear
linear_of(const struct program *program, const struct linear *cfa)
{
	const struct linear unknown = { .known = false };
	struct linear stack[DEPTH];
	size_t depth = 0;

	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];
		const bool subtract = token->operation == OPERATION_SUBTRACT;

		if (token->operation == OPERATION_NUMBER || token->operation == OPERATION_NAME) {
			if (depth == DEPTH)
				return unknown;
			stack[depth] = (struct linear){ .known = true, .base = LINEAR_NONE,
							.offset = (int64_t)token->value };
			if (token->operation == OPERATION_NAME)
				stack[depth] = named(&program->names[token->name], cfa);
			depth++;
		} else if (subtract || token->operation == OPERATION_ADD) {
			if (depth < 2 || !add(&stack[depth - 2], &stack[depth - 1], subtract))
				return unknown;
			depth--;
		} else {
			struct linear *top = depth > 0 ? &stack[depth - 1] : NULL;

			if (token->operation != OPERATION_READ || top == NULL || !top->known ||
			    top->dereference)
				return unknown;
			top->dereference = true;
		}
	}
	return depth == 1 ? stack[0] : unknown;
}

bool
linear_same(const struct linear *a, const struct linear *b)
{
	return a->known && b->known && a->base == b->base && a->offset == b->offset &&
	       a->dereference == b->dereference && a->parameters == b->parameters;
}
