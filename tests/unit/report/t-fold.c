/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/fold.h"

#include "report/report.h"
#include "tests/unit/report/scene.h"

/* Walks written by hand: each letter is a frame at an address of its own outside of all modules, so
 * that equal letters are the same frame and different letters are not. */
static struct walk *
invent(const struct crash *crash, const char *letters, size_t thread)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create(crash, NULL, NULL, thread, &policy);
	size_t count = strlen(letters);

	free(walk->frames);
	walk->frames = calloc(count + 1, sizeof(*walk->frames));
	if (walk->frames == NULL)
		exit(1);
	for (size_t i = 0; i < count; i++)
		walk->frames[i] = (struct frame){ .lookup = 0x90000000 + (unsigned char)letters[i],
						  .trust = i == 0 ? TRUST_CONTEXT : TRUST_CFI, .module = MODULE_NONE };
	walk->count = walk->capacity = count;
	walk->complete = true;
	return walk;
}

/* The runs in `letters`: "first:length x times" for each. */
static const char *
runs_of(struct scene *scene, const char *letters)
{
	struct walk *walk = invent(&scene->crash, letters, 1);
	struct fold fold = { 0 };
	const char *text = "";

	fold_update(&fold, walk);
	for (size_t i = 0; i < fold.run_count; i++)
		text = arena_format(&scene->arena, "%s%s%zu:%zu x %zu", text,
				    i > 0 ? ", " : "", fold.runs[i].first, fold.runs[i].length, fold.runs[i].times);
	fold_free(&fold);
	walk_free(walk);
	return text;
}

static void
test_runs(struct scene *scene)
{
	is_str(runs_of(scene, "abcdefghijkl"), "", "frames that never come again stay");
	is_str(runs_of(scene, "xaaaaaaaay"), "1:1 x 8", "a function that calls itself is a cycle of 1");
	is_str(runs_of(scene, "xaaaaaaay"), "", "seven frames are too few to fold");
	is_str(runs_of(scene, "xabcabcabcy"), "1:3 x 3", "three functions in turn are a cycle of 3");
	is_str(runs_of(scene, "xabcdabcdy"), "", "twice is no recursion yet");
	is_str(runs_of(scene, "xabababababy"), "1:2 x 5", "a turn that is cut short is not folded");
	is_str(runs_of(scene, "aaaaaaaaaaaa"), "1:1 x 11", "the frame that crashed stays");
	is_str(runs_of(scene, "xaaaaaaaabbbbbbbbb"), "1:1 x 8, 9:1 x 9", "one recursion follows another");
	is_str(runs_of(scene, "xaaaaaaaabaaaaaaaabaaaaaaaab"), "1:9 x 3", "the cycle that holds the most frames counts");
	is_str(runs_of(scene, ""), "", "a walk without frames has no run");
	is_str(runs_of(scene, "a"), "", "one frame is not folded");
}

/* A cycle of `length` frames, repeated; each frame at its own address. */
static void
test_limits(struct scene *scene)
{
	char letters[4 * (FOLD_CYCLE_MAX + 1) + 1];

	for (size_t length = FOLD_CYCLE_MAX; length <= FOLD_CYCLE_MAX + 1; length++) {
		for (size_t i = 0; i < 4 * length; i++)
			letters[i] = (char)(33 + i % length);
		letters[4 * length] = '\0';
		is_str(runs_of(scene, letters), length == FOLD_CYCLE_MAX ? "1:64 x 3" : "", "a cycle of %zu frames is %s", length,
		       length == FOLD_CYCLE_MAX ? "found" : "longer than what is looked for");
	}
}

/* Folding a hostile walk must take linear time; the test's time limit checks it. */
static void
test_deep(struct scene *scene)
{
	enum { DEEP = 1000000 };
	static char letters[DEEP + 1];

	memset(letters, 'a', DEEP);
	is_str(runs_of(scene, letters), "1:1 x 999999", "a million frames fold");
	for (size_t i = 0; i < DEEP; i++)
		letters[i] = (char)('a' + (i % 63 == 0) + (i % 4097 == 0));
	ok(runs_of(scene, letters) != NULL, "a million frames that nearly repeat do not take long");
}

