/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/call.h"

#include "code/instruction.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

#define NONE 1u		/* no call leads to an odd address here */

#define SITE(arch, big, hex, address, answer, target, title) { ARCH_##arch, big, hex, address, CALL_##answer, target, title }

/* Bytes before an address, and their meaning in the manuals of the architecture. */
static const struct {
	enum arch_id arch;
	bool big;
	const char *hex;
	uint64_t address;
	enum call_answer answer;
	uint64_t target;
	const char *title;
} cases[] = {
	/* Intel SDM 2, CALL; ModRM and SIB bytes of tables 2-2 and 2-3. */
	SITE(AMD64, 0, "e8fbffffff", 0x401000, YES, 0x400ffb, "call rel32"),
	SITE(AMD64, 0, "e800100000", 0x401000, YES, 0x402000, "call rel32 forwards"),
	SITE(AMD64, 0, "f2e800000080", 0x401000, YES, 0xffffffff80401000, "bnd call"),
	SITE(AMD64, 0, "ffd0", 0x401000, YES, NONE, "call rax"),
	SITE(AMD64, 0, "41ffd4", 0x401000, YES, NONE, "call r12"),
	SITE(AMD64, 0, "3effd0", 0x401000, YES, NONE, "notrack call rax"),
	SITE(AMD64, 0, "ff10", 0x401000, YES, NONE, "call [rax]"),
	SITE(AMD64, 0, "ff1424", 0x401000, YES, NONE, "call [rsp]"),
	SITE(AMD64, 0, "ff5508", 0x401000, YES, NONE, "call [rbp + 8]"),
	SITE(AMD64, 0, "ff542408", 0x401000, YES, NONE, "call [rsp + 8]"),
	SITE(AMD64, 0, "ff1578563412", 0x401000, YES, NONE, "call [rip + 0x12345678]"),
	SITE(AMD64, 0, "ff142578563412", 0x401000, YES, NONE, "call [0x12345678]"),
	SITE(AMD64, 0, "ff9078563412", 0x401000, YES, NONE, "call [rax + 0x12345678]"),
	SITE(AMD64, 0, "ff94c878563412", 0x401000, YES, NONE, "call [rax + rcx*8 + 0x12345678]"),
	SITE(AMD64, 0, "48ff1b", 0x401000, YES, NONE, "call far [rbx]"),
	SITE(AMD64, 0, "9090909090ffe0", 0x401000, NO, NONE, "jmp rax is no call"),
	SITE(AMD64, 0, "9090e9fbffffff", 0x401000, NO, NONE, "jmp rel32 is no call"),
	SITE(AMD64, 0, "9090909090ff30", 0x401000, NO, NONE, "push [rax] is no call"),
	SITE(AMD64, 0, "9090909090ffd8", 0x401000, NO, NONE, "a far call of a register is no call"),
	SITE(AMD64, 0, "9090909090ff14", 0x401000, NO, NONE, "a call that lacks its SIB byte is no call"),
	SITE(AMD64, 0, "9090909090ff50", 0x401000, NO, NONE, "a call that lacks its displacement is no call"),
	SITE(AMD64, 0, "90909090ff1000", 0x401000, NO, NONE, "a call that ends a byte before is no call"),
	SITE(AMD64, 0, "9090e8fbffff", 0x401000, UNKNOWN, NONE, "six bytes cannot exclude a call"),
	SITE(AMD64, 0, "9a785634120700", 0x401000, NO, NONE, "amd64 has no far direct call"),
	SITE(X86, 0, "9a785634120700", 0x401000, YES, NONE, "x86 has a far direct call"),
	SITE(X86, 0, "e8e0ffffff", 0x10, YES, 0xfffffff0, "targets wrap at 32 bits"),
	SITE(X86, 0, "ff1578563412", 0x401000, YES, NONE, "call [0x12345678] of x86"),
	SITE(X86, 0, "65ff1510000000", 0x401000, YES, NONE, "call gs:[0x10]"),
	/* Arm DDI 0406, A8.8.25 BL and BLX (immediate), A8.8.26 BLX (register). */
	SITE(ARM, 0, "feffffeb", 0x10000, YES, 0xfffc, "bl"),
	SITE(ARM, 0, "0000000b", 0x10000, YES, 0x10004, "bleq"),
	SITE(ARM, 0, "000000fa", 0x10000, YES, 0x10004, "blx to a word"),
	SITE(ARM, 0, "000000fb", 0x10000, YES, 0x10006, "blx to a half"),
	SITE(ARM, 0, "33ff2fe1", 0x10000, YES, NONE, "blx r3"),
	SITE(ARM, 0, "33ff2f11", 0x10000, YES, NONE, "blxne r3"),
	SITE(ARM, 0, "0fe0a0e1 13ff2fe1", 0x10000, YES, NONE, "mov lr, pc and bx r3"),
	SITE(ARM, 0, "0fe0a0e1 03f0a0e1", 0x10000, YES, NONE, "mov lr, pc and mov pc, r3"),
	SITE(ARM, 0, "0fe0a0e1 00f094e5", 0x10000, YES, NONE, "mov lr, pc and ldr pc, [r4]"),
	SITE(ARM, 0, "0fe0a0e1 008094e8", 0x10000, YES, NONE, "mov lr, pc and ldm r4, {pc}"),
	SITE(ARM, 0, "0fe0a0e1 030080e0", 0x10000, NO, NONE, "mov lr, pc and an addition is no call"),
	SITE(ARM, 0, "0000a0e1 13ff2fe1", 0x10000, NO, NONE, "bx r3 alone is no call"),
	SITE(ARM, 0, "0000a0e1 000000ea", 0x10000, NO, NONE, "b is no call"),
	SITE(ARM, 0, "0000a0e1 33ff2ff1", 0x10000, NO, NONE, "blx r3 with condition 15 is no call"),
	SITE(ARM, 0, "0000a0e1", 0x10000, UNKNOWN, NONE, "a single word cannot exclude a call"),
	SITE(ARM, 0, "00f000f8", 0x10001, YES, 0x10000, "bl in Thumb state"),
	SITE(ARM, 0, "fff7feff", 0x10001, YES, 0xfffc, "bl backwards in Thumb state"),
	SITE(ARM, 0, "00f000d0", 0x10001, YES, 0xc10000, "bl with both J bits clear"),
	SITE(ARM, 0, "00f000e8", 0x10003, YES, 0x10000, "blx counts from the word"),
	SITE(ARM, 0, "00bf 9847", 0x10001, YES, NONE, "blx r3 in Thumb state"),
	SITE(ARM, 0, "9847", 0x10002, YES, NONE, "the middle of a word is Thumb state"),
	SITE(ARM, 0, "00f001e8", 0x10001, NO, NONE, "blx with bit 0 is undefined"),
	SITE(ARM, 0, "00bf 1847", 0x10001, NO, NONE, "bx r3 is no call"),
	SITE(ARM, 0, "00f000b8", 0x10001, NO, NONE, "b.w is no call"),
	SITE(ARM, 0, "00bf", 0x10001, UNKNOWN, NONE, "a single halfword cannot exclude a call"),
	/* Arm DDI 0487, C6.2: BL, BLR, BLRAA, BLRAAZ, BLRAB, BLRABZ. */
	SITE(ARM64, 0, "00fdff97", 0x10000, YES, 0xf3fc, "bl of arm64"),
	SITE(ARM64, 0, "00003fd6", 0x10000, YES, NONE, "blr x0"),
	SITE(ARM64, 0, "c0033fd6", 0x10000, YES, NONE, "blr x30"),
	SITE(ARM64, 0, "1f093fd6", 0x10000, YES, NONE, "blraaz x8"),
	SITE(ARM64, 0, "1f0d3fd6", 0x10000, YES, NONE, "blrabz x8"),
	SITE(ARM64, 0, "09093fd7", 0x10000, YES, NONE, "blraa x8, x9"),
	SITE(ARM64, 0, "090d3fd7", 0x10000, YES, NONE, "blrab x8, x9"),
	SITE(ARM64, 0, "00001fd6", 0x10000, NO, NONE, "br x0 is no call"),
	SITE(ARM64, 0, "c0035fd6", 0x10000, NO, NONE, "ret is no call"),
	SITE(ARM64, 0, "00000014", 0x10000, NO, NONE, "b of arm64 is no call"),
	SITE(ARM64, 0, "0014", 0x10000, UNKNOWN, NONE, "half of an instruction cannot exclude a call"),
	/* MIPS Architecture for Programmers II: JAL, JALR, JALX, BGEZAL, BLTZAL. */
	SITE(MIPS, 1, "0c004000 00000000", 0x10000, YES, 0x10000, "jal"),
	SITE(MIPS, 0, "0040000c 00000000", 0x10000, YES, 0x10000, "jal in little endian"),
	SITE(MIPS, 1, "0c004000 00000000", 0x70000008, YES, 0x70010000, "jal keeps the upper bits of its delay slot"),
	SITE(MIPS, 1, "74004000 00000000", 0x10000, YES, 0x10000, "jalx"),
	SITE(MIPS, 1, "0320f809 00000000", 0x10000, YES, NONE, "jalr $t9"),
	SITE(MIPS64, 1, "0320fc09 00000000", 0x10000, YES, NONE, "jalr.hb $t9"),
	SITE(MIPS, 1, "04110001 00000000", 0x10000, YES, 0x10000, "bal"),
	SITE(MIPS, 1, "0491fffe 00000000", 0x10000, YES, 0xfff4, "bgezal backwards"),
	SITE(MIPS, 1, "0490ffff 00000000", 0x10000, YES, 0xfff8, "bltzal backwards"),
	SITE(MIPS, 1, "03204009 00000000", 0x10000, NO, NONE, "jalr that links elsewhere is no call"),
	SITE(MIPS, 1, "03200008 00000000", 0x10000, NO, NONE, "jr is no call"),
	SITE(MIPS, 1, "08004000 00000000", 0x10000, NO, NONE, "j is no call"),
	SITE(MIPS, 1, "00000000 0c004000", 0x10000, NO, NONE, "jal in the delay slot is no call"),
	SITE(MIPS, 1, "0c004000", 0x10000, UNKNOWN, NONE, "the delay slot alone cannot exclude a call"),
	SITE(MIPS, 1, "0c004000 00000000", 0x10001, UNKNOWN, NONE, "microMIPS is not known"),
	/* Power ISA, book I, 2.4: branch instructions. */
	SITE(PPC, 1, "48000005", 0x10000, YES, 0x10000, "bl of powerpc"),
	SITE(PPC, 1, "4bfffff5", 0x10000, YES, 0xfff0, "bl backwards"),
	SITE(PPC, 1, "48001003", 0x10000, YES, 0x1000, "bla"),
	SITE(PPC, 1, "429f0005", 0x10000, YES, 0x10000, "bcl"),
	SITE(PPC, 1, "4e800021", 0x10000, YES, NONE, "blrl"),
	SITE(PPC64, 1, "4e800421", 0x10000, YES, NONE, "bctrl"),
	SITE(PPC64, 0, "2104804e", 0x10000, YES, NONE, "bctrl in little endian"),
	SITE(PPC, 1, "48000004", 0x10000, NO, NONE, "b of powerpc is no call"),
	SITE(PPC, 1, "4e800020", 0x10000, NO, NONE, "blr is no call"),
	SITE(PPC, 1, "4e800420", 0x10000, NO, NONE, "bctr is no call"),
	/* The SPARC Architecture Manual, version 9: A.8 Call and Link, A.24 Jump and Link. */
	SITE(SPARC, 1, "40000004 01000000", 0x10000, YES, 0x10008, "call of sparc"),
	SITE(SPARC, 1, "7ffffffc 01000000", 0x10000, YES, 0xffe8, "call backwards"),
	SITE(SPARC, 1, "9fc04000 01000000", 0x10000, YES, NONE, "jmpl %g1, %o7"),
	SITE(SPARC, 1, "9fc06008 01000000", 0x10000, YES, NONE, "jmpl %g1 + 8, %o7"),
	SITE(SPARC, 1, "81c7e008 01000000", 0x10000, NO, NONE, "ret is no call"),
	SITE(SPARC, 1, "01000000 40000004", 0x10000, NO, NONE, "call in the delay slot is no call"),
	/* The RISC-V Instruction Set Manual: JAL, JALR, C.JAL, C.JALR. */
	SITE(S390X, 1, "c0e5ffffffc4", 0x1000a3e, YES, 0x10009c0, "brasl"),
	SITE(S390X, 1, "a7e50010", 0x10000, YES, 0x1001c, "bras"),
	SITE(S390X, 1, "a7080000 0de1", 0x10000, YES, NONE, "basr"),
	SITE(S390X, 1, "0700a7f40010 0de0", 0x10000, NO, NONE, "basr 14,0 does not branch"),
	SITE(RISCV64, 0, "ef000001", 0x10000, YES, 0x1000c, "jal ra"),
	SITE(RISCV64, 0, "eff0dfff", 0x10000, YES, 0xfff8, "jal ra backwards"),
	SITE(RISCV64, 0, "e7000500", 0x10000, YES, NONE, "jalr ra, a0"),
	SITE(RISCV64, 0, "97000000 e7808000", 0x10000, YES, 0x10000, "auipc ra and jalr ra"),
	SITE(RISCV64, 0, "97f0ffff e7800000", 0x10000, YES, 0xeff8, "auipc ra and jalr ra backwards"),
	SITE(RISCV64, 0, "97020000 e7808000", 0x10000, YES, NONE, "auipc of another register gives no target"),
	SITE(RISCV64, 0, "00000000 1300 0295", 0x10000, YES, NONE, "c.jalr a0"),
	SITE(RISCV, 0, "1120", 0x10000, YES, 0x10002, "c.jal on 32 bits"),
	SITE(RISCV64, 0, "1300 1120", 0x10000, NO, NONE, "c.addiw, which is c.jal on 32 bits, is no call"),
	SITE(RISCV64, 0, "1300 0290", 0x10000, NO, NONE, "c.ebreak is no call"),
	SITE(RISCV64, 0, "1300 0285", 0x10000, NO, NONE, "c.jr is no call"),
	SITE(RISCV64, 0, "6f000001", 0x10000, NO, NONE, "jal without a link is no call"),
	SITE(RISCV64, 0, "ef020001", 0x10000, NO, NONE, "jal that links t0 is no call"),
	SITE(UNKNOWN, 0, "ffd0ffd0ffd0ffd0", 0x10000, UNKNOWN, NONE, "the answer is unknown for an unknown CPU"),
};

