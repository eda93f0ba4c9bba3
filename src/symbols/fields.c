/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fields.h"

#include <string.h>

#include "symbols/swar.h"

/* The longest number at the start of a text. */
struct number {
	uint64_t magnitude;	/* UINT64_MAX if it does not fit */
	bool negative;
	bool overflow;
	size_t length;		/* bytes used; 0: no number */
};

const unsigned char field_digits[256] = {
	['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22,
	['7'] = 23, ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29,
	['e'] = 30, ['f'] = 31, ['A'] = 58, ['B'] = 59, ['C'] = 60, ['D'] = 61, ['E'] = 62,
	['F'] = 63,
};

static bool
is_loose(enum field_kind kind)
{
	return kind == FIELD_LOOSE || kind == FIELD_LOOSE_SIZE;
}

static bool
is_digit(char c, unsigned base)
{
	const unsigned char digit = field_digits[(unsigned char)c];

	return digit != 0 && (digit & 15u) < base;
}

static size_t
skip_prefix(struct text text, unsigned base, bool *negative)
{
	size_t at = 0;

	while (at < text.length && memchr(" \t\v\f", text.start[at], 4) != NULL)
		at++;
	if (at < text.length && (text.start[at] == '-' || text.start[at] == '+'))
		*negative = text.start[at++] == '-';
	if (base == 16 && at + 2 < text.length && text.start[at] == '0' &&
	    (text.start[at + 1] == 'x' || text.start[at + 1] == 'X') &&
	    is_digit(text.start[at + 2], 16))
		at += 2;
	return at;
}

static struct number
read_number(struct text text, unsigned base)
{
	struct number number = { 0 };
	const size_t start = skip_prefix(text, base, &number.negative);
	size_t at = start;

	for (; at < text.length && is_digit(text.start[at], base); at++) {
		const unsigned value = field_digits[(unsigned char)text.start[at]] & 15u;

		if (number.magnitude > (UINT64_MAX - value) / base)
			number.overflow = true;
		number.magnitude = number.magnitude * base + value;
	}
	if (number.overflow)
		number.magnitude = UINT64_MAX;
	if (at > start)
		number.length = at;
	return number;
}

bool
field_number(struct text text, enum field_kind kind, uint64_t *value)
{
	const struct number number = read_number(text, field_is_decimal(kind) ? 10 : 16);
	const bool positive = !number.negative || number.magnitude == 0;

	*value = number.negative && !number.overflow ? 0 - number.magnitude : number.magnitude;
	if (number.length != text.length || text.length == 0)
		return false;
	if (kind == FIELD_LONG || kind == FIELD_DECIMAL)
		return positive && number.magnitude < INT64_MAX;
	if (field_is_decimal(kind))
		return positive ? number.magnitude < INT64_MAX : number.magnitude == 1;
	return *value != UINT64_MAX;
}

/* Whether a number has only digits, with hexadecimal digits in lower case. */
static bool
is_plain(struct text text, unsigned base)
{
	for (size_t i = 0; i < text.length; i++)
		if (!is_digit(text.start[i], base) ||
		    field_digits[(unsigned char)text.start[i]] > 31)
			return false;
	return true;
}

/* Read a field up to the next space. It may contain any bytes. */
static void
read_word(struct field_cursor *cursor, struct symbol_field *field)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at == ' ')
		at++;
	field->spaces = (uint32_t)(at - cursor->at);
	field->text.start = at;
	while (at < cursor->end && *at != ' ')
		at++;
	field->text.length = (size_t)(at - field->text.start);
	cursor->at = at < cursor->end ? at + 1 : at;
	field->value = 0;
	field->state = field->text.length == 0 ? FIELD_MISSING
		       : field->spaces != 0    ? FIELD_SPACED : 0;
}

static bool
read_odd_number(struct field_cursor *cursor, enum field_kind kind, struct symbol_field *field)
{
	read_word(cursor, field);
	if (field->text.length == 0)
		return false;
	const bool decimal = field_is_decimal(kind);
	const bool good = field_number(field->text, kind, &field->value);
	const bool negative = decimal && (int64_t)field->value < 0;
	if (!good)
		field->state |= FIELD_BAD;
	else if (!negative && !is_plain(field->text, decimal ? 10 : 16))
		field->state |= FIELD_ODD;
	const bool address = kind == FIELD_HEX || kind == FIELD_LOOSE;
	if ((good || is_loose(kind)) && !negative &&
	    ((field->value > UINT32_MAX && !address) ||
	     field->text.length > (decimal ? 10 : address ? 16 : 8)))
		field->state |= FIELD_WIDE;
	return good || is_loose(kind);
}

bool
field_read(struct field_cursor *cursor, enum field_kind kind, struct symbol_field *field)
{
	if (field_is_number(kind)) {
		const char *behind = field_plain(cursor->at, cursor->end, kind, field);

		if (behind == NULL)
			return read_odd_number(cursor, kind, field);
		cursor->at = behind;
		return true;
	}
	if (kind != FIELD_REST && kind != FIELD_RULES) {
		read_word(cursor, field);
		return field->text.length != 0;
	}
	/* The rest of the line, with a space in front of it. */
	const size_t length = (size_t)(cursor->end - cursor->at);
	*field = (struct symbol_field){ .text = { cursor->at, length } };
	field->state = length == 0 ? FIELD_MISSING : *cursor->at == ' ' ? FIELD_SPACED : 0;
	field->spaces = field->state == FIELD_SPACED;
	cursor->at = cursor->end;
	return length != 0;
}

size_t
field_count(struct field_cursor cursor)
{
	uint64_t before = 0x80;		/* the high bit: a space precedes these bytes */
	size_t count = 0;

	for (; cursor.end - cursor.at >= 8; cursor.at += 8) {
		const uint64_t odd = swar_load(cursor.at) ^ SWAR_EACH(' ');
		const uint64_t other = ((odd & SWAR_EACH(0x7f)) + SWAR_EACH(0x7f)) | odd;
		const uint64_t spaces = ~other & SWAR_EACH(0x80);
		const uint64_t starts = other & (spaces << 8 | before) & SWAR_EACH(0x80);

		count += (size_t)((starts >> 7) * SWAR_EACH(1) >> 56);
		before = spaces >> 56;
	}
	for (; cursor.at < cursor.end; cursor.at++) {
		count += *cursor.at != ' ' && before != 0;
		before = *cursor.at == ' ';
	}
	return count;
}
