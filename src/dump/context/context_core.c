/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"

#include <string.h>

/*
 * The registers of ELF cores: for each architecture the layouts of NT_PRSTATUS and of the notes
 * with floating point and vector registers. Sources: Linux uapi/linux/elfcore.h, asm/elf.h and
 * asm/ptrace.h.
 */

/* struct elf_prstatus up to the registers; `word` is the size of a long. */
#define STATUS(word)									\
	{ 0, 4, FIELD_DECIMAL, .name = "si_signo" },					\
	{ 4, 4, FIELD_SIGNED, .name = "si_code" },					\
	{ 8, 4, FIELD_DECIMAL, .name = "si_errno" },					\
	{ 12, 2, FIELD_DECIMAL, .name = "pr_cursig" },					\
	{ 16, word, FIELD_HEX, .name = "pr_sigpend" },					\
	{ 16 + (word), word, FIELD_HEX, .name = "pr_sighold" },				\
	{ 16 + 2 * (word), 4, FIELD_THREAD, .name = "pr_pid", .key = true },		\
	{ 20 + 2 * (word), 4, FIELD_DECIMAL, .name = "pr_ppid" },			\
	{ 24 + 2 * (word), 4, FIELD_DECIMAL, .name = "pr_pgrp" },			\
	{ 28 + 2 * (word), 4, FIELD_DECIMAL, .name = "pr_sid" },			\
	{ 32 + 2 * (word), word, FIELD_DECIMAL, .name = "pr_utime.tv_sec" },		\
	{ 32 + 3 * (word), word, FIELD_DECIMAL, .name = "pr_utime.tv_usec" },		\
	{ 32 + 4 * (word), word, FIELD_DECIMAL, .name = "pr_stime.tv_sec" },		\
	{ 32 + 5 * (word), word, FIELD_DECIMAL, .name = "pr_stime.tv_usec" }

#define AT8(index) (112 + 8 * (index))	/* offsets of registers after the status */
#define AT4(index) (72 + 4 * (index))
/* Registers of 8 bytes at an offset: x32 and N32 have them after a status with 4-byte longs. */
#define AT(base, index) ((base) + 8 * (index))
#define WIDE_FROM(base, index, name_, number) \
	{ AT(base, index), 8, FIELD_ADDRESS, .name = name_, REG(number) }
#define WIDE_OTHER_FROM(base, index, name_) { AT(base, index), 8, FIELD_HEX, .name = name_ }
#define WIDE(index, name_, number) WIDE_FROM(112, index, name_, number)
#define WIDE_OTHER(index, name_) WIDE_OTHER_FROM(112, index, name_)
#define NARROW(index, name_, number) \
	{ AT4(index), 4, FIELD_ADDRESS, .name = name_, REG(number) }
#define NARROW_OTHER(index, name_) { AT4(index), 4, FIELD_HEX, .name = name_ }

#define AMD64_REGISTERS(base)								\
	WIDE_FROM(base, 0, "r15", 15), WIDE_FROM(base, 1, "r14", 14),			\
	WIDE_FROM(base, 2, "r13", 13), WIDE_FROM(base, 3, "r12", 12),			\
	WIDE_FROM(base, 4, "rbp", 6), WIDE_FROM(base, 5, "rbx", 3),			\
	WIDE_FROM(base, 6, "r11", 11), WIDE_FROM(base, 7, "r10", 10),			\
	WIDE_FROM(base, 8, "r9", 9), WIDE_FROM(base, 9, "r8", 8),			\
	WIDE_FROM(base, 10, "rax", 0), WIDE_FROM(base, 11, "rcx", 2),			\
	WIDE_FROM(base, 12, "rdx", 1), WIDE_FROM(base, 13, "rsi", 4),			\
	WIDE_FROM(base, 14, "rdi", 5), WIDE_OTHER_FROM(base, 15, "orig_rax"),		\
	WIDE_FROM(base, 16, "rip", 16), WIDE_OTHER_FROM(base, 17, "cs"),		\
	WIDE_OTHER_FROM(base, 18, "eflags"), WIDE_FROM(base, 19, "rsp", 7),		\
	WIDE_OTHER_FROM(base, 20, "ss"), WIDE_OTHER_FROM(base, 21, "fs_base"),		\
	WIDE_OTHER_FROM(base, 22, "gs_base"), WIDE_OTHER_FROM(base, 23, "ds"),		\
	WIDE_OTHER_FROM(base, 24, "es"), WIDE_OTHER_FROM(base, 25, "fs"),		\
	WIDE_OTHER_FROM(base, 26, "gs"),						\
	{ AT(base, 27), 4, FIELD_DECIMAL, .name = "pr_fpvalid" }

