/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/user_names.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"

#define NOT_FOUND SIZE_MAX
/* Bytes on either side of a name that are searched for a path. */
#define PATH_BYTES 4096u
/* A name with this many bytes or more is unlikely to be part of a word by chance. */
#define LONG_NAME 5u

/*
 * Beginnings of paths before a user's name: '/' is one or more separators, '?' a letter, '*' a
 * component. Sources: file-hierarchy(7), Filesystem Hierarchy Standard 3.0, hier(7) of FreeBSD, and
 * KNOWNFOLDERID of Windows, also as written by the NT namespace, WSL, MSYS and Cygwin.
 */
static const struct {
	const char *path;
	bool names;			/* false: another directory may follow */
} homes[] = {
	{ "/home/", true }, { "/Users/", true }, { "/var/home/", true }, { "/usr/home/", true },
	{ "/export/home/", true }, { "?:/Users/", true }, { "?:/Documents and Settings/", true },
	{ "/Device/*/Users/", true }, { "/?/Users/", true }, { "/mnt/?/Users/", true },
	{ "/cygdrive/?/Users/", true }, { "/Volumes/*/Users/", true }, { "/run/media/", true },
	{ "/var/mail/", true }, { "/var/spool/mail/", true }, { "/media/", false },
	{ "/run/user/", false }, { "/var/run/user/", false }, { "/tmp/user/", false },
};

/* Directories before a user's name within a path. The name must not be the last component. */
static const char *const deeper_homes[] = { "home", "Users", "Documents and Settings" };

/* Directories next to home directories that belong to no user. */
static const char *const shared[] = { "Public", "Default", "Default User", "All Users", "Shared",
				      "lost+found", ".", ".." };

/* Account names that are also directory names on every system or in many projects. */
static const char *const directories[] = {
	"app",	  "bin",   "build", "data",  "dev",  "etc",  "home",	"include", "lib", "lib64",
	"local",  "media", "mnt",   "opt",   "proc", "root", "run",	"share",   "src", "sys",
	"system", "tmp",   "user",  "users", "usr",  "var",  "windows", "work",
};

/* Account names that are also words in programs, symbols and unspool's own sentences. */
static const char *const ordinary[] = {
	"admin", "agent", "art", "base", "bill", "builder", "call", "ci", "client", "code", "core",
	"crash", "debug", "demo", "docker", "exception", "file", "frame", "free", "git", "grant",
	"guest", "guy", "host", "job", "line", "linux", "mac", "main", "mark", "may", "max",
	"memory", "miles", "min", "module", "name", "none", "pat", "process", "register",
	"release", "rich", "rip", "rob", "row", "rule", "runner", "scan", "server", "service",
	"sky", "stack", "start", "step", "symbol", "symbols", "test", "tester", "thread",
	"ubuntu", "unknown", "value", "walk", "warning", "will", "worker",
};

static bool
is_letter(char character)
{
	return text_lower(character) >= 'a' && text_lower(character) <= 'z';
}

/* Whether a character is part of a word: letters, digits and everything outside ASCII. */
static bool
is_word(char character)
{
	return is_letter(character) || (character >= '0' && character <= '9') ||
	       (unsigned char)character >= 0x80;
}

/* Whether a character cannot be in an unquoted path or in a name. */
static bool
ends_path(char character)
{
	return (unsigned char)character <= ' ' || character == 0x7f ||
	       strchr("\"'<>|*?()[]{},;=`", character) != NULL;
}

static bool
ends_name(char character)
{
	return ends_path(character) || character == ':' || text_is_separator(character);
}

static bool
equal(struct text a, struct text b)
{
	if (a.length != b.length)
		return false;
	for (size_t i = 0; i < a.length; i++)
		if (text_lower(a.start[i]) != text_lower(b.start[i]))
			return false;
	return true;
}

static struct text
slice(struct text text, size_t start, size_t end)
{
	return (struct text){ text.start + start, end - start };
}

static bool
is_one_of(const char *const *words, size_t count, struct text text)
{
	for (size_t i = 0; i < count; i++)
		if (equal(text_of(words[i]), text))
			return true;
	return false;
}

