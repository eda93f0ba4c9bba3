/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fill patterns. The values come from the allocators' own sources and documents. */
#include "analysis/analysis_internal.h"
#include "inspect/fill_pattern.h"
#include "report/stack/walk_text.h"
#include "tests/unit/walk/scene.h"

#define LAST_OFFSET 0xfffu	/* offset of a member of the object that the pattern points at */

static const struct known {
	uint64_t value;
	bool freed;
	const char *who;		/* text in its description */
} known[] = {
	/* mozjemalloc: kAllocPoison, kAllocJunk; jemalloc: JEMALLOC_FREE_JUNK, JEMALLOC_ALLOC_JUNK */
	{ 0xe5e5e5e5, true, "Mozilla's jemalloc" }, { 0xe4e4e4e4, false, "Mozilla's jemalloc" },
	{ 0x5a5a5a5a, true, "jemalloc" }, { 0xa5a5a5a5, false, "jemalloc" },
	/* The debug heap of Visual C++: _bDeadLandFill, _bCleanLandFill, _bNoMansLandFill; /RTCs */
	{ 0xdddddddd, true, "Microsoft's C library" }, { 0xcdcdcdcd, false, "Microsoft's C library" },
	{ 0xfdfdfdfd, false, "Microsoft's debug heap" }, { 0xcccccccc, false, "Microsoft's compiler" },
	/* The heap of Windows: freed, not yet written, after a block */
	{ 0xfeeefeee, true, "Windows heap" }, { 0xbaadf00d, false, "Windows heap" }, { 0xabababab, false, "Windows heap" },
	/* malloc(3) of macOS, MallocScribble */
	{ 0x55555555, true, "macOS" }, { 0xaaaaaaaa, false, "macOS" },
	/* max_malloc_fill_size */
	{ 0xbebebebe, false, "AddressSanitizer" },
	/* js/public/MemoryChecking.h and Utility.h: JS_SWEPT_NURSERY_PATTERN and so on; POISON_FREE of slabs */
	{ 0x2b2b2b2b, true, "SpiderMonkey" }, { 0x2f2f2f2f, false, "SpiderMonkey" },
	{ 0x49494949, true, "SpiderMonkey" }, { 0x4b4b4b4b, true, "SpiderMonkey" }, { 0x6b6b6b6b, true, "Linux slabs" },
	/* mozPoison: the frame poison of 32 bits */
	{ 0xf0dea7ff, true, "frame poison" }, { 0xdeadbeef, false, "marker" }, { 0xdeaddead, false, "marker" },
	{ 0xdeadc0de, false, "marker" },
	/* WTF: CRASH() */
	{ 0xbbadbeef, false, "WebKit" }, { 0xfefefefe, true, "freed memory" }, { 0xefefefef, true, "freed memory" },
};

/* True if a value is this pattern on an architecture. */
static bool
is_said(enum arch_id arch, uint64_t value, const char *who)
{
	const char *said = fill_pattern_meaning(NULL, arch_by_id(arch), value);

	return said != NULL && strstr(said, who) != NULL;
}

/* True if no other pattern of the same words is near. */
static bool
is_alone(const struct known *row)
{
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (&known[i] != row && strcmp(known[i].who, row->who) == 0 &&
		    (known[i].value > row->value ? known[i].value - row->value : row->value - known[i].value) <= 2 * LAST_OFFSET)
			return false;
	return true;
}

static void
test_reach(const struct known *row)
{
	const uint64_t twice = row->value << 32 | row->value;

	ok(is_said(ARCH_X86, row->value, row->who) && is_said(ARCH_X86, row->value + LAST_OFFSET, row->who),
	   "0x%llx is a pattern, with offsets below 0x1000", (unsigned long long)row->value);
	ok(!is_alone(row) || (!is_said(ARCH_X86, row->value - 1, row->who) &&
			      !is_said(ARCH_X86, row->value + LAST_OFFSET + 1, row->who)),
	   "addresses next to the range of the pattern do not match");
	ok(is_said(ARCH_AMD64, twice, row->who) && is_said(ARCH_AMD64, twice + LAST_OFFSET, row->who) &&
		   !is_said(ARCH_AMD64, twice - 1, row->who) && !is_said(ARCH_AMD64, twice + LAST_OFFSET + 1, row->who),
	   "a word of 64 bits that has the pattern twice matches");
	ok(is_said(ARCH_AMD64, row->value, row->who), "a word of 64 bits that has the pattern once matches");
	ok(fill_pattern_meaning(NULL, arch_by_id(ARCH_X86), twice) == NULL, "a processor of 32 bits has no pattern of 64 bits");
}

