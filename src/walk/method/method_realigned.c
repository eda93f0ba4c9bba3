/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/rule_cache.h"
#include "walk/step.h"

/*
 * A function that aligns its stack keeps the CFA in a register that it pushes. It also pushes a
 * copy of its return address below the aligned frame pointer. (Examples: gcc's main on x86; on
 * amd64 a function with large vectors and a variable frame.) Dumpers cannot write that CFA, because
 * it is a DWARF expression. The copy identifies the CFA: the word below the CFA equals the copy.
 */
#define MOST_SAVED 5u		/* the CFA's register and at most four others before it (amd64) */
#define MOST_ALIGNMENT 128u	/* bytes that aligning may leave between the frames */

bool
step_realigns(const struct step *step)
{
	const struct arch *arch = step->arch;
	bool elsewhere = false;

	if (!arch_pushes_return(arch) || step->symfile == NULL ||
	    !step_policy(step, POLICY_REALIGNED_FRAMES))
		return false;
	const struct rule_records records = { arch, step->policy, step->symfile, NULL };
	const struct rule_set *set = rule_cache_stack_cfi(step->walk->cache, records, false,
							  step->callee->module, step->relative);
	if (set == NULL || set->problem != NULL)
		return false;
	const struct program *program = set->rules[set->cfa].program;
	for (size_t i = 0; i < program->name_count; i++) {
		const int reg = program->names[i].reg;

		if (reg == arch->sp || reg == arch->fp)
			return false;
		elsewhere = elsewhere || reg >= 0;
	}
	return elsewhere;
}

static bool
find_cfa(struct step *step, uint64_t fp, uint32_t *below)
{
	const uint32_t word = step->arch->word_size;
	const int digits = (int)word * 2;
	uint64_t copy, cfa, original;

	if (!step_read(step, fp + word, &copy))
		return false;
	for (uint32_t i = 1; i <= MOST_SAVED; i++) {
		*below = i * word;
		if (!step_read(step, fp - *below, &cfa) || cfa % word != 0 ||
		    cfa <= fp + 2 * word || cfa - (fp + 2 * word) > MOST_ALIGNMENT ||
		    !step_read(step, cfa - word, &original))
			continue;
		if (step_check(step, CHECK_COPIED_RETURN, original == copy,
			       "%0*" PRIx64 " at %0*" PRIx64 ", %0*" PRIx64 " at %0*" PRIx64,
			       digits, original, digits, cfa - word, digits, copy, digits,
			       fp + word))
			return true;
	}
	return false;
}

enum verdict_kind
method_realigned(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const char *fp = arch->registers[arch->fp].name;
	uint32_t below;

	if (!registers_known(&step->callee->registers, arch->fp))
		return step_refuse(step, "%s is unknown in the callee",
				   arch->registers[arch->fp].label);
	/* If the function is known to align its stack, the frame pointer belongs to it. */
	if (!step_realigns(step) && step_leads_over_calls(step, step->fp))
		return step_refuse(step, "the frame pointer chain of %s skips a return address",
				   arch->registers[arch->fp].label);
	if (!find_cfa(step, step->fp, &below))
		return step_refuse(step, "no second return address at the saved frame pointer");
	step_begin_caller(step, caller, TRUST_REALIGNED);
	return step_run_text(step, caller,
			     "%s: %s %" PRIu32 " - ^ %u - ^ %s: %s %" PRIu32 " - ^ %s: %s ^",
			     arch->registers[arch->pc].name, fp, below, arch->word_size,
			     arch->registers[arch->sp].name, fp, below, fp, fp);
}
