/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "dump/context/context.h"

/* What the flags of each processor's contexts say is filled in (winnt.h; minidump_cpu_*.h). */
static const struct meaning x86_flags[] = {
	{ 0x10000, "x86" }, { 1, "control" }, { 2, "integer" }, { 4, "segments" }, { 8, "x87" },
	{ 0x10, "debug" }, { 0x20, "extended" }, { 0x40, "xstate" },
	{ 0x08000000, "exception active" }, { 0x10000000, "service active" },
	{ 0x40000000, "exception request" }, { 0x80000000, "exception reporting" },
};
static const struct meanings x86_meanings = MEANINGS_BITS(x86_flags);

static const struct meaning amd64_flags[] = {
	{ 0x100000, "amd64" }, { 1, "control" }, { 2, "integer" }, { 4, "segments" },
	{ 8, "float" }, { 0x10, "debug" }, { 0x40, "xstate" },
	{ 0x08000000, "exception active" }, { 0x10000000, "service active" },
	{ 0x40000000, "exception request" }, { 0x80000000, "exception reporting" },
};
static const struct meanings amd64_meanings = MEANINGS_BITS(amd64_flags);

static const struct meaning arm_flags[] = {
	{ 0x40000000, "arm" }, { 0x40, "arm, old number" }, { 2, "integer" }, { 4, "float" },
};
static const struct meanings arm_meanings = MEANINGS_BITS(arm_flags);

static const struct meaning arm64_flags[] = {
	{ 0x400000, "arm64" }, { 0x80000000, "arm64, Breakpad's number" }, { 1, "control" },
	{ 2, "integer" }, { 4, "float" }, { 8, "debug" }, { 0x10, "x18" },
};
static const struct meanings arm64_meanings = MEANINGS_BITS(arm64_flags);

static const struct meaning mips_flags[] = {
	{ 0x40000, "mips" }, { 0x80000, "mips64" }, { 2, "integer" }, { 4, "float" }, { 8, "dsp" },
};
static const struct meanings mips_meanings = MEANINGS_BITS(mips_flags);

static const struct meaning ppc_flags[] = {
	{ 0x20000000, "ppc" }, { 0x01000000, "ppc64" }, { 1, "base" }, { 8, "float" },
	{ 0x20, "vector" },
};
static const struct meanings ppc_meanings = MEANINGS_BITS(ppc_flags);

static const struct meaning sparc_flags[] = {
	{ 0x10000000, "sparc" }, { 1, "control" }, { 2, "integer" }, { 4, "float" },
};
static const struct meanings sparc_meanings = MEANINGS_BITS(sparc_flags);

static const struct meaning riscv_flags[] = {
	{ 0x00800000, "riscv" }, { 0x08000000, "riscv64" }, { 1, "integer" }, { 2, "float" },
};
static const struct meanings riscv_meanings = MEANINGS_BITS(riscv_flags);

/* Intel SDM volume 1, 3.4.3. */
static const struct meaning eflags_bits[] = {
	{ 1, "CF" }, { 4, "PF" }, { 0x10, "AF" }, { 0x40, "ZF" }, { 0x80, "SF" }, { 0x100, "TF" },
	{ 0x200, "IF" }, { 0x400, "DF" }, { 0x800, "OF" }, { 0x1000, "IOPL 1" },
	{ 0x2000, "IOPL 2" }, { 0x3000, "IOPL 3" }, { 0x4000, "NT" }, { 0x10000, "RF" },
	{ 0x20000, "VM" }, { 0x40000, "AC" }, { 0x80000, "VIF" }, { 0x100000, "VIP" },
	{ 0x200000, "ID" }, { 2, "bit 1" },
};
static const struct meanings eflags_meanings = { eflags_bits, ARRAY_COUNT(eflags_bits), true,
						 0x3000 };

