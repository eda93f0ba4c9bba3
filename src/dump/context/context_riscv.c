/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning riscv_flags[] = {
	{ 0x00800000, "riscv" }, { 0x08000000, "riscv64" }, { 1, "integer" }, { 2, "float" },
};

/* The pc, then the integer registers in the order of their numbers from x1 on. */
#define REGISTERS(size)									\
	{ 8, size, FIELD_ADDRESS, .name = "pc", REG(0) },				\
	{ 8 + size, size, FIELD_ADDRESS, .name = "ra", REG(1) },			\
	{ 8 + 2 * size, size, FIELD_ADDRESS, .name = "sp", REG(2) },			\
	{ 8 + 3 * size, size, FIELD_ADDRESS, .name = "gp", REG(3) },			\
	{ 8 + 4 * size, size, FIELD_ADDRESS, .name = "tp", REG(4) },			\
	{ 8 + 5 * size, size, FIELD_ADDRESS, .name = "t", NUMBERED(3, 0), REG(5) },	\
	{ 8 + 8 * size, size, FIELD_ADDRESS, .name = "s", NUMBERED(2, 0), REG(8) },	\
	{ 8 + 10 * size, size, FIELD_ADDRESS, .name = "a", NUMBERED(8, 0), REG(10) },	\
	{ 8 + 18 * size, size, FIELD_ADDRESS, .name = "s", NUMBERED(10, 2), REG(18) },	\
	{ 8 + 28 * size, size, FIELD_ADDRESS, .name = "t", NUMBERED(4, 3), REG(28) }

static const struct field riscv_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(riscv_flags) },
	{ 4, 4, FIELD_HEX, .name = "version" },
	REGISTERS(4),
	{ 136, 4, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 264, 4, FIELD_HEX, .name = "float_save.fpcsr", REG(32) },
};
const struct structure context_riscv = STRUCTURE(riscv_fields, 268);

static const struct field riscv64_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(riscv_flags) },
	{ 4, 4, FIELD_HEX, .name = "version" },
	REGISTERS(8),
	{ 264, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 520, 4, FIELD_HEX, .name = "float_save.fpcsr", REG(32) },
};
const struct structure context_riscv64 = STRUCTURE(riscv64_fields, 528);
