/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* x0 to x30, sp, pc, cpsr: of Windows and Crashpad */
static const struct context_field fields[] = {
	{ 0, 8, 8 }, { 1, 8, 16 }, { 2, 8, 24 }, { 3, 8, 32 }, { 4, 8, 40 }, { 5, 8, 48 },
	{ 6, 8, 56 }, { 7, 8, 64 }, { 8, 8, 72 }, { 9, 8, 80 }, { 10, 8, 88 }, { 11, 8, 96 },
	{ 12, 8, 104 }, { 13, 8, 112 }, { 14, 8, 120 }, { 15, 8, 128 }, { 16, 8, 136 },
	{ 17, 8, 144 }, { 18, 8, 152 }, { 19, 8, 160 }, { 20, 8, 168 }, { 21, 8, 176 },
	{ 22, 8, 184 }, { 23, 8, 192 }, { 24, 8, 200 }, { 25, 8, 208 }, { 26, 8, 216 },
	{ 27, 8, 224 }, { 28, 8, 232 }, { 29, 8, 240 }, { 30, 8, 248 }, { 31, 8, 256 },
	{ 32, 8, 264 }, { 33, 4, 4 },
};

const struct context_layout context_layout_arm64 = {
	.name = "arm64",
	.arch = ARCH_ARM64,
	.size = 912,
	.flags_size = 4,
	.cpu = 0x00400000,
	.kernel_bits = true,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};

/*
 * The same behind 64-bit flags: of Breakpad's Linux writer (796 bytes) and of LLDB's
 * (800, the size of the natural C structure, although its system info names the
 * new architecture).
 */
static const struct context_field old_fields[] = {
	{ 0, 8, 8 }, { 1, 8, 16 }, { 2, 8, 24 }, { 3, 8, 32 }, { 4, 8, 40 }, { 5, 8, 48 },
	{ 6, 8, 56 }, { 7, 8, 64 }, { 8, 8, 72 }, { 9, 8, 80 }, { 10, 8, 88 }, { 11, 8, 96 },
	{ 12, 8, 104 }, { 13, 8, 112 }, { 14, 8, 120 }, { 15, 8, 128 }, { 16, 8, 136 },
	{ 17, 8, 144 }, { 18, 8, 152 }, { 19, 8, 160 }, { 20, 8, 168 }, { 21, 8, 176 },
	{ 22, 8, 184 }, { 23, 8, 192 }, { 24, 8, 200 }, { 25, 8, 208 }, { 26, 8, 216 },
	{ 27, 8, 224 }, { 28, 8, 232 }, { 29, 8, 240 }, { 30, 8, 248 }, { 31, 8, 256 },
	{ 32, 8, 264 }, { 33, 4, 272 },
};

const struct context_layout context_layout_arm64_old = {
	.name = "arm64 (old layout)",
	.arch = ARCH_ARM64,
	.size = 796,
	.flags_size = 8,
	.cpu = 0x80000000,
	.fields = old_fields,
	.field_count = ARRAY_COUNT(old_fields),
};
