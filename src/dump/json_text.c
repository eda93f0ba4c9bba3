/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/json_text.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* Maximum nesting of arrays and objects that are skipped or kept as text. */
#define NESTING_MOST 64u

/* Note the first defect; returns NULL, the result of a failed reader. */
static const char *
fail(struct json_text *json, const char *what)
{
	if (json->problem == NULL)
		json->problem = what;
	return NULL;
}

static void
skip_blanks(struct json_text *json)
{
	while (json->at < json->size && strchr(" \t\r\n", json->bytes[json->at]) != NULL &&
	       json->bytes[json->at] != '\0')
		json->at++;
}

bool
json_text_take(struct json_text *json, char c)
{
	skip_blanks(json);
	if (json->at >= json->size || json->bytes[json->at] != c)
		return false;
	json->at++;
	return true;
}

bool
json_text_ends(struct json_text *json)
{
	skip_blanks(json);
	return json->at >= json->size;
}

/* Take four hexadecimal digits; false: they are missing, and the position is unchanged. */
static bool
take_unit(struct json_text *json, uint32_t *unit)
{
	const char *digits = json->bytes + json->at;
	uint64_t value;

	if (json->size - json->at < 4 || tolower((unsigned char)digits[1]) == 'x' ||
	    !text_number((struct text){ digits, 4 }, 16, &value))
		return false;
	*unit = (uint32_t)value;
	json->at += 4;
	return true;
}

/* The character after \u. Two escapes may form one character; half of such a pair is invalid. */
static bool
take_character(struct json_text *json, uint32_t *character)
{
	uint32_t low;

	if (!take_unit(json, character))
		return false;
	size_t behind = json->at;
	if (*character >= 0xd800 && *character < 0xdc00 && json->size - json->at >= 6 &&
	    memcmp(json->bytes + json->at, "\\u", 2) == 0) {
		json->at += 2;
		if (take_unit(json, &low) && low >= 0xdc00 && low < 0xe000)
			*character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
		else
			json->at = behind;
	}
	/* A NUL would hide the rest of the text. */
	if (*character == 0 || (*character >= 0xd800 && *character < 0xe000))
		*character = 0xfffd;
	return true;
}

/* The bytes up to the closing quote: a bound for the string's length. */
static size_t
raw_length(const struct json_text *json)
{
	size_t at = json->at;

	while (at < json->size && json->bytes[at] != '"')
		at += json->bytes[at] == '\\' ? 2 : 1;
	return at < json->size ? at - json->at : json->size - json->at;
}

/* A string after its opening quote; NULL: damaged. */
static const char *
take_string(struct json_text *json)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char *text = arena_alloc(json->arena, raw_length(json) + 5);
	size_t used = 0;

	while (text != NULL && json->at < json->size) {
		char c = json->bytes[json->at++];
		const char *escape;
		uint32_t character;

		if (c == '"') {
			text[used] = '\0';
			return text;
		}
		if (c != '\\') {
			text[used++] = c != '\0' ? c : '?';
			continue;
		}
		c = json->at < json->size ? json->bytes[json->at++] : '\0';
		escape = c != '\0' ? strchr(plain, c) : NULL;
		if (escape != NULL) {
			text[used++] = meant[escape - plain];
		} else if (c == 'u' && take_character(json, &character)) {
			used += text_encode(character, text + used);
		} else {
			return fail(json, "invalid JSON escape");
		}
	}
	return fail(json, text != NULL ? "unterminated string" : OUT_OF_MEMORY);
}

/* A value that is not a string, as text; NULL: damaged. */
static const char *
take_other(struct json_text *json)
{
	size_t start = json->at, depth = 0;

	for (; json->at < json->size; json->at++) {
		char c = json->bytes[json->at];

		if (c == '"') {
			json->at++;
			json->at += raw_length(json);
			if (json->at >= json->size)
				break;
		} else if (c == '{' || c == '[') {
			if (++depth > NESTING_MOST)
				return fail(json, "values are nested too deeply");
		} else if (depth == 0 && (c == ',' || c == '}' || (c == ']' && json->at > start))) {
			break;
		} else if (c == '}' || c == ']') {
			if (depth-- == 0)
				return fail(json, "unmatched closing bracket");
		}
	}
	size_t end = json->at;
	while (end > start && strchr(" \t\r\n", json->bytes[end - 1]) != NULL)
		end--;
	if (depth != 0 || end == start || json->at >= json->size)
		return fail(json, "unterminated value");
	return arena_copy(json->arena, json->bytes + start, end - start);
}

const char *
json_text_value(struct json_text *json)
{
	return json_text_take(json, '"') ? take_string(json) : take_other(json);
}

bool
json_text_members(struct json_text *json, json_text_member_reader *read, void *state)
{
	if (json_text_take(json, '}'))
		return true;
	do {
		skip_blanks(json);
		json->start = json->at;
		if (!json_text_take(json, '"'))
			return fail(json, "expected a key") != NULL;
		const char *key = take_string(json);
		if (key == NULL)
			return false;
		if (!json_text_take(json, ':'))
			return fail(json, "expected ':' after a key") != NULL;
		skip_blanks(json);
		if (!read(state, json, key) || json->problem != NULL)
			return false;
	} while (json_text_take(json, ','));
	if (!json_text_take(json, '}'))
		return fail(json, "expected ',' or '}' after a value") != NULL;
	return true;
}

bool
json_text_elements(struct json_text *json, json_text_element_reader *read, void *state)
{
	size_t index = 0;

	if (json_text_take(json, ']'))
		return true;
	do {
		skip_blanks(json);
		if (!read(state, json, index++) || json->problem != NULL)
			return false;
	} while (json_text_take(json, ','));
	if (!json_text_take(json, ']'))
		return fail(json, "expected ',' or ']' after a value") != NULL;
	return true;
}
