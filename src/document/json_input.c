/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/json.h"

#include <string.h>

/* JSON from an input: it is checked (RFC 8259) before it becomes part of a document. */

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

/* Checks a value, or the beginning of one; in an object with its key. */
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

bool
json_is_array(struct text text)
{
	struct json_input input = { .at = text.start, .end = text.start + text.length };

	take_blanks(&input);
	if (input.at == input.end || *input.at != '[')
		return false;
	for (;;) {
		const unsigned outer = input.depth;

		if (!take_member(&input))
			return false;
		take_blanks(&input);
		if (input.depth > outer && !take_end(&input))
			continue;
		for (take_blanks(&input); input.depth > 0 && take_end(&input);)
			take_blanks(&input);
		if (input.depth == 0)
			return input.at == input.end;
		if (!take(&input, ","))
			return false;
	}
}
