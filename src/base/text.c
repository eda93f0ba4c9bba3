/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"

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

bool
text_is(struct text text, const char *string)
{
	return text_equal(text, text_of(string));
}

char *
text_copy(struct arena *arena, struct text text)
{
	return arena_copy(arena, text.start, text.length);
}

int
text_order(struct text a, struct text b)
{
	const size_t least = a.length < b.length ? a.length : b.length;
	const int order = least == 0 ? 0 : memcmp(a.start, b.start, least);

	return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

bool
text_drop_prefix(struct text *text, const char *prefix)
{
	const size_t length = strlen(prefix);

	if (text->length <= length || memcmp(text->start, prefix, length) != 0)
		return false;
	*text = (struct text){ text->start + length, text->length - length };
	return true;
}

size_t
text_begins(struct text text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(words[i]);

		if (text.length >= length && memcmp(text.start, words[i], length) == 0)
			return length;
	}
	return 0;
}

bool
text_drop_suffix(struct text *text, const char *suffix)
{
	const size_t length = strlen(suffix);

	if (text->length <= length ||
	    memcmp(text->start + text->length - length, suffix, length) != 0)
		return false;
	text->length -= length;
	return true;
}

bool
text_take_line(struct text *rest, struct text *line)
{
	if (rest->length == 0)
		return false;
	const char *end = memchr(rest->start, '\n', rest->length);

	*line = (struct text){ rest->start,
			       end != NULL ? (size_t)(end - rest->start) : rest->length };
	const size_t taken = line->length + (end != NULL);
	*rest = (struct text){ rest->start + taken, rest->length - taken };
	return true;
}