static void
test_wide(uint64_t value, const char *who)
{
	ok(is_said(ARCH_AMD64, value, who) && is_said(ARCH_AMD64, value + LAST_OFFSET, who) &&
		   !is_said(ARCH_AMD64, value - 1, who) && !is_said(ARCH_AMD64, value + LAST_OFFSET + 1, who),
	   "0x%llx is a pattern of 64 bits", (unsigned long long)value);
	ok(fill_pattern_meaning(NULL, arch_by_id(ARCH_X86), value) == NULL, "a processor of 32 bits does not have the pattern");
	ok(fill_pattern_meaning(NULL, NULL, value) == NULL, "an unknown processor has no pattern");
}

/* mov eax, [ecx], of x86, where ecx has the pattern. */
static void
add_read(struct synth *synth)
{
	static const uint8_t code[] = { 0x8b, 0x01 };

	synth_exception(synth, 1, 0xc0000005, 0, 0x400100);
	synth_parameter(synth, 0);
	synth_parameter(synth, 0xffffffff);
	synth_memory(synth, 0x400100, code, sizeof(code), false);
}

/* Two registers have the pattern: ecx, which the instruction uses, and edx. */
static void
test_used(const struct known *row)
{
	char registers[80], text[80];
	struct staged staged;
	const struct scene scene = {
		.arch = ARCH_X86, .os = CRASH_OS_WINDOWS, .registers = registers, .more = add_read
	};
	size_t told = 0;

	snprintf(registers, sizeof(registers), "eip=400100 esp=7001800 ecx=%llx edx=%llx",
		 (unsigned long long)row->value, (unsigned long long)row->value + 8);
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	if (instruction_unsupported(staged.walk->arch) != NULL) {
		skip(4, "no disassembler");
	} else if (is_u64(analysis->poison_count, 2, "both registers with 0x%llx are found", (unsigned long long)row->value)) {
		const struct analysis_poison *used = &analysis->poisons[0],
					     *other = &analysis->poisons[1];

		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)row->value);
		is_str(used->pattern, text, "the pattern of a register is named");
		ok(used->freed == row->freed && other->freed == row->freed && used->value == row->value &&
		   other->value == row->value + 8, "the pattern marks memory that is %s", row->freed ? "freed" : "not freed");
		for (size_t i = 0; i < analysis->finding_count; i++)
			told += analysis->findings[i].kind == FINDING_POISON ||
				analysis->findings[i].kind == FINDING_USE_AFTER_FREE;
		is_u64(told, 1, "a pattern in a register that the instruction does not use is no finding");
	}
	analysis_free(analysis);
	scene_close(&staged);
}

