/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/* The default walk does more than Breakpad's: it reports where a stack ends, and it crosses calls
 * through bad pointers, interrupted leaf functions, and frames that align themselves. */

#define INIT "FUNC 2170 8 0 c\nSTACK CFI INIT 2170 8 "

static void
add_guard_page(struct synth *synth)
{
	synth_memory_info(synth, 0x7000, 0x1000, 0x1000, 0x104, 0x20000);
}

static void
add_maps(struct synth *synth)
{
	synth_memory_info(synth, 0x8000, 0x9000, 0x1000, 4, 0x20000);
	synth_memory_info(synth, 0x400000, 0x4000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x900000, 0x1000, 0x1000, 4, 0x20000);
	synth_memory_info(synth, 0x910000, 0x1000, 0x1000, 0x40, 0x20000);
}

static const struct ending {
	const char *title;
	struct scene scene;
	const char *frames, *words;	/* words of the reason of the end */
} endings[] = {
	{ "a return address of 0", STOPPED_IN("", APP(INIT ".cfa: $rsp 8 + .ra: 0\n")), CTX, "return address 0: bottom of the stack" },
	{ "a return address in the first page",
	  STOPPED_IN("", APP(INIT ".cfa: $rsp 8 + .ra: 4095\n")), CTX, "return address 0xfff is not code: the stack ends or is damaged" },
	{ "a stack pointer that does not go up",
	  STOPPED_IN("", APP(INIT ".cfa: $rsp -8 + .ra: 4198400\n")), CTX, "the stack pointer would not go up (0x8000 to 0x7ff8)" },
	{ "a caller on the stack itself",
	  STOPPED_IN("8000=8100", APP(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n")), CTX, "return address 0x8100 is in the stack, not code" },
	{ "a return address that is text", STOPPED_IN("8000=6867666564636261", APP(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"),
	  .more = add_maps), CTX, "return address 0x6867666564636261 is the text \"abcdefgh\", not code: the stack is damaged" },
	{ "a return address in data", STOPPED_IN("8000=900010", APP(INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"), .more = add_maps),
	  CTX, "return address 0x900010 is in memory that is not executable" },
	{ "the first function of a process", STOPPED_IN("8000=401fcf 8008=402175",
	  APP("FUNC 1fc0 20 0 _start\n" INIT ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n")),
	  CTX ", cfi 401fcf 8008", "'_start' is the outermost function of a thread" },
	{ "the first function of a Windows thread", SCENE(X86, WINDOWS, "eip=402170 esp=8000", "8000=401fcf 8004=402175",
	  APP("PUBLIC 1fc0 0 RtlUserThreadStart\nFUNC 2170 8 0 c\n")), CTX ", scan 401fcf 8004", "'RtlUserThreadStart' is the outermost" },
	{ "the function that the first one of a thread of 32-bit Windows calls",
	  SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008", "8008=8018 800c=401f4f 8018=8028 801c=401fcf 8028=0 802c=0",
	  APP("FUNC 1f00 60 0 __RtlUserThreadStart\nFUNC 1f80 60 0 _RtlUserThreadStart\nFUNC 2170 8 0 c\n")),
	  CTX ", fp 401f4f 8010, fp 401fcf 8020", "'_RtlUserThreadStart' is the outermost" },
	{ "a stack that is not in the dump", { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=8000", .modules = APP(NULL) },
	  CTX, "the dump has no stack memory for this thread" },
	{ "a stack pointer in a guard page", { ARCH_AMD64,
	  CRASH_OS_LINUX, .registers = "rip=402170 rsp=7ff8", .modules = APP(NULL), .more = add_guard_page }, "ctx 402170 7ff8",
	  "stack overflow, and the dump has no stack memory for this thread: stack pointer 0x7ff8 is in a guard page" },
	{ "a stack pointer on another stack", BARE(AMD64, LINUX, "rip=402170 rsp=7ffff000", ""),
	  "ctx 402170 7ffff000", "is not in the stack memory that the dump has (0x8000 to 0x8fff)" },
	{ "a stack that the writer cut", STOPPED_IN("", APP(INIT ".cfa: $rsp 8192 + .ra: .cfa -8 + ^\n"), .more = add_maps),
	  CTX, "4 KiB of the stack are in the dump, up to 0x9000; the caller's frame is at 0x9ff8" },
	{ "a stack that was cut after a return address", STOPPED_IN("8000=401fcf",
	  APP(INIT ".cfa: $rsp 8192 + .ra: $rsp ^\n"), .more = add_maps), CTX ", cfi 401fcf a000", "; the caller's frame is at 0xa000" },
	{ "a scan of a stack that was cut", SCENE(AMD64, LINUX, "rip=402170 rsp=8ff0", "", APP(NULL), .more = add_maps), "ctx 402170 8ff0",
	  "no return address in the last 16 bytes of the stack, up to 0x9000; 4 KiB of the stack are in the dump, it continues at 0x9000" },
	{ "nothing that looks like a caller", STOPPED(""), CTX, "no return address in the next 1288 bytes, the range of a scan" },
	{ "frame pointer 0 of arm64", BARE(ARM64, LINUX, "pc=402170 sp=8000 x29=8010",
	  "8018=401010"), CTX ", fp 401010 8020", "frame pointer 0: bottom of the stack" },
	{ "the record of a Windows thread's first function", SCENE(X86,
	  WINDOWS, "eip=402170 esp=8000 ebp=8010", "8010=8030 8014=501015 8018=402175 803c=402185", { { 0x400000, 0x4000, "app", NULL },
	  { 0x500000, 0x4000, "C:\\Windows\\NTDLL.dll", NULL } }), CTX ", fp 501015 8018", "return address 0: bottom of the stack" },
	{ "an unknown processor", BARE(UNKNOWN, LINUX, "", ""), "", "CPU 0xffff: its stacks cannot be walked" },
};

TEST_EACH(endings, endings)
{
	struct staged staged;

	scene_play(&staged, &endings[i].scene, POLICY_UNSPOOL);
	is_str(staged.frames, endings[i].frames, "%s ends the walk", endings[i].title);
	ok(strstr(staged.walk->end.text, endings[i].words) != NULL, "the end of the walk has '%s'", endings[i].words);
	if (strstr(staged.walk->end.text, endings[i].words) == NULL)
		tap_diag("it says '%s'", staged.walk->end.text);
	ok(staged.walk->complete, "the ended walk is complete");
	scene_close(&staged);
}

/* Windows could not fetch the instruction at 0x403010: an access violation of kind 8. */
static void
add_refused_fetch(struct synth *synth)
{
	synth_exception(synth, 1, 0xc0000005, 0, 0x403010);
	synth_parameter(synth, 8);
	synth_parameter(synth, 0x403010);
}

/* In `from` a call has just jumped to an address that is not code. */
static const struct bad_call {
	const char *title;
	struct scene scene;
	const char *frames, *names, *registers;
} bad_calls[] = {
	{ "a null call on x86", BARE(X86, LINUX, "eip=0 esp=8000 ebp=8010 eax=a ecx=c", "8000=402175 8010=8020 8014=401fd0"),
	  "ctx 0 8000, call 402175 8004", "ebp eax ecx", "ebp=8010 eax=a ecx=c" },
	{ "a null call on amd64", BARE(AMD64, LINUX, "rip=0 rsp=8000 rbp=8010 rax=a r11=b", "8000=402175 8010=8020 8018=401fd0"),
	  "ctx 0 8000, call 402175 8008", "rbp rax r11", "rbp=8010 rax=a r11=b" },
	{ "a wild call on amd64", SCENE(AMD64, LINUX, "rip=900010 rsp=8000", "8000=402175",
	  APP(NULL), .more = add_maps), "ctx 900010 8000, call 402175 8008", "rax", "rax=0" },
	{ "a null call by generated code", SCENE(AMD64, LINUX, "rip=0 rsp=8000 rbp=8020 rax=a",
	  "8000=910010 8020=8040 8028=402175", APP(NULL), .more = add_maps), "ctx 0 8000, call 910010 8008", "rax", "rax=a" },
	{ "a call into a module's data on x86", SCENE(X86, WINDOWS, "eip=403010 esp=8000 ebp=8010", "8000=402175 8010=8020 8014=401fd0",
	  APP(NULL), .more = add_refused_fetch), "ctx 403010 8000, call 402175 8004", "ebp", "ebp=8010" },
	{ "a call into a module's data on amd64", SCENE(AMD64, WINDOWS, "rip=403010 rsp=8000 rbp=8010",
	  "8000=402175", APP(NULL), .more = add_refused_fetch), "ctx 403010 8000, call 402175 8008", "rbp", "rbp=8010" },
	{ "a null call on arm", BARE(ARM, LINUX, "pc=0 sp=8000 lr=402177 r0=a r7=7", ""),
	  "ctx 0 8000, call 402177 8000", "r0 r7", "r0=a r7=7" },
	{ "a null call on arm64", BARE(ARM64, LINUX, "pc=0 sp=8000 x30=402178 x0=a x29=8010",
	  "8010=0 8018=401fd0"), "ctx 0 8000, call 402178 8000", "x0 x29", "x0=a x29=8010" },
	{ "a call through a signed pointer's stripped return address", BARE(ARM64,
	  LINUX, "pc=0 sp=8000 x30=7f000000402178 x29=8010", "8010=0 8018=401fd0"), "ctx 0 8000, call 402178 8000", "x29", "x29=8010" },
};

TEST_EACH(bad_calls, bad_calls)
{
	char registers[128];
	struct staged staged;

	scene_play_limited(&staged, &bad_calls[i].scene, POLICY_UNSPOOL, 2);
	is_str(staged.frames, bad_calls[i].frames, "%s leads to its caller", bad_calls[i].title);
	is_str(scene_registers(&staged, 1, bad_calls[i].names, registers, sizeof(registers)),
	       bad_calls[i].registers, "%s changed no register", bad_calls[i].title);
	scene_close(&staged);
}

/* A program of data/crashes whose frame table is read, loaded at the address of the scene. */
static void
add_parcel(struct synth *synth)
{
	synth_module(synth, 0x555555554000, 0x5000, "parcel", "parcel", "56C3B53CDDC62F1A1211E753916F2FBB0");
}

/* A library without rules was called by sort_and_weigh of parcel, at 123a after its call of weigh;
 * the row of sort_and_weigh counts from rbp. The scan keeps the library's value of rbp. */
static const struct {
	const char *title, *registers, *memory, *frames, *said;
} kept_frame_pointer_rows[] = {
	{ "a frame pointer that a scan kept serves a row of a frame table",
	  "rip=500010 rsp=8000 rbp=8040", "8008=55555555523a 8018=555555555240 8040=0 8048=55555555523a",
	  "ctx 500010 8000, scan 55555555523a 8010, tab 55555555523a 8050", "frame table" },
	{ "a frame pointer that is any number leads to no row of a frame table", "rip=500010 rsp=8000 rbp=8043",
	  "8008=55555555523a 8018=55555555523a 8040=0 8048=aaaaaaaabbbb", "ctx 500010 8000, scan 55555555523a 8010, scan 55555555523a 8020",
	  "is not a return address: after a frame that a scan found, registers may be wrong" },
	{ "a row may lead anywhere in code if the registers are those of the dump",
	  "rip=55555555523a rsp=8000 rbp=8040", "8040=0 8048=55555555522b", "ctx 55555555523a 8000, tab 55555555522b 8050", "" },
};

TEST_EACH(kept_frame_pointer, kept_frame_pointer_rows)
{
	const struct scene scene = SCENE(AMD64, LINUX, kept_frame_pointer_rows[i].registers,
		      kept_frame_pointer_rows[i].memory, { { 0x500000, 0x1000, "lib", NULL } },
		      .more = add_parcel, .binaries = "data/crashes/sframe-amd64/binaries");
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	policy.value[POLICY_SFRAME] = 0;
	scene_open(&staged, &scene);
	scene_walk_limited(&staged, &policy, 3);
	is_str(staged.frames, kept_frame_pointer_rows[i].frames, "%s", kept_frame_pointer_rows[i].title);
	scene_says(&staged, 1, kept_frame_pointer_rows[i].said);
	scene_close(&staged);
}

/* An interrupted function of arm64 whose link register may or may not have its return address. */
static const struct {
	const char *title, *registers, *frame;
} links[] = {
	{ "a link register into another function is the caller", "x30=402010", "lr 402010 8000" },
	{ "a link register into the same function is left over from a call", "x30=401058", "fp 403010 8020" },
	{ "a link register that points outside all modules is not used", "x30=12345678", "fp 403010 8020" },
	{ "a link register at the first byte of a function is a pointer", "x30=402000", "fp 403010 8020" },
};

TEST_EACH(link_register, links)
{
	struct scene scene = {
		ARCH_ARM64, CRASH_OS_LINUX, .stack = 0x8000, .memory = "8010=8030 8018=403010",
		.modules = APP("FUNC 1040 40 0 f\nFUNC 2000 40 0 g\nFUNC 3000 40 0 h\n"),
	};
	char registers[128], want[128];
	struct staged staged;

	snprintf(registers, sizeof(registers), "pc=401054 sp=8000 x29=8010 x19=19 %s", links[i].registers);
	scene.registers = registers;
	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, 2);
	snprintf(want, sizeof(want), "ctx 401054 8000, %s", links[i].frame);
	is_str(staged.frames, want, "%s", links[i].title);
	scene_close(&staged);
}

/* A record that cannot describe the CFA of an aligned frame (t-policy.c has the frame). */
TEST(realigned)
{
	static const struct scene scene = SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8010", "8004=402175 800c=8034 8010=8060 "
		      "8014=401fd0 8030=401fd0 8060=0", APP("FUNC 1fc0 20 0 libc\n" INIT
		      ".cfa: $esp 4 + .ra: .cfa -4 + ^ $ebp: .cfa 8 + ^\n"), .more = add_maps);

	scene_is(&scene, POLICY_UNSPOOL, 2, CTX ", algn 401fd0 8034",
		 "the copy of the return address is used if a record's caller is at 0");

	struct scene wrong = scene;
	wrong.memory = "8000=8100 8004=402175 800c=8034 8010=8060 8014=401fd0 8030=401fd0";
	scene_is(&wrong, POLICY_UNSPOOL, 2, CTX ", algn 401fd0 8034",
		 "the copy of the return address is used if a record's caller is no code");

	wrong.memory = "8000=8100 8004=402175 8010=0";
	scene_is(&wrong, POLICY_UNSPOOL, 0, CTX, "nothing is guessed by scanning if such a record has no copy");
}

/* Two records of exception handlers, linked as on 32-bit Windows, below a return address. */
#define HANDLERS "8004=8010 8008=402175 8010=ffffffff 8014=402185 8020=4021a5"
/* The auxiliary vector, with an entry point at 401010 (Linux, uapi/linux/auxvec.h). */
#define VECTOR " 8200=1 8208=8300 8220=6 8228=1000 8230=4 8238=38 8240=9 8248=401010"
/* Words left over from the C library, the dynamic linker, and the C library again. */
#define LINKER_LEFT "8008=701235 8018=601245 8028=701255"
/* An epilogue of arm64, in records of dump_syms. */
#define RESTORED "FUNC 2170 10 0 c\nSTACK CFI INIT 2170 10 .cfa: sp 16 + .ra: .cfa -8 + ^\n" \
		 "STACK CFI 2174 .cfa: sp 0 + .ra: .ra x29: x29\n"
#define LINKED { { 0x400000, 0x4000, "app", NULL }, { 0x600000, 0x4000, "ld-2.31.so", NULL }, \
		 { 0x700000, 0x4000, "libc.so.6", NULL } }

/* Code at 402000: push %rbp, and at 4021f0 a call of it. */
static void
add_code(struct synth *synth)
{
	uint8_t code[0x200] = { 0x55, [0x1f0] = 0xe8, 0x0b, 0xfe, 0xff, 0xff };

	synth_memory(synth, 0x402000, code, sizeof(code), false);
}

/* A stub, jmp *0(%rip), at 402000. */
static void
add_stub(struct synth *synth)
{
	uint8_t code[0x200] = { 0xff, 0x25, [0x1f0] = 0xe8, 0x0b, 0xfe, 0xff, 0xff };

	synth_memory(synth, 0x402000, code, sizeof(code), false);
}

#define RULED "FUNC 1fc0 20 0 b\nFUNC 2170 20 0 c\nSTACK CFI INIT 2170 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
#define UNWINDER { { 0x400000, 0x4000, "app", NULL }, { 0x600000, 0x4000, "libgcc_s.so.1", NULL } }

static const struct {
	const char *title;
	struct scene scene;
	const char *frames;
} scans[] = {
	{ "the frame at a return address has one size", STOPPED_IN("8008=402175 8028=402175 8038=701235 8048=402175 8058=402185", LINKED),
	  CTX ", scan 402175 8010, scan 402175 8030, scan 402175 8050, scan 402185 8060" },
	{ "a return address that a context of the unwinder repeats is found where it was pushed", SCENE(AMD64, LINUX, "rip=601010 rsp=8000",
	  "8008=402185 8018=601245 8040=8070 8048=402195 8068=402195", UNWINDER), "ctx 601010 8000, scan 601245 8020, scan 402195 8070" },
	{ "the program may have called the unwinder if no such context exists", SCENE(AMD64, LINUX, "rip=601010 rsp=8000",
	  "8008=402185 8018=601245 8068=402195", UNWINDER), "ctx 601010 8000, scan 402185 8010, scan 601245 8020, scan 402195 8070" },
	{ "the rules of a caller's function must lead to code", SCENE(AMD64, LINUX, "rip=701070 rsp=8000",
	  "8008=402175 8018=8100 8028=402175 8038=401fd5", { { 0x400000, 0x4000, "app", RULED }, { 0x700000, 0x4000, "libc", NULL } }),
	  "ctx 701070 8000, scan 402175 8030, cfi 401fd5 8040" },
	{ "words of a library do not hide a call of the callee", SCENE(AMD64,
	  LINUX, "rip=402010 rsp=8000", "8008=701235 8018=4021f5", LINKED, .more = add_code), "ctx 402010 8000, scan 4021f5 8020" },
	{ "a call of a stub may have led to the library", SCENE(AMD64, LINUX, "rip=402010 rsp=8000",
	  "8008=701235 8018=4021f5", LINKED, .more = add_stub), "ctx 402010 8000, scan 701235 8010, scan 4021f5 8020" },
	{ "a pointer that arm keeps in a register is no return address", SCENE(ARM, LINUX, "pc=402170 sp=8000 r8=402201 cpsr=30",
	  "8004=402175 800c=402201 8014=402185", LINKED), CTX ", scan 402175 8008, scan 402185 8018" },
	{ "eight frame pointers of a module vouch for the next one", SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8010",
	  "8010=8020 8018=402175 8020=8030 8028=402175 8030=8040 8038=402175 8040=8050 8048=402175 8050=8060 8058=402175 "
	  "8060=8070 8068=402175 8070=8080 8078=402175 8080=80c0 8088=402175 80a8=402195 80c0=8200 80c8=4021a5", LINKED),
	  CTX ", fp 402175 8020, fp 402175 8030, fp 402175 8040, fp 402175 8050, "
	  "fp 402175 8060, fp 402175 8070, fp 402175 8080, fp 402175 8090, fp 4021a5 80d0" },
	{ "exception handlers of 32-bit Windows are no return addresses",
	  BARE(X86, WINDOWS, "eip=402170 esp=8000", HANDLERS), CTX ", scan 4021a5 8024" },
	{ "a word above ffffffff may be one, where no record leads there", BARE(X86,
	  WINDOWS, "eip=402170 esp=8000", "8010=ffffffff 8014=402185"), CTX ", scan 402185 8018" },
	{ "a chain of saved ebp is no list of handlers", BARE(X86, WINDOWS, "eip=402170 esp=8000",
	  "8004=8010 8008=402175 8014=402185"), CTX ", scan 402175 800c, fp 402185 8018" },
	{ "other systems have no such handlers", BARE(X86, SOLARIS, "eip=402170 esp=8000",
	  HANDLERS), CTX ", scan 402175 800c, fp 402185 8018, scan 4021a5 8024" },
	{ "code without frame pointers that a thread's first function called is not that function",
	  SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8010", "8010=8030 8014=402185 8020=501015",
	  { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x4000, "ntdll.dll", NULL } }), CTX ", fp 402185 8018, scan 501015 8024" },
	{ "the dynamic linker has not called the C library above the program",
	  STOPPED_IN(LINKER_LEFT " 81f8=401025" VECTOR, LINKED), CTX ", scan 701235 8010, scan 701255 8030, scan 401025 8200" },
	{ "one call leads to itself and into a library only in a recursion, at one distance",
	  SCENE(AMD64, LINUX, "rip=701070 rsp=8000", "8008=402175 8018=402175 8028=402175 8038=402185", LINKED),
	  "ctx 701070 8000, scan 402175 8010, scan 402175 8020, scan 402175 8030, scan 402185 8040" },
	{ "what an epilogue calls .ra: .ra is in the link register",
	  SCENE(ARM64, LINUX, "pc=402174 sp=8000 x29=8100 x30=401fd4", "", APP(RESTORED)), "ctx 402174 8000, cfi 401fd4 8000" },
	{ "the link register is not used above a call, which has changed it", SCENE(ARM64, LINUX, "pc=401010 sp=8000 x29=8000 x30=0",
	  "8000=8020 8008=402178 8028=401fd4", APP(RESTORED)), "ctx 401010 8000, fp 402178 8010, fp 401fd4 8030" },
	{ "the linker has called no library if the entry point is unknown",
	  STOPPED_IN(LINKER_LEFT, LINKED), CTX ", scan 701235 8010, scan 701255 8030" },
	{ "the linker may have called a library before the program's first code has run",
	  STOPPED_IN(LINKER_LEFT VECTOR, LINKED), CTX ", scan 701235 8010, scan 601245 8020, scan 701255 8030" },
	{ "a library that the program has not called may be the linker's", SCENE(AMD64, LINUX, "rip=701070 rsp=8000", LINKER_LEFT, LINKED),
	  "ctx 701070 8000, scan 701235 8010, scan 601245 8020, scan 701255 8030" },
};

TEST_EACH(scans, scans)
{
	scene_is(&scans[i].scene, POLICY_UNSPOOL, 0, scans[i].frames, scans[i].title);
}

/* A cpsr of 0 does not say whether the thread was stopped in Thumb code (Arm ARM, B1.3). */
TEST(thumb)
{
#define LINES(rows) "FILE 1 f.c\nFUNC 2170 10 0 f\n" rows
	static const struct {
		const char *title, *registers, *records;
		bool thumb;
	} cases[] = {
		{ "cpsr says so", "pc=402170 lr=402184 cpsr=30", NULL, true },
		{ "cpsr says no", "pc=402170 lr=402185 cpsr=10", NULL, false },
		{ "no other instruction begins there", "pc=402172 lr=402184", NULL, true },
		{ "Thumb code has called it", "pc=402170 lr=402185", NULL, true },
		{ "other code has called it", "pc=402170 lr=402184", NULL, false },
		{ "a line of the function begins where only Thumb code can",
		  "pc=402170 lr=402184", LINES("2170 2 1 1\n2172 e 2 1\n"), true },
		{ "no line begins in it", "pc=402170 lr=402184", LINES("2170 8 1 1\n2178 8 2 1\n"), false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct scene scene = SCENE(ARM, LINUX, cases[i].registers, "", APP(cases[i].records));
		struct staged staged;

		scene_play(&staged, &scene, POLICY_UNSPOOL);
		const struct registers *registers = &staged.walk->frames[0].registers;
		ok(location_is_thumb(staged.walk, registers, registers->value[15]) == cases[i].thumb, "Thumb or not: %s", cases[i].title);
		scene_close(&staged);
	}
#undef LINES
}

/* A scanned frame has only the registers that a scan can find. */
TEST(honest_scan)
{
	static const struct scene scene = BARE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=3 rbx=11", "8008=401fcf");
	struct staged staged;
	char registers[64];

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	is_str(scene_registers(&staged, 1, "rbx rbp rax", registers, sizeof(registers)),
	       "rbx=? rbp=? rax=?", "a scan gives pc and sp and guesses nothing");
	is_u64(staged.walk->frames[1].registers.stale, 0, "a scan keeps no residue of registers");
	scene_close(&staged);
}

/* The caller of a frame is looked up one step before its pc, unless a signal interrupted it. */
static const struct {
	enum arch_id arch;
	const char *registers, *memory;
	uint64_t lookup;
} lookup_cases[] = {
	{ ARCH_X86, "eip=402170 esp=800c", "800c=401fd5", 0x401fd4 }, { ARCH_AMD64, "rip=402170 rsp=8008", "8008=401fd5", 0x401fd4 },
	{ ARCH_ARM, "pc=402170 sp=8004", "8004=401fd1", 0x401fcf }, { ARCH_ARM64, "pc=402170 sp=8000 x29=1", "8000=401fd0", 0x401fcc },
};

TEST_EACH(lookup, lookup_cases)
{
	const struct scene scene = { lookup_cases[i].arch, CRASH_OS_LINUX, .registers = lookup_cases[i].registers, .stack = 0x8000,
				     .memory = lookup_cases[i].memory, .modules = APP(NULL) };
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	is_u64(staged.walk->frames[0].lookup, 0x402170, "frame 0 of %s is looked up exactly", arch_by_id(lookup_cases[i].arch)->name);
	is_u64(staged.walk->count > 1 ? staged.walk->frames[1].lookup : 0, lookup_cases[i].lookup,
	       "the caller is looked up inside the call");
	scene_close(&staged);
}
