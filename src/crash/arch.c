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

static const int8_t no_order[] = { -1 };

/* Recognised, shown and not walked. */
#define RECOGNISED(which, title, size)							\
	[ARCH_##which] = { .id = ARCH_##which, .name = title, .word_size = size,	\
			   .pc = ARCH_NO_REGISTER, .sp = ARCH_NO_REGISTER,		\
			   .fp = ARCH_NO_REGISTER, .lr = ARCH_NO_REGISTER,		\
			   .call_step = size, .report_order = no_order }

static const struct arch archs[ARCH_COUNT] = {
	[ARCH_X86] = { .id = ARCH_X86, .name = "x86", .word_size = 4,
		       .registers = x86_registers,
		       .register_count = ARRAY_COUNT(x86_registers),
		       .pc = 0, .sp = 1, .fp = 2, .lr = ARCH_NO_REGISTER,
		       .call_step = 1, .report_order = x86_order },
	[ARCH_AMD64] = { .id = ARCH_AMD64, .name = "amd64", .word_size = 8,
			 .registers = amd64_registers,
			 .register_count = ARRAY_COUNT(amd64_registers),
			 .pc = 16, .sp = 7, .fp = 6, .lr = ARCH_NO_REGISTER,
			 .call_step = 1, .report_order = amd64_order },
	[ARCH_ARM] = { .id = ARCH_ARM, .name = "arm", .word_size = 4,
		       .registers = arm_registers,
		       .register_count = ARRAY_COUNT(arm_registers),
		       .pc = 15, .sp = 13, .fp = 11, .lr = 14,
		       .call_step = 2, .report_order = arm_order },
	[ARCH_ARM64] = { .id = ARCH_ARM64, .name = "arm64", .word_size = 8,
			 .registers = arm64_registers,
			 .register_count = ARRAY_COUNT(arm64_registers),
			 .pc = 32, .sp = 31, .fp = 29, .lr = 30,
			 .call_step = 4, .report_order = arm64_order },
	RECOGNISED(MIPS, "mips", 4),
	RECOGNISED(MIPS64, "mips64", 8),
	RECOGNISED(PPC, "ppc", 4),
	RECOGNISED(PPC64, "ppc64", 8),
	RECOGNISED(SPARC, "sparc", 8),
	RECOGNISED(RISCV, "riscv", 4),
	RECOGNISED(RISCV64, "riscv64", 8),
	RECOGNISED(UNKNOWN, "unknown", 8),
};

const struct arch *
arch_by_id(enum arch_id id)
{
	return &archs[id < ARCH_COUNT ? id : ARCH_UNKNOWN];
}

static bool
name_matches(const struct arch_register *entry, struct text name, bool aliases)
{
	if (entry->name != NULL && text_equal(text_of(entry->name), name))
		return true;
	if (!aliases)
		return false;
	if (name.length > 0 && name.start[0] == '$')
		name = (struct text){ name.start + 1, name.length - 1 };
	if (text_equal(text_of(entry->label), name))
		return true;
	return entry->name != NULL && text_equal(text_of(entry->name), name);
}

int
arch_register(const struct arch *arch, struct text name, bool aliases)
{
	for (int i = 0; i < arch->register_count; i++)
		if (name_matches(&arch->registers[i], name, aliases))
			return i;
	return ARCH_NO_REGISTER;
}

uint64_t
arch_wrap(const struct arch *arch, uint64_t value)
{
	return arch->word_size == 4 ? (uint32_t)value : value;
}

void
registers_set(struct registers *registers, int number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
	registers->stale &= ~(UINT64_C(1) << number);
}

void
registers_forget(struct registers *registers, int number)
{
	registers->value[number] = 0;
	registers->known &= ~(UINT64_C(1) << number);
	registers->stale &= ~(UINT64_C(1) << number);
}

bool
registers_known(const struct registers *registers, int number)
{
	return number >= 0 && (registers->known >> number & 1) != 0;
}
