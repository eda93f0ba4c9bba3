/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"

/*
 * URLs of source files: SourceLink (dotnet/designs, source-link.md) and the streams of source
 * servers (srcsrv, "Language Specification 1" of the Debugging Tools for Windows).
 */

#define URL_SIZE 2048u
/* Maximum number of variables replaced in a target. */
#define REPLACED 64u
/* Maximum number of parts in a row of source files: %var1% to %var10%. */
#define PARTS 10u

/* A text under construction. If a part does not fit, it is left out, and finish() fails. */
struct url {
	char text[URL_SIZE];
	size_t length;
};

static bool
is_same(struct text a, struct text b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text_lower(a.start[i]) != text_lower(b.start[i]) &&
		    !(text_is_separator(a.start[i]) && text_is_separator(b.start[i])))
			return false;
	return true;
}

/* The text as a URL, or NULL if it is not a printable http or https URL. */
static const char *
finish(const struct url *url, struct arena *arena)
{
	const struct text text = { url->text, url->length };

	if (url->length >= URL_SIZE || text_printable_length(text) != text.length ||
	    (strncmp(url->text, "https://", 8) != 0 && strncmp(url->text, "http://", 7) != 0))
		return NULL;
	return arena_copy(arena, url->text, url->length);
}

static void
put(struct url *url, const char *bytes, size_t length)
{
	if (length > 0 && url->length + length < URL_SIZE) {
		memcpy(url->text + url->length, bytes, length);
		url->text[url->length + length] = '\0';
	}
	url->length += length < URL_SIZE ? length : URL_SIZE;
}

/* SourceLink ----------------------------------------------------------------------------------- */

/* Decode the JSON escape at `at`, after the backslash. Returns its size without the backslash. */
static size_t
put_escape(struct url *string, struct text json, size_t at)
{
	char digits[5] = "", bytes[4] = "\1";
	size_t length = 1;

	if (json.start[at] == 'u' && json.length - at > 4)
		memcpy(digits, json.start + at + 1, 4);
	/* Other escapes become "\1": finish() refuses a URL with control characters. */
	if (strspn(digits, "0123456789abcdefABCDEF") == 4) {
		const uint32_t unit = (uint32_t)strtoul(digits, NULL, 16);

		length = unit - 0xd800u < 0x800u ? 1 : text_encode(unit, bytes);
	} else if (strchr("\"\\/", json.start[at]) != NULL) {
		bytes[0] = json.start[at];
	}
	put(string, bytes, length);
	return digits[0] != '\0' ? 5 : 1;
}

/* Decode the next JSON string from `*at` on, and move `*at` past it. False: no further string. */
static bool
next_string(struct text json, size_t *at, struct url *string)
{
	const char *start = memchr(json.start + *at, '"', json.length - *at);
	size_t i = start == NULL ? json.length : (size_t)(start - json.start) + 1;

	*string = (struct url){ .length = 0 };
	while (i < json.length && json.start[i] != '"') {
		if (json.start[i] == '\\' && i + 1 < json.length) {
			i += 1 + put_escape(string, json, i + 1);
		} else {
			put(string, json.start + i, 1);
			i++;
		}
	}
	*at = i + 1;
	return i < json.length;
}

static void
put_escaped(struct url *url, struct text path)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < path.length; i++) {
		const unsigned char c = (unsigned char)path.start[i];

		if (c == '\\' || c == '/')
			put(url, "/", 1);
		else if (c < 0x80 && (isalnum(c) || strchr("-._~", c) != NULL))
			put(url, path.start + i, 1);
		else
			put(url, (const char[]){ '%', digits[c >> 4], digits[c & 15] }, 3);
	}
}

const char *
pdb_source_link(struct text json, struct text path, struct arena *arena)
{
	struct url key, value, url = { .length = URL_SIZE };
	size_t at = 0, best = 0;

	while (next_string(json, &at, &key) && strcmp(key.text, "documents") != 0)
		;
	while (at < json.length && next_string(json, &at, &key) &&
	       next_string(json, &at, &value)) {
		const struct text pattern = { key.text, key.length };
		char *star = strchr(value.text, '*');
		const bool open = key.length > 0 && key.length < URL_SIZE &&
				  key.text[key.length - 1] == '*';
		const size_t fixed = key.length - open;

		if (key.length >= URL_SIZE || value.length >= URL_SIZE || fixed < best ||
		    (open ? star == NULL || path.length < fixed : path.length != fixed) ||
		    !is_same(pattern, path, fixed))
			continue;
		best = fixed + !open;
		url = (struct url){ .length = 0 };
		put(&url, value.text, star != NULL && open ? (size_t)(star - value.text)
							   : value.length);
		if (open) {
			put_escaped(&url, (struct text){ path.start + fixed, path.length - fixed });
			put(&url, star + 1, strlen(star + 1));
		}
	}
	return finish(&url, arena);
}

/* Source servers ------------------------------------------------------------------------------- */

/* The line at `*at` without its end. Moves `*at` to the next line. */
static struct text
next_line(struct text text, size_t *at)
{
	const char *start = text.start + *at;
	const char *feed = memchr(start, '\n', text.length - *at);
	size_t length = feed != NULL ? (size_t)(feed - start) : text.length - *at;

	*at += length + (feed != NULL);
	while (length > 0 && (start[length - 1] == '\r' || start[length - 1] == ' '))
		length--;
	return (struct text){ start, length };
}

/* Whether a line is a section's title, "SRCSRV: NAME ---". `*files`: "source files". */
static bool
is_title(struct text line, bool *files)
{
	if (line.length < 7 || memcmp(line.start, "SRCSRV:", 7) != 0)
		return false;
	*files = memmem(line.start, line.length, "source files", 12) != NULL;
	return true;
}

