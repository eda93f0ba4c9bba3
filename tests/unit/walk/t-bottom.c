/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/instruction.h"
#include "tests/unit/walk/scene.h"
#include "walk/bottom.h"
#include "walk/step.h"

/* Limits of a walk without records: the bottom of the stack, words that are not return addresses,
 * chains that skip calls, link registers of functions that are not leaves. */

#define WORDS "8010=402184 8020=402184 8030=402184 8040=402184 "
#define LINKS "8100=8120 8108=402204 8120=8140 8128=402204 8140=8160 8148=402204"
#define THREE { { 0x400000, 0x4000, "app", NULL }, { 0x500000, 0x4000, "lib", NULL }, { 0x600000, 0x4000, "libc", NULL } }

#define BASED(memory) BARE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8020", memory)
#define THUMB(memory) BARE(ARM, LINUX, "pc=402170 sp=8000 lr=1 cpsr=30", memory)
#define RECORDS(memory) BARE(ARM64, LINUX, "pc=402170 sp=8000 x29=8100", memory)
#define UNLINKED(memory) BARE(ARM64, LINUX, "pc=402170 sp=8000 x29=1", memory)
#define WITH_DATA(memory) SCENE(X86, LINUX, "eip=402170 esp=8000", memory, APP(NULL), .more = add_data)

/* argc at 8080, no variable, and a vector of AT_PHDR, AT_PHENT, AT_PAGESZ, AT_ENTRY 401000. */
#define ARGUMENTS "8080=1 8088=8200 80a0=3 80a8=400040 80b0=4 80b8=38 80c0=6 80c8=1000 80d0=9 80d8=401000 "

/* No argument, two variables, and the vector. */
#define VARIABLES "8088=8200 8090=8208 80a0=3 80a8=400040 80b0=4 80b8=38 80c0=6 80c8=1000 80d0=9 80d8=401000 "

/* The module's code, and its data from 403000 on. */
static void
add_data(struct synth *synth)
{
	synth_memory_info(synth, 0x8000, 0x1000, 0x1000, 4, 0x20000);
	synth_memory_info(synth, 0x400000, 0x3000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x403000, 0x1000, 0x1000, 4, 0x1000000);
}

