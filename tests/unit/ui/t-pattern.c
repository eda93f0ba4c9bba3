/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "ui/session/session_view.h"

static void
test_matches(void)
{
	static const struct {
		const char *pattern, *text;
		bool found;
		size_t at, length;
		const char *title;
	} cases[] = {
		{ "crash", "CrashFunction", true, 0, 5, "small letters find capitals" },
		{ "Crash", "crash", false, 0, 0, "capitals do not find small letters" },
		{ "Crash", "a Crash", true, 2, 5, "capitals find capitals" },
		{ "", "anything", false, 0, 0, "an empty pattern finds nothing" },
		{ "longer", "long", false, 0, 0, "a text that is too short has no match" },
		{ "0x12fe8c", " 0012fe8c  ", true, 3, 6, "a number is found without its 0x" },
		{ "0x0012fe8c", "[12fe8c]", true, 1, 6, "a number is found without its zeros" },
		{ "0x0", "a 0 b", true, 2, 1, "zero keeps one digit" },
		{ "0xyz", "the 0xyz", true, 4, 4, "a pattern that is not a number is text" },
		{ "0x", "0x10", true, 0, 2, "0x alone is text" }, { "aab", "aaab", true, 1, 3, "a match may begin inside a false start" },
		{ "aab", "xAaAB", true, 2, 3, "a match of either case may begin inside a false start" },
		{ "ba", "B ba", true, 2, 2, "a capital before the match is passed" },
		{ "ba", "b BA", true, 2, 2, "a small letter before the match is passed" },
		{ "ab", "AAb", true, 1, 2, "a capital directly after another may begin the match" },
		{ "ab", "xxab", true, 2, 2, "the last bytes may match" }, { "[a", "{A [A", true, 3, 2, "a sign has no capital" },
		{ "\xc3\xa9", "caf\xc3\xa9", true, 3, 2, "other letters are found as they are" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct pattern search = { 0 };
		size_t at = 0, length = 0;

		pattern_set(&search, cases[i].pattern, false);
		bool found = pattern_in(&search, text_of(cases[i].text), 0, &at, &length);
		ok(found == cases[i].found && at == cases[i].at && length == cases[i].length, "%s", cases[i].title);
	}
}

/* Expressions: the byte where a search from a byte on matches, or -1, and texts that are no expressions. */
static void
test_expressions(void)
{
	static const struct {
		const char *pattern, *text;
		size_t from;
		int at;
		size_t length;
	} cases[] = {
		{ "a.c", "xabcabc", 0, 1, 3 },	{ "a.c", "xabcabc", 2, 4, 3 },	{ "a.c", "xabcabc", 5, -1, 0 },
		{ "A.c", "xabcAbc", 0, 4, 3 },	{ "a.C", "xabcAbc", 0, -1, 0 },	{ "a|B", "Ab", 0, -1, 0 },
		{ "^b", "ab", 1, -1, 0 },	{ "^a", "ab", 0, 0, 1 },	{ "b$", "ab", 1, 1, 1 },
		{ "x*", "aaxx", 0, 2, 2 },	{ "x*", "aaa", 0, -1, 0 },	{ "x*", "", 0, -1, 0 },
		{ "x*", "axa", 2, -1, 0 },	{ "0x10", "0x10", 0, 0, 4 },	{ "x", "x", 1, -1, 0 },
	};
	static char wide[PATTERN_ROW + 3];
	struct pattern search = { 0 };
	size_t at, length;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		at = length = 0;
		pattern_set(&search, cases[i].pattern, true);
		const bool found = pattern_in(&search, text_of(cases[i].text), cases[i].from, &at, &length);
		ok(found == (cases[i].at >= 0) && (!found || ((int)at == cases[i].at && length == cases[i].length)),
		   "'%s' in '%s' from %zu on is at %d", cases[i].pattern, cases[i].text, cases[i].from, cases[i].at);
	}
	memset(wide, 'y', sizeof(wide) - 1);
	wide[PATTERN_ROW - 2] = 'x';
	pattern_set(&search, "x", true);
	ok(pattern_in(&search, text_of(wide), 0, &at, &length) && at == PATTERN_ROW - 2,
	   "an expression matches the last byte that is looked at");
	wide[PATTERN_ROW - 2] = 'y';
	wide[PATTERN_ROW - 1] = 'x';
	ok(!pattern_in(&search, text_of(wide), 0, &at, &length), "the bytes after it are not looked at");
	pattern_set(&search, "a(", true);
	ok(search.wrong[0] != '\0' && pattern_in(&search, text_of("xa("), 0, &at, &length) && at == 1 && length == 2,
	   "what is no expression is searched as text");
	pattern_set(&search, "a(", false);
	ok(search.wrong[0] == '\0', "a text is never wrong");
	pattern_clear(&search);
}

