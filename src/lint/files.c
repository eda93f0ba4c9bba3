/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "lint/lint.h"
#include "locate/folder.h"
#include "locate/layout.h"
#include "system/file.h"

/* Many symbol files: those below directories, read by all processors, told of in their order. */

enum {
	DEEPEST = 64,		/* directories in each other; stores have four */
	AHEAD = 64,		/* files that may be read before the first of them was told of */
	MOST_THREADS = 16,
};

struct gathering {
	struct arena *arena;
	struct lint_paths *paths;
	bool memory_ended;
};

static bool
is_symbol_file(const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i == 0 || layout_suffixes[i - 1] != NULL; i++) {
		const char *more = i > 0 ? layout_suffixes[i - 1] : "";
		const size_t behind = strlen(more) + strlen(".sym");

		if (length > behind && strcmp(name + length - strlen(more), more) == 0 &&
		    memcmp(name + length - behind, ".sym", strlen(".sym")) == 0)
			return true;
	}
	return false;
}

static void
add_path(struct gathering *gathering, const char *path)
{
	struct lint_paths *paths = gathering->paths;
	const char **added =
		paths->count < LIMIT_LINT_FILES
			? ARENA_PUSH(gathering->arena, paths->list, paths->count, paths->capacity)
			: NULL;

	gathering->memory_ended |= added == NULL;
	if (added != NULL)
		*added = path;
}

static bool
is_link(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* The symbol files below a directory, in the order of names; links to directories make loops. */
static void
add_directory(struct gathering *gathering, const char *path)
{
	struct {
		struct folder *names;
		const char *path;
		size_t at;
	} open[DEEPEST];
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
		const char *below = entry->folder || is_symbol_file(entry->name)
			? arena_format(gathering->arena, "%s%s%s", directory, slash, entry->name)
			: NULL;

		if (below != NULL && !entry->folder)
			add_path(gathering, below);
		if (below == NULL || !entry->folder || depth == DEEPEST || is_link(below))
			continue;
		open[depth].names = folder_open(below);
		open[depth].path = below;
		open[depth].at = 0;
		depth += open[depth].names != NULL;
	}
}

bool
lint_gather(struct arena *arena, const char *const *given, size_t count, struct lint_paths *paths)
{
	struct gathering gathering = { arena, paths, false };
	struct stat status;

	for (size_t i = 0; i < count; i++) {
		const bool directory = file_stat(given[i], &status) && S_ISDIR(status.st_mode);

		paths->directories |= directory;
		if (directory)
			add_directory(&gathering, given[i]);
		else
			add_path(&gathering, given[i]);
	}
	return !gathering.memory_ended;
}

struct lint_file_crew {
	const struct lint_paths *paths;
	const struct lint_options *options;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, told;		/* the file to be read, to be told of */
	struct {
		struct lint lint;
		bool ready;
	} files[AHEAD];
};

/* A file that can't be read is a finding of its own. */
static void
read_file(const char *path, const struct lint_options *options, struct lint *lint)
{
	struct error error;

	if (lint_file(lint, path, options, &error) != ERROR_NONE)
		lint_unreadable(lint, error.text);
}

/* Read the next file, if there is one and room for what it says; false: there is none. */
static bool
work_on_one(struct lint_file_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->next < crew->paths->count && crew->next >= crew->told + AHEAD)
		pthread_cond_wait(&crew->changed, &crew->lock);
	const size_t mine = crew->next;
	const bool more = mine < crew->paths->count;
	crew->next += more;
	pthread_mutex_unlock(&crew->lock);
	if (!more)
		return false;
	read_file(crew->paths->list[mine], crew->options, &crew->files[mine % AHEAD].lint);
	pthread_mutex_lock(&crew->lock);
	crew->files[mine % AHEAD].ready = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return true;
}

static void *
work(void *context)
{
	while (work_on_one(context))
		;
	return NULL;
}

/* Wait for the next file in the order of the paths. */
static void
await(struct lint_file_crew *crew, bool alone)
{
	bool *ready = &crew->files[crew->told % AHEAD].ready;

	if (alone)
		work_on_one(crew);
	pthread_mutex_lock(&crew->lock);
	while (!*ready)
		pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void
release(struct lint_file_crew *crew)
{
	lint_free(&crew->files[crew->told % AHEAD].lint);
	pthread_mutex_lock(&crew->lock);
	crew->files[crew->told % AHEAD].ready = false;
	crew->told++;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

bool
lint_files(const struct lint_paths *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct lint_file_crew *crew = calloc(1, sizeof(*crew));
	pthread_t threads[MOST_THREADS];
	size_t started = 0;

	if (crew == NULL)
		return false;
	crew->paths = paths;
	crew->options = options;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	/* One file is shared by threads of its own where that pays. */
	while (paths->count > 1 && started < MOST_THREADS && (long)started < processors &&
	       pthread_create(&threads[started], NULL, work, crew) == 0)
		started++;
	for (size_t i = 0; i < paths->count; i++) {
		await(crew, started == 0);
		tell(context, i, &crew->files[i % AHEAD].lint);
		release(crew);
	}
	while (started > 0)
		pthread_join(threads[--started], NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return true;
}
