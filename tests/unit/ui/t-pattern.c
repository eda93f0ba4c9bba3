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
		{ "0x", "0x10", true, 0, 2, "0x alone is text" },
		{ "aab", "aaab", true, 1, 3, "a match may begin inside a false start" },
		{ "aab", "xAaAB", true, 2, 3,
		 "a match of either case may begin inside a false start" },
		{ "ba", "B ba", true, 2, 2, "a capital before the match is passed" },
		{ "ba", "b BA", true, 2, 2, "a small letter before the match is passed" },
		{ "ab", "AAb", true, 1, 2, "a capital directly after another may begin the match" },
		{ "ab", "xxab", true, 2, 2, "the last bytes may match" },
		{ "[a", "{A [A", true, 3, 2, "a sign has no capital" },
		{ "\xc3\xa9", "caf\xc3\xa9", true, 3, 2, "other letters are found as they are" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct pattern search = { 0 };
		size_t at = 0, length = 0;

		pattern_set(&search, cases[i].pattern, false);
		bool found = pattern_in(&search, text_of(cases[i].text), 0, &at, &length);
		ok(found == cases[i].found && at == cases[i].at && length == cases[i].length, "%s",
		   cases[i].title);
	}
}

int
main(void)
{
	struct pattern search = { 0 };
	size_t at = 0, length;
	char wide[PATTERN_SIZE + 50];

	test_matches();
	pattern_set(&search, "ab", false);
	ok(pattern_in(&search, text_of("ab ab"), 1, &at, &length) && at == 3,
	   "a search continues after a match");
	ok(!pattern_in(&search, text_of("ab ab"), 4, &at, &length),
	   "a search ends at the end of the text");
	ok(!pattern_in(&search, text_of("ab"), 9, &at, &length),
	   "a search that begins after the text finds nothing");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	pattern_set(&search, wide, false);
	ok(pattern_in(&search, text_of(wide), 0, &at, &length) && length == PATTERN_SIZE - 1,
	   "a pattern that is too long is cut");
	return done_testing();
}
