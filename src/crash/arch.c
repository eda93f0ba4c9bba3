/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/arch.h"

#include <string.h>

#include "base/compiler.h"

/* Names and callee-saved sets: Breakpad's stackwalker_<arch>.cc. */

static const struct arch_register x86_registers[] = {
	{ "$eip", "eip", false, false }, { "$esp", "esp", false, false },
	{ "$ebp", "ebp", true, true },	 { "$ebx", "ebx", true, true },
	{ "$esi", "esi", true, true },	 { "$edi", "edi", true, true },
	{ "$eax", "eax", false, false }, { "$ecx", "ecx", false, false },
	{ "$edx", "edx", false, false }, { NULL, "efl", false, false },
};

static const int8_t x86_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1 };

static const struct arch_register amd64_registers[] = {
	{ "$rax", "rax", false, false }, { "$rdx", "rdx", false, false },
	{ "$rcx", "rcx", false, false }, { "$rbx", "rbx", true, true },
	{ "$rsi", "rsi", false, true },	 { "$rdi", "rdi", false, true },
	{ "$rbp", "rbp", true, true },	 { "$rsp", "rsp", false, false },
	{ "$r8", "r8", false, false },	 { "$r9", "r9", false, false },
	{ "$r10", "r10", false, false }, { "$r11", "r11", false, false },
	{ "$r12", "r12", true, true },	 { "$r13", "r13", true, true },
	{ "$r14", "r14", true, true },	 { "$r15", "r15", true, true },
	{ "$rip", "rip", false, false },
};

static const int8_t amd64_order[] = { 0, 1, 2,	3,  4,	5,  6,	7,  8,
				      9, 10, 11, 12, 13, 14, 15, 16, -1 };

static const struct arch_register arm_registers[] = {
	{ "r0", "r0", false, false },	{ "r1", "r1", false, false },
	{ "r2", "r2", false, false },	{ "r3", "r3", false, false },
	{ "r4", "r4", true, true },	{ "r5", "r5", true, true },
	{ "r6", "r6", true, true },	{ "r7", "r7", true, true },
	{ "r8", "r8", true, true },	{ "r9", "r9", true, true },
	{ "r10", "r10", true, true },	{ "r11", "fp", true, true },
	{ "r12", "r12", false, false }, { "sp", "sp", false, false },
	{ "lr", "lr", false, false },	{ "pc", "pc", false, false },
	{ NULL, "cpsr", false, false },
};

static const int8_t arm_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11, 13, 14, 15, -1 };

#define X(number, saved) { "x" #number, "x" #number, saved, saved }

static const struct arch_register arm64_registers[] = {
	X(0, false),  X(1, false),  X(2, false),  X(3, false),	X(4, false),  X(5, false),
	X(6, false),  X(7, false),  X(8, false),  X(9, false),	X(10, false), X(11, false),
	X(12, false), X(13, false), X(14, false), X(15, false), X(16, false), X(17, false),
	X(18, false), X(19, true),  X(20, true),  X(21, true),	X(22, true),  X(23, true),
	X(24, true),  X(25, true),  X(26, true),  X(27, true),	X(28, true),
	{ "x29", "fp", true, true },	{ "x30", "lr", false, false },
	{ "sp", "sp", false, false },	{ "pc", "pc", false, false },
	{ NULL, "cpsr", false, false },
};

#undef X

static const int8_t arm64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
				      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
				      24, 25, 26, 27, 28, 29, 30, 31, 32, -1 };

/*
 * mips: in rules the pc has no name, and register 8 has a letter for its digit. Breakpad
 * forwards $gp on mips64 alone; $sp always has a rule, that of the CFA.
 */
