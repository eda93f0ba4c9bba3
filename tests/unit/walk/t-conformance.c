/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/* Breakpad's behaviour for hand-made symbol files, as observed, in its column of the policy. The
 * first crash is the relevant part of its linux_null_read_av.dmp, the second of minidump2.dmp. */

/* Function c at 2170 was called from 401fcf; 402175 is in the stack for scans to find. */
static const struct scene amd64 = {
	ARCH_AMD64, CRASH_OS_LINUX,
	.registers = "rip=402170 rsp=7fff1cdd1928 rbx=11 r12=402034 r13=13 r14=14 r15=15",
	.stack = 0x7fff1cdd1900,
	.memory = "7fff1cdd1928=401fcf 7fff1cdd1930=402175 7fff1cdd1a18=1234",
	.modules = { { 0x400000, 0x4000, "app", NULL } },
};

#define C_INIT "FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 "
#define C C_INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define BY_CFI "cfi 401fcf 7fff1cdd1930"
#define BY_SCAN "scan 402175 7fff1cdd1938"
#define REFUSED BY_SCAN, "rbx", "rbx=?"

static const struct {
	const char *title, *symbols, *frame, *names, *registers;
} rules[] = {
	{ "the rules of an INIT record", C "\n", BY_CFI, "rbx r12 rax", "rbx=11 r12=402034 rax=?" },
	{ "a rule that fails keeps a callee-saved register",
	  C " $rbx: .undef $r12: 0 ^ $r13: 7\n", BY_CFI, "rbx r12 r13", "rbx=11 r12=402034 r13=7" },
	{ "numbers of all forms", C " $rbx: 010 $r12: --8 $r13: -8 $r15: 18446744073709551615 $r14: 18446744073709551616\n",
	  BY_CFI, "rbx r12 r13 r15 r14", "rbx=a r12=8 r13=fffffffffffffff8 r15=ffffffffffffffff r14=14" },
	{ "arithmetic", C " $rbx: 17 6 @ $r12: 17 0 @ $r13: 2 5 - $r14: 17 5 % $r15: 17 5 /\n",
	  BY_CFI, "rbx r12 r13 r14 r15", "rbx=10 r12=0 r13=fffffffffffffffd r14=2 r15=3" },
	{ "rules for pc and sp beat .ra and .cfa", C " $rip: 4198400 $rsp: .cfa 16 +\n", "cfi 401000 7fff1cdd1940", "rbx", "rbx=11" },
	{ "rules that fail for pc and sp leave .ra and .cfa", C " $rip: .undef $rsp: 0 ^\n", BY_CFI, "rbx", "rbx=11" },
	{ "hexadecimal numbers are refused", C_INIT ".cfa: $rsp 0x8 + .ra: .cfa -8 + ^\n", REFUSED },
	{ "names without their $ are refused", C_INIT ".cfa: rsp 8 + .ra: .cfa -8 + ^\n", REFUSED },
	{ ".cfa in its own rule is refused", C_INIT ".cfa: .cfa 8 + .ra: .cfa -8 + ^\n", REFUSED },
	{ "values left over are refused", C_INIT ".cfa: 1 $rsp 8 + .ra: .cfa -8 + ^\n", REFUSED },
	{ "a return address of 0 is not the end", C_INIT ".cfa: $rsp 8 + .ra: 0\n", REFUSED },
	{ "a refused INIT record whose delta applies", "FUNC 2170 8 0 c\nSTACK CFI INIT 2100 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp 24 + .ra: .cfa -8 + ^\nSTACK CFI 2170 .cfa: $rsp 8 +\n", BY_CFI, "rbx", "rbx=11" },
	{ "a delta before its INIT record", "STACK CFI 2170 .cfa: $rsp 8 +\nFUNC 2170 8 0 c\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n", BY_CFI, "rbx", "rbx=11" },
	{ "a delta with an error at its end", C_INIT ".cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
	  "STACK CFI 2170 .cfa: $rsp 8 + $rbx:\n", BY_CFI, "rbx", "rbx=11" },
	{ "the second of two deltas at one address counts",
	  C "\nSTACK CFI 2170 $rbx: 5 $rbp: 6\nSTACK CFI 2170 $rbx: 7\n", BY_CFI, "rbx rbp", "rbx=7 rbp=0" },
};

