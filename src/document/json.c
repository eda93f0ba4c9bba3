/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/user_names.h"
#include "dump/json_text.h"

static void
put(struct json *json, const char *bytes, size_t length)
{
	json->output->write(json->output->context, bytes, length);
}

static void
put_line(struct json *json)
{
	static const char blanks[2 * JSON_DEPTH + 1] =
		"                                                                ";

	put(json, "\n", 1);
	put(json, blanks, 2 * (size_t)(json->depth < JSON_DEPTH ? json->depth : JSON_DEPTH));
}

/* Whether to escape a character: RFC 8259 requires it, or a terminal cannot draw the character. */
static bool
must_escape(uint32_t character)
{
	return character == '"' || character == '\\' || !text_is_visible(character);
}

static size_t
plain_run(struct text text)
{
	size_t run = 0;

	while (run < text.length && text.start[run] >= ' ' && text.start[run] < 0x7f &&
	       text.start[run] != '"' && text.start[run] != '\\')
		run++;
	return run;
}

static void
put_escape(struct json *json, uint32_t character)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char escape[16];

	for (size_t i = 0; i + 1 < sizeof(letters); i += 2) {
		if ((uint32_t)letters[i] == character) {
			put(json, (char[]){ '\\', letters[i + 1] }, 2);
			return;
		}
	}
	/* RFC 8259, 7: characters above U+FFFF are written as a UTF-16 surrogate pair. */
	if (character >= 0x10000) {
		const uint32_t rest = character - 0x10000;

		put(json, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04" PRIx32,
						   0xd800 + (rest >> 10)));
		character = 0xdc00 + (rest & 0x3ff);
	}
	put(json, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04" PRIx32, character));
}

static void
put_characters(struct json *json, struct text text)
{
	while (text.length > 0) {
		size_t run = plain_run(text);

		if (run > 0)
			put(json, text.start, run);
		text.start += run;
		text.length -= run;
		if (text.length == 0)
			break;
		uint32_t character;
		size_t bytes = text_decode(text.start, text.length, &character);

		if (bytes == 0)
			put(json, "\xef\xbf\xbd", 3);
		else if (must_escape(character))
			put_escape(json, character);
		else
			put(json, text.start, bytes);
		bytes = bytes > 0 ? bytes : 1;
		text.start += bytes;
		text.length -= bytes;
	}
}

/* Strings up to this many bytes are written by one call: documents have millions of strings. */
#define SHORT_STRING 120u

/* Writes a text between two strings by one call. False: the text is too long or needs escapes. */
static bool
put_short(struct json *json, const char *before, struct text text, const char *behind)
{
	char piece[SHORT_STRING + 8];
	size_t used = 0;

	if (text.length > SHORT_STRING || plain_run(text) < text.length)
		return false;
	for (; *before != '\0'; before++)
		piece[used++] = *before;
	if (text.length > 0)
		memcpy(piece + used, text.start, text.length);
	used += text.length;
	for (; *behind != '\0'; behind++)
		piece[used++] = *behind;
	put(json, piece, used);
	return true;
}

/* Writes a string in quotes; replaces the user names in `names` (NULL: none). */
static void
put_string(struct json *json, struct user_names *names, struct text text)
{
	struct user_name_match match;
	size_t from = 0;
	bool found = user_names_find(names, text, 0, &match);

	if (!found && put_short(json, "\"", text, "\""))
		return;
	put(json, "\"", 1);
	while (found) {
		put_characters(json, (struct text){ text.start + from, match.start - from });
		put_characters(json, match.shown);
		from = match.start + match.length;
		found = user_names_find(names, text, from, &match);
	}
	put_characters(json, (struct text){ text.start + from, text.length - from });
	put(json, "\"", 1);
}

/* Writes everything before a value: comma, line, key. */
static void
begin_value(struct json *json, const char *key)
{
	const bool filled = json->filled[json->depth];

	json->filled[json->depth] = true;
	if (!json->pretty && key != NULL &&
	    put_short(json, filled ? ",\"" : "\"", text_of(key), "\":"))
		return;
	if (filled)
		put(json, ",", 1);
	if (json->pretty && json->depth > 0)
		put_line(json);
	if (key != NULL) {
		put_string(json, NULL, text_of(key));
		put(json, ": ", json->pretty ? 2 : 1);
	}
}

