/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_FIELDS_H
#define SYMBOLS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/**
 * The fields of one record, split and read as Breakpad does.
 *
 * Runs of spaces part fields, tabs do not; the last field of a record is all that
 * follows the one space behind the field before it. Numbers are what strtoull and strtol
 * make of them: blanks but no space in front, a sign, 0x and upper case are taken.
 */
struct fields {
	const char *at, *end;
};

/** The fields of `record` behind its first `skip` bytes. */
struct fields
fields_of(struct text record, size_t skip);

/** The next field, which is not the last one; false where nothing is left. */
bool
fields_next(struct fields *fields, struct text *field);

/** All that is left as the last field; false where it is empty. */
bool
fields_rest(struct fields *fields, struct text *field);

/** The next field as a hexadecimal number; false for any other text and for the largest value. */
bool
fields_hex(struct fields *fields, uint64_t *value);

/** The next field as a hexadecimal number that a positive `long` of 64 bits holds. */
bool
fields_size(struct fields *fields, uint64_t *value);

/** The next field as a decimal number of at least `least`, below the largest `long`. */
bool
fields_decimal(struct fields *fields, int64_t least, int64_t *value);

/** What strtoull takes from the front of `text` as hexadecimal, 0 where there is none. */
uint64_t
fields_loose_hex(struct text text);

#endif
