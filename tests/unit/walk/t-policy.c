/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/*
 * Each row of the policy has the effect that its sentence describes: the same crash is walked with
 * two values of one row, all others as in unspool's column.
 */

#define HUNDRED(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) TEN(line) \
	TEN(line) TEN(line) TEN(line)
#define TEN(line) line line line line line line line line line line

/* Function c at 402170, called from 401fcf; a scan can find 402175. */
#define AMD64(records)								\
	{									\
		ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=8000 rbx=11 rsi=51",	\
		.stack = 0x8000, .memory = "8000=401fcf 8008=402175",		\
		.modules = { { 0x400000, 0x4000, "app", records } }		\
	}
#define INIT "FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 "
#define CTX "ctx 402170 8000"
#define BY_CFI CTX ", cfi 401fcf 8008"
#define BY_SCAN CTX ", scan 402175 8010"

static const struct scene error_limit =
	AMD64(HUNDRED("PUBLIC x 0 bad\n") "PUBLIC x 0 bad\n" INIT
	      ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n");
static const struct scene failed_rule =
	AMD64(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^ $rbx: .undef\n");
static const struct scene odd_alignment =
	AMD64(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^ $rbx: 17 6 @\n");
static const struct scene bare_names = AMD64(INIT ".cfa: rsp 8 + .ra: .cfa -8 + ^\n");
static const struct scene zero_return = AMD64(INIT ".cfa: $rsp 8 + .ra: 0\n");
static const struct scene bad_delta = AMD64(
	INIT ".cfa: $rsp 16 + .ra: .cfa -8 + ^\nSTACK CFI 2170 .cfa: $rsp 8 + $rbx:\n");
static const struct scene outermost =
	AMD64("FUNC 1fc0 20 0 _start\n" INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n");

static const struct scene public_zero =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=400015", APP("PUBLIC 0 0 zero\n"));

static const struct scene public_reach =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=420005",
	      { { 0x400000, 0x30000, "app", "PUBLIC 1000 0 far\n" } });

static const struct scene entry_point =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=401010",
	      APP("FUNC 1000 10 0 f\nFUNC 1010 10 0 g\n"));

static const struct scene two_modules =
	SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401015",
	      { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x1000, "b", NULL } });

static const struct scene empty_module =
	SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401015",
	      { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0, "b", NULL } });

static void
add_heap(struct synth *synth)
{
	const uint8_t word[8] = { 0xcf, 0x1f, 0x40 };

	synth_memory(synth, 0x90000, word, sizeof(word), false);
}

static const struct scene other_memory =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbx=90000", "",
	      APP(INIT ".cfa: $rsp 8 + .ra: $rbx ^\n"), .more = add_heap);

static const struct scene lost_ebp =
	SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8010", "8000=401fcf 8010=8020 8014=401fd0",
	      APP(INIT ".cfa: $esp 4 + .ra: .cfa -4 + ^ $ebp: .undef\n"));

/* FPO functions: f1 calls f0 and has parameters, f2 calls f1, f3 calls f2. */
#define FPO(f1)									\
	{									\
		ARCH_X86, CRASH_OS_WINDOWS, .registers = "eip=401010 esp=8000", .stack = 0x8000, \
		.memory = "8000=401055 8004=401090 8008=4010d1 8010=4010d5",	\
		.modules = { { 0x400000, 0x4000, "app",				\
			       "FUNC 1000 20 0 f0\nFUNC 1080 20 0 f2\nFUNC 10c0 20 0 f3\n" f1 \
			       "STACK WIN 0 1000 20 0 0 0 0 0 0 0 0\n"		\
			       "STACK WIN 0 1080 20 0 0 0 0 0 0 0 0\n" } }	\
	}
#define FPO_FRAMES(trust, last) "ctx 401010 8000, cfi 401055 8004, " trust " 401090 8008, " last

static const struct scene parameters =
	FPO("FUNC 1040 20 8 f1\nSTACK WIN 0 1040 20 0 0 8 0 0 0 0 0\n");
