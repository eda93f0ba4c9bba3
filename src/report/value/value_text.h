/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_VALUE_TEXT_H
#define REPORT_VALUE_VALUE_TEXT_H

#include "inspect/variable/frame_variables.h"

/**
 * Values as text in gdb's notation: `{x = 1, y = -2}`, `0x55d0 "first"`, `7 'a'`.
 *
 * Elements, depth and length are limited; parts left out are written as `...`.
 */
struct value_text_options {
	bool reasons;		/* give the reason for a missing value; else `<optimized out>` */
	/* Show types of the C++ library by their contents; also objects of references */
	bool library;
	size_t most;		/* most bytes of text; 0: the limit of a value */
};

/** The text of a value; "(redacted)" of a redacted crash. "" when out of memory. */
const char *
value_text(const struct typed_value *value, const struct value_text_options *options,
	   struct arena *arena);

/** A scalar as a decimal number, as in gdb. False if the value is not one, or is missing. */
bool
value_text_number(const struct typed_value *value, char *buffer, size_t size);

#endif