static void
open_level(struct json *json, const char *key, char bracket)
{
	begin_value(json, key);
	put(json, &bracket, 1);
	if (json->depth < JSON_DEPTH)
		json->depth++;
	json->filled[json->depth] = false;
}

static void
close_level(struct json *json, char bracket)
{
	bool filled = json->filled[json->depth];

	if (json->depth > 0)
		json->depth--;
	if (json->pretty && filled)
		put_line(json);
	put(json, &bracket, 1);
}

void
json_begin(struct json *json, const struct output *output, bool pretty)
{
	*json = (struct json){ .output = output, .pretty = pretty };
}

void
json_finish(struct json *json)
{
	put(json, "\n", 1);
}

void
json_object(struct json *json, const char *key)
{
	open_level(json, key, '{');
}

void
json_object_end(struct json *json)
{
	close_level(json, '}');
}

void
json_array(struct json *json, const char *key)
{
	open_level(json, key, '[');
}

void
json_array_end(struct json *json)
{
	close_level(json, ']');
}

void
json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	put(json, "null", 4);
}

void
json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	put(json, value ? "true" : "false", value ? 4 : 5);
}

void
json_number(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	output_decimal(json->output, value);
}

void
json_signed(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	output_format(json->output, "%" PRId64, value);
}

void
json_fraction(struct json *json, const char *key, uint64_t percent)
{
	begin_value(json, key);
	output_format(json->output, "%" PRIu64 ".%02" PRIu64, percent / 100, percent % 100);
}

void
json_hex(struct json *json, const char *key, uint64_t value, unsigned digits)
{
	char text[80], *start = text + sizeof(text), *const end = start;
	const unsigned most = sizeof(text) - 4;

	begin_value(json, key);
	*--start = '"';
	for (unsigned i = 0; i < most && (i < digits || i == 0 || value != 0); i++) {
		*--start = "0123456789abcdef"[value & 15];
		value >>= 4;
	}
	*--start = 'x';
	*--start = '0';
	*--start = '"';
	put(json, start, (size_t)(end - start));
}

void
json_string(struct json *json, const char *key, const char *value)
{
	if (value == NULL)
		json_null(json, key);
	else
		json_text(json, key, text_of(value));
}

void
json_text(struct json *json, const char *key, struct text value)
{
	begin_value(json, key);
	put_string(json, json->output->names, value);
}

void
json_text_or_null(struct json *json, const char *key, struct text value)
{
	if (value.length > 0)
		json_text(json, key, value);
	else
		json_null(json, key);
}

void
json_copy(struct json *json, const char *key, struct text text)
{
	bool quoted = false, escaped = false;
	struct arena arena = { 0 };
	uint32_t character;

	begin_value(json, key);
	text = user_names_replace(json->output->names, text, &arena);
	for (size_t at = 0, bytes; at < text.length; at += bytes) {
		bytes = text_decode(text.start + at, text.length - at, &character);
		if (bytes == 0)
			break;
		if (bytes > 1 && must_escape(character))
			put_escape(json, character);
		else if (quoted || character > ' ')
			put(json, text.start + at, bytes);
		quoted ^= character == '"' && !escaped;
		escaped = quoted && character == '\\' && !escaped;
	}
	arena_free(&arena);
}

/* JSON from an input --------------------------------------------------------------------------- */

/* A text that is checked (RFC 8259) before it becomes part of a document. */
struct json_input {
	const char *at, *end;
	unsigned depth;
	char open[JSON_DEPTH];	/* closing brackets of the open values */
};

/* Whether the next byte is one of `bytes`; if so, it is consumed. */
static bool
take(struct json_input *input, const char *bytes)
{
	const bool is_there = input->at < input->end && *input->at != '\0' &&
			      strchr(bytes, *input->at) != NULL;

	input->at += is_there;
	return is_there;
}