/* Nested cycles, cut anywhere, of a walk that grows: the runs equal those of all frames. */
static void
test_pieces(struct scene *scene)
{
	enum { FRAMES = 4000 };
	char letters[FRAMES + 1] = "x";
	unsigned random = 16, same = 0, looks = 0;
	struct fold fold = { 0 };

	for (size_t i = 1; i < FRAMES;) {
		random = random * 1103515245u + 12345u;
		const size_t length = 1 + (random >> 16) % 12, times = 1 + (random >> 20) % 5;
		const size_t around = length * times + (random >> 24) % 8, start = i;

		for (; i < FRAMES && i < start + around * (1 + (random >> 28) % 6); i++)
			letters[i] = i >= start + around	   ? letters[i - around] : i >= start + length &&
						     i < start + length * times ? letters[i - length]
					     : (char)('!' + (i * i >> 3) % 90);
	}
	struct walk *walk = invent(&scene->crash, letters, 1);
	for (walk->count = 1; walk->count < FRAMES; looks++) {
		struct fold whole = { 0 };
		random = random * 1103515245u + 12345u;
		walk->count += 1 + (random >> 16) % 90;
		if (walk->count > FRAMES)
			walk->count = FRAMES;
		fold_update(&fold, walk);
		fold_update(&whole, walk);
		same += fold.run_count == whole.run_count &&
			(whole.run_count == 0 || memcmp(fold.runs, whole.runs, whole.run_count * sizeof(*whole.runs)) == 0);
		fold_free(&whole);
	}
	is_u64(same, looks, "however a walk grows, its recursions are those of all its frames");
	struct walk going = { .count = 5000 };
	ok(walk_is_little_more(&going, 2501) && !walk_is_little_more(&going, 2500) && walk_is_little_more(&going, 5000),
	   "results for more than half of a walk's frames are used");
	going.count = 1100;
	ok(!walk_is_little_more(&going, 1000) && walk_is_little_more(&going, 1024), "results for less than 1024 frames are not used");
	going.complete = true;
	ok(!walk_is_little_more(&going, 1024) && walk_is_little_more(&going, 1100), "a complete walk needs results for all its frames");
	ok(fold.run_count > 10 && fold.settled > FRAMES / 2, "most frames are not examined again");
	fold_free(&fold);
	walk_free(walk);
}

static void
test_growing(struct scene *scene)
{
	struct walk *walk = invent(&scene->crash, "xabababababababy", 1);
	struct fold fold = { 0 };

	walk->count = 5;
	fold_update(&fold, walk);
	is_u64(fold.run_count, 0, "a walk that has begun has no recursion yet");
	walk->count = 11;
	fold_update(&fold, walk);
	is_u64(fold_run_frames(&fold.runs[0]), 10, "the walk has a recursion after more frames");
	walk->count = 16;
	fold_update(&fold, walk);
	is_u64(fold_run_frames(&fold.runs[0]), 14, "the recursion grows with the walk");
	is_u64(fold.runs[0].trusts[TRUST_CFI], 14, "the recursion counts how its frames were found");
	ok(fold_run_of(&fold, 1) == fold.runs && fold_run_of(&fold, 14) == fold.runs,
	   "the first and the last frame of the recursion are in it");
	ok(fold_run_of(&fold, 0) == NULL && fold_run_of(&fold, 15) == NULL, "the frames around the recursion are not in it");
	fold_free(&fold);
	walk_free(walk);
}

static void
test_symbols(struct scene *scene)
{
	struct fold fold = { 0 };

	fold_update(&fold, scene->walk);
	is_u64(fold.count, 3, "every frame of a real walk is looked at");
	is_u64(fold.frames[0].calls, 3, "a frame has its inlined calls");
	is_u64(fold.frames[2].calls, 1, "a frame without inlined calls has one call");
	fold_free(&fold);
}

