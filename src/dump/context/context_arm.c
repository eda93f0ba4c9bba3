/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

/* The parts of a context that its flags mark as filled in (winnt.h, minidump_cpu_arm.h). */
static const struct meaning arm_flags[] = {
	{ 0x40000000, "arm" }, { 0x40, "arm, old number" }, { 2, "integer" }, { 4, "float" },
};

static const struct meaning arm64_flags[] = {
	{ 0x400000, "arm64" }, { 0x80000000, "arm64, Breakpad's number" }, { 1, "control" },
	{ 2, "integer" }, { 4, "float" }, { 8, "debug" }, { 0x10, "x18" },
};

/* Arm ARM (ARMv7-A), B1.3.3. */
static const struct meaning cpsr_bits[] = {
	{ 0x80000000, "N" }, { 0x40000000, "Z" }, { 0x20000000, "C" }, { 0x10000000, "V" },
	{ 0x08000000, "Q" }, { 0x01000000, "J" }, { 0x200, "E" }, { 0x100, "A" }, { 0x80, "I" },
	{ 0x40, "F" }, { 0x20, "T" }, { 0x10, "user mode" }, { 0x11, "FIQ mode" },
	{ 0x12, "IRQ mode" }, { 0x13, "supervisor mode" }, { 0x17, "abort mode" },
	{ 0x1b, "undefined mode" }, { 0x1f, "system mode" },
};

/* Arm ARM (ARMv8-A), C5.2.18: SPSR_EL1 of an exception from AArch64 state. */
static const struct meaning pstate_bits[] = {
	{ 0x80000000, "N" }, { 0x40000000, "Z" }, { 0x20000000, "C" }, { 0x10000000, "V" },
	{ 0x02000000, "TCO" }, { 0x01000000, "DIT" }, { 0x00800000, "UAO" },
	{ 0x00400000, "PAN" }, { 0x00200000, "SS" }, { 0x00100000, "IL" }, { 0x1000, "SSBS" },
	{ 0x400, "BTYPE 1" }, { 0x800, "BTYPE 2" }, { 0xc00, "BTYPE 3" }, { 0x200, "D" },
	{ 0x100, "A" }, { 0x80, "I" }, { 0x40, "F" },
};

static const struct field arm_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(arm_flags) },
	{ 4, 4, FIELD_ADDRESS, .name = "r", NUMBERED(13, 0), REG(0) },
	{ 56, 4, FIELD_ADDRESS, .name = "sp", REG(13) },
	{ 60, 4, FIELD_ADDRESS, .name = "lr", REG(14) },
	{ 64, 4, FIELD_ADDRESS, .name = "pc", REG(15) },
	{ 68, 4, FIELD_HEX, .name = "cpsr", BITS_AND(cpsr_bits, 0x1f), REG(16) },
	{ 72, 8, FIELD_HEX, .name = "float_save.fpscr" },
	{ 80, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 336, 4, FIELD_HEX, .name = "float_save.extra", .count = 8 },
};
const struct structure context_arm = STRUCTURE(arm_fields, 368);

#define INTEGERS									\
	{ 8, 8, FIELD_ADDRESS, .name = "x", NUMBERED(29, 0), REG(0) },			\
	{ 240, 8, FIELD_ADDRESS, .name = "fp", REG(29) },				\
	{ 248, 8, FIELD_ADDRESS, .name = "lr", REG(30) },				\
	{ 256, 8, FIELD_ADDRESS, .name = "sp", REG(31) },				\
	{ 264, 8, FIELD_ADDRESS, .name = "pc", REG(32) }

/* The layout of Windows and Crashpad. */
static const struct field arm64_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(arm64_flags) },
	INTEGERS,
	{ 4, 4, FIELD_HEX, .name = "cpsr", BITS_AND(pstate_bits, 0xc00), REG(33) },
	{ 788, 4, FIELD_HEX, .name = "float_save.fpsr" },
	{ 784, 4, FIELD_HEX, .name = "float_save.fpcr" },
	{ 272, 16, FIELD_WIDE, .name = "float_save.regs", .count = 32 },
	{ 792, 4, FIELD_HEX, .name = "bcr", .count = 8 },
	{ 824, 8, FIELD_ADDRESS, .name = "bvr", .count = 8 },
	{ 888, 4, FIELD_HEX, .name = "wcr", .count = 2 },
	{ 896, 8, FIELD_ADDRESS, .name = "wvr", .count = 2 },
};
const struct structure context_arm64 = STRUCTURE(arm64_fields, 912);

/*
 * The old layout, with flags of 64 bits. Breakpad for Linux writes 796 bytes. LLDB writes 800, the
 * size of the C structure with natural alignment, but its system info names the new architecture.
 */
static const struct field arm64_old_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", BITS(arm64_flags) },
	INTEGERS,
	{ 272, 4, FIELD_HEX, .name = "cpsr", BITS_AND(pstate_bits, 0xc00), REG(33) },
	{ 276, 4, FIELD_HEX, .name = "float_save.fpsr" },
	{ 280, 4, FIELD_HEX, .name = "float_save.fpcr" },
	{ 284, 16, FIELD_WIDE, .name = "float_save.regs", .count = 32 },
};
const struct structure context_arm64_old = STRUCTURE(arm64_old_fields, 796);