struct text
text_base_name(struct text path)
{
	size_t skip = 0;

	for (size_t i = 0; i < path.length; i++)
		if (text_is_separator(path.start[i]))
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
 * The forms of UTF-8 by their first byte (Unicode, table 3-7). `least` is the smallest value that
 * needs `length` bytes: a smaller value in this form is overlong.
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

struct range {
	uint32_t first, last;
};

/*
 * Characters that are not drawn, or that change how others are drawn: C1,
 * Default_Ignorable_Code_Point of Unicode 14.0 (with the bidirectional controls), line and
 * paragraph separator, interlinear annotation.
 */
static const struct range invisible[] = {
	{ 0x0080, 0x009f }, { 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

/*
 * Tables of Unicode 14.0, in ascending order. Ranges are joined across unassigned values.
 *
 * Characters without a column of their own: general categories Mn and Me, and the vowels and final
 * consonants that Hangul draws into the previous cell.
 */
static const struct range combining[] = {
	{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x5bf, 0x5bf }, { 0x5c1, 0x5c2 },
	{ 0x5c4, 0x5c5 }, { 0x5c7, 0x5c7 }, { 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x670, 0x670 },
	{ 0x6d6, 0x6dc }, { 0x6df, 0x6e4 }, { 0x6e7, 0x6e8 }, { 0x6ea, 0x6ed }, { 0x711, 0x711 },
	{ 0x730, 0x74a }, { 0x7a6, 0x7b0 }, { 0x7eb, 0x7f3 }, { 0x7fd, 0x7fd }, { 0x816, 0x819 },
	{ 0x81b, 0x823 }, { 0x825, 0x827 }, { 0x829, 0x82d }, { 0x859, 0x85b }, { 0x898, 0x89f },
	{ 0x8ca, 0x8e1 }, { 0x8e3, 0x902 }, { 0x93a, 0x93a }, { 0x93c, 0x93c }, { 0x941, 0x948 },
	{ 0x94d, 0x94d }, { 0x951, 0x957 }, { 0x962, 0x963 }, { 0x981, 0x981 }, { 0x9bc, 0x9bc },
	{ 0x9c1, 0x9c4 }, { 0x9cd, 0x9cd }, { 0x9e2, 0x9e3 }, { 0x9fe, 0xa02 }, { 0xa3c, 0xa3c },
	{ 0xa41, 0xa51 }, { 0xa70, 0xa71 }, { 0xa75, 0xa75 }, { 0xa81, 0xa82 }, { 0xabc, 0xabc },
	{ 0xac1, 0xac8 }, { 0xacd, 0xacd }, { 0xae2, 0xae3 }, { 0xafa, 0xb01 }, { 0xb3c, 0xb3c },
	{ 0xb3f, 0xb3f }, { 0xb41, 0xb44 }, { 0xb4d, 0xb56 }, { 0xb62, 0xb63 }, { 0xb82, 0xb82 },
	{ 0xbc0, 0xbc0 }, { 0xbcd, 0xbcd }, { 0xc00, 0xc00 }, { 0xc04, 0xc04 }, { 0xc3c, 0xc3c },
	{ 0xc3e, 0xc40 }, { 0xc46, 0xc56 }, { 0xc62, 0xc63 }, { 0xc81, 0xc81 }, { 0xcbc, 0xcbc },
	{ 0xcbf, 0xcbf }, { 0xcc6, 0xcc6 }, { 0xccc, 0xccd }, { 0xce2, 0xce3 }, { 0xd00, 0xd01 },
	{ 0xd3b, 0xd3c }, { 0xd41, 0xd44 }, { 0xd4d, 0xd4d }, { 0xd62, 0xd63 }, { 0xd81, 0xd81 },
	{ 0xdca, 0xdca }, { 0xdd2, 0xdd6 }, { 0xe31, 0xe31 }, { 0xe34, 0xe3a }, { 0xe47, 0xe4e },
	{ 0xeb1, 0xeb1 }, { 0xeb4, 0xebc }, { 0xec8, 0xecd }, { 0xf18, 0xf19 }, { 0xf35, 0xf35 },
	{ 0xf37, 0xf37 }, { 0xf39, 0xf39 }, { 0xf71, 0xf7e }, { 0xf80, 0xf84 }, { 0xf86, 0xf87 },
	{ 0xf8d, 0xfbc }, { 0xfc6, 0xfc6 }, { 0x102d, 0x1030 }, { 0x1032, 0x1037 },
	{ 0x1039, 0x103a }, { 0x103d, 0x103e }, { 0x1058, 0x1059 }, { 0x105e, 0x1060 },
	{ 0x1071, 0x1074 }, { 0x1082, 0x1082 }, { 0x1085, 0x1086 }, { 0x108d, 0x108d },
	{ 0x109d, 0x109d }, { 0x1160, 0x11ff }, { 0x135d, 0x135f }, { 0x1712, 0x1714 },
	{ 0x1732, 0x1733 }, { 0x1752, 0x1753 }, { 0x1772, 0x1773 }, { 0x17b4, 0x17b5 },
	{ 0x17b7, 0x17bd }, { 0x17c6, 0x17c6 }, { 0x17c9, 0x17d3 }, { 0x17dd, 0x17dd },
	{ 0x180b, 0x180d }, { 0x180f, 0x180f }, { 0x1885, 0x1886 }, { 0x18a9, 0x18a9 },
	{ 0x1920, 0x1922 }, { 0x1927, 0x1928 }, { 0x1932, 0x1932 }, { 0x1939, 0x193b },
	{ 0x1a17, 0x1a18 }, { 0x1a1b, 0x1a1b }, { 0x1a56, 0x1a56 }, { 0x1a58, 0x1a60 },
	{ 0x1a62, 0x1a62 }, { 0x1a65, 0x1a6c }, { 0x1a73, 0x1a7f }, { 0x1ab0, 0x1b03 },
	{ 0x1b34, 0x1b34 }, { 0x1b36, 0x1b3a }, { 0x1b3c, 0x1b3c }, { 0x1b42, 0x1b42 },
	{ 0x1b6b, 0x1b73 }, { 0x1b80, 0x1b81 }, { 0x1ba2, 0x1ba5 }, { 0x1ba8, 0x1ba9 },
	{ 0x1bab, 0x1bad }, { 0x1be6, 0x1be6 }, { 0x1be8, 0x1be9 }, { 0x1bed, 0x1bed },
	{ 0x1bef, 0x1bf1 }, { 0x1c2c, 0x1c33 }, { 0x1c36, 0x1c37 }, { 0x1cd0, 0x1cd2 },
	{ 0x1cd4, 0x1ce0 }, { 0x1ce2, 0x1ce8 }, { 0x1ced, 0x1ced }, { 0x1cf4, 0x1cf4 },
	{ 0x1cf8, 0x1cf9 }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 }, { 0x2cef, 0x2cf1 },
	{ 0x2d7f, 0x2d7f }, { 0x2de0, 0x2dff }, { 0x302a, 0x302d }, { 0x3099, 0x309a },
	{ 0xa66f, 0xa672 }, { 0xa674, 0xa67d }, { 0xa69e, 0xa69f }, { 0xa6f0, 0xa6f1 },
	{ 0xa802, 0xa802 }, { 0xa806, 0xa806 }, { 0xa80b, 0xa80b }, { 0xa825, 0xa826 },
	{ 0xa82c, 0xa82c }, { 0xa8c4, 0xa8c5 }, { 0xa8e0, 0xa8f1 }, { 0xa8ff, 0xa8ff },
	{ 0xa926, 0xa92d }, { 0xa947, 0xa951 }, { 0xa980, 0xa982 }, { 0xa9b3, 0xa9b3 },
	{ 0xa9b6, 0xa9b9 }, { 0xa9bc, 0xa9bd }, { 0xa9e5, 0xa9e5 }, { 0xaa29, 0xaa2e },
	{ 0xaa31, 0xaa32 }, { 0xaa35, 0xaa36 }, { 0xaa43, 0xaa43 }, { 0xaa4c, 0xaa4c },
	{ 0xaa7c, 0xaa7c }, { 0xaab0, 0xaab0 }, { 0xaab2, 0xaab4 }, { 0xaab7, 0xaab8 },
	{ 0xaabe, 0xaabf }, { 0xaac1, 0xaac1 }, { 0xaaec, 0xaaed }, { 0xaaf6, 0xaaf6 },
	{ 0xabe5, 0xabe5 }, { 0xabe8, 0xabe8 }, { 0xabed, 0xabed }, { 0xfb1e, 0xfb1e },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0x101fd, 0x101fd }, { 0x102e0, 0x102e0 },
	{ 0x10376, 0x1037a }, { 0x10a01, 0x10a0f }, { 0x10a38, 0x10a3f }, { 0x10ae5, 0x10ae6 },
	{ 0x10d24, 0x10d27 }, { 0x10eab, 0x10eac }, { 0x10f46, 0x10f50 }, { 0x10f82, 0x10f85 },
	{ 0x11001, 0x11001 }, { 0x11038, 0x11046 }, { 0x11070, 0x11070 }, { 0x11073, 0x11074 },
	{ 0x1107f, 0x11081 }, { 0x110b3, 0x110b6 }, { 0x110b9, 0x110ba }, { 0x110c2, 0x110c2 },
	{ 0x11100, 0x11102 }, { 0x11127, 0x1112b }, { 0x1112d, 0x11134 }, { 0x11173, 0x11173 },
	{ 0x11180, 0x11181 }, { 0x111b6, 0x111be }, { 0x111c9, 0x111cc }, { 0x111cf, 0x111cf },
	{ 0x1122f, 0x11231 }, { 0x11234, 0x11234 }, { 0x11236, 0x11237 }, { 0x1123e, 0x1123e },
	{ 0x112df, 0x112df }, { 0x112e3, 0x112ea }, { 0x11300, 0x11301 }, { 0x1133b, 0x1133c },
	{ 0x11340, 0x11340 }, { 0x11366, 0x11374 }, { 0x11438, 0x1143f }, { 0x11442, 0x11444 },
	{ 0x11446, 0x11446 }, { 0x1145e, 0x1145e }, { 0x114b3, 0x114b8 }, { 0x114ba, 0x114ba },
	{ 0x114bf, 0x114c0 }, { 0x114c2, 0x114c3 }, { 0x115b2, 0x115b5 }, { 0x115bc, 0x115bd },
	{ 0x115bf, 0x115c0 }, { 0x115dc, 0x115dd }, { 0x11633, 0x1163a }, { 0x1163d, 0x1163d },
	{ 0x1163f, 0x11640 }, { 0x116ab, 0x116ab }, { 0x116ad, 0x116ad }, { 0x116b0, 0x116b5 },
	{ 0x116b7, 0x116b7 }, { 0x1171d, 0x1171f }, { 0x11722, 0x11725 }, { 0x11727, 0x1172b },
	{ 0x1182f, 0x11837 }, { 0x11839, 0x1183a }, { 0x1193b, 0x1193c }, { 0x1193e, 0x1193e },
	{ 0x11943, 0x11943 }, { 0x119d4, 0x119db }, { 0x119e0, 0x119e0 }, { 0x11a01, 0x11a0a },
	{ 0x11a33, 0x11a38 }, { 0x11a3b, 0x11a3e }, { 0x11a47, 0x11a47 }, { 0x11a51, 0x11a56 },
	{ 0x11a59, 0x11a5b }, { 0x11a8a, 0x11a96 }, { 0x11a98, 0x11a99 }, { 0x11c30, 0x11c3d },
	{ 0x11c3f, 0x11c3f }, { 0x11c92, 0x11ca7 }, { 0x11caa, 0x11cb0 }, { 0x11cb2, 0x11cb3 },
	{ 0x11cb5, 0x11cb6 }, { 0x11d31, 0x11d45 }, { 0x11d47, 0x11d47 }, { 0x11d90, 0x11d91 },
	{ 0x11d95, 0x11d95 }, { 0x11d97, 0x11d97 }, { 0x11ef3, 0x11ef4 }, { 0x16af0, 0x16af4 },
	{ 0x16b30, 0x16b36 }, { 0x16f4f, 0x16f4f }, { 0x16f8f, 0x16f92 }, { 0x16fe4, 0x16fe4 },
	{ 0x1bc9d, 0x1bc9e }, { 0x1cf00, 0x1cf46 }, { 0x1d167, 0x1d169 }, { 0x1d17b, 0x1d182 },
	{ 0x1d185, 0x1d18b }, { 0x1d1aa, 0x1d1ad }, { 0x1d242, 0x1d244 }, { 0x1da00, 0x1da36 },
	{ 0x1da3b, 0x1da6c }, { 0x1da75, 0x1da75 }, { 0x1da84, 0x1da84 }, { 0x1da9b, 0x1daaf },
	{ 0x1e000, 0x1e02a }, { 0x1e130, 0x1e136 }, { 0x1e2ae, 0x1e2ae }, { 0x1e2ec, 0x1e2ef },
	{ 0x1e8d0, 0x1e8d6 }, { 0x1e944, 0x1e94a }, { 0xe0100, 0xe01ef },
};

/* East Asian Width W and F, and the planes reserved for ideographs. */
static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23ec },
	{ 0x23f0, 0x23f0 }, { 0x23f3, 0x23f3 }, { 0x25fd, 0x25fe }, { 0x2614, 0x2615 },
	{ 0x2648, 0x2653 }, { 0x267f, 0x267f }, { 0x2693, 0x2693 }, { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab }, { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 }, { 0x26ce, 0x26ce },
	{ 0x26d4, 0x26d4 }, { 0x26ea, 0x26ea }, { 0x26f2, 0x26f3 }, { 0x26f5, 0x26f5 },
	{ 0x26fa, 0x26fa }, { 0x26fd, 0x26fd }, { 0x2705, 0x2705 }, { 0x270a, 0x270b },
	{ 0x2728, 0x2728 }, { 0x274c, 0x274c }, { 0x274e, 0x274e }, { 0x2753, 0x2755 },
	{ 0x2757, 0x2757 }, { 0x2795, 0x2797 }, { 0x27b0, 0x27b0 }, { 0x27bf, 0x27bf },
	{ 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b50 }, { 0x2b55, 0x2b55 }, { 0x2e80, 0x3029 },
	{ 0x302e, 0x303e }, { 0x3041, 0x3096 }, { 0x309b, 0x3247 }, { 0x3250, 0x4dbf },
	{ 0x4e00, 0xa4c6 }, { 0xa960, 0xa97c }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfad9 },
	{ 0xfe10, 0xfe19 }, { 0xfe30, 0xfe6b }, { 0xff01, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x16fe0, 0x16fe3 }, { 0x16ff0, 0x1b2fb }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf },
	{ 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 },
	{ 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 },
	{ 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 },
	{ 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 },
	{ 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f },
	{ 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6df },
	{ 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f93a },
	{ 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faf6 }, { 0x20000, 0x3fffd },
};

