/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include "tests/lib/tap.h"

static const struct {
	const char *text;
	unsigned base;
	uint64_t value;
	const char *rest;	/* after the number; NULL if no number is at the start */
} cases[] = {
	{ "0", 10, 0, "" }, { "42", 10, 42, "" }, { "42 apples", 10, 42, " apples" },
	{ "0x10", 10, 0, "x10" }, { "18446744073709551615", 10, UINT64_MAX, "" },
	{ "18446744073709551616", 10, 0, NULL }, { "ff", 10, 0, NULL }, { "fF", 16, 255, "" },
	{ "0xFf", 16, 255, "" }, { "0Xff", 16, 255, "" }, { "0x", 16, 0, "x" }, { "10g", 16, 16, "g" },
	{ "ffffffffffffffff", 16, UINT64_MAX, "" }, { "10000000000000000", 16, 0, NULL },
	{ "00000000000000000ff", 16, 255, "" }, { "0x1f", 0, 31, "" }, { "31", 0, 31, "" },
	{ "010", 0, 10, "" }, { "1f", 0, 1, "f" }, { "", 10, 0, NULL }, { "-1", 10, 0, NULL },
	{ "+1", 16, 0, NULL }, { " 1", 10, 0, NULL },
};

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct text whole = text_of(cases[i].text);
		const bool found = cases[i].rest != NULL;
		struct text rest = whole;
		uint64_t value = 0;

		ok(text_take_number(&rest, cases[i].base, &value) == found && value == cases[i].value &&
			   text_equal(rest, found ? text_of(cases[i].rest) : whole),
		   "'%s' in base %u begins with a number or not, as expected", cases[i].text, cases[i].base);
		ok(text_number(whole, cases[i].base, &value) == (found && *cases[i].rest == '\0'),
		   "'%s' in base %u is a number or not, as expected", cases[i].text, cases[i].base);
	}
	return done_testing();
}
