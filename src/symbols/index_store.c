/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/index_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sorted.h"
#include "symbols/symbols.h"
#include "system/directory.h"
#include "system/shortage.h"

#define SUFFIX ".index"
#define TEMPORARY "new-"
/* Seconds after which an incomplete index file is removed. */
#define ABANDONED 3600

struct entry {
	char name[64];
	uint64_t bytes;
	struct timespec used;
};

struct entries {
	struct entry *list;
	size_t count, capacity;
	uint64_t bytes;
};

bool
index_store_path(char path[INDEX_PATH_SIZE], const char *directory, uint64_t key)
{
	const int length =
		snprintf(path, INDEX_PATH_SIZE, "%s/%016" PRIx64 SUFFIX, directory, key);

	return length > 0 && (size_t)length < INDEX_PATH_SIZE;
}

bool
index_store_begin(struct index_writer *writer, const char *directory, uint64_t key)
{
	const int length = snprintf(writer->temporary, sizeof(writer->temporary),
				    "%s/" TEMPORARY "XXXXXX", directory);

	if (!index_store_path(writer->path, directory, key) || length < 0 ||
	    (size_t)length >= sizeof(writer->temporary) ||
	    !directory_make_above(writer->temporary, 0700))
		return false;
	writer->descriptor = mkostemp(writer->temporary, O_CLOEXEC);
	return writer->descriptor >= 0;
}

bool
index_store_end(struct index_writer *writer, bool whole)
{
	if (close(writer->descriptor) == 0 && whole &&
	    rename(writer->temporary, writer->path) == 0)
		return true;
	unlink(writer->temporary);
	return false;
}

void
index_store_touch(const char *path)
{
	/* In the sandbox a program can only change times of open files. */
	const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (descriptor < 0)
		return;
	futimens(descriptor, NULL);
	close(descriptor);
}

/* Visit one name of the directory. Only plain files with the right suffix are index files. */
static void
see_name(int directory, const char *name, struct entries *entries)
{
	const size_t length = strlen(name), end = strlen(SUFFIX);
	struct stat status;

	if (length >= sizeof(entries->list->name))
		return;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
		shortage_note(errno, name);
		return;
	}
	if (!S_ISREG(status.st_mode))
		return;
	if (length <= end || strcmp(name + length - end, SUFFIX) != 0) {
		if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 &&
		    status.st_mtim.tv_sec + ABANDONED < time(NULL))
			unlinkat(directory, name, 0);
		return;
	}
	if (entries->count == entries->capacity) {
		const size_t wanted = entries->capacity == 0 ? 64 : entries->capacity * 2;
		struct entry *larger = realloc(entries->list, wanted * sizeof(*larger));

		if (larger == NULL)
			return;
		entries->list = larger;
		entries->capacity = wanted;
	}
	struct entry *entry = &entries->list[entries->count++];
	*entry = (struct entry){ .bytes = (uint64_t)status.st_size, .used = status.st_mtim };
	memcpy(entry->name, name, length + 1);
	entries->bytes += entry->bytes;
}

static int
compare_used(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->used.tv_sec != right->used.tv_sec)
		return left->used.tv_sec < right->used.tv_sec ? -1 : 1;
	if (left->used.tv_nsec != right->used.tv_nsec)
		return left->used.tv_nsec < right->used.tv_nsec ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Open a directory and list its files, least recently used first; the caller frees the list. */
static DIR *
list_entries(const char *path, struct entries *entries)
{
	DIR *directory = opendir(path);
	struct dirent *found;

	*entries = (struct entries){ 0 };
	if (directory == NULL)
		return NULL;
	while ((errno = 0, found = readdir(directory)) != NULL)
		see_name(dirfd(directory), found->d_name, entries);
	shortage_note(errno, path);
	SORT(entries->list, entries->count, compare_used);
	return directory;
}

size_t
index_store_bound(const char *path, uint64_t most)
{
	struct entries entries;
	DIR *directory = list_entries(path, &entries);
	size_t removed = 0;

	if (directory == NULL)
		return 0;
	for (size_t i = 0; i < entries.count && entries.bytes > most; i++) {
		entries.bytes -= entries.list[i].bytes;
		removed += unlinkat(dirfd(directory), entries.list[i].name, 0) == 0;
	}
	free(entries.list);
	closedir(directory);
	return removed;
}

size_t
symbols_clear_indexes(const char *directory)
{
	return index_store_bound(directory, 0);
}

void
symbols_measure_indexes(const char *path, size_t *count, uint64_t *bytes)
{
	struct entries entries;
	DIR *directory = list_entries(path, &entries);

	*bytes = entries.bytes;
	*count = entries.count;
	free(entries.list);
	if (directory != NULL)
		closedir(directory);
	else
		shortage_note(errno, path);
}