static bool
contains(const struct range *ranges, size_t count, uint32_t character)
{
	size_t at;

	BISECT(at, count, ranges[at].last < character);
	return at < count && ranges[at].first <= character;
}

unsigned
text_character_width(uint32_t character)
{
	if (character < combining[0].first)
		return 1;
	if (contains(combining, ARRAY_COUNT(combining), character))
		return 0;
	return contains(wide, ARRAY_COUNT(wide), character) ? 2 : 1;
}

bool
text_is_visible(uint32_t character)
{
	if (character < 0x80)
		return character >= 0x20 && character != 0x7f;
	return (character & 0xfffe) != 0xfffe &&
	       !contains(invisible, ARRAY_COUNT(invisible), character);
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

size_t
text_plain_length(struct text text)
{
	size_t i = 0;
	uint64_t word;

	for (; text.length - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, text.start + i, sizeof(word));
		/* In bytes below space, the difference sets the high bit; in 0x7f, the sum does. */
		if (((word - EACH(' ')) | word | (word + EACH(1))) & EACH(0x80))
			break;
	}
	while (i < text.length && text.start[i] >= ' ' && text.start[i] < 0x7f)
		i++;
	return i;
}

/* Size of the longest visible form of a character: \UNNNNNNNN and the terminator. */
#define VISIBLE_SIZE 12

