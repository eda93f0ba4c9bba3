/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a process ended itself, concluded from the functions between abort and the program. The
 * expected meanings are those that the libraries' own sources give to these functions. */

#include "analysis/analysis.h"
#include "code/instruction.h"
#include "tests/lib/folder.h"
#include "tests/unit/binary/image.h"
#include "tests/unit/walk/scene.h"

#define NAMES 6

static const struct example {
	const char *title;
	const char *library[NAMES], *program[NAMES];	/* the innermost first */
	const char *text;		/* NULL: no frame is blamed */
	uint32_t signal;		/* 0: SIGABRT */
	bool guessed;			/* the records are of no function: the frames are found by a scan */
} examples[] = {
	{ "an assertion", { "raise", "abort", "__assert_fail_base.cold", "__assert_fail" }, { "check(int)",
	  "main" }, .text = "an assertion failed: frame 4, check(int), called __assert_fail" },
	{ "a heap", { "__GI_raise", "__GI_abort", "__libc_message", "malloc_printerr", "free" }, { "drop()",
	  "main" }, .text = "the allocator found a damaged heap or a bad pointer: frame 5, drop(), called free" },
	{ "helpers of the library between", { "abort", "find", "look" }, { "main" },
	  .text = "abort was called: frame 3, main, led to abort" },
	{ "a canary, by a helper in the program", { "abort", "__fortify_fail", "__stack_chk_fail" }, { "__stack_chk_fail_local", "copy",
	  "main" }, .text = "a canary was overwritten, a buffer on the stack overflowed: frame 4, copy, called __stack_chk_fail_local" },
	{ "a program with its libraries in it", { NULL }, { "abort", "std::panicking::begin_panic<&str>(int)", "run", "main" }, .text =
	  "the program panicked: frame 2, run, called std::panicking::begin_panic<&str>(int)" },
	{ "a panic in a thread whose start catches panics", { NULL }, { "abort",
	  "std::panicking::begin_panic<&str>(int)", "run", "std::panicking::catch_unwind::do_call<int>", "main"
	  }, .text = "the program panicked: frame 2, run, called std::panicking::begin_panic<&str>(int)" },
	{ "a panic of Go", { NULL }, { "runtime.raise", "runtime.fatalpanic", "runtime.gopanic", "runtime.goPanicIndex", "main.work",
	  "main.main" }, .text = "the Go program panicked: frame 4, main.work, called runtime.goPanicIndex" },
	{ "a call that is inlined into its caller", { "abort" }, { "main\nINLINE_ORIGIN 0 watch(int)\nINLINE 0 "
	  "7 0 0 1000 100" }, .text = "abort was called: frame 1, watch(int), called abort" },
	{ "a function of the standard library that is inlined into its caller", { "abort" }, { "main\nINLINE_ORIGIN 0 std::f()\nINLINE 0 "
	  "7 0 0 1000 100", "start" }, .text = "abort was called: frame 1, main, called abort" },
	{ "a chain of functions that are known and not", { "raise", "abort", "__libc_message", "malloc_printerr"
	  , "_int_free", "x" }, { "y", "operator delete(void*)", "drop()", "main" }, .text = "the allocator found a "
	  "damaged heap or a bad pointer: frame 8, drop(), called operator delete(void*)" },
	{ "a name that only begins like one", { "abort" }, { "free_all()", "main" },
	  .text = "abort was called: frame 1, free_all(), called abort" },
	{ "a function far below", { "abort" }, { "a", "b", "c", "d", "e", "free" },
	  .text = "the allocator found a damaged heap or a bad pointer" },
	{ "a function of the standard library between", { "abort", "__cxa_throw" }, { "void std::fill<int>(int)",
	  "std::vector<int>::resize()", "load", "main" }, .text = "an exception found no handler: frame 4, load, led to __cxa_throw" },
	{ "only functions of the standard library", { "abort", "__cxa_throw" }, { "std::thread::run()",
	  "std::call()" }, .text = "an exception found no handler: frame 2, std::thread::run(), called __cxa_throw" },
	{ "a fault in the allocator", { "get_meta", "__libc_free" }, { "drop()", "main" },
	  .text = "the allocator's heap is damaged, or its pointer is bad: frame 2, drop(), called __libc_free", .signal = 11 },
	{ "a name of glibc's own calls", { "__GI_abort" }, { "main" }, .text = "abort was called: frame 1, main, called __GI_abort" },
	{ "functions of the standard library after another one of the library", { "abort", "find" }, { "std::thread::run()",
	  "std::call()" }, .text = "abort was called: frame 2, std::thread::run(), led to abort" },
	{ "the furthest name of the allocator", { "a", "b", "c", "d", "e", "f" }, { "free", "drop()", "main" },
	  .text = "the allocator's heap is damaged, or its pointer is bad: frame 7, drop(), called free", .signal = 11 },
	{ "a fault in the allocator's own function", { "free" }, { "drop()", "main" },
	  .text = "the allocator's heap is damaged, or its pointer is bad: frame 1, drop(), called free", .signal = 11 },
	{ "a name of the allocator after the furthest one", { "a", "b", "c", "d", "e", "f" }, { "g", "free", "drop()", "main" },
	  .signal = 11 },
	{ "the allocator's function is the last one", { "a", "free" }, { NULL }, .signal = 11 },
	{ "another fault in the allocator's own function", { "free" }, { "drop()", "main" }, .signal = 4 },
	{ "a name after the furthest one", { "abort", "x" }, { "std::a()", "std::b()", "std::c()", "std::d()", "std::e()", "free" },
	  .text = "abort was called: frame 7, free, led to abort" },
	{ "an exception that a noexcept function stops", { "abort", "__gxx_personality_v0", "_Unwind_RaiseException", "__cxa_throw" }, {
	  "quiet()", "main" }, .text = "an exception reached a function that must not throw: frame 4, quiet(), called __cxa_throw" },
	{ "no name that is known", { "stop" }, { "main" },
	  .text = "the process ended itself: code in it found that it could not continue" },
	{ "an assertion, by guessed frames", { "abort", "__assert_fail" }, { "check(int)", "main" },
	  .text = "an assertion failed: frame 2, check(int), called __assert_fail", .guessed = true },
};