#define PLAIN(rule, people) { rule, people, false, false }
#define KEPT(rule, people) { rule, people, true, true }
#define MIPS_REGISTERS(gp)								\
	PLAIN("$zero", "zero"), PLAIN("$at", "at"), PLAIN("$v0", "v0"),			\
	PLAIN("$v1", "v1"), PLAIN("$a0", "a0"), PLAIN("$a1", "a1"), PLAIN("$a2", "a2"),	\
	PLAIN("$a3", "a3"), PLAIN("$to", "t0"), PLAIN("$t1", "t1"), PLAIN("$t2", "t2"),	\
	PLAIN("$t3", "t3"), PLAIN("$t4", "t4"), PLAIN("$t5", "t5"), PLAIN("$t6", "t6"),	\
	PLAIN("$t7", "t7"), KEPT("$s0", "s0"), KEPT("$s1", "s1"), KEPT("$s2", "s2"),	\
	KEPT("$s3", "s3"), KEPT("$s4", "s4"), KEPT("$s5", "s5"), KEPT("$s6", "s6"),	\
	KEPT("$s7", "s7"), PLAIN("$t8", "t8"), PLAIN("$t9", "t9"), PLAIN("$k0", "k0"),	\
	PLAIN("$k1", "k1"), gp("$gp", "gp"), PLAIN("$sp", "sp"), KEPT("$fp", "fp"),	\
	PLAIN("$ra", "ra"), PLAIN(NULL, "pc"), PLAIN(NULL, "hi"), PLAIN(NULL, "lo"),	\
	PLAIN(NULL, "hi1"), PLAIN(NULL, "hi2"), PLAIN(NULL, "hi3"), PLAIN(NULL, "lo1"),	\
	PLAIN(NULL, "lo2"), PLAIN(NULL, "lo3"), PLAIN(NULL, "dsp"),			\
	PLAIN(NULL, "badvaddr"), PLAIN(NULL, "status"), PLAIN(NULL, "cause"),		\
	PLAIN(NULL, "fpcsr"), PLAIN(NULL, "fir")

static const struct arch_register mips_registers[] = { MIPS_REGISTERS(PLAIN) };
static const struct arch_register mips64_registers[] = { MIPS_REGISTERS(KEPT) };

static const int8_t mips_order[] = { 28, 29, 30, 31, 32, 16, 17, 18, 19, 20, 21, 22, 23, -1 };

/* Nobody writes STACK CFI for PowerPC and SPARC; the names are their assemblers'. */
#define R(number) PLAIN("r" #number, "r" #number)
#define K(number) KEPT("r" #number, "r" #number)
#define POWERPC_REGISTERS								\
	R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12),	\
	R(13), K(14), K(15), K(16), K(17), K(18), K(19), K(20), K(21), K(22), K(23), K(24),	\
	K(25), K(26), K(27), K(28), K(29), K(30), K(31), PLAIN("srr0", "srr0"),		\
	PLAIN(NULL, "srr1"), PLAIN(NULL, "cr"), PLAIN(NULL, "xer"), PLAIN("lr", "lr"),	\
	PLAIN("ctr", "ctr")

static const struct arch_register ppc_registers[] = { POWERPC_REGISTERS, PLAIN(NULL, "mq"),
						      PLAIN(NULL, "vrsave") };
static const struct arch_register ppc64_registers[] = { POWERPC_REGISTERS, PLAIN(NULL, "vrsave") };

#undef R
#undef K

static const int8_t ppc_order[] = { 32, 1, -1 };