/*
 * Writes the visible form of the next character of `text` into `visible`, and the character's bytes
 * in `text` to `*consumed`. `attached`: a combining mark can attach to a preceding character.
 */
static size_t
make_visible(char visible[VISIBLE_SIZE], struct text text, bool attached, size_t *consumed)
{
	uint32_t character = 0;
	size_t length = text_decode(text.start, text.length, &character);
	int written;

	*consumed = length == 0 ? 1 : length;
	if (length != 0 && text_is_visible(character) &&
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
		const size_t plain = text_plain_length(rest);
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
	size_t at = text_plain_length(text), consumed;

	while (at < text.length) {
		struct text rest = { text.start + at, text.length - at };
		size_t length = make_visible(visible, rest, at > 0, &consumed);

		if (visible[0] == '\\' && (length > 1 || text.start[at] != '\\'))
			break;
		at += consumed;
		rest = (struct text){ text.start + at, text.length - at };
		at += text_plain_length(rest);
	}
	return at;
}

/* Returns the bytes of the character at `at`, and stores its columns. */
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
	size_t width = text_plain_length(text), columns;

	for (size_t i = width; i < text.length; width += columns)
		i += measure(text, i, &columns);
	return width;
}

#define EDITED_BYTES 32

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The least number of edits that turn `a` into `b`. An edit adds, drops or replaces a byte, or
 * swaps two adjacent bytes. SIZE_MAX if a word is longer than EDITED_BYTES.
 */
