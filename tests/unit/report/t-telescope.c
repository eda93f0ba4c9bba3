/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/telescope.h"

#include "tests/unit/report/scene.h"

static struct memory_view view;
static struct telescope_state state;

static struct listing
telescope_of(struct scene *scene, const struct step_view *step, unsigned base)
{
	const struct telescope_options options = {
		.crash = &scene->crash,
		.memory = &view,
		.walk = scene->walk,
		.step = step,
		.state = &state,
		.base = base,
	};

	return telescope_listing(&options, &scene->arena);
}

/* Frame k goes from its esp to that of k + 1: 12f000, 12f010, 12f020 by scene.h. */
static void
test_rows(struct scene *scene, const struct step_view *step)
{
	struct listing stack = telescope_of(scene, step, 16);
	/* Each row, where it leads, and what explains it; `at` is an address, a frame or a line. */
	static const struct {
		enum target_kind kind;
		uint64_t at;
		const char *row, *text;
	} rows[] = {
		{ TARGET_FRAME, 0, " -- frame 0  ctx  crash  16 (0x10) bytes --",
		  "from 0012f000 on: -- frame 0  ctx  crash  16 (0x10) bytes --" },
		{ TARGET_PLACE, 0, " 0012f000  64636261   0  esp of 0            \"abcd\"",
		  "[0012f000] = 64636261   test.dmp+0x414   \"abcd\"" },
		{ TARGET_PLACE, 0, " 0012f004  00401130   0                      main + 0x30?",
		  "[0012f004] = 00401130   test.dmp+0x418   main + 0x30?" },
		{ TARGET_MEMORY, 0x12f018, " 0012f008 *0012f018   0  ebp of 0, token 9   saved ebp of frame 1: into the stack, frame 1 -> 0",
		  "[0012f008] = 0012f018   test.dmp+0x41c   saved ebp of frame 1: into the stack, frame 1 -> 0   from   app.sym:16:61" },
		{ TARGET_FRAME, 1, " 0012f00c *00401110   0  token 7             return to main + 0x10",
		  "[0012f00c] = 00401110   test.dmp+0x420   return to main + 0x10   from   app.sym:16:44" },
		{ TARGET_PLACE, 16, " == CFA of frame 0: the esp of frame 1 ==",
		  "0012f010 = CFA of frame 0: the esp of frame 1   app.sym:16:30" },
		{ TARGET_FRAME, 1, " -- frame 1  cfi  main  16 (0x10) bytes --",
		  "from 0012f010 on: -- frame 1  cfi  main  16 (0x10) bytes --" },
		{ TARGET_MEMORY, 0x12f004, " 0012f010  0012f004   1  esp of 1, cfa of 0  into the stack, frame 0 -> main + 0x30?",
		  "[0012f010] = 0012f004   test.dmp+0x424   into the stack, frame 0 -> main + 0x30?" },
		{ TARGET_PLACE, 0, " 0012f014  00000000   1                      0",
		  "[0012f014] = 00000000   test.dmp+0x428   0" },
		{ TARGET_PLACE, 0, " 0012f018  00000000   1  ebp of 1            saved ebp of frame 2",
		  "[0012f018] = 00000000   test.dmp+0x42c   saved ebp of frame 2   from   app.sym:17:61" },
		{ TARGET_FRAME, 2, " 0012f01c  00401205   1                      return to start + 0x5 (?)",
		  "[0012f01c] = 00401205   test.dmp+0x430   return to start + 0x5 (?)   from   app.sym:17:44" },
		{ TARGET_PLACE, 17, " == CFA of frame 1: the esp of frame 2 ==",
		  "0012f020 = CFA of frame 1: the esp of frame 2   app.sym:17:30" },
		{ TARGET_FRAME, 2, " -- frame 2  cfi  start + 0x5 (?)  end unknown --",
		  "from 0012f020 on: -- frame 2  cfi  start + 0x5 (?)  end unknown --" },
		{ TARGET_FOLD, 0x12f020, "   +       ...        2  16 words, all 00000000",
		  "0012f020 to 0012f05f; Space opens them" },
	};

	is_u64(stack.count, ARRAY_COUNT(rows), "24 words, 3 frames and the ends of 2 are 14 rows");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct target target = listing_target(&stack, i);

		is_str(scene_row(scene, &stack, i, 0), rows[i].row, "row %zu", i);
		is_u64(target.kind, rows[i].kind, "the kind of row %zu's target", i);
		is_u64(target.kind == TARGET_FRAME ? target.frame
		       : target.kind == TARGET_PLACE ? target.place.line : target.address, rows[i].at, "the target of row %zu", i);
		is_str(scene_explain(scene, &stack, i), rows[i].text, "the explanation of row %zu", i);
	}
	is_str(scene_row(scene, &stack, 3, 58),
		" 0012f008 *0012f018   0  ebp of 0  saved ebp of frame 1: ~",
		"the marks at the end are left out with less room");
	is_str(scene_row(scene, &stack, 3, 50),
		" 0012f008 *0012f018   0  saved ebp of frame 1: in~",
		"the reading is kept without marks if there is little room");
	row_clear(&scene->row);
	listing_head(&stack, 58, &scene->row);
	is_str(row_text(&scene->row), " address   value     fr  marks     reading         ^ grows",
		"the head names the columns and says which way the stack grows");
	row_clear(&scene->row);
	listing_head(&stack, 38, &scene->row);
	is_str(row_text(&scene->row), " address   value     fr  reading",
		"a narrow heading names only the columns");
}

