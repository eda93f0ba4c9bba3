/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* r0 to r15, cpsr */
static const struct context_field fields[] = {
	{ 0, 4, 4 }, { 1, 4, 8 }, { 2, 4, 12 }, { 3, 4, 16 }, { 4, 4, 20 }, { 5, 4, 24 },
	{ 6, 4, 28 }, { 7, 4, 32 }, { 8, 4, 36 }, { 9, 4, 40 }, { 10, 4, 44 }, { 11, 4, 48 },
	{ 12, 4, 52 }, { 13, 4, 56 }, { 14, 4, 60 }, { 15, 4, 64 }, { 16, 4, 68 },
};

const struct context_layout context_layout_arm = {
	.name = "arm",
	.arch = ARCH_ARM,
	.size = 368,
	.flags_size = 4,
	.cpu = 0x40000000,
	.cpu_legacy = 0x40,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};
