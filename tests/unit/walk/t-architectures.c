/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/binary/image.h"
#include "tests/unit/binary/section.h"
#include "tests/unit/walk/scene.h"

/* Frames of the rarer processors, by hand from their ABIs: in every scene the thread is at 402170,
 * in a module, and 401fd0 and 402010 are addresses after calls. */
#define CFI "FUNC 2170 8 0 f\nFUNC 1f00 200 0 g\nSTACK CFI INIT 2170 8 "
#define ANY POLICY_COUNT
#define LINUX(arch) ARCH_##arch, CRASH_OS_LINUX

static const struct expected_walk {
	const char *title;
	enum arch_id arch;
	enum crash_os os;
	enum policy_row policy;		/* the row that gets `value`, or ANY */
	uint32_t value;
	const char *registers, *memory, *symbols;
	const char *frames, *names, *found;	/* registers of frame 1 */
	uint64_t lookup;		/* frame 1's, or 0 */
	const char *end;
} rows[] = {
	{ "mips: a record gives ra, and the call 8 below it", LINUX(MIPS),
	  ANY, 0, "pc=402170 sp=8000 s0=1 s1=2 gp=3", "8018=77 801c=401fd0", CFI ".cfa: $sp 32 + .ra: .cfa -4 + ^ $s0: .cfa -8 + ^\n",
	  CTX ", cfi 401fc8 8020", "ra s0 s1 gp t1", "ra=401fd0 s0=77 s1=2 gp=? t1=?", 0x401fc8, ", the range of a scan" },
	{ "mips: a return address of 0 is the bottom", LINUX(MIPS), ANY, 0, "pc=402170 sp=8000",
	  "", CFI ".cfa: $sp 32 + .ra: 0\n", CTX, "", "", 0, "bottom of the stack" },
	{ "mips: an interrupted leaf returns to ra",
	  LINUX(MIPS), ANY, 0, "pc=402170 sp=8000 ra=401fd0 s0=1", "", NULL, CTX ", lr~ 401fc8 8000", "s0", "s0=1", 0x401fc8, "" },
	{ "mips: rules may say $t0", LINUX(MIPS), POLICY_MIPS_T0, 1, "pc=402170 sp=8000 t0=41",
	  "801c=401fd0", CFI ".cfa: $sp 32 + .ra: .cfa -4 + ^ $s0: $t0 1 +\n", CTX ", cfi 401fc8 8020", "s0", "s0=42", 0x401fc8, "" },
	{ "mips: to Breakpad $t0 is unknown", LINUX(MIPS), POLICY_MIPS_T0, 0, "pc=402170 sp=8000 t0=41",
	  "801c=401fd0", CFI ".cfa: $sp 32 + .ra: .cfa -4 + ^ $s0: $t0 1 +\n", CTX ", cfi 401fc8 8020", "s0", "s0=?", 0x401fc8, "" },
	{ "mips: a rule for $sp counts", LINUX(MIPS), POLICY_MIPS_RETURN_WINS, 0, "pc=402170 sp=8000", "801c=401fd0",
	  CFI ".cfa: $sp 32 + .ra: .cfa -4 + ^ $sp: .cfa 16 + $ra: 5\n", CTX ", cfi 401fc8 8030", "ra", "ra=5", 0x401fc8, "" },
	{ "mips: to Breakpad .cfa and .ra count", LINUX(MIPS), POLICY_MIPS_RETURN_WINS, 1, "pc=402170 sp=8000", "801c=401fd0",
	  CFI ".cfa: $sp 32 + .ra: .cfa -4 + ^ $sp: .cfa 16 + $ra: 5\n", CTX ", cfi 401fc8 8020", "ra", "ra=401fd0", 0x401fc8, "" },
	{ "mips: a scan prefers a return address with a frame pointer below", LINUX(MIPS), POLICY_MIPS_SCAN_FRAME, 1, "pc=402170 sp=8000",
	  "8010=401fd0 8020=8040 8024=402010", NULL, CTX ", scan 402008 8028", "fp ra", "fp=8040 ra=402010", 0x402008, "" },
	{ "mips: where none has one the first will do", LINUX(MIPS), POLICY_MIPS_SCAN_FRAME,
	  1, "pc=402170 sp=8000", "8010=401fd0", NULL, CTX ", scan 401fc8 8014", "fp ra", "fp=? ra=401fd0", 0x401fc8, "" },
	{ "mips: Breakpad insists", LINUX(MIPS), POLICY_MIPS_SCAN_FRAME, 2, "pc=402170 sp=8000", "8010=401fd0", NULL, CTX, "", "", 0, "" },
	{ "mips: rust-minidump does not ask", LINUX(MIPS), POLICY_MIPS_SCAN_FRAME, 0, "pc=402170 sp=8000",
	  "8010=401fd0 8020=8040 8024=402010", NULL, CTX ", scan 401fc8 8014, scan 402008 8028", "fp", "fp=?", 0x401fc8, "" },
	{ "mips64: the call lies 8 below", LINUX(MIPS64), POLICY_LONG_CALL_STEPS, 0, "pc=402170 sp=8000 gp=3",
	  "8018=401fd0", CFI ".cfa: $sp 32 + .ra: .cfa -8 + ^\n", CTX ", cfi 401fc8 8020", "gp ra", "gp=3 ra=401fd0", 0x401fc8, "" },
	{ "mips64: to Breakpad 16", LINUX(MIPS64), POLICY_LONG_CALL_STEPS, 1, "pc=402170 sp=8000 gp=3",
	  "8018=401fd0", CFI ".cfa: $sp 32 + .ra: .cfa -8 + ^\n", CTX ", cfi 401fc0 8020", "gp ra", "gp=3 ra=401fd0", 0x401fc0, "" },
	{ "ppc: the back chain, as the System V ABI has it", LINUX(PPC), POLICY_PPC_FRAME_OF_MACOS, 0, "srr0=402170 r1=8000",
	  "8000=8020 8024=401fd0 8028=402010", NULL, CTX ", fp 401fd0 8020", "r14", "r14=?", 0x401fcc, "back chain 0" },
	{ "ppc: as macOS has it", ARCH_PPC, CRASH_OS_MAC, POLICY_PPC_FRAME_OF_MACOS,
	  0, "srr0=402170 r1=8000", "8000=8020 8024=401fd0 8028=402010", NULL, CTX ", fp 402010 8020", "", "", 0x40200c, "back chain 0" },
	{ "ppc: Breakpad has macOS alone", LINUX(PPC), POLICY_PPC_FRAME_OF_MACOS,
	  1, "srr0=402170 r1=8000", "8000=8020 8024=401fd0 8028=402010", NULL, CTX ", fp 402010 8020", "", "", 0x40200c, "" },
	{ "ppc: an interrupted leaf returns to lr", LINUX(PPC), ANY, 0, "srr0=402170 r1=8000 lr=402010 r14=e",
	  "8000=8020 8024=401fd0", NULL, CTX ", lr~ 402010 8000, fp 401fd0 8020", "r14", "r14=e", 0x40200c, "" },
	{ "ppc: a function that saved lr already is no leaf", LINUX(PPC),
	  ANY, 0, "srr0=402170 r1=8000 lr=401fd0", "8000=8020 8024=401fd0", NULL, CTX ", fp 401fd0 8020", "", "", 0x401fcc, "" },
	{ "ppc: a chain that turns back is left to a scan", LINUX(PPC), POLICY_SCAN_BEHIND_CHAIN,
	  1, "srr0=402170 r1=8000", "8000=7000 8010=401fd0", NULL, CTX ", scan 401fd0 8014", "", "", 0x401fcc, "" },
	{ "ppc: Breakpad does not scan", LINUX(PPC), POLICY_SCAN_BEHIND_CHAIN, 0,
	  "srr0=402170 r1=8000", "8000=7000 8010=401fd0", NULL, CTX, "", "", 0, "" },
	{ "ppc64: the back chain", LINUX(PPC64), POLICY_LONG_CALL_STEPS, 0, "srr0=402170 r1=8000",
	  "8000=8040 8050=401fd0", NULL, CTX ", fp 401fd0 8040", "", "", 0x401fcc, "back chain 0" },
	{ "ppc64: instructions of 8 bytes are Breakpad's", LINUX(PPC64),
	  POLICY_LONG_CALL_STEPS, 1, "srr0=402170 r1=8000", "8000=8040 8050=401fd0", NULL, CTX ", fp 401fd0 8040", "", "", 0x401fc8, "" },
	{ "sparc: windows of a 32-bit process", ARCH_SPARC32,
	  CRASH_OS_SOLARIS, POLICY_SPARC_FRAME_SKIPPED, 0, "pc=402170 sp=8000 fp=8060 i7=401fd0 i0=a o0=b", "8060=11 8098=80c0 809c=402010",
	  NULL, CTX ", fp 401fd8 8060, fp 402018 80c0", "o0 l0 i7 g1", "o0=a l0=11 i7=402010 g1=?", 0x401fd0, "i7 or fp is 0" },
	{ "sparc: Breakpad skips a frame",
	  ARCH_SPARC32, CRASH_OS_SOLARIS, POLICY_SPARC_FRAME_SKIPPED, 1, "pc=402170 sp=8000 fp=8060 i7=401fd0",
	  "8060=11 8098=80c0 809c=402010 80f8=5 80fc=5", NULL, CTX ", fp 402018 8060, scan 402010 80a0", "fp", "fp=80c0", 0x402010, "" },
	{ "sparc: a leaf shares its caller's window", ARCH_SPARC32,
	  CRASH_OS_SOLARIS, ANY, 0, "pc=402170 sp=8000 fp=8060 i7=401fd0 o7=402010", "", NULL,
	  CTX ", lr~ 402018 8000, fp 401fd8 8060", "fp i7", "fp=8060 i7=401fd0", 0x402010, "" },
	{ "sparc: windows of a 64-bit process lie 2047 higher",
	  ARCH_SPARC, CRASH_OS_SOLARIS, ANY, 0, "pc=402170 sp=7801 fp=7901 i7=401fd0", "8100=11 8170=7a01 8178=402010",
	  NULL, "ctx 402170 7801, fp 401fd8 7901, fp 402018 7a01", "l0", "l0=11", 0x401fd0, "i7 or fp is 0" },
	{ "riscv64: the record below s0", LINUX(RISCV64), POLICY_RISCV_FRAME_OF_ARM64,
	  0, "pc=402170 sp=8000 s0=8040 ra=401fd0", "8030=8080 8038=401fd0 8078=402010", NULL, CTX
	  ", fp 401fd0 8040, fp 402010 8080", "s0 ra", "s0=8080 ra=?", 0x401fce, "ends with 0" },
	{ "riscv64: Breakpad looks above it", LINUX(RISCV64), POLICY_RISCV_FRAME_OF_ARM64, 1, "pc=402170 sp=8000 s0=8040 ra=401fd0",
	  "8030=8080 8038=401fd0 8078=402010", NULL, CTX ", fp 401fd0 8050, scan 402010 8080", "s0 ra", "s0=0 ra=0", 0x401fce, "" },
	{ "riscv: the record of 32 bits", LINUX(RISCV), ANY,
	  0, "pc=402170 sp=8000 s0=8040 ra=401fd0", "8038=8080 803c=401fd0", NULL, CTX ", fp 401fd0 8040", "s0", "s0=8080", 0x401fce, "" },
	{ "riscv: a leaf that saved s0 alone", LINUX(RISCV), ANY, 0, "pc=402170 sp=8000 s0=8010 ra=401fd0",
	  "800c=8040 803c=402010", NULL, CTX ", fp 401fd0 8010, fp 402010 8040", "s0", "s0=8040", 0x401fce, "" },
	{ "riscv: a leaf without a frame", LINUX(RISCV), ANY, 0, "pc=402170 sp=8000 s0=8040 ra=401fd0",
	  "803c=402010", NULL, CTX ", lr~ 401fd0 8000, fp 402010 8040", "s0", "s0=8040", 0x401fce, "" },
	{ "riscv64: a record keeps what no rule names", LINUX(RISCV64), POLICY_LONG_CALL_STEPS, 1, "pc=402170 sp=8000 s1=1 t0=2",
	  "8008=401fd0", CFI ".cfa: sp 16 + .ra: .cfa -8 + ^\n", CTX ", cfi 401fd0 8010", "s1 t0", "s1=1 t0=?", 0x401fcc, "" },
	{ "riscv64: rust-minidump can't read its context", LINUX(RISCV64),
	  POLICY_RARE_PROCESSORS, 0, "pc=402170 sp=8000", "8008=401fd0", NULL, "", "", "", 0, "" },
	{ "ppc: rust-minidump follows no chain", LINUX(PPC),
	  POLICY_RARE_PROCESSORS, 0, "srr0=402170 r1=8000", "8000=8020 8024=401fd0", NULL, CTX ", scan 401fd0 8028", "", "", 0x401fcc, "" },
};