/* Intel SDM volume 1, 10.2.3. */
static const struct meaning mxcsr_bits[] = {
	{ 1, "IE" }, { 2, "DE" }, { 4, "ZE" }, { 8, "OE" }, { 0x10, "UE" }, { 0x20, "PE" },
	{ 0x40, "DAZ" }, { 0x80, "IM" }, { 0x100, "DM" }, { 0x200, "ZM" }, { 0x400, "OM" },
	{ 0x800, "UM" }, { 0x1000, "PM" }, { 0x2000, "round down" }, { 0x4000, "round up" },
	{ 0x6000, "round to zero" }, { 0x8000, "FZ" },
};
static const struct meanings mxcsr_meanings = { mxcsr_bits, ARRAY_COUNT(mxcsr_bits), true,
						0x6000 };

/* Arm ARM (ARMv7-A), B1.3.3. */
static const struct meaning cpsr_bits[] = {
	{ 0x80000000, "N" }, { 0x40000000, "Z" }, { 0x20000000, "C" }, { 0x10000000, "V" },
	{ 0x08000000, "Q" }, { 0x01000000, "J" }, { 0x200, "E" }, { 0x100, "A" }, { 0x80, "I" },
	{ 0x40, "F" }, { 0x20, "T" }, { 0x10, "user mode" }, { 0x11, "FIQ mode" },
	{ 0x12, "IRQ mode" }, { 0x13, "supervisor mode" }, { 0x17, "abort mode" },
	{ 0x1b, "undefined mode" }, { 0x1f, "system mode" },
};
static const struct meanings cpsr_meanings = { cpsr_bits, ARRAY_COUNT(cpsr_bits), true, 0x1f };

/* Arm ARM (ARMv8-A), C5.2.18: SPSR_EL1 of an exception from AArch64 state. */
static const struct meaning pstate_bits[] = {
	{ 0x80000000, "N" }, { 0x40000000, "Z" }, { 0x20000000, "C" }, { 0x10000000, "V" },
	{ 0x02000000, "TCO" }, { 0x01000000, "DIT" }, { 0x00800000, "UAO" },
	{ 0x00400000, "PAN" }, { 0x00200000, "SS" }, { 0x00100000, "IL" }, { 0x1000, "SSBS" },
	{ 0x400, "BTYPE 1" }, { 0x800, "BTYPE 2" }, { 0xc00, "BTYPE 3" }, { 0x200, "D" },
	{ 0x100, "A" }, { 0x80, "I" }, { 0x40, "F" },
};
static const struct meanings pstate_meanings = { pstate_bits, ARRAY_COUNT(pstate_bits), true,
						 0xc00 };

static const struct field x86_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &x86_meanings },
	{ 4, 4, FIELD_HEX, .name = "dr", .count = 4, .numbered = true },
	{ 20, 4, FIELD_HEX, .name = "dr6" },
	{ 24, 4, FIELD_HEX, .name = "dr7" },
	{ 28, 4, FIELD_HEX, .name = "float_save.control_word" },
	{ 32, 4, FIELD_HEX, .name = "float_save.status_word" },
	{ 36, 4, FIELD_HEX, .name = "float_save.tag_word" },
	{ 40, 4, FIELD_HEX, .name = "float_save.error_offset" },
	{ 44, 4, FIELD_HEX, .name = "float_save.error_selector" },
	{ 48, 4, FIELD_HEX, .name = "float_save.data_offset" },
	{ 52, 4, FIELD_HEX, .name = "float_save.data_selector" },
	{ 56, 10, FIELD_BYTES, .name = "float_save.st", .count = 8, .numbered = true },
	{ 136, 4, FIELD_HEX, .name = "float_save.cr0_npx_state" },
	{ 140, 4, FIELD_HEX, .name = "gs" },
	{ 144, 4, FIELD_HEX, .name = "fs" },
	{ 148, 4, FIELD_HEX, .name = "es" },
	{ 152, 4, FIELD_HEX, .name = "ds" },
	{ 156, 4, FIELD_ADDRESS, .name = "edi" },
	{ 160, 4, FIELD_ADDRESS, .name = "esi" },
	{ 164, 4, FIELD_ADDRESS, .name = "ebx" },
	{ 168, 4, FIELD_ADDRESS, .name = "edx" },
	{ 172, 4, FIELD_ADDRESS, .name = "ecx" },
	{ 176, 4, FIELD_ADDRESS, .name = "eax" },
	{ 180, 4, FIELD_ADDRESS, .name = "ebp" },
	{ 184, 4, FIELD_ADDRESS, .name = "eip" },
	{ 188, 4, FIELD_HEX, .name = "cs" },
	{ 192, 4, FIELD_HEX, .name = "eflags", &eflags_meanings },
	{ 196, 4, FIELD_ADDRESS, .name = "esp" },
	{ 200, 4, FIELD_HEX, .name = "ss" },
};

