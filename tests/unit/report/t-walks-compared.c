/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walks_compared.h"
#include "tests/lib/tap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "crash/crash.h"

/*
 * Two walks are aligned by their stack pointers. Each walk is written as a text: a letter for the
 * pc and the stack pointer, a digit, of each frame; a capital stands for the same pc, scanned.
 */
static void
make_walk(struct walk *walk, const struct crash *crash, const char *text)
{
	*walk = (struct walk){ .arch = arch_by_id(ARCH_AMD64), .crash = crash, .complete = true };
	walk->frames = calloc(strlen(text) + 1, sizeof(*walk->frames));
	for (; *text != '\0'; text += 2) {
		struct frame *frame = &walk->frames[walk->count++];

		frame->module = MODULE_NONE;
		frame->trust = isupper((unsigned char)text[0]) ? TRUST_SCAN : TRUST_CFI;
		registers_set(&frame->registers, walk->arch->pc,
			      (uint64_t)tolower((unsigned char)text[0]));
		registers_set(&frame->registers, walk->arch->sp, (uint64_t)(text[1] - '0'));
	}
}

static const struct {
	const char *title, *left, *right;
	const char *signs;	/* of each row, '=' for a blank */
	size_t same;
} cases[] = {
	{ "walks that are the same", "a1b2c3", "a1b2c3", "===", 3 },
	{ "a frame that one side alone has", "a1b2c3", "a1c3", "=!=", 2 },
	{ "the other way round", "a1c3", "a1b2c3", "=!=", 2 },
	{ "another function at the same place", "a1b2c3", "a1x2c3", "=!=", 2 },
	{ "the same function, found by a scan", "a1b2c3", "a1B2c3", "=!=", 2 },
	{ "the first difference and the next ones", "a1b2c3d4", "a1x2y3d4", "=!~=", 2 },
	{ "a walk that ends early", "a1b2c3", "a1", "=!<", 1 },
	{ "a walk that goes on", "a1", "a1b2c3", "=!>", 1 },
	{ "frames between", "a1b3c5", "a1x2y4c5", "=!<>=", 2 },
	{ "the first frames stand beside each other always", "a1b2", "a2b2", "!=", 1 },
};

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
	const struct listing listing =
		walks_listing(&(struct walks_side){ &left, "left", "" },
			      &(struct walks_side){ &right, "right", "" }, &arena);
	for (size_t i = 0; i + 1 < listing.count && i < sizeof(signs) - 1; i++) {
		row_clear(&row);
		listing_fill(&listing, i, 80, &row);
		signs[i] = row_text(&row)[0] == ' ' ? '=' : row_text(&row)[0];
	}
	is_str(signs, cases[index].signs, "%s", cases[index].title);
	is_u64(walks_counts(&listing).same, cases[index].same, "%s: rows that are the same",
	       cases[index].title);
	free(left.frames);
	free(right.frames);
	arena_free(&arena);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		test_case(i);
	return done_testing();
}