static const struct scene public_parameters = FPO("PUBLIC 1040 8 f1\n");

static const struct scene failed_program =
	SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401fcf 8004=402176",
	      APP("FUNC 1fc0 20 0 main\nSTACK WIN 4 2170 8 0 0 0 0 0 0 1 $eip 1 ^ =\n" INIT
	      ".cfa: $esp 8 + .ra: .cfa -4 + ^ $ebp: 7\n"));

static const struct scene far_word =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8000=401fcf 8018=402175",
	      APP(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"));

static const struct scene far_word_first =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8018=402175", APP("FUNC 2170 8 0 c\n"));

static const struct scene scanned_ebp =
	BARE(X86, LINUX, "eip=402170 esp=8010 ebp=4", "801c=401fcf");

static const struct scene arm64_chain =
	SCENE(ARM64, LINUX, "pc=401054 sp=8000 x29=8010 x30=401058", "8010=8030 8018=402010",
	      APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\n"));

static const struct scene arm64_signed =
	BARE(ARM64, LINUX, "pc=401054 sp=8000 x29=8010", "8010=8030 8018=ab000000600010");

/* The handler of a signal returns to a page of the kernel that is in no module. */
static void
add_page(struct synth *synth)
{
	synth_memory_info(synth, 0x600000, 0x1000, 0x1000, 0x20, 0x20000);
}

static const struct scene arm64_page =
	SCENE(ARM64, LINUX, "pc=401054 sp=8000 x29=8010", "8010=8030 8018=ab000000600010",
	      APP(NULL), .more = add_page);

static const struct scene windows_saved =
	SCENE(AMD64, WINDOWS, "rip=402170 rsp=8000 rsi=51 rdi=d1", "8000=401fcf",
	      APP(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"));

static const struct scene null_call =
	SCENE(AMD64, LINUX, "rip=0 rsp=8008", "8008=402175", APP("FUNC 2170 8 0 c\n"));

static const struct scene arm64_leaf =
	SCENE(ARM64, LINUX, "pc=401054 sp=8000 x29=0 x30=402010", "",
	      APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\n"));

/*
 * gcc's main on x86: lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx); push %ebp; mov %esp,%ebp;
 * push %ecx. The return address 401fd0 is at 8030 and, a copy, at 8014 above the saved ebp.
 */
static const struct scene realigned =
	BARE(X86, LINUX, "eip=402170 esp=8000 ebp=8010",
	     "800c=8034 8010=8060 8014=401fd0 8030=401fd0");

static void
add_extended_context(struct synth *synth)
{
	uint8_t context[716 + 64] = { 0x47, 0, 1 };

	memcpy(context + 184, (const uint8_t[]){ 0x70, 0x21, 0x40 }, 3);	/* eip */
	memcpy(context + 196, (const uint8_t[]){ 0x00, 0x80 }, 2);		/* esp */
	synth_context(synth, context, sizeof(context));
}

static const struct scene extended =
	SCENE(X86, WINDOWS, "", "", APP(NULL), .more = add_extended_context);

/* Word 8010 is where a call cannot leave a return address, word 8018 where it can. */
static const struct scene misaligned =
	BARE(AMD64, LINUX, "rip=402170 rsp=8000", "8010=402175 8018=402185");

/* The process began at 401010; the dynamic linker's word at 8008 is older. */
static const struct scene left_by_linker =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=601235 8018=402185 81f8=401025 8200=1 "
	      "8208=8300 8210=0 8218=0 8220=6 8228=1000 8230=4 8238=38 8240=9 8248=401010",
	      { { 0x400000, 0x4000, "app", NULL }, { 0x600000, 0x4000, "/lib/ld-linux-x86-64.so.2",
	      NULL } });

/*
 * A frame of gcc's unwinder: CFA 8050 of a function that it has passed, and its return address.
 */
static const struct scene unwinder_copy =
	BARE(AMD64, LINUX, "rip=402170 rsp=8000", "8000=8050 8008=402185 8048=402185");

static const struct scene same_call =
	SCENE(AMD64, LINUX, "rip=701070 rsp=8000", "8008=402175 8018=402175 8038=402185",
	      { { 0x400000, 0x4000, "app", NULL }, { 0x700000, 0x4000, "libc.so.6", NULL } });

static const struct scene function_pointer =
	BARE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=402180 8018=402175");

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
		[0x10] = 0xe8, 0xeb,
		[0x110] = 0xff, 0x15,
	};

	synth_memory(synth, 0x400100, code, sizeof(code), false);
}

/* As add_calls(), but f calls another function than g. */
static void
add_other_calls(struct synth *synth)
{
	const uint8_t code[0x140] = {
		[0x10] = 0xe8, 0xcb,
		[0x110] = 0xff, 0x15,
	};

	synth_memory(synth, 0x400100, code, sizeof(code), false);
}

#define CALLING_MODULES \
	{ { 0x400000, 0x4000, "app", \
	    "FUNC 100 80 0 f\nFUNC 1e0 20 0 other\nFUNC 200 80 0 g\n" \
	    "STACK CFI INIT 200 80 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n" }, \
	  { 0x700000, 0x4000, "ntdll.dll", NULL } }

static const struct scene proven =
	SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115",
	      CALLING_MODULES, .more = add_calls);

/* The proof is farther up than any scan reads. */
static const struct scene proven_far =
	SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8528=400216 8538=400115",
	      CALLING_MODULES, .more = add_calls);

