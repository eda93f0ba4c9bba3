/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* eip, esp, ebp, ebx, esi, edi, eax, ecx, edx, efl */
static const struct context_field fields[] = {
	{ 0, 4, 184 }, { 1, 4, 196 }, { 2, 4, 180 }, { 3, 4, 164 }, { 4, 4, 160 }, { 5, 4, 156 },
	{ 6, 4, 176 }, { 7, 4, 172 }, { 8, 4, 168 }, { 9, 4, 192 },
};

const struct context_layout context_layout_x86 = {
	.name = "x86",
	.arch = ARCH_X86,
	.size = 716,
	.flags_size = 4,
	.cpu = 0x00010000,
	.kernel_bits = true,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};