TEST_EACH(encodings, cases)
{
	uint8_t bytes[16];
	size_t count = bytes_of(cases[i].hex, bytes, sizeof(bytes));
	struct call_site call = call_before(arch_by_id(cases[i].arch), cases[i].big, bytes, count, cases[i].address);
	uint64_t target = call.direct ? call.target : NONE;

	if (!ok(call.answer == cases[i].answer && target == cases[i].target,
		"the call on %s is judged: %s", arch_by_id(cases[i].arch)->name, cases[i].title))
		tap_diag("answer %d, target 0x%llx", (int)call.answer, (unsigned long long)target);
}

/* Compare with capstone's view of the same place, if it is built in and decodes the form. */
TEST(disassembler)
{
	unsigned compared = 0, wrong = 0;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint8_t bytes[16];
		size_t count = bytes_of(cases[i].hex, bytes, sizeof(bytes));
		const struct arch *arch = arch_by_id(cases[i].arch);
		struct call_site call = call_before(arch, cases[i].big, bytes, count, cases[i].address);
		uint64_t end = cases[i].arch == ARCH_ARM ? cases[i].address & ~1ull : cases[i].address;
		struct instruction instruction;

		if (call.answer != CALL_YES || call.address > end || end - call.address > count ||
		    !instruction_decode(&instruction, arch, (cases[i].address & 3) != 0,
					&(struct reader){
						.data = bytes + count - (end - call.address),
						.size = end - call.address,
						.big_endian = cases[i].big }, call.address))
			continue;
		/* `mov lr, pc` is half of a call; two instructions make the target of a far one. */
		if (strcmp(instruction.text, "mov lr, pc") == 0)
			continue;
		compared++;
		bool same = (instruction.kinds & INSTRUCTION_CALL) != 0 &&
			    (!call.direct || !instruction.has_target || instruction.target == call.target);
		if (!same)
			tap_diag("%s: '%s' leads to 0x%llx", cases[i].title, instruction.text, (unsigned long long)instruction.target);
		wrong += !same;
	}
	if (compared == 0)
		skip(1, "no disassembler is built in");
	else
		is_u64(wrong, 0, "a disassembler agrees on %u calls and where they lead", compared);
}

