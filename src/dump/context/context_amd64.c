/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip */
static const struct context_field fields[] = {
	{ 0, 8, 120 }, { 1, 8, 136 }, { 2, 8, 128 }, { 3, 8, 144 }, { 4, 8, 168 }, { 5, 8, 176 },
	{ 6, 8, 160 }, { 7, 8, 152 }, { 8, 8, 184 }, { 9, 8, 192 }, { 10, 8, 200 },
	{ 11, 8, 208 }, { 12, 8, 216 }, { 13, 8, 224 }, { 14, 8, 232 }, { 15, 8, 240 },
	{ 16, 8, 248 },
};

const struct context_layout context_layout_amd64 = {
	.name = "amd64",
	.arch = ARCH_AMD64,
	.size = 1232,
	.flags_offset = 48,
	.flags_size = 4,
	.cpu = 0x00100000,
	.kernel_bits = true,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};