/* Find the row of a file, and split it at each '*'. The first part is the path. */
static bool
find_row(struct text stream, struct text path, struct text parts[PARTS])
{
	bool files = false;

	for (size_t at = 0; at < stream.length;) {
		struct text line = next_line(stream, &at);
		size_t count = 0;

		if (is_title(line, &files) || !files || line.length < path.length ||
		    !is_same(line, path, path.length) ||
		    (line.length > path.length && line.start[path.length] != '*'))
			continue;
		memset(parts, 0, PARTS * sizeof(*parts));
		for (const char *end = line.start + line.length; count < PARTS;) {
			const char *star = memchr(line.start, '*', (size_t)(end - line.start));
			const char *stop = star != NULL ? star : end;

			parts[count++] = (struct text){ line.start, (size_t)(stop - line.start) };
			if (star == NULL)
				break;
			line.start = star + 1;
		}
		return true;
	}
	return false;
}

/* The value of a variable: a part of the row, or the VALUE of a line NAME=VALUE. */
static struct text
value_of(struct text stream, const struct text parts[PARTS], struct text name)
{
	const char *end = name.start + name.length;

	if (name.length > 3 && strncasecmp(name.start, "var", 3) == 0 && isdigit(end[-1])) {
		const size_t number = name.length == 4 ? (size_t)(end[-1] - '0')
				      : name.length == 5 && strncmp(name.start + 3, "10", 2) == 0
					      ? PARTS : 0;

		if (number > 0)
			return parts[number - 1];
	}
	bool files = false;
	for (size_t at = 0; at < stream.length && !files;) {
		const struct text line = next_line(stream, &at);

		if (!is_title(line, &files) && line.length > name.length &&
		    line.start[name.length] == '=' &&
		    strncasecmp(line.start, name.start, name.length) == 0)
			return (struct text){ line.start + name.length + 1,
					      line.length - name.length - 1 };
	}
	return (struct text){ "", 0 };
}

/* Append the value of a call `%fnNAME%(ARGUMENT)`. */
static void
put_call(struct url *to, struct text stream, const struct text parts[PARTS], struct text name,
	 struct text argument)
{
	if (name.length == 5 && strncasecmp(name.start, "fnvar", 5) == 0) {
		const struct text value = value_of(stream, parts, argument);

		put(to, value.start, value.length);
		return;
	}
	if (name.length == 6 && strncasecmp(name.start, "fnfile", 6) == 0)
		argument = text_base_name(argument);
	for (size_t i = 0; i < argument.length; i++) {
		const bool back = name.length == 6 && strncasecmp(name.start, "fnbksl", 6) == 0;

		put(to, back && argument.start[i] == '/' ? "\\" : argument.start + i, 1);
	}
}

/* Replace one variable, or the last function call if no variable remains. False: neither. */
static bool
replace_one(struct url *url, struct text stream, const struct text parts[PARTS])
{
	const char *call = NULL, *after = NULL;
	struct url made = { .length = 0 };

	for (const char *at = strchr(url->text, '%'); at != NULL; at = strchr(at + 1, '%')) {
		const char *end = strchr(at + 1, '%');
		const struct text name = { at + 1, end != NULL ? (size_t)(end - at - 1) : 0 };

		if (end == NULL)
			break;
		if (end[1] == '(' && strncasecmp(name.start, "fn", 2) == 0) {
			call = at;
			after = end;
		} else {
			const struct text value = value_of(stream, parts, name);

			put(&made, url->text, (size_t)(at - url->text));
			put(&made, value.start, value.length);
			put(&made, end + 1, strlen(end + 1));
			*url = made;
			return true;
		}
		at = end;
	}
	const char *close = call != NULL ? strchr(after, ')') : NULL;
	if (close == NULL)
		return false;
	put(&made, url->text, (size_t)(call - url->text));
	put_call(&made, stream, parts, (struct text){ call + 1, (size_t)(after - call - 1) },
		 (struct text){ after + 2, (size_t)(close - after - 2) });
	put(&made, close + 1, strlen(close + 1));
	*url = made;
	return true;
}

const char *
pdb_source_server(struct text stream, struct text path, struct arena *arena)
{
	struct text parts[PARTS];
	struct url url = { .length = 0 };
	unsigned replaced = 0;

	if (path.length == 0 || !find_row(stream, path, parts))
		return NULL;
	const struct text target = value_of(stream, parts, text_of("SRCSRVTRG"));
	put(&url, target.start, target.length);
	while (url.length < URL_SIZE && replaced < REPLACED && replace_one(&url, stream, parts))
		replaced++;
	return replaced < REPLACED ? finish(&url, arena) : NULL;
}

const char *
pdb_source_url(const struct pdb *pdb, struct text path, struct arena *arena)
{
	struct arena scratch = { 0 };
	const char *url = NULL;
	struct reader bytes;

	for (size_t i = 0; i < pdb->link_count && url == NULL; i++) {
		const uint32_t stream = pdb->links[i].stream;
		const uint64_t size = msf_size(&pdb->msf, stream);

		if (size > LIMIT_PDB_LINKS ||
		    !msf_bytes(&pdb->msf, stream, 0, size, &scratch, &bytes))
			continue;
		const struct text text = { (const char *)bytes.data, (size_t)bytes.size };
		url = pdb->links[i].server ? pdb_source_server(text, path, arena)
					   : pdb_source_link(text, path, arena);
	}
	arena_free(&scratch);
	return url;
}
