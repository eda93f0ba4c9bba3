/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "dump/json_text.h"
#include "system/file.h"

/*
 * The `.extra` file that Mozilla's crash reporter writes next to a dump: an object of strings in
 * JSON. Older versions write lines KEY=value with the escapes \n, \t and \\ (Firefox:
 * toolkit/crashreporter).
 */

/* Largest file in bytes: real files have a few kilobytes, with telemetry a few hundred. */
#define FILE_MOST (16u << 20)

struct extra {
	struct crash *crash;
	struct input *input;
	const char *bytes;
	size_t size, at;
	struct minidump list;		/* annotations of the dump, then those of the file */
};

static void
complain(struct extra *extra, const char *what)
{
	message_add(&extra->crash->messages, MESSAGE_EXTRA_BROKEN,
		    (struct place){ .input = extra->input, .offset = extra->at,
				    .length = extra->at < extra->size },
		    "the .extra file is malformed: %s\nthe annotations before it "
		    "are used", what);
}

/* Add an annotation. False at the limit, or when out of memory. */
static bool
keep(struct extra *extra, const char *key, const char *value, size_t start)
{
	return minidump_annotate(&extra->list, "extra", key, value,
				 (struct place){ .input = extra->input, .offset = start,
						 .length = (uint32_t)(extra->at - start) });
}

/* JSON */

static bool
keep_member(void *state, struct json_text *json, const char *key)
{
	struct extra *extra = state;
	const size_t start = json->start;
	const char *value = json_text_value(json);

	extra->at = json->at;
	return value != NULL && keep(extra, key, value, start);
}

/* Read an object after its opening brace. */
static void
read_object(struct extra *extra, struct json_text *json)
{
	const bool more = json_text_members(json, keep_member, extra) && !json_text_ends(json);

	extra->at = json->at;
	if (json->problem != NULL)
		complain(extra, json->problem);
	else if (more)
		complain(extra, "text after the object");
}

/* The older form: lines KEY=value */

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
	input->name = arena_string(&crash->arena, name);
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		extra.at = 3;
	struct json_text json = { .arena = &crash->arena, .bytes = bytes, .size = size,
				  .at = extra.at };
	if (json_text_take(&json, '{')) {
		read_object(&extra, &json);
	} else {
		extra.at = json.at;
		read_lines(&extra);
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