#define IS_ONE_OF(words, text) is_one_of(words, ARRAY_COUNT(words), text)

void
user_names_free(struct user_names *names)
{
	arena_free(&names->arena);
	*names = (struct user_names){ 0 };
}

/* Whether a name is a substitute from an earlier replacement. */
static bool
is_shown(struct text name)
{
	size_t digits = strlen("user");

	if (name.length <= digits || memcmp(name.start, "user", digits) != 0)
		return false;
	while (digits < name.length && name.start[digits] >= '0' && name.start[digits] <= '9')
		digits++;
	return digits == name.length;
}

/* The row of a name, added if needed; the shared row if the table is full; NULL: no name. */
static struct user_name *
name_of(struct user_names *names, struct text text)
{
	if (text.length == 0 || IS_ONE_OF(shared, text) || is_shown(text) ||
	    memchr("$%~", text.start[0], 3) != NULL)
		return NULL;
	for (size_t i = 0; i < names->count; i++)
		if (equal(names->names[i].text, text))
			return &names->names[i];
	struct user_name *name = NULL;
	if (names->count < LIMIT_USER_NAMES && text.length <= LIMIT_USER_NAME) {
		const char *copy = text_copy(&names->arena, text);
		const char *shown = arena_format(&names->arena, "user%zu", names->count + 1);

		if (copy != NULL && shown != NULL)
			name = ARENA_PUSH(&names->arena, names->names, names->count,
					  names->capacity);
		if (name != NULL)
			*name =
				(struct user_name){ { copy, text.length }, text_of(shown), false,
				  false };
	}
	if (name == NULL) {
		names->others.shown = text_of("user");
		name = &names->others;
	}
	return name;
}

/* Have a name replaced outside of home directories, too, unless it is too short or common. */
static struct user_name *
spread(struct user_name *name)
{
	bool letters = false;

	for (size_t i = 0; name != NULL && i < name->text.length; i++)
		letters |= is_letter(name->text.start[i]) || (name->text.start[i] & 0x80) != 0;
	if (letters && name->text.length > 1 && !IS_ONE_OF(directories, name->text)) {
		name->in_paths = true;
		name->as_word = name->text.length > 2 && !IS_ONE_OF(ordinary, name->text);
	}
	return name;
}

/* Homes ---------------------------------------------------------------------------------------- */

/* The beginning of the text that ends at `at` and matches the pattern `path`; or NOT_FOUND. */
static size_t
begin_of_home(struct text text, size_t at, const char *path)
{
	for (const char *row = path + strlen(path); row > path;) {
		const size_t before = at;
		const char want = *--row;

		if (want == '/')
			while (at > 0 && text_is_separator(text.start[at - 1]))
				at--;
		else if (want == '*')
			while (at > 0 && !text_is_separator(text.start[at - 1]))
				at--;
		else if (at > 0 && (want == '?' ? is_letter(text.start[at - 1])
						: text_lower(text.start[at - 1]) ==
							  text_lower(want)))
			at--;
		if (at == before)
			return NOT_FOUND;
	}
	return at;
}

/* Whether a path may begin at `at`: at the start, or after a blank, a quote, "file:" or "PATH=". */
static bool
begins_path(struct text text, size_t at)
{
	return at == 0 || ends_path(text.start[at - 1]) || text.start[at - 1] == ':';
}

/* Whether the path around `at` is absolute. Its beginning is searched for in PATH_BYTES. */
static bool
is_absolute(struct text text, size_t at)
{
	const size_t least = at > PATH_BYTES ? at - PATH_BYTES : 0;

	if (text.length > 2 && (text_is_separator(text.start[0]) ||
				(text.start[1] == ':' && text_is_separator(text.start[2]))))
		return true;
	while (at > least && !ends_path(text.start[at - 1]))
		at--;
	return text_is_separator(text.start[at]) ||
	       (at + 1 < text.length && text.start[at + 1] == ':');
}

