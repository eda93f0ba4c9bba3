/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/instruction.h"

#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

enum { CALL = INSTRUCTION_CALL, JUMP = INSTRUCTION_JUMP, COND = INSTRUCTION_CONDITIONAL,
       RET = INSTRUCTION_RETURN, DIV = INSTRUCTION_DIVIDE, PRIV = INSTRUCTION_PRIVILEGED,
       PUSH = INSTRUCTION_PUSH, POP = INSTRUCTION_POP, STR = INSTRUCTION_STRING,
       REP = INSTRUCTION_REPEATED, TRAP = INSTRUCTION_TRAP, SYS = INSTRUCTION_SYSTEM };

/* Accesses as text: [base+index*scale+displacement]size, then r, w, i(mplicit), s(egment), ?. */
static const struct {
	enum arch_id arch;
	bool big, thumb;
	const char *hex;
	unsigned kinds;
	const char *accesses, *leads;
} cases[] = {
	{ ARCH_AMD64, 0, 0, "8b4108", 0, "[rcx+8]4r", "" }, { ARCH_AMD64, 0, 0, "48894cc310", 0, "[rbx+rax*8+16]8w", "" },
	{ ARCH_AMD64, 0, 0, "488b0510000000", 0, "[65559]8r", "" }, { ARCH_AMD64, 0, 0, "678b00", 0, "[rax]4r", "" },
	{ ARCH_AMD64, 0, 0, "448b4df8", 0, "[rbp-8]4r", "" }, { ARCH_AMD64, 0, 0, "800001", 0, "[rax]1rw", "" },
	{ ARCH_AMD64, 0, 0, "f00fb10a", 0, "[rdx]4rw", "" }, { ARCH_AMD64, 0, 0, "0f2900", 0, "[rax]16w", "" },
	{ ARCH_AMD64, 0, 0, "f20f1000", 0, "[rax]8r", "" }, { ARCH_AMD64, 0, 0, "64488b042528000000", 0, "[40]8rs", "" },
	{ ARCH_AMD64, 0, 0, "488d4108", 0, "", "" }, { ARCH_AMD64, 0, 0, "488d0510000000", 0, "", "loads 0x10017" },
	{ ARCH_AMD64, 0, 0, "0f1f00", 0, "", "" }, { ARCH_AMD64, 0, 0, "0f1808", 0, "", "" },
	{ ARCH_AMD64, 0, 0, "50", PUSH, "[rsp-8]8wi", "" }, { ARCH_AMD64, 0, 0, "66680100", PUSH, "[rsp-2]2wi", "" },
	{ ARCH_AMD64, 0, 0, "ff7008", PUSH, "[rax+8]8r [rsp-8]8wi", "" },
	{ ARCH_AMD64, 0, 0, "58", POP, "[rsp]8ri", "" }, { ARCH_AMD64, 0, 0, "c9", POP, "[rbp]8ri", "" },
	{ ARCH_AMD64, 0, 0, "c3", RET, "[rsp]8ri", "access 0" }, { ARCH_AMD64, 0, 0, "e8fbffffff", CALL, "[rsp-8]8wi", "0x10000" },
	{ ARCH_AMD64, 0, 0, "ff1510000000", CALL, "[65558]8r [rsp-8]8wi", "access 0" }, { ARCH_AMD64, 0, 0, "ffe0", JUMP, "", "rax" },
	{ ARCH_AMD64, 0, 0, "74fe", JUMP | COND, "", "0x10000" }, { ARCH_AMD64, 0, 0, "f348a5", STR | REP, "[rdi]8w [rsi]8r", "" },
	{ ARCH_AMD64, 0, 0, "aa", STR, "[rdi]1w", "" }, { ARCH_AMD64, 0, 0, "48f7f1", DIV, "", "" },
	{ ARCH_AMD64, 0, 0, "f73e", DIV, "[rsi]4r", "" }, { ARCH_AMD64, 0, 0, "f4", PRIV, "", "" },
	{ ARCH_AMD64, 0, 0, "0f22c0", PRIV, "", "" }, { ARCH_AMD64, 0, 0, "8ed8", 0, "", "" },
	{ ARCH_AMD64, 0, 0, "ec", PRIV, "", "" }, { ARCH_AMD64, 0, 0, "0f0b", TRAP, "", "" },
	{ ARCH_AMD64, 0, 0, "cc", TRAP, "", "" }, { ARCH_AMD64, 0, 0, "0f05", SYS, "", "" },
	{ ARCH_X86, 0, 0, "8b04cd00000000", 0, "[ecx*8]4r", "" }, { ARCH_X86, 0, 0, "60", PUSH, "[esp-32]32wi", "" },
	{ ARCH_X86, 0, 0, "a178563412", 0, "[305419896]4r", "" }, { ARCH_X86, 0, 0, "cd80", SYS, "", "" },
	{ ARCH_ARM, 0, 0, "08009fe5", 0, "[65552]4r", "" }, { ARCH_ARM, 0, 0, "810091e7", 0, "[r1+r1*2]4r", "" },
	{ ARCH_ARM, 0, 0, "010011e7", 0, "[r1+r1*-1]4r", "" },
	{ ARCH_ARM, 0, 0, "b000d1e1", 0, "[r1]2r", "" }, { ARCH_ARM, 0, 0, "d000c1e1", 0, "[r1]8r", "" },
	{ ARCH_ARM, 0, 0, "f0402de9", PUSH, "[sp-20]20wi", "" }, { ARCH_ARM, 0, 0, "f080bde8", POP | RET, "[sp]20ri", "" },
	{ ARCH_ARM, 0, 0, "f00081e8", 0, "[r1]16wi", "" }, { ARCH_ARM, 0, 0, "0c0011e9", 0, "[r1-8]8ri", "" },
	{ ARCH_ARM, 0, 0, "feffffeb", CALL, "", "0x10000" }, { ARCH_ARM, 0, 0, "0400000a", JUMP | COND, "", "0x10018" },
	{ ARCH_ARM, 0, 0, "1eff2fe1", RET, "", "lr" }, { ARCH_ARM, 0, 0, "0ef0a0e1", RET, "", "" },
	{ ARCH_ARM, 0, 0, "f000f0e7", TRAP, "", "" }, { ARCH_ARM, 0, 1, "0148", 0, "[65544]4r", "" },
	{ ARCH_ARM, 0, 1, "08bd", POP | RET, "[sp]8ri", "" }, { ARCH_ARM, 0, 1, "9847", CALL, "", "r3" },
	{ ARCH_ARM, 0, 1, "00de", TRAP, "", "" }, { ARCH_ARM64, 0, 0, "fd7bbfa9", 0, "[sp-16]16w", "" },
	{ ARCH_ARM64, 0, 0, "00004039", 0, "[x0]1r", "" }, { ARCH_ARM64, 0, 0, "200040b8", 0, "[x1]4r", "" },
	{ ARCH_ARM64, 0, 0, "40000058", 0, "[65544]8r", "" }, { ARCH_ARM64, 0, 0, "207861f8", 0, "[x1+x1*8]8r", "" },
	{ ARCH_ARM64, 0, 0, "204861f8", 0, "[x1+x1]8r?", "" },
	{ ARCH_ARM64, 0, 0, "0000c03d", 0, "[x0]16r", "" }, { ARCH_ARM64, 0, 0, "00003fd6", CALL, "", "x0" },
	{ ARCH_ARM64, 0, 0, "c0035fd6", RET, "", "" }, { ARCH_ARM64, 0, 0, "000000b4", JUMP | COND, "", "0x10000" },
	{ ARCH_ARM64, 0, 0, "00000054", JUMP | COND, "", "0x10000" }, { ARCH_ARM64, 0, 0, "200020d4", TRAP, "", "" },
	{ ARCH_MIPS, 1, 0, "8fbf001c", 0, "[sp+28]4r", "" },
	{ ARCH_MIPS, 0, 0, "1c00bfaf", 0, "[sp+28]4w", "" }, { ARCH_MIPS, 1, 0, "0320f809", CALL, "", "t9" },
	{ ARCH_MIPS, 1, 0, "03e00008", RET, "", "ra" }, { ARCH_MIPS, 1, 0, "10400003", JUMP | COND, "", "0x10010" },
	{ ARCH_MIPS, 1, 0, "0000000d", TRAP, "", "" }, { ARCH_PPC, 1, 0, "80010004", 0, "[r1+4]4r", "" },
	{ ARCH_PPC, 1, 0, "9421fff0", 0, "[r1-16]4w", "" },
	{ ARCH_PPC, 1, 0, "7c64286e", 0, "[r4+r5]4r", "" }, { ARCH_PPC, 1, 0, "7c00182e", 0, "[r3]4r", "" },
	{ ARCH_PPC, 1, 0, "4e800421", CALL, "", "ctr" }, { ARCH_PPC, 1, 0, "4e800020", RET, "", "" },
	{ ARCH_SPARC, 1, 0, "d0022004", 0, "[o0+4]4r", "" }, { ARCH_SPARC, 1, 0, "d0224008", 0, "[o1+o0]4w", "" },
	{ ARCH_SPARC, 1, 0, "40000004", CALL, "", "0x10010" }, { ARCH_SPARC, 1, 0, "10800003", JUMP, "", "0x1000c" },
	{ ARCH_SPARC, 1, 0, "02800003", JUMP | COND, "", "0x1000c" }, { ARCH_SPARC, 1, 0, "81c7e008", RET, "", "" },
};