/* The first row of a window: that of `top`, unless the selected row would be out of it or at its edge. */
static void
test_window(void)
{
	static const struct {
		size_t rows, height, selected, top;
		bool center, lead;
		size_t first;
	} cases[] = {
		{ 100, 10, 5, 0, false, false, 0 },	{ 100, 10, 8, 0, false, false, 0 },
		{ 100, 10, 9, 0, false, false, 1 },	{ 100, 10, 50, 0, false, false, 42 },
		{ 100, 10, 20, 20, false, false, 19 },	{ 100, 10, 21, 20, false, false, 20 },
		{ 100, 10, 19, 20, false, false, 18 },	{ 100, 10, 0, 20, false, false, 0 },
		{ 100, 10, 1, 20, false, false, 0 },	{ 100, 10, 99, 0, false, false, 90 },
		{ 100, 10, 95, 95, false, false, 90 },	{ 10, 10, 9, 3, false, false, 0 },
		{ 11, 10, 10, 0, false, false, 1 },	{ 9, 10, 3, 2, false, false, 0 },
		/* No row of a window of four or less is at its edge. */
		{ 100, 4, 20, 20, false, false, 20 },	{ 100, 4, 23, 20, false, false, 20 },
		{ 100, 4, 24, 20, false, false, 21 },	{ 100, 5, 20, 20, false, false, 19 },
		{ 100, 5, 24, 20, false, false, 21 },	{ 100, 1, 7, 0, false, false, 7 },
		{ 100, 0, 7, 0, false, false, 0 },	{ 0, 10, 0, 5, false, false, 0 },
		/* A row to be centered stays in the second and third quarter. */
		{ 100, 8, 50, 0, true, false, 46 },	{ 100, 8, 50, 48, true, false, 48 },
		{ 100, 8, 50, 49, true, false, 46 },	{ 100, 8, 50, 45, true, false, 45 },
		{ 100, 8, 50, 44, true, false, 46 },	{ 100, 8, 4, 50, true, false, 0 },
		{ 100, 8, 5, 50, true, false, 1 },	{ 100, 9, 50, 0, true, false, 46 },
		/* A row to be led by the one before it. */
		{ 100, 10, 50, 0, false, true, 49 },	{ 100, 10, 0, 50, false, true, 0 },
		{ 100, 10, 97, 0, false, true, 90 },	{ 100, 10, 1, 0, false, true, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct session_view view = { .listing.count = cases[i].rows, .selected = cases[i].selected,
					     .top = cases[i].top, .center = cases[i].center, .lead = cases[i].lead };

		session_keep_visible(&view, cases[i].height);
		ok(view.top == cases[i].first && !view.center && !view.lead,
		   "row %zu of %zu in %zu from %zu on begins with %zu, not %zu", cases[i].selected,
		   cases[i].rows, cases[i].height, cases[i].top, cases[i].first, view.top);
	}
}

int
main(void)
{
	struct pattern search = { 0 };
	size_t at = 0, length;
	char wide[PATTERN_SIZE + 50];

	test_matches();
	test_expressions();
	test_window();
	pattern_set(&search, "ab", false);
	ok(pattern_in(&search, text_of("ab ab"), 1, &at, &length) && at == 3, "a search continues after a match");
	ok(!pattern_in(&search, text_of("ab ab"), 4, &at, &length), "a search ends at the end of the text");
	ok(!pattern_in(&search, text_of("ab"), 9, &at, &length), "a search that begins after the text finds nothing");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	pattern_set(&search, wide, false);
	ok(pattern_in(&search, text_of(wide), 0, &at, &length) && length == PATTERN_SIZE - 1, "a pattern that is too long is cut");
	return done_testing();
}