static void
test_threads(struct scene *scene)
{
	static const char *const stacks[] = { "xyz", "abc", "xyz", "xy", "xyz", "abc", "" };
	enum { COUNT = sizeof(stacks) / sizeof(stacks[0]) };
	struct fold_thread threads[COUNT];
	struct fold folds[COUNT] = { 0 };
	struct walk *walks[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		walks[i] = invent(&scene->crash, stacks[i], 1);
		fold_update(&folds[i], walks[i]);
		threads[i] = (struct fold_thread){ walks[i], &folds[i], 0, COUNT };
	}
	walks[5]->complete = false;
	fold_threads(threads, COUNT, &scene->arena);
	is_u64(threads[0].leader, 0, "the first thread of its kind leads");
	is_u64(threads[2].leader, 0, "the next one with its frames follows");
	is_u64(threads[4].leader, 0, "another thread with the frames of the first follows it");
	is_u64(threads[3].leader, 3, "fewer frames are other frames");
	is_u64(threads[5].leader, 5, "a walk that is not at its end may still differ");
	is_u64(threads[6].leader, 6, "a thread without frames is alone");
	threads[4].state = 1;
	walks[2]->frames[1].trust = TRUST_SCAN;
	fold_free(&folds[2]);
	fold_update(&folds[2], walks[2]);
	fold_threads(threads, COUNT, &scene->arena);
	is_u64(threads[2].leader, 2, "a frame that was guessed is not the same as one that was found");
	is_u64(threads[4].leader, 4, "a thread in another state is another thread");
	for (size_t i = 0; i < COUNT; i++) {
		fold_free(&folds[i]);
		walk_free(walks[i]);
	}
}

/* True if the second of two threads follows the first because their calls are equal. */
static bool
are_alike(struct scene *scene, const char *first, const char *second)
{
	struct walk *walks[] = { invent(&scene->crash, first, 1), invent(&scene->crash, second, 1) };
	struct fold folds[2] = { 0 };
	struct fold_thread threads[2];

	for (size_t i = 0; i < 2; i++) {
		fold_update(&folds[i], walks[i]);
		threads[i] = (struct fold_thread){ walks[i], &folds[i], 0, 2 };
	}
	fold_threads(threads, 2, &scene->arena);
	for (size_t i = 0; i < 2; i++) {
		fold_free(&folds[i]);
		walk_free(walks[i]);
	}
	return threads[1].leader == 0;
}

static void
test_depth(struct scene *scene)
{
	ok(are_alike(scene, "xray", "xraaaay"), "recursions of any depth are the same");
	ok(are_alike(scene, "xababy", "xababababy"), "recursions of several functions are the same at any depth");
	ok(are_alike(scene, "xaby", "xababy"), "two turns are as good as one");
	ok(!are_alike(scene, "xaby", "xabay"), "half a turn is another call");
	ok(!are_alike(scene, "xay", "xy"), "a missing function is a difference");
	ok(!are_alike(scene, "xaby", "xbay"), "another order of functions is a difference");
	ok(are_alike(scene, "xaabaaby", "xaby"), "a recursion in a recursion is one");
}

/* Each thread follows the first one with its calls, for any number of different threads. */
static void
test_kinds(struct scene *scene)
{
	static const char *const stacks[] = { "abc", "def", "abc", "ghi", "def", "ghi", "abd" };
	static const size_t leaders[] = { 0, 1, 0, 3, 1, 3, 6 };
	enum { COUNT = sizeof(stacks) / sizeof(stacks[0]) };
	struct fold_thread threads[COUNT];
	struct fold folds[COUNT] = { 0 };
	struct walk *walks[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		walks[i] = invent(&scene->crash, stacks[i], 1);
		fold_update(&folds[i], walks[i]);
		threads[i] = (struct fold_thread){ walks[i], &folds[i], 0, COUNT };
	}
	fold_threads(threads, COUNT, &scene->arena);
	for (size_t i = 0; i < COUNT; i++) {
		is_u64(threads[i].leader, leaders[i], "thread %zu of three kinds and one more", i);
		fold_free(&folds[i]);
		walk_free(walks[i]);
	}
}

