/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The extent of walks: frames of threads that share a stack, the limit of frames, hidden answers
 * for a learner, symbol files that are read later; and the names of methods. */
#include "base/limits.h"
#include "tests/unit/walk/scene.h"
#include "walk/step.h"

/* A recursion: each frame is a return address, 8 bytes. */
#define RULES ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define EIGHT "8010=401010 8018=401010 8020=401010 8028=401010 8030=401010 8038=401010 8040=401010 8048=401010 "
/* The descriptor that the C library keeps at the bottom of a thread's stack: the block from 6000
 * on, its size and that of its guard page. */
#define THREAD_BLOCK "8100=6000 8108=4000 8110=1000"

static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8010", EIGHT THREAD_BLOCK,
	      { { 0x400000, 0x5000, "a", "FUNC 1000 20 0 f\nSTACK CFI INIT 1000 20 " RULES },
	      { 0x500000, 0x5000, "b", "FUNC 1000 20 0 g\n" } });
#define FRAMES 9u

static struct walk *
begin(const struct staged *staged)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	return walk_create(&staged->crash, staged->symbols, NULL, 0, &policy);
}

/* Check a walk's number of frames and the words of its end. */
static void
ends(struct walk *walk, size_t frames, const char *words, const char *title)
{
	walk_run(walk, 0);
	is_u64(walk->count, frames, "%s", title);
	if (!ok(strstr(walk->end.text, words) != NULL, "the end has its reason"))
		tap_diag("%s", walk->end.text);
	walk_free(walk);
}

static void
test_shared(struct staged *staged)
{
	static const char limit[] = "the limit of frames for threads that share their stacks is reached";
	static const struct {
		const char *title;
		size_t shared;
		int requesting;
		size_t frames;
	} cases[] = {
		{ "threads that share a stack have so many frames", 4, -1, 4 },
		{ "the thread that crashed has all frames of a shared stack", 4, 0, FRAMES },
		{ "a stack of as many frames is whole", FRAMES + 1, -1, FRAMES }, { "a stack of its own has no limit", 0, -1, FRAMES },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		staged->crash.shared_frames = cases[i].shared;
		staged->crash.requesting_thread = cases[i].requesting;
		ends(begin(staged), cases[i].frames, cases[i].frames == 4 ? limit : "return address", cases[i].title);
	}
	staged->crash.shared_frames = 0;
	staged->crash.requesting_thread = -1;
}

/* The stack has ff0 bytes from 8010 on. */
static void
test_bottom(struct staged *staged)
{
	static const struct {
		const char *title;
		uint64_t shared;
		int requesting;
		unsigned kind;		/* the bottom's kind */
	} cases[] = {
		{ "the bottom of a stack that is no other thread's is searched", 0, -1, BOTTOM_THREAD },
		{ "the bottom of a shared stack is searched if the rest of it is short", 0xff0, -1, BOTTOM_THREAD },
		{ "the bottom of a shared stack is not searched if the rest of it is longer", 0xfef, -1, BOTTOM_UNKNOWN },
		{ "the bottom of the crashed thread's shared stack is searched", 0xfef, 0, BOTTOM_THREAD },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		staged->crash.shared_bytes = cases[i].shared;
		staged->crash.requesting_thread = cases[i].requesting;
		struct walk *walk = begin(staged);
		is_u64(walk->bottom.kind, cases[i].kind, "%s", cases[i].title);
		is_u64(walk->bottom.address, cases[i].kind == BOTTOM_THREAD ? 0x8100 : 0, "the bottom has its address");
		walk_free(walk);
	}
	staged->crash.shared_bytes = 0;
	staged->crash.requesting_thread = -1;
}