/* Whether the component at `at` is a user's name. Sets `*named` if it can be nothing else. */
static bool
is_at_home(struct text text, size_t at, bool path, bool *named)
{
	for (size_t i = 0; i < ARRAY_COUNT(homes); i++) {
		const size_t begin = begin_of_home(text, at, homes[i].path);
		const bool drive = homes[i].path[0] == '?';

		if (begin == NOT_FOUND || !(begins_path(text, begin) ||
					    (drive && !is_word(text.start[begin - 1]))))
			continue;
		*named = homes[i].names;
		return true;
	}
	*named = path;
	for (size_t i = 0; i < ARRAY_COUNT(deeper_homes); i++) {
		const char *home = deeper_homes[i];
		const size_t slash = begin_of_home(text, at, "/");
		const size_t begin = begin_of_home(text, slash, home);

		if (begin == NOT_FOUND || begin == 0 || !text_is_separator(text.start[begin - 1]))
			continue;
		for (; at < text.length && !ends_name(text.start[at]); at++)
			continue;
		return at < text.length && text_is_separator(text.start[at]) &&
		       is_absolute(text, at);
	}
	return false;
}

/* The end of the name that begins at `at`. On Windows, a name may contain blanks. */
static size_t
end_of_name(struct text text, size_t at)
{
	const bool windows = text.start[at - 1] == '\\';
	size_t end = at, wide = at;

	while (end < text.length && !ends_name(text.start[end]))
		end++;
	while (windows && wide < text.length && wide - at < LIMIT_USER_NAME &&
	       (text.start[wide] == ' ' || !ends_name(text.start[wide])))
		wide++;
	if (wide > at && wide < text.length && text_is_separator(text.start[wide]) &&
	    text.start[wide - 1] != ' ')
		return wide;
	/* A full stop at the end belongs to the sentence, not to the path. */
	while (end > at + 1 && text.start[end - 1] == '.')
		end--;
	return end;
}

/*
 * The user whose home directory is at `at`, with the name's end in `*end`; NULL: none. `path`: the
 * text is known to contain paths of files, so a name in a deeper home is replaced elsewhere, too.
 */
static struct user_name *
name_at_home(struct user_names *names, struct text text, size_t at, bool path, size_t *end)
{
	bool named;

	if (at == 0 || at == text.length || !text_is_separator(text.start[at - 1]) ||
	    text_is_separator(text.start[at]))
		return NULL;
	*end = end_of_name(text, at);
	if (*end == at)
		return NULL;
	/* The superuser's home directory is at the beginning of a path: /root. */
	const size_t slash = begin_of_home(text, at, "/");
	if (equal(slice(text, at, *end), text_of("root")) && begins_path(text, slash))
		return name_of(names, slice(text, at, *end));
	if (!is_at_home(text, at, path, &named))
		return NULL;
	struct user_name *name = name_of(names, slice(text, at, *end));
	return named ? spread(name) : name;
}

void
user_names_learn(struct user_names *names, struct text text)
{
	size_t end;

	for (size_t at = 1; at < text.length; at++)
		if (name_at_home(names, text, at, true, &end) != NULL)
			at = end;
}

void
user_names_add(struct user_names *names, struct text name)
{
	name = text_trimmed(name);
	while (name.length > 0 && text_is_separator(name.start[name.length - 1]))
		name.length--;
	user_names_learn(names, name);
	spread(name_of(names, text_base_name(name)));
}

/* Replacing ------------------------------------------------------------------------------------ */

static bool
is_in_path(struct text text, size_t start, size_t end)
{
	for (size_t at = start; at > 0 && start - at < PATH_BYTES && !ends_path(text.start[at - 1]);
	     at--)
		if (text_is_separator(text.start[at - 1]))
			return true;
	for (size_t at = end;
	     at < text.length && at - end < PATH_BYTES && !ends_path(text.start[at]); at++)
		if (text_is_separator(text.start[at]))
			return true;
	return false;
}

/* Whether a name may begin at `at`: at the start of a word, or after the prefix of a library. */
static bool
begins_word(struct text text, size_t at)
{
	return at == 0 || !is_word(text.start[at - 1]) ||
	       (at >= 3 && memcmp(&text.start[at - 3], "lib", 3) == 0 &&
		(at == 3 || !is_word(text.start[at - 4])));
}