/* A walk whose frames are looked up at addresses of the scene. */
static struct walk *
invent_at(struct scene *scene, const uint64_t *addresses, size_t count)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create(&scene->crash, scene->symbols, NULL, 1, &policy);

	free(walk->frames);
	walk->frames = calloc(count, sizeof(*walk->frames));
	if (walk->frames == NULL)
		exit(1);
	for (size_t i = 0; i < count; i++)
		walk->frames[i] = (struct frame){ .lookup = addresses[i], .trust = TRUST_CFI, .module = MODULE_NONE };
	walk->count = walk->capacity = count;
	walk->complete = true;
	return walk;
}

/* When two calls are equal: in a cycle by the function, in threads by the line as well. */
static void
test_places(struct scene *scene)
{
	static const struct {
		const char *title;
		uint64_t one, other;
		bool cycle, threads;
	} cases[] = {
		{ "one address", 0x401005, 0x401005, true, true }, { "one line", 0x401005, 0x401008, true, true },
		{ "two lines of a function", 0x401005, 0x401025, true, false },
		{ "a function and an inlined call in it", 0x401005, 0x401012, false, false },
		{ "one line of one inlined call", 0x401014, 0x401018, true, true }, { "two functions", 0x401005, 0x401105, false, false },
		{ "addresses of a function without lines", 0x401205, 0x401207, true, false },
		{ "addresses without a name in one module", 0x77000010, 0x77000020, false, false },
		{ "one address without a name", 0x77000010, 0x77000010, true, true },
		{ "addresses in no module", 0x90000000, 0x90000001, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t one = cases[i].one, other = cases[i].other;
		const uint64_t turns[] = { one, one, other, one, other, one, other, one, other };
		struct walk *walk = invent_at(scene, turns, 9);
		struct walk *walks[] = { invent_at(scene, &one, 1), invent_at(scene, &other, 1) };
		struct fold fold = { 0 }, folds[2] = { 0 };
		struct fold_thread threads[2];

		fold_update(&fold, walk);
		is_u64(fold.run_count == 1 ? fold.runs[0].length : 0, cases[i].cycle ? 1 : 2,
		       "frames at %s are %s", cases[i].title, cases[i].cycle ? "one" : "two");
		for (size_t k = 0; k < 2; k++) {
			fold_update(&folds[k], walks[k]);
			threads[k] = (struct fold_thread){ walks[k], &folds[k], 0, 2 };
		}
		fold_threads(threads, 2, &scene->arena);
		is_u64(threads[1].leader, cases[i].threads ? 0 : 1, "threads there are %s", cases[i].threads ? "alike" : "not alike");
		for (size_t k = 0; k < 2; k++) {
			fold_free(&folds[k]);
			walk_free(walks[k]);
		}
		fold_free(&fold);
		walk_free(walk);
	}
}

static void
test_numbers(void)
{
	static const size_t numbers[] = { 3, 5, 6, 7, 9, 10, 60 };
	char text[64], narrow[12];

	is_str(report_numbers(numbers, 7, text, sizeof(text)), "3, 5-7, 9, 10, 60", "three in a row are a range, two are not");
	is_str(report_numbers(numbers, 0, text, sizeof(text)), "", "a list without numbers has no text");
	is_str(report_numbers(numbers, 7, narrow, sizeof(narrow)), "3, 5-7, ...", "numbers that do not fit are replaced by '...'");
	is_str(report_numbers(numbers, 7, narrow, sizeof(narrow) - 1), "3, ...", "the dots must fit");
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_runs(&scene);
	test_limits(&scene);
	test_deep(&scene);
	test_growing(&scene);
	test_pieces(&scene);
	test_symbols(&scene);
	test_depth(&scene);
	test_threads(&scene);
	test_kinds(&scene);
	test_places(&scene);
	test_numbers();
	scene_close(&scene);
	return done_testing();
}