static const struct field amd64_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "p1_home" },
	{ 8, 8, FIELD_HEX, .name = "p2_home" },
	{ 16, 8, FIELD_HEX, .name = "p3_home" },
	{ 24, 8, FIELD_HEX, .name = "p4_home" },
	{ 32, 8, FIELD_HEX, .name = "p5_home" },
	{ 40, 8, FIELD_HEX, .name = "p6_home" },
	{ 48, 4, FIELD_HEX, .name = "context_flags", &amd64_meanings },
	{ 52, 4, FIELD_HEX, .name = "mx_csr", &mxcsr_meanings },
	{ 56, 2, FIELD_HEX, .name = "cs" },
	{ 58, 2, FIELD_HEX, .name = "ds" },
	{ 60, 2, FIELD_HEX, .name = "es" },
	{ 62, 2, FIELD_HEX, .name = "fs" },
	{ 64, 2, FIELD_HEX, .name = "gs" },
	{ 66, 2, FIELD_HEX, .name = "ss" },
	{ 68, 4, FIELD_HEX, .name = "eflags", &eflags_meanings },
	{ 72, 8, FIELD_HEX, .name = "dr", .count = 4, .numbered = true },
	{ 104, 8, FIELD_HEX, .name = "dr6" },
	{ 112, 8, FIELD_HEX, .name = "dr7" },
	{ 120, 8, FIELD_ADDRESS, .name = "rax" },
	{ 128, 8, FIELD_ADDRESS, .name = "rcx" },
	{ 136, 8, FIELD_ADDRESS, .name = "rdx" },
	{ 144, 8, FIELD_ADDRESS, .name = "rbx" },
	{ 152, 8, FIELD_ADDRESS, .name = "rsp" },
	{ 160, 8, FIELD_ADDRESS, .name = "rbp" },
	{ 168, 8, FIELD_ADDRESS, .name = "rsi" },
	{ 176, 8, FIELD_ADDRESS, .name = "rdi" },
	{ 184, 8, FIELD_ADDRESS, .name = "r8" },
	{ 192, 8, FIELD_ADDRESS, .name = "r9" },
	{ 200, 8, FIELD_ADDRESS, .name = "r10" },
	{ 208, 8, FIELD_ADDRESS, .name = "r11" },
	{ 216, 8, FIELD_ADDRESS, .name = "r12" },
	{ 224, 8, FIELD_ADDRESS, .name = "r13" },
	{ 232, 8, FIELD_ADDRESS, .name = "r14" },
	{ 240, 8, FIELD_ADDRESS, .name = "r15" },
	{ 248, 8, FIELD_ADDRESS, .name = "rip" },
	{ 768, 16, FIELD_WIDE, .name = "vector_register", .count = 26 },
	{ 1184, 8, FIELD_HEX, .name = "vector_control" },
	{ 1192, 8, FIELD_HEX, .name = "debug_control" },
	{ 1200, 8, FIELD_ADDRESS, .name = "last_branch_to_rip" },
	{ 1208, 8, FIELD_ADDRESS, .name = "last_branch_from_rip" },
	{ 1216, 8, FIELD_ADDRESS, .name = "last_exception_to_rip" },
	{ 1224, 8, FIELD_ADDRESS, .name = "last_exception_from_rip" },
};