static uint32_t signal_number = 6;

static void
add_abort(struct synth *synth)
{
	synth_exception(synth, 1, signal_number, signal_number != 6, signal_number != 6 ? 0x900000 : 0);
}

static size_t
add_functions(char *symbols, size_t size, const char *const *names, bool guessed)
{
	size_t count = 0, used;

	used = (size_t)snprintf(symbols, size, "STACK CFI INIT %s000 1000 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n", guessed ? "4" : "1");
	for (; count < NAMES && names[count] != NULL; count++)
		used += (size_t)snprintf(symbols + used, size - used, "FUNC %zx 100 0 %s\n", 0x1000 + count * 0x100, names[count]);
	return count;
}

static void
test_examples(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
		const struct example *example = &examples[i];
		char library[1000], program[1000], memory[400] = "", registers[40], text[600], wanted[600];
		size_t in_library = add_functions(library, sizeof(library), example->library, example->guessed);
		size_t count = in_library + add_functions(program, sizeof(program), example->program, example->guessed);
		size_t used = 0;
		struct staged staged;

		for (size_t n = 0; n < count; n++) {
			size_t pc = n < in_library ? 0x701010 + n * 0x100 : 0x401010 + (n - in_library) * 0x100;
			if (n == 0)
				snprintf(registers, sizeof(registers), "rip=%zx rsp=8000", pc);
			else
				used += (size_t)snprintf(memory + used, sizeof(memory) - used, "%zx=%zx ", 0x8000 + (n - 1) * 8, pc);
		}
		const struct scene scene = {
			.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = registers,
			.stack = 0x8000, .memory = memory, .more = add_abort,
			.modules = { { 0x400000, 0x5000, "program", program },
				     { 0x700000, 0x5000, "library", library } },
		};
		signal_number = example->signal != 0 ? example->signal : 6;
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
		const char *frame = example->guessed || example->text == NULL ? NULL : strstr(example->text, ": frame ");
		is_u64(analysis->blamed_frame, frame != NULL ? strtoul(frame + 8, NULL, 10) : 0,
		       "the frame to blame is the caller that the finding names, or unknown: %s", example->title);
		/* The reason is said unless the signal is that of a fault or an exception ends the process. */
		const bool reason = example->signal == 0 && strstr(example->text, "exception") == NULL;
		snprintf(wanted, sizeof(wanted), "%u: %s%s%s", example->signal != 0 ? 85 : example->guessed ? 70 : 95,
			 text_or_empty(example->text), reason ? "; the reason is " : "", reason ? analysis->reason : "");
		if (example->text != NULL)
			is_str(finding_text(&analysis->findings[0], text, sizeof(text)), wanted,
			       "the finding says why the process ended: %s", example->title);
		is_u64(analysis->finding_count > 0 && analysis->findings[0].kind ==
		       (example->signal != 0 ? FINDING_ALLOCATOR : FINDING_ABORT), example->text != NULL,
		       "the first finding is about this end");
		analysis_free(analysis);
		scene_close(&staged);
	}
}