/* The dump's own bytes have precedence over those of a file, and suffice. */
TEST(view)
{
	static const uint8_t code[] = { 0x90, 0x90, 0x90, 0xe8, 0xfb, 0xff, 0xff, 0xff, 0x90 };
	struct crash crash = { .file.input.name = "test.dmp" };
	struct memory_region region = { .base = 0x1000, .size = sizeof(code), .available = sizeof(code), .offset = 0x40, .data = code };
	struct memory_view view;
	struct arena arena = { 0 };

	crash.regions = &region;
	crash.region_count = 1;
	memory_view_all(&view, &crash, &arena);
	struct call_site call = call_find(arch_by_id(ARCH_AMD64), &view, NULL, 0x1008);
	ok(call.answer == CALL_YES && call.target == 0x1003, "a call in the dump is found");
	is_u64(call.place.offset, 0x43, "the call has the place of its instruction");
	call = call_find(arch_by_id(ARCH_AMD64), &view, NULL, 0x1009);
	ok(call.answer == CALL_NO, "the address after the next instruction does not follow a call");
	call = call_find(arch_by_id(ARCH_AMD64), &view, NULL, 0x1002);
	ok(call.answer == CALL_UNKNOWN, "the answer is unknown with too few bytes");
	call = call_find(arch_by_id(ARCH_AMD64), &view, NULL, 0);
	ok(call.answer == CALL_UNKNOWN, "the answer is unknown at address 0");
	arena_free(&arena);
}

