/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_FIELDS_H
#define SYMBOLS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/text.h"
#include "symbols/swar.h"

/**
 * The fields of a record, as Breakpad splits and reads them.
 *
 * Runs of spaces separate fields, tabs do not; the last field is the rest of the line after one
 * space. Numbers are read as strtoull and strtol read them: leading blanks other than spaces, a
 * sign, 0x and upper case are accepted.
 */

enum field_kind {
	FIELD_NONE,		/* the record has no more fields */
	FIELD_KEYWORD,		/* a keyword of the record, such as INIT of STACK CFI INIT */
	FIELD_WORD,
	FIELD_ID,		/* a word of hexadecimal digits of any count */
	FIELD_FLAG,		/* `m`, or nothing */
	FIELD_OLD_FILE,		/* at least -1; present if the field begins with a number */
	FIELD_CALL_FILE,	/* at least -1; present if the number of fields is even */
	FIELD_DECIMAL,		/* a decimal number, at least 0 and below the largest `long` */
	FIELD_HEX,		/* below the largest number of 64 bits */
	FIELD_SIZE,		/* FIELD_HEX; writers stay below 32 bits */
	FIELD_LONG,		/* FIELD_HEX, below the largest `long` */
	/* Like FIELD_HEX, but other text is read up to its first bad character */
	FIELD_LOOSE,
	FIELD_LOOSE_SIZE,
	FIELD_REST,
	FIELD_RULES,		/* FIELD_REST with postfix expressions */
};

/** Oddities of a field; several may be set. */
enum field_state {
	FIELD_SPACED = 1,	/* more than one space before the field */
	FIELD_ODD = 2,		/* a number in a form that no writer uses */
	FIELD_WIDE = 4,		/* a number with more bits or digits than writers use */
	FIELD_BAD = 8,		/* not of the field's kind */
	FIELD_MISSING = 16,
	FIELD_ABSENT = 32,	/* missing, but its kind allows that */
};

/** The part of a record that is not read yet. */
struct field_cursor {
	const char *at, *end;
};

struct symbol_field {
	struct text text;
	uint64_t value;		/* the number; a negative one as int64_t */
	uint32_t spaces;	/* number of spaces before the field, if FIELD_SPACED */
	unsigned state;		/* bits of enum field_state */
};

/** The next field of a record; false if it is missing or not of its kind. */
bool
field_read(struct field_cursor *cursor, enum field_kind kind, struct symbol_field *field);

/** The value of a text up to its first bad character; false if the text begins with no number. */
bool
field_number(struct text text, enum field_kind kind, uint64_t *value);

static inline bool
field_is_optional(enum field_kind kind)
{
	return kind >= FIELD_FLAG && kind <= FIELD_CALL_FILE;
}

static inline bool
field_is_number(enum field_kind kind)
{
	return kind >= FIELD_OLD_FILE && kind <= FIELD_LOOSE_SIZE;
}

static inline bool
field_is_decimal(enum field_kind kind)
{
	return kind >= FIELD_OLD_FILE && kind <= FIELD_DECIMAL;
}

/** By character: 16 plus a hexadecimal digit's value, plus 32 for a capital; 0: not a digit. */
extern const unsigned char field_digits[256];

/**
 * Read the next field if it is a number of plain digits that fits into 32 bits. Nearly all of the
 * up to 100 million numbers in a file have this form. Returns the beginning of the following field;
 * NULL: the field has another form.
 */
static ATTRIBUTE_INLINE const char *
field_plain(const char *at, const char *end, enum field_kind kind, struct symbol_field *field)
{
	const char *const start = at;
	const bool decimal = field_is_decimal(kind);
	uint64_t value = 0;

	for (unsigned digit; at < end; at++) {
		digit = decimal ? (unsigned)*at - '0' : field_digits[(unsigned char)*at] - 16u;
		if (digit >= (decimal ? 10 : 16))
			break;
		value = decimal ? value * 10 + digit : value << 4 | digit;
	}
	if ((size_t)(at - start - 1) >= 8 || (at < end && *at != ' '))
		return NULL;
	field->text = (struct text){ start, (size_t)(at - start) };
	field->value = value;
	field->state = 0;
	return at + (at < end);
}

/** Whether the rest of the record has a character other than a space. */
static inline bool
field_more(const struct field_cursor *cursor)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at == ' ')
		at++;
	return at < cursor->end;
}

/** The number of fields left. */
size_t
field_count(struct field_cursor cursor);

#endif