/* Exceptions of the Itanium C++ ABI ----------------------------------------------------------- */

/*
 * A heap with the objects of two exceptions, int 77 and long -2, as unwind-cxx.h and cxa_exception.h lay them out: the type 80
 * bytes before the unwind header, the next exception 48, the handlers 40, the object 32 after it; on x86 48, 32, 28 and 32. In
 * std::rethrow_exception's, the object has the place of libstdc++'s type, or of libc++abi's references. MinGW has the object 64
 * bytes after the header, and a long of 4 bytes. Names of 0x40 bytes each, and a text, follow the types.
 */
#define HEAP UINT64_C(0x20000)
#define FIRST (HEAP + 0x100)
#define SECOND (HEAP + 0x200)
#define INT_TYPE (HEAP + 0x300)
#define LONG_TYPE (HEAP + 0x340)
#define CLASS_GNU UINT64_C(0x474e5543432b2b00)
#define CLASS_CLANG UINT64_C(0x434c4e47432b2b00)
#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define THROWN "95: a C++ exception was thrown: "
#define BEFORE "; another one was being handled before: "
#define NESTED "; it carries a nested exception: "
#define RETURNS "; the chain returns to an exception listed before: "
#define AT(object, type) "the object is at 0x" object ", its type information at 0x" type
#define OBJECT(text) THROWN text "; " AT("20120", "20300")
#define AN_A "\"a\"; the text is at 0x207fe"
#define BITS "20120=8000000080008000 "
#define HANDLED ": a C++ exception was being handled: int: 77; " AT("20120", "20300")
#define WORD(at) "; the word at 0x" at " on the stack points to it"

