/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the policy for rust-minidump's column: the same crash, walked with two values of the row, has different frames. */
#include "tests/unit/walk/scene.h"

/* A call leaves its return address 8 bytes above a multiple of 16. */
#define CTX_AMD64 "ctx 402170 8008"
#define CTX_X86 "ctx 401010 8000"
#define WIN(memory_, record)								\
	{ ARCH_X86, CRASH_OS_WINDOWS, .registers = "eip=401010 esp=8000 ebx=7", .stack = 0x8000, .memory = memory_, \
		.modules = { { 0x400000, 0x4000, "app", "FUNC 1000 20 0 f\nFUNC 1040 20 0 g\n" record } } }

/* rust-minidump's tests of arm64: rules at a function's start, and rules of a whole function. */
#define ARM64_CHAIN(memory_, symbols)							\
	{ ARCH_ARM64, CRASH_OS_LINUX, .registers = "pc=401010 sp=8000 x29=8100 x30=1fe0fe10", .stack = 0x8000, \
		.memory = memory_, .modules = { { 0x400000, 0x5000, "app", \
			       "FUNC 1000 100 10 callee\nFUNC 2000 100 10 caller\n" symbols } } }

static const struct flip flips[] = {
	{ POLICY_RETURN_SEARCH, 2, "", WIN("8000=5 8004=401055", "STACK WIN 0 1000 20 0 0 0 0 0 0 0 0\n"),
	  { { 1, CTX_X86 ", cfi 401055 8008", "" }, { 0, CTX_X86 ", cfi~ 401055 8008", "" } } },
	{ POLICY_WIN_RESCANS, 2, "", WIN("8000=70000000 8014=401055", "STACK WIN 4 1000 20 0 0 0 0 "
	  "0 0 1 $eip $esp ^ = $esp $esp 4 + =\n"), { { 1, CTX_X86 ", cfi~ 401055 8018", "" }, { 0, CTX_X86 ", cfi 70000000 8004", "" } } },
	{ POLICY_WIN_REPAIRS_EBP, 2, "ebp",
	  WIN("8004=401055 8008=8010", "STACK WIN 4 1000 20 0 0 0 8 0 0 1 $T0 $esp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =\n"),
	  { { 1, CTX_X86 ", cfi 401055 8008", "ebp=8010" }, { 0, CTX_X86 ", cfi 401055 8008", "ebp=0" } } },
	{ POLICY_WIN_KEEPS_SAVED, 2, "ebx", WIN("8000=401055", "STACK WIN 4 1000 20 0 0 0 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n"),
	  { { 1, CTX_X86 ", cfi 401055 8004", "ebx=7" }, { 0, CTX_X86 ", cfi 401055 8004", "ebx=?" } } },
	{ POLICY_WIN_NUMBERS, 2, "ebx esi edi", WIN("8000=b 8004=e 8008=401055",
	  "STACK WIN 4 1000 20 0 0 0 8 0 0 1 $T0 $esp 8 + = $eip $T0 ^ = $esp $T0 4 + = $20 $T0 8 - ^ = $23 $T0 4 - ^ = $24 $20 =\n"),
	  { { 1, CTX_X86 ", cfi 401055 800c", "ebx=b esi=e edi=b" }, { 0, CTX_X86 ", cfi 401055 800c", "ebx=? esi=? edi=?" } } },
	{ POLICY_LEAF_RETURN, 2, "", BARE(AMD64, WINDOWS, "rip=402170 rsp=8008", "8008=401fcf"),
	  { { 1, CTX_AMD64 ", leaf 401fcf 8010", "" }, { 0, CTX_AMD64 ", scan 401fcf 8010", "" } } },
	{ POLICY_WINDOWS_FRAME_OFFSETS, 2, "rbp", BARE(AMD64, WINDOWS, "rip=402170 rsp=8008 rbp=8020", "8030=8060 8038=401fcf"),
	  { { 1, CTX_AMD64 ", fp 401fcf 8040", "rbp=8060" }, { 0, CTX_AMD64 ", scan 401fcf 8040", "rbp=?" } } },
	{ POLICY_SCAN_LONG_BEHIND_CFI, 3, "", SCENE(AMD64, LINUX, "rip=402170 rsp=8008",
	  "8008=401fcf 8208=402175", APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 c\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n")),
	  { { 1, CTX_AMD64 ", cfi 401fcf 8010, scan 402175 8210", "" },
	    { 0, CTX_AMD64 ", cfi 401fcf 8010", "" } } },
	{ POLICY_SCAN_LIMIT, 3, "", BARE(AMD64, LINUX, "rip=402170 rsp=8008", "8018=401fcf 8028=402175"),
	  { { 1, CTX_AMD64 ", scan 401fcf 8020", "" }, { 0, CTX_AMD64 ", scan 401fcf 8020, scan 402175 8030", "" } } },
	{ POLICY_IOS_FRAME_POINTER, 2, "", SCENE(ARM, IOS,
	  "pc=401054 sp=8000 r7=8010 fp=8020", "8010=8030 8014=402010 8020=8040 8024=402014", APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\n")),
	  { { 7, "ctx 401054 8000, fp 402010 8018", "" }, { 11, "ctx 401054 8000, fp 402014 8028", "" } } },
	{ POLICY_LINK_REGISTER_OF_RECORD, 3, "x30", ARM64_CHAIN("8100=8200 8108=402004 8200=0 8208=403104", "FUNC 3000 200 10 outer\n"
	  "STACK CFI INIT 2000 100 .cfa: sp 0 + .ra: x30\n"),
	  { { 1, "ctx 401010 8000, fp 402004 8110, cfi 403104 8110", "x30=403104" },
	    { 0, "ctx 401010 8000, fp 402004 8110, fp 403104 8210", "x30=?" } } },
	{ POLICY_LINK_REGISTER_OF_RECORD, 3, "x30", ARM64_CHAIN("8100=8200 8108=402044 8200=8300 8208=403044 8300=0 8308=0",
	  "FUNC 3000 100 10 outer\nSTACK CFI INIT 2000 100 .cfa: sp .ra: x30\n"),
	  { { 1, "ctx 401010 8000, fp 402044 8110, fp 403044 8210", "x30=403044" },
	    { 0, "ctx 401010 8000, fp 402044 8110, fp 403044 8210", "x30=?" } } },
	{ POLICY_SCAN_TOP_DROPS_FRAME, 2, "rbp", BARE(AMD64, LINUX, "rip=402170 rsp=8008 rbp=8020", "8008=401fcf"),
	  { { 1, CTX_AMD64 ", scan 401fcf 8010", "rbp=?" }, { 0, CTX_AMD64 ", scan 401fcf 8010", "rbp=8020" } } },
	{ POLICY_STACK_POINTER_STAYS, 2, "", SCENE(AMD64, LINUX, "rip=402170 rsp=8008",
	  "8008=401fcf", APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 c\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp .ra: .cfa ^\n")),
	  { { 1, CTX_AMD64 ", cfi 401fcf 8008", "" }, { 0, CTX_AMD64, "" } } },
	{ POLICY_SYMBOL_ERROR_LIMIT, 2, "", SCENE(AMD64, LINUX, "rip=402170 rsp=8008",
	  "8008=401fcf", APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 c\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^")),
	  { { 0, CTX_AMD64 ", cfi 401fcf 8010", "" }, { 2, CTX_AMD64 ", scan 401fcf 8010", "" } } },
	{ POLICY_SYMBOL_ERROR_LIMIT, 2, "", SCENE(AMD64, LINUX, "rip=402170 rsp=8008",
	  "8008=401fcf", APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 c\nFUNC bad\n"
	  "STACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n")),
	  { { 0, CTX_AMD64 ", cfi 401fcf 8010", "" }, { 2, CTX_AMD64 ", scan 401fcf 8010", "" } } },
};

TEST_EACH(flip, flips)
{
	scene_flip(&flips[i]);
}
