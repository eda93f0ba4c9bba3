/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fields.h"
#include "tests/lib/tap.h"

static struct field_cursor
fields(const char *text)
{
	return (struct field_cursor){ text, text + strlen(text) };
}

/* Read one field; returns whether it is valid, and its value. */
static bool
read_field(const char *text, enum field_kind kind, uint64_t *value)
{
	struct field_cursor left = fields(text);
	struct symbol_field field;
	const bool good = field_read(&left, kind, &field);

	*value = field.value;
	return good;
}

/* The oddities of a field. */
static unsigned
state_of(const char *text, enum field_kind kind)
{
	struct field_cursor left = fields(text);
	struct symbol_field field;

	field_read(&left, kind, &field);
	return field.state;
}

/* The result of C's strtoull, with which Breakpad reads fields. */
TEST(hex)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "c184", true, 0xc184 }, { "C184", true, 0xc184 },
		{ "0x2170", true, 0x2170 }, { "0X2170", true, 0x2170 }, { "+10", true, 0x10 },
		{ "-10", true, UINT64_MAX - 0xf }, { "\t10", true, 0x10 }, { "   10 rest", true, 0x10 },
		{ "00000000000000000000001f", true, 0x1f }, { "fffffffffffffffe", true, UINT64_MAX - 1 },
		{ "ffffffffffffffff", false, 0 },	/* the largest value means an error */
		{ "10000000000000000", false, 0 }, { "-1", false, 0 }, { "0x", false, 0 },
		{ "x10", false, 0 }, { "10g", false, 0 }, { "10\t8", false, 0 }, { "-", false, 0 },
		{ "--8", false, 0 }, { "", false, 0 }, { "   ", false, 0 },
	};

	static const char nul[] = "\0" "10";
	struct field_cursor left = { nul, nul + 3 };
	struct symbol_field field;
	ok(!field_read(&left, FIELD_HEX, &field), "a NUL byte is no blank before a number");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint64_t value;
		ok(read_field(cases[i].text, FIELD_HEX, &value) == cases[i].good,
		   "'%s' is %s hexadecimal number", cases[i].text, cases[i].good ? "a" : "no");
		if (cases[i].good)
			is_u64(value, cases[i].value, "the hexadecimal number '%s' has its value", cases[i].text);
	}
}

static const struct {
	const char *text;
	int64_t least;
	bool good;
	int64_t value;
} decimal[] = {
	{ "59", 0, true, 59 }, { "010", 0, true, 10 }, { "-0", 0, true, 0 }, { "-1", 0, false, 0 },
	{ "-1", -1, true, -1 }, { "-2", -1, false, 0 }, { "1f", 0, false, 0 }, { "0x10", 0, false, 0 },
	{ "9223372036854775806", 0, true, INT64_MAX - 1 }, { "9223372036854775807", 0, false, 0 },
	{ "99999999999999999999", 0, false, 0 },
};

TEST_EACH(decimal, decimal)
{
	const enum field_kind kind = decimal[i].least < 0 ? FIELD_CALL_FILE : FIELD_DECIMAL;
	uint64_t value;

	ok(read_field(decimal[i].text, kind, &value) == decimal[i].good,
	   "'%s' is %s decimal number of at least %" PRId64, decimal[i].text, decimal[i].good ? "a" : "no", decimal[i].least);
	if (decimal[i].good)
		ok((int64_t)value == decimal[i].value, "the decimal number '%s' has its value", decimal[i].text);
}

TEST(sizes)
{
	uint64_t value;

	ok(!read_field("7fffffffffffffff", FIELD_LONG, &value), "the largest long is no parameter size");
	ok(!read_field("-4", FIELD_LONG, &value), "a parameter size is not negative");
	ok(read_field("7ffffffffffffffe", FIELD_LONG, &value), "the largest long less 1 is a parameter size");
	is_u64(value, INT64_MAX - 1, "the largest parameter size has its value");
	ok(read_field("12zz", FIELD_LOOSE, &value) && value == 0x12, "a field of STACK is read up to its first other character");
	ok(read_field("zz", FIELD_LOOSE, &value) && value == 0, "a field of STACK is 0 if it does not begin with a digit");
	ok(read_field("123456789012345678", FIELD_LOOSE, &value) && value == UINT64_MAX,
	   "a field of STACK has the largest value if it does not fit");
	ok(!read_field("", FIELD_LOOSE, &value), "an empty field of STACK is refused");
	is_u64(value, 0, "an empty field of STACK counts as 0");
}

