/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

#define REPLACEMENT 0xfffdu

struct text
text_of(const char *string)
{
	return (struct text){ string, strlen(string) };
}

bool
text_equal(struct text a, struct text b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.start, b.start, a.length) == 0);
}

struct text
text_base_name(struct text path)
{
	size_t skip = 0;

	for (size_t i = 0; i < path.length; i++)
		if (path.start[i] == '/' || path.start[i] == '\\')
			skip = i + 1;
	return (struct text){ path.start + skip, path.length - skip };
}

struct text
text_trimmed(struct text text)
{
	while (text.length > 0 && (text.start[0] == ' ' || text.start[0] == '\t'))
		text = (struct text){ text.start + 1, text.length - 1 };
	while (text.length > 0 && memchr(" \t\r", text.start[text.length - 1], 3) != NULL)
		text.length--;
	return text;
}

/*
 * The forms of UTF-8 by their first byte (Unicode, table 3-7). `least` is the
 * smallest value that needs as many bytes: what is below it is overlong.
 */
static const struct {
	uint8_t mask, lead;
	uint8_t length;
	uint32_t least;
} forms[] = {
	{ 0x80, 0x00, 1, 0x0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

static bool
is_surrogate(uint32_t character)
{
	return character >= 0xd800 && character <= 0xdfff;
}

size_t
text_decode(const char *bytes, size_t length, uint32_t *character)
{
	const uint8_t *byte = (const uint8_t *)bytes;
	size_t form = 0;

	if (length == 0)
		return 0;
	while (form < ARRAY_COUNT(forms) && (byte[0] & forms[form].mask) != forms[form].lead)
		form++;
	if (form == ARRAY_COUNT(forms) || forms[form].length > length)
		return 0;
	uint32_t value = byte[0] & (uint8_t)~forms[form].mask;
	for (size_t i = 1; i < forms[form].length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (byte[i] & 0x3f);
	}
	if (value < forms[form].least || value > 0x10ffff || is_surrogate(value))
		return 0;
	*character = value;
	return forms[form].length;
}

size_t
text_encode(uint32_t character, char *bytes)
{
	size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	for (size_t i = length; i-- > 1; character >>= 6)
		bytes[i] = (char)(0x80 | (character & 0x3f));
	bytes[0] = (char)(uint8_t)(forms[length - 1].lead | character);
	return length;
}

/*
 * What is not drawn, or moves what is drawn: C1, Default_Ignorable_Code_Point of
 * Unicode 14.0 (it holds the bidirectional controls), line and paragraph separator,
 * interlinear annotation.
 */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{ 0x0080, 0x009f }, { 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

static bool
is_visible(uint32_t character)
{
	if (character < 0x80)
		return character >= 0x20 && character != 0x7f;
	if ((character & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(invisible) && character >= invisible[i].first; i++)
		if (character <= invisible[i].last)
			return false;
	return true;
}

/* How many bytes from `at` on are printable ASCII, which is nearly all that there ever is. */
static size_t
plain_length(struct text text, size_t at)
{
	size_t end = at;

	while (end < text.length && text.start[end] >= ' ' && text.start[end] <= '~')
		end++;
	return end - at;
}

/* The longest visible form of one character: \UNNNNNNNN and the terminator. */
#define VISIBLE_SIZE 12

/*
 * Write the next character of `text` in its visible form into `visible` and store the
 * bytes it came from; `attached` says whether a mark has something to stand on.
 */
static size_t
make_visible(char visible[VISIBLE_SIZE], struct text text, bool attached, size_t *consumed)
{
	uint32_t character = 0;
	size_t length = text_decode(text.start, text.length, &character);
	int written;

	*consumed = length == 0 ? 1 : length;
	if (length != 0 && is_visible(character) &&
	    (attached || text_character_width(character) != 0)) {
		memcpy(visible, text.start, length);
		return length;
	}
	if (length == 0)
		written = snprintf(visible, VISIBLE_SIZE, "\\x%02x", (uint8_t)text.start[0]);
	else if (character < 0x80)
		written = snprintf(visible, VISIBLE_SIZE, "\\x%02x", (unsigned)character);
	else if (character < 0x10000)
		written = snprintf(visible, VISIBLE_SIZE, "\\u%04x", (unsigned)character);
	else
		written = snprintf(visible, VISIBLE_SIZE, "\\U%08x", (unsigned)character);
	return (size_t)written;
}

/* Like text_printable, but without the terminator; `buffer` may be NULL to measure. */
static size_t
write_visible(char *buffer, size_t room, struct text text)
{
	char visible[VISIBLE_SIZE];
	size_t written = 0, consumed;

	for (size_t i = 0; i < text.length; i += consumed) {
		struct text rest = { text.start + i, text.length - i };
		const size_t plain = plain_length(text, i);
		const char *from = plain > 0 ? rest.start : visible;
		size_t length = consumed = plain > room - written ? room - written : plain;

		if (plain == 0)
			length = make_visible(visible, rest, i > 0, &consumed);
		else if (length == 0)
			break;

		if (length > room - written)
			break;
		if (buffer != NULL)
			memcpy(buffer + written, from, length);
		written += length;
	}
	return written;
}

size_t
text_printable(char *buffer, size_t size, struct text text)
{
	if (size == 0)
		return 0;
	size_t written = write_visible(buffer, size - 1, text);
	buffer[written] = '\0';
	return written;
}

const char *
text_printable_copy(struct arena *arena, struct text text)
{
	if (text.length > SIZE_MAX / VISIBLE_SIZE - 1)
		return NULL;
	size_t length = write_visible(NULL, SIZE_MAX, text);
	char *copy = arena_alloc(arena, length + 1);

	if (copy != NULL)
		text_printable(copy, length + 1, text);
	return copy;
}

size_t
text_printable_length(struct text text)
{
	char visible[VISIBLE_SIZE];
	size_t at = plain_length(text, 0), consumed;

	while (at < text.length) {
		struct text rest = { text.start + at, text.length - at };
		size_t length = make_visible(visible, rest, at > 0, &consumed);

		if (visible[0] == '\\' && (length > 1 || text.start[at] != '\\'))
			break;
		at += consumed;
		at += plain_length(text, at);
	}
	return at;
}

/* One character of text: the bytes it takes, and the columns. */
static size_t
measure(struct text text, size_t at, size_t *columns)
{
	uint32_t character;
	size_t length = text_decode(text.start + at, text.length - at, &character);

	*columns = length == 0 ? 1 : text_character_width(character);
	return length == 0 ? 1 : length;
}

size_t
text_width(struct text text)
{
	size_t width = plain_length(text, 0), columns;

	for (size_t i = width; i < text.length; width += columns)
		i += measure(text, i, &columns);
	return width;
}

size_t
text_fit(struct text text, size_t columns)
{
	size_t at = 0, left = columns, taken;

	while (at < text.length) {
		size_t length = measure(text, at, &taken);

		if (taken > left)
			break;
		left -= taken;
		at += length;
	}
	return at;
}

/* The offset of the longest end of `text` that fits into `columns`. */
static size_t
fit_end(struct text text, size_t width, size_t columns)
{
	size_t at = 0, taken, length;

	for (; at < text.length; at += length) {
		length = measure(text, at, &taken);
		if (width <= columns && taken != 0)
			break;
		width -= taken;
	}
	return at;
}

/* Append what fits of `text` behind `written` bytes; returns the bytes there are now. */
static size_t
append(char *buffer, size_t size, size_t written, struct text text)
{
	size_t end = text.length, room = size - 1 - written, columns;

	if (end > room)
		for (size_t next = end = 0; (next += measure(text, next, &columns)) <= room;)
			end = next;
	if (end != 0)
		memcpy(buffer + written, text.start, end);
	buffer[written + end] = '\0';
	return written + end;
}

size_t
text_cut(char *buffer, size_t size, struct text text, size_t columns, bool middle,
	 const char *mark)
{
	struct text cut = text_of(mark);
	size_t width = text_width(text), cut_width = text_width(cut);

	if (size == 0)
		return 0;
	if (width <= columns)
		return append(buffer, size, 0, text);
	if (columns < cut_width)
		return append(buffer, size, 0, (struct text){ cut.start, text_fit(cut, columns) });
	size_t kept = columns - cut_width;
	size_t behind = middle ? kept / 2 : 0;
	size_t written = append(buffer, size, 0,
				(struct text){ text.start, text_fit(text, kept - behind) });
	written = append(buffer, size, written, cut);
	if (behind == 0)
		return written;
	size_t end = fit_end(text, width, behind);
	return append(buffer, size, written, (struct text){ text.start + end, text.length - end });
}

static uint32_t
utf16_unit(const uint8_t *bytes, size_t index, bool big_endian)
{
	const uint8_t *unit = bytes + 2 * index;

	return big_endian ? (uint32_t)(unit[0] << 8 | unit[1]) : (uint32_t)(unit[1] << 8 | unit[0]);
}

/* The character that begins at unit `*index`, which moves behind it. */
static uint32_t
utf16_next(const uint8_t *bytes, size_t units, bool big_endian, size_t *index)
{
	uint32_t high = utf16_unit(bytes, (*index)++, big_endian);

	if (!is_surrogate(high))
		return high == 0 ? REPLACEMENT : high;
	if (high >= 0xdc00 || *index == units)
		return REPLACEMENT;
	uint32_t low = utf16_unit(bytes, *index, big_endian);
	if (low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	++*index;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

const char *
text_from_utf16(struct arena *arena, const uint8_t *bytes, size_t units, bool big_endian,
		bool stop_at_nul)
{
	size_t end = 0, length = 0;

	while (end < units && !(stop_at_nul && utf16_unit(bytes, end, big_endian) == 0))
		end++;
	/* One unit is at most three bytes; two units that form one character are four. */
	if (end > (SIZE_MAX - 1) / 3)
		return NULL;
	char *string = arena_alloc(arena, 3 * end + 1);
	if (string == NULL)
		return NULL;
	for (size_t i = 0; i < end;)
		length += text_encode(utf16_next(bytes, end, big_endian, &i), string + length);
	string[length] = '\0';
	return string;
}
