/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_VALUE_TEXT_H
#define REPORT_VALUE_VALUE_TEXT_H

#include "inspect/variable/frame_variables.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "inspect/expression/value_expression.h"
#include "report/lines.h"

/**
 * Values as text in gdb's notation: `{x = 1, y = -2}`, `0x55d0 "first"`, `7 'a'`.
 *
 * Elements, depth and length are limited; parts left out are written as `...`.
 */
struct value_text_options {
	bool reasons;		/* give the reason for a missing value; else `<optimized out>` */
	/* Show the contents of C++ library types, also through references */
	bool library;
	size_t most;		/* maximum bytes of text; less than 4: the default limit */
};

/** The text of a value; "(redacted)" if the crash is redacted; "" when out of memory. */
const char *
value_text(const struct typed_value *value, const struct value_text_options *options,
	   struct arena *arena);

/** A scalar as a decimal number, as in gdb. False if the value is not a scalar, or is missing. */
bool
value_text_number(const struct typed_value *value, char *buffer, size_t size);

/** Maximum bytes of the text of a floating-point number; maximum bytes of the number. */
enum { FLOAT_TEXT = 64, FLOAT_BYTES = 16 };

/**
 * Write a floating-point number with the fewest digits that identify it, as gdb does:
 * "0.100000001", "-inf", "nan(0x400000)". `bytes` has `size` bytes, least significant first. The
 * type's `name` distinguishes the two formats of two bytes. If `x87`, more than eight bytes are an
 * x87 number. False for an unknown format, or if the C library lacks it.
 */
bool
float_text(const uint8_t *bytes, size_t size, const char *name, bool x87, char text[FLOAT_TEXT]);

/** The texts about a value or the result of an expression. */
struct evaluated {
	const char *type, *how, *value;
	const char *pretty;		/* NULL: `value` is the only text */
	const char *absent;		/* reason for a missing value; NULL: there is a value */
	const char *number, *bytes;	/* each NULL if the value has no such text */
	enum variable_location location;
	const struct location_result *result;
	bool has_address;		/* the address of a reference's object is known */
	uint64_t address;
};

/** The texts about a value that was found; they live in `arena`. */
struct evaluated
evaluated_of(const struct variable_value *found, struct arena *arena);

/**
 * Add the result of an expression: its value, type, place and parts. Then add the values that it
 * was computed from, each with its bytes in the dump.
 */
void
evaluated_add(struct lines *lines, const struct value_expression *expression);

/** Add a type: its size, and either its members with their places or its enumerators. */
void
type_add(struct lines *lines, const struct debug_type *type);

#endif
