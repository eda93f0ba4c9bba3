/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/place.h"
#include "crash/crash.h"

/* Number of an ID's digits that name Symbolicator's first directory. */
#define UNIFIED_FOLDER 2u
/* Bytes that suffice for most paths. */
#define FIRST_PATH 256u

/*
 * Flags of all rows for stores of Windows, except the first. Names are compared ignoring case. Only
 * the first row (LAYOUT_STORE) reports a missing file.
 */
#define IN_STORE (LAYOUT_STORE | LAYOUT_FOLDED | LAYOUT_QUIET)

/*
 * A letter after '%' is a name or ID of the file (see `field`). If the value is unknown or unsafe
 * in a path, the row is skipped.
 */
const struct locate_layout layout_rows[] = {
	{ LOCATE_IMAGE, LOCATE_BY_BUILD_ID, LAYOUT_SYSTEM, ".build-id/%x/%y" },
	{ LOCATE_IMAGE, LOCATE_BY_CACHE, LAYOUT_CLIENT, LAYOUT_CLIENT_IMAGE },
	{ LOCATE_IMAGE, LOCATE_BY_CODE_ID, LAYOUT_STORE, LAYOUT_IMAGE },
	{ LOCATE_IMAGE, LOCATE_BY_CODE_ID, IN_STORE, LAYOUT_IMAGE },
	{ LOCATE_IMAGE, LOCATE_BY_CODE_ID, IN_STORE, LAYOUT_IMAGE_PACKED },
	{ LOCATE_IMAGE, LOCATE_BY_CODE_ID, IN_STORE, LAYOUT_IMAGE_TIER LAYOUT_IMAGE },
	{ LOCATE_IMAGE, LOCATE_BY_CODE_ID, IN_STORE, LAYOUT_IMAGE_TIER LAYOUT_IMAGE_PACKED },
	{ LOCATE_IMAGE, LOCATE_BY_POINTER, IN_STORE | LAYOUT_POINTER, LAYOUT_IMAGE_POINTER },
	{ LOCATE_IMAGE, LOCATE_BY_POINTER, IN_STORE | LAYOUT_POINTER,
	  LAYOUT_IMAGE_TIER LAYOUT_IMAGE_POINTER },
	{ LOCATE_IMAGE, LOCATE_BY_DEBUG_ID, 0, "%n/%g/%n" },
	{ LOCATE_IMAGE, LOCATE_BY_KEY, 0, "%n/elf-buildid-%h/%n" },
	{ LOCATE_IMAGE, LOCATE_BY_PATH, LAYOUT_SYSTEM, "%p" },
	{ LOCATE_IMAGE, LOCATE_BY_NAME, 0, "%n" },
	{ LOCATE_IMAGE, LOCATE_BY_NAME, LAYOUT_PACKED | LAYOUT_QUIET, "%n" },
	{ LOCATE_IMAGE, LOCATE_BY_NAME, 0, "%l" },
	{ LOCATE_IMAGE, LOCATE_BY_NAME, LAYOUT_QUIET, "%s" },
	{ LOCATE_DEBUG, LOCATE_BY_BUILD_ID, LAYOUT_SYSTEM, ".build-id/%x/%y.debug" },
	{ LOCATE_DEBUG, LOCATE_BY_CACHE, LAYOUT_CLIENT, LAYOUT_CLIENT_DEBUG },
	{ LOCATE_DEBUG, LOCATE_BY_KEY, 0, "_.debug/elf-buildid-sym-%h/_.debug" },
	{ LOCATE_DEBUG, LOCATE_BY_PATH, LAYOUT_SYSTEM, "%p.debug" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, 0, "%n.debug" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_PACKED | LAYOUT_QUIET, "%n.debug" },
	{ LOCATE_DEBUG, LOCATE_BY_DEBUG_ID, LAYOUT_STORE, LAYOUT_PDB },
	{ LOCATE_DEBUG, LOCATE_BY_DEBUG_ID, IN_STORE, LAYOUT_PDB },
	{ LOCATE_DEBUG, LOCATE_BY_DEBUG_ID, IN_STORE, LAYOUT_PDB_PACKED },
	{ LOCATE_DEBUG, LOCATE_BY_DEBUG_ID, IN_STORE, LAYOUT_PDB_TIER LAYOUT_PDB },
	{ LOCATE_DEBUG, LOCATE_BY_DEBUG_ID, IN_STORE, LAYOUT_PDB_TIER LAYOUT_PDB_PACKED },
	{ LOCATE_DEBUG, LOCATE_BY_POINTER, IN_STORE | LAYOUT_POINTER, LAYOUT_PDB_POINTER },
	{ LOCATE_DEBUG, LOCATE_BY_POINTER, IN_STORE | LAYOUT_POINTER,
	  LAYOUT_PDB_TIER LAYOUT_PDB_POINTER },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, 0, "%b" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_PACKED | LAYOUT_QUIET, "%b" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_QUIET, "%A" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_FOLDED | LAYOUT_QUIET, "%b" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_FOLDED | LAYOUT_QUIET, "%A" },
	{ LOCATE_DEBUG, LOCATE_BY_PATH, LAYOUT_SYSTEM, "%d/%B" LAYOUT_DSYM "%B" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, 0, "%B" LAYOUT_DSYM "%B" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_QUIET, "%B.app" LAYOUT_DSYM "%B" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_QUIET, "%B.framework" LAYOUT_DSYM "%B" },
	{ LOCATE_DEBUG, LOCATE_BY_NAME, LAYOUT_QUIET, "Contents/Resources/DWARF/%B" },
	{ LOCATE_DEBUG, LOCATE_BY_LINK, LAYOUT_LINKED | LAYOUT_SYSTEM, "%d/%k" },
	{ LOCATE_DEBUG, LOCATE_BY_LINK, LAYOUT_LINKED | LAYOUT_SYSTEM, "%d/.debug/%k" },
	{ LOCATE_DEBUG, LOCATE_BY_LINK, LAYOUT_LINKED | LAYOUT_PACKED | LAYOUT_QUIET, "%k" },
	{ LOCATE_DEBUG, LOCATE_BY_LINK, LAYOUT_LINKED | LAYOUT_SYSTEM, "%k" },
	{ LOCATE_DEBUG, LOCATE_BY_LINK, LAYOUT_LINKED | LAYOUT_SYSTEM, ".debug/%k" },
	{ LOCATE_SUPPLEMENT, LOCATE_BY_BUILD_ID, LAYOUT_SYSTEM, ".build-id/%x/%y.debug" },
	{ LOCATE_SUPPLEMENT, LOCATE_BY_BUILD_ID, LAYOUT_SYSTEM, ".build-id/%x/%y" },
	{ LOCATE_SUPPLEMENT, LOCATE_BY_CACHE, LAYOUT_CLIENT, LAYOUT_CLIENT_DEBUG },
	{ LOCATE_SUPPLEMENT, LOCATE_BY_SUPPLEMENT, LAYOUT_SYSTEM, ".dwz/%z" },
	{ LOCATE_SUPPLEMENT, LOCATE_BY_SUPPLEMENT, LAYOUT_SYSTEM, ".dwz/%k" },
	{ LOCATE_SPLIT, LOCATE_BY_BUILD_ID, LAYOUT_SYSTEM, ".build-id/%x/%y.dwp" },
	{ LOCATE_SPLIT, LOCATE_BY_PATH, LAYOUT_SYSTEM, "%p.dwp" },
	{ LOCATE_SPLIT, LOCATE_BY_NAME, 0, "%n.dwp" },
	{ LOCATE_SPLIT, LOCATE_BY_SPLIT, LAYOUT_LINKED | LAYOUT_SYSTEM, "%q" },
	{ LOCATE_SPLIT, LOCATE_BY_SPLIT, LAYOUT_LINKED | LAYOUT_SYSTEM, "%k" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_NAME, LAYOUT_UNCHECKED, LAYOUT_SYMBOLS },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_NAME_PACKED, LAYOUT_PACKED | LAYOUT_QUIET,
	  LAYOUT_SYMBOLS },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_NAME_FOLDED, LAYOUT_FOLDED | LAYOUT_QUIET,
	  LAYOUT_SYMBOLS },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_CODE, 0, "%C/%D/%T.sym" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_CODE, LAYOUT_FOLDED | LAYOUT_QUIET, "%C/%D/%T.sym" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_CODE, LAYOUT_FOLDED | LAYOUT_QUIET, "%C/%D/%W.sym" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_UNIFIED, 0, "%u/%U/breakpad" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_UNIFIED, LAYOUT_QUIET, "%i/%J/breakpad" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_UNIFIED, LAYOUT_QUIET, "%m/%M/breakpad" },
	{ LOCATE_SYMBOLS, LOCATE_SYMBOLS_BY_RECORD, LAYOUT_LISTED, "" },
};
const size_t layout_count = ARRAY_COUNT(layout_rows);