TEST(states)
{
	is_u64(state_of("10 8", FIELD_HEX), 0, "a plain number has nothing odd");
	is_u64(state_of("  10", FIELD_HEX), FIELD_SPACED, "more than one space is noted");
	is_u64(state_of("0x10", FIELD_HEX), FIELD_ODD, "a prefix 0x is noted");
	is_u64(state_of("AB", FIELD_HEX), FIELD_ODD, "upper case is noted");
	is_u64(state_of("100000000", FIELD_SIZE), FIELD_WIDE, "a size of 33 bits is wide");
	is_u64(state_of("100000000", FIELD_HEX), 0, "an address of 33 bits is not wide");
	is_u64(state_of("4294967296", FIELD_DECIMAL), FIELD_WIDE, "a decimal number of 33 bits is wide");
	is_u64(state_of("4294967295", FIELD_DECIMAL), 0, "a decimal number of 32 bits is not wide");
	is_u64(state_of("00000000000", FIELD_DECIMAL), FIELD_WIDE, "a decimal number of eleven digits is wide");
	is_u64(state_of("0000000000", FIELD_DECIMAL), 0, "a decimal number of ten digits may be one of 32 bits");
	is_u64(state_of("000000001", FIELD_SIZE), FIELD_WIDE, "a size of nine digits is wide");
	is_u64(state_of("00000001", FIELD_SIZE), 0, "a size of eight digits is not wide");
	is_u64(state_of("00000000000000001", FIELD_HEX), FIELD_WIDE, "an address of 17 digits is wide");
	is_u64(state_of("0000000000000001", FIELD_HEX), 0, "an address of 16 digits is not wide");
	is_u64(state_of("+0", FIELD_DECIMAL), FIELD_ODD, "a plus sign of 0 is odd");
	is_u64(state_of("-0", FIELD_DECIMAL), FIELD_ODD, "a minus sign of 0 is odd");
	is_u64(state_of("-1", FIELD_CALL_FILE), 0, "the file -1 of a call is not odd");
	is_u64(state_of("1f", FIELD_DECIMAL), FIELD_BAD, "hexadecimal is no decimal number");
	is_u64(state_of("zz", FIELD_LOOSE), FIELD_BAD, "a loose field that is no number is bad");
	is_u64(state_of("  ", FIELD_HEX), FIELD_MISSING, "spaces alone are no field");
	is_u64(state_of("", FIELD_REST), FIELD_MISSING, "an empty last field is missing");
	is_u64(state_of(" x", FIELD_REST), FIELD_SPACED, "a space before the last field is noted");
}

TEST(split)
{
	struct field_cursor left = fields("a  b\tc  last one ");
	struct symbol_field field;

	ok(field_read(&left, FIELD_WORD, &field) && text_equal(field.text, text_of("a")), "spaces end a field");
	ok(field_read(&left, FIELD_WORD, &field) && text_equal(field.text, text_of("b\tc")), "tabs do not end a field");
	is_u64(field_count(left), 2, "two fields are left");
	ok(field_read(&left, FIELD_REST, &field) && text_equal(field.text, text_of(" last one ")),
	   "the last field keeps all but one space in front of it");
	ok(!field_read(&left, FIELD_REST, &field), "no text follows the last field");
	ok(!field_read(&left, FIELD_WORD, &field) && !field_more(&left), "no other field follows the last field");
}

/* Spaces at every distance from a multiple of eight. */
TEST(count)
{
	static const char text[] = "a  bc def   ghij klmnopqrstuvwxyz   0 1 2 3 4 5 6 7 8 9    ";
	bool good = true;

	for (size_t start = 0; start < sizeof(text); start++)
		for (size_t end = start; end < sizeof(text); end++) {
			size_t count = 0;
			for (size_t i = start; i < end; i++)
				count += text[i] != ' ' && (i == start || text[i - 1] == ' ');
			good &= field_count((struct field_cursor){ text + start, text + end }) == count;
		}
	ok(good, "fields are counted as one by one");
}

/* The digit values of all characters, as fields.h describes them. */
TEST(digits)
{
	unsigned wrong = 0;

	for (int c = 0; c < 256; c++) {
		const unsigned digit = c >= '0' && c <= '9'   ? 16u + (unsigned)(c - '0')
				       : c >= 'a' && c <= 'f' ? 26u + (unsigned)(c - 'a')
				       : c >= 'A' && c <= 'F' ? 58u + (unsigned)(c - 'A') : 0;

		if (field_digits[c] != digit) {
			tap_diag("byte 0x%02x: got %u, expected %u", (unsigned)c, field_digits[c], digit);
			wrong++;
		}
	}
	is_u64(wrong, 0, "22 characters are digits; capital letters have values of their own");
}