static size_t
edits_between(struct text a, struct text b)
{
	size_t edits[EDITED_BYTES + 1][EDITED_BYTES + 1];

	if (a.length > EDITED_BYTES || b.length > EDITED_BYTES)
		return SIZE_MAX;
	for (size_t i = 0; i <= a.length; i++) {
		for (size_t k = 0; k <= b.length; k++) {
			edits[i][k] = i + k;
			if (i == 0 || k == 0)
				continue;
			const bool same = a.start[i - 1] == b.start[k - 1];

			edits[i][k] = smaller(smaller(edits[i - 1][k], edits[i][k - 1]) + 1,
					      edits[i - 1][k - 1] + !same);
			if (i > 1 && k > 1 && a.start[i - 1] == b.start[k - 2] &&
			    a.start[i - 2] == b.start[k - 1])
				edits[i][k] = smaller(edits[i][k], edits[i - 2][k - 2] + 1);
		}
	}
	return edits[a.length][b.length];
}

struct text_near
text_near(struct text typed)
{
	return (struct text_near){ typed, typed.length / 3 + 1 };
}

bool
text_near_offer(struct text_near *near, struct text word)
{
	const size_t a = near->typed.length, b = word.length;

	/* The number of edits is at least the difference in length. */
	if ((a < b ? b - a : a - b) >= near->edits)
		return false;
	const size_t edits = edits_between(near->typed, word);
	const bool nearer = edits < near->edits;

	near->edits = nearer ? edits : near->edits;
	return nearer;
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

/* Appends as much of `text` as fits after `written` bytes; returns the new number of bytes. */
static size_t
append(char *buffer, size_t size, size_t written, struct text text)
{
	size_t end = text.length, room = size - 1 - written, columns;

	if (end > room)
		for (size_t next = end = 0; (next += measure(text, next, &columns)) <= room;)
			end = next;
	if (end != 0)
		memmove(buffer + written, text.start, end);
	buffer[written + end] = '\0';
	return written + end;
}

size_t
text_cut(char *buffer, size_t size, struct text text, size_t columns, bool middle,
	 const char *mark)
{
	const size_t width = text_width(text_of(mark));

	return text_cut_before(buffer, size, text, columns,
			       middle && columns > width ? (columns - width) / 2 : 0, mark);
}

size_t
text_cut_before(char *buffer, size_t size, struct text text, size_t columns, size_t last,
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
	const size_t kept = columns - cut_width;
	last = smaller(last, kept);
	const size_t before = text_fit(text, kept - last);
	/* The longest suffix of the text that fits. */
	size_t end = last == 0 ? text.length : 0;
	for (size_t taken, length; end < text.length; end += length, width -= taken) {
		length = measure(text, end, &taken);
		if (width <= last && taken != 0)
			break;
	}
	/* The text may be in the buffer, so bytes are overwritten only after they were read. */
	size_t written = append(buffer, size, 0, (struct text){ text.start, before });
	written = append(buffer, size, written, cut);
	return append(buffer, size, written, (struct text){ text.start + end, text.length - end });
}

static uint32_t
utf16_unit(const uint8_t *bytes, size_t index, bool big_endian)
{
	const uint8_t *unit = bytes + 2 * index;

	return big_endian ? (uint32_t)(unit[0] << 8 | unit[1]) : (uint32_t)(unit[1] << 8 | unit[0]);
}

/* Decodes the character at unit `*index`, and advances `*index`. */
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
	/* One unit becomes at most three bytes; two units of one character become four. */
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

size_t
text_newlines(struct text text)
{
	enum { COLUMNS = 64 };
	const char *at = text.start, *const end = at + text.length;
	size_t count = 0;

	/* Keep one counter for each column, so that compilers use vector compares. */
	while (end - at >= COLUMNS) {
		uint8_t counts[COLUMNS] = { 0 };

		for (unsigned row = 0; row < UINT8_MAX && end - at >= COLUMNS; row++, at += COLUMNS)
			for (unsigned i = 0; i < COLUMNS; i++)
				counts[i] = (uint8_t)(counts[i] + (at[i] == '\n'));
		for (unsigned i = 0; i < COLUMNS; i++)
			count += counts[i];
	}
	for (; at < end; at++)
		count += *at == '\n';
	return count;
}

struct text
text_cut_sized(struct text text, char buffer[TEXT_CUT_ROOM])
{
	size_t most = LIMIT_NAME_CUT;

	/* Cut between two characters of UTF-8. */
	while (most > 0 && ((uint8_t)text.start[most] & 0xc0) == 0x80)
		most--;
	/* The text may contain NUL bytes, so it is copied and not formatted. */
	memcpy(buffer, text.start, most);
	const int behind = snprintf(buffer + most, TEXT_CUT_ROOM - most, "... [%zu bytes]",
				    text.length);
	return (struct text){ buffer, most + (size_t)behind };
}

struct short_text
text_both_bases(uint64_t value)
{
	struct short_text number;
	const int length = snprintf(number.text, sizeof(number.text), "%" PRIu64, value);

	if (value >= 10)
		snprintf(number.text + length, sizeof(number.text) - (size_t)length,
			" (%#" PRIx64 ")", value);
	return number;
}

/* Numbers -------------------------------------------------------------------------------------- */

/* The value of a hexadecimal digit; 16: not a digit. */
static unsigned
text_digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
	       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
				      : 16;
}