static void
test_limits(struct staged *staged)
{
	struct walk *walk = begin(staged);

	walk_run(walk, 3);
	ok(walk->count == 3 && !walk->complete, "a walk has as many frames as are asked for");
	walk->frames[2].inlined = LIMIT_FRAMES - 3;
	ok(walk_extend(walk) && walk->frames[3].inlined == LIMIT_FRAMES - 3, "inlined calls are counted with the frames");
	ends(walk, 4, "the limit of 1,048,576 frames is reached", "the limit is that of both");

	walk = begin(staged);
	walk->horizon = (struct walk_horizon){ .blind = BLIND_WALK, .frame = 2 };
	ok(!walk_is_blind(walk, 1) && walk_is_blind(walk, 2), "frames from the horizon on are hidden");
	ends(walk, 3, "hidden until it is predicted", "a walk ends there");

	walk = begin(staged);
	walk->horizon = (struct walk_horizon){ .blind = BLIND_OFF, .frame = 2 };
	ends(walk, FRAMES, "return address", "a walk without a learner has no horizon");

	struct crash_context *context = &staged->crash.threads[0].context;
	context->present = false;
	ends(begin(staged), 0, "the dump has no registers for this thread", "a thread without registers has no frame");
	context->present = true;
	context->arch = arch_by_id(ARCH_UNKNOWN);
	ends(begin(staged), 0, "its stacks cannot be walked", "a processor without a table has no frame");
	context->arch = staged->crash.system.arch;
}

/* How many frames suffice for a view of a walk that goes on. */
static const struct {
	size_t count, frames;
	bool complete, is;
} little_more_cases[] = {
	{ 5, 5, false, true },	    { 6, 5, false, false }, { 2047, 1024, false, true }, { 2048, 1024, false, false },
	{ 1026, 1023, false, false }, { 1024, 1025, false, false }, { 2047, 1024, true, false }, { 2047, 2047, true, true },
};

TEST_EACH(little_more, little_more_cases)
{
	const struct walk walk = { .count = little_more_cases[i].count, .complete = little_more_cases[i].complete };

	ok(walk_is_little_more(&walk, little_more_cases[i].frames) == little_more_cases[i].is, "%zu of %zu frames %s",
	   little_more_cases[i].frames, little_more_cases[i].count, little_more_cases[i].is ? "will do" : "are too few");
}

TEST(frozen)
{
	struct staged staged;

	scene_open(&staged, &scene);
	struct walk *before = begin(&staged);
	walk_freeze_symbols(before);
	ok(walk_missing_symbols(before) == MODULE_NONE && walk_lacks_symbols(before, 0) &&
		   walk_lacks_symbols(before, 1) && !walk_lacks_symbols(before, MODULE_NONE),
	   "a walk that waits for no symbol file lacks those that nothing has read");
	ok(walk_symfile(before, 1) == NULL && walk_symfile(before, 0) == NULL && walk_missing_symbols(before) == 1,
	   "the walk remembers the first symbol file that it would have needed");
	const struct symfile *file = symbols_load(staged.symbols, 0);
	ok(file != NULL && walk_symfile(before, 0) == NULL && walk_lacks_symbols(before, 0),
	   "a symbol file that is read meanwhile is not used by the walk");
	struct walk *behind = begin(&staged);
	ok(!walk_lacks_symbols(behind, 0), "a walk without a snapshot lacks no symbol file");
	walk_freeze_symbols(behind);
	ok(walk_symfile(behind, 0) == file && !walk_lacks_symbols(behind, 0) &&
		   walk_missing_symbols(behind) == MODULE_NONE, "a snapshot has the symbol file that was read before");
	ok(walk_symfile(behind, MODULE_NONE) == NULL && walk_missing_symbols(behind) == MODULE_NONE, "no module has no symbols");
	ends(before, 1, "", "the recursion is one frame without rules");
	ends(behind, FRAMES, "return address", "the recursion is as deep as it was with rules");
	struct walk *without = walk_create(&staged.crash, NULL, NULL, 0, &(struct policy){ .value[POLICY_STACK_BOTTOM] = 1 });
	walk_freeze_symbols(without);
	ok(!walk_lacks_symbols(without, 0) && walk_symfile(without, 0) == NULL, "a walk without symbols has no snapshot of them");
	walk_free(without);
	scene_close(&staged);
}

/* The code with which a process begins: 96 bytes, or up to the next function of its module. */
TEST(start)
{
	static const struct scene two = SCENE(AMD64, LINUX, "rip=401010 rsp=8010", "",
		      { { 0x400000, 0x5000, "a", "STACK CFI INIT 1000 16 " RULES "STACK CFI INIT 1020 20 " RULES } });
	static const struct {
		uint64_t entry, address;
		bool in;
	} cases[] = {
		{ 0, 0x10, false },	       { 0x700000, 0x700000, true }, { 0x700000, 0x70005f, true },  { 0x700000, 0x700060, false },
		{ 0x700000, 0x6fffff, false }, { 0x401000, 0x401000, true }, { 0x401000, 0x401015, true },  { 0x401000, 0x401020, false },
		{ 0x401000, 0x40105f, false }, { 0x402000, 0x40205f, true }, { 0x402000, 0x402060, false },
	};
	struct staged staged;

	scene_open(&staged, &two);
	struct walk *walk = begin(&staged);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		walk->bottom.entry = cases[i].entry;
		ok(walk_is_in_start(walk, cases[i].address) == cases[i].in, "%llx is %sof the code from %llx on",
		   (unsigned long long)cases[i].address, cases[i].in ? "" : "not ", (unsigned long long)cases[i].entry);
	}
	walk_free(walk);
	scene_close(&staged);
}