/* What FXSAVE stores (Intel SDM volume 1, 10.5.1). */
static const struct field fxsave_fields[] = {
	{ 0, 2, FIELD_HEX, .name = "fxsave.fcw" },
	{ 2, 2, FIELD_HEX, .name = "fxsave.fsw" },
	{ 4, 1, FIELD_HEX, .name = "fxsave.ftw" },
	{ 6, 2, FIELD_HEX, .name = "fxsave.fop" },
	{ 8, 8, FIELD_HEX, .name = "fxsave.fip" },
	{ 16, 8, FIELD_HEX, .name = "fxsave.fdp" },
	{ 24, 4, FIELD_HEX, .name = "fxsave.mxcsr", &mxcsr_meanings },
	{ 28, 4, FIELD_HEX, .name = "fxsave.mxcsr_mask" },
	{ 32, 10, FIELD_BYTES, .name = "fxsave.st", .count = 8, .numbered = true, .stride = 16 },
};

static const struct field xmm8_fields[] = {
	{ 160, 16, FIELD_WIDE, .name = "fxsave.xmm", .count = 8, .numbered = true },
};

static const struct field xmm16_fields[] = {
	{ 160, 16, FIELD_WIDE, .name = "fxsave.xmm", .count = 16, .numbered = true },
};

static const struct field arm_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &arm_meanings },
	{ 4, 4, FIELD_ADDRESS, .name = "r", .count = 13, .numbered = true },
	{ 56, 4, FIELD_ADDRESS, .name = "sp" },
	{ 60, 4, FIELD_ADDRESS, .name = "lr" },
	{ 64, 4, FIELD_ADDRESS, .name = "pc" },
	{ 68, 4, FIELD_HEX, .name = "cpsr", &cpsr_meanings },
	{ 72, 8, FIELD_HEX, .name = "float_save.fpscr" },
	{ 80, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 336, 4, FIELD_HEX, .name = "float_save.extra", .count = 8 },
};

static const struct field arm64_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &arm64_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "x", .count = 29, .numbered = true },
	{ 240, 8, FIELD_ADDRESS, .name = "fp" },
	{ 248, 8, FIELD_ADDRESS, .name = "lr" },
	{ 256, 8, FIELD_ADDRESS, .name = "sp" },
	{ 264, 8, FIELD_ADDRESS, .name = "pc" },
	{ 4, 4, FIELD_HEX, .name = "cpsr", &pstate_meanings },
	{ 788, 4, FIELD_HEX, .name = "float_save.fpsr" },
	{ 784, 4, FIELD_HEX, .name = "float_save.fpcr" },
	{ 272, 16, FIELD_WIDE, .name = "float_save.regs", .count = 32 },
	{ 792, 4, FIELD_HEX, .name = "bcr", .count = 8 },
	{ 824, 8, FIELD_ADDRESS, .name = "bvr", .count = 8 },
	{ 888, 4, FIELD_HEX, .name = "wcr", .count = 2 },
	{ 896, 8, FIELD_ADDRESS, .name = "wvr", .count = 2 },
};

static const struct field arm64_old_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", &arm64_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "x", .count = 29, .numbered = true },
	{ 240, 8, FIELD_ADDRESS, .name = "fp" },
	{ 248, 8, FIELD_ADDRESS, .name = "lr" },
	{ 256, 8, FIELD_ADDRESS, .name = "sp" },
	{ 264, 8, FIELD_ADDRESS, .name = "pc" },
	{ 272, 4, FIELD_HEX, .name = "cpsr", &pstate_meanings },
	{ 276, 4, FIELD_HEX, .name = "float_save.fpsr" },
	{ 280, 4, FIELD_HEX, .name = "float_save.fpcr" },
	{ 284, 16, FIELD_WIDE, .name = "float_save.regs", .count = 32 },
};