static const struct scene not_proven =
	SCENE(AMD64, WINDOWS, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115",
	      CALLING_MODULES, .more = add_other_calls);

static const struct scene proven_linux =
	SCENE(AMD64, LINUX, "rip=700070 rsp=8000", "8018=700321 8028=400216 8038=400115",
	      CALLING_MODULES, .more = add_calls);

static const struct scene known_code =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=402175 8018=402185", APP(NULL),
	      .more = add_code);

static const struct scene far_chain =
	BARE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8020", "8008=402175 8020=8040 8028=402185");

/* One argument, one variable that looks like a return address, and the auxiliary vector. */
static const struct scene arguments =
	BARE(AMD64, LINUX, "rip=402170 rsp=8000", "8080=1 8088=8200 8098=402175 80a8=3 80b0=400040 "
	     "80b8=4 80c0=38 80c8=6 80d0=1000 80d8=9 80e0=401000");

/* push %ecx; push %edx; push %ebp; mov %esp,%ebp; sysenter */
static const struct scene system_call =
	SCENE(X86, LINUX, "eip=500010 esp=8000", "8000=8050 8004=d1 8008=c1 800c=402175",
	      { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x1000, "linux-gate.so", NULL } });

static void
add_map(struct synth *synth)
{
	synth_memory_info(synth, 0x400000, 0x4000, 0x1000, 0x20, 0x1000000);
}

static const struct scene stripped =
	SCENE(AMD64, LINUX, "rip=402170 rsp=8000", "8008=402175", APP("PUBLIC 3000 0 f\n"),
	      .more = add_map);

