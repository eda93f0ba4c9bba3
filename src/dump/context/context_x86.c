/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

/* The parts of a context that its flags mark as filled in (winnt.h). */
static const struct meaning x86_flags[] = {
	{ 0x10000, "x86" }, { 1, "control" }, { 2, "integer" }, { 4, "segments" }, { 8, "x87" },
	{ 0x10, "debug" }, { 0x20, "extended" }, { 0x40, "xstate" },
	{ 0x08000000, "exception active" }, { 0x10000000, "service active" },
	{ 0x40000000, "exception request" }, { 0x80000000, "exception reporting" },
};

static const struct meaning amd64_flags[] = {
	{ 0x100000, "amd64" }, { 1, "control" }, { 2, "integer" }, { 4, "segments" },
	{ 8, "float" }, { 0x10, "debug" }, { 0x40, "xstate" },
	{ 0x08000000, "exception active" }, { 0x10000000, "service active" },
	{ 0x40000000, "exception request" }, { 0x80000000, "exception reporting" },
};

/* Intel SDM volume 1, 3.4.3. */
static const struct meaning eflags_bits[] = {
	{ 1, "CF" }, { 4, "PF" }, { 0x10, "AF" }, { 0x40, "ZF" }, { 0x80, "SF" }, { 0x100, "TF" },
	{ 0x200, "IF" }, { 0x400, "DF" }, { 0x800, "OF" }, { 0x1000, "IOPL 1" },
	{ 0x2000, "IOPL 2" }, { 0x3000, "IOPL 3" }, { 0x4000, "NT" }, { 0x10000, "RF" },
	{ 0x20000, "VM" }, { 0x40000, "AC" }, { 0x80000, "VIF" }, { 0x100000, "VIP" },
	{ 0x200000, "ID" }, { 2, "bit 1" },
};

/* Intel SDM volume 1, 10.2.3. */
static const struct meaning mxcsr_bits[] = {
	{ 1, "IE" }, { 2, "DE" }, { 4, "ZE" }, { 8, "OE" }, { 0x10, "UE" }, { 0x20, "PE" },
	{ 0x40, "DAZ" }, { 0x80, "IM" }, { 0x100, "DM" }, { 0x200, "ZM" }, { 0x400, "OM" },
	{ 0x800, "UM" }, { 0x1000, "PM" }, { 0x2000, "round down" }, { 0x4000, "round up" },
	{ 0x6000, "round to zero" }, { 0x8000, "FZ" },
};

#define EFLAGS BITS_AND(eflags_bits, 0x3000)
#define MXCSR BITS_AND(mxcsr_bits, 0x6000)

/*
 * The area of FXSAVE (Intel SDM volume 1, 10.5.1), `begin` bytes after the beginning of the
 * context, with `registers` registers of SSE.
 */
#define FXSAVE(begin, registers)								\
	{ begin, 2, FIELD_HEX, .name = "fxsave.fcw" },					\
	{ begin + 2, 2, FIELD_HEX, .name = "fxsave.fsw" },				\
	{ begin + 4, 1, FIELD_HEX, .name = "fxsave.ftw" },				\
	{ begin + 6, 2, FIELD_HEX, .name = "fxsave.fop" },				\
	{ begin + 8, 8, FIELD_HEX, .name = "fxsave.fip" },				\
	{ begin + 16, 8, FIELD_HEX, .name = "fxsave.fdp" },				\
	{ begin + 24, 4, FIELD_HEX, .name = "fxsave.mxcsr", MXCSR },			\
	{ begin + 28, 4, FIELD_HEX, .name = "fxsave.mxcsr_mask" },			\
	{ begin + 32, 10, FIELD_BYTES, .name = "fxsave.st", NUMBERED(8, 0),	\
	  .stride = 16 },								\
	{ begin + 160, 16, FIELD_WIDE, .name = "fxsave.xmm", NUMBERED(registers, 0) }

static const struct field fxsave_fields[] = { FXSAVE(0, 16) };
const struct structure context_fxsave = STRUCTURE(fxsave_fields, 512);

