/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/limits.h"
#include "walk/rule_cache.h"
#include "walk/step.h"

/*
 * SPARC: a function's ins are its caller's outs, so i7 has the address of the call and i6 the
 * caller's stack pointer. The caller's locals and ins were saved there when its window was needed
 * for other functions. 64-bit code keeps stack pointers 2047 too low (SCD 2.4).
 */
#define OUTS									\
	"pc: i7 8 + o0: i0 o1: i1 o2: i2 o3: i3 o4: i4 o5: i5 o6: i6 o7: i7 "
#define SAVED(reg, at) #reg ": i6 " #at " + ^ "

static const char rules_narrow[] =
	OUTS SAVED(l0, 0) SAVED(l1, 4) SAVED(l2, 8) SAVED(l3, 12) SAVED(l4, 16) SAVED(l5, 20)
	SAVED(l6, 24) SAVED(l7, 28) SAVED(i0, 32) SAVED(i1, 36) SAVED(i2, 40) SAVED(i3, 44)
	SAVED(i4, 48) SAVED(i5, 52) SAVED(i6, 56) SAVED(i7, 60);

static const char rules_wide[] =
	OUTS SAVED(l0, 2047) SAVED(l1, 2055) SAVED(l2, 2063) SAVED(l3, 2071) SAVED(l4, 2079)
	SAVED(l5, 2087) SAVED(l6, 2095) SAVED(l7, 2103) SAVED(i0, 2111) SAVED(i1, 2119)
	SAVED(i2, 2127) SAVED(i3, 2135) SAVED(i4, 2143) SAVED(i5, 2151) SAVED(i6, 2159)
	SAVED(i7, 2167);

#define I7 31
#define BIAS 2047u

static enum verdict_kind
return_through_window(struct step *step, struct frame *caller)
{
	const struct registers *registers = &step->callee->registers;
	const bool wide = step->arch->word_size == 8;
	const uint64_t fp = step->fp, sp = step->sp;
	ATTRIBUTE_UNINITIALIZED struct outcome outcomes[LIMIT_RULES];
	const char *why_not = "";

	if (!registers_known(registers, I7) || !registers_known(registers, step->arch->fp))
		return step_refuse(step, "the window of the callee is unknown");
	if (registers->value[I7] == 0 || fp == 0)
		return step_bottom(step, "i7 or fp is 0: bottom of the stack");
	if (!step_check(step, CHECK_FP_ORDER, fp > sp, "sp %#" PRIx64 ", fp %#" PRIx64, sp, fp))
		return step_refuse(step, "fp does not lie above the stack pointer");
	if (!step_check(step, CHECK_FP_ALIGNED, (fp + (wide ? BIAS : 0)) % 8 == 0, "%#" PRIx64, fp))
		return step_refuse(step, "fp is not aligned");
	if (!step_check(step, CHECK_PC_IN_MODULE,
			step_looks_like_return(step, registers->value[I7] + 8, &why_not),
			"i7 %#" PRIx64, registers->value[I7]))
		return step_refuse(step, "i7 is not the address of a call: %s", why_not);
	const struct rule_set *set = rule_cache_text(step->walk->cache, step->arch,
						     wide ? rules_wide : rules_narrow);
	step_begin_caller(step, caller, TRUST_FRAME_POINTER);
	if (step_evaluate_set(step, set, outcomes) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	/* The frame is valid even if the registers of its window are unknown. */
	return step_set_all(step, set, outcomes, caller, "its saved window is not in the dump");
}

/* Reads one of the two 32-bit words that Breakpad takes from a frame; sets its event. */
static bool
read_half(struct step *step, const char *name, uint64_t address, uint64_t *value, uint32_t *event)
{
	struct place place = { 0 };

	if (!memory_read(&step->walk->memory, address, 4, value, &place))
		return false;
	*event = step_named_input(step, name, *value, place, "32 bits at %#" PRIx64, address);
	return true;
}

/*
 * Breakpad uses the caller's window, saved at fp, in place of the callee's, and reads it as 32-bit
 * words in every process. If the window has a link of 0 or 1, the walk ends.
 */
static enum verdict_kind
skip_window(struct step *step, struct frame *caller)
{
	const struct arch *arch = step->arch;
	const uint64_t fp = step->fp;
	const uint64_t sp = step->sp;
	uint64_t call, next;
	uint32_t call_event, next_event;

	if (!step_check(step, CHECK_FP_ORDER, fp > sp, "sp %#" PRIx64 ", fp %#" PRIx64, sp, fp))
		return step_refuse(step, "fp does not lie above the stack pointer");
	if (!read_half(step, "saved i7", fp + 60, &call, &call_event) ||
	    !read_half(step, "saved fp", fp + 56, &next, &next_event))
		return step_refuse(step, "the window at fp is not in the dump");
	if (!step_check(step, CHECK_NOT_ZERO, call > 1 && next > 1, "i7 %#" PRIx64 ", fp %#" PRIx64,
			call, next))
		return step_refuse(step, "the window at fp holds no call: bottom of the stack");
	if (!step_check(step, CHECK_PC_FLOOR, call >= 4096, "i7 %#" PRIx64, call))
		return step_refuse(step, "i7 is in the first page: bottom of the stack");
	step_begin_caller(step, caller, TRUST_FRAME_POINTER);
	step_set(step, caller, arch->pc, call + 8, call_event, "");
	step_set(step, caller, arch->sp, fp, step_input(step, arch->fp), "");
	step_set(step, caller, arch->fp, next, next_event, "");
	return VERDICT_TAKEN;
}

enum verdict_kind
method_window(struct step *step, struct frame *caller)
{
	return step_policy(step, POLICY_SPARC_FRAME_SKIPPED) ? skip_window(step, caller)
							     : return_through_window(step, caller);
}