TEST_EACH(row, rows)
{
	const struct expected_walk *row = &rows[i];
	const struct scene scene = {
		row->arch, row->os, .registers = row->registers, .stack = 0x8000,
		.memory = row->memory, .modules = { { 0x400000, 0x5000, "app", row->symbols } },
	};
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;
	char registers[128];

	if (row->policy != ANY)
		policy.value[row->policy] = row->value;
	scene_open(&staged, &scene);
	scene_walk(&staged, &policy);
	is_str(staged.frames, row->frames, "%s", row->title);
	if (row->names[0] != '\0')
		is_str(scene_registers(&staged, 1, row->names, registers, sizeof(registers)), row->found, "the caller has its registers");
	if (row->lookup != 0 && staged.walk->count > 1)
		is_u64(staged.walk->frames[1].lookup, row->lookup, "the caller is looked up in the call");
	if (strstr(staged.walk->end.text, row->end) == NULL)
		tap_diag("it ends: %s", staged.walk->end.text);
	ok(strstr(staged.walk->end.text, row->end) != NULL, "the end of the walk has its reason");
	scene_close(&staged);
}

/* cvconst.h, CV_HREG_e: CV_REG_EAX is 17, CV_REG_EDI 24. */
TEST(numbers)
{
	static const char *const by_number[] = { "$eax", "$ecx", "$edx", "$ebx", "$esp", "$ebp", "$esi", "$edi" };
	static const char *const others[] = { "$16", "$25", "$2", "$200", "$2x", "$/0", "17", "" };
	const struct arch *x86 = arch_by_id(ARCH_X86);

	for (unsigned i = 0; i < ARRAY_COUNT(by_number); i++) {
		char name[8];
		snprintf(name, sizeof(name), "$%u", 17 + i);
		is_u64((uint64_t)arch_register(x86, text_of(name), ARCH_NAMES_NUMBERED),
		       (uint64_t)arch_register(x86, text_of(by_number[i]), ARCH_NAMES_EXACT),
		       "%s is CodeView's number of %s", name, by_number[i]);
	}
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		ok(arch_register(x86, text_of(others[i]), ARCH_NAMES_NUMBERED) < 0, "'%s' is no such number", others[i]);
	ok(arch_register(x86, text_of("$20"), ARCH_NAMES_EXACT) < 0, "names alone have no numbers");
	ok(arch_register(x86, text_of("$ebx"), ARCH_NAMES_NUMBERED) == 3, "names of registers stay valid");
}

