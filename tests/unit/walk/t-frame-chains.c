/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits of the steps without a record: chains of frame pointers and of windows, return address copies, link registers. Each
 * case has a counterpart that differs by one word or byte and has the other result. The steps are those of the ABIs, and in
 * Breakpad's column those of its walkers (stackwalker_arm64.cc, CorrectRegLRByFramePointer). */
#include "tests/unit/walk/scene.h"

#define NTDLL { { 0x400000, 0x4000, "app.exe", NULL }, { 0x500000, 0x4000, "C:\\Windows\\ntdll.dll", NULL } }
#define THREE { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x4000, "lib", NULL }, { 0x600000, 0x4000, "other", NULL } }
#define FUNCTIONS "FUNC 1000 20 0 f\nFUNC 1100 20 0 g\nFUNC 1200 20 0 h\n"

/* f keeps a frame record, and its rules give all registers except the link register. */
#define RECORD FUNCTIONS "STACK CFI INIT 1000 20 .cfa: x29 16 + .ra: x29 8 + ^ x29: x29 ^\n"
/* The rules give f's caller the frame pointer 8038; f's frame record has another one. */
#define OTHER FUNCTIONS "STACK CFI INIT 1000 20 .cfa: x29 16 + .ra: x29 8 + ^ x29: 32824\n"
#define INLINED "INLINE_ORIGIN 0 i\n" FUNCTIONS "INLINE 0 3 0 0 1100 20\n" \
	"STACK CFI INIT 1000 20 .cfa: x29 16 + .ra: x29 8 + ^ x29: x29 ^\n"

#define FIRST(os, memory) SCENE(X86, os, "eip=402170 esp=8000 ebp=8010", memory, NTDLL)
#define BASED(memory) BARE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8040", memory)
#define SCANNED(memory) SCENE(AMD64, LINUX, "rip=501000 rsp=8000", memory, THREE)
#define CALLED(...) CALLED_WITH(__VA_ARGS__, .binaries = NULL)
#define CALLED_WITH(memory, ...) SCENE(X86, LINUX, "eip=501000 esp=8000 ebp=1", memory, THREE, __VA_ARGS__)
#define RECORDS(memory, symbols) SCENE(ARM64, LINUX, "pc=401010 sp=8000 x29=8010", memory, APP(symbols))

/* The app's code, and its data with the GOT. */
static void
add_data(struct synth *synth)
{
	synth_memory_info(synth, 0x400000, 0x3000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x403000, 0x1000, 0x1000, 4, 0x1000000);
	synth_memory_info(synth, 0x500000, 0x4000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x8000, 0x1000, 0x1000, 4, 0x20000);
}