/* Whether a learned name is at `at`: as a word or, if it is long, as part of a word in a path. */
static bool
is_name_at(const struct user_name *name, struct text text, size_t at)
{
	const size_t end = at + name->text.length;

	if (!name->in_paths || end > text.length || !equal(name->text, slice(text, at, end)))
		return false;
	if (begins_word(text, at) && (end == text.length || !is_word(text.start[end])))
		return name->as_word || is_in_path(text, at, end);
	return name->as_word && name->text.length >= LONG_NAME && is_in_path(text, at, end);
}

/* The longest learned name at `at`. */
static const struct user_name *
name_at(const struct user_names *names, struct text text, size_t at)
{
	const struct user_name *longest = NULL;

	for (size_t i = 0; i < names->count; i++) {
		const struct user_name *name = &names->names[i];

		if ((longest == NULL || longest->text.length < name->text.length) &&
		    is_name_at(name, text, at))
			longest = name;
	}
	return longest;
}

bool
user_names_find(struct user_names *names, struct text text, size_t from,
		struct user_name_match *match)
{
	if (names == NULL || !names->active)
		return false;
	for (size_t at = from; at < text.length; at++) {
		size_t end = at;

		const struct user_name *name = name_at_home(names, text, at, false, &end);
		const struct user_name *known = name_at(names, text, at);
		if (known != NULL && (name == NULL || at + known->text.length > end)) {
			name = known;
			end = at + known->text.length;
		}
		if (name == NULL)
			continue;
		*match = (struct user_name_match){ at, end - at, name->shown };
		return true;
	}
	return false;
}

struct text
user_names_replace(struct user_names *names, struct text text, struct arena *arena)
{
	struct user_name_match match;
	size_t used = 0, from = 0;

	if (!user_names_find(names, text, 0, &match))
		return text;
	/* At worst, every second byte is a name and becomes "user1024". */
	char *copy = arena_array(arena, text.length + 1, 5);
	if (copy == NULL)
		return (struct text){ "", 0 };
	do {
		memcpy(copy + used, text.start + from, match.start - from);
		used += match.start - from;
		memcpy(copy + used, match.shown.start, match.shown.length);
		used += match.shown.length;
		from = match.start + match.length;
	} while (user_names_find(names, text, from, &match));
	memcpy(copy + used, text.start + from, text.length - from);
	return (struct text){ copy, used + text.length - from };
}

/* Bytes ---------------------------------------------------------------------------------------- */

/* The size of a name at `bytes` (UTF-8 if `width` is 1, else UTF-16); 0: no name is there. */
static size_t
bytes_of_name(const uint8_t *bytes, size_t size, struct text name, size_t width, bool big)
{
	uint32_t character, unit;
	size_t at = 0;

	for (size_t from = 0, taken; from < name.length; from += taken, at += width) {
		taken = width == 1 ? 0
				   : text_decode(name.start + from, name.length - from, &character);
		if (taken == 0) {
			character = (uint8_t)name.start[from];
			taken = 1;
		}
		if (size - at < width)
			return 0;
		unit = width == 1 ? bytes[at] : (uint32_t)bytes[at + !big] << 8 | bytes[at + big];
		if (unit != character && (unit > 0x7f || character > 0x7f ||
					  text_lower((char)unit) != text_lower((char)character)))
			return 0;
	}
	return at;
}

bool
user_names_hide_byte(const struct user_names *names, const void *bytes, size_t size, size_t at)
{
	static const struct {
		size_t width;
		bool big;
	} encodings[] = { { 1, false }, { 2, false }, { 2, true } };

	for (size_t i = 0; names != NULL && names->active && i < names->count; i++) {
		const struct user_name *name = &names->names[i];
		const size_t most = 2 * name->text.length;

		for (size_t from = at < most ? 0 : at - most; name->in_paths && from <= at; from++)
			for (size_t j = 0; j < ARRAY_COUNT(encodings); j++)
				if (bytes_of_name((const uint8_t *)bytes + from, size - from,
						  name->text, encodings[j].width,
						  encodings[j].big) > at - from)
					return true;
	}
	return false;
}
