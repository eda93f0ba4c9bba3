/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning sparc_flags[] = {
	{ 0x10000000, "sparc" }, { 1, "control" }, { 2, "integer" }, { 4, "float" },
};

static const struct field sparc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(sparc_flags) },
	{ 8, 8, FIELD_ADDRESS, .name = "g_r", .count = 32, REG(0) },
	{ 264, 8, FIELD_HEX, .name = "ccr", REG(32) },
	{ 272, 8, FIELD_ADDRESS, .name = "pc", REG(33) },
	{ 280, 8, FIELD_ADDRESS, .name = "npc", REG(34) },
	{ 288, 8, FIELD_HEX, .name = "y", REG(35) },
	{ 296, 8, FIELD_HEX, .name = "asi", REG(36) },
	{ 304, 8, FIELD_HEX, .name = "fprs", REG(37) },
	{ 312, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 568, 8, FIELD_HEX, .name = "float_save.filler" },
	{ 576, 8, FIELD_HEX, .name = "float_save.fsr" },
};
const struct structure context_sparc = STRUCTURE(sparc_fields, 584);
