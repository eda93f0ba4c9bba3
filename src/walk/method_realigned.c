/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * A function that aligns its stack on x86 (gcc's main does) keeps the CFA in a register that
 * it pushes, and pushes a copy of its return address below the aligned ebp. Dumpers can't
 * write that CFA, a DWARF expression; the copy tells it all the same: where the word pushed
 * behind ebp is the CFA, the word below it equals the copy.
 */
#define MOST_SAVED 4u		/* ecx is pushed behind ebp and at most three other registers */
#define MOST_ALIGNMENT 128u	/* bytes that aligning may leave between the frames */

static bool
find_cfa(struct step *step, uint64_t ebp, uint32_t *below)
{
	uint64_t copy, cfa, original;

	if (!step_read(step, ebp + 4, &copy))
		return false;
	for (uint32_t i = 1; i <= MOST_SAVED; i++) {
		*below = i * step->arch->word_size;
		if (!step_read(step, ebp - *below, &cfa) || cfa <= ebp + 8 ||
		    cfa - (ebp + 8) > MOST_ALIGNMENT || !step_read(step, cfa - 4, &original))
			continue;
		if (step_check(step, CHECK_COPIED_RETURN, original == copy,
			       "%08" PRIx64 " at %08" PRIx64 ", %08" PRIx64 " at %08" PRIx64,
			       original, cfa - 4, copy, ebp + 4))
			return true;
	}
	return false;
}

enum verdict_kind
method_realigned(struct step *step, struct frame *caller)
{
	const int fp = step->arch->fp;
	uint32_t below;

	if (!registers_known(&step->callee->registers, fp))
		return step_refuse(step, "ebp is unknown in the callee");
	if (step_leads_over_calls(step, step->callee->registers.value[fp]))
		return step_refuse(step, "ebp leads over a return address");
	if (!find_cfa(step, step->callee->registers.value[fp], &below))
		return step_refuse(step, "there is no second copy of a return address");
	step_begin_caller(step, caller, TRUST_REALIGNED);
	if (!step_run_text(step, caller,
			   "$eip: $ebp %" PRIu32 " - ^ 4 - ^ $esp: $ebp %" PRIu32
			   " - ^ $ebp: $ebp ^",
			   below, below))
		return VERDICT_REFUSED;
	return VERDICT_TAKEN;
}