static struct thrown_case {
	const char *title, *text;	/* the finding and its evidence; NULL: no finding */
	const char *heap, *memory;	/* words that differ */
	uint64_t class; unsigned at;	/* 0: CLASS_GNU; a register, 0: it points to FIRST */
	bool x86, windows, redacted, threads;
} thrown, thrown_cases[] = {
	{ "libstdc++", OBJECT("int: 77"), .heap = NULL }, { "libc++abi", OBJECT("int: 77"), .class = CLASS_CLANG }, { "x86", OBJECT("int: 77"), .x86 = true },
	{ "x86, libc++abi", OBJECT("int: 77"), .x86 = true, .class = CLASS_CLANG }, { "too many handlers", NULL, .heap = "200d8=10000" },
	{ "thrown in a handler", OBJECT("int: 77" BEFORE "long: -2"), .memory = "8010=20220", .heap = "200d0=201b0" }, { "no handler any more", NULL, .heap = "200d8=0" },
	{ "too many references", NULL, .heap = "200a0=10000" }, { "thrown again by a handler", OBJECT("int: 77"), .heap = "200d8=ffffffff" },
	{ "in a handler, libc++abi", OBJECT("int: 77" BEFORE "long: -2"), .class = CLASS_CLANG, .memory = "8010=20220", .heap = "200d0=201a0" },
	{ "std::rethrow_exception", THROWN "long: -2; " AT("20220", "20340"), .class = CLASS_GNU | 1, .memory = "8010=20220", .heap = "200b0=20220" },
	{ "rethrow_exception, libc++abi", THROWN "long: -2; " AT("20220", "20340"), .class = CLASS_CLANG | 1, .memory = "8010=20220", .heap = "200a8=20220" },
	{ "rethrow_exception, libc++abi on x86", THROWN "long: -2; " AT("20220", "20340"), .x86 = true, .class = CLASS_CLANG | 1, .heap = "200fc=20220" },
	{ "a reference to a reference", NULL, .heap = "200b0=20220 20200=474e5543432b2b01", .class = CLASS_GNU | 1 }, { "no name", NULL, .heap = "20320=0" },
	{ "a reference to other data", NULL, .heap = "200b0=20220 20200=474e5543432b2a00", .class = CLASS_GNU | 1 }, { "no references", NULL, .heap = "200a0=0" },
	{ "the most handlers", OBJECT("int: 77"), .heap = "200d8=ffff 200a0=ffff" }, { "the most handlers, negative", OBJECT("int: 77"), .heap = "200d8=ffff0001" },
	{ "too many handlers, negative", NULL, .heap = "200d8=ffff0000" }, { "MinGW on x86", NULL, .heap = "200d8=0", .windows = true, .x86 = true },
	{ "MinGW", THROWN "long: -2; " AT("20140", "20340"), .heap = "20140=1fffffffe 200b0=20340 200d8=0", .windows = true },
	{ "MinGW's unsigned long", THROWN "unsigned long: 4294967294; " AT("20140", "20340"), .heap = "20140=1fffffffe 200b0=20340 200d8=0 20360=6d", .windows = true },
	{ "memory that is used again", NULL, .heap = "200a0=5555556a" }, { "another language", NULL, .class = UINT64_C(0x4d4f5a0052555354) },
	{ "no memory before the header", NULL, .heap = "20000=474e5543432b2b00", .at = 0x20020 }, { "short", OBJECT("short: -32768"), .heap = BITS "20320=73" },
	{ "unsigned short", OBJECT("unsigned short: 32768"), .heap = BITS "20320=74" }, { "int", OBJECT("int: -2147450880"), .heap = BITS "20320=69" },
	{ "unsigned int", OBJECT("unsigned int: 2147516416"), .heap = BITS "20320=6a" }, { "long", OBJECT("long: -9223372034707259392"), .heap = BITS "20320=6c" },
	{ "long long", OBJECT("long long: -9223372034707259392"), .heap = BITS "20320=78" }, { "a type without a number", OBJECT("double"), .heap = "20320=64" },
	{ "unsigned long", OBJECT("unsigned long: 9223372039002292224"), .heap = BITS "20320=6d" }, { "a control in the name", NULL, .heap = "20320=691f" },
	{ "unsigned long long", OBJECT("unsigned long long: 9223372039002292224"), .heap = BITS "20320=79" }, { "DEL in the name", NULL, .heap = "20320=697f" },
	{ "x86: unsigned long", OBJECT("unsigned long: 77"), .heap = "20320=6d", .x86 = true }, { "a pointer to a number", OBJECT("int*"), .heap = "20320=6950" },
	{ "a name that is not unique", OBJECT("int: 77"), .heap = "20320=692a" }, { "a space in the name", NULL, .heap = "20320=692069" },
	{ "a name outside of the dump", NULL, .heap = "20308=90000" }, { "a type outside of the dump", NULL, .heap = "200b0=90000" },
	{ "a name of 511 bytes", NULL, .heap = "20308=20600" }, { "a name of 510 bytes", OBJECT(A40 A40 "aaaaaaaaaaaaaaaaaaa..." A40 A40 "aaaaaaaaaaaaaaaaaa"), .heap = "20308=20601" },
	{ "a text outside of the dump", OBJECT("char*"), .heap = "20320=6350 20120=90000" }, { "two exceptions without an order", NULL, .memory = "8010=20220" },
	{ "a text", OBJECT("char const*: \"no seats left\\x0a\"; the text is at 0x205c0"), .heap = "20320=634b50 20120=205c0" },
	{ "a text that can change", OBJECT("char*: " AN_A), .heap = "20320=6350 20120=207fe" }, { "two threads", OBJECT("int: 77"), .threads = true },
	{ "a long text", OBJECT("char*: \"" A40 A40 A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\"; the text is at 0x20600"), .heap = "20320=6350 20120=20600" },
	{ "a std::string", OBJECT("std::string: " AN_A), .heap = "20308=20500 20120=207fe" }, { "a pointer into the object", NULL, .memory = "8010=20128", .at = 1 },
	{ "a name without a meaning", OBJECT("__"), .heap = "20320=5f5f" }, { "a redacted text", OBJECT("char*: (redacted)"), .heap = "20320=6350 20120=205c0", .redacted = true },
	{ "a std::runtime_error", OBJECT("std::runtime_error: " AN_A), .heap = "20308=20440" }, { "a handler that aborts", "95" HANDLED, .memory = "8000=401210" },
	{ "a std::logic_error", OBJECT("std::logic_error: " AN_A), .heap = "20308=20480" }, { "129 words after the last frame", NULL, .memory = "8410=20100", .at = 1 },
	{ "a class that is its base", OBJECT("e"), .heap = "20308=20540 20310=20300" },
	{ "a class of std::logic_error", OBJECT("e: " AN_A), .heap = "20308=20540 20310=20340 20348=20480" },
	{ "a base of another kind", OBJECT("e"), .heap = "20308=20540 20310=20340 20340=1 20348=20480" },
	{ "a class of std::exception", OBJECT("e"), .heap = "20308=20540 20310=20340 20340=1 20348=20400" },
	{ "filesystem_error", OBJECT("std::filesystem::filesystem_error"), .heap = "20308=20580 20310=20340 20348=20440" },
	{ "a nested exception", OBJECT("std::nested_exception" NESTED "long: -2"), .heap = "20308=204c0 20128=20220" },
	{ "nested, of another language", OBJECT("std::nested_exception"), .heap = "20308=204c0 20128=20220 20200=1" },
	{ "nested in itself", OBJECT("std::nested_exception" RETURNS "std::nested_exception"), .heap = "20308=204c0 20128=20120" },
	{ "exceptions in a ring", OBJECT("int: 77" BEFORE "long: -2" RETURNS "int: 77"), .heap = "200d0=201b0 201d0=200b0" },
	{ "a ring after the first", OBJECT("int: 77" BEFORE "long: -2" RETURNS "long: -2"), .heap = "200d0=201b0 201d0=201b0" },
	{ "a word points to the object", OBJECT("int: 77") WORD("8010"), .memory = "8010=20120", .at = 1 },
	{ "a word points to the header", OBJECT("int: 77") WORD("8408"), .memory = "8408=20100", .at = 1 },
	{ "a handler and another thread", "70" HANDLED, .memory = "8000=401210", .threads = true },
};

