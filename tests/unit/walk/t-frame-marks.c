/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/* A walk keeps facts about a frame in addition to its registers, because later steps need it. */

/* A scan finds frame 1, and the word before its return address looks like its ebp. */
#define GUESSED(records)							\
	{ ARCH_X86, CRASH_OS_LINUX, .registers = "eip=402170 esp=8010 ebp=4", .stack = 0x8000, \
		.memory = "8018=8040 801c=401fcf 8020=8050 8024=401fcf 8040=8060 8044=401fcf 8048=401fcf", \
		.modules = { { 0x400000, 0x4000, "app", "FUNC 1fc0 20 0 f\nSTACK CFI INIT 1fc0 20 " records "\n" } } }

static const struct {
	const char *title;
	struct scene scene;
	bool guessed;			/* whether frame 2 rests on a guess */
} guesses[] = {
	{ "rules that leave a guessed ebp alone leave the guess", GUESSED(".cfa: $esp 8 + .ra: .cfa -4 + ^"), true },
	{ "an ebp that is read at the stack pointer is no guess", GUESSED(".cfa: $esp 8 + .ra: .cfa -4 + ^ $ebp: .cfa -8 + ^"), false },
	{ "an ebp that is computed from a guess is a guess", GUESSED(".cfa: $esp 8 + .ra: .cfa -4 + ^ $ebp: $ebp ^"), true },
	{ "an ebp that is read at a guessed CFA is a guess", GUESSED(".cfa: $ebp 8 + .ra: .cfa -4 + ^ $ebp: .cfa -8 + ^"), true },
};

TEST_EACH(guesses, guesses)
{
	struct staged staged;

	scene_play_limited(&staged, &guesses[i].scene, POLICY_UNSPOOL, 3);
	if (ok(staged.walk->count == 3 && staged.walk->frames[2].trust == TRUST_CFI, "%s", staged.frames)) {
		ok(!staged.walk->frames[0].guessed && staged.walk->frames[1].guessed, "the frame found by scanning is a guess");
		is_u64(staged.walk->frames[2].guessed, guesses[i].guessed, "%s", guesses[i].title);
	}
	scene_close(&staged);
}

/* The program's eip is in no module, so Breakpad's walker searches for a better one. */
TEST(scanned)
{
	static const struct scene searched = {
		ARCH_X86, CRASH_OS_WINDOWS, .registers = "eip=401010 esp=8000 ebp=8010",
		.stack = 0x8000, .memory = "8000=70000000 8014=401055",
		.modules = { { 0x400000, 0x4000, "app", "FUNC 1000 20 0 f0\nFUNC 1040 20 0 f1\n"
			       "STACK WIN 4 1000 20 0 0 0 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n" } },
	};
	struct staged staged;

	scene_play_limited(&staged, &searched, POLICY_BREAKPAD, 2);
	if (ok(staged.walk->count == 2 && staged.walk->frames[1].trust == TRUST_CFI_SCAN, "%s", staged.frames)) {
		is_u64(staged.walk->frames[0].scanned, 0, "the context is no scan");
		is_u64(staged.walk->frames[1].scanned, 1, "a frame found by a record's second search counts as scanned");
	}
	scene_close(&staged);
}

/* Breakpad fills the registers of such a frame with 0xda before rules set them. */
static const struct {
	struct scene scene;
	const char *reg;
	uint64_t value;
} residue[] = {
	{ SCENE(X86, LINUX, "eip=402170 esp=8000 ecx=5", "8000=401fcf", APP("STACK CFI INIT 2170 8 .cfa: $esp 4 + .ra: .cfa -4 + ^\n")),
	  "ecx", 0xdadadada },
	{ SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rcx=5", "8000=401fcf", APP("STACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n")),
	  "rcx", UINT64_C(0xdadadadadadadada) },
	{ SCENE(ARM, LINUX, "pc=402170 sp=8000 r3=5", "8000=401fcf",
		APP("STACK CFI INIT 2170 8 .cfa: sp 4 + .ra: .cfa -4 + ^\n")), "r3", 0 },
};

TEST_EACH(residue, residue)
{
	struct staged staged;
	const struct arch *arch = arch_by_id(residue[i].scene.arch);
	const int reg = arch_register(arch, text_of(residue[i].reg), ARCH_NAMES_ALIASES);

	scene_play_limited(&staged, &residue[i].scene, POLICY_BREAKPAD, 2);
	if (ok(staged.walk->count == 2, "%s", staged.frames)) {
		const struct registers *got = &staged.walk->frames[1].registers;
		ok(!registers_known(got, reg) && (got->stale >> reg & 1) != 0, "%s is not known in the caller", residue[i].reg);
		is_u64(got->value[reg], residue[i].value, "the stale value is the one of Breakpad");
	}
	scene_close(&staged);
}

/* Stacks around the end of the 32-bit address space, which Breakpad treats as missing. */
TEST(stack_limit)
{
	static const struct {
		enum arch_id arch;
		uint64_t base;
		uint32_t size;
		bool kept;
	} rows[] = {
		{ ARCH_X86, 0xfffff000, 0x1000, true }, { ARCH_X86, 0xfffff000, 0x1001, false },
		{ ARCH_X86, 0x100000000, 0x1000, false }, { ARCH_MIPS, 0xfffff000, 0x1000, true },
		{ ARCH_MIPS, 0xfffff000, 0x1001, false }, { ARCH_MIPS, 0xffffffff, 0x1000, false },
		{ ARCH_MIPS, 0x100000000, 0x1000, true }, { ARCH_AMD64, 0xfffff000, 0x2000, true },
		{ ARCH_AMD64, UINT64_MAX - 0xfff, 0x1000, false }, { ARCH_AMD64, UINT64_MAX - 0x1000, 0x1000, true },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct scene scene = { rows[i].arch, CRASH_OS_LINUX, .registers = "",
					     .stack = rows[i].base, .stack_size = rows[i].size, .no_symbols = true };
		struct staged staged;

		scene_play_limited(&staged, &scene, POLICY_BREAKPAD, 1);
		is_u64(staged.walk->memory.stack != NULL, rows[i].kept, "%s: a stack of %#" PRIx32 " bytes at %#" PRIx64 " is %s",
		       arch_by_id(rows[i].arch)->name, rows[i].size, rows[i].base, rows[i].kept ? "kept" : "taken for absent");
		scene_close(&staged);
	}
}

/* A refused record's rules read outside of the dump's memory: the end names the first such address. */
TEST(first_absent)
{
	static const struct scene cut = SCENE(X86, LINUX, "eip=402170 esp=8000", "8004=5", APP("STACK CFI INIT 2170 8 "
		      ".cfa: $esp 8 + .ra: .cfa -4 + ^ $ebx: .cfa 512 + ^ $ebp: .cfa 768 + ^\n"), .stack_size = 0x100);
	struct staged staged;

	scene_play(&staged, &cut, POLICY_UNSPOOL);
	is_u64(staged.walk->count, 1, "there is no caller");
	is_str(staged.walk->end.text, "256 bytes of the stack are in the dump, up to 0x8100; "
	       "the caller's frame is at 0x8208", "the end of the walk names the caller's frame, which was read first");
	scene_close(&staged);
}