/* The window of a function: a call keeps its locals and ins, nothing else. */
static const struct arch_register sparc_registers[] = {
	PLAIN("g0", "g0"), PLAIN("g1", "g1"), PLAIN("g2", "g2"), PLAIN("g3", "g3"),
	PLAIN("g4", "g4"), PLAIN("g5", "g5"), PLAIN("g6", "g6"), PLAIN("g7", "g7"),
	PLAIN("o0", "o0"), PLAIN("o1", "o1"), PLAIN("o2", "o2"), PLAIN("o3", "o3"),
	PLAIN("o4", "o4"), PLAIN("o5", "o5"), PLAIN("o6", "sp"), PLAIN("o7", "o7"),
	KEPT("l0", "l0"), KEPT("l1", "l1"), KEPT("l2", "l2"), KEPT("l3", "l3"),
	KEPT("l4", "l4"), KEPT("l5", "l5"), KEPT("l6", "l6"), KEPT("l7", "l7"),
	KEPT("i0", "i0"), KEPT("i1", "i1"), KEPT("i2", "i2"), KEPT("i3", "i3"),
	KEPT("i4", "i4"), KEPT("i5", "i5"), KEPT("i6", "fp"), KEPT("i7", "i7"),
	PLAIN(NULL, "ccr"), PLAIN("pc", "pc"), PLAIN(NULL, "npc"), PLAIN(NULL, "y"),
	PLAIN(NULL, "asi"), PLAIN(NULL, "fprs"),
};

static const int8_t sparc_order[] = { 14, 30, 33, -1 };
static const int8_t no_order[] = { -1 };

static const struct arch_register riscv_registers[] = {
	PLAIN("pc", "pc"), PLAIN("ra", "ra"), PLAIN("sp", "sp"), PLAIN("gp", "gp"),
	PLAIN("tp", "tp"), PLAIN("t0", "t0"), PLAIN("t1", "t1"), PLAIN("t2", "t2"),
	KEPT("s0", "s0"), KEPT("s1", "s1"), PLAIN("a0", "a0"), PLAIN("a1", "a1"),
	PLAIN("a2", "a2"), PLAIN("a3", "a3"), PLAIN("a4", "a4"), PLAIN("a5", "a5"),
	PLAIN("a6", "a6"), PLAIN("a7", "a7"), KEPT("s2", "s2"), KEPT("s3", "s3"),
	KEPT("s4", "s4"), KEPT("s5", "s5"), KEPT("s6", "s6"), KEPT("s7", "s7"),
	KEPT("s8", "s8"), KEPT("s9", "s9"), KEPT("s10", "s10"), KEPT("s11", "s11"),
	PLAIN("t3", "t3"), PLAIN("t4", "t4"), PLAIN("t5", "t5"), PLAIN("t6", "t6"),
	PLAIN(NULL, "fcsr"),
};

/* In DWARF's order, which is not that of the floating-point registers' numbers. */
static const struct arch_register s390x_registers[] = {
	PLAIN("r0", "r0"), PLAIN("r1", "r1"), PLAIN("r2", "r2"), PLAIN("r3", "r3"),
	PLAIN("r4", "r4"), PLAIN("r5", "r5"), KEPT("r6", "r6"), KEPT("r7", "r7"),
	KEPT("r8", "r8"), KEPT("r9", "r9"), KEPT("r10", "r10"), KEPT("r11", "r11"),
	KEPT("r12", "r12"), KEPT("r13", "r13"), PLAIN("r14", "r14"), PLAIN("r15", "sp"),
	PLAIN("f0", "f0"), PLAIN("f2", "f2"), PLAIN("f4", "f4"), PLAIN("f6", "f6"),
	PLAIN("f1", "f1"), PLAIN("f3", "f3"), PLAIN("f5", "f5"), PLAIN("f7", "f7"),
	KEPT("f8", "f8"), KEPT("f10", "f10"), KEPT("f12", "f12"), KEPT("f14", "f14"),
	KEPT("f9", "f9"), KEPT("f11", "f11"), KEPT("f13", "f13"), KEPT("f15", "f15"),
	PLAIN("pswa", "pc"),
};

#undef PLAIN
#undef KEPT

static const int8_t s390x_order[] = { 32, 0, 1,  2,  3,  4,  5,  6,  7,
				      8,  9, 10, 11, 12, 13, 14, 15, -1 };

static const int8_t riscv_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1 };

#define REGISTERS(table) .registers = table, .register_count = ARRAY_COUNT(table)
#define REGISTER_SIZE(size) .register_size = size, .report_size = size
#define CALL_STEP(step) .call_step = step, .long_call_step = step