TEST(names)
{
	const struct arch *mips = arch_by_id(ARCH_MIPS), *amd64 = arch_by_id(ARCH_AMD64);

	ok(arch_register(mips, text_of("$to"), ARCH_NAMES_EXACT) == 8, "register 8 of mips is $to");
	ok(arch_register(mips, text_of("$t0"), ARCH_NAMES_EXACT) < 0, "$t0 of mips is unknown");
	ok(arch_register(mips, text_of("$t0"), ARCH_NAMES_MENDED) == 8, "$t0 of mips is repaired");
	ok(arch_register(mips, text_of("t0"), ARCH_NAMES_MENDED) < 0, "a $ is still needed");
	ok(arch_register(mips, text_of("$pc"), ARCH_NAMES_MENDED) < 0, "the pc has no name");
	ok(arch_register(mips, text_of("$20"), ARCH_NAMES_NUMBERED) < 0, "numbers are of x86 alone");
	ok(arch_register(amd64, text_of("rsp"), ARCH_NAMES_MENDED) < 0, "rsp without $ is no name of amd64");
	ok(arch_register(amd64, text_of("rsp"), ARCH_NAMES_ALIASES) == 7, "rsp without $ is an alias of amd64");
}

#define HEADER_AT 0x600u	/* .eh_frame_hdr */
#define FRAMES_AT 0x640u
#define CODE_AT 0x1000u
#define CODE_SIZE 0x200u