/* A WoW64 thread has two contexts: one is walked, the other one is mentioned. */
TEST(contexts)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	scene_open(&staged, &scene);
	struct crash_context *context = &staged.crash.threads[0].context;
	struct crash_context native = *context;
	struct walk *walk = begin(&staged);
	ok(walk_other_context(walk) == NULL, "most threads have one context");
	walk_free(walk);
	native.registers.value[16] = 0x401018;
	context->native = &native;
	policy.value[POLICY_NATIVE_CONTEXT] = 0;
	walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);
	ok(walk->frames[0].lookup == 0x401010 && walk_other_context(walk) == &native,
	   "the program's is walked, the native one is the other");
	walk_free(walk);
	policy.value[POLICY_NATIVE_CONTEXT] = 1;
	walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);
	ok(walk->frames[0].lookup == 0x401018 && walk_other_context(walk) == context,
	   "a walk can have the other one of a thread's two contexts");
	walk_free(walk);
	context->native = NULL;
	scene_close(&staged);
}

TEST(methods)
{
	static const struct {
		const char *text;
		enum method_id method;	/* METHOD_COUNT: no method has the name */
	} names[] = {
		{ "stack-cfi", METHOD_STACK_CFI },   { "Stack CFI", METHOD_STACK_CFI },
		{ "SFRAME", METHOD_SFRAME },	     { "bad call", METHOD_BAD_CALL }, { "frame-pointer", METHOD_FRAME_POINTER },
		{ "stack_cfi", METHOD_COUNT },	     { "stack-cf", METHOD_COUNT },
		{ "stack-cfi ", METHOD_COUNT },	     { "stack.cfi", METHOD_COUNT }, { "", METHOD_COUNT },
	};
	static const struct {
		const char *list, *problem;
	} bad[] = {
		{ "", "'%s' is not a method" },
		{ "sframe,sfram", "'%s' is not a method; methods are stack-cfi, sframe, frame-pointer, stack-scan and others" },
		{ "code,code,code,code,code,code,code,code,code,code,code,code,code,code,code,code,"
		  "code,code,code,code,code,code,code,code,code,code,code,code,code,code,code,code,code", "'%s' names too many methods" },
	};
	struct policy policy = policy_column(POLICY_UNSPOOL);
	enum method_id method, list[METHOD_COUNT];
	char option[32];

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		const bool found = method_named(names[i].text, strlen(names[i].text), &method);

		ok(found == (names[i].method != METHOD_COUNT) && (!found || method == names[i].method), "the method '%s'", names[i].text);
	}
	is_str(method_option(METHOD_STACK_WIN, option, sizeof(option)), "stack-win", "a method's name as options have it");
	ok(method_named(option, strlen(option), &method) && method == METHOD_STACK_WIN, "the name of a method as an option names it again");
	is_str(method_name(METHOD_COUNT), "", "no method has no name");
	ok(methods_choose(&policy, "sframe,stack cfi,link-register") == NULL && policy.method_count == 3 &&
		   policy.methods[0] == METHOD_SFRAME && policy.methods[1] == METHOD_STACK_CFI, "a list is chosen in its order");
	ok(method_order(ARCH_AMD64, &policy, list) == 2 && list[0] == METHOD_SFRAME && list[1] == METHOD_STACK_CFI,
	   "methods that the processor does not have are skipped");
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		const char *problem = methods_choose(&policy, bad[i].list);
		is_str(problem != NULL ? problem : "none", bad[i].problem, "a list is refused");
		ok(policy.method_count == 3, "a refused list leaves the policy as it was");
	}
}

int
main(void)
{
	struct staged staged;

	scene_open(&staged, &scene);
	test_shared(&staged);
	test_bottom(&staged);
	test_limits(&staged);
	scene_close(&staged);
	run_tests();
	return done_testing();
}