static void
put(uint8_t *heap, uint64_t address, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		heap[address - HEAP + i] = (uint8_t)(value >> 8 * i);
}

static void
add_heap(struct synth *synth)
{
	static const char names[][0x40] = { "St9exception", "St13runtime_error", "St11logic_error",
		"St16nested_exception", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "1e",
		"NSt10filesystem16filesystem_errorE", "no seats left\n" };
	const unsigned word = thrown.x86 ? 4 : 8;
	const bool clang = (thrown.class & ~UINT64_C(1)) == CLASS_CLANG;
	const uint64_t references = thrown.x86 ? (clang ? 4 : 64) : clang ? 88 : 96;
	uint8_t heap[0x800] = { 0 };

	for (int i = 0; i < 2; i++) {
		const uint64_t header = i == 0 ? FIRST : SECOND;
		put(heap, header, i == 0 ? thrown.class : thrown.class & ~UINT64_C(1), 8);
		put(heap, header - (thrown.x86 ? 48 : 80), i == 0 ? INT_TYPE : LONG_TYPE, word);
		put(heap, header - (thrown.x86 ? 28 : 40), 1, 4);
		put(heap, header - references, 1, 4);
		put(heap, header + 32, i == 0 ? 77 : UINT64_C(-2), 8);
		put(heap, FIRST + 32 + word, 0x207fe, word);
		put(heap, (i == 0 ? INT_TYPE : LONG_TYPE) + word, (i == 0 ? INT_TYPE : LONG_TYPE) + 32, word);
		put(heap, (i == 0 ? INT_TYPE : LONG_TYPE) + 32, i == 0 ? 'i' : 'l', 1);
	}
	memcpy(heap + 0x400, names, sizeof(names));
	memset(heap + 0x600, 'a', 511);
	scene_pairs(thrown.heap, scene_take_word, &(struct scene_memory){ HEAP, sizeof(heap), word, false, heap });
	if (thrown.windows)
		synth_exception(synth, 1, 0x20474343, 0, 0), synth_parameter(synth, FIRST);
	else
		add_abort(synth);
	if (thrown.threads)
		synth_thread(synth, 2, (uint64_t[ARCH_REGISTERS]){ 0 }, 0x9000, NULL, 0);
	synth_memory(synth, HEAP, heap, sizeof(heap), false);
}