static const struct chain {
	const char *title;
	struct scene scene;
	const char *frames;		/* "FRAMES" or "FRAMES; words about the step to the last" */
} cases[] = {
	/* x86: the first function of a thread saved ebp 0 and has return address 0. */
	{ "the frame of ntdll's first function ends a thread",
	  FIRST(WINDOWS, "8010=8030 8014=501015 8040=402185"), CTX ", fp 501015 8018" },
	{ "a frame of ntdll with another return address does not end a thread", FIRST(WINDOWS,
	  "8010=8030 8014=501015 8034=1 8040=402185"), CTX ", fp 501015 8018, scan 402185 8044" },
	{ "a return address with a highest byte other than 0 does not end a thread",
	  FIRST(WINDOWS, "8010=8030 8014=501015 8034=1000000 8040=402185"), CTX ", fp 501015 8018, fp 1000000 8038" },
	{ "a frame with another saved ebp does not end a thread", FIRST(WINDOWS,
	  "8010=8030 8014=501015 8030=1 8040=402185"), CTX ", fp 501015 8018, scan 402185 8044" },
	{ "ntdll's first frame does not end a thread of another system", FIRST(LINUX,
	  "8010=8030 8014=501015 803c=402185"), CTX ", fp 501015 8018, scan 402185 8040" },
	{ "an ebp at the stack pointer is a frame's",
	  BARE(X86, WINDOWS, "eip=402170 esp=8010 ebp=8010", "8010=8030 8014=401015"), "ctx 402170 8010, fp 401015 8018" },
	{ "an ebp below the stack pointer is not a frame's", BARE(X86, WINDOWS, "eip=402170 esp=8010 ebp=800c", "800c=8030 8010=401015"),
	  "ctx 402170 8010, scan 401015 8014; ebp points below the stack pointer" },
	{ "a saved ebp lies above", BARE(X86, WINDOWS, "eip=402170 esp=8010 ebp=8010",
	  "8010=8011 8014=401015"), "ctx 402170 8010, fp 401015 8018" },
	{ "a saved ebp at the frame itself is refused", BARE(X86, WINDOWS, "eip=402170 esp=8010 ebp=8010", "8010=8010 8014=401015"),
	  "ctx 402170 8010, scan 401015 8018; the saved ebp does not point upwards" },
	/* x86 and amd64: the copy of a realigned frame's return address. */
	{ "a realigned frame of amd64 has its CFA as the fifth word pushed",
	  BASED("8018=8090 8040=80c0 8048=402185 8088=402185"), CTX ", algn 402185 8090" },
	{ "a realigned frame of amd64 cannot have its CFA as the sixth word pushed",
	  BASED("8010=8090 8040=80c0 8048=402185 8088=402185"), CTX ", fp 402185 8050" },
	{ "aligning leaves up to 128 bytes", BASED("8038=80d0 8040=80e0 8048=402185 80c8=402185"), CTX ", algn 402185 80d0" },
	{ "aligning does not leave more than 128 bytes", BASED("8038=80d8 8040=80e0 8048=402185 80d0=402185"), CTX ", fp 402185 8050" },
	{ "aligning leaves at least a word", BASED("8038=8050 8040=80e0 8048=402185"), CTX ", fp 402185 8050" },
	{ "aligning leaves a multiple of a word", BASED("8038=8094 8040=80e0 8048=402185 808c=402185"), CTX ", fp 402185 8050" },
	/* A scan from a library without frame pointers finds the program's chain again. */
	{ "a scanned frame has the frame record where three links of its module begin", SCANNED("8008=401111 8018=401333 8040=8060 "
	  "8048=401221 8060=8080 8068=401225 8080=80a0 8088=401229"), "ctx 501000 8000, scan 401111 8010, fp? 401221 8050" },
	{ "two links of its module may be left over", SCANNED("8008=401111 8018=401333 8040=8060 "
	  "8048=401221 8060=8080 8068=401225 8080=80a0 8088=501229"), "ctx 501000 8000, scan 401111 8010, scan 401333 8020" },
	{ "a record 256 words above a scanned frame is not searched for", SCANNED("8008=401111 8018=401333 8810=8860 "
	  "8818=401221 8860=8880 8868=401225 8880=88a0 8888=401229"), "ctx 501000 8000, scan 401111 8010, scan 401333 8020" },
	/* x86: three saved registers between a leftover of the function and its caller. */
	{ "a call a little before the pc, below three saved registers, is the function's own",
	  CALLED("800c=402171 802c=402105 803c=401015"), "ctx 501000 8000, scan 402171 8010, scan 401015 8040" },
	{ "a call a little before the pc that is repeated a frame further is a recursion's",
	  CALLED("800c=402171 802c=402105 803c=401015 804c=402105"),
	  "ctx 501000 8000, scan 402171 8010, scan 402105 8030, scan 401015 8040, scan 402105 8050" },
	{ "a call after the pc is a caller's", CALLED("800c=402171 802c=402175 803c=401015"),
	  "ctx 501000 8000, scan 402171 8010, scan 402175 8030, scan 401015 8040" },
	{ "a call 512 bytes before the pc is a caller's",
	  CALLED("800c=402375 802c=402174 803c=401015"), "ctx 501000 8000, scan 402375 8010, scan 402174 8030, scan 401015 8040" },
	{ "a call a little before the pc in a larger frame is a caller's",
	  CALLED("800c=402171 802c=402105 804c=401015"), "ctx 501000 8000, scan 402171 8010, scan 402105 8030, scan 401015 8050" },
	{ "a call farther before the pc is the function's own if a pointer to the GOT follows",
	  CALLED("800c=402971 802c=402105 8030=403ff4 803c=401015", .more = add_data),
	  "ctx 501000 8000, scan 402971 8010, scan 401015 8040" },
	{ "a call farther before the pc is a caller's if a pointer to code follows",
	  CALLED("800c=402971 802c=402105 8030=402ff4 803c=401015", .more = add_data),
	  "ctx 501000 8000, scan 402971 8010, scan 402105 8030, scan 401015 8040" },
	{ "a callee that saved its pointer to the GOT was called there", CALLED("800c=402171 8028=403ff4 802c=402105 803c=401015",
	  .more = add_data), "ctx 501000 8000, scan 402171 8010, scan 402105 8030, scan 401015 8040" },
	/* arm64 by AAPCS64. */
	{ "a frame record at the stack pointer is followed",
	  SCENE(ARM64, LINUX, "pc=401010 sp=8010 x29=8010", "8010=8030 8018=401110", APP(FUNCTIONS)), "ctx 401010 8010, fp 401110 8020" },
	{ "a frame record below the stack pointer is not followed", SCENE(ARM64, LINUX, "pc=401010 sp=8018 x29=8010",
	  "8010=8030 8018=401110", APP(FUNCTIONS)), "ctx 401010 8018, scan 401110 8020; the frame pointer points below the stack pointer" },
	{ "a frame record at half a word is not followed", SCENE(ARM64, LINUX, "pc=401010 sp=8000 x29=8014", "8008=401110", APP(FUNCTIONS)),
	  "ctx 401010 8000, scan 401110 8010; the frame pointer is not aligned" },
	{ "a frame record that leads to itself is not followed", RECORDS("8010=8010 8018=401110", FUNCTIONS),
	  "ctx 401010 8000, scan 401110 8020; the saved frame pointer does not point upwards" },
	/* mips: a saved frame pointer lies less than 1024 bytes above its return address. */
	{ "mips: the last frame pointer that is near enough is followed", BARE(MIPS, LINUX,
	  "pc=402170 sp=8000", "8010=401fd0 8020=8423 8024=402010"), CTX ", scan 402008 8028" },
	{ "mips: the first frame pointer that is too far is not followed", BARE(MIPS, LINUX,
	  "pc=402170 sp=8000", "8010=401fd0 8020=8424 8024=402010"), CTX ", scan 401fc8 8014" },
	/* PowerPC: macOS leaves 1 for a return address in a thread's outermost frame. */
	{ "ppc: a return address of 1 is the bottom", BARE(PPC, LINUX, "srr0=402170 r1=8000",
	  "8000=8020 8024=401fd0 8020=8040 8044=1 8060=401fd4"), CTX ", fp 401fd0 8020" },
	{ "ppc: a chain that leads to itself is left", BARE(PPC, LINUX, "srr0=402170 r1=8000", "8000=8000 8004=401fd0 8020=401fd4"),
	  CTX ", scan 401fd0 8008; the back chain does not lead upwards" },
	{ "ppc: frames are at multiples of 8", BARE(PPC, LINUX, "srr0=402170 r1=8000", "8000=8024 8028=401fd0"),
	  CTX ", scan 401fd0 802c; the back chain does not lead to an aligned frame" },
	/* SPARC: windows are at higher addresses than the stack pointer, at multiples of 8. */
	{ "sparc: a window at the stack pointer is not followed", BARE(SPARC32, SOLARIS, "pc=402170 sp=8060 fp=8060 i7=401fd0",
	  "80a0=402010"), "ctx 402170 8060, scan 402010 80a4; fp does not lie above the stack pointer" },
	{ "sparc: a window at half of 8 bytes is not followed",
	  BARE(SPARC32, SOLARIS, "pc=402170 sp=8000 fp=8064 i7=401fd0", "80a0=402010"), CTX ", scan 402010 80a4; fp is not aligned" },
	{ "sparc: a window whose i7 is no call's is not followed", BARE(SPARC32,
	  SOLARIS, "pc=402170 sp=8000 fp=8060 i7=301fd0", "80a0=402010"), CTX ", scan 402010 80a4; i7 is not the address of a call" },
	/* Link registers: a call less than 128 bytes before the pc is in the same function. */
	{ "a call 128 bytes before the pc may be another function's: a guess",
	  BARE(ARM64, LINUX, "pc=402180 sp=8000 x29=0 x30=402100", ""), "ctx 402180 8000, lr~ 402100 8000" },
	{ "a call 1,024 bytes before the pc is another function's",
	  BARE(ARM64, LINUX, "pc=402500 sp=8000 x29=0 x30=402100", ""), "ctx 402500 8000, lr 402100 8000" },
	{ "a call that is near in another module is another function's", SCENE(ARM64, LINUX, "pc=500010 sp=8000 x29=0 x30=4fff00",
	  "", { { 0x4f0000, 0x10000, "app", NULL }, { 0x500000, 0x4000, "lib", NULL } }), "ctx 500010 8000, lr 4fff00 8000" },
	{ "any function of 32-bit ARM may have left its link register to a callee's callee",
	  SCENE(ARM, LINUX, "pc=402170 sp=8000 lr=500101 cpsr=30", "", { { 0x400000, 0x4000, "app",
	  NULL }, { 0x500000, 0x4000, "lib", NULL } }), CTX ", lr~ 500101 8000" },
	{ "a call 124 bytes before the pc is of the same function",
	  BARE(ARM64, LINUX, "pc=40217c sp=8000 x29=0 x30=402100", ""), "ctx 40217c 8000" },
	{ "the function's bounds count if there are symbols", SCENE(ARM64, LINUX,
	  "pc=401110 sp=8000 x29=0 x30=401020", "", APP("FUNC 1000 40 0 f\nFUNC 1100 20 0 g\n")), "ctx 401110 8000, lr 401020 8000" },
	{ "a call at any distance is of the same function if symbols show it",
	  SCENE(ARM64, LINUX, "pc=401210 sp=8000 x29=0 x30=401020", "", APP("FUNC 1000 300 0 f\n")), "ctx 401210 8000" },
};

