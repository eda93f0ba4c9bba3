/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"

static bool
add_escaped(char *url, const char *text, size_t length)
{
	size_t used = strlen(url);

	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];
		const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				   (c >= 'a' && c <= 'z') || strchr("-._~", c) != NULL;

		if (used + (plain ? 1 : 3) >= FETCH_PATH_SIZE)
			return false;
		used += (size_t)snprintf(url + used, FETCH_PATH_SIZE - used, plain ? "%c" : "%%%02X",
					 c);
	}
	return true;
}

static bool
add_plain(char *url, const char *text)
{
	const size_t used = strlen(url), length = strlen(text);

	if (used + length >= FETCH_PATH_SIZE)
		return false;
	memcpy(url + used, text, length + 1);
	return true;
}

static size_t
without(const char *name, const char *const *ends, size_t count)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < count; i++) {
		const size_t cut = strlen(ends[i]);

		if (length > cut && strcasecmp(name + length - cut, ends[i]) == 0)
			return length - cut;
	}
	return length;
}

size_t
fetch_url_stem(const char *name, bool code)
{
	static const char *const debug_ends[] = { ".pdb" }, *const code_ends[] = { ".dll", ".exe" };

	return code ? without(name, code_ends, ARRAY_COUNT(code_ends))
		    : without(name, debug_ends, ARRAY_COUNT(debug_ends));
}

/* Code ids are in capitals on servers, and of their files' names only `.dll` is cut off there. */
static bool
add_code_file(char *url, const struct fetch_wanted *wanted)
{
	static const char *const ends[] = { ".dll" };
	const char *name = wanted->code_name;
	bool good = add_escaped(url, name, strlen(name)) && add_plain(url, "/");

	for (const char *c = wanted->code_id; good && *c != '\0'; c++) {
		const char capital = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);

		good = add_escaped(url, &capital, 1);
	}
	return good && add_plain(url, "/") &&
	       add_escaped(url, name, without(name, ends, ARRAY_COUNT(ends))) &&
	       add_plain(url, ".sym");
}

static bool
add_debug_file(char *url, const struct fetch_wanted *wanted)
{
	const char *name = wanted->name;
	const bool good = add_escaped(url, name, strlen(name)) && add_plain(url, "/") &&
			  add_escaped(url, wanted->id, strlen(wanted->id)) && add_plain(url, "/") &&
			  add_escaped(url, name, fetch_url_stem(name, false)) &&
			  add_plain(url, ".sym");

	if (!good || wanted->code_name[0] == '\0' || wanted->code_id[0] == '\0')
		return good;
	return add_plain(url, "?code_file=") &&
	       add_escaped(url, wanted->code_name, strlen(wanted->code_name)) &&
	       add_plain(url, "&code_id=") &&
	       add_escaped(url, wanted->code_id, strlen(wanted->code_id));
}

size_t
fetch_url_base(const char *url)
{
	size_t length = strcspn(url, "?#");

	while (length > 0 && url[length - 1] == '/')
		length--;
	return length;
}

bool
fetch_url_same(const char *one, const char *other)
{
	const size_t length = fetch_url_base(one);

	return length == fetch_url_base(other) && memcmp(one, other, length) == 0 &&
	       strcmp(one + strcspn(one, "?#"), other + strcspn(other, "?#")) == 0;
}

bool
fetch_url_make(char *url, const char *base, const struct fetch_wanted *wanted, bool code)
{
	const size_t path = strcspn(base, "?#"), length = fetch_url_base(base);
	const char *query = base[path] == '?' ? base + path + 1 : "";
	const size_t query_length = strcspn(query, "#");

	if (length >= FETCH_PATH_SIZE)
		return false;
	memcpy(url, base, length);
	url[length] = '\0';
	if (!add_plain(url, "/") || !(code ? add_code_file(url, wanted) : add_debug_file(url, wanted)))
		return false;
	if (query_length == 0)
		return true;
	const bool more = strchr(url + length, '?') != NULL;
	const size_t used = strlen(url);
	if (used + 1 + query_length >= FETCH_PATH_SIZE)
		return false;
	snprintf(url + used, FETCH_PATH_SIZE - used, "%c%.*s", more ? '&' : '?', (int)query_length,
		 query);
	return true;
}
