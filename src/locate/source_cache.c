/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/source_cache.h"

#include <stdlib.h>
#include <string.h>

/* Files that are kept: one function rarely has lines of more. */
#define MOST_FILES 64u
/* Bytes of one line that are shown: minified files have lines of megabytes. */
#define LINE_SHOWN 65536u

struct cached_file {
	struct text name;
	struct source_file file;
	const uint64_t *starts;		/* NULL: the file is not there */
	size_t line_count;
};

struct source_cache {
	struct arena arena;
	const struct source_options *options;
	uint32_t time;
	struct cached_file files[MOST_FILES];
	size_t count;
};

size_t
source_line_starts(struct text text, struct arena *arena, const uint64_t **found)
{
	const char *end = text.start + text.length;
	size_t count = 0, line = 0;

	for (const char *at = text.start; at < end; count++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		at = feed == NULL ? end : feed + 1;
	}
	uint64_t *starts = arena_array(arena, count + 1, sizeof(*starts));
	*found = starts;
	if (starts == NULL)
		return 0;
	for (const char *at = text.start; at < end;) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		starts[line++] = (uint64_t)(at - text.start);
		at = feed == NULL ? end : feed + 1;
	}
	starts[line] = text.length;
	return count;
}

struct text
source_line_text(struct text text, const uint64_t *starts, size_t line)
{
	const char *start = text.start + starts[line];
	size_t length = (size_t)(starts[line + 1] - starts[line]);

	while (length > 0 && (start[length - 1] == '\n' || start[length - 1] == '\r'))
		length--;
	return (struct text){ start, length < LINE_SHOWN ? length : LINE_SHOWN };
}

struct source_cache *
source_cache_create(const struct source_options *options, uint32_t time)
{
	struct source_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	arena_init(&cache->arena, 0);
	cache->options = options;
	cache->time = time;
	return cache;
}

void
source_cache_free(struct source_cache *cache)
{
	if (cache == NULL)
		return;
	arena_free(&cache->arena);
	free(cache);
}

static const struct cached_file *
find_file(struct source_cache *cache, struct text name)
{
	for (size_t i = 0; i < cache->count; i++)
		if (text_equal(cache->files[i].name, name))
			return &cache->files[i];
	if (cache->count == MOST_FILES)
		return NULL;
	struct cached_file *file = &cache->files[cache->count++];
	file->name = name;
	if (source_file_find(cache->options, name, cache->time, &cache->arena, &file->file))
		file->line_count =
			source_line_starts(file->file.text, &cache->arena, &file->starts);
	return file;
}

struct text
source_cache_line(struct source_cache *cache, struct text name, uint32_t line)
{
	const struct cached_file *file =
		cache == NULL || name.length == 0 ? NULL : find_file(cache, name);

	if (file == NULL || file->starts == NULL || line == 0 || line > file->line_count)
		return text_of("");
	return source_line_text(file->file.text, file->starts, line - 1);
}
