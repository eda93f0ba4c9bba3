/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "symbols/fields.h"
#include "tests/lib/tap.h"

static struct fields
fields(const char *text)
{
	return fields_of(text_of(text), 0);
}

/* What C's strtoull does with a field, which is how Breakpad reads it. */
static void
test_hex(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "c184", true, 0xc184 },
		{ "C184", true, 0xc184 },
		{ "0x2170", true, 0x2170 },
		{ "0X2170", true, 0x2170 },
		{ "+10", true, 0x10 },
		{ "-10", true, UINT64_MAX - 0xf },
		{ "\t10", true, 0x10 },
		{ "   10 rest", true, 0x10 },
		{ "00000000000000000000001f", true, 0x1f },
		{ "fffffffffffffffe", true, UINT64_MAX - 1 },
		{ "ffffffffffffffff", false, 0 },	/* the largest means an error */
		{ "10000000000000000", false, 0 },
		{ "-1", false, 0 },
		{ "0x", false, 0 },
		{ "x10", false, 0 },
		{ "10g", false, 0 },
		{ "10\t8", false, 0 },
		{ "-", false, 0 },
		{ "--8", false, 0 },
		{ "", false, 0 },
		{ "   ", false, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct fields left = fields(cases[i].text);
		uint64_t value = 0;

		ok(fields_hex(&left, &value) == cases[i].good, "'%s' is %s hexadecimal number",
		   cases[i].text, cases[i].good ? "a" : "no");
		if (cases[i].good)
			is_u64(value, cases[i].value, "with the right value");
	}
}

static void
test_decimal(void)
{
	static const struct {
		const char *text;
		int64_t least;
		bool good;
		int64_t value;
	} cases[] = {
		{ "59", 0, true, 59 },
		{ "010", 0, true, 10 },
		{ "-0", 0, true, 0 },
		{ "-1", 0, false, 0 },
		{ "-1", -1, true, -1 },
		{ "-2", -1, false, 0 },
		{ "1f", 0, false, 0 },
		{ "0x10", 0, false, 0 },
		{ "9223372036854775806", 0, true, INT64_MAX - 1 },
		{ "9223372036854775807", 0, false, 0 },
		{ "99999999999999999999", 0, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct fields left = fields(cases[i].text);
		int64_t value = 0;

		ok(fields_decimal(&left, cases[i].least, &value) == cases[i].good,
		   "'%s' is %s decimal number of at least %" PRId64, cases[i].text,
		   cases[i].good ? "a" : "no", cases[i].least);
		if (cases[i].good)
			ok(value == cases[i].value, "with the right value");
	}
}

static void
test_sizes(void)
{
	uint64_t value = 1;
	struct fields left = fields("7fffffffffffffff");

	ok(!fields_size(&left, &value), "the largest long is no parameter size");
	left = fields("-4");
	ok(!fields_size(&left, &value), "a parameter size is not negative");
	left = fields("7ffffffffffffffe");
	ok(fields_size(&left, &value), "one below the largest long is a parameter size");
	is_u64(value, INT64_MAX - 1, "with its value");
	is_u64(fields_loose_hex(text_of("12zz")), 0x12,
	       "a field of STACK counts as far as it goes");
	is_u64(fields_loose_hex(text_of("zz")), 0, "and is 0 where it does not begin with a digit");
	is_u64(fields_loose_hex(text_of("123456789012345678")), UINT64_MAX,
	       "and the largest value where it does not fit");
}

static void
test_split(void)
{
	struct fields left = fields("a  b\tc  last one ");
	struct text field;

	ok(fields_next(&left, &field) && text_equal(field, text_of("a")), "spaces end a field");
	ok(fields_next(&left, &field) && text_equal(field, text_of("b\tc")), "tabs do not");
	ok(fields_rest(&left, &field) && text_equal(field, text_of(" last one ")),
	   "the last field keeps all but one space in front of it");
	ok(!fields_rest(&left, &field), "behind it there is nothing");
	ok(!fields_next(&left, &field), "and no other field");
}

int
main(void)
{
	test_hex();
	test_decimal();
	test_sizes();
	test_split();
	return done_testing();
}