/* The name of a register in the cases: x0 to x30 on arm64, elsewhere the usual name. */
static const char *
label(const struct arch *arch, int number)
{
	return arch->registers[number].label;
}

static size_t
write_access(char *text, size_t size, const struct arch *arch, const struct instruction_access *access)
{
	int used = snprintf(text, size, "[");
	const char *plus = "";

	if (access->base != ARCH_NO_REGISTER)
		used += snprintf(text + used, size - (size_t)used, "%s", label(arch, access->base));
	if (access->base != ARCH_NO_REGISTER)
		plus = "+";
	/* An index without a base and with scale 1 is a base. */
	if (access->index != ARCH_NO_REGISTER && (access->base == ARCH_NO_REGISTER && access->scale == 1))
		used += snprintf(text + used, size - (size_t)used, "%s", label(arch, access->index));
	else if (access->index != ARCH_NO_REGISTER) {
		used += snprintf(text + used, size - (size_t)used, "%s%s", plus, label(arch, access->index));
		if (access->scale != 1)
			used += snprintf(text + used, size - (size_t)used, "*%d", access->scale);
	}
	bool alone = access->base == ARCH_NO_REGISTER && access->index == ARCH_NO_REGISTER;
	if (alone)
		used += snprintf(text + used, size - (size_t)used, "%lld", (long long)access->displacement);
	else if (access->displacement != 0)
		used += snprintf(text + used, size - (size_t)used, "%+lld", (long long)access->displacement);
	used += snprintf(text + used, size - (size_t)used, "]%u%s%s%s%s%s", access->size,
			 access->read ? "r" : "", access->written ? "w" : "",
			 access->implicit ? "i" : "", access->segment ? "s" : "", access->opaque ? "?" : "");
	return (size_t)used;
}