static const struct field mips_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &mips_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "iregs", .count = 32 },
	{ 264, 8, FIELD_HEX, .name = "mdhi" },
	{ 272, 8, FIELD_HEX, .name = "mdlo" },
	{ 280, 4, FIELD_HEX, .name = "hi", .count = 3 },
	{ 292, 4, FIELD_HEX, .name = "lo", .count = 3 },
	{ 304, 4, FIELD_HEX, .name = "dsp_control" },
	{ 312, 8, FIELD_ADDRESS, .name = "epc" },
	{ 320, 8, FIELD_ADDRESS, .name = "badvaddr" },
	{ 328, 4, FIELD_HEX, .name = "status" },
	{ 332, 4, FIELD_HEX, .name = "cause" },
	{ 336, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 592, 4, FIELD_HEX, .name = "float_save.fpcsr" },
	{ 596, 4, FIELD_HEX, .name = "float_save.fir" },
};

static const struct field mips64_crashpad_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", &mips_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "iregs", .count = 32 },
	{ 264, 8, FIELD_HEX, .name = "mdhi" },
	{ 272, 8, FIELD_HEX, .name = "mdlo" },
	{ 280, 8, FIELD_HEX, .name = "hi", .count = 3 },
	{ 304, 8, FIELD_HEX, .name = "lo", .count = 3 },
	{ 328, 8, FIELD_HEX, .name = "dsp_control" },
	{ 336, 8, FIELD_ADDRESS, .name = "epc" },
	{ 344, 8, FIELD_ADDRESS, .name = "badvaddr" },
	{ 352, 8, FIELD_HEX, .name = "status" },
	{ 360, 8, FIELD_HEX, .name = "cause" },
	{ 368, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 624, 8, FIELD_HEX, .name = "float_save.fpcsr" },
	{ 632, 8, FIELD_HEX, .name = "float_save.fir" },
};

static const struct field ppc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &ppc_meanings },
	{ 4, 4, FIELD_ADDRESS, .name = "srr0" },
	{ 8, 4, FIELD_HEX, .name = "srr1" },
	{ 12, 4, FIELD_ADDRESS, .name = "gpr", .count = 32 },
	{ 140, 4, FIELD_HEX, .name = "cr" },
	{ 144, 4, FIELD_HEX, .name = "xer" },
	{ 148, 4, FIELD_ADDRESS, .name = "lr" },
	{ 152, 4, FIELD_ADDRESS, .name = "ctr" },
	{ 156, 4, FIELD_HEX, .name = "mq" },
	{ 160, 4, FIELD_HEX, .name = "vrsave" },
	{ 164, 8, FIELD_REAL, .name = "float_save.fpregs", .count = 32 },
	{ 420, 4, FIELD_HEX, .name = "float_save.fpscr_pad" },
	{ 424, 4, FIELD_HEX, .name = "float_save.fpscr" },
	{ 428, 16, FIELD_WIDE, .name = "vector_save.save_vr", .count = 32 },
	{ 940, 16, FIELD_WIDE, .name = "vector_save.save_vscr" },
	{ 956, 4, FIELD_HEX, .name = "vector_save.save_pad5", .count = 4 },
	{ 972, 4, FIELD_HEX, .name = "vector_save.save_vrvalid" },
	{ 976, 4, FIELD_HEX, .name = "vector_save.save_pad6", .count = 7 },
};

