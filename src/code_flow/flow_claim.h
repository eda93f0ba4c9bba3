/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_CLAIM_H
#define CODE_FLOW_FLOW_CLAIM_H

#include "code_flow/flow_state.h"

/**
 * A record's rule for a register, compared with the effect of the code.
 *
 * A contradiction is certain: the code puts something else there. Where the state is unknown, or
 * a function finds its CFA by an argument on purpose (longjmp), nothing is said.
 */
enum flow_verdict {
	FLOW_AGREES,
	FLOW_CANNOT_SAY,
	FLOW_CONTRADICTS,
};

/** The word at base plus offset, or the sum itself. */
struct flow_claim {
	int base; /* register number, or FLOW_CFA */
	int64_t offset;
	bool dereference;
};

#define FLOW_CFA (-2)

/** Whether a claim is the CFA. */
enum flow_verdict
flow_claim_of_cfa(
	const struct arch *arch, const struct flow_state *state, const struct flow_claim *claim);

/** Whether a claim is what the caller had in a register; the pc's is the return address. */
enum flow_verdict
flow_claim_of(const struct arch *arch, const struct flow_state *state, int reg,
	const struct flow_claim *claim);

#endif
