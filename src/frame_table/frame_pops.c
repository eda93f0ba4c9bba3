/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_pops.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* Longest postfix. Each load from a loaded value adds tokens; compilers nest one or two loads. */
#define MOST_TEXT 200u

/* The value that a register has in the callee. */
static struct frame_value
value_of(int reg)
{
	return (struct frame_value){ { .kind = CLAIM_RULE, .base = (int8_t)reg }, NULL };
}

void
frame_pops_begin(struct frame_pops *pops, const struct arch *arch, struct arena *arena)
{
	*pops = (struct frame_pops){ .arch = arch, .arena = arena, .base = value_of(arch->sp) };
}

void
frame_pops_fail(struct frame_pops *pops, const char *why)
{
	if (pops->cannot == NULL)
		pops->cannot = why;
}

struct frame_value
frame_pops_value(const struct frame_pops *pops, int reg)
{
	return frame_pops_has(pops, reg) ? pops->values[reg] : value_of(reg);
}

/* Makes the postfix of a value followed by more tokens, for values that are not sums. */
static struct frame_value
longer(struct frame_pops *pops, const struct frame_value *value, const char *tokens)
{
	char sum[96];
	const char *text = value->claim.kind == CLAIM_EXPRESSION
				   ? value->text
				   : claim_expression(pops->arch, &value->claim, sum, sizeof(sum));

	text = arena_format(pops->arena, "%s %s", text, tokens);
	if (text == NULL)
		frame_pops_fail(pops, OUT_OF_MEMORY);
	text = text_or_empty(text);
	return (struct frame_value){ claim_of_text(text, strlen(text)), text };
}

static bool
is_sum(const struct frame_value *value)
{
	return value->claim.kind == CLAIM_RULE && !value->claim.dereference;
}

struct frame_value
frame_pops_address(struct frame_pops *pops, int64_t distance)
{
	const int64_t offset = pops->offset + distance;
	char tokens[32];

	if (offset == 0)
		return pops->base;
	if (is_sum(&pops->base)) {
		const struct claim sum = claim_sum(pops->arch, CLAIM_CFA, pops->base.claim.base,
						   pops->base.claim.offset + offset, false);

		if (sum.kind == CLAIM_RULE)
			return (struct frame_value){ sum, NULL };
	}
	snprintf(tokens, sizeof(tokens), "%" PRId64 " +", offset);
	return longer(pops, &pops->base, tokens);
}

void
frame_pops_load(struct frame_pops *pops, int reg, int64_t distance)
{
	struct frame_value value = frame_pops_address(pops, distance);

	if (is_sum(&value))
		value.claim.dereference = true;
	else
		value = longer(pops, &value, "^");
	pops->values[reg] = value;
}

void
frame_pops_pop(struct frame_pops *pops, int reg)
{
	frame_pops_load(pops, reg, 0);
	pops->offset += (int64_t)pops->arch->word_size;
}

void
frame_pops_move(struct frame_pops *pops, int reg, int64_t distance)
{
	const struct frame_value value = frame_pops_value(pops, reg);

	if (value.text != NULL && strlen(value.text) > MOST_TEXT) {
		frame_pops_fail(pops, "the frame needs more loads than any compiler's output");
		return;
	}
	pops->base = value;
	pops->offset = distance;
}

static void
set_column(struct unwind_row *row, struct unwind_expression *expressions, unsigned column,
	   const struct frame_value *value)
{
	row->claims[column] = value->claim;
	expressions[column].text = value->text;
}

const struct unwind_row *
frame_pops_row(struct frame_pops *pops, struct frame_value cfa, struct frame_value return_address,
	       struct unwind_row *row, const char **problem)
{
	struct unwind_expression *expressions =
		arena_array(pops->arena, CLAIM_COLUMNS, sizeof(*expressions));

	if (expressions == NULL)
		frame_pops_fail(pops, OUT_OF_MEMORY);
	*problem = pops->cannot;
	if (pops->cannot != NULL)
		return NULL;
	set_column(row, expressions, CLAIM_CFA, &cfa);
	set_column(row, expressions, CLAIM_RETURN_ADDRESS, &return_address);
	for (int reg = 0; reg < pops->arch->register_count; reg++)
		if (reg != pops->arch->pc && reg != pops->arch->sp)
			set_column(row, expressions, CLAIM_REGISTER + (unsigned)reg,
				   &pops->values[reg]);
	row->expressions = expressions;
	return row;
}
