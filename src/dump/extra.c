/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "system/file.h"

/*
 * The `.extra` file that Mozilla's crash reporter writes next to a dump: an object of strings in
 * JSON, or in older versions a line KEY=value for each with \n, \t and \\ as escapes. (Firefox:
 * toolkit/crashreporter.)
 */

/* Most bytes of such a file: real ones have some kilobytes, with telemetry some hundred. */
#define FILE_MOST (16u << 20)
/* Arrays and objects are kept as text, nested at most this deep. */
#define NESTING_MOST 64u

struct extra {
	struct crash *crash;
	struct input *input;
	const char *bytes;
	size_t size, at;
	struct minidump list;		/* the annotations: of the dump, then of the file */
};

/* Report a defect; returns NULL, the result of a failed reader. */
static const char *
complain(struct extra *extra, const char *what)
{
	message_add(&extra->crash->messages, MESSAGE_EXTRA_BROKEN,
		    (struct place){ .input = extra->input, .offset = extra->at,
				    .length = extra->at < extra->size },
		    "the .extra file is malformed: %s\nthe annotations before it "
		    "are used", what);
	return NULL;
}

/* False at the limit, or when out of memory. */
static bool
keep(struct extra *extra, const char *key, const char *value, size_t start)
{
	return minidump_annotate(&extra->list, "extra", key, value,
				 (struct place){ .input = extra->input, .offset = start,
						 .length = (uint32_t)(extra->at - start) });
}

/* JSON */

static void
skip_blanks(struct extra *extra)
{
	while (extra->at < extra->size && strchr(" \t\r\n", extra->bytes[extra->at]) != NULL &&
	       extra->bytes[extra->at] != '\0')
		extra->at++;
}

static bool
take(struct extra *extra, char c)
{
	skip_blanks(extra);
	if (extra->at >= extra->size || extra->bytes[extra->at] != c)
		return false;
	extra->at++;
	return true;
}

/* Four hexadecimal digits; false without moving. */
static bool
take_unit(struct extra *extra, uint32_t *unit)
{
	const char *digits = extra->bytes + extra->at;
	uint64_t value;

	if (extra->size - extra->at < 4 || tolower((unsigned char)digits[1]) == 'x' ||
	    !text_number((struct text){ digits, 4 }, 16, &value))
		return false;
	*unit = (uint32_t)value;
	extra->at += 4;
	return true;
}

/* The character after \u: two units may be one; half of a pair is not a character. */
static bool
take_character(struct extra *extra, uint32_t *character)
{
	uint32_t low;

	if (!take_unit(extra, character))
		return false;
	size_t behind = extra->at;
	if (*character >= 0xd800 && *character < 0xdc00 && extra->size - extra->at >= 6 &&
	    memcmp(extra->bytes + extra->at, "\\u", 2) == 0) {
		extra->at += 2;
		if (take_unit(extra, &low) && low >= 0xdc00 && low < 0xe000)
			*character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
		else
			extra->at = behind;
	}
	/* A NUL would hide the rest of the text. */
	if (*character == 0 || (*character >= 0xd800 && *character < 0xe000))
		*character = 0xfffd;
	return true;
}

/* The bytes up to the closing quote: a bound for the string's length. */
static size_t
raw_length(const struct extra *extra)
{
	size_t at = extra->at;

	while (at < extra->size && extra->bytes[at] != '"')
		at += extra->bytes[at] == '\\' ? 2 : 1;
	return at < extra->size ? at - extra->at : extra->size - extra->at;
}

/* A string after its opening quote; NULL with a message. */
static const char *
take_string(struct extra *extra)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char *text = arena_alloc(&extra->crash->arena, raw_length(extra) + 5);
	size_t used = 0;

	while (text != NULL && extra->at < extra->size) {
		char c = extra->bytes[extra->at++];
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
		c = extra->at < extra->size ? extra->bytes[extra->at++] : '\0';
		escape = c != '\0' ? strchr(plain, c) : NULL;
		if (escape != NULL) {
			text[used++] = meant[escape - plain];
		} else if (c == 'u' && take_character(extra, &character)) {
			used += text_encode(character, text + used);
		} else {
			return complain(extra, "invalid JSON escape");
		}
	}
	return complain(extra, text != NULL ? "unterminated string" : OUT_OF_MEMORY);
}

