/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/surroundings.h"

#include "tests/unit/walk/scene.h"

/* The names of three modules' addresses. The symbols of the third were not loaded; 402000 is a word of the dump. */
static void
add_word(struct synth *synth)
{
	synth_memory(synth, 0x402000, "\x11\x22\x33\x44", 4, false);
}

static const struct scene named = {
	.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=401000 rsp=8000", .stack = 0x8000,
	.modules = { { 0x400000, 0x4000, "/bin/app.exe",
		       "FUNC 1000 20 0 main\nFUNC 1100 10 0 _ZN2ns1fEi\nPUBLIC 1200 0 a!b\nPUBLIC 1300 0 only\n" },
		     { 0x500000, 0x1000, "/lib/app.so.1", "FUNC 100 10 0 main\nFUNC 200 10 0 other\n" },
		     { 0x600000, 0x1000, "/lib/bare", NULL } },
	.more = add_word,
};

static const struct {
	const char *name;
	uint64_t address;	/* 0: not found */
} found[] = {
	{ "main", 0x401000 }, { "app!main", 0x401000 }, { "app.exe!main", 0x401000 }, { "app.so!main", 0x500100 },
	{ "app.so.1!main", 0x500100 }, { "app.so.1!other", 0x500200 }, { "app!other", 0x500200 }, { "app.so.!main", 0 },
	{ "app.exe!other", 0 }, { "ap!main", 0 }, { "app.exe2!main", 0 }, { "App!main", 0 }, { "bpp!main", 0 }, { "!main", 0 },
	{ "app!", 0 }, { "app.exe!", 0 }, { "", 0 }, { "nothing", 0 }, { "a!b", 0x401200 }, { "app!a!b", 0x401200 },
	{ "app.exe!a!b", 0x401200 }, { "bare!main", 0 }, { "ns::f", 0x401100 }, { "ns::f(int)", 0x401100 }, { "app!ns::f", 0x401100 },
};

static const struct {
	uint64_t address;
	const char *text, *parts;	/* module, base, name, start, size, line of the record */
} described[] = {
	{ 0x401000, "main", "0 400000 main 401000+20 app:2" }, { 0x40101f, "main + 0x1f", "0 400000 main 401000+20 app:2" },
	{ 0x401105, "ns::f(int) + 0x5", "0 400000 ns::f(int) 401100+10 app:3" },
	{ 0x401210, "a!b + 0x10 (?)", "0 400000 a!b 401200+0 app:4 uncertain" },
	{ 0x400fff, "app.exe + 0xfff", "0 400000  0+0" }, { 0x403fff, "only + 0x2cff (?)", "0 400000 only 401300+0 app:5 uncertain" },
	{ 0x401200, "a!b", "0 400000 a!b 401200+0 app:4" },
	{ 0x404000, "", "none" }, { 0x3fffff, "", "none" }, { 0x500200, "other", "1 500000 other 500200+10 app:3" },
	{ 0x600010, "bare + 0x10", "2 600000  0+0" },
};

