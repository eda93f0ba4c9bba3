/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/place.h"

/*
 * A letter behind '%' stands for what is known of the file (see `field`); where nothing is, or
 * something that must not be in a path, the row does not count.
 */
const struct binaries_layout binaries_layouts[] = {
	{ BINARIES_IMAGE, BINARIES_BY_BUILD_ID, false, ".build-id/%x/%y" },
	{ BINARIES_IMAGE, BINARIES_BY_CACHE, false, "%h/executable" },
	{ BINARIES_IMAGE, BINARIES_BY_CODE_ID, false, "%n/%c/%n" },
	{ BINARIES_IMAGE, BINARIES_BY_DEBUG_ID, false, "%n/%g/%n" },
	{ BINARIES_IMAGE, BINARIES_BY_KEY, false, "%n/elf-buildid-%h/%n" },
	{ BINARIES_IMAGE, BINARIES_BY_PATH, false, "%p" },
	{ BINARIES_IMAGE, BINARIES_BY_NAME, false, "%n" },
	{ BINARIES_IMAGE, BINARIES_BY_CODE_ID, false, "%l/%c/%l" },
	{ BINARIES_IMAGE, BINARIES_BY_NAME, false, "%l" },
	{ BINARIES_DEBUG, BINARIES_BY_BUILD_ID, false, ".build-id/%x/%y.debug" },
	{ BINARIES_DEBUG, BINARIES_BY_CACHE, false, "%h/debuginfo" },
	{ BINARIES_DEBUG, BINARIES_BY_KEY, false, "_.debug/elf-buildid-sym-%h/_.debug" },
	{ BINARIES_DEBUG, BINARIES_BY_PATH, false, "%p.debug" },
	{ BINARIES_DEBUG, BINARIES_BY_NAME, false, "%n.debug" },
	{ BINARIES_DEBUG, BINARIES_BY_LINK, true, "%d/%k" },
	{ BINARIES_DEBUG, BINARIES_BY_LINK, true, "%d/.debug/%k" },
	{ BINARIES_DEBUG, BINARIES_BY_LINK, true, "%k" },
	{ BINARIES_DEBUG, BINARIES_BY_LINK, true, ".debug/%k" },
	{ BINARIES_SUPPLEMENT, BINARIES_BY_BUILD_ID, false, ".build-id/%x/%y.debug" },
	{ BINARIES_SUPPLEMENT, BINARIES_BY_BUILD_ID, false, ".build-id/%x/%y" },
	{ BINARIES_SUPPLEMENT, BINARIES_BY_CACHE, false, "%h/debuginfo" },
	{ BINARIES_SUPPLEMENT, BINARIES_BY_SUPPLEMENT, false, ".dwz/%z" },
	{ BINARIES_SUPPLEMENT, BINARIES_BY_SUPPLEMENT, false, ".dwz/%k" },
};
const size_t binaries_layout_count = ARRAY_COUNT(binaries_layouts);

