/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/surroundings.h"

#include "inspect/thread_block.h"

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
		     { 0x500000, 0x1000, "/lib/app.so.1", "FUNC 100 10 0 main\nFUNC 200 10 0 other\nFUNC 300 10 0 q\n" },
		     { 0x600000, 0x1000, "/lib/bare", NULL } },
	.more = add_word,
};

static const struct {
	const char *name;
	uint64_t address;	/* 0: not found */
} found[] = {
	{ "main", 0x401000 }, { "app!main", 0x401000 }, { "app.exe!main", 0x401000 }, { "app.so!main", 0x500100 },
	{ "app.so.1!main", 0x500100 }, { "app.so.1!other", 0x500200 }, { "app!other", 0x500200 }, { "q", 0x500300 }, { "so!q", 0 },
	{ "app.so!q", 0x500300 }, { "app.so.!main", 0 },
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
	around.loads = true;
	ok(surroundings_symfile(&around, 0) == NULL, "no symbols are there to load");
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

/* A module without a symbol file whose own file is in the tree: the addresses are those that nm prints, from 555555554000 on. */
static void
add_parcel(struct synth *synth)
{
	synth_module(synth, 0x555555554000, 0x5000, "/bin/parcel", "parcel", "56C3B53CDDC62F1A1211E753916F2FBB0");
}

static const struct scene filed = {
	.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=401000 rsp=8000", .stack = 0x8000, .more = add_parcel,
	.modules = { { 0x400000, 0x4000, "/bin/app.exe", "FUNC 1000 20 0 weigh\n" }, { 0x500000, 0x1000, "/lib/bare", NULL } },
	.binaries = "data/crashes/sframe-amd64/binaries",
};

static const struct {
	const char *name;
	uint64_t address;
} in_file[] = {
	{ "sort_and_weigh", 0x5555555551dd }, { "parcel!main", 0x55555555524d }, { "weigh", 0x401000 }, { "parcel!weigh", 0x5555555551b8 },
	{ "app!weigh", 0x401000 }, { "parcel!_init", 0x555555555000 }, { "parcel!", 0 }, { "app!sort_and_weigh", 0 }, { "bare!main", 0 },
	{ "sort_and", 0 }, { "parcel!print_label", 0x555555555145 },
};

static const struct {
	uint64_t address;
	const char *text, *parts;
} in_file_described[] = {
	{ 0x5555555551dd, "sort_and_weigh", "2 sort_and_weigh 5555555551dd+70" }, { 0x500010, "bare + 0x10", "1  0+0" },
	{ 0x55555555524c, "sort_and_weigh + 0x6f", "2 sort_and_weigh 5555555551dd+70" },
	{ 0x401010, "weigh + 0x10", "0 weigh 401000+20 file" },
	{ 0x55555555524d, "main", "2 main 55555555524d+6d" }, { 0x555555558014, "shown", "2 shown 555555558014+4 data" },
	{ 0x555555558017, "shown + 0x3", "2 shown 555555558014+4 data" }, { 0x555555558ff0, "parcel + 0x4ff0", "2  0+0" },
	{ 0x555555555030, "__cxa_finalize@plt", "2 __cxa_finalize@plt 555555555030+6 stub" },
	{ 0x555555556003, "_IO_stdin_used + 0x3", "2 _IO_stdin_used 555555556000+4 data" },
};

TEST(files)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct surroundings around;
	struct arena arena = { 0 };
	struct staged staged;
	struct place place = { 0 };
	uint8_t bytes[4] = { 0 };
	bool from_file = false;

	scene_open(&staged, &filed);
	for (size_t pass = 0; pass < 2; pass++) {
		policy.value[POLICY_FILE_NAMES] = pass == 0;
		ok(surroundings_init(&around, &staged.crash, staged.symbols, staged.binaries, &policy, NULL), "look-ups begin");
		around.loads = true;
		for (size_t i = 0; i < ARRAY_COUNT(in_file); i++) {
			const bool there = in_file[i].address != 0 && (pass == 0 || in_file[i].address == 0x401000);
			uint64_t address = 0;

			ok(surroundings_find(&around, text_of(in_file[i].name), &address) == there, "'%s' is found in a file, or not", in_file[i].name);
			is_u64(address, there ? in_file[i].address : 0, "the address of '%s'", in_file[i].name);
		}
		for (size_t i = 0; pass == 0 && i < ARRAY_COUNT(in_file_described); i++) {
			struct surrounding_name name;
			char text[100];

			surroundings_name(&around, in_file_described[i].address, &name);
			snprintf(text, sizeof(text), "%d %.*s %" PRIx64 "+%" PRIx64 "%s%s", name.module, (int)name.name.length, name.name.start, name.start,
				 name.size, name.stub ? " stub" : name.data ? " data" : "", name.symfile != NULL ? " file" : "");
			is_str(text, in_file_described[i].parts, "the symbol of a file at 0x%" PRIx64, in_file_described[i].address);
			is_str(text_copy(&arena, surroundings_describe(&around, in_file_described[i].address, &arena)), in_file_described[i].text,
			       "the name of a file at 0x%" PRIx64, in_file_described[i].address);
		}
		is_u64(surroundings_read(&around, 0x5555555551de, bytes, 3, &from_file, &place), 3, "the file has bytes that the dump lacks");
		ok(memcmp(bytes, "\x48\x89\xe5", 3) == 0 && from_file && place.input != NULL && place.offset == 0x11de, "their place is in the file");
		surroundings_free(&around);
	}
	arena_free(&arena);
	scene_close(&staged);
}

/* A chain of handlers is found by a search of the stack: its handler is in code of the program's file, or the file is unknown. */
static void
add_kiosk(struct synth *synth)
{
	synth_module(synth, 0x400000, 0x5000, "c:\\kiosk.exe", "kiosk.pdb", "5927407275412C1C4C4C44205044422E1");
	synth_module_version(synth, 0, 0, 0x6736e9c6);
}

static const struct {
	uint64_t handler;
	bool loads, found;
} handlers[] = {
	{ 0x403010, false, true }, { 0x401000, true, true }, { 0x401102, true, true }, { 0x402000, true, false }, { 0x403010, true, false },
	{ 0x400100, true, false }, { 0x404800, true, false }, { 0x3fffff, true, false }, { 0x405000, false, false },
};

TEST_EACH(handlers, handlers)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct surroundings around;
	struct arena arena = { 0 };
	struct seh_chain chain;
	struct staged staged;
	char memory[40];

	snprintf(memory, sizeof(memory), "8010=ffffffff 8014=%" PRIx64, handlers[i].handler);
	const struct scene scene = SCENE(X86, WINDOWS, "eip=401000 esp=8000", memory, { { 0 } }, .more = add_kiosk,
					 .binaries = "data/crashes/pdb-x86/binaries");
	scene_open(&staged, &scene);
	surroundings_init(&around, &staged.crash, staged.symbols, staged.binaries, &policy, NULL);
	around.loads = handlers[i].loads;
	ok(seh_chain_read(&chain, &around, 0, &arena) == handlers[i].found && chain.count == handlers[i].found && !chain.from_block,
	   "a handler at %" PRIx64 " is code, or not", handlers[i].handler);
	surroundings_free(&around);
	arena_free(&arena);
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
