/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/directory.h"
#include "system/door.h"

/* Linkers write 8 bytes at least; with fewer two files would have the same one too easily. */
#define SHORTEST_ID 8u
/* Seconds that an answer of no server is remembered, if the cache does not say. */
#define MISS_SECONDS 600
/* Verbs of the service; every other argument is a question. */
#define FORGET "forget "
#define MISS "miss "

bool
debuginfod_takes(const char *build_id)
{
	const size_t length = strlen(build_id);

	return length >= 2 * SHORTEST_ID && length <= (size_t)2 * LIMIT_BUILD_ID &&
	       length % 2 == 0 && strspn(build_id, "0123456789abcdefABCDEF") == length &&
	       strspn(build_id, "0") < length;
}

/* Whether text is ID/executable or ID/debuginfo: a path below the cache that leads nowhere else. */
static bool
is_kept_name(const char *text)
{
	const size_t length = strcspn(text, "/");
	char id[2 * LIMIT_BUILD_ID + 1];

	if (length >= sizeof(id))
		return false;
	memcpy(id, text, length);
	id[length] = '\0';
	return debuginfod_takes(id) && (strcmp(text + length, "/executable") == 0 ||
					strcmp(text + length, "/debuginfo") == 0);
}

/* The path of a file in the cache; false: it is too long. */
static bool
cache_path(char path[FETCH_PATH_SIZE], const char *directory, const char *name)
{
	const int length = snprintf(path, FETCH_PATH_SIZE, "%s/%s", directory, name);

	return length > 0 && (size_t)length < FETCH_PATH_SIZE;
}

static long
miss_seconds(const char *directory)
{
	char path[FETCH_PATH_SIZE];
	long seconds = MISS_SECONDS;
	FILE *file = cache_path(path, directory, "cache_miss_s") ? fopen(path, "re") : NULL;

	if (file != NULL && fscanf(file, "%9ld", &seconds) != 1)
		seconds = MISS_SECONDS;
	if (file != NULL)
		fclose(file);
	return seconds;
}

enum debuginfod_state
debuginfod_state(const char *directory, const char *kept)
{
	char path[FETCH_PATH_SIZE];
	struct stat status;

	if (!cache_path(path, directory, kept) || stat(path, &status) != 0 ||
	    !S_ISREG(status.st_mode))
		return DEBUGINFOD_UNKNOWN;
	if (status.st_size > 0)
		return DEBUGINFOD_KEPT;
	return time(NULL) - status.st_mtime < miss_seconds(directory) ? DEBUGINFOD_MISSED
								      : DEBUGINFOD_UNKNOWN;
}

void
debuginfod_mark(const char *directory, const char *kept, bool missed)
{
	char path[FETCH_PATH_SIZE];

	if (!is_kept_name(kept) || !cache_path(path, directory, kept))
		return;
	if (door_is_guarded()) {
		snprintf(path, sizeof(path), "%s%s", missed ? MISS : FORGET, kept);
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

/* Keep a download that is complete; NULL, or why it cannot be kept, in `why` or for ever. */
static const char *
keep(const struct fetch_question *question, char why[FETCH_REASON_SIZE])
{
	struct fetch_part *part = question->part;
	const char *reason = fetch_keep_unpack(part, question->most, why, FETCH_REASON_SIZE);

	if (reason == NULL && part->bytes == 0)
		return "the download is empty";
	if (reason != NULL || fetch_part_finish(part, question->kept))
		return reason;
	snprintf(why, FETCH_REASON_SIZE, "cannot write to the cache: %s", strerror(errno));
	return why;
}

void
debuginfod_ask(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	char folder[FETCH_PATH_SIZE], why[FETCH_REASON_SIZE];
	const char *reason = why;

	snprintf(folder, sizeof(folder), "%s", question->kept);
	*strrchr(folder, '/') = '\0';
	*outcome = (struct fetch_outcome){ .answer = FETCH_FAILED };
	if (directory_make_above(question->kept, 0700) &&
	    fetch_part_open(question->part, folder, question->url)) {
		fetch_http_ask(question, outcome);
		if (outcome->answer == FETCH_TAKEN)
			reason = keep(question, why);
		else
			reason = NULL;
		fetch_part_close(question->part, outcome->resumable);
	} else {
		snprintf(why, sizeof(why), "cannot write to the cache: %s", strerror(errno));
	}
	if (reason != NULL) {
		outcome->answer = FETCH_FAILED;
		snprintf(outcome->why, sizeof(outcome->why), "%s", reason);
	}
}

int
debuginfod_serve(int socket, const char *argument, const char *urls, const char *directory)
{
	const bool forget = strncmp(argument, FORGET, strlen(FORGET)) == 0;
	const bool miss = strncmp(argument, MISS, strlen(MISS)) == 0;
	const char *url = fetch_serve_url(argument);
	char *copy, *rest = NULL, path[FETCH_PATH_SIZE];
	int status = -1;

	if (forget || miss) {
		debuginfod_mark(directory, argument + strlen(forget ? FORGET : MISS), miss);
		return 0;
	}
	copy = url != NULL ? strdup(urls) : NULL;
	for (char *server = copy == NULL ? NULL : strtok_r(copy, " \t\n", &rest); server != NULL;
	     server = strtok_r(NULL, " \t\n", &rest)) {
		const size_t length = fetch_url_base(server);
		const char *kept = url + length + strlen("/buildid/");

		if (strncmp(url, server, length) == 0 &&
		    strncmp(url + length, "/buildid/", strlen("/buildid/")) == 0 &&
		    is_kept_name(kept) && cache_path(path, directory, kept)) {
			status = fetch_serve(socket, argument, path);
			break;
		}
	}
	free(copy);
	return status;
}
