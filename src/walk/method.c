/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/step.h"

const struct method methods[METHOD_COUNT] = {
#define METHOD(id, title, function, row) [METHOD_##id] = { title, function, (enum policy_row)(row) },
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
