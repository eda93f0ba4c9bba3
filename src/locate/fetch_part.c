/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

/* Maximum tries to open and lock a file. Other processes may rename it meanwhile. */
#define OPENINGS 8u
#define LAST_LINE "unspool part 1\n"

/* Opens and locks a file; -1: another process has locked it, or it cannot be opened. */
static int
open_locked(const char *path)
{
	for (unsigned i = 0; i < OPENINGS; i++) {
		struct stat opened, named;
		const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

		if (file < 0)
			return -1;
		if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &opened) != 0 ||
		    !S_ISREG(opened.st_mode)) {
			close(file);
			return -1;
		}
		/* If the file has another name by now, another process has finished it. */
		if (stat(path, &named) == 0 && named.st_ino == opened.st_ino &&
		    named.st_dev == opened.st_dev)
			return file;
		close(file);
	}
	return -1;
}

/* Opens the file that describes a part; NULL: not a plain file, or an error. */
static FILE *
open_about(const char *path, int flags)
{
	struct stat status;
	const int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);

	if (file < 0)
		return NULL;
	FILE *about = fstat(file, &status) == 0 && S_ISREG(status.st_mode)
			      ? fdopen(file, (flags & O_ACCMODE) == O_RDONLY ? "r" : "w") : NULL;
	if (about == NULL)
		close(file);
	return about;
}

/* Read the version of the bytes. Start anew if it is missing or the bytes are too many. */
static void
read_about(struct fetch_part *part)
{
	char line[FETCH_VALIDATOR_SIZE + 2] = "", end[sizeof(LAST_LINE) + 1] = "";
	char number[32] = "";
	struct stat status;
	FILE *file = part->about[0] == '\0' ? NULL : open_about(part->about, O_RDONLY);

	if (file == NULL)
		return;
	const bool read = fgets(line, sizeof(line), file) != NULL &&
			  fgets(number, sizeof(number), file) != NULL &&
			  fgets(end, sizeof(end), file) != NULL;
	fclose(file);
	const size_t length = strcspn(line, "\n");
	if (!read || strcmp(end, LAST_LINE) != 0 || length == 0 || line[length] != '\n' ||
	    length >= sizeof(part->validator) || fstat(fileno(part->file), &status) != 0)
		return;
	const uint64_t total = strtoull(number, NULL, 10), bytes = (uint64_t)status.st_size;
	if (bytes == 0 || (total != 0 && bytes >= total))
		return;
	memcpy(part->validator, line, length);
	part->validator[length] = '\0';
	part->bytes = bytes;
	part->total = total;
}

bool
fetch_part_open(struct fetch_part *part, const char *whole, const char *url)
{
	/* The name holds a hash of the URL: servers may have different files of one name. */
	const uint64_t hash = hash_bytes(HASH_START, url, strlen(url));
	const int folder = (int)(strrchr(whole, '/') - whole);
	int file = -1;

	const int path = snprintf(part->path, sizeof(part->path), "%.*s/.%016" PRIx64 ".part",
				  folder, whole, hash);
	const int about = snprintf(part->about, sizeof(part->about), "%.*s/.%016" PRIx64 ".about",
				   folder, whole, hash);
	if (path > 0 && about > 0 && (size_t)path < sizeof(part->path) &&
	    (size_t)about < sizeof(part->about))
		file = open_locked(part->path);
	part->bytes = part->total = 0;
	part->validator[0] = '\0';
	for (unsigned i = 0; file < 0 && i < 100; i++) {
		const int length = snprintf(part->path, sizeof(part->path), "%.*s/.part.%ld-%u",
					    folder, whole, (long)getpid(), i);

		part->about[0] = '\0';
		if (length > 0 && (size_t)length < sizeof(part->path))
			file = open(part->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	}
	part->file = file < 0 ? NULL : fdopen(file, "r+");
	if (part->file == NULL) {
		if (file >= 0)
			close(file);
		return false;
	}
	/* Without a buffer, even a killed process has written all bytes that it received. */
	setvbuf(part->file, NULL, _IONBF, 0);
	read_about(part);
	return fseeko(part->file, (off_t)part->bytes, SEEK_SET) == 0;
}

bool
fetch_part_begin(struct fetch_part *part, const char *validator, uint64_t total)
{
	FILE *about;

	/* Remove the old description first, so that it never describes bytes of another version. */
	if (!fetch_part_end(part) || fseeko(part->file, 0, SEEK_SET) != 0 ||
	    ftruncate(fileno(part->file), 0) != 0)
		return false;
	part->bytes = 0;
	part->total = total;
	snprintf(part->validator, sizeof(part->validator), "%s", validator);
	if (validator[0] == '\0' || part->about[0] == '\0')
		return true;
	if ((about = open_about(part->about, O_WRONLY | O_CREAT | O_TRUNC)) != NULL) {
		fprintf(about, "%s\n%" PRIu64 "\n%s", validator, total, LAST_LINE);
		fclose(about);
	}
	return true;
}

bool
fetch_part_add(struct fetch_part *part, const void *bytes, size_t length)
{
	part->bytes += length;
	return fwrite(bytes, 1, length, part->file) == length;
}

bool
fetch_part_end(struct fetch_part *part)
{
	if (part->about[0] != '\0')
		unlink(part->about);
	part->validator[0] = '\0';
	return fflush(part->file) == 0;
}

bool
fetch_part_finish(struct fetch_part *part, const char *path)
{
	/* Rename the file while it is locked. */
	const bool good = fetch_part_end(part) && !ferror(part->file) &&
			  rename(part->path, path) == 0;

	const int reason = errno;
	if (!good)
		unlink(part->path);
	fclose(part->file);
	part->file = NULL;
	errno = reason;
	return good;
}

void
fetch_part_close(struct fetch_part *part, bool keep)
{
	if (part->file == NULL)
		return;
	const bool written = fflush(part->file) == 0 && !ferror(part->file);
	if (!keep || !written || part->bytes == 0 || part->validator[0] == '\0' ||
	    part->about[0] == '\0') {
		fetch_part_end(part);
		unlink(part->path);
	}
	fclose(part->file);
	part->file = NULL;
}

/* Ranges --------------------------------------------------------------------------------------- */

/* "bytes 100-199/200", or with '*' if the server does not know the total. */
void
fetch_header_range(struct fetch_header *header, const char *value)
{
	struct text rest;
	uint64_t last = 0;

	header->ranged = false;
	header->total = 0;
	if (strncasecmp(value, "bytes ", 6) != 0)
		return;
	rest = text_of(value + 6);
	if (!text_take_number(&rest, 10, &header->begin) || !text_drop_prefix(&rest, "-") ||
	    !text_take_number(&rest, 10, &last) || !text_drop_prefix(&rest, "/") ||
	    last < header->begin || last == UINT64_MAX)
		return;
	header->end = last + 1;
	if (!text_is(rest, "*") &&
	    (!text_number(rest, 10, &header->total) || header->total < header->end))
		return;
	header->ranged = true;
}

bool
fetch_header_goes_on(const struct fetch_header *header, const struct fetch_part *part)
{
	/* Without a total the end could not be recognised. */
	return header->ranged && header->begin == part->bytes && header->total != 0 &&
	       (part->total == 0 || header->total == part->total) &&
	       (header->etag[0] == '\0' || part->validator[0] != '"' ||
		strcmp(header->etag, part->validator) == 0);
}