static const struct field amd64_status[] = { STATUS(8), AMD64_REGISTERS(112) };
static const struct field x32_status[] = { STATUS(4), AMD64_REGISTERS(72) };

static const struct field x86_status[] = {
	STATUS(4), NARROW(0, "ebx", 3), NARROW(1, "ecx", 7), NARROW(2, "edx", 8),
	NARROW(3, "esi", 4), NARROW(4, "edi", 5), NARROW(5, "ebp", 2), NARROW(6, "eax", 6),
	NARROW_OTHER(7, "ds"), NARROW_OTHER(8, "es"), NARROW_OTHER(9, "fs"), NARROW_OTHER(10, "gs"),
	NARROW_OTHER(11, "orig_eax"), NARROW(12, "eip", 0), NARROW_OTHER(13, "cs"),
	NARROW(14, "eflags", 9), NARROW(15, "esp", 1), NARROW_OTHER(16, "ss"),
	{ AT4(17), 4, FIELD_DECIMAL, .name = "pr_fpvalid" },
};

static const struct field arm64_status[] = {
	STATUS(8), { AT8(0), 8, FIELD_ADDRESS, .name = "x", NUMBERED(29, 0), REG(0) },
	WIDE(29, "fp", 29), WIDE(30, "lr", 30), WIDE(31, "sp", 31), WIDE(32, "pc", 32),
	WIDE(33, "pstate", 33), { AT8(34), 4, FIELD_DECIMAL, .name = "pr_fpvalid" },
};

static const struct field arm_status[] = {
	STATUS(4), { AT4(0), 4, FIELD_ADDRESS, .name = "r", NUMBERED(13, 0), REG(0) },
	NARROW(13, "sp", 13), NARROW(14, "lr", 14), NARROW(15, "pc", 15), NARROW(16, "cpsr", 16),
	NARROW_OTHER(17, "orig_r0"), { AT4(18), 4, FIELD_DECIMAL, .name = "pr_fpvalid" },
};

static const struct field mips_status[] = {
	STATUS(4),
	{ AT4(6), 4, FIELD_ADDRESS, .name = "r", NUMBERED(32, 0), REG(0) },
	NARROW(38, "lo", 34),
	NARROW(39, "hi", 33),
	NARROW(40, "epc", 32),
	NARROW(41, "badvaddr", 42),
	NARROW(42, "status", 43),
	NARROW(43, "cause", 44),
};

#define MIPS64_REGISTERS(base)								\
	{ base, 8, FIELD_ADDRESS, .name = "r", NUMBERED(32, 0), REG(0) },		\
	WIDE_FROM(base, 32, "lo", 34), WIDE_FROM(base, 33, "hi", 33),			\
	WIDE_FROM(base, 34, "epc", 32), WIDE_FROM(base, 35, "badvaddr", 42),		\
	WIDE_FROM(base, 36, "status", 43), WIDE_FROM(base, 37, "cause", 44)

static const struct field mips64_status[] = { STATUS(8), MIPS64_REGISTERS(112) };
static const struct field n32_status[] = { STATUS(4), MIPS64_REGISTERS(72) };

static const struct field ppc_status[] = {
	STATUS(4), { AT4(0), 4, FIELD_ADDRESS, .name = "gpr", NUMBERED(32, 0), REG(0) },
	NARROW(32, "nip", 32), NARROW(33, "msr", 33), NARROW_OTHER(34, "orig_gpr3"),
	NARROW(35, "ctr", 37), NARROW(36, "lr", 36), NARROW(37, "xer", 35), NARROW(38, "ccr", 34),
	NARROW(39, "mq", 38), NARROW_OTHER(40, "trap"), NARROW_OTHER(41, "dar"),
	NARROW_OTHER(42, "dsisr"), NARROW_OTHER(43, "result"),
};

static const struct field ppc64_status[] = {
	STATUS(8), { AT8(0), 8, FIELD_ADDRESS, .name = "gpr", NUMBERED(32, 0), REG(0) },
	WIDE(32, "nip", 32), WIDE(33, "msr", 33), WIDE_OTHER(34, "orig_gpr3"), WIDE(35, "ctr", 37),
	WIDE(36, "lr", 36), WIDE(37, "xer", 35), WIDE(38, "ccr", 34), WIDE_OTHER(39, "softe"),
	WIDE_OTHER(40, "trap"), WIDE_OTHER(41, "dar"), WIDE_OTHER(42, "dsisr"),
	WIDE_OTHER(43, "result"),
};

