/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * Without symbols, a call less than this many bytes before the pc is assumed to be in the same
 * function, and to have returned. Functions without a frame are short, and rarely follow their
 * callers.
 */
#define SAME_FUNCTION 128u
/* A call less than this many bytes away may be an earlier call by the same function. */
#define NEAR_FUNCTION 1024u

/* Whether the frame pointer leads to the callee's record: one with the same return address. */
static bool
is_saved(const struct step *step, uint64_t lr)
{
	uint64_t saved;

	return step->arch->frame_records &&
	       registers_known(&step->callee->registers, step->arch->fp) && step->fp >= step->sp &&
	       step_read(step, step->fp + 8, &saved) && step_strip(step, saved) == lr;
}

/* Whether an address is in the callee's function, by the symbols or else by its distance. */
static bool
same_function(struct step *step, uint64_t address)
{
	const struct policy *policy = &step->walk->policy;
	struct function here, there;

	if (step->symfile == NULL ||
	    !symfile_covering_function(step->symfile, policy, step->relative, &here))
		return step->pc - arch_code(step->arch, address) < SAME_FUNCTION;
	uint64_t relative = address - (step->pc - step->relative);
	return symfile_covering_function(step->symfile, policy, relative, &there) &&
	       there.address == here.address;
}

/*
 * Whether an earlier call may have left `address` in the link register. On 32-bit ARM, functions
 * return by popping the pc and leave the register as their own calls set it. On other processors an
 * earlier call would be in the same function, so only a near address is doubtful, and only without
 * symbols.
 */
static bool
may_be_left(const struct step *step, uint64_t address)
{
	struct function here;

	return step->arch->mode_bit != 0 ||
	       (!step_function_at(step, step->pc, true, &here) &&
		module_map_find(&step->walk->modules, address) == step->callee->module &&
		step->pc - address + NEAR_FUNCTION < 2 * NEAR_FUNCTION);
}

/*
 * An interrupted leaf function keeps its return address in the link register. In a function that
 * has already made a call, the register points into the function itself.
 */
enum verdict_kind
method_link_register(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const struct registers *registers = &step->callee->registers;
	const char *why_not = "";

	if (!registers_known(registers, arch->lr))
		return step_refuse(step, "the link register is unknown in the callee");
	uint64_t lr = step_link_return(step);
	if (!step_check(step, CHECK_PC_IN_MODULE, step_looks_like_return(step, lr, &why_not),
			"lr %#" PRIx64, lr))
		return step_refuse(step, "the link register does not point after a call");
	if (!step_check(step, CHECK_NOT_SELF, !same_function(step, lr), "lr %#" PRIx64, lr))
		return step_refuse(step, "the link register points into the same function");
	if (!step_check(step, CHECK_NOT_SAVED,
			!is_saved(step, lr) && !step_return_is_saved(step, lr), "%#" PRIx64, lr))
		return step_refuse(step, "the callee has a frame record, which is more reliable");
	step_begin_caller(step, caller, may_be_left(step, lr) ? TRUST_LINK_GUESS
							     : TRUST_LINK_REGISTER);
	if (step_run_return(step, caller) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	step_strip_register(step, caller, step->arch->pc);
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved)
			step_keep(step, caller, reg, "a leaf function preserves callee-saved "
						     "registers");
	return VERDICT_TAKEN;
}