bool
text_take_number(struct text *text, unsigned base, uint64_t *value)
{
	const char *at = text->start, *end = at + text->length;
	const bool prefixed = base != 10 && text->length > 2 && at[0] == '0' &&
			      (at[1] == 'x' || at[1] == 'X') && text_digit(at[2]) < 16;
	const unsigned radix = base != 0 ? base : prefixed ? 16 : 10;
	uint64_t number = 0;

	at += prefixed ? 2 : 0;
	if (at == end || text_digit(*at) >= radix)
		return false;
	for (unsigned digit; at < end && (digit = text_digit(*at)) < radix; at++)
		if (__builtin_mul_overflow(number, radix, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	*value = number;
	*text = (struct text){ at, (size_t)(end - at) };
	return true;
}

bool
text_number(struct text text, unsigned base, uint64_t *value)
{
	return text_take_number(&text, base, value) && text.length == 0;
}

/* Regular expressions -------------------------------------------------------------------------- */

/* The larger number in the first pair of braces; 1 if it has none. */
static unsigned long
repetitions(const char *text)
{
	const char *brace = strchr(text, '{');
	unsigned long least, most = 0;
	char *end;

	if (brace == NULL)
		return 1;
	least = strtoul(brace + 1, &end, 10);
	if (*end == ',')
		most = strtoul(end + 1, &end, 10);
	most = most > least ? most : least;
	return most > 0 ? most : 1;
}

const char *
text_regex_refusal(const char *text)
{
	const char *brace = strchr(text, '{');

	if (brace != NULL && strchr(brace + 1, '{') != NULL)
		return "more than one repetition in braces";
	if (repetitions(text) > LIMIT_REGEX_REPETITIONS)
		return "more than 255 repetitions";
	for (const char *c = text; (c = strchr(c, '\\')) != NULL && c[1] != '\0'; c += 2)
		if (c[1] >= '1' && c[1] <= '9')
			return "a reference back";
	return NULL;
}

char *
text_hex(const void *bytes, size_t count, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	if (hex == NULL)
		return NULL;
	for (size_t i = 0; i < 2 * count; i++)
		hex[i] = digits[((const uint8_t *)bytes)[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
	hex[2 * count] = '\0';
	return hex;
}

size_t
text_base64(const uint8_t *bytes, size_t count, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t used = 0;

	for (size_t at = 0; at < count; at += 3) {
		const size_t left = count - at;
		const uint32_t group = (uint32_t)bytes[at] << 16 |
				       (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
				       (left > 2 ? bytes[at + 2] : 0);

		for (unsigned i = 0; i < 4; i++)
			out[used++] = i > left ? '=' : digits[group >> (18 - 6 * i) & 63];
	}
	out[used] = '\0';
	return used;
}

size_t
text_regex_states(const char *text)
{
	return strlen(text) * repetitions(text);
}