TEST_EACH(rules, rules)
{
	char registers[256];
	struct scene scene = amd64;
	struct staged staged;
	char want[200];

	scene.modules[0].symbols = rules[i].symbols;
	scene_play_limited(&staged, &scene, POLICY_BREAKPAD, 2);
	snprintf(want, sizeof(want), "ctx 402170 7fff1cdd1928, %s", rules[i].frame);
	is_str(staged.frames, want, "%s: frame 1", rules[i].title);
	is_str(scene_registers(&staged, 1, rules[i].names, registers, sizeof(registers)),
	       rules[i].registers, "%s: its registers", rules[i].title);
	scene_close(&staged);
}

/* The name of the function at the crash. */
static const struct {
	const char *symbols, *name;
	uint64_t offset;
} names[] = {
	{ "PUBLIC 2000 0 first\nPUBLIC 2000 0 second\n", "first", 0x170 }, { "PUBLIC 2050 0 p\nFUNC 2100 10 0 f\n", "", 0 },
	{ "FUNC 2100 10 0 f\nPUBLIC 2108 0 inside\n", "inside", 0x68 }, { "FUNC 2160 20 0 first\nFUNC 2170 8 0 second\n", "first", 0x10 },
	{ "FUNC 0x2170 0x8 0 c\n", "c", 0 }, { "FUNC 2170 8 0 c\r\n", "c", 0 },
	{ "FUNC\t2170\t8\t0\tc\n", "", 0 }, { " FUNC 2170 8 0 c\n", "", 0 }, { "PUBLIC 0 0 zero\n", "", 0 },
};

TEST_EACH(names, names)
{
	struct scene scene = amd64;
	struct location location;
	struct staged staged;
	struct arena arena = { 0 };

	scene.modules[0].symbols = names[i].symbols;
	scene_play(&staged, &scene, POLICY_BREAKPAD);
	location_of(staged.walk, 0x402170, &arena, &location);
	const struct call *call = &location.calls[location.call_count - 1];
	ok(text_equal(call->name, text_of(names[i].name)) && (call->name.length == 0 ||
		    0x2170 - call->function_base == names[i].offset),
	   "the crash is in '%s' + 0x%" PRIx64 " (case %zu)", names[i].name, names[i].offset, i);
	arena_free(&arena);
	scene_close(&staged);
}

/* Bad records before a good one. */
TEST(error_limit)
{
	char symbols[4000];

	for (unsigned bad = 100; bad <= 101; bad++) {
		struct scene scene = amd64;
		struct staged staged;
		size_t length = 0;

		for (unsigned i = 0; i < bad; i++)
			length += (size_t)snprintf(symbols + length, sizeof(symbols) - length, "PUBLIC x 0 bad\n");
		snprintf(symbols + length, sizeof(symbols) - length, C "\n");
		scene.modules[0].symbols = symbols;
		scene_play(&staged, &scene, POLICY_BREAKPAD);
		is_str(trust_table[staged.walk->frames[staged.walk->count > 1 ? 1 : 0].trust].tag,
		       bad == 100 ? "cfi" : "ctx", "after %u bad records the next one is %s", bad, bad == 100 ? "read" : "not");
		scene_close(&staged);
	}
}

/* minidump2.dmp: main called CrashFunction, which wrote to 0x45. */
static const struct scene x86 = {
	ARCH_X86, CRASH_OS_WINDOWS,
	.registers = "eip=40429e esp=12fe84 ebp=12fe88 ebx=b esi=51 edi=d1",
	.stack = 0x12f31c, .stack_size = 0xce4,
	.memory = "12fe84=45 12fe88=12ff70 12fe8c=404200 12fe90=8727b8 12fe94=7c9131dc "
		  "12ff70=12ffc0 12ff74=4053ec 12ffc0=12fff0 12ffc4=7c816fd7 12fff0=0 12fff4=0",
	.modules = { { 0x400000, 0x2d000, "test_app.exe", NULL },
		     { 0x7c800000, 0xf4000, "kernel32.dll", NULL },
		     { 0x7c900000, 0xb0000, "ntdll.dll", NULL } },
};

#define CONTEXT "ctx 40429e 12fe84"
#define EBP_PROGRAM "$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = " \
	"$L $T0 .cbSavedRegs - = $P $T0 8 + .cbParams + =\n"

/* The records of the functions on the stack, from test_app.sym and kernel32.sym. */
static const char test_app[] = "FUNC 4290 18 0 CrashFunction\nFUNC 41b0 86 8 main\nFUNC 53e0 20 0 __tmainCRTStartup\n"
	"STACK WIN 4 4290 18 4 0 0 0 4 0 1 " EBP_PROGRAM
	"STACK WIN 4 41b0 86 13 0 8 0 e0 0 1 " EBP_PROGRAM
	"STACK WIN 4 52a0 14f 4 0 0 c 2c 0 1 " EBP_PROGRAM;