const char *const layout_suffixes[] = { ".gz", ".zst", ".xz", ".lz4", NULL };

const char *
locate_shown(char *buffer, const char *text)
{
	text_printable(buffer, LOCATE_SHOWN, text_of(text));
	return buffer;
}

bool
layout_safe_name(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

const char *
layout_plain_path(const char *path, struct arena *arena)
{
	static const char deleted[] = " (deleted)";
	const size_t length = strlen(path), cut = strlen(deleted);
	const char *const inner = *path == '/' ? strrchr(path, '!') : NULL;
	const char *plain = NULL;

	if (inner != NULL && layout_safe_name(inner + 1))
		plain = inner + 1;
	else if (length > cut && strcmp(path + length - cut, deleted) == 0)
		plain = arena_copy(arena, path, length - cut);
	return plain != NULL ? plain : path;
}

bool
layout_is_zero(const char *id)
{
	return id[strspn(id, "0")] == '\0';
}

/* A path from a dump, without the leading slashes; "" if it has ".." or a backslash. */
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

/* The name in lower case, since Windows ignores case; false: too long, or lower case already. */
static bool
lower_case(const char *name, char buffer[LOCATE_SHOWN])
{
	size_t length = strlen(name);

	if (length >= LOCATE_SHOWN)
		return false;
	for (size_t i = 0; i <= length; i++)
		buffer[i] = text_lower(name[i]);
	return strcmp(name, buffer) != 0;
}

/* The name under which programs load a library: libm.so.6 for libm.so.6.1; "": the name itself. */
static const char *
loaded_name(const char *name, char buffer[LOCATE_SHOWN])
{
	const char *at = strstr(name, ".so.");
	const size_t digits = at != NULL ? strspn(at + 4, "0123456789") : 0;

	if (digits == 0 || at[4 + digits] != '.' || !layout_safe_name(name) ||
	    (size_t)(at - name) + 4 + digits >= LOCATE_SHOWN)
		return "";
	snprintf(buffer, LOCATE_SHOWN, "%.*s", (int)(at - name + 4) + (int)digits, name);
	return buffer;
}

/* The name of a file in a cabinet: foo.pd_ for foo.pdb. "": no extension of three letters. */
static const char *
packed_name(const char *name, char buffer[LOCATE_SHOWN])
{
	const size_t length = strlen(name);

	if (length < 5 || length >= LOCATE_SHOWN || name[length - 4] != '.' ||
	    !layout_safe_name(name))
		return "";
	snprintf(buffer, LOCATE_SHOWN, "%.*s_", (int)length - 1, name);
	return buffer;
}

/* The directory of a name in a store of two tiers: its first two characters. */
static const char *
tier_of(const char *name, char buffer[LOCATE_SHOWN])
{
	snprintf(buffer, LOCATE_SHOWN, "%.2s", name);
	return layout_safe_name(name) && layout_safe_name(buffer) ? buffer : "";
}

/* The folder of a module's path, made safe by safe_path. */
static const char *
folder(const char *full, char buffer[LOCATE_SHOWN])
{
	const char *path = safe_path(full), *end = strrchr(path, '/');

	if (end == NULL || (size_t)(end - path) >= LOCATE_SHOWN)
		return "";
	snprintf(buffer, LOCATE_SHOWN, "%.*s", (int)(end - path), path);
	return buffer;
}

/* The part of a link after its last ".dwz/", where distributions make folders; "": no folder. */
static const char *
below_dwz(const char *link)
{
	const char *tail = "";

	for (const char *at = link; (at = strstr(at, ".dwz/")) != NULL;)
		tail = at += strlen(".dwz/");
	return strchr(tail, '/') != NULL ? safe_path(tail) : "";
}

/* The length of a name without the extension `end`, whose case is ignored. */
static size_t
without(const char *name, size_t length, const char *end)
{
	const size_t cut = strlen(end);

	return length > cut && strncasecmp(name + length - cut, end, cut) == 0 ? length - cut
									       : length;
}

/* A field from the debug file's name and ID. `S`: without `.pdb`, like SimpleSymbolSupplier. */
static const char *
debug_field(const struct locate_subject *subject, char letter, char **made)
{
	const char *name = subject->name;

	if (!layout_safe_name(name) || !layout_safe_name(subject->id))
		return "";
	if (letter == 'I')
		return subject->id;
	if (letter == 'S')
		return *made = strndup(name, without(name, strlen(name), ".pdb"));
	return name;
}

/*
 * A field from the code file's name and ID; "" if they equal those of the debug file. Servers have
 * code IDs in capitals, and drop only `.dll` from the files' names.
 */
static const char *
code_field(const struct locate_subject *subject, char letter, char **made)
{
	const char *name = subject->code_name;
	const size_t length = strlen(name), library = without(name, length, ".dll");
	const size_t stem = library < length ? library : without(name, length, ".exe");

	if (!layout_safe_name(name) || !layout_safe_name(subject->code_id) ||
	    (strcmp(name, subject->name) == 0 && strcmp(subject->code_id, subject->id) == 0 &&
	     layout_safe_name(subject->id)))
		return "";
	switch (letter) {
	case 'D':
		return subject->code_id;
	case 'T':
		return *made = strndup(name, stem);
	case 'K':
		*made = strdup(subject->code_id);
		for (char *c = *made; c != NULL && *c != '\0'; c++)
			*c = (char)toupper((unsigned char)*c);
		return *made;
	case 'R':
		return *made = strndup(name, library);
	case 'W':
		return stem < length ? name : "";
	default:
		return name;
	}
}

/* The first two digits of an ID if `folder`, else the others; "": not an ID of Symbolicator. */
static const char *
unified_part(const char *id, size_t length, bool folder, char buffer[LOCATE_SHOWN])
{
	if (length <= UNIFIED_FOLDER || length >= LOCATE_SHOWN)
		return "";
	for (size_t i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)id[i]))
			return "";
		buffer[i] = (char)tolower((unsigned char)id[i]);
	}
	buffer[folder ? UNIFIED_FOLDER : length] = '\0';
	return folder ? buffer : buffer + UNIFIED_FOLDER;
}

