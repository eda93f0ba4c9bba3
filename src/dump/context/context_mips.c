/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning mips_flags[] = {
	{ 0x40000, "mips" }, { 0x80000, "mips64" }, { 2, "integer" }, { 4, "float" }, { 8, "dsp" },
};

static const struct field mips_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(mips_flags) },
	{ 8, 8, FIELD_ADDRESS, .name = "iregs", .count = 32, REG(0) },
	{ 264, 8, FIELD_HEX, .name = "mdhi", REG(33) },
	{ 272, 8, FIELD_HEX, .name = "mdlo", REG(34) },
	{ 280, 4, FIELD_HEX, .name = "hi", .count = 3, REG(35) },
	{ 292, 4, FIELD_HEX, .name = "lo", .count = 3, REG(38) },
	{ 304, 4, FIELD_HEX, .name = "dsp_control", REG(41) },
	{ 312, 8, FIELD_ADDRESS, .name = "epc", REG(32) },
	{ 320, 8, FIELD_ADDRESS, .name = "badvaddr", REG(42) },
	{ 328, 4, FIELD_HEX, .name = "status", REG(43) },
	{ 332, 4, FIELD_HEX, .name = "cause", REG(44) },
	{ 336, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 592, 4, FIELD_HEX, .name = "float_save.fpcsr", REG(45) },
	{ 596, 4, FIELD_HEX, .name = "float_save.fir", REG(46) },
};

const struct context_layout context_layout_mips = {
	.name = "mips",
	.arch = ARCH_MIPS,
	.fields = FIELD_TABLE(mips_fields),
	.size = 600,
	.flags_size = 4,
	.cpu = 0x00040000,
};

const struct context_layout context_layout_mips64 = {
	.name = "mips64",
	.arch = ARCH_MIPS64,
	.fields = FIELD_TABLE(mips_fields),
	.size = 600,
	.flags_size = 4,
	.cpu = 0x00080000,
};

/* Crashpad's (minidump_context.h), where everything has 64 bits. */
static const struct field mips64_crashpad_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", BITS(mips_flags) },
	{ 8, 8, FIELD_ADDRESS, .name = "iregs", .count = 32, REG(0) },
	{ 264, 8, FIELD_HEX, .name = "mdhi", REG(33) },
	{ 272, 8, FIELD_HEX, .name = "mdlo", REG(34) },
	{ 280, 8, FIELD_HEX, .name = "hi", .count = 3, REG(35) },
	{ 304, 8, FIELD_HEX, .name = "lo", .count = 3, REG(38) },
	{ 328, 8, FIELD_HEX, .name = "dsp_control", REG(41) },
	{ 336, 8, FIELD_ADDRESS, .name = "epc", REG(32) },
	{ 344, 8, FIELD_ADDRESS, .name = "badvaddr", REG(42) },
	{ 352, 8, FIELD_HEX, .name = "status", REG(43) },
	{ 360, 8, FIELD_HEX, .name = "cause", REG(44) },
	{ 368, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 624, 8, FIELD_HEX, .name = "float_save.fpcsr", REG(45) },
	{ 632, 8, FIELD_HEX, .name = "float_save.fir", REG(46) },
};

const struct context_layout context_layout_mips64_crashpad = {
	.name = "mips64 (Crashpad)",
	.arch = ARCH_MIPS64,
	.fields = FIELD_TABLE(mips64_crashpad_fields),
	.size = 640,
	.plain_size = 600,
	.flags_size = 8,
	.cpu = 0x00080000,
};
