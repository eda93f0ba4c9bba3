/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/step.h"

static bool
always(const struct step *step)
{
	(void)step;
	return true;
}

static bool
has_symbols(const struct step *step)
{
	return step->symfile != NULL;
}

static bool
is_interrupted(const struct step *step)
{
	return step->callee->interrupted;
}

static bool
is_interrupted_outside_code(const struct step *step)
{
	return is_interrupted(step) &&
	       step_code_at(step, step->callee->registers.value[step->arch->pc]) != STEP_CODE;
}

static bool
is_first_on_windows(const struct step *step)
{
	return step_is_first(step) && step->walk->crash->system.os == CRASH_OS_WINDOWS;
}

static bool
is_linux_trampoline(const struct step *step)
{
	const enum crash_os os = step->walk->crash->system.os;

	return (os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID) && step_is_trampoline(step);
}

const struct method methods[METHOD_COUNT] = {
#define METHOD(id, title, function, row, fits) \
	[METHOD_##id] = { title, function, (enum policy_row)(row), fits },
#include "walk/method.def"
#undef METHOD
};

#define MOST_METHODS 8

/* Breakpad's order where it has the method; ours come where they are surest. */
static const enum method_id orders[ARCH_COUNT][MOST_METHODS] = {
	[ARCH_X86] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_WIN, METHOD_STACK_CFI,
		       METHOD_REALIGNED, METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
	[ARCH_AMD64] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI, METHOD_LEAF,
			 METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
	[ARCH_ARM] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI,
		       METHOD_LINK_REGISTER, METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
	[ARCH_ARM64] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI,
			 METHOD_LINK_REGISTER, METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
};

const enum method_id *
method_order(enum arch_id arch)
{
	static const enum method_id none[] = { METHOD_COUNT };

	return arch <= ARCH_ARM64 ? orders[arch] : none;
}
