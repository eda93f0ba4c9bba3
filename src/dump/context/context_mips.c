/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* r0 to r31, epc, hi, lo, hi1 to hi3, lo1 to lo3, dsp, badvaddr, status, cause, fpcsr, fir */
static const struct context_field fields[] = {
	CONTEXT_EIGHT(0, 8, 8), CONTEXT_EIGHT(8, 8, 72), CONTEXT_EIGHT(16, 8, 136),
	CONTEXT_EIGHT(24, 8, 200), { 32, 8, 312 }, { 33, 8, 264 }, { 34, 8, 272 },
	{ 35, 4, 280 }, { 36, 4, 284 }, { 37, 4, 288 }, { 38, 4, 292 }, { 39, 4, 296 },
	{ 40, 4, 300 }, { 41, 4, 304 }, { 42, 8, 320 }, { 43, 4, 328 }, { 44, 4, 332 },
	{ 45, 4, 592 }, { 46, 4, 596 },
};

const struct context_layout context_layout_mips = {
	.name = "mips",
	.arch = ARCH_MIPS,
	.size = 600,
	.flags_size = 4,
	.cpu = 0x00040000,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};

const struct context_layout context_layout_mips64 = {
	.name = "mips64",
	.arch = ARCH_MIPS64,
	.size = 600,
	.flags_size = 4,
	.cpu = 0x00080000,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};

/* Crashpad's, where everything but fir has 64 bits. */
static const struct context_field crashpad_fields[] = {
	CONTEXT_EIGHT(0, 8, 8), CONTEXT_EIGHT(8, 8, 72), CONTEXT_EIGHT(16, 8, 136),
	CONTEXT_EIGHT(24, 8, 200), { 32, 8, 336 }, { 33, 8, 264 }, { 34, 8, 272 },
	{ 35, 8, 280 }, { 36, 8, 288 }, { 37, 8, 296 }, { 38, 8, 304 }, { 39, 8, 312 },
	{ 40, 8, 320 }, { 41, 8, 328 }, { 42, 8, 344 }, { 43, 8, 352 }, { 44, 8, 360 },
	{ 45, 8, 624 }, { 46, 4, 632 },
};

const struct context_layout context_layout_mips64_crashpad = {
	.name = "mips64 (Crashpad)",
	.arch = ARCH_MIPS64,
	.size = 640,
	.plain_size = 600,
	.flags_size = 8,
	.cpu = 0x00080000,
	.fields = crashpad_fields,
	.field_count = ARRAY_COUNT(crashpad_fields),
};
