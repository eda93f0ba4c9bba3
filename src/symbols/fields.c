/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/fields.h"

#include <string.h>


/* A number as far as it goes. */
struct number {
	uint64_t magnitude;	/* UINT64_MAX where it does not fit */
	bool negative;
	bool overflow;
	size_t length;		/* bytes used; 0: there is none */
};

struct fields
fields_of(struct text record, size_t skip)
{
	const char *end = record.start + record.length;

	return (struct fields){ skip < record.length ? record.start + skip : end, end };
}

bool
fields_next(struct fields *fields, struct text *field)
{
	const char *at = fields->at;

	while (at < fields->end && *at == ' ')
		at++;
	field->start = at;
	while (at < fields->end && *at != ' ')
		at++;
	field->length = (size_t)(at - field->start);
	fields->at = at < fields->end ? at + 1 : at;
	return field->length != 0;
}

bool
fields_rest(struct fields *fields, struct text *field)
{
	*field = (struct text){ fields->at, (size_t)(fields->end - fields->at) };
	fields->at = fields->end;
	return field->length != 0;
}

/* The value of a digit, or 255. */
static unsigned
digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A' + 10);
	return 255;
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
	    digit(text.start[at + 2]) < 16)
		at += 2;
	return at;
}

static struct number
read_number(struct text text, unsigned base)
{
	struct number number = { 0 };
	size_t start = skip_prefix(text, base, &number.negative), at = start;

	for (; at < text.length && digit(text.start[at]) < base; at++) {
		unsigned value = digit(text.start[at]);

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

static uint64_t
wrap(struct number number)
{
	return number.negative && !number.overflow ? 0 - number.magnitude : number.magnitude;
}

/* Any other way to write a number than plain digits. */
static bool
unusual_hex(struct fields *fields, uint64_t *value)
{
	struct text field;

	if (!fields_next(fields, &field))
		return false;
	struct number number = read_number(field, 16);
	if (number.length != field.length)
		return false;
	*value = wrap(number);
	return *value != UINT64_MAX;
}

bool
fields_hex(struct fields *fields, uint64_t *value)
{
	const char *at = fields->at, *start;
	uint64_t sum = 0;

	while (at < fields->end && *at == ' ')
		at++;
	for (start = at; at < fields->end; at++) {
		unsigned next = digit(*at);

		if (next >= 16)
			break;
		sum = sum << 4 | next;
	}
	if (at == start || at - start >= 16 || (at < fields->end && *at != ' '))
		return unusual_hex(fields, value);
	fields->at = at < fields->end ? at + 1 : at;
	*value = sum;
	return true;
}

bool
fields_size(struct fields *fields, uint64_t *value)
{
	struct text field;

	if (!fields_next(fields, &field))
		return false;
	struct number number = read_number(field, 16);
	if (number.length != field.length || (number.negative && number.magnitude != 0) ||
	    number.magnitude >= INT64_MAX)
		return false;
	*value = number.magnitude;
	return true;
}

bool
fields_decimal(struct fields *fields, int64_t least, int64_t *value)
{
	struct text field;

	if (!fields_next(fields, &field))
		return false;
	struct number number = read_number(field, 10);
	if (number.length != field.length || number.magnitude >= INT64_MAX)
		return false;
	*value = number.negative ? -(int64_t)number.magnitude : (int64_t)number.magnitude;
	return *value >= least;
}

uint64_t
fields_loose_hex(struct text text)
{
	return wrap(read_number(text, 16));
}
