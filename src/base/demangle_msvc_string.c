/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle_msvc_internal.h"

/* Most bytes of a literal in its name: 32 characters of the widest kind. */
#define BYTES 128u

/* Reads a byte written as two digits, A to P. */
static unsigned
hex_digit(struct msvc_reader *reader)
{
	const char digit = msvc_next(reader);

	if (digit < 'A' || digit > 'P')
		msvc_fail(reader);
	return (unsigned)(digit - 'A') & 15;
}

/* Reads one byte of the literal: itself, `?` and a letter of a table, or two digits. */
static uint8_t
literal_byte(struct msvc_reader *reader)
{
	static const char signs[] = ",/\\:. \n\t'-";
	const char character = msvc_next(reader);

	if (character != '?')
		return (uint8_t)character;
	if (msvc_takes(reader, "$")) {
		const unsigned high = hex_digit(reader);

		return (uint8_t)(high << 4 | hex_digit(reader));
	}
	const char code = msvc_next(reader);
	if (isdigit((unsigned char)code))
		return (uint8_t)signs[code - '0'];
	if (code >= 'a' && code <= 'z')
		return (uint8_t)(0xe1 + (code - 'a'));
	if (code >= 'A' && code <= 'Z')
		return (uint8_t)(0xc1 + (code - 'A'));
	msvc_fail(reader);
	return 0;
}

/*
 * Guesses the bytes of a character from the zeros, as LLVM does: names of literals of char,
 * char16_t and char32_t look the same.
 */
static unsigned
guessed_width(const uint8_t *bytes, size_t count, uint64_t all)
{
	size_t zeros = 0, trailing = 0;

	for (size_t i = 0; i < count; i++)
		zeros += bytes[i] == 0;
	while (trailing < count && bytes[count - 1 - trailing] == 0)
		trailing++;
	if (all % 2 == 1)
		return 1;
	if (all < 32)
		return trailing >= 4 && all % 4 == 0 ? 4 : trailing >= 2 ? 2 : 1;
	return zeros >= 2 * count / 3 && all % 4 == 0 ? 4 : zeros >= count / 3 ? 2 : 1;
}

/* Appends a character to `text` as in a C literal. */
static struct text
with_character(struct msvc_reader *reader, struct text text, uint32_t character)
{
	static const char escaped[] = "\0'\"\\\a\b\f\n\r\t\v", letters[] = "0'\"\\abfnrtv";
	char hex[12] = "";

	for (size_t i = 0; i < sizeof(escaped) - 1; i++)
		if (character == (uint32_t)(unsigned char)escaped[i])
			return msvc_join(reader, "%.*s\\%c", MSVC_TEXT(text), letters[i]);
	if (character > 31 && character < 127)
		return msvc_join(reader, "%.*s%c", MSVC_TEXT(text), (int)character);
	snprintf(hex, sizeof(hex), "%" PRIX32, character);
	return msvc_join(reader, "%.*s\\x%s%s", MSVC_TEXT(text), strlen(hex) % 2 == 1 ? "0" : "",
			 hex);
}

struct text
msvc_string(struct msvc_reader *reader)
{
	const bool wide = msvc_takes(reader, "1");
	uint8_t bytes[BYTES] = { 0 };
	size_t count = 0;

	if (!wide && !msvc_takes(reader, "0"))
		return msvc_fail(reader);
	const int64_t all = msvc_number(reader);
	while (!reader->failed && !msvc_takes(reader, "@"))	/* a checksum */
		msvc_next(reader);
	while (!reader->failed && !msvc_takes(reader, "@")) {
		if (count == BYTES)
			return msvc_fail(reader);
		bytes[count++] = literal_byte(reader);
	}
	const unsigned width = wide ? 2 : guessed_width(bytes, count, (uint64_t)all);
	const size_t characters = count / width;
	const bool cut = all < 0 || (uint64_t)all > count;
	struct text text = text_of(wide ? "L\"" : width == 1 ? "\"" : width == 2 ? "u\"" : "U\"");
	for (size_t i = 0; i < characters && !reader->failed; i++) {
		uint32_t character = 0;

		/* Wide characters have their high byte first, other values are as in memory. */
		for (unsigned k = 0; k < width; k++)
			character |= (uint32_t)bytes[i * width + k]
				     << 8 * (wide ? width - 1 - k : k);
		if (i + 1 < characters || cut || character != 0)
			text = with_character(reader, text, character);
	}
	return msvc_join(reader, "%.*s\"%s", MSVC_TEXT(text), cut ? "..." : "");
}
