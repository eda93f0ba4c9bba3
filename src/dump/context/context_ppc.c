/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning ppc_flags[] = {
	{ 0x20000000, "ppc" }, { 0x01000000, "ppc64" }, { 1, "base" }, { 8, "float" },
	{ 0x20, "vector" },
};

#define INTEGERS(word)									\
	{ 0, word, FIELD_HEX, .name = "context_flags", BITS(ppc_flags) },		\
	{ word, word, FIELD_ADDRESS, .name = "srr0", REG(32) },				\
	{ 2 * word, word, FIELD_HEX, .name = "srr1", REG(33) },				\
	{ 3 * word, word, FIELD_ADDRESS, .name = "gpr", .count = 32, REG(0) },		\
	{ 35 * word, word, FIELD_HEX, .name = "cr", REG(34) },				\
	{ 36 * word, word, FIELD_HEX, .name = "xer", REG(35) },				\
	{ 37 * word, word, FIELD_ADDRESS, .name = "lr", REG(36) },			\
	{ 38 * word, word, FIELD_ADDRESS, .name = "ctr", REG(37) }

#define VECTORS(begin)									\
	{ begin, 8, FIELD_REAL, .name = "float_save.fpregs", .count = 32 },		\
	{ begin + 256, 4, FIELD_HEX, .name = "float_save.fpscr_pad" },			\
	{ begin + 260, 4, FIELD_HEX, .name = "float_save.fpscr" },			\
	{ begin + 264, 16, FIELD_WIDE, .name = "vector_save.save_vr", .count = 32 },	\
	{ begin + 776, 16, FIELD_WIDE, .name = "vector_save.save_vscr" },		\
	{ begin + 792, 4, FIELD_HEX, .name = "vector_save.save_pad5", .count = 4 },	\
	{ begin + 808, 4, FIELD_HEX, .name = "vector_save.save_vrvalid" },		\
	{ begin + 812, 4, FIELD_HEX, .name = "vector_save.save_pad6", .count = 7 }

static const struct field ppc_fields[] = {
	INTEGERS(4),
	{ 156, 4, FIELD_HEX, .name = "mq", REG(38) },
	{ 160, 4, FIELD_HEX, .name = "vrsave", REG(39) },
	VECTORS(164),
};
const struct structure context_ppc = STRUCTURE(ppc_fields, 1004);

static const struct field ppc64_fields[] = {
	INTEGERS(8),
	{ 312, 8, FIELD_HEX, .name = "vrsave", REG(38) },
	VECTORS(320),
};
const struct structure context_ppc64 = STRUCTURE(ppc64_fields, 1160);
