/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

/*
 * x86 Linux makes system calls in the kernel's page: __kernel_vsyscall pushes ecx, edx and ebp, and
 * enters the kernel. A waiting thread's pc is after the pushes (Linux,
 * arch/x86/entry/vdso/vdso32/system_call.S). Older kernels and processors push nothing.
 */
static const char rules_pushed[] = "$eip: $esp 12 + ^ $esp: $esp 16 + $ebp: $esp ^ "
				   "$ebx: $ebx $esi: $esi $edi: $edi";
static const char rules_bare[] = "$eip: $esp ^ $esp: $esp 4 + $ebp: $ebp "
				 "$ebx: $ebx $esi: $esi $edi: $edi";

enum verdict_kind
method_system_call(struct step *step, struct frame *caller)
{
	static const struct {
		uint64_t offset;
		const char *rules;
	} forms[] = { { 12, rules_pushed }, { 0, rules_bare } };
	const uint64_t sp = step->sp;
	const char *why_not = "";
	uint64_t value;

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if (!step_read(step, sp + forms[i].offset, &value) ||
		    !step_check(step, CHECK_PC_IN_MODULE,
				step_looks_like_return(step, value, &why_not), "%08" PRIx64,
				value))
			continue;
		return step_run_constant(step, caller, TRUST_SYSTEM_CALL, forms[i].rules);
	}
	return step_refuse(step, "no return address where a system call stores it");
}

/* On x86 the kernel's page contains only its system call and the trampolines. */
bool
method_is_in_system_call(const struct step *step)
{
	return method_is_interrupted(step) &&
	       step_is_in_kernel_page(step, step->pc) &&
	       !step_is_trampoline(step);
}