/* `u`: the code ID, else the debug ID; `i`: a different debug ID; `m`: a Mach-O ID without age. */
static const char *
unified_field(const struct locate_subject *subject, char letter, char buffer[LOCATE_SHOWN])
{
	const char *code = subject->code_id, *id = subject->id;
	const size_t length = strlen(id);

	switch (letter) {
	case 'u':
	case 'U':
		return unified_part(*code != '\0' ? code : id,
				    *code != '\0' ? strlen(code) : length, letter == 'u', buffer);
	case 'i':
	case 'J':
		return *code == '\0' || strcasecmp(code, id) == 0
			       ? "" : unified_part(id, length, letter == 'i', buffer);
	default:
		return length == GUID_DIGITS + 1 && id[GUID_DIGITS] == '0'
			       ? unified_part(id, GUID_DIGITS, letter == 'm', buffer) : "";
	}
}

/* A part of the path of a module's own file. */
static const char *
own_field(const struct locate_subject *subject, char letter, char buffer[LOCATE_SHOWN])
{
	const struct module *module = subject->module;
	const char *path = subject->path != NULL ? subject->path : module->code_file;
	const char *name = place_base_name(path);
	const char *link = subject->link != NULL ? subject->link : "";

	switch (letter) {
	case 'n':
		return layout_safe_name(name) ? name : "";
	case 'p':
		/* A bare name has its own row. */
		return strchr(safe_path(path), '/') != NULL ? safe_path(path) : "";
	case 'b':
		return layout_safe_name(text_or_empty(subject->pdb)) ? subject->pdb : "";
	case 'B':
		return layout_safe_name(text_or_empty(subject->bundle)) ? subject->bundle : "";
	case 'v':
		return layout_safe_name(text_or_empty(subject->pdb_id)) ? subject->pdb_id : "";
	case 'd':
		return folder(path, buffer);
	case 'k':
		return layout_safe_name(place_base_name(link)) ? place_base_name(link) : "";
	case 'q':
		/* A bare name has its own row. */
		return strchr(safe_path(link), '/') != NULL ? safe_path(link) : "";
	case 'z':
		return below_dwz(link);
	case 'a':
		return packed_name(name, buffer);
	case 'A':
		return packed_name(text_or_empty(subject->pdb), buffer);
	case 'e':
		return tier_of(name, buffer);
	case 'E':
		return tier_of(text_or_empty(subject->pdb), buffer);
	case 'l':
		return layout_safe_name(name) && lower_case(name, buffer) ? buffer : "";
	case 's':
		return loaded_name(name, buffer);
	case 'g':
		return layout_safe_name(module->debug_id) ? module->debug_id : "";
	case 'c':
		snprintf(buffer, LOCATE_SHOWN, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
		return module->timestamp != 0 ? buffer : "";
	default:
		return "";
	}
}

/*
 * The value of a letter in a layout; "": unknown or unsafe. A value of unlimited length is
 * allocated in `*made`.
 */
static const char *
field(const struct locate_subject *subject, char letter, char buffer[LOCATE_SHOWN], char **made)
{
	if (strchr("NIS", letter) != NULL)
		return debug_field(subject, letter, made);
	if (strchr("CDKRTW", letter) != NULL)
		return code_field(subject, letter, made);
	if (strchr("uUiJmM", letter) != NULL)
		return unified_field(subject, letter, buffer);
	if (letter == 'f')
		return text_or_empty(subject->source);
	if (letter == 'F')
		return debuginfod_source_name(text_or_empty(subject->source), buffer);
	if (strchr("xyh", letter) == NULL)
		return own_field(subject, letter, buffer);
	const char *id = subject->build_id;
	const size_t length = strlen(id);
	if (length < 4 || length >= LOCATE_SHOWN || strspn(id, "0123456789abcdef") != length)
		return "";
	snprintf(buffer, LOCATE_SHOWN, "%.*s", letter == 'x' ? 2 : (int)length,
		 letter == 'y' ? id + 2 : id);
	return buffer;
}

char *
layout_relative_path(const char *file, const char *root, const char *link)
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
	/* Each "../" of the link removes a folder from the end of the path. */
	while (strncmp(link, "../", 3) == 0) {
		while (length > 0 && file[length - 1] != '/')
			length--;
		while (length > 0 && file[length - 1] == '/')
			length--;
		if (least == SIZE_MAX || length < least)
			return NULL;
		link += 2;
		link += strspn(link, "/");
	}
	if (*safe_path(link) == '\0')
		return NULL;
	if (asprintf(&path, "%.*s%s%s", (int)length, file, slash != NULL ? "/" : "", link) < 0)
		return NULL;
	return path;
}

