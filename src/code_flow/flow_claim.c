/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_claim.h"

/* The value that a claim gives a register. */
static struct flow_value
value_of(const struct arch *arch, const struct flow_state *state, const struct flow_claim *claim)
{
	const struct flow_value unknown = { .kind = FLOW_UNKNOWN };
	struct flow_value value = { .kind = FLOW_STACK };

	if (claim->base >= 0 && claim->base < arch->register_count)
		value = state->registers[claim->base];
	else if (claim->base != FLOW_CFA)
		return unknown;
	const int64_t sum = (int64_t)((uint64_t)value.offset + (uint64_t)claim->offset);
	if (claim->offset == 0 && !claim->dereference)
		return value;
	/* Only words of this function's stack are known. */
	if (value.kind != FLOW_STACK)
		return (struct flow_value){ .kind = value.kind == FLOW_UNKNOWN || claim->dereference
				? FLOW_UNKNOWN
				: FLOW_OTHER };
	if (sum != (int32_t)sum)
		return unknown;
	value.offset = (int32_t)sum;
	return claim->dereference ? flow_state_slot(state, value.base, value.offset) : value;
}

enum flow_verdict
flow_claim_of_cfa(
	const struct arch *arch, const struct flow_state *state, const struct flow_claim *claim)
{
	const struct flow_value value = value_of(arch, state, claim);
	const struct flow_value *sp = &state->registers[arch->sp];
	/* By an argument, or when another stack has been taken: longjmp and its like. */
	const bool by_design = (claim->base >= 0 && claim->base != arch->sp &&
				       claim->base != arch->fp &&
				       !arch->registers[claim->base].callee_saved) ||
		(sp->kind != FLOW_STACK && sp->kind != FLOW_UNKNOWN);

	if (value.kind == FLOW_STACK && value.base == 0)
		return value.offset == 0 ? FLOW_AGREES : FLOW_CONTRADICTS;
	if (value.kind == FLOW_STACK || value.kind == FLOW_UNKNOWN || by_design ||
	    (state->moved && value.kind == FLOW_OTHER))
		return FLOW_CANNOT_SAY;
	return FLOW_CONTRADICTS;
}

enum flow_verdict
flow_claim_of(const struct arch *arch, const struct flow_state *state, int reg,
	const struct flow_claim *claim)
{
	const struct flow_value value = value_of(arch, state, claim);

	reg = reg == arch->pc ? flow_return_register(arch) : reg;
	/* A function of i386 may give its caller the pc in a register on purpose. */
	if (value.kind == FLOW_INIT && value.reg == flow_return_register(arch) &&
	    claim->base == reg && reg != value.reg)
		return FLOW_CANNOT_SAY;
	if (value.kind == FLOW_INIT)
		return value.reg == reg ? FLOW_AGREES : FLOW_CONTRADICTS;
	return value.kind == FLOW_UNKNOWN ? FLOW_CANNOT_SAY : FLOW_CONTRADICTS;
}