static const struct flip flips[] = {
	{ POLICY_SYMBOL_ERROR_LIMIT, &error_limit, 2, "", { { 1, CTX, "" }, { 0, BY_CFI, "" } } },
	{ POLICY_PUBLIC_AT_ZERO, &public_zero, 2, "",
	  { { 0, CTX, "" }, { 1, CTX ", scan 400015 8010", "" } } },
	{ POLICY_PUBLIC_REACH, &public_reach, 2, "",
	  { { 65536, CTX, "" }, { 0, CTX ", scan 420005 8010", "" } } },
	{ POLICY_SCAN_ENTRY_POINTS, &entry_point, 2, "",
	  { { 0, CTX, "" }, { 1, CTX ", scan 401010 8010", "" } } },
	{ POLICY_MODULE_LIST_STRICT, &empty_module, 2, "",
	  { { 1, CTX, "" }, { 0, CTX ", scan 401015 8004", "" } } },
	{ POLICY_MODULE_LIMIT, &two_modules, 2, "",
	  { { 1, CTX, "" }, { 2, CTX ", scan 401015 8004", "" } } },
	{ POLICY_STACK_ONLY, &other_memory, 2, "",
	  { { 1, CTX, "" }, { 0, CTX ", cfi 401fcf 8008", "" } } },
	{ POLICY_STALE_REGISTERS, &lost_ebp, 2, "ebp",
	  { { 1, CTX ", fp 401fd0 8018", "ebp=8020" }, { 0, CTX ", cfi 401fcf 8004", "ebp=?" } } },
	{ POLICY_FAILED_RULE_FORWARDS, &failed_rule, 2, "rbx",
	  { { 1, BY_CFI, "rbx=11" }, { 0, BY_CFI, "rbx=?" } } },
	{ POLICY_ALIGN_UNCHECKED, &odd_alignment, 2, "rbx",
	  { { 1, BY_CFI, "rbx=10" }, { 0, BY_CFI, "rbx=?" } } },
	{ POLICY_REGISTER_ALIASES, &bare_names, 2, "", { { 1, BY_CFI, "" }, { 0, BY_SCAN, "" } } },
	{ POLICY_CFI_ZERO_CONTINUES, &zero_return, 2, "", { { 1, BY_SCAN, "" }, { 0, CTX, "" } } },
	{ POLICY_DELTA_KEEPS_GOOD, &bad_delta, 2, "", { { 1, BY_CFI, "" }, { 0, BY_SCAN, "" } } },
	{ POLICY_PARAMETERS_OF_INNERMOST, &parameters, 4, "",
	  { { 1, FPO_FRAMES("cfi", "cfi 4010d1 800c"), "" },
	    { 0, FPO_FRAMES("cfi", "cfi 4010d5 8014"), "" } } },
	{ POLICY_PARAMETERS_OF_PUBLIC, &public_parameters, 4, "",
	  { { 0, FPO_FRAMES("scan", "cfi 4010d1 800c"), "" },
	    { 1, FPO_FRAMES("scan", "cfi 4010d5 8014"), "" } } },
	{ POLICY_WIN_FAILURE_SCANS, &failed_program, 2, "",
	  { { 1, CTX ", scan 401fcf 8004", "" }, { 0, CTX ", cfi 402176 8008", "" } } },
	{ POLICY_SCAN_WORDS, &far_word, 3, "",
	  { { 2, BY_CFI, "" }, { 3, BY_CFI ", scan 402175 8020", "" } } },
	{ POLICY_SCAN_WORDS_CONTEXT, &far_word_first, 2, "",
	  { { 3, CTX, "" }, { 4, CTX ", scan 402175 8020", "" } } },
	{ POLICY_SCAN_FRAME_POINTER, &scanned_ebp, 2, "ebp",
	  { { 1, "ctx 402170 8010, scan 401fcf 8020", "ebp=4" },
	    { 0, "ctx 402170 8010, scan 401fcf 8020", "ebp=?" } } },
	{ POLICY_LINK_REGISTER_IS_PC, &arm64_chain, 2, "",
	  { { 1, "ctx 401054 8000, fp 401058 8020", "" },
	    { 0, "ctx 401054 8000, fp 402010 8020", "" } } },
	{ POLICY_STRIP_IN_MODULES, &arm64_signed, 2, "",
	  { { 1, "ctx 401054 8000, fp ab000000600010 8020", "" },
	    { 0, "ctx 401054 8000, fp 600010 8020", "" } } },
	{ POLICY_STALE_REGISTERS, &arm64_page, 2, "",
	  { { 1, "ctx 401054 8000", "" }, { 0, "ctx 401054 8000, fp 600010 8020", "" } } },
	{ POLICY_CALLEE_SAVED_WINDOWS, &windows_saved, 2, "rsi rdi",
	  { { 0, BY_CFI, "rsi=? rdi=?" }, { 1, BY_CFI, "rsi=51 rdi=d1" } } },
	{ POLICY_END_OF_STACK, &outermost, 3, "",
	  { { 1, BY_CFI, "" }, { 0, BY_CFI ", scan 402175 8010", "" } } },
	{ POLICY_CALL_BAD_POINTER, &null_call, 2, "",
	  { { 1, "ctx 0 8008, call 402175 8010", "" },
	    { 0, "ctx 0 8008, scan 402175 8010", "" } } },
	{ POLICY_LINK_REGISTER_LEAF, &arm64_leaf, 2, "",
	  { { 1, "ctx 401054 8000, lr 402010 8000", "" }, { 0, "ctx 401054 8000", "" } } },
	{ POLICY_REALIGNED_FRAMES, &realigned, 2, "ebp",
	  { { 1, CTX ", algn 401fd0 8034", "ebp=8060" },
	    { 0, CTX ", fp 401fd0 8018", "ebp=8060" } } },
	{ POLICY_RETURN_ALIGNMENT, &misaligned, 2, "",
	  { { 1, CTX ", scan 402185 8020", "" }, { 0, CTX ", scan 402175 8018", "" } } },
	{ POLICY_SCAN_LINKER, &left_by_linker, 2, "",
	  { { 0, CTX ", scan 402185 8020", "" }, { 1, CTX ", scan 601235 8010", "" } } },
	{ POLICY_SCAN_CONTEXT, &unwinder_copy, 2, "",
	  { { 0, CTX ", scan 402185 8050", "" }, { 1, CTX ", scan 402185 8010", "" } } },
	{ POLICY_SCAN_PROVEN, &proven, 2, "",
	  { { 6, "ctx 700070 8000, scan 400216 8030", "" },
	    { 5, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_PROVEN, &proven_far, 2, "",
	  { { 512, "ctx 700070 8000, scan 400216 8530", "" },
	    { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_PROVEN, &not_proven, 2, "",
	  { { 512, "ctx 700070 8000, scan 700321 8020", "" },
	    { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_PROVEN, &proven_linux, 2, "",
	  { { 512, "ctx 700070 8000, scan 700321 8020", "" },
	    { 0, "ctx 700070 8000, scan 700321 8020", "" } } },
	{ POLICY_SCAN_SAME_CALL, &same_call, 3, "",
	  { { 0, "ctx 701070 8000, scan 402175 8010, scan 402185 8040", "" },
	    { 1, "ctx 701070 8000, scan 402175 8010, scan 402175 8020", "" } } },
	{ POLICY_FUNCTION_ALIGNMENT, &function_pointer, 2, "",
	  { { 16, CTX ", scan 402175 8020", "" }, { 0, CTX ", scan 402180 8010", "" } } },
	{ POLICY_CALL_INSTRUCTION, &known_code, 2, "",
	  { { 1, CTX ", scan 402185 8020", "" }, { 0, CTX ", scan 402175 8010", "" } } },
	{ POLICY_CHAIN_OVER_CALLS, &far_chain, 2, "",
	  { { 1, CTX ", fp 402185 8030", "" }, { 0, CTX ", scan 402175 8010", "" } } },
	{ POLICY_STACK_BOTTOM, &arguments, 2, "",
	  { { 1, CTX, "" }, { 0, CTX ", scan 402175 80a0", "" } } },
	{ POLICY_SYSTEM_CALL_STUB, &system_call, 2, "ebp",
	  { { 1, "ctx 500010 8000, sys 402175 8010", "ebp=8050" },
	    { 0, "ctx 500010 8000, scan 402175 8010", "ebp=?" } } },
	{ POLICY_SCAN_STRIPPED, &stripped, 2, "",
	  { { 1, CTX ", scan 402175 8010", "" }, { 0, CTX, "" } } },
	{ POLICY_XSTATE_UNREAD, &extended, 2, "", { { 1, "", "" }, { 0, CTX, "" } } },
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
		[POLICY_WIN_NUMBERS] = true,
		[POLICY_LEAF_RETURN] = true,
		[POLICY_WINDOWS_FRAME_OFFSETS] = true, [POLICY_SCAN_LONG_BEHIND_CFI] = true,
		[POLICY_SCAN_LIMIT] = true, [POLICY_IOS_FRAME_POINTER] = true,
		[POLICY_STACK_POINTER_STAYS] = true, [POLICY_LINK_REGISTER_OF_RECORD] = true,
		[POLICY_SCAN_TOP_DROPS_FRAME] = true,
		/* tests/unit/walk/t-start.c */
		[POLICY_NATIVE_CONTEXT] = true, [POLICY_STACK_BY_DESCRIPTOR] = true,
		/*
		 * tests/unit/locate/t-symbol-store.c,
		 * tests/batch/{sframe,frame-table,code,file-names}.t
		 */
		[POLICY_SYMBOLS_BY_CODE_FILE] = true, [POLICY_SFRAME] = true,
		[POLICY_FRAME_TABLES] = true, [POLICY_FILE_NAMES] = true, [POLICY_CODE] = true,
		[POLICY_CODE_WINS] = true,
		[POLICY_SYMBOLS_ANY_LAYOUT] = true,
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
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
				 "%s ", policy_table[row].name);
	is_str(missing, "", "every row of the policy is tested");
}

TEST(columns)
{
	enum policy_column column;
	enum policy_row row;

	ok(policy_column_named("rust-minidump", &column) && column == POLICY_RUST_MINIDUMP,
	   "columns have names");
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
	{ "stack-bottom=1", true, POLICY_STACK_BOTTOM, 1, "yes" },
	{ "stack-bottom no", true, POLICY_STACK_BOTTOM, 0, "no" },
	{ "stack-bottom=yes", true, POLICY_STACK_BOTTOM, 1, "yes" },
	{ "stack-bottom=2", false, 0, 0, NULL },
	{ "stack-bottom=", false, 0, 0, NULL },
	{ "stack-bottom=1x", false, 0, 0, NULL },
	{ "symbol-error-limit=2", true, POLICY_SYMBOL_ERROR_LIMIT, 2, "2" },
	{ "symbol-error-limit=0", true, POLICY_SYMBOL_ERROR_LIMIT, 0, "0" },
	{ "symbol-error-limit=3", false, 0, 0, NULL },
	{ "symbol-error-limit=yes", false, 0, 0, NULL },
	{ "ios-frame-pointer=11", true, POLICY_IOS_FRAME_POINTER, 11, "11" },
	{ "ios-frame-pointer=9", false, 0, 0, NULL },
	{ "scan-words=2147483647", true, POLICY_SCAN_WORDS, INT32_MAX, "2147483647" },
	{ "scan-words=2147483648", false, 0, 0, NULL },
	{ "scan-limit=1", true, POLICY_SCAN_LIMIT, 1, "1" },
	{ "scan-words=-1", false, 0, 0, NULL },
	{ "scan-words=-18446744073709551615", false, 0, 0, NULL },
	{ "scan-words=no", false, 0, 0, NULL },
	{ "scan=1", false, 0, 0, NULL },
};

TEST_EACH(values, cases)
{
	enum policy_row row = POLICY_COUNT;
	uint32_t value = 0;
	const bool good = policy_parse(cases[i].text, &row, &value) == NULL;

	ok(good == cases[i].good &&
		   (!good || (row == cases[i].row && value == cases[i].value &&
			      strcmp(policy_say(row, value).text, cases[i].words) == 0)),
	   "'%s' is %s", cases[i].text, cases[i].good ? "a value" : "refused");
}
