/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_path.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/text.h"
#include "system/file.h"

/* Bytes of a symbol path's text in a message. */
#define SHOWN 160u

bool
file_pointer_is_foreign(const char *path)
{
	return strchr(path, '\\') != NULL ||
	       (isalpha((unsigned char)path[0]) && path[1] == ':');
}

bool
file_pointer_read(const char *path, bool follow, char target[FILE_POINTER_SIZE], char *why,
		  size_t size)
{
	char shown[SHOWN];
	struct file file;
	bool good = false;

	target[0] = '\0';
	if (file_open_head(&file, path, FILE_POINTER_SIZE - 1, NULL) != ERROR_NONE) {
		snprintf(why, size, "its file.ptr cannot be read");
		return false;
	}
	const char *text = (const char *)file.data;
	size_t length = (size_t)file.size;
	const bool leads = length >= 5 && strncasecmp(text, "PATH:", 5) == 0;
	const bool says = length >= 4 && strncasecmp(text, "MSG:", 4) == 0;
	const size_t skip = leads ? 5 : says ? 4 : 0;
	length -= skip;
	if (length > 0)
		memcpy(target, text + skip, length);
	target[length] = '\0';
	length = strcspn(target, "\r\n");
	while (length > 0 && target[length - 1] == ' ')
		length--;
	target[length] = '\0';
	file_close(&file);
	const char *begin = target + strspn(target, " ");
	text_printable(shown, sizeof(shown), text_of(begin));
	if (says)
		snprintf(why, size, "its file.ptr says: %s", shown);
	else if (!leads)
		snprintf(why, size, "its file.ptr has neither PATH: nor MSG:");
	else if (file_pointer_is_foreign(begin))
		snprintf(why, size, "its file.ptr leads to '%s', a path of Windows", shown);
	else if (begin[0] != '/')
		snprintf(why, size, "its file.ptr leads to '%s', which is no absolute path", shown);
	else if (!follow)
		snprintf(why, size, "its file.ptr leads to '%s'; --follow-pointers would follow it",
			 shown);
	else
		good = true;
	memmove(target, begin, strlen(begin) + 1);
	return good;
}

/* file.ptr ------------------------------------------------------------------------------------- */

#define ANY_SERVER "symsrv"
#define CACHE "cache"

static bool
is_url(const char *text)
{
	return strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0;
}

bool
symbol_path_recognise(const char *text)
{
	static const char *const begins[] = { "srv*", ANY_SERVER "*", CACHE "*" };

	for (size_t i = 0; i < ARRAY_COUNT(begins); i++)
		if (strncasecmp(text, begins[i], strlen(begins[i])) == 0)
			return true;
	return is_url(text);
}

bool
symbol_path_add(struct symbol_path *path, struct arena *arena, enum symbol_path_kind kind,
		const char *text, const char *cache)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->parts[i].kind == kind && strcmp(path->parts[i].text, text) == 0)
			return true;
	return ARENA_ADD(arena, path->parts, path->count, path->capacity,
			 &(struct symbol_path_part){ kind, text, cache });
}

/* Parse the part after `srv*`: stores, then a store or a server. Skips empty elements. */
static bool
take_server(struct symbol_path *path, char *rest, const char *cache, struct arena *arena)
{
	bool good = true;

	for (char *next = rest; good && next != NULL;) {
		const char *text = strsep(&next, "*");

		if (is_url(text)) {
			good = symbol_path_add(path, arena, SYMBOL_PATH_SERVER, text, cache);
		} else if (*text != '\0') {
			text = file_expand_home(arena, text);
			good = text != NULL &&
			       symbol_path_add(path, arena, SYMBOL_PATH_STORE, text, NULL);
			if (cache == NULL && good && !file_pointer_is_foreign(text))
				cache = text;
		}
	}
	return good;
}

bool
symbol_path_parse(struct symbol_path *path, const char *text, struct arena *arena)
{
	char *copy = arena_string(arena, text);
	const char *cache = NULL;
	bool good = copy != NULL;

	for (char *next = copy; good && next != NULL;) {
		char *element = strsep(&next, ";");

		element += strspn(element, " \t");
		for (size_t end = strlen(element); end > 0 && strchr(" \t", element[end - 1]);)
			element[--end] = '\0';
		char *rest = strchr(element, '*');
		const size_t length = rest != NULL ? (size_t)(rest - element) : 0;

		if (*element == '\0') {
			continue;
		} else if (rest == NULL) {
			const char *place = is_url(element) ? element
							    : file_expand_home(arena, element);

			good = place != NULL &&
			       symbol_path_add(path, arena,
					       is_url(element) ? SYMBOL_PATH_SERVER
							       : SYMBOL_PATH_DIRECTORY,
					       place, cache);
		} else if (length == strlen(CACHE) && strncasecmp(element, CACHE, length) == 0) {
			const char *store = file_expand_home(arena, rest + 1);

			if (store != NULL && *store != '\0') {
				good = symbol_path_add(path, arena, SYMBOL_PATH_STORE, store, NULL);
				cache = file_pointer_is_foreign(store) ? cache : store;
			}
		} else {
			/* After `symsrv` comes the name of a library. */
			if (length == strlen(ANY_SERVER) &&
			    strncasecmp(element, ANY_SERVER, length) == 0)
				rest = strchr(rest + 1, '*');
			good = rest == NULL || take_server(path, rest + 1, cache, arena);
		}
	}
	return good;
}
