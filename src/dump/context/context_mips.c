/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning mips_flags[] = {
	{ 0x40000, "mips" }, { 0x80000, "mips64" }, { 2, "integer" }, { 4, "float" }, { 8, "dsp" },
};

/* `size`: bytes of the fields whose size varies; `epc`: offset of the field epc, after a gap. */
#define FIELDS_OF(flags_size, size, epc)						\
	{ 0, flags_size, FIELD_HEX, .name = "context_flags", BITS(mips_flags) },	\
	{ 8, 8, FIELD_ADDRESS, .name = "iregs", .count = 32, REG(0) },			\
	{ 264, 8, FIELD_HEX, .name = "mdhi", REG(33) },					\
	{ 272, 8, FIELD_HEX, .name = "mdlo", REG(34) },					\
	{ 280, size, FIELD_HEX, .name = "hi", .count = 3, REG(35) },			\
	{ 280 + 3 * size, size, FIELD_HEX, .name = "lo", .count = 3, REG(38) },		\
	{ 280 + 6 * size, size, FIELD_HEX, .name = "dsp_control", REG(41) },		\
	{ epc, 8, FIELD_ADDRESS, .name = "epc", REG(32) },				\
	{ epc + 8, 8, FIELD_ADDRESS, .name = "badvaddr", REG(42) },			\
	{ epc + 16, size, FIELD_HEX, .name = "status", REG(43) },			\
	{ epc + 16 + size, size, FIELD_HEX, .name = "cause", REG(44) },			\
	{ epc + 16 + 2 * size, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },	\
	{ epc + 272 + 2 * size, size, FIELD_HEX, .name = "float_save.fpcsr", REG(45) },	\
	{ epc + 272 + 3 * size, size, FIELD_HEX, .name = "float_save.fir", REG(46) }

static const struct field mips_fields[] = { FIELDS_OF(4, 4, 312) };
const struct structure context_mips = STRUCTURE(mips_fields, 600);

/* The layout of Crashpad (minidump_context.h), where everything has 64 bits. */
static const struct field mips64_crashpad_fields[] = { FIELDS_OF(8, 8, 336) };
const struct structure context_mips64 = STRUCTURE(mips64_crashpad_fields, 640);