/* The module's first page has an .eh_frame with one row: CFA = sp + 16, ra at CFA - 4. Its code has
 * two calls, jalr $t9 at 1020 and jal 401000 at 1100; the addresses after them are 1028 and 1108. */
static void
add_mips_frames(struct synth *synth)
{
	static const uint8_t rules[] = { 0x0c, 29, 16, 0x9f, 1 };	/* def_cfa, offset */
	struct section frames = { .size = 0 }, header = { .size = 0 };
	struct image image = { .size = 0 };
	static const uint8_t code[CODE_SIZE] = { [0x20] = 0x09, 0xf8, 0x20, 0x03, [0x101] = 0x04, 0x10, 0x0c };

	section_put(&frames, 20, 4);			/* CIE */
	section_put(&frames, 0, 4);
	section_put(&frames, 1, 1);
	section_put(&frames, 'z' | 'R' << 8, 3);
	section_put(&frames, 1, 1);
	section_put(&frames, 0x7c, 1);			/* data in steps of -4 */
	section_put(&frames, 31, 1);
	section_put(&frames, 1, 1);
	section_put(&frames, 0x1b, 1);			/* from its own place, 4 bytes */
	memcpy(frames.bytes + frames.size, rules, sizeof(rules));
	frames.size = 24;
	section_put(&frames, 16, 4);			/* FDE */
	section_put(&frames, 28, 4);
	section_put(&frames, CODE_AT - (FRAMES_AT + 32), 4);
	section_put(&frames, CODE_SIZE, 4);
	section_put(&frames, 0, 8);
	section_put(&header, 0x3b031b01, 4);
	section_put(&header, FRAMES_AT - (HEADER_AT + 4), 4);
	section_put(&header, 1, 4);
	section_put(&header, CODE_AT - HEADER_AT, 4);
	section_put(&header, FRAMES_AT + 24 - HEADER_AT, 4);
	image_elf_header(&image, 8, 0);
	image.at = image_headers(&image);
	image_segment(&image, 1, 5, 0, 0, sizeof(image.bytes), sizeof(image.bytes));
	image_segment(&image, 0x6474e550, 4, HEADER_AT, HEADER_AT, 20, 20);
	memcpy(image.bytes + HEADER_AT, header.bytes, header.size);
	memcpy(image.bytes + FRAMES_AT, frames.bytes, frames.size);
	memcpy(image.bytes + CODE_AT, code, sizeof(code));
	synth_memory(synth, 0x400000, image.bytes, sizeof(image.bytes), true);
}

/* A caller's pc is its call; whether a call precedes it is asked of the return address. */
TEST(mips_call_above_scan)
{
	static const struct scene scene = SCENE(MIPS, LINUX, "pc=500010 sp=8000", "8008=401028 8018=401108",
		      { { 0x500000, 0x1000, "lib", NULL }, { 0x400000, 0x5000, "app", NULL } },
		      .more = add_mips_frames, .binaries = "");
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	scene_open(&staged, &scene);
	binaries_set(staged.binaries, BINARIES_MEMORY);
	scene_walk_limited(&staged, &policy, 3);
	is_str(staged.frames, "ctx 500010 8000, scan 401020 800c, tab 401100 801c",
	       "mips: above a scanned frame a row leads to a caller whose instruction calls");
	scene_close(&staged);
}