bool
binaries_safe_name(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

/* A path from a dump without its root, where none of its components leads up; else "". */
static const char *
safe_path(const char *path)
{
	path += strspn(path, "/");
	for (const char *part = path; *part != '\0';) {
		size_t length = strcspn(part, "/");

		if (strchr(path, '\\') != NULL || (length == 2 && strncmp(part, "..", 2) == 0))
			return "";
		part += length;
		part += strspn(part, "/");
	}
	return path;
}

/* Windows does not tell cases apart; the name in lower case, where that is another one. */
static bool
lower_case(const char *name, char buffer[BINARIES_SHOWN])
{
	size_t length = strlen(name);

	if (length >= BINARIES_SHOWN)
		return false;
	for (size_t i = 0; i <= length; i++) {
		bool capital = name[i] >= 'A' && name[i] <= 'Z';

		buffer[i] = (char)(name[i] + (capital ? 'a' - 'A' : 0));
	}
	return strcmp(name, buffer) != 0;
}

/* The folder of a module's path, safe as safe_path is. */
static const char *
folder(const struct module *module, char buffer[BINARIES_SHOWN])
{
	const char *path = safe_path(module->code_file), *end = strrchr(path, '/');

	if (end == NULL || (size_t)(end - path) >= BINARIES_SHOWN)
		return "";
	snprintf(buffer, BINARIES_SHOWN, "%.*s", (int)(end - path), path);
	return buffer;
}

/* What a link says behind its last ".dwz/": distributions make folders there. */
static const char *
below_dwz(const char *link)
{
	const char *tail = "";

	for (const char *at = link; (at = strstr(at, ".dwz/")) != NULL;)
		tail = at += strlen(".dwz/");
	return strchr(tail, '/') != NULL ? safe_path(tail) : "";
}

static const char *
build_id_part(const char *id, char letter, char buffer[BINARIES_SHOWN])
{
	size_t length = strlen(id);

	if (length < 4 || length >= BINARIES_SHOWN ||
	    strspn(id, "0123456789abcdef") != length)
		return "";
	snprintf(buffer, BINARIES_SHOWN, "%.*s", letter == 'x' ? 2 : (int)length,
		 letter == 'y' ? id + 2 : id);
	return buffer;
}

/* What a letter of a layout stands for; "": there is no such thing that is safe. */
static const char *
field(const struct binaries_subject *subject, char letter, char buffer[BINARIES_SHOWN])
{
	const struct module *module = subject->module;
	const char *name = place_base_name(module->code_file);
	const char *link = subject->link != NULL ? subject->link : "";

	switch (letter) {
	case 'n':
		return binaries_safe_name(name) ? name : "";
	case 'p':
		/* A bare name is a row of its own. */
		return strchr(safe_path(module->code_file), '/') != NULL
		       ? safe_path(module->code_file) : "";
	case 'd':
		return folder(module, buffer);
	case 'k':
		return binaries_safe_name(place_base_name(link)) ? place_base_name(link) : "";
	case 'z':
		return below_dwz(link);
	case 'l':
		return binaries_safe_name(name) && lower_case(name, buffer) ? buffer : "";
	case 'g':
		return binaries_safe_name(module->debug_id) ? module->debug_id : "";
	case 'c':
		snprintf(buffer, BINARIES_SHOWN, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
		return module->timestamp != 0 ? buffer : "";
	default:
		return build_id_part(subject->build_id, letter, buffer);
	}
}

/* Take "../" off the beginning of a link and a folder off the end of a path; false: none is left. */
static bool
go_up(const char **link, const char *path, size_t *length, size_t least)
{
	size_t end = *length;

	while (end > 0 && path[end - 1] != '/')
		end--;
	while (end > 0 && path[end - 1] == '/')
		end--;
	if (least == SIZE_MAX || end < least)
		return false;
	*length = end;
	*link += 2;
	*link += strspn(*link, "/");
	return true;
}

char *
binaries_relative_path(const char *file, const char *root, const char *link)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash != NULL ? (size_t)(slash - file) : 0;
	size_t skip = root != NULL ? strlen(root) : 0;

	while (skip > 0 && root[skip - 1] == '/')
		skip--;
	const size_t least = root == NULL || strncmp(file, root, skip) != 0 ? SIZE_MAX : skip;
	char *path = NULL;

	if (*link == '/' || *link == '\0')
		return NULL;
	while (strncmp(link, "../", 3) == 0)
		if (!go_up(&link, file, &length, least))
			return NULL;
	if (*safe_path(link) == '\0')
		return NULL;
	if (asprintf(&path, "%.*s%s%s", (int)length, file, slash != NULL ? "/" : "", link) < 0)
		return NULL;
	return path;
}

char *
binaries_path(const struct binaries_subject *subject, const char *directory, const char *pattern)
{
	char *path = NULL, buffer[BINARIES_SHOWN];
	size_t size = 0;
	FILE *out = open_memstream(&path, &size);
	bool whole = true;

	if (out == NULL)
		return NULL;
	const size_t length = strlen(directory);
	fprintf(out, "%s%s", directory, length > 0 && directory[length - 1] == '/' ? "" : "/");
	for (const char *at = pattern; whole && *at != '\0'; at++) {
		if (*at != '%') {
			fputc(*at, out);
			continue;
		}
		const char *text = field(subject, *++at, buffer);

		whole = *text != '\0';
		fputs(text, out);
	}
	if (fclose(out) == 0 && whole)
		return path;
	free(path);
	return NULL;
}