/* Four to eight letters from ' ' to '~', and only zeros after them. */
static void
test_text(void)
{
	static const struct {
		uint64_t value;
		const char *text;	/* NULL: no pattern */
	} values[] = {
		{ 0x64636261, "abcd" }, { 0x6867666564636261, "abcdefgh" }, { 0x6564636261, "abcde" },
		{ 0x636261, NULL }, { 0, NULL }, { 0x7e7e2020, "  ~~" }, { 0x7f636261, NULL },
		{ 0x6463621f, NULL }, { 0x1f636261, NULL }, { 0x6400626164636261, NULL }, { 0xe4636261, NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		char text[9] = "?";
		const size_t length = analysis_text(values[i].value, text);

		is_u64(length, values[i].text != NULL ? strlen(values[i].text) : 0, "0x%llx is %s",
		       (unsigned long long)values[i].value, values[i].text != NULL ? "text" : "no text");
		if (length > 0)
			is_str(text, values[i].text, "a word is text in the order of its bytes");
	}
}

#define SIXTY "aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb"

/* Names of functions in sentences: of more than 60 bytes only the part before the parameters is shown. */
static void
test_names(void)
{
	static const struct {
		const char *name, *shown, *untyped;	/* untyped NULL: the name */
		bool library;
	} names[] = {
#define N(name, shown) { name, shown, NULL, false }
		N(SIXTY, SIXTY), N(SIXTY "c", SIXTY "..."), N("f(" SIXTY ")", "f(...)"),
		N("f<g(int)>(" SIXTY ")", "f<g(int)>(...)"), N("operator->(" SIXTY ")", "operator->(...)"),
		N(SIXTY "(int)", SIXTY "(...)"), N(SIXTY "c(int)", SIXTY "..."),
		N("(" SIXTY, "(aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbb..."),
		{ "void f<int>(long)", "void f<int>(long)", "f<int>(long)", false },
		{ "a b<c d>(int)", "a b<c d>(int)", "b<c d>(int)", false }, N("int f(long)", "int f(long)"),
		N("a b<c>", "a b<c>"), N("bool operator< <a>(b)", "bool operator< <a>(b)"),
		N("a<b> c<d e> (f)", "a<b> c<d e> (f)"), N("mystd::f", "mystd::f"), N("", ""),
		{ "void std::f<int>(long)", "void std::f<int>(long)", "std::f<int>(long)", true },
		{ "std::f(int)", "std::f(int)", NULL, true }, { "<core::a as b>::c", "<core::a as b>::c", NULL, true },
		{ "<core::a as b>::f<c>", "<core::a as b>::f<c>", NULL, true },
		{ "void std::(anonymous namespace)::f<int>(int)", "void std::(anonymous namespace)::f<int>(int)",
		  "std::(anonymous namespace)::f<int>(int)", true },
		N("app::(anonymous namespace)::f(" SIXTY ")", "app::(anonymous namespace)::f(...)"),
		{ "alloc::f", "alloc::f", NULL, true }, { "__gnu_cxx::f", "__gnu_cxx::f", NULL, true },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		const struct text name = text_of(names[i].name), untyped = analysis_untyped(name);
		is_str(text_copy(&arena, analysis_short(name, &arena)), names[i].shown, "a long name is shortened");
		is_str(text_copy(&arena, untyped), names[i].untyped != NULL ? names[i].untyped : names[i].name,
		       "a name of a template loses the type of its result");
		ok(analysis_in_library(name) == names[i].library, "%s is of a standard library, or not", names[i].name);
	}
	ok(analysis_is_plain(" ~") && !analysis_is_plain("") && !analysis_is_plain("a\x1f") && !analysis_is_plain("\x7f"),
	   "a plain text has only printable characters of ASCII, and one at least");
	arena_free(&arena);
}

static void
add_gone(struct synth *synth)
{
	synth_exception(synth, 1, 0xc0000005, 0, 0x700010);
	/* Committed, read and write */
	synth_memory_info(synth, 0x7000, 0x2000, 0x1000, 0x04, 0x20000);
	synth_memory_info(synth, 0x400000, 0x2000, 0x1000, 0x20, 0x1000000);
}

static void
add_unloaded(struct synth *synth)
{
	add_gone(synth);
	synth_unloaded(synth, 0x700000, 0x1000, "c:\\gone.dll", 1);
}

static void
add_called(struct synth *synth)
{
	add_unloaded(synth);
	synth_memory(synth, 0x40100b, "\xe8\x00\xf0\x2f\x00", 5, false);	/* to 401010 + 2ff000 */
}

/* Execution continued where a module had been: by a call, or by a return of an older function. */
#define WENT "95: the program went to 0x700010, gone.dll + 0x10, after that module had been unloaded; the unloaded modules "	\
	"have gone.dll at 0x700000 to 0x700fff"
#define BELOW "; the word below the stack pointer, which a return has just read, is the program counter"
static const struct {
	const char *title, *memory;
	void (*more)(struct synth *synth);
	const char *text;		/* the first finding with its evidence */
} unloaded[] = {
	{ "code of an unloaded module", "8000=401010", add_unloaded, WENT },
	{ "a call of an unloaded module", "8000=401010", add_called,
	  WENT "; 'call 0x700010' at 0x40100b in app.exe + 0x100b likely led there" },
	{ "a return to an unloaded module", "7ff8=700010", add_unloaded, WENT BELOW },
	{ "a return to where no module was", "7ff8=700010", add_gone,
	  "90: a function returned to 0x700010: its return address was overwritten" BELOW },
};

static void
test_unloaded(size_t index)
{
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_WINDOWS, .registers = "rip=700010 rsp=8000",
		.stack = 0x7000, .stack_size = 0x2000, .memory = unloaded[index].memory, .more = unloaded[index].more,
		.modules = { { 0x400000, 0x2000, "app.exe", NULL } },
	};
	struct staged staged;
	char text[500] = "";

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	if (analysis->finding_count > 0)
		finding_text(&analysis->findings[0], text, sizeof(text));
	is_str(text, unloaded[index].text, "the first finding is about %s", unloaded[index].title);
	analysis_free(analysis);
	scene_close(&staged);
}

