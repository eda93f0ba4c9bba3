/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/directory.h"
#include "system/door.h"

/* Linkers write at least 8 bytes; two files could easily share a shorter ID. */
#define SHORTEST_ID 8u
/* Seconds that a miss is remembered if the cache does not say. */
#define MISS_SECONDS 600

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

bool
debuginfod_path(char path[FETCH_PATH_SIZE], const char *directory, const char *kept)
{
	const char *name = kept + strcspn(kept, "/");
	char id[2 * LIMIT_BUILD_ID + 2];

	/* snprintf cuts a longer ID to a length that debuginfod_takes refuses. */
	snprintf(id, sizeof(id), "%.*s", (int)(name - kept), kept);
	return debuginfod_takes(id) && cache_path(path, directory, kept) &&
	       (strcmp(name, "/executable") == 0 || strcmp(name, "/debuginfo") == 0);
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
