/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* pc, x1 to x31, fcsr */
static const struct context_field fields[] = {
	CONTEXT_EIGHT(0, 4, 8), CONTEXT_EIGHT(8, 4, 40), CONTEXT_EIGHT(16, 4, 72),
	CONTEXT_EIGHT(24, 4, 104), { 32, 4, 264 },
};

const struct context_layout context_layout_riscv = {
	.name = "riscv",
	.arch = ARCH_RISCV,
	.size = 268,
	.flags_size = 4,
	.cpu = 0x00800000,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};

static const struct context_field wide_fields[] = {
	CONTEXT_EIGHT(0, 8, 8), CONTEXT_EIGHT(8, 8, 72), CONTEXT_EIGHT(16, 8, 136),
	CONTEXT_EIGHT(24, 8, 200), { 32, 4, 520 },
};

const struct context_layout context_layout_riscv64 = {
	.name = "riscv64",
	.arch = ARCH_RISCV64,
	.size = 528,
	.flags_size = 4,
	.cpu = 0x08000000,
	.fields = wide_fields,
	.field_count = ARRAY_COUNT(wide_fields),
};