/* The printed walk shows patterns too, unlike minidump_stackwalk. */
static void
test_words(void)
{
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_WINDOWS, .registers = "rip=700010 rsp=8000",
		.stack = 0x7000, .stack_size = 0x2000, .more = add_unloaded,
		.memory = "8ff0=6463626100000000 8ff8=6b6a6968676665",
		.modules = { { 0x400000, 0x2000, "app.exe", NULL } },
	};
	const struct walk_text_thread thread = { .index = 0 };
	struct explain explain = { 0 };
	char text[20];
	bool walked[1];
	struct walk_text_options options = { .walked = walked };
	struct output_string string;
	struct arena arena = { 0 };
	struct staged staged;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	memory_view_all(&explain.memory, &staged.crash, &arena);
	ok(analysis_string(&explain, 0x8ff4, text, 9) && strcmp(text, "abcdefgh") == 0 &&
	   analysis_string(&explain, 0x8ff4, text, 20) && strcmp(text, "abcdefghijk") == 0,
	   "a text is read up to its end, or as far as there is room");
	for (int breakpad = 0; breakpad < 2; breakpad++) {
		options.breakpad = breakpad;
		output_string_init(&string, &arena);
		walk_text_thread(&string.output, staged.walk, &thread, &options);
		ok(strstr(string.text, breakpad ? "gone.dll + 0x10\n" : "gone.dll + 0x10 (unloaded)\n") != NULL,
		   "a frame in an unloaded module is printed %s", breakpad ? "as Breakpad prints it" : "as such");
	}
	arena_free(&arena);
	scene_close(&staged);
}

/* A pattern is that of its maker if the crash can have the maker: by the system, or by a loaded module. */
static const struct {
	uint64_t value;
	enum crash_os os;
	const char *modules[2];
	bool made;
} makers[] = {
	{ 0xdddddddd, CRASH_OS_WINDOWS, { NULL }, true }, { 0xdddddddd, CRASH_OS_LINUX, { NULL }, false },
	{ 0x55555555, CRASH_OS_MAC, { NULL }, true }, { 0x55555555, CRASH_OS_IOS, { NULL }, true },
	{ 0x55555555, CRASH_OS_LINUX, { NULL }, false }, { 0xe5e5e5e5, CRASH_OS_LINUX, { "/xul/a", "/a/libxul.so" }, true },
	{ 0xe5e5e5e5, CRASH_OS_LINUX, { "/xul/a", "libjemalloc.so.2" }, false },
	{ 0xe5e5e5e5, CRASH_OS_WINDOWS, { "c:\\firefox.exe", "a" }, true }, { 0x2b2b2b2b, CRASH_OS_LINUX, { "a", "thunderbird" }, true },
	{ 0x5a5a5a5a, CRASH_OS_LINUX, { "libjemalloc.so.2", "a" }, true }, { 0x5a5a5a5a, CRASH_OS_LINUX, { "libxul.so", "a" }, false },
	{ 0x5a5a5a5a, CRASH_OS_LINUX, { NULL }, false }, { 0xdeadbeef, CRASH_OS_LINUX, { NULL }, true },
};

static void
test_makers(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(makers); i++) {
		struct module modules[2] = { { .code_file = makers[i].modules[0] }, { .code_file = makers[i].modules[1] } };
		struct crash crash = { .modules = modules, .module_count = makers[i].modules[0] != NULL ? 2 : 0 };

		crash.system.os = makers[i].os;
		ok((fill_pattern_meaning(&crash, arch_by_id(ARCH_AMD64), makers[i].value) != NULL) == makers[i].made,
		   "row %zu: the pattern 0x%" PRIx64 " has its maker, or not", i, makers[i].value);
	}
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
		test_reach(&known[i]);
		test_used(&known[i]);
	}
	test_wide(0x7ffffffff0dea7ff, "frame poison");
	test_wide(0x0defaced0defaced, "Breakpad");
	test_text();
	test_names();
	for (size_t i = 0; i < ARRAY_COUNT(unloaded); i++)
		if (unloaded[i].more != add_called || instruction_unsupported(arch_by_id(ARCH_AMD64)) == NULL)
			test_unloaded(i);
	test_makers();
	test_words();
	return done_testing();
}