static void
test_thrown(void)
{
#define FUNCTIONS "FUNC 1000 100 0 abort\nFUNC 1100 100 0 __cxa_throw\nFUNC 1200 100 0 load(int)\n"
	static const char wide[] = "STACK CFI INIT 1000 1000 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n" FUNCTIONS;
	static const char narrow[] = "STACK CFI INIT 1000 1000 .cfa: $esp 4 + .ra: .cfa 4 - ^\n" FUNCTIONS;

	for (size_t i = 0; i < ARRAY_COUNT(thrown_cases); i++) {
		char text[2000], memory[100], registers[60];
		thrown = thrown_cases[i];
		thrown.class = thrown.class != 0 ? thrown.class : CLASS_GNU;
		snprintf(memory, sizeof(memory), "8000=401110 %x=401210 %s", thrown.x86 ? 0x8004 : 0x8008, text_or_empty(thrown.memory));
		snprintf(registers, sizeof(registers), thrown.x86 ? "eip=401010 esp=8000 edi=%x" : "rip=401010 rsp=8000 rbx=%x",
			 thrown.at != 0 ? thrown.at : thrown.x86 ? 0x20100 : 0x20120);
		const struct scene scene = {
			.arch = thrown.x86 ? ARCH_X86 : ARCH_AMD64,
			.os = thrown.windows ? CRASH_OS_WINDOWS : CRASH_OS_LINUX,
			.registers = registers, .stack = 0x8000, .more = add_heap, .memory = memory,
			.modules = { { 0x400000, 0x5000, "program", thrown.x86 ? narrow : wide } },
		};
		struct staged staged;

		scene_play(&staged, &scene, POLICY_UNSPOOL);
		staged.crash.redacted = thrown.redacted;
		is_str(scene_finding(&staged, FINDING_CXX_EXCEPTION, FINDING_HANDLED_EXCEPTION, text, sizeof(text)),
		       text_or_empty(thrown.text), "what was thrown: %s", thrown.title);
		scene_close(&staged);
	}
}

/* Panics of Rust ------------------------------------------------------------------------------ */

static const struct panic_case {
	const char *title, *memory, *text;	/* NULL: no message */
} panics[] = {
	{ "a String: capacity, pointer, length", "8010=14 8018=30000 8020=a", "the panic's message at 0x30000: 7 of 2 are" },
	{ "a String of older versions: pointer, capacity, length", "8010=30000 8018=14 8020=a",
	  "the panic's message at 0x30000: 7 of 2 are" },
	{ "a length above the capacity", "8010=9 8018=30000 8020=a", NULL },
	{ "a text that goes on after the memory", "8010=2000 8018=30000 8020=1001", NULL },
	{ "control characters", "8010=14 8018=30010 8020=4", NULL },
	{ "two Strings", "8010=14 8018=30000 8020=a 8028=14 8030=30001 8038=5", NULL },
	{ "a text in the stack", "8010=14 8018=8100 8020=3 8100=333231", NULL }, { "nothing", "", NULL },
};

static void
add_message(struct synth *synth)
{
	static const char text[32] = "7 of 2 are filled\001\002\003\004";

	add_abort(synth);
	synth_memory(synth, 0x30000, text, sizeof(text), false);
}

static void
test_panics(void)
{
	static const char program[] = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
		"STACK CFI INIT 1100 100 .cfa: $rsp 64 + .ra: .cfa 8 - ^\n"
		"STACK CFI INIT 1200 1000 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
		"FUNC 1000 100 0 abort\n"
		"FUNC 1100 100 0 std::panicking::panic_handler::{closure#0}\n"
		"FUNC 1200 100 0 core::panicking::panic_fmt\nFUNC 1300 100 0 plan::seat\n";

	for (size_t i = 0; i < ARRAY_COUNT(panics); i++) {
		char memory[200];
		const struct scene scene = {
			.arch = ARCH_AMD64, .os = CRASH_OS_LINUX,
			.registers = "rip=401010 rsp=8000", .stack = 0x8000, .memory = memory,
			.more = add_message, .modules = { { 0x400000, 0x5000, "program", program } },
		};
		struct staged staged;
		const char *found = NULL;

		snprintf(memory, sizeof(memory), "8000=401110 8040=401210 8048=401310 %s", panics[i].memory);
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
		is_str(analysis->findings[0].text, "the program panicked: frame 3, plan::seat, called core::panicking::panic_fmt",
		       "a panic: %s", panics[i].title);
		for (size_t n = 0; n < analysis->findings[0].evidence_count; n++)
			if (strstr(analysis->findings[0].evidence[n], "message") != NULL)
				found = analysis->findings[0].evidence[n];
		is_str(found, panics[i].text, "its message: %s", panics[i].title);
		analysis_free(analysis);
		scene_close(&staged);
	}
}

/* Data that the program's own file names: glibc's message at 401300, alpha's virtual table at 401310 (its
 * functions from 401320 on), a table of C at 401340, alpha's type at 401380, tables of others from 401390 on. */
