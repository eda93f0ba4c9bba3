/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "locate/layout.h"
#include "system/directory.h"
#include "system/door.h"
#include "system/file.h"

/* Linkers write at least 8 bytes; two files could easily share a shorter ID. */
#define SHORTEST_ID 8u
/* Seconds that a miss is remembered if the cache does not say. */
#define MISS_SECONDS 600
/* Maximum size of a file with URLs, in bytes. */
#define URLS_MOST 65536u
/* Bytes of the hash in a source's name, with the '-' after it. */
#define SOURCE_HASH 9u
/* Maximum size of a source's name, in bytes. */
#define SOURCE_NAME 126u
/* Characters of a path that a source's name keeps. */
#define SOURCE_LETTERS \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_"

bool
debuginfod_takes(const char *build_id)
{
	const size_t length = strlen(build_id);

	return length >= 2 * SHORTEST_ID && length <= (size_t)2 * LIMIT_BUILD_ID &&
	       length % 2 == 0 && strspn(build_id, "0123456789abcdefABCDEF") == length &&
	       strspn(build_id, "0") < length;
}

/* The path of a name in the cache; false: too long. */
static bool
cache_path(char path[FETCH_PATH_SIZE], const char *directory, const char *name)
{
	const int length = snprintf(path, FETCH_PATH_SIZE, "%s/%s", directory, name);

	return length > 0 && (size_t)length < FETCH_PATH_SIZE;
}

const char *
debuginfod_source_name(const char *path, char buffer[LOCATE_SHOWN])
{
	const size_t length = strlen(path), most = SOURCE_NAME - SOURCE_HASH;
	uint32_t hash = 5381;

	if (length == 0)
		return "";
	for (size_t i = 0; i < length; i++) {
		const int letter = path[i];

		hash = hash * 33 + (uint32_t)letter;
	}
	const size_t cut = length > most ? length - most : 0;
	snprintf(buffer, LOCATE_SHOWN, "%08" PRIx32 "-%s", hash, path + cut);
	for (char *at = buffer + SOURCE_HASH; *at != '\0'; at++)
		if (strchr(SOURCE_LETTERS, *at) == NULL)
			*at = '#';
	return buffer;
}

/* Decode `%xx` of a URL in place. */
static void
decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; to++) {
		unsigned value;
		int length = 0;

		if (sscanf(at, "%%%2x%n", &value, &length) == 1 && length == 3) {
			*to = (char)value;
			at += length;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

bool
debuginfod_kept(char kept[FETCH_PATH_SIZE], const char *path)
{
	const size_t id = strcspn(path, "/");
	char name[LOCATE_SHOWN];

	if ((size_t)snprintf(kept, FETCH_PATH_SIZE, "%.*s", (int)strcspn(path, "?"), path) >=
	    FETCH_PATH_SIZE)
		return false;
	char *source = kept + id + strlen("/source");
	if (strncmp(path + id, "/source/", strlen("/source/")) == 0) {
		decode(source);
		debuginfod_source_name(source, name);
		snprintf(source, FETCH_PATH_SIZE - (size_t)(source - kept), "-%s", name);
	}
	return true;
}

bool
debuginfod_path(char path[FETCH_PATH_SIZE], const char *directory, const char *kept)
{
	const char *name = kept + strcspn(kept, "/");
	char id[2 * LIMIT_BUILD_ID + 2];

	/* snprintf cuts a longer ID to a length that debuginfod_takes refuses. */
	snprintf(id, sizeof(id), "%.*s", (int)(name - kept), kept);
	return debuginfod_takes(id) && cache_path(path, directory, kept) &&
	       (strcmp(name, "/executable") == 0 || strcmp(name, "/debuginfo") == 0 ||
		(strncmp(name, "/source-", strlen("/source-")) == 0 &&
		 name[1 + strspn(name + 1, SOURCE_LETTERS "#")] == '\0'));
}

const char *
debuginfod_read_urls(const char *directory, struct arena *arena)
{
	const char *pattern = arena_format(arena, "%s/*.urls", directory), *urls = "";
	glob_t found = { 0 };
	struct file file;

	if (pattern == NULL || glob(pattern, 0, NULL, &found) != 0)
		return pattern == NULL ? NULL : urls;
	for (size_t i = 0; urls != NULL && i < found.gl_pathc; i++) {
		if (file_open(&file, found.gl_pathv[i], NULL) != ERROR_NONE)
			continue;
		urls = arena_format(arena, "%s%.*s\n", urls,
				    (int)(file.size < URLS_MOST ? file.size : URLS_MOST),
				    (const char *)file.data);
		file_close(&file);
	}
	globfree(&found);
	return urls;
}

enum debuginfod_state
debuginfod_state(const char *directory, const char *kept)
{
	char path[FETCH_PATH_SIZE];
	long seconds = MISS_SECONDS;
	struct stat status;

	if (!cache_path(path, directory, kept) || stat(path, &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return DEBUGINFOD_UNKNOWN;
	if (status.st_size > 0)
		return DEBUGINFOD_KEPT;
	FILE *file = cache_path(path, directory, "cache_miss_s") ? fopen(path, "re") : NULL;
	if (file != NULL && fscanf(file, "%9ld", &seconds) != 1)
		seconds = MISS_SECONDS;
	if (file != NULL)
		fclose(file);
	return time(NULL) - status.st_mtime < seconds ? DEBUGINFOD_MISSED : DEBUGINFOD_UNKNOWN;
}

void
debuginfod_mark(const char *directory, const char *kept, bool missed)
{
	char path[FETCH_PATH_SIZE];

	if (!debuginfod_path(path, directory, kept))
		return;
	if (door_is_guarded()) {
		snprintf(path, sizeof(path), "%s%s",
			 missed ? DEBUGINFOD_MISS : DEBUGINFOD_FORGET, kept);
		const int socket = door_serve(DOOR_DEBUGINFOD, path);
		if (socket >= 0)
			door_wait(socket);
	} else if (!missed) {
		unlink(path);
	} else if (directory_make_above(path, 0700)) {
		const int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

		if (file >= 0) {
			futimens(file, NULL);
			close(file);
		}
	}
}
