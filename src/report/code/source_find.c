/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "report/report.h"

/* Folders of the system whose files are no files: reading one may do something. */
static const char *const forbidden[] = { "/dev", "/proc", "/sys" };

/* Where a source may come from: at most a map, the path itself, and beside the dump. */
#define TRIES_MAX 3u

static bool
is_separator(char c)
{
	return c == '/' || c == '\\';
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* `hg:host:path:revision`, `git:...`, `s3:...` and their like stand for their path. */
static struct text
plain_path(struct text path)
{
	static const char *const systems[] = { "hg:", "git:", "s3:", "svn:", "cvs:" };
	const char *end = path.start + path.length;

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++) {
		size_t length = strlen(systems[i]);

		if (path.length <= length || memcmp(path.start, systems[i], length) != 0)
			continue;
		const char *host = memchr(path.start + length, ':', path.length - length);
		if (host == NULL)
			continue;
		const char *start = host + 1;
		const char *stop = memchr(start, ':', (size_t)(end - start));
		return (struct text){ start, (size_t)((stop != NULL ? stop : end) - start) };
	}
	return path;
}

/* Whether two characters of paths mean the same; `drive`: they are the letter of a drive. */
static bool
same_character(char a, char b, bool drive)
{
	return a == b || (is_separator(a) && is_separator(b)) || (drive && lower(a) == lower(b));
}

/* Whether a path begins with `prefix` and a separator, or is the prefix. */
static bool
has_prefix(struct text path, struct text prefix)
{
	bool drive = path.length > 1 && path.start[1] == ':';

	if (prefix.length > path.length)
		return false;
	for (size_t i = 0; i < prefix.length; i++)
		if (!same_character(path.start[i], prefix.start[i], drive && i == 0))
			return false;
	return prefix.length == 0 || prefix.length == path.length ||
	       is_separator(prefix.start[prefix.length - 1]) ||
	       is_separator(path.start[prefix.length]);
}

/* The map with the longest OLD that a path begins with; NULL: none does. */
static const char *
best_map(const struct source_options *options, struct text path, size_t *old_length)
{
	const char *best = NULL;

	for (size_t i = 0; i < options->map_count; i++) {
		const char *equal = strchr(options->maps[i], '=');
		struct text old = { options->maps[i],
				    equal == NULL ? 0 : (size_t)(equal - options->maps[i]) };

		if (equal == NULL || !has_prefix(path, old) ||
		    (best != NULL && old.length <= *old_length))
			continue;
		best = options->maps[i];
		*old_length = old.length;
	}
	return best;
}

/* Two parts of a path with one separator between them, as this system writes it. */
static const char *
join(struct text folder, struct text rest, struct arena *arena)
{
	while (rest.length > 0 && folder.length > 0 && is_separator(rest.start[0])) {
		rest.start++;
		rest.length--;
	}
	bool slash = folder.length > 0 && rest.length > 0 &&
		     folder.start[folder.length - 1] != '/';
	char *path = arena_array(arena, folder.length + rest.length + 2, 1);
	if (path == NULL)
		return NULL;
	if (folder.length > 0)
		memcpy(path, folder.start, folder.length);
	size_t used = folder.length;
	if (slash)
		path[used++] = '/';
	for (size_t i = 0; i < rest.length; i++)
		path[used++] = rest.start[i] == '\\' ? '/' : rest.start[i];
	return path;
}

static bool
is_forbidden(const char *path)
{
	for (size_t i = 0; i < ARRAY_COUNT(forbidden); i++) {
		size_t length = strlen(forbidden[i]);

		if (strncmp(path, forbidden[i], length) == 0 &&
		    (path[length] == '/' || path[length] == '\0'))
			return true;
	}
	return false;
}