static const struct arch archs[ARCH_COUNT] = {
	[ARCH_X86] = { .id = ARCH_X86, .name = "x86", .word_size = 4, REGISTER_SIZE(4),
		       REGISTERS(x86_registers), .pc = 0, .sp = 1, .fp = 2,
		       .lr = ARCH_NO_REGISTER, CALL_STEP(1), .report_order = x86_order },
	[ARCH_AMD64] = { .id = ARCH_AMD64, .name = "amd64", .word_size = 8, REGISTER_SIZE(8),
			 REGISTERS(amd64_registers), .pc = 16, .sp = 7, .fp = 6,
			 .lr = ARCH_NO_REGISTER, CALL_STEP(1), .report_order = amd64_order },
	[ARCH_ARM] = { .id = ARCH_ARM, .name = "arm", .word_size = 4, REGISTER_SIZE(4),
		       REGISTERS(arm_registers), .pc = 15, .sp = 13, .fp = 11, .lr = 14,
		       CALL_STEP(2), .report_order = arm_order },
	[ARCH_ARM64] = { .id = ARCH_ARM64, .name = "arm64", .word_size = 8, REGISTER_SIZE(8),
			 REGISTERS(arm64_registers), .pc = 32, .sp = 31, .fp = 29, .lr = 30,
			 CALL_STEP(4), .report_order = arm64_order },
	/* The pc of a caller is that of its call: behind it lies the delay slot. */
	[ARCH_MIPS] = { .id = ARCH_MIPS, .name = "mips", .word_size = 4, REGISTER_SIZE(8),
			REGISTERS(mips_registers), .pc = 32, .sp = 29, .fp = 30, .lr = 31,
			.return_step = -8, .long_return_step = -8, .report_order = mips_order },
	[ARCH_MIPS64] = { .id = ARCH_MIPS64, .name = "mips64", .word_size = 8, REGISTER_SIZE(8),
			  REGISTERS(mips64_registers), .pc = 32, .sp = 29, .fp = 30, .lr = 31,
			  .return_step = -8, .long_return_step = -16,
			  .report_order = mips_order },
	[ARCH_PPC] = { .id = ARCH_PPC, .name = "ppc", .word_size = 4, REGISTER_SIZE(4),
		       REGISTERS(ppc_registers), .pc = 32, .sp = 1, .fp = 31, .lr = 36,
		       CALL_STEP(4), .report_order = ppc_order },
	[ARCH_PPC64] = { .id = ARCH_PPC64, .name = "ppc64", .word_size = 8, REGISTER_SIZE(8),
			 REGISTERS(ppc64_registers), .pc = 32, .sp = 1, .fp = 31, .lr = 36,
			 .call_step = 4, .long_call_step = 8, .report_order = no_order },
	/* Registers of SPARC hold the address of the call; pc is that of the return. */
	[ARCH_SPARC] = { .id = ARCH_SPARC, .name = "sparc", .word_size = 8, REGISTER_SIZE(8),
			 REGISTERS(sparc_registers), .pc = 33, .sp = 14, .fp = 30, .lr = 15,
			 .return_step = 8, .long_return_step = 8, CALL_STEP(8),
			 .report_order = sparc_order },
	[ARCH_SPARC32] = { .id = ARCH_SPARC32, .name = "sparc", .word_size = 4,
			   .register_size = 8, .report_size = 4,
			   REGISTERS(sparc_registers), .pc = 33, .sp = 14, .fp = 30, .lr = 15,
			   .return_step = 8, .long_return_step = 8, CALL_STEP(8),
			   .report_order = sparc_order },
	/* Two bytes back lie in the call, whether it is compressed or not. */
	[ARCH_RISCV] = { .id = ARCH_RISCV, .name = "riscv", .word_size = 4, REGISTER_SIZE(4),
			 REGISTERS(riscv_registers), .pc = 0, .sp = 2, .fp = 8, .lr = 1,
			 .call_step = 2, .long_call_step = 4, .report_order = riscv_order },
	[ARCH_RISCV64] = { .id = ARCH_RISCV64, .name = "riscv64", .word_size = 8,
			   REGISTER_SIZE(8), REGISTERS(riscv_registers), .pc = 0, .sp = 2,
			   .fp = 8, .lr = 1, .call_step = 2, .long_call_step = 4,
			   .report_order = riscv_order },
	[ARCH_S390X] = { .id = ARCH_S390X, .name = "s390x", .word_size = 8, REGISTER_SIZE(8),
			 REGISTERS(s390x_registers), .pc = 32, .sp = 15, .fp = 11, .lr = 14,
			 CALL_STEP(2), .report_order = s390x_order },
	[ARCH_UNKNOWN] = { .id = ARCH_UNKNOWN, .name = "unknown", .word_size = 8,
			   REGISTER_SIZE(8), .pc = ARCH_NO_REGISTER, .sp = ARCH_NO_REGISTER,
			   .fp = ARCH_NO_REGISTER, .lr = ARCH_NO_REGISTER, CALL_STEP(8),
			   .report_order = no_order },
};