static const char kernel32[] = "PUBLIC 16fb4 4 BaseProcessStart\n"
	"STACK WIN 4 16fb4 4f c 0 4 8 1c 0 1 " EBP_PROGRAM;

TEST(worked_examples)
{
	struct scene scene = x86;
	struct staged staged;
	uint64_t value = 0;

	scene.modules[0].symbols = test_app;
	scene.modules[1].symbols = kernel32;
	scene_play(&staged, &scene, POLICY_BREAKPAD);
	is_str(staged.frames, CONTEXT ", cfi 404200 12fe90, cfi 4053ec 12ff78, cfi 7c816fd7 12ffc8",
	       "STACK WIN programs find the four frames of minidump2.dmp");
	ok(scene_register(&staged, 3, "ebp", &value) && value == 0x12fff0, "the last frame of minidump2.dmp has its ebp");
	ok(strstr(staged.walk->end.text, "bottom of the stack") != NULL, "the stack ends if ebp and eip are 0");
	scene_close(&staged);

	scene_is(&x86, POLICY_BREAKPAD, 0, CONTEXT ", fp 404200 12fe90, fp 4053ec 12ff78, fp 7c816fd7 12ffc8",
		 "the chain of frame pointers finds these frames without symbols");

	scene = x86;
	scene.registers = "eip=40429e esp=12fe84 ebp=0";
	scene_is(&scene, POLICY_BREAKPAD, 0, CONTEXT ", scan 404200 12fe90, fp 4053ec 12ff78, fp 7c816fd7 12ffc8",
		 "a scan gets ebp back from below the return address");
}

#define RUNS "STACK WIN 4 4290 18 4 0 0 0 4 0 1 "
#define FAILED "scan 404200 12fe90", "ebp", "ebp=12fe88"

/* Records for the function of frame 0, and the method that finds frame 1. */
static const struct {
	const char *title, *records, *frame, *names, *registers;
} win[] = {
	{ "STACK CFI without a rule for $ebp keeps it", "STACK CFI INIT 4290 18 .cfa: $ebp 8 + .ra: .cfa -4 + ^\n",
	  "cfi 404200 12fe90", "ebp ebx esi edi eax", "ebp=12fe88 ebx=b esi=51 edi=d1 eax=?" },
	{ "a program keeps only what it assigns", RUNS EBP_PROGRAM,
	  "cfi 404200 12fe90", "ebp ebx esi edi", "ebp=12ff70 ebx=? esi=? edi=?" },
	{ "a program may assign any register", RUNS "$eip $ebp 4 + ^ = $esp $ebp 8 + = $ebp $ebp ^ = $esi 5 = $edi 6 = $ebx $ebx =\n",
	  "cfi 404200 12fe90", "ebp ebx esi edi", "ebp=12ff70 ebx=b esi=5 edi=6" },
	{ "a value left over fails the program", RUNS "$eip $ebp 4 + ^ = $esp $ebp 8 + = 1\n", FAILED },
	{ "an $esp that is not assigned fails the program", RUNS "$eip $ebp 4 + ^ =\n", FAILED },
	{ "$esi as an input fails the program", RUNS "$T9 $esi = $eip 1 = $esp 1 =\n", FAILED },
	{ "$eip as an input fails the program", RUNS "$eip 4 + ^ = $esp 1 =\n", FAILED },
	{ "values assigned before the failure stay", RUNS "$ebp $ebp ^ = $esi 7 = $eip 1 ^ =\n",
	  "scan 404200 12fe90", "ebp esi", "ebp=12ff70 esi=7" },
	{ "type 4 without a program goes by its sizes", "STACK WIN 4 4290 18 4 0 0 0 8 0 0 0\n",
	  "cfi 404200 12fe90", "ebp ebx", "ebp=12fe88 ebx=b" },
	{ "type 0 with a program runs it", "STACK WIN 0 4290 18 4 0 0 0 4 0 1 " EBP_PROGRAM, "cfi 404200 12fe90", "ebp", "ebp=12ff70" },
	{ "a function that uses ebp for something else saves it",
	  "STACK WIN 0 4290 18 4 0 0 c 4 0 0 1\n", "cfi 7c9131dc 12fe98", "ebp", "ebp=12ff70" },
	{ "type 4 is preferred to type 0",
	  "STACK WIN 0 4290 18 4 0 0 c 4 0 0 1\nSTACK WIN 4 4290 18 4 0 0 0 4 0 1 " EBP_PROGRAM, "cfi 404200 12fe90", "ebp", "ebp=12ff70" },
	{ "types 1 to 3 are never used", "STACK WIN 2 4290 18 4 0 0 c 4 0 0 1\n", "fp 404200 12fe90", "ebp", "ebp=12ff70" },
	{ "eip 0 with an ebp is looked for again", RUNS "$eip 0 = $ebp $ebp = $esp $esp 8 + =\n",
	  "cfi~ 7c9131dc 12fe98", "ebp", "ebp=12ff70" },
	{ "eip and ebp 0 end the stack", RUNS "$eip 0 = $ebp 0 = $esp $esp 8 + =\n", NULL, "", "" },
	{ "division by zero fails the program", RUNS "$eip 1 0 / = $esp 1 =\n", FAILED },
	{ "assignment to a number fails the program", RUNS "-5 3 = $eip 1 = $esp 1 =\n", FAILED },
};