static const struct field x86_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(x86_flags) },
	{ 4, 4, FIELD_HEX, .name = "dr", NUMBERED(4, 0) },
	{ 20, 4, FIELD_HEX, .name = "dr", NUMBERED(2, 6) },
	{ 28, 4, FIELD_HEX, .name = "float_save.control_word" },
	{ 32, 4, FIELD_HEX, .name = "float_save.status_word" },
	{ 36, 4, FIELD_HEX, .name = "float_save.tag_word" },
	{ 40, 4, FIELD_HEX, .name = "float_save.error_offset" },
	{ 44, 4, FIELD_HEX, .name = "float_save.error_selector" },
	{ 48, 4, FIELD_HEX, .name = "float_save.data_offset" },
	{ 52, 4, FIELD_HEX, .name = "float_save.data_selector" },
	{ 56, 10, FIELD_BYTES, .name = "float_save.st", NUMBERED(8, 0) },
	{ 136, 4, FIELD_HEX, .name = "float_save.cr0_npx_state" },
	{ 140, 4, FIELD_HEX, .name = "gs" },
	{ 144, 4, FIELD_HEX, .name = "fs" },
	{ 148, 4, FIELD_HEX, .name = "es" },
	{ 152, 4, FIELD_HEX, .name = "ds" },
	{ 156, 4, FIELD_ADDRESS, .name = "edi", REG(5) },
	{ 160, 4, FIELD_ADDRESS, .name = "esi", REG(4) },
	{ 164, 4, FIELD_ADDRESS, .name = "ebx", REG(3) },
	{ 168, 4, FIELD_ADDRESS, .name = "edx", REG(8) },
	{ 172, 4, FIELD_ADDRESS, .name = "ecx", REG(7) },
	{ 176, 4, FIELD_ADDRESS, .name = "eax", REG(6) },
	{ 180, 4, FIELD_ADDRESS, .name = "ebp", REG(2) },
	{ 184, 4, FIELD_ADDRESS, .name = "eip", REG(0) },
	{ 188, 4, FIELD_HEX, .name = "cs" },
	{ 192, 4, FIELD_HEX, .name = "eflags", EFLAGS, REG(9) },
	{ 196, 4, FIELD_ADDRESS, .name = "esp", REG(1) },
	{ 200, 4, FIELD_HEX, .name = "ss" },
	FXSAVE(204, 8),
};
const struct structure context_x86 = STRUCTURE(x86_fields, 716);

static const struct field amd64_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "p1_home" },
	{ 8, 8, FIELD_HEX, .name = "p2_home" },
	{ 16, 8, FIELD_HEX, .name = "p3_home" },
	{ 24, 8, FIELD_HEX, .name = "p4_home" },
	{ 32, 8, FIELD_HEX, .name = "p5_home" },
	{ 40, 8, FIELD_HEX, .name = "p6_home" },
	{ 48, 4, FIELD_HEX, .name = "context_flags", BITS(amd64_flags) },
	{ 52, 4, FIELD_HEX, .name = "mx_csr", MXCSR },
	{ 56, 2, FIELD_HEX, .name = "cs" },
	{ 58, 2, FIELD_HEX, .name = "ds" },
	{ 60, 2, FIELD_HEX, .name = "es" },
	{ 62, 2, FIELD_HEX, .name = "fs" },
	{ 64, 2, FIELD_HEX, .name = "gs" },
	{ 66, 2, FIELD_HEX, .name = "ss" },
	{ 68, 4, FIELD_HEX, .name = "eflags", EFLAGS },
	{ 72, 8, FIELD_HEX, .name = "dr", NUMBERED(4, 0) },
	{ 104, 8, FIELD_HEX, .name = "dr", NUMBERED(2, 6) },
	{ 120, 8, FIELD_ADDRESS, .name = "rax", REG(0) },
	{ 128, 8, FIELD_ADDRESS, .name = "rcx", REG(2) },
	{ 136, 8, FIELD_ADDRESS, .name = "rdx", REG(1) },
	{ 144, 8, FIELD_ADDRESS, .name = "rbx", REG(3) },
	{ 152, 8, FIELD_ADDRESS, .name = "rsp", REG(7) },
	{ 160, 8, FIELD_ADDRESS, .name = "rbp", REG(6) },
	{ 168, 8, FIELD_ADDRESS, .name = "rsi", REG(4) },
	{ 176, 8, FIELD_ADDRESS, .name = "rdi", REG(5) },
	{ 184, 8, FIELD_ADDRESS, .name = "r", NUMBERED(8, 8), REG(8) },
	{ 248, 8, FIELD_ADDRESS, .name = "rip", REG(16) },
	{ 768, 16, FIELD_WIDE, .name = "vector_register", .count = 26 },
	{ 1184, 8, FIELD_HEX, .name = "vector_control" },
	{ 1192, 8, FIELD_HEX, .name = "debug_control" },
	{ 1200, 8, FIELD_ADDRESS, .name = "last_branch_to_rip" },
	{ 1208, 8, FIELD_ADDRESS, .name = "last_branch_from_rip" },
	{ 1216, 8, FIELD_ADDRESS, .name = "last_exception_to_rip" },
	{ 1224, 8, FIELD_ADDRESS, .name = "last_exception_from_rip" },
	FXSAVE(256, 16),
};
const struct structure context_amd64 = STRUCTURE(amd64_fields, 1232);