static const struct field ppc64_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", &ppc_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "srr0" },
	{ 16, 8, FIELD_HEX, .name = "srr1" },
	{ 24, 8, FIELD_ADDRESS, .name = "gpr", .count = 32 },
	{ 280, 8, FIELD_HEX, .name = "cr" },
	{ 288, 8, FIELD_HEX, .name = "xer" },
	{ 296, 8, FIELD_ADDRESS, .name = "lr" },
	{ 304, 8, FIELD_ADDRESS, .name = "ctr" },
	{ 312, 8, FIELD_HEX, .name = "vrsave" },
	{ 320, 8, FIELD_REAL, .name = "float_save.fpregs", .count = 32 },
	{ 576, 4, FIELD_HEX, .name = "float_save.fpscr_pad" },
	{ 580, 4, FIELD_HEX, .name = "float_save.fpscr" },
	{ 584, 16, FIELD_WIDE, .name = "vector_save.save_vr", .count = 32 },
	{ 1096, 16, FIELD_WIDE, .name = "vector_save.save_vscr" },
	{ 1112, 4, FIELD_HEX, .name = "vector_save.save_pad5", .count = 4 },
	{ 1128, 4, FIELD_HEX, .name = "vector_save.save_vrvalid" },
	{ 1132, 4, FIELD_HEX, .name = "vector_save.save_pad6", .count = 7 },
};

static const struct field sparc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &sparc_meanings },
	{ 8, 8, FIELD_ADDRESS, .name = "g_r", .count = 32 },
	{ 264, 8, FIELD_HEX, .name = "ccr" },
	{ 272, 8, FIELD_ADDRESS, .name = "pc" },
	{ 280, 8, FIELD_ADDRESS, .name = "npc" },
	{ 288, 8, FIELD_HEX, .name = "y" },
	{ 296, 8, FIELD_HEX, .name = "asi" },
	{ 304, 8, FIELD_HEX, .name = "fprs" },
	{ 312, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 568, 8, FIELD_HEX, .name = "float_save.filler" },
	{ 576, 8, FIELD_HEX, .name = "float_save.fsr" },
};

/* The integer registers of RISC-V in the order of their numbers, x1 first; pc stands before. */
#define RISCV_REGISTERS(size, first)							\
	{ first, size, FIELD_ADDRESS, .name = "pc" },						\
	{ first + 1 * size, size, FIELD_ADDRESS, .name = "ra" },				\
	{ first + 2 * size, size, FIELD_ADDRESS, .name = "sp" },				\
	{ first + 3 * size, size, FIELD_ADDRESS, .name = "gp" },				\
	{ first + 4 * size, size, FIELD_ADDRESS, .name = "tp" },				\
	{ first + 5 * size, size, FIELD_ADDRESS, .name = "t", .count = 3, .numbered = true },	\
	{ first + 8 * size, size, FIELD_ADDRESS, .name = "s", .count = 2, .numbered = true },	\
	{ first + 10 * size, size, FIELD_ADDRESS, .name = "a", .count = 8, .numbered = true },	\
	{ first + 18 * size, size, FIELD_ADDRESS, .name = "s2" },				\
	{ first + 19 * size, size, FIELD_ADDRESS, .name = "s3" },				\
	{ first + 20 * size, size, FIELD_ADDRESS, .name = "s4" },				\
	{ first + 21 * size, size, FIELD_ADDRESS, .name = "s5" },				\
	{ first + 22 * size, size, FIELD_ADDRESS, .name = "s6" },				\
	{ first + 23 * size, size, FIELD_ADDRESS, .name = "s7" },				\
	{ first + 24 * size, size, FIELD_ADDRESS, .name = "s8" },				\
	{ first + 25 * size, size, FIELD_ADDRESS, .name = "s9" },				\
	{ first + 26 * size, size, FIELD_ADDRESS, .name = "s10" },				\
	{ first + 27 * size, size, FIELD_ADDRESS, .name = "s11" },				\
	{ first + 28 * size, size, FIELD_ADDRESS, .name = "t3" },				\
	{ first + 29 * size, size, FIELD_ADDRESS, .name = "t4" },				\
	{ first + 30 * size, size, FIELD_ADDRESS, .name = "t5" },				\
	{ first + 31 * size, size, FIELD_ADDRESS, .name = "t6" }