TEST_EACH(win, win)
{
	char symbols[512], want[128], registers[128];
	struct scene scene = x86;
	struct staged staged;

	snprintf(symbols, sizeof(symbols), "FUNC 4290 18 0 CrashFunction\nFUNC 41b0 86 0 main\n%s", win[i].records);
	snprintf(want, sizeof(want), CONTEXT "%s%s", win[i].frame != NULL ? ", " : "", win[i].frame != NULL ? win[i].frame : "");
	scene.modules[0].symbols = symbols;
	scene_play_limited(&staged, &scene, POLICY_BREAKPAD, 2);
	is_str(staged.frames, want, "%s", win[i].title);
	is_str(scene_registers(&staged, 1, win[i].names, registers, sizeof(registers)), win[i].registers, "%s: registers", win[i].title);
	scene_close(&staged);
}

/* One address of code, `index` words above the stack pointer. */
static const struct {
	unsigned index;
	bool found;
} reaches[] = { { 0, true }, { 160, true }, { 161, false } };

TEST_EACH(scan_reach, reaches)
{
	struct scene scene = x86;
	struct staged staged;
	char memory[64];

	snprintf(memory, sizeof(memory), "%x=404200", 0x12f400 + 4 * reaches[i].index);
	scene.registers = "eip=40429e esp=12f400 ebp=0";
	scene.memory = memory;
	scene_play(&staged, &scene, POLICY_BREAKPAD);
	ok((staged.walk->count > 1) == reaches[i].found, "a scan from the context frame %s word %u",
	   reaches[i].found ? "looks at" : "does not reach", reaches[i].index);
	scene_close(&staged);
}

/* amd64 without records: a chain of frame pointers, then a scan (linux_divide_by_zero.dmp). */
TEST(amd64_chain)
{
	static const struct scene scene = {
		ARCH_AMD64, CRASH_OS_LINUX,
		.registers = "rip=402170 rbp=7ffd833006e0 rsp=7ffd833006e0",
		.stack = 0x7ffd83300600,
		.memory = "7ffd833006e0=7ffd83300800 7ffd833006e8=401fcf 7ffd83300748=403515 "
			  "7ffd83300808=40dec5", .modules = { { 0x400000, 0x4000, "app", NULL } },
	};
	struct staged staged;
	uint64_t value = 0;

	scene_play(&staged, &scene, POLICY_BREAKPAD);
	is_str(staged.frames, "ctx 402170 7ffd833006e0, fp 401fcf 7ffd833006f0, scan 403515 7ffd83300750",
	       "an rbp that leads to 0 is refused and a scan goes on");
	ok(scene_register(&staged, 2, "rbp", &value) && value == 0x7ffd83300800, "the scan keeps an rbp that points above it");
	scene_close(&staged);
}

/* A system call stub of 64-bit Windows preserves every register of its caller. */
TEST(leaf)
{
	static const struct scene scene = {
		ARCH_AMD64, CRASH_OS_WINDOWS,
		.registers = "rip=7ffb0b1d0994 rsp=d2de5ff958 rax=77 r9=9",
		.stack = 0xd2de5ff900, .memory = "d2de5ff958=7ffb0b182dc7",
		.modules = { { 0x7ffb0b100000, 0x200000, "ntdll.dll", NULL } },
	};
	struct staged staged;
	char registers[64];

	scene_play(&staged, &scene, POLICY_BREAKPAD);
	is_str(staged.frames, "ctx 7ffb0b1d0994 d2de5ff958, leaf 7ffb0b182dc7 d2de5ff960",
	       "a leaf function on Windows returns to the top of the stack");
	is_str(scene_registers(&staged, 1, "rax r9", registers, sizeof(registers)), "rax=77 r9=9",
	       "the leaf function keeps every register");
	scene_close(&staged);
}
