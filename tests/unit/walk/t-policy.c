/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/* Each row of the policy has the effect that its sentence describes: the same crash is walked with
 * two values of one row, all others as in unspool's column. */

#define HUNDRED(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line)
#define TEN(line) line line line line line line line line line line

/* Function c at 402170, called from 401fcf; a scan can find 402175. */
#define AMD64(records)								\
	{ ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=8000 rbx=11 rsi=51", \
		.stack = 0x8000, .memory = "8000=401fcf 8008=402175", .modules = { { 0x400000, 0x4000, "app", records } } }
#define INIT "FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 "
#define CALLER ".cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define BY_CFI CTX ", cfi 401fcf 8008"
#define BY_SCAN CTX ", scan 402175 8010"

static void
add_heap(struct synth *synth)
{
	const uint8_t word[8] = { 0xcf, 0x1f, 0x40 };

	synth_memory(synth, 0x90000, word, sizeof(word), false);
}

/* FPO functions: f1 calls f0 and has parameters, f2 calls f1, f3 calls f2. */
#define FPO(f1)									\
	{ ARCH_X86, CRASH_OS_WINDOWS, .registers = "eip=401010 esp=8000", .stack = 0x8000, \
		.memory = "8000=401055 8004=401090 8008=4010d1 8010=4010d5", .modules = { { 0x400000, 0x4000, "app", \
			       "FUNC 1000 20 0 f0\nFUNC 1080 20 0 f2\nFUNC 10c0 20 0 f3\n" f1 \
			       "STACK WIN 0 1000 20 0 0 0 0 0 0 0 0\nSTACK WIN 0 1080 20 0 0 0 0 0 0 0 0\n" } } }
#define FPO_FRAMES(trust, last) "ctx 401010 8000, cfi 401055 8004, " trust " 401090 8008, " last

/* The handler of a signal returns to a page of the kernel that is in no module. */
static void
add_page(struct synth *synth)
{
	synth_memory_info(synth, 0x600000, 0x1000, 0x1000, 0x20, 0x20000);
}

static void
add_extended_context(struct synth *synth)
{
	uint8_t context[716 + 64] = { 0x47, 0, 1 };

	memcpy(context + 184, (const uint8_t[]){ 0x70, 0x21, 0x40 }, 3);	/* eip */
	memcpy(context + 196, (const uint8_t[]){ 0x00, 0x80 }, 2);		/* esp */
	synth_context(synth, context, sizeof(context));
}

/* Code with one call, at 402180. */
static void
add_code(struct synth *synth)
{
	const uint8_t code[0x40] = { [0x20] = 0xe8 };

	synth_memory(synth, 0x402160, code, sizeof(code), false);
}

/* f calls g, whose call has an unknown target. */
static void
add_calls(struct synth *synth)
{
	const uint8_t code[0x140] = {
		[0x10] = 0xe8, 0xeb, [0x110] = 0xff, 0x15,
	};

	synth_memory(synth, 0x400100, code, sizeof(code), false);
}

/* As add_calls(), but f calls another function than g. */
static void
add_other_calls(struct synth *synth)
{
	const uint8_t code[0x140] = {
		[0x10] = 0xe8, 0xcb, [0x110] = 0xff, 0x15,
	};

	synth_memory(synth, 0x400100, code, sizeof(code), false);
}

#define CALLING_MODULES \
	{ { 0x400000, 0x4000, "app", "FUNC 100 80 0 f\nFUNC 1e0 20 0 other\nFUNC 200 80 0 g\n" \
	    "STACK CFI INIT 200 80 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n" }, { 0x700000, 0x4000, "ntdll.dll", NULL } }

static void
add_map(struct synth *synth)
{
	synth_memory_info(synth, 0x400000, 0x4000, 0x1000, 0x20, 0x1000000);
}

static const struct flip flips[] = {
	{ POLICY_SYMBOL_ERROR_LIMIT, 2, "", AMD64(HUNDRED("PUBLIC x 0 bad\n")
	  "PUBLIC x 0 bad\n" INIT CALLER "\n"), { { 1, CTX, "" }, { 0, BY_CFI, "" } } },
	{ POLICY_PUBLIC_AT_ZERO, 2, "", STOPPED_IN("8008=400015", APP("PUBLIC 0 0 zero\n")),
	  { { 0, CTX, "" }, { 1, CTX ", scan 400015 8010", "" } } },
	{ POLICY_PUBLIC_REACH, 2, "", STOPPED_IN("8008=420005", { { 0x400000, 0x30000, "app", "PUBLIC 1000 0 far\n" } }),
	  { { 65536, CTX, "" }, { 0, CTX ", scan 420005 8010", "" } } },
	{ POLICY_SCAN_ENTRY_POINTS, 2, "",
	  STOPPED_IN("8008=401010", APP("FUNC 1000 10 0 f\nFUNC 1010 10 0 g\n")), { { 0, CTX, "" }, { 1, CTX ", scan 401010 8010", "" } } },
	{ POLICY_MODULE_LIST_STRICT, 2, "", SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401015",
	  { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0, "b", NULL } }), { { 1, CTX, "" }, { 0, CTX ", scan 401015 8004", "" } } },
	{ POLICY_MODULE_LIMIT, 2, "", SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401015",
	  { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x1000, "b", NULL } }),
	  { { 1, CTX, "" }, { 2, CTX ", scan 401015 8004", "" } } },
	{ POLICY_STACK_ONLY, 2, "", SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbx=90000",
	  "", APP(INIT ".cfa: $rsp 8 + .ra: $rbx ^\n"), .more = add_heap), { { 1, CTX, "" }, { 0, CTX ", cfi 401fcf 8008", "" } } },
	{ POLICY_STALE_REGISTERS, 2, "ebp", SCENE(X86, LINUX,
	  "eip=402170 esp=8000 ebp=8010", "8000=401fcf 8010=8020 8014=401fd0", APP(INIT ".cfa: $esp 4 + .ra: .cfa -4 + ^ $ebp: .undef\n")),
	  { { 1, CTX ", fp 401fd0 8018", "ebp=8020" }, { 0, CTX ", cfi 401fcf 8004", "ebp=?" } } },
	{ POLICY_FAILED_RULE_FORWARDS, 2, "rbx", AMD64(INIT CALLER " $rbx: .undef\n"),
	  { { 1, BY_CFI, "rbx=11" }, { 0, BY_CFI, "rbx=?" } } },
	{ POLICY_ALIGN_UNCHECKED, 2, "rbx", AMD64(INIT CALLER " $rbx: 17 6 @\n"), { { 1, BY_CFI, "rbx=10" }, { 0, BY_CFI, "rbx=?" } } },
	{ POLICY_REGISTER_ALIASES, 2, "", AMD64(INIT ".cfa: rsp 8 + .ra: .cfa -8 + ^\n"), { { 1, BY_CFI, "" }, { 0, BY_SCAN, "" } } },
	{ POLICY_CFI_ZERO_CONTINUES, 2, "", AMD64(INIT ".cfa: $rsp 8 + .ra: 0\n"), { { 1, BY_SCAN, "" }, { 0, CTX, "" } } },
	{ POLICY_DELTA_KEEPS_GOOD, 2, "", AMD64(INIT ".cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
	  "STACK CFI 2170 .cfa: $rsp 8 + $rbx:\n"), { { 1, BY_CFI, "" }, { 0, BY_SCAN, "" } } },
	{ POLICY_PARAMETERS_OF_INNERMOST, 4, "", FPO("FUNC 1040 20 8 f1\nSTACK WIN 0 1040 20 0 0 8 0 0 0 0 0\n"),
	  { { 1, FPO_FRAMES("cfi", "cfi 4010d1 800c"), "" }, { 0, FPO_FRAMES("cfi", "cfi 4010d5 8014"), "" } } },
	{ POLICY_PARAMETERS_OF_PUBLIC, 4, "", FPO("PUBLIC 1040 8 f1\n"),
	  { { 0, FPO_FRAMES("scan", "cfi 4010d1 800c"), "" }, { 1, FPO_FRAMES("scan", "cfi 4010d5 8014"), "" } } },
	{ POLICY_WIN_FAILURE_SCANS, 2, "", SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401fcf 8004=402176", APP("FUNC 1fc0 20 0 main\n"
	  "STACK WIN 4 2170 8 0 0 0 0 0 0 1 $eip 1 ^ =\n" INIT ".cfa: $esp 8 + .ra: .cfa -4 + ^ $ebp: 7\n")),
	  { { 1, CTX ", scan 401fcf 8004", "" }, { 0, CTX ", cfi 402176 8008", "" } } },
	{ POLICY_SCAN_WORDS, 3, "", STOPPED_IN("8000=401fcf 8018=402175", APP(INIT CALLER "\n")),
	  { { 2, BY_CFI, "" }, { 3, BY_CFI ", scan 402175 8020", "" } } },
	{ POLICY_SCAN_WORDS_CONTEXT, 2, "", STOPPED_IN("8018=402175", APP("FUNC 2170 8 0 c\n")),
	  { { 3, CTX, "" }, { 4, CTX ", scan 402175 8020", "" } } },
	{ POLICY_SCAN_FRAME_POINTER, 2, "ebp", BARE(X86, LINUX, "eip=402170 esp=8010 ebp=4", "801c=401fcf"),
	  { { 1, "ctx 402170 8010, scan 401fcf 8020", "ebp=4" }, { 0, "ctx 402170 8010, scan 401fcf 8020", "ebp=?" } } },
	{ POLICY_LINK_REGISTER_IS_PC, 2, "", SCENE(ARM64,
	  LINUX, "pc=401054 sp=8000 x29=8010 x30=401058", "8010=8030 8018=402010", APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\n")),
	  { { 1, "ctx 401054 8000, fp 401058 8020", "" }, { 0, "ctx 401054 8000, fp 402010 8020", "" } } },
	{ POLICY_STRIP_IN_MODULES, 2, "", BARE(ARM64, LINUX, "pc=401054 sp=8000 x29=8010", "8010=8030 8018=ab000000600010"),
	  { { 1, "ctx 401054 8000, fp ab000000600010 8020", "" }, { 0, "ctx 401054 8000, fp 600010 8020", "" } } },
	{ POLICY_STALE_REGISTERS, 2, "", SCENE(ARM64, LINUX, "pc=401054 sp=8000 x29=8010", "8010=8030 8018=ab000000600010",
	  APP(NULL), .more = add_page), { { 1, "ctx 401054 8000", "" }, { 0, "ctx 401054 8000, fp 600010 8020", "" } } },
	{ POLICY_CALLEE_SAVED_WINDOWS, 2, "rsi rdi", SCENE(AMD64, WINDOWS, "rip=402170 rsp=8000 rsi=51 rdi=d1",
	  "8000=401fcf", APP(INIT CALLER "\n")), { { 0, BY_CFI, "rsi=? rdi=?" }, { 1, BY_CFI, "rsi=51 rdi=d1" } } },
	{ POLICY_END_OF_STACK, 3, "", AMD64("FUNC 1fc0 20 0 _start\n" INIT CALLER "\n"),
	  { { 1, BY_CFI, "" }, { 0, BY_CFI ", scan 402175 8010", "" } } },
	{ POLICY_CALL_BAD_POINTER, 2, "", SCENE(AMD64, LINUX, "rip=0 rsp=8008", "8008=402175", APP("FUNC 2170 8 0 c\n")),
	  { { 1, "ctx 0 8008, call 402175 8010", "" }, { 0, "ctx 0 8008, scan 402175 8010", "" } } },
	{ POLICY_LINK_REGISTER_LEAF, 2, "", SCENE(ARM64, LINUX, "pc=401054 sp=8000 x29=0 x30=402010", "",
	  APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\n")), { { 1, "ctx 401054 8000, lr 402010 8000", "" }, { 0, "ctx 401054 8000", "" } } },
	/* gcc's main on x86: lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx); push %ebp; mov %esp,%ebp; push %ecx. The return
	 * address 401fd0 is at 8030 and, a copy, at 8014 above the saved ebp. */
	{ POLICY_REALIGNED_FRAMES,
	  2, "ebp", BARE(X86, LINUX, "eip=402170 esp=8000 ebp=8010", "800c=8034 8010=8060 8014=401fd0 8030=401fd0"),
	  { { 1, CTX ", algn 401fd0 8034", "ebp=8060" }, { 0, CTX ", fp 401fd0 8018", "ebp=8060" } } },
	/* Word 8010 is where a call cannot leave a return address, word 8018 where it can. */
	{ POLICY_RETURN_ALIGNMENT, 2, "", STOPPED("8010=402175 8018=402185"),
	  { { 1, CTX ", scan 402185 8020", "" }, { 0, CTX ", scan 402175 8018", "" } } },
	/* The process began at 401010; the dynamic linker's word at 8008 is older. */
	{ POLICY_SCAN_LINKER,
	  2, "", STOPPED_IN("8008=601235 8018=402185 81f8=401025 8200=1 8208=8300 8210=0 8218=0 8220=6 8228=1000 8230=4 8238=38 "
	  "8240=9 8248=401010", { { 0x400000, 0x4000, "app", NULL }, { 0x600000, 0x4000, "/lib/ld-linux-x86-64.so.2", NULL } }),
	  { { 0, CTX ", scan 402185 8020", "" }, { 1, CTX ", scan 601235 8010", "" } } },
	/* A frame of gcc's unwinder: the CFA 8050 of a passed function, and its return address. */
	{ POLICY_SCAN_CONTEXT, 2, "", STOPPED("8000=8050 8008=402185 8048=402185"),
	  { { 0, CTX ", scan 402185 8050", "" }, { 1, CTX ", scan 402185 8010", "" } } },
	{ POLICY_SCAN_PROVEN, 2, "", SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115", CALLING_MODULES,
	  .more = add_calls), { { 6, "ctx 700070 8000, scan 400216 8030", "" }, { 5, "ctx 700070 8000, scan 700321 8020", "" } } },
	/* The proof is farther up than any scan reads. */
	{ POLICY_SCAN_PROVEN, 2, "", SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8528=400216 8538=400115", CALLING_MODULES,
	  .more = add_calls), { { 512, "ctx 700070 8000, scan 400216 8530", "" }, { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_PROVEN, 2, "", SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115", CALLING_MODULES,
	  .more = add_other_calls), { { 512, "ctx 700070 8000, scan 700321 8020", "" }, { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_PROVEN, 2, "", SCENE(AMD64, LINUX, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115", CALLING_MODULES,
	  .more = add_calls), { { 512, "ctx 700070 8000, scan 700321 8020", "" }, { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_SAME_CALL, 3, "", SCENE(AMD64, LINUX, "rip=701070 rsp=8000", "8008=402175 8018=402175 8038=402185",
	  { { 0x400000, 0x4000, "app", NULL }, { 0x700000, 0x4000, "libc.so.6", NULL } }),
	  { { 0, "ctx 701070 8000, scan 402175 8010, scan 402185 8040", "" },
	    { 1, "ctx 701070 8000, scan 402175 8010, scan 402175 8020", "" } } },
	{ POLICY_FUNCTION_ALIGNMENT, 2, "", STOPPED("8008=402180 8018=402175"),
	  { { 16, CTX ", scan 402175 8020", "" }, { 0, CTX ", scan 402180 8010", "" } } },
	{ POLICY_CALL_INSTRUCTION, 2, "", STOPPED_IN("8008=402175 8018=402185", APP(NULL), .more = add_code),
	  { { 1, CTX ", scan 402185 8020", "" }, { 0, CTX ", scan 402175 8010", "" } } },
	{ POLICY_CHAIN_OVER_CALLS, 2, "", BARE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8020", "8008=402175 8020=8040 8028=402185"),
	  { { 1, CTX ", fp 402185 8030", "" }, { 0, CTX ", scan 402175 8010", "" } } },
	/* One argument, one variable that looks like a return address, and the auxiliary vector. */
	{ POLICY_STACK_BOTTOM, 2, "", STOPPED("8080=1 8088=8200 "
	  "8098=402175 80a8=3 80b0=400040 80b8=4 80c0=38 80c8=6 80d0=1000 80d8=9 80e0=401000"),
	  { { 1, CTX, "" }, { 0, CTX ", scan 402175 80a0", "" } } },
	/* push %ecx; push %edx; push %ebp; mov %esp,%ebp; sysenter */
	{ POLICY_SYSTEM_CALL_STUB, 2, "ebp", SCENE(X86, LINUX, "eip=500010 esp=8000",
	  "8000=8050 8004=d1 8008=c1 800c=402175", { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x1000, "linux-gate.so", NULL } }),
	  { { 1, "ctx 500010 8000, sys 402175 8010", "ebp=8050" }, { 0, "ctx 500010 8000, scan 402175 8010", "ebp=?" } } },
	{ POLICY_SCAN_STRIPPED, 2, "", STOPPED_IN("8008=402175", APP("PUBLIC 3000 0 f\n"),
	  .more = add_map), { { 1, CTX ", scan 402175 8010", "" }, { 0, CTX, "" } } },
	{ POLICY_XSTATE_UNREAD, 2, "", SCENE(X86, WINDOWS, "",
	  "", APP(NULL), .more = add_extended_context), { { 1, "", "" }, { 0, CTX, "" } } },
};

TEST_EACH(flip, flips)
{
	scene_flip(&flips[i]);
}

/* Every row has a case here or in another test; signal frames have a test of their own. */
TEST(complete)
{
	bool tested[POLICY_COUNT] = {
		[POLICY_SIGNAL_FRAMES] = true,
		/* tests/unit/walk/t-bottom.c */
		[POLICY_PUBLIC_NAMES] = true,
		/* tests/unit/symbols/t-lookup.c */
		[POLICY_INLINE_LEVELS] = true,
		/* tests/unit/walk/t-names.c */
		[POLICY_PUBLIC_BOUNDS] = true,
		/* tests/unit/walk/t-architectures.c */
		[POLICY_RARE_PROCESSORS] = true, [POLICY_LONG_CALL_STEPS] = true,
		[POLICY_MIPS_T0] = true, [POLICY_MIPS_RETURN_WINS] = true,
		[POLICY_MIPS_SCAN_FRAME] = true, [POLICY_PPC_FRAME_OF_MACOS] = true,
		[POLICY_SPARC_FRAME_SKIPPED] = true, [POLICY_RISCV_FRAME_OF_ARM64] = true,
		[POLICY_SCAN_BEHIND_CHAIN] = true,
		/* tests/unit/walk/t-policy-rust.c */
		[POLICY_RETURN_SEARCH] = true, [POLICY_WIN_RESCANS] = true,
		[POLICY_WIN_REPAIRS_EBP] = true, [POLICY_WIN_KEEPS_SAVED] = true,
		[POLICY_WIN_NUMBERS] = true, [POLICY_LEAF_RETURN] = true,
		[POLICY_WINDOWS_FRAME_OFFSETS] = true, [POLICY_SCAN_LONG_BEHIND_CFI] = true,
		[POLICY_SCAN_LIMIT] = true, [POLICY_IOS_FRAME_POINTER] = true,
		[POLICY_STACK_POINTER_STAYS] = true, [POLICY_LINK_REGISTER_OF_RECORD] = true,
		[POLICY_SCAN_TOP_DROPS_FRAME] = true,
		/* tests/unit/walk/t-start.c */
		[POLICY_NATIVE_CONTEXT] = true, [POLICY_STACK_BY_DESCRIPTOR] = true,
		/* tests/unit/locate/t-symbol-store.c, tests/batch/{sframe,frame-table,code,file-names}.t */
		[POLICY_SYMBOLS_BY_CODE_FILE] = true, [POLICY_SFRAME] = true,
		[POLICY_FRAME_TABLES] = true, [POLICY_FILE_NAMES] = true, [POLICY_CODE] = true,
		[POLICY_CODE_WINS] = true, [POLICY_SYMBOLS_ANY_LAYOUT] = true,
		/* tests/batch/demangle.t */
		[POLICY_DEMANGLE] = true,
		/* tests/unit/cmd/t-recorded.c, the crashes of small-exceptions */
		[POLICY_REPEATED_STREAMS_VOID] = true,
	};
	char missing[400] = "";

	for (size_t i = 0; i < ARRAY_COUNT(flips); i++)
		tested[flips[i].row] = true;
	for (size_t row = 0; row < POLICY_COUNT; row++)
		if (!tested[row])
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), "%s ", policy_table[row].name);
	is_str(missing, "", "every row of the policy is tested");
}

TEST(columns)
{
	enum policy_column column;
	enum policy_row row;

	ok(policy_column_named("rust-minidump", &column) && column == POLICY_RUST_MINIDUMP, "columns have names");
	ok(!policy_column_named("windbg", &column), "other walkers have no column");
	ok(policy_row_named("scan-words", &row) && row == POLICY_SCAN_WORDS, "rows have names");
	ok(!policy_row_named("scan", &row), "a part of a row's name is not a name");
	for (column = 0; column < POLICY_COLUMNS; column++) {
		struct policy policy = policy_column(column);
		bool same = true;

		for (row = 0; row < POLICY_COUNT; row++)
			same = same && policy.value[row] == policy_table[row].column[column];
		ok(same, "column %d is what the table says", (int)column);
	}
}

static const struct {
	const char *text;
	bool good;
	enum policy_row row;
	uint32_t value;
	const char *words;
} cases[] = {
	{ "stack-bottom=1", true, POLICY_STACK_BOTTOM, 1, "yes" }, { "stack-bottom no", true, POLICY_STACK_BOTTOM, 0, "no" },
	{ "stack-bottom=yes", true, POLICY_STACK_BOTTOM, 1, "yes" }, { "stack-bottom=2", false, 0, 0, NULL },
	{ "stack-bottom=", false, 0, 0, NULL }, { "stack-bottom=1x", false, 0, 0, NULL },
	{ "symbol-error-limit=2", true, POLICY_SYMBOL_ERROR_LIMIT, 2, "2" },
	{ "symbol-error-limit=0", true, POLICY_SYMBOL_ERROR_LIMIT, 0, "0" },
	{ "symbol-error-limit=3", false, 0, 0, NULL }, { "symbol-error-limit=yes", false, 0, 0, NULL },
	{ "ios-frame-pointer=11", true, POLICY_IOS_FRAME_POINTER, 11, "11" }, { "ios-frame-pointer=9", false, 0, 0, NULL },
	{ "scan-words=2147483647", true, POLICY_SCAN_WORDS, INT32_MAX, "2147483647" }, { "scan-words=2147483648", false, 0, 0, NULL },
	{ "scan-limit=1", true, POLICY_SCAN_LIMIT, 1, "1" }, { "scan-words=-1", false, 0, 0, NULL },
	{ "scan-words=-18446744073709551615", false, 0, 0, NULL }, { "scan-words=no", false, 0, 0, NULL },
	{ "scan=1", false, 0, 0, NULL },
};

TEST_EACH(values, cases)
{
	enum policy_row row = POLICY_COUNT;
	uint32_t value = 0;
	const bool good = policy_parse(cases[i].text, &row, &value) == NULL;

	ok(good == cases[i].good && (!good || (row == cases[i].row && value == cases[i].value &&
			      strcmp(policy_say(row, value).text, cases[i].words) == 0)),
	   "'%s' is %s", cases[i].text, cases[i].good ? "a value" : "refused");
}