TEST(names)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct surroundings around;
	struct arena arena = { 0 };
	struct staged staged;

	scene_open(&staged, &named);
	ok(surroundings_init(&around, &staged.crash, staged.symbols, NULL, &policy, NULL), "look-ups begin");
	uint64_t address = 0;
	ok(surroundings_symfile(&around, 0) == NULL && !surroundings_find(&around, text_of("main"), &address) &&
	   surroundings_symfile(&around, MODULE_NONE) == NULL, "symbols are not loaded without need");
	is_str(text_copy(&arena, surroundings_describe(&around, 0x401000, &arena)), "app.exe + 0x1000", "an address of a file that is not loaded");
	around.loads = true;
	for (size_t i = 0; i < ARRAY_COUNT(found); i++) {
		address = 0;
		ok(surroundings_find(&around, text_of(found[i].name), &address) == (found[i].address != 0),
		   "'%s' is found, or not", found[i].name);
		is_u64(address, found[i].address, "the address of '%s'", found[i].name);
	}
	for (size_t i = 0; i < ARRAY_COUNT(described); i++) {
		struct surrounding_name name;
		char text[100] = "none", place[32] = "";

		if (surroundings_name(&around, described[i].address, &name)) {
			if (name.place.input != NULL)
				snprintf(place, sizeof(place), " app:%" PRIu32, name.place.line);
			snprintf(text, sizeof(text), "%d %" PRIx64 " %.*s %" PRIx64 "+%" PRIx64 "%s%s%s%s", name.module, name.base,
				 (int)name.name.length, name.name.start, name.start, name.size, place, name.uncertain ? " uncertain" : "",
				 name.stub ? " stub" : "", name.data ? " data" : "");
		}
		is_str(text_copy(&arena, surroundings_describe(&around, described[i].address, &arena)), described[i].text, "the name at 0x%" PRIx64,
		       described[i].address);
		is_str(text, described[i].parts, "the symbol at 0x%" PRIx64, described[i].address);
	}
	surroundings_free(&around);
	arena_free(&arena);
	scene_close(&staged);
}

/* The dump has four bytes at 402000; no file is known. */
TEST(read)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	uint8_t bytes[8] = { 0 };
	struct surroundings around;
	struct staged staged;
	struct place place = { 0 };
	bool from_file = true;

	scene_open(&staged, &named);
	surroundings_init(&around, &staged.crash, NULL, NULL, &policy, NULL);
	is_u64(surroundings_read(&around, 0x402002, bytes, sizeof(bytes), &from_file, &place), 2, "the dump has two of eight bytes");
	ok(bytes[0] == 0x33 && bytes[1] == 0x44 && bytes[2] == 0 && !from_file && place.input == &staged.crash.file.input,
	   "the bytes are those of the dump");
	is_u64(surroundings_read(&around, 0x402002, bytes, 1, NULL, NULL), 1, "the origin need not be asked for");
	is_u64(surroundings_read(&around, 0x403000, bytes, 1, &from_file, &place), 0, "there are no bytes without memory and file");
	ok(from_file, "bytes that the dump lacks are a file's");
	ok(surroundings_heap(&around) == NULL && around.heap_searched && surroundings_heap(&around) == NULL, "there is no heap without libc");
	surroundings_free(&around);
	scene_close(&staged);
}

/* The architecture is that of the crashed thread's context, else of the first context, else of the system. */
static const struct {
	const char *title;
	int requesting;
	enum arch_id contexts[2];	/* ARCH_COUNT: none */
	enum arch_id arch;
} contexts[] = {
	{ "the crashed thread's", 1, { ARCH_X86, ARCH_ARM }, ARCH_ARM }, { "the first thread's", -1, { ARCH_X86, ARCH_ARM }, ARCH_X86 },
	{ "the second thread's", -1, { ARCH_COUNT, ARCH_ARM }, ARCH_ARM }, { "the only one", 1, { ARCH_X86, ARCH_COUNT }, ARCH_X86 },
	{ "the system's", 0, { ARCH_COUNT, ARCH_COUNT }, ARCH_AMD64 },
};

TEST_EACH(architecture, contexts)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct thread threads[2] = { { .id = 1 }, { .id = 2 } };
	struct crash crash = { .threads = threads, .thread_count = 2, .requesting_thread = contexts[i].requesting };
	struct surroundings around;

	crash.system.arch = arch_by_id(ARCH_AMD64);
	for (size_t j = 0; j < 2; j++) {
		threads[j].context.present = contexts[i].contexts[j] != ARCH_COUNT;
		threads[j].context.arch = threads[j].context.present ? arch_by_id(contexts[i].contexts[j]) : NULL;
	}
	surroundings_init(&around, &crash, NULL, NULL, &policy, NULL);
	ok(around.arch == arch_by_id(contexts[i].arch), "the architecture is %s", contexts[i].title);
	surroundings_free(&around);
}

int
main(void)
{
	run_tests();
	return done_testing();
}
