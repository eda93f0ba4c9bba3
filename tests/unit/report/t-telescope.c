/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/telescope.h"

#include "dump/dump.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

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
	synth_thread(synth, 1, registers, STACK64, synth_words64(synth, words, (DEEP_FRAMES + 100) * DEEP_WORDS),
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

	while (i < count && a->parts[i].kind == b->parts[i].kind && a->parts[i].address == b->parts[i].address &&
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
	ok(pieces.index.reached.parts > 100 && pieces.index.reached.parts < whole.index.part_count / 20,
	   "words after the requested ones are not examined");
	ok(same_parts(&pieces.index, &whole.index, pieces.index.reached.parts), "the requested words keep their rows");
	is_u64(telescope_address(&listing, listing.count - 1), STACK64 + 8 * ((DEEP_FRAMES + 100) * DEEP_WORDS - 1),
	       "the rest has a row for each word");
	const size_t parts = pieces.index.reached.parts;
	listing = telescope_listing(&options, &arena);
	is_u64(pieces.index.reached.parts, parts, "the rest is not examined with each listing");
	while (telescope_more(&listing))
		calls++;
	ok(calls > 20, "the rest is examined in more than 20 parts");
	ok(pieces.index.part_count == whole.index.part_count && same_parts(&pieces.index, &whole.index, whole.index.part_count),
	   "the rest in parts is that of one call");
	is_u64(telescope_listing(&options, &arena).count, rows, "the listing in parts has the same rows");
	test_walk_before(&options, walk, &arena);
	telescope_state_free(&whole);
	telescope_state_free(&pieces);
	walk_free(walk);
	arena_free(&arena);
	crash_free(&crash);
	free(dump);
}
