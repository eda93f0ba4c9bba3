/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * A call through a null or wild pointer: the pc is no code and nothing has run since the
 * call, so the return address is where the call put it and every register is the caller's.
 */

static bool
run_formula(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const char *pc = arch->registers[arch->pc].name, *sp = arch->registers[arch->sp].name;

	if (arch->lr != ARCH_NO_REGISTER)
		return step_run_return(step, caller);
	return step_run_text(step, caller, "%s: %s ^ %s: %s %u +", pc, sp, sp, sp,
			     step->arch->word_size);
}

static bool
return_address(struct step *step, uint64_t *value)
{
	const struct arch *arch = step->arch;

	if (arch->lr == ARCH_NO_REGISTER)
		return step_read(step, step->callee->registers.value[arch->sp], value);
	*value = step_link_return(step);
	return registers_known(&step->callee->registers, arch->lr);
}

enum verdict_kind
method_bad_call(struct step *step, struct frame *caller)
{
	const uint64_t pc = step->callee->registers.value[step->arch->pc];
	const char *why_not = "";
	uint64_t value;

	if (!return_address(step, &value) || !step_looks_like_return(step, value, &why_not))
		return step_refuse(step, "no return address where a call would have stored it");
	step_fact(step, (struct place){ 0 },
		  "%" PRIx64 " is in no module: the call to it left %" PRIx64, pc, value);
	step_begin_caller(step, caller, TRUST_CALL);
	if (!run_formula(step, caller))
		return VERDICT_REFUSED;
	step_strip_pc(step, caller);
	step_keep_all(step, caller, "nothing has run since the call");
	return VERDICT_TAKEN;
}

bool
method_is_outside_code(const struct step *step)
{
	return method_is_interrupted(step) &&
	       step_code_at(step, step->callee->registers.value[step->arch->pc]) != STEP_CODE;
}