/* Read what an open regular file has, up to its size; NULL where it can't be. */
static const char *
read_all(int descriptor, size_t size, struct arena *arena, size_t *length)
{
	char *bytes = arena_array(arena, size + 1, 1);

	*length = 0;
	while (bytes != NULL && *length < size) {
		ssize_t got = read(descriptor, bytes + *length, size - *length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return NULL;
		if (got == 0)
			break;
		*length += (size_t)got;
	}
	return bytes;
}

/* Why an open file can't be shown; NULL after it was read. */
static const char *
read_source(int descriptor, uint32_t time, struct arena *arena, struct source_file *file)
{
	struct stat status;

	if (fstat(descriptor, &status) != 0)
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "not a regular file";
	if (status.st_size > (off_t)LIMIT_READ_WHOLE)
		return "larger than 64 MiB";
	file->text.start = read_all(descriptor, (size_t)status.st_size, arena, &file->text.length);
	if (file->text.start == NULL)
		return "cannot be read";
	file->newer = time != 0 && status.st_mtim.tv_sec > (time_t)time;
	return NULL;
}

/* Why a file can't be shown; NULL after it was read. */
static const char *
open_source(const char *path, uint32_t time, struct arena *arena, struct source_file *file)
{
	char *resolved = realpath(path, NULL);

	if (resolved == NULL)
		return strerror(errno);
	bool allowed = !is_forbidden(resolved);
	/* A pipe without a writer would wait for one. */
	int descriptor =
		allowed ? open(resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	const char *problem = !allowed ? "not read: it belongs to the system" : NULL;
	if (allowed && descriptor < 0)
		problem = strerror(errno);
	free(resolved);
	if (descriptor < 0)
		return problem;
	problem = read_source(descriptor, time, arena, file);
	close(descriptor);
	return problem;
}

static bool
try_path(struct source_file *file, const char *path, const char *by, uint32_t time,
	 struct arena *arena)
{
	if (path == NULL || by == NULL)
		return false;
	const char *problem = open_source(path, time, arena, file);
	const char *copy = problem == NULL ? NULL : arena_copy(arena, problem, strlen(problem));

	file->tries[file->try_count++] = (struct source_try){ path, by, copy };
	if (problem != NULL)
		return false;
	file->path = path;
	return true;
}

static bool
try_map(const struct source_options *options, struct text path, uint32_t time,
	struct arena *arena, struct source_file *file)
{
	size_t old = 0;
	const char *map = best_map(options, path, &old);

	if (map == NULL)
		return false;
	return try_path(file,
			join(text_of(map + old + 1),
			     (struct text){ path.start + old, path.length - old }, arena),
			arena_format(arena, "map %s", map), time, arena);
}

/* Crashes that travel with their sources have them in a folder beside the dump. */
static bool
try_beside(const struct source_options *options, struct text path, struct arena *arena,
	   struct source_file *file)
{
	struct text name = text_base_name(path);

	if (options->dump == NULL || name.length == 0 || text_equal(name, text_of(".")) ||
	    text_equal(name, text_of("..")))
		return false;
	size_t folder = (size_t)(place_base_name(options->dump) - options->dump);
	const char *source = join((struct text){ options->dump, folder }, text_of("source"), arena);
	/* They were copied there, so their age says nothing. */
	return source != NULL && try_path(file, join(text_of(source), name, arena),
					  "beside the dump", 0, arena);
}

bool
source_find(const struct source_options *options, struct text recorded, uint32_t time,
	    struct arena *arena, struct source_file *file)
{
	struct text path = plain_path(recorded);
	const char *whole = arena_copy(arena, path.start, path.length);

	*file = (struct source_file){ .recorded = recorded };
	file->tries = arena_array(arena, TRIES_MAX, sizeof(*file->tries));
	/* A name with a NUL would be cut by the system and mean another file. */
	bool named = path.length > 0 && memchr(path.start, '\0', path.length) == NULL;
	if (file->tries == NULL || !named)
		return false;
	return try_map(options, path, time, arena, file) ||
	       try_path(file, whole, "as recorded", time, arena) ||
	       try_beside(options, path, arena, file);
}