/* Stubs at 0x1000, after `before` bytes; the slots are computed by hand from the operands. */
static const struct {
	enum arch_id arch;
	unsigned before;
	const char *hex;
	uint64_t slot;			/* or NONE if it is no stub */
	unsigned length;
	bool by_relocation, tail;
	const char *title;
} stubs[] = {
	{ ARCH_AMD64, 0, "ff25d22f00006803000000e9b0ffffff", 0x3fd8, 16, 0, 0, "jmp *slot, push, jmp" },
	{ ARCH_AMD64, 0, "ff25faefffff6690", 0, 6, 0, 0, "a slot before the code" },
	{ ARCH_AMD64, 0, "f30f1efaf2ff251000000090", 0x101b, 11, 0, 0, "endbr64, bnd jmp" },
	{ ARCH_AMD64, 0, "f30f1efa41bb02000000ff2500100000", 0x2010, 16, 0, 0, "endbr64, mov $2, %r11d, jmp" },
	{ ARCH_AMD64, 0, "f30f1efa6805000000f2e9e1ffffff90", 5, 15, 1, 0, "endbr64, push $5, bnd jmp" },
	{ ARCH_AMD64, 0, "6805000000e9e1ffffff", 5, 10, 1, 0, "push $5, jmp" },
	{ ARCH_AMD64, 0, "6805000000e8e1ffffff", NONE, 0, 0, 0, "push, call is no stub" },
	{ ARCH_AMD64, 0, "ffa30c000000", NONE, 0, 0, 0, "jmp *12(%rbx) is no stub in 64 bits" },
	{ ARCH_AMD64, 0, "ff15d22f0000", NONE, 0, 0, 0, "call *slot is no stub" },
	{ ARCH_AMD64, 0, "ff25d22f00", NONE, 0, 0, 0, "a stub that is cut is no stub" },
	{ ARCH_AMD64, 1, "48ff25d22f0000", 0x3fd8, 6, 0, 1, "rex.W jmp leaves a function" },
	{ ARCH_X86, 0, "ff250ca00408", 0x804a00c, 6, 0, 1, "jmp *0x804a00c" },
	{ ARCH_X86, 0, "ffa30c000000", 0x400c, 6, 0, 1, "jmp *12(%ebx)" },
	{ ARCH_X86, 0, "f30f1efbffa3f8ffffff660f1f440000", 0x3ff8, 10, 0, 1, "endbr32, jmp *-8(%ebx)" },
	{ ARCH_X86, 0, "f30f1efb6810000000e9e0ffffff6690", 16, 14, 1, 1, "endbr32, push $16" },
	{ ARCH_X86, 1, "c3ff250ca00408", 0x804a00c, 6, 0, 0, "jmp after ret" },
	{ ARCH_X86, 3, "c21000ff250ca00408", 0x804a00c, 6, 0, 0, "jmp after ret $16" },
	{ ARCH_X86, 6, "ff2508a00408ff250ca00408", 0x804a00c, 6, 0, 0, "jmp after another stub" },
	{ ARCH_X86, 2, "5e5dff250ca00408", 0x804a00c, 6, 0, 1, "pop, jmp leaves a function" },
	{ ARCH_ARM, 0, "00c68fe210ca8ce21cfdbce5", 0x11d24, 12, 0, 0, "add, add, ldr" },
	{ ARCH_ARM, 0, "7847fde700c68fe201ca8ce20cfbbce5", 0x2b18, 16, 0, 0, "add, add, ldr after bx pc" },
	{ ARCH_ARM, 0, "0fc28fe201c68ce201ca8ce20cfbbce5", 0xf0102b14, 16, 0, 0, "four adds, then ldr" },
	{ ARCH_ARM, 0, "04c09fe50fc08ce000f09ce500000200", 0x2100c, 16, 0, 0, "ldr with the distance after it" },
	{ ARCH_ARM, 0, "1cfdbce5", NONE, 0, 0, 0, "ldr alone is no stub" },
	{ ARCH_ARM64, 0, "90000090112e40f91062019120021fd6", 0x11058, 16, 0, 0, "adrp, ldr, add, br" },
	{ ARCH_ARM64, 0, "5f2403d590000090112e40f9106201919f2103d520021fd6", 0x11058, 24, 0, 0, "bti c, autia1716" },
	{ ARCH_ARM64, 0, "f0fffff0100240f900021fd6", 0, 12, 0, 0, "adrp of a page before, ldr, br" },
	{ ARCH_ARM64, 0, "90000090112e40f91062019100021fd6", NONE, 0, 0, 0, "br of another register is no stub" },
};

TEST_EACH(stubs, stubs)
{
	uint8_t bytes[64];
	const size_t size = bytes_of(stubs[i].hex, bytes, sizeof(bytes));
	struct stub stub;
	const struct reader code = { .data = bytes, .size = size };
	const bool is = stub_decode(arch_by_id(stubs[i].arch), &code, stubs[i].before, 0x1000, 0x4000, &stub);

	if (!ok(is == (stubs[i].slot != NONE), "a stub is recognised or refused: %s", stubs[i].title) || !is)
		return;
	is_u64(stub.slot, stubs[i].slot, "the slot of the stub is right: %s", stubs[i].title);
	is_u64(stub.length, stubs[i].length, "the length of the stub is right: %s", stubs[i].title);
	ok(stub.by_relocation == stubs[i].by_relocation && stub.tail == stubs[i].tail, "the kind of the stub is right: %s", stubs[i].title);
}