/* A value that is not a string, as text: brackets are only counted. */
static const char *
take_other(struct extra *extra)
{
	size_t start = extra->at, depth = 0;

	for (; extra->at < extra->size; extra->at++) {
		char c = extra->bytes[extra->at];

		if (c == '"') {
			extra->at++;
			extra->at += raw_length(extra);
			if (extra->at >= extra->size)
				break;
		} else if (c == '{' || c == '[') {
			if (++depth > NESTING_MOST)
				return complain(extra, "values are nested too deeply");
		} else if (depth == 0 && (c == ',' || c == '}')) {
			break;
		} else if (c == '}' || c == ']') {
			if (depth-- == 0)
				return complain(extra, "unmatched closing bracket");
		}
	}
	size_t end = extra->at;
	while (end > start && strchr(" \t\r\n", extra->bytes[end - 1]) != NULL)
		end--;
	if (depth != 0 || end == start || extra->at >= extra->size)
		return complain(extra, "unterminated value");
	return arena_copy(&extra->crash->arena, extra->bytes + start, end - start);
}

/* The members of an object, with its end; false with a message. */
static bool
read_members(struct extra *extra)
{
	if (take(extra, '}'))
		return true;
	do {
		skip_blanks(extra);
		size_t start = extra->at;
		const char *key, *value;

		if (!take(extra, '"'))
			return complain(extra, "expected a key") != NULL;
		key = take_string(extra);
		if (key == NULL)
			return false;
		if (!take(extra, ':'))
			return complain(extra, "expected ':' after a key") != NULL;
		skip_blanks(extra);
		value = take(extra, '"') ? take_string(extra) : take_other(extra);
		if (value == NULL || !keep(extra, key, value, start))
			return false;
	} while (take(extra, ','));
	if (!take(extra, '}'))
		return complain(extra, "expected ',' or '}' after a value") != NULL;
	return true;
}

/* KEY=value */

static const char *
unescape_line(struct extra *extra, const char *start, size_t length)
{
	char *text = arena_alloc(&extra->crash->arena, length + 1);
	size_t used = 0;

	for (size_t i = 0; text != NULL && i < length; i++) {
		char c = start[i], next = i + 1 < length ? start[i + 1] : '\0';

		if (c == '\\' && (next == 'n' || next == 't' || next == '\\')) {
			c = (char)(next == 'n' ? '\n' : next == 't' ? '\t' : '\\');
			i++;
		}
		text[used++] = c != '\0' ? c : '?';
	}
	return text;
}

static void
read_lines(struct extra *extra)
{
	while (extra->at < extra->size) {
		const char *line = extra->bytes + extra->at;
		size_t rest = extra->size - extra->at, start = extra->at;
		const char *end = memchr(line, '\n', rest);
		size_t length = end != NULL ? (size_t)(end - line) : rest;
		const char *equals = memchr(line, '=', length);

		extra->at += length + (end != NULL);
		if (length > 0 && line[length - 1] == '\r')
			length--;
		if (length == 0)
			continue;
		if (equals == NULL || equals == line) {
			extra->at = start;
			complain(extra, "a line is not KEY=value");
			return;
		}
		const char *key = unescape_line(extra, line, (size_t)(equals - line));
		const char *value = unescape_line(extra, equals + 1,
						  length - (size_t)(equals + 1 - line));
		if (!keep(extra, key, value, start))
			return;
	}
}

void
extra_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size)
{
	struct input *input = arena_alloc(&crash->arena, sizeof(*input));
	struct extra extra = {
		.crash = crash, .input = input, .bytes = bytes, .size = size,
		.list = { .crash = crash, .annotation_capacity = crash->annotation_count },
	};

	if (input == NULL)
		return;
	input->name = arena_copy(&crash->arena, name, strlen(name));
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		extra.at = 3;
	if (!take(&extra, '{')) {
		read_lines(&extra);
	} else if (read_members(&extra)) {
		skip_blanks(&extra);
		if (extra.at < extra.size)
			complain(&extra, "text after the object");
	}
}

void
extra_read(struct crash *crash, const char *path)
{
	static const char old[] = ".dmp", new[] = ".extra";
	size_t length = strlen(path);
	struct error error = { 0 };
	struct file file;
	struct stat status;
	char *name;

	if (length <= sizeof(old) - 1 || strcmp(path + length - (sizeof(old) - 1), old) != 0)
		return;
	length -= sizeof(old) - 1;
	name = arena_alloc(&crash->arena, length + sizeof(new));
	if (name == NULL)
		return;
	memcpy(name, path, length);
	memcpy(name + length, new, sizeof(new));
	/* A pipe or device could block the program. */
	if (!file_stat(name, &status) || !S_ISREG(status.st_mode))
		return;
	if (file_open(&file, name, &error) != ERROR_NONE) {
		message_add(&crash->messages, MESSAGE_EXTRA_BROKEN, (struct place){ 0 },
			    "cannot read '%s': %s", name, error.text);
		return;
	}
	if (file.size > FILE_MOST)
		message_add(&crash->messages, MESSAGE_LIMIT, (struct place){ 0 },
			    "'%s' is larger than %u bytes\nit is skipped", name, FILE_MOST);
	else
		extra_from_memory(crash, name, file.data, (size_t)file.size);
	file_close(&file);
}