#define STACK64 UINT64_C(0x7ffc00001000)
#define DEEP_FRAMES 20000u
#define DEEP_WORDS 12u

/* Frames with frame pointers; the words between them repeat, are text, or point to code. */
static uint8_t *
deep_dump(size_t *size)
{
	const uint64_t registers[17] = { [6] = STACK64 + 80, [7] = STACK64, [16] = 0x400100 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	uint64_t *words = calloc((DEEP_FRAMES + 100) * DEEP_WORDS, sizeof(*words));

	for (size_t i = 0; words != NULL && i < DEEP_FRAMES; i++) {
		uint64_t *frame = words + i * DEEP_WORDS;

		frame[3] = i % 7 == 0 ? UINT64_C(0x6867666564636261) : i % 3;
		frame[5] = i % 5 == 0 ? 0x400123 : 0;
		frame[10] = STACK64 + 8 * ((i + 1) * DEEP_WORDS + 10);
		frame[11] = i + 1 < DEEP_FRAMES ? 0x400200 + i % 64 : 0;
	}
	synth_module(synth, 0x400000, 0x1000, "/bin/app", NULL, NULL);
	synth_thread(synth, 1, registers, STACK64,
		     synth_words64(synth, words, (DEEP_FRAMES + 100) * DEEP_WORDS),
		     (DEEP_FRAMES + 100) * DEEP_WORDS * sizeof(*words));
	uint8_t *dump = synth_finish(synth, size);
	synth_free(synth);
	free(words);
	return dump;
}

static bool
same_parts(const struct telescope_index *a, const struct telescope_index *b, size_t count)
{
	size_t i = 0;

	while (i < count && a->parts[i].kind == b->parts[i].kind &&
	       a->parts[i].address == b->parts[i].address &&
	       a->parts[i].count == b->parts[i].count && a->parts[i].frame == b->parts[i].frame &&
	       a->parts[i].row == b->parts[i].row && a->parts[i].open_row == b->parts[i].open_row)
		i++;
	return i == count;
}

/* All of the first walk's memory is indexed. The other walks have the same frames. */
static void
test_walk_before(struct telescope_options *options, struct walk *walk, struct arena *arena)
{
	const struct telescope_index *index = &options->state->index;
	const size_t parts = index->reached.parts;
	struct walk *others[2];
	size_t reached[ARRAY_COUNT(others)];

	for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
		others[i] = walk_create(walk->crash, NULL, NULL, 0, &walk->policy);
		walk_run(others[i], 0);
		options->walk = others[i];
		telescope_listing(options, arena);
		options->walk = walk;
		telescope_listing(options, arena);
		reached[i] = index->reached.parts;
	}
	is_u64(reached[0], parts, "the index is kept while another walk is shown");
	is_u64(reached[1], parts, "it is kept however often the walk is left");
	telescope_state_forget(options->state);
	options->walk = walk;
	telescope_listing(options, arena);
	ok(index->reached.parts < parts / 20, "a forgotten walk is indexed anew");
	walk_free(others[0]);
	walk_free(others[1]);
}

TEST(piece_by_piece)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct telescope_state whole = { 0 }, pieces = { 0 };
	struct memory_view memory;
	struct arena arena = { 0 };
	struct crash crash;
	struct error error;
	size_t size, calls = 0;
	uint8_t *dump = deep_dump(&size);

	dump_from_memory(&crash, "deep.dmp", dump, size, 0, &error);
	memory_view_all(&memory, &crash, &arena);
	struct walk *walk = walk_create(&crash, NULL, NULL, 0, &policy);
	walk_run(walk, 0);
	is_u64(walk->count, DEEP_FRAMES, "a deep stack is walked");
	struct telescope_options options = {
		.crash = &crash, .memory = &memory, .walk = walk, .state = &whole, .base = 16
	};
	const size_t rows = telescope_listing(&options, &arena).count;
	options.state = &pieces;
	options.until = STACK64;
	struct listing listing = telescope_listing(&options, &arena);
	ok(pieces.index.reached.parts > 100 &&
		   pieces.index.reached.parts < whole.index.part_count / 20,
	   "words after the requested ones are not examined");
	ok(same_parts(&pieces.index, &whole.index, pieces.index.reached.parts),
	   "the requested words keep their rows");
	is_u64(telescope_address(&listing, listing.count - 1),
	       STACK64 + 8 * ((DEEP_FRAMES + 100) * DEEP_WORDS - 1),
	       "the rest has a row for each word");
	const size_t parts = pieces.index.reached.parts;
	listing = telescope_listing(&options, &arena);
	is_u64(pieces.index.reached.parts, parts, "the rest is not examined with each listing");
	while (telescope_more(&listing))
		calls++;
	ok(calls > 20, "the rest is examined in more than 20 parts");
	ok(pieces.index.part_count == whole.index.part_count &&
		   same_parts(&pieces.index, &whole.index, whole.index.part_count),
	   "the rest in parts is that of one call");
	is_u64(telescope_listing(&options, &arena).count, rows,
	       "the listing in parts has the same rows");
	test_walk_before(&options, walk, &arena);
	telescope_state_free(&whole);
	telescope_state_free(&pieces);
	walk_free(walk);
	arena_free(&arena);
	crash_free(&crash);
	free(dump);
}

int
main(void)
{
	struct scene scene;
	struct step_view step;

	scene_open(&scene);
	memory_view_all(&view, &scene.crash, &scene.arena);
	step_view_make(&step, scene.walk, 0);
	test_rows(&scene, &step);
	run_tests();
	step_view_free(&step);
	telescope_state_free(&state);
	scene_close(&scene);
	return done_testing();
}