static const struct field riscv_status[] = {
	STATUS(4), NARROW(0, "pc", 0),
	{ AT4(1), 4, FIELD_ADDRESS, .name = "x", NUMBERED(31, 1), REG(1) },
};

static const struct field riscv64_status[] = {
	STATUS(8), WIDE(0, "pc", 0),
	{ AT8(1), 8, FIELD_ADDRESS, .name = "x", NUMBERED(31, 1), REG(1) },
};

static const struct field s390x_status[] = {
	STATUS(8), WIDE_OTHER(0, "psw.mask"), WIDE(1, "psw.addr", 32),
	{ AT8(2), 8, FIELD_ADDRESS, .name = "gpr", NUMBERED(16, 0), REG(0) },
	{ AT8(18), 4, FIELD_HEX, .name = "acr", NUMBERED(16, 0) }, WIDE_OTHER(26, "orig_gpr2"),
};

#define LAYOUT(arch, name_, table, bytes)						\
	{ name_, ARCH_##arch, &(const struct structure)STRUCTURE(table, bytes), .flags_size = 0 }
#define STATUS_ROW(arch, name_, table, bytes, ...)					\
	[ARCH_##arch] = { LAYOUT(arch, name_, table, bytes), { __VA_ARGS__ } }

/*
 * A layout ends with the last register, because writers differ in the rest. The members of struct
 * core_abi follow: status_size includes pr_fpvalid; header_flags are EABI 5, o32 and ELFv2.
 */
static const struct {
	struct context_layout layout;
	struct core_abi abi;
} statuses[ARCH_COUNT] = {
	STATUS_ROW(AMD64, "amd64 (core)", amd64_status, AT8(27), AT8(27) + 8, false, 0, 7),
	STATUS_ROW(X86, "x86 (core)", x86_status, AT4(17), AT4(17) + 4, true, 0, 7),
	STATUS_ROW(ARM64, "arm64 (core)", arm64_status, AT8(34), AT8(34) + 8, false, 0, 3),
	STATUS_ROW(ARM, "arm (core)", arm_status, AT4(18), AT4(18) + 4, true, 0x05000000, 2),
	STATUS_ROW(MIPS, "mips (core)", mips_status, AT4(44), AT4(45) + 4, false, 0x1000, 2),
	STATUS_ROW(MIPS64, "mips64 (core)", mips64_status, AT8(38), AT8(45) + 8, false, 0, 2),
	STATUS_ROW(PPC, "ppc (core)", ppc_status, AT4(44), AT4(48) + 4, false, 0, 1),
	STATUS_ROW(PPC64, "ppc64 (core)", ppc64_status, AT8(44), AT8(48) + 8, false, 2, 1),
	STATUS_ROW(RISCV, "riscv (core)", riscv_status, AT4(32), AT4(32) + 4, false, 0, 1),
	STATUS_ROW(RISCV64, "riscv64 (core)", riscv64_status, AT8(32), AT8(32) + 8, false, 0, 1),
	STATUS_ROW(S390X, "s390x (core)", s390x_status, AT8(27), AT8(27) + 8, false, 0, 0),
};

/* The layouts of processes with registers of 8 bytes and longs of 4: x32 and N32. */
static const struct context_layout narrow_layouts[ARCH_COUNT] = {
	[ARCH_AMD64] = LAYOUT(AMD64, "x32 (core)", x32_status, AT(72, 27)),
	[ARCH_MIPS64] = LAYOUT(MIPS64, "mips n32 (core)", n32_status, AT(72, 38)),
};

const struct core_abi *
core_abi(const struct arch *arch)
{
	return &statuses[arch->id].abi;
}

const struct context_layout *
core_context_layout(const struct arch *arch, unsigned word)
{
	const bool narrow = word == 4 && arch->word_size == 8;
	const struct context_layout *layout =
		narrow ? &narrow_layouts[arch->id] : &statuses[arch->id].layout;

	return layout->name != NULL ? layout : NULL;
}

const struct arch *
core_arch(unsigned machine, unsigned word, uint64_t status_size)
{
	const struct arch *wide = arch_of_elf(machine, 8);
	const struct structure *fields = word == 4 ? narrow_layouts[wide->id].fields : NULL;

	return fields != NULL && status_size >= fields->size ? wide : arch_of_elf(machine, word);
}

static const struct field arm64_floats[] = {
	{ 0, 16, FIELD_WIDE, .name = "v", NUMBERED(32, 0) },
	{ 512, 4, FIELD_HEX, .name = "fpsr" },
	{ 516, 4, FIELD_HEX, .name = "fpcr" },
};

static const struct field arm_floats[] = {
	{ 0, 8, FIELD_REAL, .name = "d", NUMBERED(32, 0) },
	{ 256, 4, FIELD_HEX, .name = "fpscr" },
};

/* FSAVE (Intel SDM volume 1, 8.1.10). */
static const struct field x86_floats[] = {
	{ 0, 4, FIELD_HEX, .name = "cwd" }, { 4, 4, FIELD_HEX, .name = "swd" },
	{ 8, 4, FIELD_HEX, .name = "twd" }, { 12, 4, FIELD_HEX, .name = "fip" },
	{ 16, 4, FIELD_HEX, .name = "fcs" }, { 20, 4, FIELD_HEX, .name = "foo" },
	{ 24, 4, FIELD_HEX, .name = "fos" },
	{ 28, 10, FIELD_BYTES, .name = "st", NUMBERED(8, 0) },
};

static const struct field xsave_fields[] = {
	{ 464, 8, FIELD_HEX, .name = "xcr0" },
	{ 512, 8, FIELD_HEX, .name = "xstate_bv" },
	{ 520, 8, FIELD_HEX, .name = "xcomp_bv" },
};

/* s390_fp_regs: the control word, then f0 to f15, which may hold general registers. */
#define FLOAT(index, number) { 8 + 8 * (index), 8, FIELD_HEX, .name = "f" #index, REG(number) }
static const struct field s390x_floats[] = {
	{ 0, 4, FIELD_HEX, .name = "fpc" },
	FLOAT(0, 16), FLOAT(1, 20), FLOAT(2, 17), FLOAT(3, 21), FLOAT(4, 18), FLOAT(5, 22),
	FLOAT(6, 19), FLOAT(7, 23), FLOAT(8, 24), FLOAT(9, 28), FLOAT(10, 25), FLOAT(11, 29),
	FLOAT(12, 26), FLOAT(13, 30), FLOAT(14, 27), FLOAT(15, 31),
};

static const struct structure arm64_form = FIELD_TABLE(arm64_floats);
static const struct structure arm_form = FIELD_TABLE(arm_floats);
static const struct structure x86_form = FIELD_TABLE(x86_floats);
static const struct structure s390x_form = FIELD_TABLE(s390x_floats);
static const struct structure xsave_form = FIELD_TABLE(xsave_fields);

static const struct {
	uint32_t stream;
	enum arch_id arch;
	const struct structure *forms[3];	/* the list ends with NULL */
} float_forms[] = {
	{ CORE_FPREGSET, ARCH_AMD64, { &context_fxsave } },
	{ CORE_FPREGSET, ARCH_ARM64, { &arm64_form } },
	{ CORE_FPREGSET, ARCH_X86, { &x86_form } },
	{ CORE_FPREGSET, ARCH_S390X, { &s390x_form } },
	{ CORE_PRXFPREG, ARCH_X86, { &context_fxsave } },
	{ CORE_X86_XSTATE, ARCH_AMD64, { &context_fxsave, &xsave_form } },
	{ CORE_X86_XSTATE, ARCH_X86, { &context_fxsave, &xsave_form } },
	{ CORE_ARM_VFP, ARCH_ARM, { &arm_form } },
};

const struct structure *const *
core_float_forms(const struct arch *arch, uint32_t stream)
{
	static const struct structure *const none[] = { NULL };

	for (size_t i = 0; i < ARRAY_COUNT(float_forms); i++)
		if (float_forms[i].stream == stream && float_forms[i].arch == arch->id)
			return float_forms[i].forms;
	return none;
}

static const struct core_floats floats[] = {
	{ "amd64", CORE_FPREGSET, 512, 8, { { 256, 0, 512 } } },
	{ "x86", CORE_FPREGSET, 108, 8, { { 28, 0, 108 } } },
	{ "x86", CORE_PRXFPREG, 512, 0x20, { { 204, 0, 512 } } },
	{ "arm64", CORE_FPREGSET, 528, 4, { { 272, 0, 512 }, { 788, 512, 4 }, { 784, 516, 4 } } },
	{ CONTEXT_ARM64_OLD, CORE_FPREGSET, 528, 4,
	  { { 284, 0, 512 }, { 276, 512, 4 }, { 280, 516, 4 } } },
	{ "arm", CORE_ARM_VFP, 260, 4, { { 80, 0, 256 }, { 72, 256, 4 } } },
};

const struct core_floats *
core_floats_of(const char *layout, size_t *at)
{
	for (; *at < ARRAY_COUNT(floats); ++*at)
		if (strcmp(floats[*at].layout, layout) == 0)
			return &floats[*at];
	return NULL;
}