static size_t
take_all(struct json_input *input, const char *bytes, size_t most)
{
	size_t count = 0;

	while (count < most && take(input, bytes))
		count++;
	return count;
}

static bool
take_string(struct json_input *input)
{
	uint32_t character;

	while (!take(input, "\"")) {
		const size_t bytes = text_decode(input->at, (size_t)(input->end - input->at),
						 &character);

		if (bytes == 0 || character < ' ')
			return false;
		input->at += bytes;
		if (character != '\\')
			continue;
		if (take(input, "u") ? take_all(input, "0123456789abcdefABCDEF", 4) < 4
				     : !take(input, "\"\\/bfnrt"))
			return false;
	}
	return true;
}

static bool
take_scalar(struct json_input *input)
{
	static const char digits[] = "0123456789";
	static const char *const words[] = { "true", "false", "null" };

	if (take(input, "\""))
		return take_string(input);
	for (size_t i = 0; i < 3; i++) {
		const size_t length = strlen(words[i]);

		if ((size_t)(input->end - input->at) >= length &&
		    memcmp(input->at, words[i], length) == 0) {
			input->at += length;
			return true;
		}
	}
	take(input, "-");
	if (!take(input, "0") && take_all(input, digits, SIZE_MAX) == 0)
		return false;
	if (take(input, ".") && take_all(input, digits, SIZE_MAX) == 0)
		return false;
	return !take(input, "eE") || (take_all(input, "+-", 1) < 2 &&
				      take_all(input, digits, SIZE_MAX) > 0);
}

static void
take_blanks(struct json_input *input)
{
	take_all(input, " \t\n\r", SIZE_MAX);
}

/* Checks a scalar or the opening bracket of a value. In an object, checks the key first. */
static bool
take_member(struct json_input *input)
{
	take_blanks(input);
	if (input->depth > 0 && input->open[input->depth - 1] == '}') {
		if (!take(input, "\"") || !take_string(input))
			return false;
		take_blanks(input);
		if (!take(input, ":"))
			return false;
		take_blanks(input);
	}
	if (!take(input, "[{"))
		return take_scalar(input);
	if (input->depth == JSON_DEPTH)
		return false;
	input->open[input->depth++] = input->at[-1] == '[' ? ']' : '}';
	return true;
}

static bool
take_end(struct json_input *input)
{
	const char end[] = { input->open[input->depth - 1], '\0' };
	const bool ends = take(input, end);

	input->depth -= ends;
	return ends;
}

static bool
take_value(struct json_input *input)
{
	const unsigned outer = input->depth;

	for (;;) {
		const unsigned depth = input->depth;

		if (!take_member(input))
			return false;
		take_blanks(input);
		if (input->depth > depth && !take_end(input))
			continue;
		for (take_blanks(input); input->depth > outer && take_end(input);)
			take_blanks(input);
		if (input->depth == outer)
			return true;
		if (!take(input, ","))
			return false;
	}
}

bool
json_is_array(struct text text)
{
	struct json_input input = { .at = text.start, .end = text.start + text.length };

	take_blanks(&input);
	return input.at != input.end && *input.at == '[' && take_value(&input) &&
	       input.at == input.end;
}

bool
json_member(struct text object, const char *key, struct text *value)
{
	struct json_input input = { .at = object.start, .end = object.start + object.length };

	take_blanks(&input);
	if (!take(&input, "{"))
		return false;
	do {
		take_blanks(&input);
		const char *name = input.at + 1;
		if (!take(&input, "\"") || !take_string(&input))
			return false;
		const struct text found = { name, (size_t)(input.at - 1 - name) };
		take_blanks(&input);
		if (!take(&input, ":"))
			return false;
		take_blanks(&input);
		const char *start = input.at;
		if (!take_value(&input))
			return false;
		*value = text_trimmed((struct text){ start, (size_t)(input.at - start) });
		if (text_is(found, key))
			return true;
	} while (take(&input, ","));
	return false;
}

const char *
json_unquoted(struct text string, struct arena *arena)
{
	struct json_text json = { .arena = arena, .bytes = string.start, .size = string.length };

	return string.length > 0 && *string.start == '"' ? json_text_value(&json) : NULL;
}