static const struct step_case {
	const char *title;
	struct scene scene;
	const char *frames;		/* "FRAMES" or "FRAMES; reason of the end" */
} cases[] = {
	{ "the code that the process began with is the last frame, without symbols",
	  STOPPED(ARGUMENTS "8008=402175 8068=401021 8078=402185"),
	  CTX ", scan 402175 8010, scan 401021 8070; 0x401021 is at the entry point of the process: no caller" },
	{ "a scan goes on to a bottom that is known, however far",
	  { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402170 rsp=7000", .stack = 0x7000, .stack_size = 0x2000,
	  .memory = ARGUMENTS "7008=402175 8058=402185", .modules = APP(NULL) }, "ctx 402170 7000, scan 402175 7010, scan 402185 8060" },
	{ "the entry point itself is no return address", UNLINKED(ARGUMENTS "8010=401000 8020=402184"), CTX ", scan 402184 8028" },
	{ "a vector needs an entry point in a module",
	  STOPPED("80a0=3 80a8=400040 80b0=4 80b8=38 80c0=6 80c8=1000 80d0=9 80d8=701000 80e8=402175"), CTX ", scan 402175 80f0" },
	{ "no frame lies in a thread's control block of amd64", STOPPED("8040=8040 8048=99 8050=8040 8058=402175"),
	  CTX "; no return address in the 64 bytes up to the block that describes the thread at 0x8040: bottom of the stack" },
	{ "no frame lies above a description of the stack that glibc keeps on it",
	  UNLINKED("8040=4000 8048=5000 8050=1000 8058=402184"), CTX },
	{ "a description of a stack has at least four pages",
	  UNLINKED("8040=6000 8048=3000 8050=1000 8058=402184"), CTX ", scan 402184 8060" },
	{ "four pages are enough", UNLINKED("8040=5000 8048=4000 8050=1000 8058=402184"), CTX },
	{ "a leaf's return address after the last byte of its module is misaligned as well", STOPPED("8000=404000"), CTX },
	{ "SPARC: the call before the first instruction that it returns to is asked of the module",
	  BARE(SPARC, SOLARIS, "pc=402170 sp=7801 fp=7841 i7=400000", "8078=0"), "ctx 402170 7801, fp 400008 7841" },
	{ "a chain leads over words that its later frames contain, too", BASED("8008=402195 8020=8040 8028=402185 "
	  "8040=8060 8048=402185 8058=4021a5 8060=8080 8068=402185 8080=80a0"), CTX ", fp? 402185 8030, fp 402185 8050, fp? 402185 8070" },
	{ "a chain whose later frames have none skips no frame",
	  BASED("8008=402195 8020=8040 8028=402185 8040=8060 8048=402185 8060=8080 8068=402185 8080=80a0"),
	  CTX ", scan 402195 8010, fp 402185 8030, fp 402185 8050, fp 402185 8070" },
	{ "a leaf function may be called without an aligned stack, from its own file", STOPPED("8000=402195"), CTX ", scan 402195 8008" },
	{ "a realigned frame of amd64 is revealed by the copy of its return address", BARE(AMD64,
	  LINUX, "rip=402170 rsp=8000 rbp=8040", "8030=1 8038=8090 8040=80c0 8048=402185 8088=402185"), CTX ", algn 402185 8090" },
	{ "a function known to realign keeps its frame pointer, despite old words below",
	  SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=8040 r10=1",
	  "8018=402195 8038=8090 8040=80c0 8048=402185 8088=402185", APP("STACK CFI INIT "
	  "2100 80 .cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK CFI 2105 .cfa: $r10 0 +\n"
	  "FUNC 2100 200 0 f\n")), CTX ", algn 402185 8090" },
	{ "64-bit Windows may have saved rbp a multiple of 16 above where it points",
	  BARE(AMD64, WINDOWS, "rip=402170 rsp=8000 rbp=8020", "8040=8080 8048=402185"), CTX ", fp 402185 8050" },
	{ "two such frames that contradict each other are not used", BARE(AMD64, WINDOWS,
	  "rip=402170 rsp=8000 rbp=8020", "8040=8080 8048=402185 8060=8090 8068=402195"), CTX ", scan 402185 8050, scan 402195 8070" },
	{ "a return address on top of an interrupted function comes before any chain", BARE(AMD64, LINUX,
	  "rip=402170 rsp=8008 rbp=8020", "8008=402195 8020=8040 8028=402185 8040=8060 8048=402185 8060=8080 8068=402185 8080=80a0"),
	  "ctx 402170 8008, scan 402195 8010, fp 402185 8030, fp 402185 8050, fp 402185 8070" },
	{ "a frame record outside the chain is left over from an earlier call",
	  BASED("8010=8020 8018=402195 8020=8040 8028=402185 8040=1"), CTX ", fp? 402185 8030" },
	{ "arm64 code that is seen to keep no records is scanned",
	  RECORDS("8010=402184 8020=402184 8030=402184 8040=402184 8100=8200 8108=402204"),
	  CTX ", scan 402184 8018, scan 402184 8028, scan 402184 8038, scan 402184 8048, fp 402204 8110" },
	{ "a few words on the way to the next record of arm64 are leavings",
	  RECORDS("8010=402184 8020=402184 8100=8200 8108=402204"), CTX ", fp? 402204 8110" },
	{ "words that are no return addresses do not show arm64 code without records",
	  RECORDS("8010=402182 8018=402182 8020=402182 8028=402182 8050=402184 8100=8200 8108=402204"), CTX ", fp? 402204 8110" },
	{ "a link register from just before the pc is that of a call that has returned",
	  BARE(ARM64, LINUX, "pc=402170 sp=8000 x29=8010 x30=402160", "8010=8200 8018=402204"), CTX ", fp 402204 8020" },
	{ "a link register that the frame record holds too is no leaf's",
	  BARE(ARM64, LINUX, "pc=402170 sp=8000 x29=8010 x30=403204", "8010=8200 8018=403204"), CTX ", fp 403204 8020" },
	{ "an even word is no return address of Thumb code", THUMB("8004=402164 800c=402185"), CTX ", scan 402185 8010" },
	{ "an even word is a return address if ARM code runs",
	  BARE(ARM, LINUX, "pc=402170 sp=8000 lr=1 cpsr=10", "8004=402184 800c=402185"), CTX ", scan 402184 8008, scan 402185 8010" },
	{ "ARM code that Thumb code called is found by its frame records", SCENE(ARM, LINUX,
	  "pc=502170 sp=8000 lr=1 cpsr=30", "8004=402164 8008=8020 800c=402184 8020=8040 8024=402194 8040=8060 8044=402185", THREE),
	  "ctx 502170 8000, scan 402184 8010, scan 402194 8028, scan 402185 8048" },
	{ "gcc's frame records of ARM code begin a word lower",
	  SCENE(ARM, LINUX, "pc=502170 sp=8000 lr=1 cpsr=30", "8008=8024 800c=402184 8020=8044 8024=402194 8040=8064 8044=402185",
	  THREE), "ctx 502170 8000, scan 402184 8010, scan 402194 8028, scan 402185 8048" },
	{ "the chain of a library's caller does not lead over the library's own frames", SCENE(X86, LINUX, "eip=502170 esp=8000 ebp=8020",
	  "800c=402195 8020=8040 8024=402185 8040=8060 8044=402185 804c=4021a5 8060=8080 8064=402185 8080=80a0", THREE),
	  "ctx 502170 8000, scan 402195 8010, fp 402185 8028, fp 402185 8048, fp? 402185 8068" },
	{ "a scan of mapped memory of Linux without a stack's bottom reads 161 words",
	  STOPPED_IN("8008=402175 8508=402185 8a18=402195", APP(NULL), .more = add_data), CTX ", scan 402175 8010, scan 402185 8510" },
	/* Words that calls of another module, or of a recursion, can have stored. */
	{ "a word of another module is a pointer if a copy is where calls store nothing",
	  SCENE(AMD64, LINUX, "rip=502170 rsp=8000", "8008=402185 8018=502195 8030=402185", THREE), "ctx 502170 8000, scan 502195 8020" },
	{ "a word of another module is a return address if copies are where calls store them", SCENE(AMD64, LINUX, "rip=502170 rsp=8000",
	  "8008=402185 8018=502195 8038=402185", THREE), "ctx 502170 8000, scan 402185 8010, scan 502195 8020, scan 402185 8040" },
	{ "a word of the callee's module has copies anywhere",
	  STOPPED_IN("8008=402185 8018=502195 8030=402185", THREE), CTX ", scan 402185 8010, scan 502195 8020" },
	{ "an aligned word is a return address if three copies are where calls of x86 store them", BARE(X86, LINUX,
	  "eip=402170 esp=8000", "800c=402180 802c=402180 804c=402180"), CTX ", scan 402180 8010, scan 402180 8030, scan 402180 8050" },
	{ "two copies of an aligned word are not enough", BARE(X86, LINUX, "eip=402170 esp=8000", "800c=402180 802c=402180"), CTX },
	{ "one copy elsewhere shows an aligned word to be a pointer", BARE(X86,
	  LINUX, "eip=402170 esp=8000", "800c=402180 8010=402180 802c=402180 804c=402180"), CTX },
	{ "a word of Thumb code is a pointer if a copy is where calls store nothing",
	  THUMB("8004=402185 8010=402185 801c=402195"), CTX ", scan 402195 8020" },
	{ "an even word above Thumb code points to constants, and odd ones above it do, too",
	  THUMB("8004=402185 800c=402165 8010=402182"), CTX ", scan 402165 8010" },
	{ "an even word below the code is a linker's table",
	  THUMB("8004=402165 800c=402155 8010=402152"), CTX ", scan 402165 8008, scan 402155 8010" },
	{ "an even word that is the pc of an interrupted frame is no constant's",
	  THUMB("8004=402185 800c=402155 8010=402170"), CTX ", scan 402185 8008, scan 402155 8010" },
	{ "an earlier call of the caller left the word above the arguments of x86",
	  WITH_DATA("800c=402185 801c=401f85 803c=402195"), CTX ", scan 402185 8010, scan 402195 8040" },
	{ "a call 513 bytes earlier is another function's",
	  WITH_DATA("800c=402185 801c=401f84 803c=402195"), CTX ", scan 402185 8010, scan 401f84 8020, scan 402195 8040" },
	{ "a later call is another function's", WITH_DATA("800c=402185 801c=402186 803c=402195"),
	  CTX ", scan 402185 8010, scan 402186 8020, scan 402195 8040" },
	{ "a recursion has the callee's own return address at the next place",
	  WITH_DATA("800c=402185 801c=402185"), CTX ", scan 402185 8010, scan 402185 8020" },
	{ "words with a saved ebx are a small function's frame, not arguments",
	  WITH_DATA("800c=402185 8010=403000 801c=401f85"), CTX ", scan 402185 8010, scan 401f85 8020" },
	{ "a saved pointer to code is not a saved ebx",
	  WITH_DATA("800c=402185 8010=402fff 801c=401f85 803c=402195"), CTX ", scan 402185 8010, scan 402195 8040" },
	{ "a word at a higher place is in another frame", WITH_DATA("800c=402185 802c=401f85"),
	  CTX ", scan 402185 8010, scan 401f85 8030" },
	/* Chains between functions of one module: its code keeps frame pointers. */
	{ "links within a module of arm64 show that it keeps records, despite many words between",
	  RECORDS(WORDS LINKS), CTX ", fp 402204 8110, fp 402204 8130, fp 402204 8150" },
	{ "two links within a module do not", RECORDS(WORDS LINKS " 8148=0"),
	  CTX ", scan 402184 8018, scan 402184 8028, scan 402184 8038, scan 402184 8048, fp 402204 8110, fp 402204 8130" },
	{ "links within a library of amd64 show that it keeps frame pointers", SCENE(AMD64,
	  LINUX, "rip=402170 rsp=8000 rbp=8100", "8038=402185 " LINKS, THREE), CTX ", fp? 402204 8110, fp 402204 8130, fp 402204 8150" },
	{ "links within a program of one module do not: its parts may differ", BARE(AMD64, LINUX,
	  "rip=402170 rsp=8000 rbp=8100", "8038=402185 " LINKS), CTX ", scan 402185 8040, fp 402204 8110, fp 402204 8130, fp 402204 8150" },
	{ "a pair that leads to pairs on 32-bit ARM is a frame record: words between are skipped",
	  THUMB("8008=8020 800c=402185 8014=402195 " "8020=8040 8024=4021a5 8044=4021b5"),
	  CTX ", scan 402185 8010, scan 4021a5 8028, scan 4021b5 8048" },
	{ "a pair that leads to a single pair is not a frame record",
	  THUMB("8008=8020 800c=402185 8014=402195 " "8020=8040 8024=4021a5 804c=4021b5"),
	  CTX ", scan 402185 8010, scan 402195 8018, scan 4021a5 8028, scan 4021b5 8050" },
	{ "a pair that leads to itself is not a frame record",
	  THUMB("8008=8020 800c=402185 8014=402195 8020=8020 8024=4021a5"), CTX ", scan 402185 8010, scan 402195 8018, scan 4021a5 8028" },
	{ "r11 leads to the records of the first frame", BARE(ARM, LINUX, "pc=402170 sp=8000 r11=8020 lr=1 cpsr=30",
	  "8014=402195 8020=8040 8024=4021a5 8044=4021b5"), CTX ", scan 4021a5 8028, scan 4021b5 8048" },
	{ "the cold part of a function is where a call can end", STOPPED_IN("8008=401055 8018=401065",
	  APP("FUNC 1000 40 0 f\nPUBLIC 1040 0 g\nPUBLIC 1055 0 h\nPUBLIC 1065 0 g.cold\n")), CTX ", scan 401065 8020" },
};