static void
write_leads(char *text, size_t size, const struct arch *arch, const struct instruction *instruction)
{
	text[0] = '\0';
	if (instruction->has_target)
		snprintf(text, size, "0x%llx", (unsigned long long)instruction->target);
	else if (instruction->loaded != 0)
		snprintf(text, size, "loads 0x%llx", (unsigned long long)instruction->loaded);
	else if (instruction->target_access != INSTRUCTION_NO_ACCESS)
		snprintf(text, size, "access %d", instruction->target_access);
	else if (instruction->target_register != ARCH_NO_REGISTER)
		snprintf(text, size, "%s", label(arch, instruction->target_register));
}

TEST_EACH(cases, cases)
{
	const struct arch *arch = arch_by_id(cases[i].arch);
	uint8_t bytes[16];
	size_t count = bytes_of(cases[i].hex, bytes, sizeof(bytes)), used = 0;
	const struct reader code = { .data = bytes, .size = count, .big_endian = cases[i].big };
	struct instruction instruction;
	char accesses[256] = "", leads[32];

	if (!instruction_decode(&instruction, arch, cases[i].thumb, &code, 0x10000)) {
		ok(false, "%s: %s is an instruction", arch->name, cases[i].hex);
		return;
	}
	for (size_t n = 0; n < instruction.access_count; n++) {
		if (n != 0)
			accesses[used++] = ' ';
		used += write_access(accesses + used, sizeof(accesses) - used, arch, &instruction.accesses[n]);
	}
	write_leads(leads, sizeof(leads), arch, &instruction);
	is_str(accesses, cases[i].accesses, "%s: the accesses of '%s' are right", arch->name, instruction.text);
	is_str(leads, cases[i].leads, "%s: the target of '%s' is right", arch->name, instruction.text);
	is_u64(instruction.kinds, cases[i].kinds, "%s: the kinds of '%s' are right", arch->name, instruction.text);
	is_u64(instruction.length, count, "%s: the length of '%s' is right", arch->name, instruction.text);
}

