/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "system/door.h"
#include "system/shortage.h"

#define PATH_SIZE 4096u

static int
compare_entries(const void *left, const void *right)
{
	const struct folder_entry *a = left, *b = right;
	const int order = strcasecmp(a->name, b->name);

	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Whether a name leads to a directory or plain file, even by a link. `*folder`: a folder. */
static bool
kind_of(DIR *directory, const struct dirent *found, bool *folder)
{
	struct stat status;

	*folder = found->d_type == DT_DIR;
	if (found->d_type == DT_DIR || found->d_type == DT_REG)
		return true;
	if ((found->d_type != DT_LNK && found->d_type != DT_UNKNOWN) ||
	    fstatat(dirfd(directory), found->d_name, &status, 0) != 0)
		return false;
	*folder = S_ISDIR(status.st_mode);
	return *folder || S_ISREG(status.st_mode);
}

struct folder *
folder_open(const char *path)
{
	const struct identity identity = identity_at(path);
	DIR *directory = door_list(path);
	if (directory == NULL)
		shortage_note(errno, path);
	struct folder *names = directory == NULL ? NULL : calloc(1, sizeof(*names));
	struct dirent *found;
	bool folder;

	if (names != NULL) {
		arena_init(&names->arena, 0);
		names->identity = identity;
	}
	while (names != NULL && !names->cut &&
	       (errno = 0, found = readdir(directory)) != NULL) {
		if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0 ||
		    !kind_of(directory, found, &folder))
			continue;
		const char *name = arena_string(&names->arena, found->d_name);
		names->cut = name == NULL || names->count == LIMIT_STORE_NAMES ||
			     !ARENA_ADD(&names->arena, names->entries, names->count,
					names->capacity,
					&(struct folder_entry){ .name = name, .folder = folder });
	}
	/* readdir() returned NULL: an error, or the end of the directory. */
	if (names != NULL && !names->cut)
		shortage_note(errno, path);
	if (names != NULL && names->count != 0)
		SORT(names->entries, names->count, compare_entries);
	if (directory != NULL)
		closedir(directory);
	return names;
}

void
folder_free(struct folder *names)
{
	if (names == NULL)
		return;
	arena_free(&names->arena);
	free(names->path);
	free(names);
}

struct folder *
folder_kept(struct folder **all, const char *path)
{
	const struct identity identity = identity_at(path);
	struct folder **at = all, *names;

	while (*at != NULL && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	if ((names = *at) != NULL && identity_equal(&identity, &names->identity))
		return names;
	if (names != NULL)
		*at = names->next;
	folder_free(names);
	names = folder_open(path);
	if (names != NULL && (names->path = strdup(path)) == NULL) {
		folder_free(names);
		names = NULL;
	}
	if (names != NULL) {
		names->next = *all;
		*all = names;
	}
	return names;
}

void
folder_free_all(struct folder **all)
{
	while (*all != NULL) {
		struct folder *next = (*all)->next;

		folder_free(*all);
		*all = next;
	}
}

static int
compare_ids(const void *left, const void *right)
{
	const struct folder_entry *a = *(const struct folder_entry *const *)left;
	const struct folder_entry *b = *(const struct folder_entry *const *)right;
	const int order = strcasecmp(a->head.id, b->head.id);

	return order != 0 ? order : (a > b) - (a < b);
}

void
folder_look(struct folder *names, const char *path)
{
	char buffer[PATH_SIZE];

	if (names->headed)
		return;
	for (size_t i = 0; i < names->count; i++) {
		struct folder_entry *entry = &names->entries[i];
		const int length = snprintf(buffer, sizeof(buffer), "%s/%s", path, entry->name);

		if (!entry->folder && length > 0 && (size_t)length < sizeof(buffer))
			symbol_head_read(&entry->head, buffer, &names->arena);
	}
	names->headed = true;
	names->by_id = arena_array(&names->arena, names->count + 1, sizeof(*names->by_id));
	for (size_t i = 0; names->by_id != NULL && i < names->count; i++)
		if (names->entries[i].head.id != NULL)
			names->by_id[names->symbol_files++] = &names->entries[i];
	SORT(names->by_id, names->symbol_files, compare_ids);
}

size_t
folder_with_id(const struct folder *names, const char *id, size_t *end)
{
	size_t at;

	BISECT(at, names->symbol_files, strcasecmp(names->by_id[at]->head.id, id) < 0);
	*end = at;
	while (*end < names->symbol_files && strcasecmp(names->by_id[*end]->head.id, id) == 0)
		++*end;
	return at;
}

const struct folder_entry *
folder_named(const struct folder *names, const char *name)
{
	size_t at;

	BISECT(at, names->count, strcasecmp(names->entries[at].name, name) < 0);
	return at < names->count && strcasecmp(names->entries[at].name, name) == 0
		       ? &names->entries[at]
		       : NULL;
}