/* A growing path; `text` is NULL when out of memory. A C library stream is ten times slower. */
struct made_path {
	char *text;
	size_t length, room;
};

static void
put(struct made_path *path, const char *text, size_t length)
{
	if (path->room - path->length <= length) {
		char *larger = realloc(path->text, path->room + length + FIRST_PATH);

		if (larger == NULL) {
			free(path->text);
			*path = (struct made_path){ .room = SIZE_MAX };
		} else {
			path->text = larger;
			path->room += length + FIRST_PATH;
		}
	}
	if (path->text == NULL)
		return;
	memcpy(path->text + path->length, text, length);
	path->length += length;
	path->text[path->length] = '\0';
}

/*
 * Append a dump's text to a URL. Escape all characters except those of `kept` and the unreserved
 * ones of RFC 3986.
 */
static void
put_escaped(struct made_path *path, const char *text, const char *kept)
{
	static const char digits[] = "0123456789ABCDEF";

	for (; *text != '\0'; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < 0x80 &&
		    (isalnum(c) || strchr("-._~", c) != NULL || strchr(kept, c) != NULL))
			put(path, text, 1);
		else
			put(path, (const char[]){ '%', digits[c >> 4], digits[c & 15] }, 3);
	}
}

static char *
make_path(const struct locate_subject *subject, const char *directory, const char *pattern,
	  bool escape)
{
	const size_t length = strlen(directory);
	struct made_path path = { 0 };
	char buffer[LOCATE_SHOWN];
	bool whole = true;

	put(&path, directory, length);
	put(&path, "/", length > 0 && directory[length - 1] == '/' ? 0 : 1);
	for (const char *at = pattern; whole && *at != '\0'; at++) {
		char *made = NULL;

		if (*at != '%') {
			put(&path, at, 1);
			continue;
		}
		const char *text = field(subject, *++at, buffer, &made);
		whole = text != NULL && *text != '\0';
		if (whole && escape)
			put_escaped(&path, text, *at == 'f' ? "/" : "");
		else if (whole)
			put(&path, text, strlen(text));
		free(made);
	}
	if (whole)
		return path.text;
	free(path.text);
	return NULL;
}

char *
layout_path(const struct locate_subject *subject, const char *directory, const char *pattern)
{
	return make_path(subject, directory, pattern, false);
}

char *
layout_url(const struct locate_subject *subject, const char *base, const char *pattern)
{
	return make_path(subject, base, pattern, true);
}