/* At most 8 frames: some of these stacks continue into zeros. */
TEST_EACH(cases, cases)
{
	struct staged staged;

	scene_play_limited(&staged, &cases[i].scene, POLICY_UNSPOOL, 8);
	if (strchr(cases[i].frames, ';') != NULL)
		strcat(strcat(staged.frames, "; "), staged.walk->end.text);
	is_str(staged.frames, cases[i].frames, "%s", cases[i].title);
	scene_close(&staged);
}

static bool
says(const struct trace *trace, uint64_t address, const char *words)
{
	for (uint32_t i = 0; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_CANDIDATE && trace->events[i].address == address && trace->events[i].text != NULL)
			return strstr(trace->events[i].text, words) != NULL;
	return false;
}

/* Every skipped word stays visible, with its reason. */
TEST(reasons)
{
	static const struct scene scene = STOPPED(ARGUMENTS "8010=402175 8008=402180");
	struct staged staged;
	struct frame caller;
	struct verdict verdict;
	struct trace trace;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	trace_init(&trace);
	unwind_step(staged.walk, 0, &trace, &caller, &verdict);
	ok(verdict.kind == VERDICT_END, "a stack without a return address ends");
	ok(says(&trace, 0x8010, "misaligned"), "a misaligned word is reported");
	ok(says(&trace, 0x8008, "function pointer"), "a pointer to a function is reported");
	ok(says(&trace, 0x8000, "in no module"), "a word outside all modules is reported");
	ok(!says(&trace, 0x8080, ""), "words of the kernel at the bottom are not examined");
	trace_free(&trace);
	scene_close(&staged);
}