static const struct own {
	const char *title, *registers;
	const char *call;		/* code before the return address 400209 */
	uint64_t pointer;		/* first word of the object at 8100 */
	uint64_t type, slot;		/* words at 401320 (1: 0, 0: none) and of the called function (0: 900100) */
	unsigned tables;		/* virtual tables of beta, gamma and delta */
	const char *expected;		/* evidence after the first line, or "": no finding about the table */
} owns[] = {
#define MEMORY(pointer) "rip=900100 rsp=8000 rax=" #pointer " rdi=8100", "\xff\x50\x08", 0x ## pointer /* call [rax + 8] */
#define REGISTER(pointer) "rip=900100 rsp=8000 rax=900100 rdi=8100", "\x90\xff\xd0", 0x ## pointer	/* call rax */
#define FOUND(call, pointer, names) "'" call " calls a function of the object in rdi; its first word, 0x"	\
	#pointer ", leads into program, where no virtual table begins; only its lowest byte differs from the "	\
	"pointers of " names "; the text \"elec ri~\" ends directly before it"
#define BY_MEMORY "call qword ptr [rax + 8]' at 0x400206 in play + 0x6"
	{ "another lowest byte", MEMORY(401328), 0, 0, 0, FOUND(BY_MEMORY, 401328, "alpha") },
	{ "another lowest byte, in the middle of other data", MEMORY(401344), 0, 0, 0, FOUND(BY_MEMORY, 401344, "alpha") },
	{ "one of two", MEMORY(401328), 0, 0, 1, FOUND(BY_MEMORY, 401328, "alpha or beta") },
	{ "one of three", MEMORY(401328), 0, 0, 2, FOUND(BY_MEMORY, 401328, "alpha or beta or gamma") },
	{ "one of four", MEMORY(401328), 0, 0, 3, FOUND(BY_MEMORY, 401328, "alpha or beta or gamma or others") },
	{ "a table that begins there", MEMORY(401320), 0, 0, 0, "" }, { "another byte, too", MEMORY(401228), 0, 0, 0, "" },
	{ "a table of C", MEMORY(401340), 0, 0, 0, "" }, { "a part of a table without type information", MEMORY(401328), 1, 0, 0, "" },
	{ "a part of a table with its type", MEMORY(401328), 0x401380, 0, 0, "" },
	{ "a part of a table with other words", MEMORY(401328), 0x401340, 0, 0, FOUND(BY_MEMORY, 401328, "alpha") },
	{ "the table's head", MEMORY(401318), 0, 0, 0, FOUND(BY_MEMORY, 401318, "alpha") },
	{ "a pointer to nothing that has a name", MEMORY(401360), 0, 0, 0, FOUND(BY_MEMORY, 401360, "alpha") },
	{ "outside of modules", MEMORY(801328), 0, 0, 0, "" },
	{ "a function pointer of the object itself", "rip=900100 rsp=8000 rax=8100 rdi=8100", "\xff\x50\x08", 0x401328, 0, 0, 0, "" },
	{ "the function's address in a register", REGISTER(401328), 0, 0, 0,
	  FOUND("call rax' at 0x400207 in play + 0x7", 401328, "alpha") },
	{ "another function's address", REGISTER(401328), 0, 0x900101, 0, "" },
};
static const struct own *owned;		/* NULL: a message of an abort */

/* glibc's mapping with the text of an abort: its size, which includes these 4 bytes, and the text. */
static const struct said {
	const char *bytes;
	unsigned size, read;		/* bytes in the dump, and those of the text that are read */
	const char *text;		/* NULL: none */
} texts[] = {
	{ "\016\0\0\0free(): a\nbad one", 21, 10, "free(): a" }, { "\005\0\0\0xy", 6, 1, "x" },
	{ "\004\0\0\0xy", 6, 0, NULL }, { "\006\0\0\0\n\n", 6, 2, NULL }, { "\005\0\0\001xy", 6, 2, "xy" },
	{ "\007\0\0\0x\0y", 7, 1, "x" },
}, *said;

static void
add_own(struct synth *synth)
{
	static const char maps[] = "00008000-00009000 rw-p 00000000 00:00 0 [stack]\n"
				   "00400000-00402000 r-xp 00000000 00:00 0 /program\n";
	const uint64_t type = owned != NULL && owned->type > 1 ? owned->type : 0;
	const uint64_t slot = owned != NULL && owned->slot != 0 ? owned->slot : 0x900100;

	synth_memory(synth, 0x30000, said->bytes, said->size, false);
	synth_memory(synth, 0x501300, "\0\0\3\0\0\0\0", 8, false);
	synth_stream(synth, 0x47670009, maps, sizeof(maps) - 1);
	synth_exception(synth, 1, owned == NULL ? 6 : 11, 1, 0x900100);
	if (owned == NULL)
		return;
	synth_memory(synth, 0x400206, owned->call, 3, false);
	synth_memory(synth, owned->pointer + 8, synth_words64(synth, &slot, 1), 8, false);
	if (owned->type != 0)
		synth_memory(synth, 0x401320, synth_words64(synth, &type, 1), 8, false);
}

