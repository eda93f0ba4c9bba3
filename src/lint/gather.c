/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/gather.h"

#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "binary/binary.h"
#include "locate/folder.h"
#include "locate/layout.h"
#include "system/file.h"

/* Maximum nesting of directories; stores have four levels. */
#define DEEPEST 64

struct gathering {
	struct arena *arena;
	gather_wanted *wanted;
	struct gathered_files *files;
	bool memory_ended;
};

bool
gather_symbol_files(const char *path, const char *name)
{
	const size_t length = strlen(name);

	(void)path;
	for (size_t i = 0; i == 0 || layout_suffixes[i - 1] != NULL; i++) {
		const char *more = i > 0 ? layout_suffixes[i - 1] : "";
		const size_t behind = strlen(more) + strlen(".sym");

		if (length > behind && strcmp(name + length - strlen(more), more) == 0 &&
		    memcmp(name + length - behind, ".sym", strlen(".sym")) == 0)
			return true;
	}
	return false;
}

bool
gather_modules(const char *path, const char *name)
{
	(void)name;
	return binary_kind_of(path) == BINARY_KIND_OWN;
}

static void
add_path(struct gathering *gathering, const char *path)
{
	struct gathered_files *paths = gathering->files;

	gathering->memory_ended |=
		paths->count >= LIMIT_LINT_FILES ||
		!ARENA_ADD(gathering->arena, paths->list, paths->count, paths->capacity, &path);
}

/* Adds the files below a directory, sorted by name. Skips links to directories: they may loop. */
static void
add_directory(struct gathering *gathering, const char *path)
{
	struct {
		struct folder *names;
		const char *path;
		size_t at;
	} open[DEEPEST];
	struct stat status;
	size_t depth = 0;
	open[depth].names = folder_open(path);
	open[depth].path = path;
	open[depth].at = 0;
	depth += open[0].names != NULL;
	while (depth > 0) {
		struct folder *names = open[depth - 1].names;

		if (open[depth - 1].at == names->count || gathering->memory_ended) {
			folder_free(names);
			depth--;
			continue;
		}
		const struct folder_entry *entry = &names->entries[open[depth - 1].at++];
		const char *directory = open[depth - 1].path;
		const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
		const char *below = arena_format(gathering->arena, "%s%s%s", directory, slash,
						 entry->name);

		gathering->memory_ended |= below == NULL;
		if (below != NULL && !entry->folder && gathering->wanted(below, entry->name))
			add_path(gathering, below);
		if (below == NULL || !entry->folder || depth == DEEPEST ||
		    (lstat(below, &status) == 0 && S_ISLNK(status.st_mode)))
			continue;
		open[depth].names = folder_open(below);
		open[depth].path = below;
		open[depth].at = 0;
		depth += open[depth].names != NULL;
	}
}

bool
gather_files(struct arena *arena, const char *const *given, size_t count, gather_wanted *wanted,
	     struct gathered_files *files)
{
	struct gathering gathering = { arena, wanted, files, false };
	struct stat status;

	for (size_t i = 0; i < count; i++) {
		const bool directory = file_stat(given[i], &status) && S_ISDIR(status.st_mode);

		files->directories |= directory;
		if (directory)
			add_directory(&gathering, given[i]);
		else
			add_path(&gathering, given[i]);
	}
	return !gathering.memory_ended;
}
