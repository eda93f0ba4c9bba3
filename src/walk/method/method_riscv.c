/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * RISC-V: s0 is the CFA of a function that keeps a frame pointer. The words below the CFA hold the
 * return address and the caller's s0 (psABI, "Frame Pointer Convention"). A leaf function saves
 * only s0, directly below the CFA.
 */
struct record_rules {
	const char *record, *leaf;
	const char *arm64, *arm64_bottom;	/* rules of Breakpad, written for arm64's records */
};

static const struct record_rules narrow = {
	.record = "pc: s0 4 - ^ sp: s0 s0: s0 8 - ^",
	.leaf = "pc: ra sp: s0 s0: s0 4 - ^",
	.arm64 = "pc: ra sp: s0 8 + s0: s0 ^ ra: s0 4 + ^",
	.arm64_bottom = "pc: ra sp: s0 s0: 0 ra: 0",
};

static const struct record_rules wide = {
	.record = "pc: s0 8 - ^ sp: s0 s0: s0 16 - ^",
	.leaf = "pc: ra sp: s0 s0: s0 8 - ^",
	.arm64 = "pc: ra sp: s0 16 + s0: s0 ^ ra: s0 8 + ^",
	.arm64_bottom = "pc: ra sp: s0 s0: 0 ra: 0",
};

/* Whether an interrupted leaf function has saved only s0 below its CFA. */
static bool
is_leaf_record(struct step *step)
{
	const struct arch *arch = step->arch;
	const struct registers *registers = &step->callee->registers;
	const uint64_t s0 = step->fp;
	const struct memory_run *stack = memory_run_of(&step->walk->memory, s0 - arch->word_size);
	const char *ignored = "";
	uint64_t below;

	return step->callee->interrupted && stack != NULL &&
	       step_read(step, s0 - arch->word_size, &below) && below > s0 &&
	       below - stack->base <= stack->size && registers_known(registers, arch->lr) &&
	       step_looks_like_return(step, registers->value[arch->lr], &ignored);
}

/* Compilers keep no frame pointer by default: the record must prove that the function has one. */
static enum verdict_kind
follow_record(struct step *step, struct frame *caller, const struct record_rules *rules)
{
	const struct arch *arch = step->arch;
	const uint64_t s0 = step->fp;
	const uint64_t sp = step->sp;
	const char *why_not = "";

	if (!registers_known(&step->callee->registers, arch->fp))
		return step_refuse(step, "s0 is unknown in the callee");
	if (s0 == 0 && step->callee->trust == TRUST_FRAME_POINTER)
		return step_bottom(step, "the chain of frame pointers ends with 0: bottom of the "
				      "stack");
	if (!step_check(step, CHECK_FP_ALIGNED, s0 % arch->word_size == 0, "s0 %#" PRIx64, s0))
		return step_refuse(step, "s0 is not aligned");
	if (!step_check(step, CHECK_FP_ORDER, s0 > sp, "s0 %#" PRIx64 ", sp %#" PRIx64, s0, sp))
		return step_refuse(step, "s0 does not lie above the stack pointer");
	if (step_run_constant(step, caller, TRUST_FRAME_POINTER,
			      is_leaf_record(step) ? rules->leaf : rules->record) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	uint64_t pc = caller->registers.value[arch->pc], next = caller->registers.value[arch->fp];
	if (!step_check(step, CHECK_FP_ORDER, next == 0 || next > s0,
			"s0 %#" PRIx64 " leads to %#" PRIx64, s0, next))
		return step_refuse(step, "the saved s0 does not point upwards");
	if (pc != 0 && !step_check(step, CHECK_PC_IN_MODULE,
				   step_looks_like_return(step, pc, &why_not), "%#" PRIx64, pc))
		return step_refuse(step, "no return address below s0: %s", why_not);
	return VERDICT_TAKEN;
}

enum verdict_kind
method_riscv(struct step *step, struct frame *caller)
{
	const struct record_rules *rules = step->arch->word_size == 4 ? &narrow : &wide;

	if (!step_policy(step, POLICY_RISCV_FRAME_OF_ARM64))
		return follow_record(step, caller, rules);
	/* Breakpad's walker does not check whether a register is valid. */
	step_use_residue(step);
	return step_run_constant(step, caller, TRUST_FRAME_POINTER,
				 step->fp == 0 ? rules->arm64_bottom : rules->arm64);
}