/* The bytes on which a search for the bottom rests: a copy of the dump must have them. */
struct noted {
	struct memory_log log;
	uint64_t first, end;
};

static void
note_bytes(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct noted *noted = (struct noted *)log;

	if (use != MEMORY_READ || size <= 8)
		return;
	noted->first = address < noted->first ? address : noted->first;
	noted->end = address + size > noted->end ? address + size : noted->end;
}

static const struct {
	const char *title, *memory;
	uint64_t first, bottom;
} noted_rows[] = {
	{ "the number of the arguments is the lowest word", ARGUMENTS, 0x8080, 0x8080 },
	{ "the number of the arguments is the lowest word of a program without arguments", VARIABLES, 0x8078, 0x8078 },
	{ "words of another number are read down to a 0; then the environment's end is enough", VARIABLES "8078=5 ", 0x8070, 0x8098 },
};

TEST_EACH(noted, noted_rows)
{
	const struct scene scene = STOPPED(noted_rows[i].memory);
	struct noted noted = { .log = { note_bytes }, .first = UINT64_MAX };
	struct stack_bottom bottom;
	struct memory_view memory;
	struct staged staged;

	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, 1);
	memory = staged.walk->memory;
	memory.log = &noted.log;
	stack_bottom_find(&bottom, staged.walk->arch, &memory, &staged.walk->modules, 0x8000);
	is_u64(bottom.address, noted_rows[i].bottom, "%s", noted_rows[i].title);
	is_u64(noted.first, noted_rows[i].first, "reading begins at the expected word");
	is_u64(noted.end, 0x80f0, "reading ends with the vector");
	scene_close(&staged);
}