static bool
decode(struct instruction *instruction, const struct arch *arch, const uint8_t *bytes, size_t size)
{
	return instruction_decode(instruction, arch, false, &(struct reader){ .data = bytes, .size = size }, 0);
}

TEST(addresses)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	const uint8_t bytes[] = { 0x48, 0x89, 0x4c, 0xc3, 0x10 };
	const uint8_t narrow[] = { 0x67, 0x8b, 0x40, 0xff };
	struct registers registers = { 0 };
	struct instruction instruction;
	uint64_t address = 0;

	decode(&instruction, arch, bytes, sizeof(bytes));
	is_str(instruction.text, "mov qword ptr [rbx + rax*8 + 0x10], rcx", "an instruction has a text");
	int rax = arch_register(arch, text_of("rax"), ARCH_NAMES_ALIASES);
	int rbx = arch_register(arch, text_of("rbx"), ARCH_NAMES_ALIASES);
	registers_set(&registers, rax, 3);
	ok(!instruction_address(&instruction.accesses[0], &registers, &address), "an address without a known register is unknown");
	registers_set(&registers, rbx, 0x1000);
	ok(instruction_address(&instruction.accesses[0], &registers, &address) &&
	   address == 0x1028, "an address with all registers is known: 0x1000 + 3 * 8 + 0x10");
	is_u64(instruction.reads >> rax & instruction.reads >> rbx & 1, 1, "the registers of an address are read");
	decode(&instruction, arch, narrow, sizeof(narrow));
	registers_set(&registers, rax, 0x700000001);
	ok(instruction_address(&instruction.accesses[0], &registers, &address) && address == 0, "addresses of 32 bits wrap");
}

TEST(refusals)
{
	const uint8_t bad[] = { 0x06 }, cut[] = { 0xe8, 0, 0 };
	struct instruction instruction;

	ok(!decode(&instruction, arch_by_id(ARCH_AMD64), bad, 1), "an invalid opcode is refused");
	ok(!decode(&instruction, arch_by_id(ARCH_AMD64), cut, 3), "half of an opcode is refused");
	ok(!decode(&instruction, arch_by_id(ARCH_AMD64), cut, 0), "an empty instruction is refused");
	ok(!decode(&instruction, arch_by_id(ARCH_UNKNOWN), cut, 3), "an unknown architecture has no instructions");
	ok(instruction_unsupported(arch_by_id(ARCH_UNKNOWN)) != NULL, "a message says why an unknown architecture has no instructions");
}

int
main(void)
{
	if (instruction_unsupported(arch_by_id(ARCH_AMD64)) != NULL)
		skip(1, "%s", instruction_unsupported(arch_by_id(ARCH_AMD64)));
	else
		run_tests();
	return done_testing();
}