/* `own` NULL: the library calls abort() of the program, which is at another address than its file says. */
static void
test_own_file(const struct own *own)
{
	static const char names[] = "\0__abort_msg\0_ZTV5alpha\0ops\0_ZTI5alpha\0_ZTV4beta\0_ZTV5gamma\0_ZTV5delta";
	static const struct {
		unsigned name, at, size;
	} symbols[] = { { 1, 0x1300, 8 }, { 13, 0x1310, 0x20 }, { 24, 0x1340, 0x10 }, { 28, 0x1380, 8 },
			{ 39, 0x1390, 0x20 }, { 49, 0x13b0, 0x20 }, { 60, 0x13d0, 0x20 } };
	char memory[200];
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .stack = 0x8000, .memory = memory,
		.registers = own != NULL ? own->registers : "rip=700210 rsp=8800",
		.modules = { { own != NULL ? 0x400000 : 0x500000, 0x5000, "program",
			       own != NULL ? "FUNC 200 100 0 play\n" : "FUNC 200 100 0 abort\n" },
			     { 0x700000, 0x5000, "library", "STACK CFI INIT 200 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n" } },
		.more = add_own,
	};
	struct scene_noted noted = { .log = { scene_find_read }, .address = 0x30004, .size = said->read };
	const char *folder = root;
	struct staged staged;
	struct image image;
	uint8_t id[16];
	char text[600] = "", wanted[600];

	memset(id, 0x11, sizeof(id));
	image_elf(&image, true, false, 62, id, sizeof(id), false);
	image.at = IMAGE_SYMBOLS;
	/* Each name is in the list twice, as in .symtab and .dynsym. */
	for (size_t i = 0, count = own != NULL ? 4 + own->tables : 1; i < 2 * count; i++)
		image_symbol(&image, symbols[i % count].name, 1, IMAGE_BASE + symbols[i % count].at, symbols[i % count].size, 4);
	image_symbol_table(&image, names, sizeof(names));
	put_bytes("program", image.bytes, image.size);
	snprintf(memory, sizeof(memory), "8000=400209 8800=500210 80f0=1fffffffffffffff 80f8=7e69722063656c65 8108=900100 "
		 "8100=%" PRIx64, own != NULL ? own->pointer : 0);
	owned = own;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct binaries *binaries = binaries_create(&staged.crash, &folder, 1);
	staged.crash.log = own == NULL ? &noted.log : NULL;
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, binaries, NULL);
	for (size_t i = 0; i < analysis->finding_count; i++)
		if (own == NULL || analysis->findings[i].kind == FINDING_VIRTUAL_TABLE) {
			strcat(text, analysis->findings[i].text);
			for (size_t j = 0; j < analysis->findings[i].evidence_count; j++)
				strcat(strcat(text, "; "), analysis->findings[i].evidence[j]);
		}
	snprintf(wanted, sizeof(wanted), "abort was called%s%s; the reason is SIGABRT / 0x00000001",
		 said->text != NULL ? "; glibc's message: " : "", text_or_empty(said->text));
	if (own == NULL) {
		is_str(text, wanted, "glibc's variable in the program's own file leads to the message of an abort");
		is_u64(noted.found, said->read > 0, "the read of the message is noted");
	}
	snprintf(wanted, sizeof(wanted), "the pointer to the virtual table of the object at 0x8100 was overwritten; %s",
		 own != NULL ? own->expected : "");
	if (own != NULL)
		is_str(text, own->expected[0] != '\0' ? wanted : "", "a call by a pointer to a virtual table: %s", own->title);
	analysis_free(analysis);
	binaries_free(binaries);
	scene_close(&staged);
}

int
main(void)
{
	test_examples();
	test_panics();
	test_thrown();
	folder_make();
	for (said = texts; said < texts + ARRAY_COUNT(texts); said++)
		test_own_file(NULL);
	said = texts;
	for (size_t i = 0; i < ARRAY_COUNT(owns) && instruction_unsupported(arch_by_id(ARCH_AMD64)) == NULL; i++)
		test_own_file(&owns[i]);
	folder_remove();
	return done_testing();
}