/* code-wins: code comes before the first method that reads records; the others keep their order. */
TEST(order)
{
	for (enum arch_id arch = 0; arch < ARCH_COUNT; arch++) {
		struct policy policy = policy_column(POLICY_UNSPOOL);
		enum method_id usual[METHOD_COUNT], changed[METHOD_COUNT];
		bool same = true, code = false, records = false;
		size_t k = 0;

		policy.value[POLICY_CODE_WINS] = 0;
		const size_t count = method_order(arch, &policy, usual);
		policy.value[POLICY_CODE_WINS] = 1;
		same = method_order(arch, &policy, changed) == count;
		for (size_t i = 0; i < count; i++)
			code |= usual[i] == METHOD_CODE;
		for (size_t i = 0; i < count && same; i++) {
			if (code && !records && methods[usual[i]].source == METHOD_BY_RECORDS) {
				same = changed[k++] == METHOD_CODE;
				records = true;
			}
			if (usual[i] != METHOD_CODE || !records)
				same = same && changed[k++] == usual[i];
		}
		ok(same && k == count, "%s: code comes before records, the others stay", arch_by_id(arch)->name);
	}
}

/* A name of a record far before the address does not count. */
TEST(far_name)
{
	static const struct scene scene = SCENE(AMD64, LINUX, "rip=602170 rsp=8000", "",
		      { { 0x400000, 0x400000, "app", "PUBLIC 1000 0 f\n" } });
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct location location;
	struct staged staged;
	struct arena arena = { 0 };

	scene_open(&staged, &scene);
	scene_walk(&staged, &policy);
	location_of(staged.walk, 0x602170, &arena, &location);
	ok(!location.symbol.found && location.module != NULL, "an address 2 MiB above a PUBLIC is in the module, but has no name");
	policy.value[POLICY_PUBLIC_NAMES] = 0;
	scene_walk(&staged, &policy);
	location_of(staged.walk, 0x602170, &arena, &location);
	ok(location.symbol.found, "public-names 0 gives it the name");
	scene_close(&staged);
	arena_free(&arena);
}

