/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/versus.h"
#include "tests/lib/tap.h"

#include <ctype.h>
#include <stdlib.h>

/* Two walks of one dump are aligned by their stack pointers. Each walk is written as text, two
 * characters a frame: a letter for the pc, a digit for the stack pointer; a capital: found by scan. */
static void
make_walk(struct walk *walk, const struct crash *crash, const char *text)
{
	*walk = (struct walk){ .arch = arch_by_id(ARCH_AMD64), .crash = crash, .complete = true };
	walk->frames = calloc(strlen(text) + 1, sizeof(*walk->frames));
	for (; *text != '\0'; text += 2) {
		struct frame *frame = &walk->frames[walk->count++];
		frame->module = MODULE_NONE;
		frame->trust = isupper((unsigned char)text[0]) ? TRUST_SCAN : TRUST_CFI;
		registers_set(&frame->registers, walk->arch->pc, (uint64_t)tolower((unsigned char)text[0]));
		registers_set(&frame->registers, walk->arch->sp, (uint64_t)(text[1] - '0'));
	}
}

static const struct {
	const char *title, *left, *right;
	const char *signs;	/* the signs of the rows of frames */
	size_t same;
} cases[] = {
	{ "equal walks", "a1b2c3", "a1b2c3", "===", 3 }, { "a frame that only the left side has", "a1b2c3", "a1c3", "=<=", 2 },
	{ "a frame that only the right side has", "a1c3", "a1b2c3", "=>=", 2 },
	{ "another function at the same place", "a1b2c3", "a1x2c3", "=~=", 2 },
	{ "the same function, found by a scan", "a1b2c3", "a1B2c3", "=~=", 2 },
	{ "two functions at the same places", "a1b2c3d4", "a1x2y3d4", "=~~=", 2 }, { "a walk that ends early", "a1b2c3", "a1", "=<<", 1 },
	{ "a walk that goes on", "a1", "a1b2c3", "=>>", 1 }, { "frames between", "a1b3c5", "a1x2y4c5", "=><>=", 2 },
	{ "two innermost frames at different places", "a1b2", "a2b2", "~=", 1 },
};

static struct listing
compare(const struct walk *left, const struct walk *right, const char *why, struct arena *arena)
{
	const struct versus_side sides[] = { { .walk = left, .name = "left", .why = why },
					     { .walk = right, .name = "right", .why = why } };

	return versus_listing(versus_compare(&sides[0], &sides[1], arena), arena);
}

static void
test_case(size_t index)
{
	struct crash crash = { .arena = { 0 } };
	struct walk left, right;
	struct arena arena;
	struct row row;
	char signs[16] = "";

	arena_init(&arena, 0);
	row_init(&row, &arena);
	make_walk(&left, &crash, cases[index].left);
	make_walk(&right, &crash, cases[index].right);
	const struct listing listing = compare(&left, &right, "", &arena);
	for (size_t i = 0; i + 1 < listing.count && i < sizeof(signs) - 1; i++) {
		row_clear(&row);
		listing_fill(&listing, i, 80, &row);
		signs[i] = row_text(&row)[1];
	}
	is_str(signs, cases[index].signs, "the signs are right: %s", cases[index].title);
	is_u64(versus_frames(&listing)->count - versus_frames(&listing)->different,
	       cases[index].same, "the equal rows are counted: %s", cases[index].title);
	free(left.frames);
	free(right.frames);
	arena_free(&arena);
}

/* Rows with a frame on the right lead to it; each side says where its frame is. */
TEST(rows)
{
	static const char *const expect[] = {
		"right: rip 0000000000000061 rsp 0000000000000001",
		"right: rip 0000000000000078 rsp 0000000000000002   left: no frame there",
		"right: no frame there   left: rip 0000000000000062 rsp 0000000000000003",
		"right: rip 0000000000000079 rsp 0000000000000004   left: no frame there",
		"right: rip 0000000000000063 rsp 0000000000000005", "left: its end; right: more follow",
	};
	static const size_t frames[] = { 0, 1, SIZE_MAX, 2, 3, SIZE_MAX };
	struct crash crash = { .arena = { 0 } };
	struct walk left, right;
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	make_walk(&left, &crash, "a1b3c5");
	make_walk(&right, &crash, "a1x2y4c5");
	strcpy(left.end.text, "its end");
	right.complete = false;
	right.thread = 7;
	const struct listing listing = compare(&left, &right, "", &arena);
	is_u64(listing.count, ARRAY_COUNT(expect), "each frame of either side has a row, and so has the end");
	for (size_t i = 0; i < listing.count && i < ARRAY_COUNT(expect); i++) {
		const struct target target = listing_target(&listing, i);
		row_clear(&row);
		listing.explain(&listing, i, &row);
		is_str(row_text(&row), expect[i], "row %zu says where its frames are", i);
		if (frames[i] == SIZE_MAX)
			ok(target.kind != TARGET_FRAME, "the row of the end leads to no frame");
		else
			ok(target.kind == TARGET_FRAME && target.thread == 7 && target.frame == frames[i],
			   "the row leads to the frame of the right side");
	}
	is_u64(versus_row_of(&listing, 1), 1, "a frame has a row");
	is_u64(versus_row_of(&listing, 2), 3, "a frame after one that only the other side has has a row");
	is_u64(versus_row_of(&listing, 99), 4, "a missing frame has the row of the last one");
	row_clear(&row);
	listing_fill(&listing, 5, 0, &row);
	ok(strncmp(row_text(&row), " ~ its end ", 11) == 0 && strstr(row_text(&row), " more follow"),
	   "the last row has both ends: %s", row_text(&row));
	row_clear(&row);
	listing_fill(&listing, 0, 0, &row);
	is_u64((uint64_t)(strrchr(row_text(&row), '0') - row_text(&row)), 67,
	       "a side without columns has 60 of them: the second begins after 3 + 60 + 1");
	for (size_t columns = 1; columns < 90; columns++) {
		row_clear(&row);
		listing_fill(&listing, 1, columns, &row);
		if (row.width > columns && columns >= 9)
			ok(false, "a row fits into %zu columns", columns);
	}
	free(left.frames);
	free(right.frames);
	arena_free(&arena);
}

/* A side without a walk gives the reason, and other listings are not comparisons. */
TEST(none)
{
	struct crash crash = { .arena = { 0 } };
	struct walk left;
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	make_walk(&left, &crash, "a1");
	strcpy(left.end.text, "its end");
	const struct listing listing = compare(&left, NULL, "no such thread", &arena);
	row_clear(&row);
	listing.explain(&listing, 1, &row);
	is_str(row_text(&row), "left: its end; right: no such thread", "a side says why it has no walk");
	is_u64(versus_frames(&listing)->different, 1, "all frames of the other side differ");
	const struct listing none = listing_message("nothing");
	ok(versus_frames(&none) == NULL, "another listing has no compared frames");
	is_u64(versus_row_of(&none, 3), 0, "another listing has no row of a frame");
	free(left.frames);
	arena_free(&arena);
}

int
main(void)
{
	run_tests();
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		test_case(i);
	return done_testing();
}
