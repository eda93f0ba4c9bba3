/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/rule_cache.h"
#include "base/error.h"
#include "walk/step.h"

/*
 * PowerPC: r1 points at the caller's r1, which points at its caller's, and so on. A function
 * that calls others leaves its return address in its caller's frame: at 4 in the 32-bit System V
 * ABI, at 8 on macOS, at 16 in the 64-bit ABIs.
 */
static const char rules_ppc[] = "srr0: r1 ^ 4 + ^ r1: r1 ^";
static const char rules_ppc_macos[] = "srr0: r1 ^ 8 + ^ r1: r1 ^";
static const char rules_ppc64[] = "srr0: r1 ^ 16 + ^ r1: r1 ^";

/* Both ABIs align frames to 16 bytes, the embedded one to 8. */
#define FRAME_ALIGNMENT 8u

static bool
is_macos_frame(const struct step *step)
{
	return step_policy(step, POLICY_PPC_FRAME_OF_MACOS) ||
	       step->walk->crash->system.os == CRASH_OS_MAC;
}

static uint64_t
slot_of_return(const struct step *step)
{
	if (step->arch->word_size == 8)
		return 16;
	return is_macos_frame(step) ? 8 : 4;
}

static const char *
rules_of(const struct step *step)
{
	if (step->arch->word_size == 8)
		return rules_ppc64;
	return is_macos_frame(step) ? rules_ppc_macos : rules_ppc;
}

bool
step_run_constant(struct step *step, struct frame *caller, enum trust trust, const char *text)
{
	const struct rule_set *set = rule_cache_text(step->walk->cache, step->arch, text);

	if (set == NULL) {
		step_refuse(step, OUT_OF_MEMORY);
		return false;
	}
	step_begin_caller(step, caller, trust);
	return step_run_rules(step, set, caller);
}

uint64_t
step_link_return(const struct step *step)
{
	const struct arch *arch = step->arch;
	const uint64_t lr = step_strip(step, step->callee->registers.value[arch->lr]);

	return arch_wrap(arch, lr + (uint64_t)(arch->return_step > 0 ? arch->return_step : 0));
}

static const char *
spelled(const struct arch *arch, int reg)
{
	const struct arch_register *entry = &arch->registers[reg];

	return entry->name != NULL ? entry->name : entry->label;
}

bool
step_run_return(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const char *pc = spelled(arch, arch->pc), *sp = spelled(arch, arch->sp);
	const char *lr = spelled(arch, arch->lr);

	if (arch->return_step != 0)
		return step_run_text(step, caller, "%s: %s %d + %s: %s", pc, lr,
				     step_return_step(step), sp, sp);
	return step_run_text(step, caller, "%s: %s %s: %s", pc, lr, sp, sp);
}

/* Whether `address` is in the memory that `frame` ends, and above it. */
static bool
is_above(const struct step *step, uint64_t frame, uint64_t address)
{
	const struct memory_run *run =
		memory_run_of(&step->walk->memory, frame - step->arch->word_size);

	return run != NULL && address > frame && address - run->base <= run->size;
}

bool
step_return_is_saved(const struct step *step, uint64_t return_address)
{
	const struct registers *registers = &step->callee->registers;
	const unsigned word = step->arch->word_size;
	uint64_t frame, saved;

	if (method_is_of(step->arch->id, METHOD_BACK_CHAIN))
		return step_read(step, registers->value[step->arch->sp], &frame) &&
		       step_read(step, frame + slot_of_return(step), &saved) &&
		       saved == return_address;
	frame = registers->value[step->arch->fp];
	return method_is_of(step->arch->id, METHOD_RISCV) &&
	       registers_known(registers, step->arch->fp) &&
	       step_read(step, frame - word, &saved) &&
	       (saved == return_address || is_above(step, frame, saved));
}

enum verdict_kind
method_back_chain(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const bool strict = step_policy(step, POLICY_END_OF_STACK) != 0;
	const uint64_t r1 = step->callee->registers.value[arch->sp];
	uint64_t next, pc;

	step_input(step, arch->sp);
	if (!step_read(step, r1, &next))
		return step_refuse(step, "the word at r1 is not in the dump");
	if (strict && next == 0)
		return step_end(step, "back chain 0: bottom of the stack");
	if (!step_check(step, CHECK_FP_ORDER, next > r1, "r1 %" PRIx64 " leads to %" PRIx64, r1,
			next))
		return step_refuse(step, "the back chain does not lead upwards");
	if (strict && !step_check(step, CHECK_FP_ALIGNED, next % FRAME_ALIGNMENT == 0, "%" PRIx64,
				  next))
		return step_refuse(step, "the back chain does not lead to an aligned frame");
	if (!step_run_constant(step, caller, TRUST_FRAME_POINTER, rules_of(step)))
		return VERDICT_REFUSED;
	pc = caller->registers.value[arch->pc];
	/* macOS leaves a 1 in the outermost frame of a thread. */
	if (!step_check(step, CHECK_NOT_ZERO, pc > 1, "srr0 %" PRIx64, pc))
		return strict ? step_end(step, "return address %" PRIx64 ": bottom of the stack",
					 pc)
			      : step_refuse(step, "the return address is %" PRIx64, pc);
	return VERDICT_TAKEN;
}
