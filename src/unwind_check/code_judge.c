/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/code_judge.h"

#include <inttypes.h>

/* Maximum bytes of arguments that a callee pops: 16 words. */
#define MOST_TAKEN 64

int32_t
unwind_code_pushed(const struct arch *arch, const struct unwind_row *row)
{
	const struct claim *cfa = &row->claims[CLAIM_CFA];

	return cfa->kind == CLAIM_RULE && cfa->base == arch->sp && !cfa->dereference &&
			       cfa->parameters == 0
		       ? (int32_t)cfa->offset
		       : 0;
}

uint16_t
unwind_code_taken(const struct arch *arch, int32_t call, int32_t next)
{
	const int32_t bytes = call - next;

	if (!arch_pushes_return(arch) || arch->word_size != 4 || next == 0)
		return 0;
	return bytes > 0 && bytes <= MOST_TAKEN && bytes % 4 == 0 ? (uint16_t)bytes : 0;
}

bool
unwind_code_is_for(int32_t pushed, const struct flow_state *state,
	const struct flow_callee *callee, const struct arch *arch)
{
	const struct flow_value *sp = &state->registers[arch->sp];

	return pushed == 0 || sp->kind != FLOW_STACK || sp->base != 0 ||
		pushed == -sp->offset - callee->pops;
}

enum flow_verdict
unwind_code_judge_row(const struct unwind_source *source, const struct flow_state *state,
	unsigned *column)
{
	const struct arch *arch = source->module->arch;
	enum flow_verdict worst = FLOW_AGREES;

	for (unsigned i = 0; i < claim_columns(arch); i++) {
		const enum flow_verdict verdict =
			flow_judge(arch, source->windows, state, i, &source->row.claims[i]);

		if (verdict > worst) {
			worst = verdict;
			*column = i;
		}
		/*
		 * Registers are saved relative to the CFA, so there is no verdict if the CFA was
		 * moved (longjmp) or is unknown.
		 */
		if (i == CLAIM_CFA && verdict == FLOW_CANNOT_SAY)
			break;
	}
	return worst;
}

bool
unwind_code_is_lost(const struct arch *arch, const struct flow_state *state, unsigned column)
{
	const int reg = (int)column - CLAIM_REGISTER;
	bool there = column < CLAIM_REGISTER || state->full;

	for (size_t i = 0; i < state->slot_count && !there; i++)
		there = state->slots[i].value.kind == FLOW_INIT && state->slots[i].value.reg == reg;
	for (int i = 0; i < arch->register_count && !there; i++)
		there = state->registers[i].kind == FLOW_INIT && state->registers[i].reg == reg;
	return !there;
}

const char *
unwind_code_say(struct unwind_source *source, unsigned column, const struct flow_point *point,
	uint64_t base)
{
	const struct arch *arch = source->module->arch;
	const struct claim *claims = source->row.claims;
	const struct claim claimed =
		claim_from_cfa(arch, column, &claims[column], &claims[CLAIM_CFA]);
	const struct flow_value *sp = &point->state->registers[arch->sp];
	const struct flow_value *value =
		column > CLAIM_REGISTER ? &point->state->registers[column - CLAIM_REGISTER] : sp;
	char says[64];

	const char *claim = claimed.kind == CLAIM_SAME
		? "unchanged"
		: claim_format(arch, column, &claimed, says, sizeof(says));
	const char *name = claim_column_name(arch, column);
	if (column == CLAIM_CFA && sp->kind == FLOW_STACK && sp->base == 0 && sp->maker != 0)
		return arena_format(&source->arena,
			"%s: %s, but the code has it at %s%+d since the instruction at 0x%" PRIx64,
			name, claim, arch->registers[arch->sp].label, -sp->offset,
			base + sp->maker - 1);
	if (claimed.kind == CLAIM_SAME && value->maker != 0)
		return arena_format(&source->arena,
			"%s: %s, but the instruction at 0x%" PRIx64 " has changed it", name, claim,
			base + value->maker - 1);
	return arena_format(&source->arena, "%s: %s, but the code has something else there", name,
		claim);
}
