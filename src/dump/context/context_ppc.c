/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* r0 to r31, srr0, srr1, cr, xer, lr, ctr, mq, vrsave */
static const struct context_field fields[] = {
	CONTEXT_EIGHT(0, 4, 12), CONTEXT_EIGHT(8, 4, 44), CONTEXT_EIGHT(16, 4, 76),
	CONTEXT_EIGHT(24, 4, 108), { 32, 4, 4 }, { 33, 4, 8 }, { 34, 4, 140 }, { 35, 4, 144 },
	{ 36, 4, 148 }, { 37, 4, 152 }, { 38, 4, 156 }, { 39, 4, 160 },
};

const struct context_layout context_layout_ppc = {
	.name = "ppc",
	.arch = ARCH_PPC,
	.size = 1004,
	.flags_size = 4,
	.cpu = 0x20000000,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};

/* The same without mq */
static const struct context_field wide_fields[] = {
	CONTEXT_EIGHT(0, 8, 24), CONTEXT_EIGHT(8, 8, 88), CONTEXT_EIGHT(16, 8, 152),
	CONTEXT_EIGHT(24, 8, 216), { 32, 8, 8 }, { 33, 8, 16 }, { 34, 8, 280 }, { 35, 8, 288 },
	{ 36, 8, 296 }, { 37, 8, 304 }, { 38, 8, 312 },
};

const struct context_layout context_layout_ppc64 = {
	.name = "ppc64",
	.arch = ARCH_PPC64,
	.size = 1160,
	.flags_size = 8,
	.cpu = 0x01000000,
	.fields = wide_fields,
	.field_count = ARRAY_COUNT(wide_fields),
};
