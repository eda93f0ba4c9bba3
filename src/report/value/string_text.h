/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_STRING_TEXT_H
#define REPORT_VALUE_STRING_TEXT_H

#include "base/output.h"
#include "debug_info/debug_variables.h"

/** How the characters of a string are stored and written. */
struct string_form {
	unsigned unit;			/* bytes of a unit: 1; 2 in UTF-16; 4 in UTF-32 */
	bool big_endian;
	bool wide;			/* L"", not u"" or U"" */
	bool unicode;			/* visible characters beyond ASCII are not escaped */
};

/** The form of strings whose characters have a type. */
struct string_form
string_form_of(const struct debug_type *character, bool big_endian, bool unicode);

/** The prefix of a string: "L", "u", "U" or "". */
const char *
string_prefix(const struct string_form *form);

/** Write a character as in a quoted string: "a", "\n", "\303", "\"". */
void
string_character(const struct string_form *form, uint64_t character, char quote,
		 const struct output *output);

/**
 * Write `length` bytes in gdb's notation: `"first"`, `u"wide"`, `"ab", 'c' <repeats 20 times>`.
 * Writes at most `most` characters, and "..." if characters are left out or if `cut` is true.
 */
void
string_text(const struct string_form *form, const uint8_t *bytes, size_t length, size_t most,
	    bool cut, const struct output *output);

#endif
