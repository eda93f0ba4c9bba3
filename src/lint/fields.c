/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lint/lint_internal.h"
#include "symbols/fields.h"

/*
 * Fields as the format has them: one space before each, lower-case hexadecimal without 0x, plain
 * decimal. What departs from that is read again as the loader reads it, and reported.
 */

struct lint_cursor
lint_cursor(const struct lint_reading *reading, size_t skip, unsigned field)
{
	const char *start = reading->record.start, *end = start + reading->record.length;

	return (struct lint_cursor){ start + skip < end ? start + skip : end, end, field, false };
}

const unsigned char lint_hex_digits[256] = {
	['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22,
	['7'] = 23, ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29,
	['e'] = 30, ['f'] = 31,
};

static size_t
skip_of(const struct lint_reading *reading, const char *at)
{
	return (size_t)(at - reading->record.start);
}

/* The field at the cursor, for messages. */
static struct text
field_at(const struct lint_cursor *cursor)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at != ' ')
		at++;
	return (struct text){ cursor->at, (size_t)(at - cursor->at) };
}

static int
shown(struct text text)
{
	return (int)(text.length < 60 ? text.length : 60);
}

/* Spaces in front of a field: one has been stepped over. */
static void
skip_spaces(struct lint_reading *reading, struct lint_cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && *cursor->at == ' ')
		cursor->at++;
	if (cursor->at > start && cursor->at < cursor->end)
		lint_report(reading, LINT_FIELD_SPACES, skip_of(reading, start),
			    (size_t)(cursor->at - start), "before field %u", cursor->field);
}

static void
missing_field(struct lint_reading *reading, struct lint_cursor *cursor, const char *what)
{
	cursor->bad = true;
	lint_report(reading, LINT_MALFORMED_RECORD, reading->record.length, 1,
		    "field %u, %s, is missing", cursor->field, what);
	lint_bad_record(reading);
}

static bool
all_of(struct text text, const char *set)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.start[i] == '\0' || strchr(set, text.start[i]) == NULL)
			return false;
	return text.length > 0;
}

static bool
begins(const struct lint_reading *reading, const char *word)
{
	const struct text record = reading->record;
	const size_t length = strlen(word);

	return record.length >= length && memcmp(record.start, word, length) == 0;
}

/* A field that is no number, or one of the wrong base. */
static void
bad_field(struct lint_reading *reading, struct lint_cursor *cursor, struct text field,
	  const char *what, bool hexadecimal)
{
	static const char hex_digits[] = "0123456789abcdefABCDEF", digits[] = "0123456789";
	const bool large = all_of(field, hexadecimal ? hex_digits : digits);
	const bool base = !hexadecimal && !large && all_of(field, "0123456789abcdefABCDEFxX") &&
			  all_of((struct text){ field.start, 1 }, hex_digits);

	lint_report(reading, base ? LINT_NUMBER_BASE : LINT_MALFORMED_RECORD,
		    skip_of(reading, field.start), field.length,
		    large ? "field %u, %s, does not fit into 64 bits as a %s number: '%.*s'%s"
			  : "field %u, %s, should be a %s number, not '%.*s'%s", cursor->field,
		    what, hexadecimal ? "hexadecimal" : "decimal", shown(field), field.start,
		    memchr(field.start, '\t', field.length) != NULL
			    ? "; tabs do not part fields" : base ? "; the record is lost" : "");
	/* Numbers of STACK records are taken as far as they go. */
	cursor->bad = !begins(reading, "STACK ");
	if (cursor->bad)
		lint_bad_record(reading);
}

static void
odd_number(struct lint_reading *reading, const struct lint_cursor *cursor, struct text field,
	   const char *what)
{
	lint_report(reading, LINT_NUMBER_BASE, skip_of(reading, field.start), field.length,
		    "field %u, %s, is written as '%.*s'", cursor->field, what, shown(field),
		    field.start);
}

uint64_t
lint_odd_hex(struct lint_reading *reading, struct lint_cursor *cursor, const char *what)
{
	uint64_t value = 0;

	skip_spaces(reading, cursor);
	struct text field = field_at(cursor);
	struct fields fields = { field.start, field.start + field.length };
	if (field.length == 0) {
		missing_field(reading, cursor, what);
		return 0;
	}
	if (!fields_hex(&fields, &value)) {
		bad_field(reading, cursor, field, what, true);
		value = fields_loose_hex(field);
	} else if (!all_of(field, "0123456789abcdef")) {
		odd_number(reading, cursor, field, what);
	}
	lint_step_over(cursor, field.start + field.length);
	return value;
}

void
lint_large_size(struct lint_reading *reading, const struct lint_cursor *cursor, const char *start)
{
	lint_report(reading, LINT_NUMBER_RANGE, skip_of(reading, start),
		    (size_t)(cursor->at - start), "field %u does not fit into 32 bits",
		    cursor->field - 1);
}

int64_t
lint_odd_decimal(struct lint_reading *reading, struct lint_cursor *cursor, int64_t least,
		 const char *what)
{
	int64_t value = 0;

	skip_spaces(reading, cursor);
	struct text field = field_at(cursor);
	struct fields fields = { field.start, field.start + field.length };
	if (field.length == 0) {
		missing_field(reading, cursor, what);
		return 0;
	}
	if (!fields_decimal(&fields, least, &value))
		bad_field(reading, cursor, field, what, false);
	else if (!all_of(field, "0123456789") && value >= 0)
		odd_number(reading, cursor, field, what);
	else if (value > UINT32_MAX)
		lint_report(reading, LINT_NUMBER_RANGE, skip_of(reading, field.start), field.length,
			    "field %u, %s, does not fit into 32 bits", cursor->field, what);
	lint_step_over(cursor, field.start + field.length);
	return value;
}

struct text
lint_rest(struct lint_reading *reading, struct lint_cursor *cursor, const char *what)
{
	struct text rest = { cursor->at, (size_t)(cursor->end - cursor->at) };

	if (cursor->bad)
		return (struct text){ cursor->end, 0 };
	if (rest.length == 0)
		missing_field(reading, cursor, what);
	else if (rest.start[0] == ' ')
		lint_report(reading, LINT_FIELD_SPACES, skip_of(reading, rest.start), 1,
			    "before field %u, of which it is a part", cursor->field);
	return rest;
}
