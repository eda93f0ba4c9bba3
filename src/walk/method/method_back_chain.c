/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * PowerPC: r1 points at the caller's r1, which points at its caller's, and so on. A function that
 * calls others saves its return address in its caller's frame: at 4 in the 32-bit System V ABI, at
 * 8 on macOS, at 16 in the 64-bit ABIs.
 */
enum { SLOT_NARROW = 4, SLOT_MACOS = 8, SLOT_WIDE = 16 };

/* The ABIs align frames to 16 bytes, except the embedded ABI (8 bytes). */
#define FRAME_ALIGNMENT 8u

/* The offset of the return address in the caller's frame. */
static unsigned
slot_of(const struct step *step)
{
	return step->arch->word_size == 8 ? SLOT_WIDE
	       : step_policy(step, POLICY_PPC_FRAME_OF_MACOS) ||
			       step->walk->crash->system.os == CRASH_OS_MAC
		       ? SLOT_MACOS
		       : SLOT_NARROW;
}

uint64_t
step_link_return(const struct step *step)
{
	const struct arch *arch = step->arch;
	const uint64_t lr = step_strip(step, step->callee->registers.value[arch->lr]);

	return arch_wrap(arch, lr + (uint64_t)(arch->return_step > 0 ? arch->return_step : 0));
}

enum verdict_kind
step_run_return(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const char *pc = arch_spelled(arch, arch->pc), *sp = arch_spelled(arch, arch->sp);
	const char *lr = arch_spelled(arch, arch->lr);

	if (arch->return_step != 0)
		return step_run_text(step, caller, "%s: %s %d + %s: %s", pc, lr,
				     step_return_step(step), sp, sp);
	return step_run_text(step, caller, "%s: %s %s: %s", pc, lr, sp, sp);
}

bool
step_return_is_saved(const struct step *step, uint64_t return_address)
{
	const unsigned word = step->arch->word_size;
	const struct memory_run *run;
	uint64_t frame, saved;

	if (method_is_of(step->arch->id, METHOD_BACK_CHAIN))
		return step_read(step, step->sp, &frame) &&
		       step_read(step, frame + slot_of(step), &saved) &&
		       saved == return_address;
	if (!method_is_of(step->arch->id, METHOD_RISCV) ||
	    !registers_known(&step->callee->registers, step->arch->fp) ||
	    !step_read(step, step->fp - word, &saved))
		return false;
	/* A frame pointer saved by a leaf leads upwards in the same memory. */
	run = memory_run_of(&step->walk->memory, step->fp - word);
	return saved == return_address ||
	       (run != NULL && saved > step->fp && saved - run->base <= run->size);
}

enum verdict_kind
method_back_chain(struct step *step, struct frame *caller)
{
	const bool strict = step_policy(step, POLICY_END_OF_STACK) != 0;
	const uint64_t r1 = step->sp;
	uint64_t next, pc;

	step_input(step, step->arch->sp);
	if (!step_read(step, r1, &next))
		return step_refuse(step, "the word at r1 is not in the dump");
	if (strict && next == 0)
		return step_bottom(step, "back chain 0: bottom of the stack");
	if (!step_check(step, CHECK_FP_ORDER, next > r1, "r1 %#" PRIx64 " leads to %#" PRIx64, r1,
			next))
		return step_refuse(step, "the back chain does not lead upwards");
	if (strict && !step_check(step, CHECK_FP_ALIGNED, next % FRAME_ALIGNMENT == 0, "%#" PRIx64,
				  next))
		return step_refuse(step, "the back chain does not lead to an aligned frame");
	step_begin_caller(step, caller, TRUST_FRAME_POINTER);
	if (step_run_text(step, caller, "srr0: r1 ^ %u + ^ r1: r1 ^", slot_of(step)) !=
	    VERDICT_TAKEN)
		return VERDICT_REFUSED;
	pc = caller->registers.value[step->arch->pc];
	/* macOS stores a 1 in the outermost frame of a thread. */
	if (!step_check(step, CHECK_NOT_ZERO, pc > 1, "srr0 %#" PRIx64, pc))
		return strict ? step_bottom(step, "return address %#" PRIx64
						  ": bottom of the stack", pc)
			      : step_refuse(step, "the return address is %#" PRIx64, pc);
	return VERDICT_TAKEN;
}
