/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_VALUE_TEXT_H
#define REPORT_VALUE_VALUE_TEXT_H

#include "inspect/variable/frame_variables.h"

/**
 * Values as text, as gdb writes them: `{x = 1, y = -2}`, `0x55d0 "first"`, `7 'a'`.
 *
 * Elements, depth and length are bounded; what is left out shows as `...`.
 */
struct value_text_options {
	bool reasons;		/* say why a value is absent; else `<optimized out>` */
	/* Types of the C++ library by what they hold; objects behind references */
	bool library;
	size_t most;		/* bytes of text; 0: as many as a value can have */
};

/** The text of a value; "(redacted)" of a redacted crash. "" when out of memory. */
const char *
value_text(const struct typed_value *value, const struct value_text_options *options,
	   struct arena *arena);

/** A scalar as gdb's number: decimal. False where it is none, or has no value. */
bool
value_text_number(const struct typed_value *value, char *buffer, size_t size);

#endif