/* arm64 as Breakpad walks it: the link register is that of the callee's record. */
static const struct chain kept[] = {
	{ "the record that the frame below kept has the link register", RECORDS("8010=8030 8018=401110 8030=8050 8038=401210", RECORD),
	  "ctx 401010 8000, cfi 401110 8020, fp 401110 8040, fp 401210 8060" },
	{ "a kept record without the callee's frame pointer is not used",
	  RECORDS("8010=8030 8018=401110 8038=8050 8040=401210", OTHER), "ctx 401010 8000, cfi 401110 8020" },
	{ "a kept record is not used if the callee has inlined calls",
	  RECORDS("8010=8030 8018=401110 8030=8050 8038=401210", INLINED), "ctx 401010 8000, cfi 401110 8020" },
	{ "a kept record is not used if the frame pointer is below its stack pointer",
	  RECORDS("8010=8020 8018=401110 8020=8050 8028=401210", RECORD), "ctx 401010 8000, cfi 401110 8020" },
};

static void
check(const struct chain *row, enum policy_column column)
{
	const size_t length = strcspn(row->frames, ";"), count = scene_count(row->frames);
	struct staged staged;
	char frames[200];

	/* In cases with a single frame no other frame is found. */
	scene_play_limited(&staged, &row->scene, column, count > 1 ? count : 2);
	snprintf(frames, sizeof(frames), "%.*s", (int)length, row->frames);
	is_str(staged.frames, frames, "%s", row->title);
	if (row->frames[length] == ';')
		scene_says(&staged, count > 1 ? count - 2 : 0, row->frames + length + 2);
	scene_close(&staged);
}

TEST_EACH(case, cases)
{
	check(&cases[i], POLICY_UNSPOOL);
}

TEST_EACH(kept, kept)
{
	check(&kept[i], POLICY_BREAKPAD);
}

/* Frames that the ABI marks as a thread's last. */
static const struct {
	struct scene scene;
	const char *end;
} ends[] = {
	{ FIRST(WINDOWS, "8010=8030 8014=501015 8040=402185"), "return address 0: bottom of the stack" },
	{ BARE(PPC, LINUX, "srr0=402170 r1=8000", "8000=8020 8024=401fd0 8020=8040 8044=1 8060=401fd4"),
	  "return address 0x1: bottom of the stack" },
};

TEST_EACH(ends, ends)
{
	struct staged staged;

	scene_play(&staged, &ends[i].scene, POLICY_UNSPOOL);
	is_u64(staged.walk->count, 2, "an outermost frame has no caller");
	is_str(staged.walk->end.text, ends[i].end, "the end of an outermost frame has its reason");
	scene_close(&staged);
}
