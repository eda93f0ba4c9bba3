/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * A call through a null or wild pointer: the pc is not at code. Nothing has run since the call, so
 * the return address is where the call put it, and every register has the caller's value.
 */

/*
 * Whether the crash is a failed fetch of the instruction at the pc. Small dumps of Windows lack a
 * memory list to distinguish a module's data from its code.
 */
static bool
is_fetch_refused(const struct step *step)
{
	const struct crash *crash = step->walk->crash;

	return step_is_first(step) && (int)step->walk->thread == crash->requesting_thread &&
	       crash->cause.access == CRASH_ACCESS_EXECUTE && !crash->cause.no_page &&
	       crash->reason_address == step->pc;
}

bool
step_call_left(struct step *step, uint64_t *value)
{
	const struct arch *arch = step->arch;
	const bool pushed = arch->lr == ARCH_NO_REGISTER;

	*value = pushed ? 0 : step_link_return(step);
	return (pushed ? step_read(step, step->sp, value)
		       : registers_known(&step->callee->registers, arch->lr)) &&
	       step_may_be_return(step, *value);
}

enum verdict_kind
method_bad_call(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const bool pushed = arch->lr == ARCH_NO_REGISTER;
	const char *sp = arch->registers[arch->sp].name;
	uint64_t value;

	if (!step_call_left(step, &value))
		return step_refuse(step, "no return address where a call would have stored it");
	step_fact(step, (struct place){ 0 },
		  "%#" PRIx64 " is %s: the call to it left %#" PRIx64, step->pc,
		  step->callee->module == MODULE_NONE ? "in no module" : "not executable", value);
	step_begin_caller(step, caller, TRUST_CALL);
	if ((pushed ? step_run_text(step, caller, "%s: %s ^ %s: %s %u +",
				    arch->registers[arch->pc].name, sp, sp, sp, arch->word_size)
		    : step_run_return(step, caller)) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	step_strip_register(step, caller, step->arch->pc);
	step_keep_all(step, caller, "nothing has run since the call");
	return VERDICT_TAKEN;
}

bool
method_is_outside_code(const struct step *step)
{
	return method_is_interrupted(step) &&
	       (step_code_at(step, step->pc) != STEP_CODE || is_fetch_refused(step));
}
