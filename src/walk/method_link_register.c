/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/* Whether both addresses are in one function, as far as symbols tell. */
static bool
same_function(struct step *step, uint64_t address)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const uint64_t pc = step->callee->registers.value[step->arch->pc];
	struct function here, there;

	if (step->symfile == NULL || !symfile_covering_function(step->symfile, &policy,
								step->relative, &here))
		return address == pc;
	uint64_t relative = address - (pc - step->relative);
	return symfile_covering_function(step->symfile, &policy, relative, &there) &&
	       there.address == here.address;
}

/*
 * An interrupted leaf function keeps its return address in the link register. In a function
 * that has made a call already the register points back into itself.
 */
enum verdict_kind
method_link_register(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const struct registers *registers = &step->callee->registers;
	const char *why_not = "";

	if (!registers_known(registers, arch->lr))
		return step_refuse(step, "the link register is unknown in the callee");
	uint64_t lr = step_strip(step, registers->value[arch->lr]);
	if (!step_check(step, CHECK_PC_IN_MODULE, step_looks_like_return(step, lr, &why_not),
			"lr %" PRIx64, lr))
		return step_refuse(step, "the link register does not point behind a call");
	if (!step_check(step, CHECK_NOT_SELF, !same_function(step, lr), "lr %" PRIx64, lr))
		return step_refuse(step, "the link register points into the same function");
	step_begin_caller(step, caller, TRUST_LINK_REGISTER);
	if (!step_run_text(step, caller, "pc: %s sp: sp", arch->registers[arch->lr].name))
		return VERDICT_REFUSED;
	step_strip_pc(step, caller);
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved)
			step_keep(step, caller, reg, "a leaf function keeps what it must keep");
	return VERDICT_TAKEN;
}