/* call 402100, from 402040; 402100 is a function of nops, which continues over 402110. */
static uint8_t calls[0x100];

static void
add_calls(struct synth *synth)
{
	synth_memory(synth, 0x402040, calls, sizeof(calls), false);
}

/* A misaligned word is a return address if its call leads to the callee's function: no return ends
 * it before the pc, up to the alignment of the next function. */
TEST(calls_callee)
{
	static const struct {
		const char *title, *frames;
		size_t ret;		/* offset of a ret; 0: none */
	} rows[] = {
		{ "a function without a return reaches to the pc", "ctx 402124 8000, scan 402045 8018", 0 },
		{ "a function ends with a return before an aligned address", "ctx 402124 8000", 0x40210f - 0x402040 },
		{ "a function goes on after a return that no aligned address follows",
		  "ctx 402124 8000, scan 402045 8018", 0x402120 - 0x402040 },
	};
	const struct scene scene = SCENE(AMD64, LINUX, "rip=402124 rsp=8000", "8010=402045", APP(NULL), .more = add_calls);

	if (instruction_unsupported(arch_by_id(ARCH_AMD64)) != NULL) {
		skip(ARRAY_COUNT(rows), "no disassembler");
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		memset(calls, 0x90, sizeof(calls));
		memcpy(calls, "\xe8\xbb\0\0\0", 5);
		if (rows[i].ret != 0)
			memcpy(calls + rows[i].ret, "\xc3\x55", 2);	/* push rbp is no padding */
		scene_is(&scene, POLICY_UNSPOOL, 0, rows[i].frames, rows[i].title);
	}
}