static const struct field riscv_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &riscv_meanings },
	{ 4, 4, FIELD_HEX, .name = "version" },
	RISCV_REGISTERS(4, 8),
	{ 136, 4, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 264, 4, FIELD_HEX, .name = "float_save.fpcsr" },
};

static const struct field riscv64_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", &riscv_meanings },
	{ 4, 4, FIELD_HEX, .name = "version" },
	RISCV_REGISTERS(8, 8),
	{ 264, 8, FIELD_REAL, .name = "float_save.regs", .count = 32 },
	{ 520, 4, FIELD_HEX, .name = "float_save.fpcsr" },
};

#define ROWS(table) { (table), ARRAY_COUNT(table) }

/* The fields of every layout, and where FXSAVE's area lies in it. */
static const struct shape {
	const struct context_layout *layout;
	struct fields fields;
	uint32_t fxsave;	/* 0: none */
	struct fields xmm;
} shapes[] = {
	{ &context_layout_x86, ROWS(x86_fields), 204, ROWS(xmm8_fields) },
	{ &context_layout_amd64, ROWS(amd64_fields), 256, ROWS(xmm16_fields) },
	{ &context_layout_arm, ROWS(arm_fields), 0, { NULL, 0 } },
	{ &context_layout_arm64, ROWS(arm64_fields), 0, { NULL, 0 } },
	{ &context_layout_arm64_old, ROWS(arm64_old_fields), 0, { NULL, 0 } },
	{ &context_layout_mips, ROWS(mips_fields), 0, { NULL, 0 } },
	{ &context_layout_mips64, ROWS(mips_fields), 0, { NULL, 0 } },
	{ &context_layout_mips64_crashpad, ROWS(mips64_crashpad_fields), 0, { NULL, 0 } },
	{ &context_layout_ppc, ROWS(ppc_fields), 0, { NULL, 0 } },
	{ &context_layout_ppc64, ROWS(ppc64_fields), 0, { NULL, 0 } },
	{ &context_layout_sparc, ROWS(sparc_fields), 0, { NULL, 0 } },
	{ &context_layout_riscv, ROWS(riscv_fields), 0, { NULL, 0 } },
	{ &context_layout_riscv64, ROWS(riscv64_fields), 0, { NULL, 0 } },
};

/* CONTEXT_EX (winnt.h): offsets count from itself, which is the end of the old context. */
static const struct field extension_fields[] = {
	{ 0, 4, FIELD_SIGNED, .name = "context_ex.all.offset" },
	{ 4, 4, FIELD_DECIMAL, .name = "context_ex.all.length" },
	{ 8, 4, FIELD_SIGNED, .name = "context_ex.legacy.offset" },
	{ 12, 4, FIELD_DECIMAL, .name = "context_ex.legacy.length" },
	{ 16, 4, FIELD_SIGNED, .name = "context_ex.xstate.offset" },
	{ 20, 4, FIELD_DECIMAL, .name = "context_ex.xstate.length" },
};

static const struct field header_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "xsave.mask" },
	{ 8, 8, FIELD_HEX, .name = "xsave.compaction_mask" },
};

#define XSAVE_LEGACY 512u	/* bytes of the area before its header, which are elsewhere */
#define XSAVE_HEADER 64u
#define FEATURE_CET 11u
#define MISC_FEATURES 848u	/* offset of the features in MiscInfo */

static const struct field cet_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "cet_u.msr" },
	{ 8, 8, FIELD_ADDRESS, .name = "cet_u.ssp" },
};

/* Where MiscInfo says that a feature lies, counted from the area's begin. */
static bool
feature_of(const struct crash *crash, uint32_t feature, uint32_t *offset, uint32_t *size)
{
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		uint64_t at = stream->offset + MISC_FEATURES + 8 * (uint64_t)feature;

		if (stream->type == 15 && stream->size >= 1364)
			return reader_u32(&crash->reader, at, offset) &&
			       reader_u32(&crash->reader, at + 4, size) && *size > 0 &&
			       *offset >= XSAVE_LEGACY + XSAVE_HEADER;
	}
	return false;
}

