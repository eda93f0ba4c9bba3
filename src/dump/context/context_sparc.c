/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include "base/compiler.h"

/* g0 to g7, o0 to o7, l0 to l7, i0 to i7, ccr, pc, npc, y, asi, fprs */
static const struct context_field fields[] = {
	CONTEXT_EIGHT(0, 8, 8), CONTEXT_EIGHT(8, 8, 72), CONTEXT_EIGHT(16, 8, 136),
	CONTEXT_EIGHT(24, 8, 200), { 32, 8, 264 }, { 33, 8, 272 }, { 34, 8, 280 },
	{ 35, 8, 288 }, { 36, 8, 296 }, { 37, 8, 304 },
};

const struct context_layout context_layout_sparc = {
	.name = "sparc",
	.arch = ARCH_SPARC,
	.size = 584,
	.flags_size = 4,
	.cpu = 0x10000000,
	.fields = fields,
	.field_count = ARRAY_COUNT(fields),
};