const struct arch *
arch_by_id(enum arch_id id)
{
	return &archs[id < ARCH_COUNT ? id : ARCH_UNKNOWN];
}

const struct arch *
arch_of_symbols(struct text name)
{
	/* Source: google/breakpad src/common, dump_syms for Linux, macOS and Windows. */
	static const struct {
		const char *name;
		enum arch_id id;
	} names[] = {
		{ "x86", ARCH_X86 },	   { "i386", ARCH_X86 },
		{ "x86_64", ARCH_AMD64 },  { "x86_64h", ARCH_AMD64 },
		{ "arm", ARCH_ARM },	   { "armv7", ARCH_ARM },
		{ "armv7s", ARCH_ARM },	   { "arm64", ARCH_ARM64 },
		{ "arm64e", ARCH_ARM64 },  { "mips", ARCH_MIPS },
		{ "mips64", ARCH_MIPS64 }, { "ppc", ARCH_PPC },
		{ "ppc64", ARCH_PPC64 },   { "sparc", ARCH_SPARC32 },
		{ "sparcv9", ARCH_SPARC }, { "riscv", ARCH_RISCV64 },
		{ "riscv64", ARCH_RISCV64 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (text_equal(text_of(names[i].name), name))
			return arch_by_id(names[i].id);
	return arch_by_id(ARCH_UNKNOWN);
}

static bool
name_matches(const struct arch_register *entry, struct text name, enum arch_names names)
{
	const bool dollar = name.length > 0 && name.start[0] == '$';

	if (entry->name != NULL && text_equal(text_of(entry->name), name))
		return true;
	if (names == ARCH_NAMES_EXACT)
		return false;
	if (names == ARCH_NAMES_MENDED && (!dollar || entry->name == NULL || entry->name[0] != '$'))
		return false;
	if (dollar)
		name = (struct text){ name.start + 1, name.length - 1 };
	if (text_equal(text_of(entry->label), name))
		return true;
	return entry->name != NULL && text_equal(text_of(entry->name), name);
}

int
arch_register(const struct arch *arch, struct text name, enum arch_names names)
{
	for (int i = 0; i < arch->register_count; i++)
		if (name_matches(&arch->registers[i], name, names))
			return i;
	return ARCH_NO_REGISTER;
}

uint64_t
arch_wrap(const struct arch *arch, uint64_t value)
{
	return arch->word_size == 4 ? (uint32_t)value : value;
}

uint64_t
arch_wrap_register(const struct arch *arch, uint64_t value)
{
	return arch->register_size == 4 ? (uint32_t)value : value;
}

void
registers_set(struct registers *registers, int number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
	registers->stale &= ~(UINT64_C(1) << number);
}

bool
registers_known(const struct registers *registers, int number)
{
	return number >= 0 && (registers->known >> number & 1) != 0;
}
