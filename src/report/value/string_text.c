/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/string_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/reader.h"
#include "base/text.h"

/* Number of equal characters above which gdb folds them into a count. */
enum { LEAST_REPEATS = 10 };

struct string_form
string_form_of(const struct debug_type *character, bool big_endian, bool unicode)
{
	return (struct string_form){ .unit = character != NULL ? (unsigned)character->size : 1,
				     .big_endian = big_endian,
				     .wide = character != NULL && character->wide,
				     .unicode = unicode };
}

const char *
string_prefix(const struct string_form *form)
{
	return form->wide ? "L" : form->unit == 2 ? "u" : form->unit == 4 ? "U" : "";
}

void
string_character(const struct string_form *form, uint64_t character, char quote,
		 const struct output *output)
{
	static const char letters[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
	const char *found = character == 0 || character > 0x7f
				    ? NULL : strchr(codes, (int)character);
	char encoded[4];

	if (found != NULL)
		output_format(output, "\\%c", letters[found - codes]);
	else if (character == (unsigned char)quote || character == '\\')
		output_format(output, "\\%c", (int)character);
	else if (character >= 0x20 && character < 0x7f)
		output_format(output, "%c", (int)character);
	else if (form->unicode && form->unit > 1 && character > 0x7f && character >> 16 < 17 &&
		 character >> 11 != 0xd800 >> 11 && text_is_visible((uint32_t)character))
		output->write(output->context, encoded, text_encode((uint32_t)character, encoded));
	else
		output_format(output, character > 0777 ? "\\x%" PRIx64 : "\\%03" PRIo64, character);
}

/* Reads the character at the beginning of `bytes`; returns its length in bytes. */
static size_t
next_character(const struct string_form *form, const uint8_t *bytes, size_t left,
	       uint64_t *character)
{
	const struct reader reader = { .data = bytes, .size = left,
				       .big_endian = form->big_endian };
	uint64_t low = 0;

	*character = bytes[0];
	if (form->unit > 1)
		reader_unsigned(&reader, 0, form->unit, character);
	if (form->unit != 2 || *character >> 10 != 0xd800 >> 10 ||
	    !reader_unsigned(&reader, 2, 2, &low) || low >> 10 != 0xdc00 >> 10)
		return form->unit;
	*character = 0x10000 + ((*character & 0x3ff) << 10) + (low & 0x3ff);
	return 4;
}

/* The bytes of a visible UTF-8 character that is not ASCII; 0: any other character. */
static size_t
visible_length(const struct string_form *form, const uint8_t *bytes, size_t left)
{
	uint32_t character;

	if (!form->unicode || form->unit != 1 || bytes[0] < 0x80)
		return 0;
	const size_t length = text_decode((const char *)bytes, left, &character);
	return length > 0 && text_is_visible(character) ? length : 0;
}

void
string_text(const struct string_form *form, const uint8_t *bytes, size_t length, size_t most,
	    bool cut, const struct output *output)
{
	bool open = false, any = false;
	uint64_t character;
	size_t shown = 0;

	for (size_t at = 0; at + form->unit <= length && shown < most; any = true) {
		const size_t visible = visible_length(form, bytes + at, length - at);
		const size_t size =
			visible > 0 ? visible
				    : next_character(form, bytes + at, length - at, &character);
		size_t run = 1;

		while (at + (run + 1) * size <= length &&
		       memcmp(bytes + at, bytes + at + run * size, size) == 0)
			run++;
		const bool folds = run > LEAST_REPEATS;
		if (folds || !open)
			output_format(output, "%s%s%s%s", open ? "\"" : "", any ? ", " : "",
				      any && !folds ? "" : string_prefix(form), folds ? "'" : "\"");
		if (visible > 0)
			output->write(output->context, (const char *)bytes + at, visible);
		else
			string_character(form, character, folds ? '\'' : '"', output);
		if (folds)
			output_format(output, "' <repeats %zu times>", run);
		open = !folds;
		shown += folds ? LEAST_REPEATS : 1;
		at += folds ? run * size : size;
		cut |= shown >= most && at < length;
	}
	if (!any)
		output_format(output, "%s\"\"", string_prefix(form));
	output_format(output, "%s%s", open ? "\"" : "", cut ? "..." : "");
}