static void
tell_features(struct describe *describe, const struct reader *area)
{
	uint64_t mask = 0;

	describe_fields(describe, FIELDS(header_fields), area);
	reader_u64(area, 0, &mask);
	for (uint32_t i = 2; i < 64; i++) {
		uint32_t offset, size;
		struct reader state;
		char name[24];

		if ((mask >> i & 1) == 0 || !feature_of(describe->crash, i, &offset, &size) ||
		    !reader_window(area, offset - XSAVE_LEGACY, size, &state))
			continue;
		if (i == FEATURE_CET) {
			describe_fields(describe, FIELDS(cet_fields), &state);
			continue;
		}
		snprintf(name, sizeof(name), "xsave.feature[%u]", i);
		describe_bytes(describe, name, &state, 0, state.size);
	}
}

/* What follows the old context: extended processor state where CONTEXT_EX says so, else bytes. */
static void
tell_tail(struct describe *describe, const struct shape *shape, const struct reader *bytes)
{
	uint32_t legacy = 0, offset = 0, length = 0, size = shape->layout->size;
	struct reader extension, area;

	if (bytes->size <= size)
		return;
	reader_window(bytes, size, bytes->size - size, &extension);
	reader_u32(&extension, 12, &legacy);
	reader_u32(&extension, 16, &offset);
	reader_u32(&extension, 20, &length);
	if (shape->fxsave == 0 || legacy != size || length < XSAVE_HEADER ||
	    !reader_window(&extension, offset, length, &area)) {
		describe_bytes(describe, "rest", &extension, 0, extension.size);
		return;
	}
	describe_fields(describe, FIELDS(extension_fields), &extension);
	tell_features(describe, &area);
}

static void
tell_context(struct describe *describe, const struct context_layout *layout,
	     const struct reader *bytes)
{
	const struct shape *shape = NULL;
	struct reader fxsave;

	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++)
		if (shapes[i].layout == layout)
			shape = &shapes[i];
	if (shape == NULL) {
		describe_bytes(describe, "bytes", bytes, 0, bytes->size);
		return;
	}
	describe_structure(describe, shape->fields, bytes, layout->size);
	if (shape->fxsave != 0 && reader_window(bytes, shape->fxsave, 512, &fxsave)) {
		describe_fields(describe, FIELDS(fxsave_fields), &fxsave);
		describe_fields(describe, shape->xmm, &fxsave);
	}
	tell_tail(describe, shape, bytes);
}

void
describe_registers(struct describe *describe, const struct reader *bytes, uint32_t size)
{
	const struct context_layout *layout =
		context_choose(describe->crash->system.arch->id, bytes, size);

	if (layout != NULL)
		tell_context(describe, layout, bytes);
}

void
describe_context(struct describe *describe, const char *name, struct location location)
{
	const struct crash *crash = describe->crash;
	struct reader bytes;

	if (location.size == 0 || location.rva == 0 || !describe_whole(describe) ||
	    !describe_window(describe, name, location, &bytes))
		return;
	const struct context_layout *layout =
		context_choose(crash->system.arch->id, &bytes, location.size);
	if (bytes.size < location.size)
		describe_broken(describe, name, reader_place(&bytes, 0, 0),
				"0x%" PRIx64 " of 0x%" PRIx32 " bytes are in the file", bytes.size,
				location.size);
	if (!describe_begin(describe, (struct describe_record){
		    .name = name, .index = DESCRIBE_NO_INDEX,
		    .note = layout != NULL ? layout->name : "no layout fits",
		    .place = reader_place(&bytes, 0, (uint32_t)bytes.size) }))
		return;
	tell_context(describe, layout, &bytes);
	describe_end(describe);
}
