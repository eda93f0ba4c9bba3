/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/shelf.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "system/file.h"
#include "base/limits.h"
#include "locate/foreign.h"
#include "symbols/symbols.h"

/* Bytes of a file, and of what it decompresses to, that are looked through for MODULE. */
#define HEAD_SIZE 4096u
/* Bytes of a compressed one: the first block of zstd has up to 128 KiB. */
#define HEAD_PACKED (160u * 1024)
/* Bytes of a path below a directory. */
#define PATH_SIZE 4096u

static bool
is_utf16(const uint8_t *bytes, uint64_t size)
{
	return size >= 4 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
			     (bytes[0] == 0xfe && bytes[1] == 0xff) ||
			     memcmp(bytes, "M\0O", 4) == 0 || memcmp(bytes, "\0M\0O", 4) == 0);
}

static void
take_module(struct shelf_head *head, const uint8_t *bytes, uint64_t size, struct arena *arena)
{
	struct symfile *symfile;

	head->utf16 = is_utf16(bytes, size);
	head->foreign = foreign_of(bytes, size);
	if (head->utf16 || symfile_from_memory(&symfile, "", bytes,
					       size < HEAD_SIZE ? (size_t)size : HEAD_SIZE,
					       NULL) != ERROR_NONE)
		return;
	const struct symfile_identity identity = symfile_identity(symfile);
	if (identity.id.length != 0) {
		head->id = arena_copy(arena, identity.id.start, identity.id.length);
		head->name = arena_copy(arena, identity.name.start, identity.name.length);
		if (head->id == NULL || head->name == NULL)
			head->id = head->name = NULL;
	}
	symfile_close(symfile);
}

void
shelf_head_read(struct shelf_head *head, const char *path, struct arena *arena)
{
	struct file file;
	struct inflated inflated;

	*head = (struct shelf_head){ 0 };
	if (file_open_head(&file, path, HEAD_SIZE, NULL) != ERROR_NONE)
		return;
	head->read = true;
	head->empty = file.size == 0;
	head->kind = inflate_identify(file.data, file.size);
	if (head->kind == INFLATE_NONE) {
		take_module(head, file.data, file.size, arena);
		file_close(&file);
		return;
	}
	file_close(&file);
	if (file_open_head(&file, path, HEAD_PACKED, NULL) == ERROR_NONE) {
		inflate_bytes(head->kind, file.data, file.size, HEAD_SIZE, &inflated);
		if (inflated.data != NULL)
			take_module(head, inflated.data, inflated.size, arena);
		inflate_free(&inflated);
		file_close(&file);
	}
}

static int
compare_entries(const void *left, const void *right)
{
	const struct shelf_entry *a = left, *b = right;
	const int order = strcasecmp(a->name, b->name);

	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Only directories and plain files count, whatever a link leads to. */
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

static bool
add_name(struct shelf *shelf, const char *name, bool folder)
{
	struct shelf_entry *entries = arena_grow(&shelf->arena, shelf->entries, shelf->count,
						 &shelf->capacity, sizeof(*entries));

	if (entries == NULL)
		return false;
	shelf->entries = entries;
	entries[shelf->count] = (struct shelf_entry){
		.name = arena_copy(&shelf->arena, name, strlen(name)),
		.folder = folder,
	};
	return entries[shelf->count++].name != NULL;
}

static void
read_names(struct shelf *shelf, DIR *directory)
{
	struct dirent *found;
	bool folder;

	while (!shelf->cut && (found = readdir(directory)) != NULL)
		if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0 &&
		    kind_of(directory, found, &folder))
			shelf->cut = shelf->count == LIMIT_STORE_NAMES ||
				     !add_name(shelf, found->d_name, folder);
	if (shelf->count != 0)
		qsort(shelf->entries, shelf->count, sizeof(*shelf->entries), compare_entries);
}

struct shelf *
shelf_open(const char *path)
{
	const struct identity identity = identity_at(path);
	DIR *directory = opendir(path);
	struct shelf *shelf = directory == NULL ? NULL : calloc(1, sizeof(*shelf));

	if (shelf != NULL) {
		arena_init(&shelf->arena, 0);
		shelf->identity = identity;
		read_names(shelf, directory);
	}
	if (directory != NULL)
		closedir(directory);
	return shelf;
}

struct shelf *
shelf_renew(struct shelf *shelf, const char *path)
{
	const struct identity identity = identity_at(path);

	if (shelf != NULL && identity_equal(&identity, &shelf->identity))
		return shelf;
	shelf_free(shelf);
	return shelf_open(path);
}

void
shelf_free(struct shelf *shelf)
{
	if (shelf == NULL)
		return;
	arena_free(&shelf->arena);
	free(shelf);
}

void
shelf_look(struct shelf *shelf, const char *path)
{
	char buffer[PATH_SIZE];

	for (size_t i = 0; i < shelf->count && !shelf->headed; i++) {
		struct shelf_entry *entry = &shelf->entries[i];
		const int length = snprintf(buffer, sizeof(buffer), "%s/%s", path, entry->name);

		if (!entry->folder && length > 0 && (size_t)length < sizeof(buffer))
			shelf_head_read(&entry->head, buffer, &shelf->arena);
		entry->looked = true;
	}
	shelf->headed = true;
}

const struct shelf_entry *
shelf_named(const struct shelf *shelf, const char *name)
{
	size_t low = 0, high = shelf->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcasecmp(shelf->entries[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < shelf->count && strcasecmp(shelf->entries[low].name, name) == 0
		       ? &shelf->entries[low]
		       : NULL;
}
