/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/source_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/place.h"
#include "locate/search.h"
#include "locate/symbol_store.h"
#include "system/file.h"
#include "system/shortage.h"

/* Maximum number of places searched for a source: map or path, dump's folder, servers, cache. */
#define PLACES_MAX 12u

/* Maximum number of cached files: a function rarely has lines of more files. */
#define MOST_FILES 64u
/* Maximum number of bytes shown of a line: minified files have lines of megabytes. */
#define LINE_SHOWN 65536u

struct cached_file {
	struct text name;
	struct source_file file;
	const uint64_t *starts;		/* NULL: no file */
	size_t line_count;
};

struct source_cache {
	struct arena arena;
	const struct source_options *options;
	const struct module *module;
	struct cached_file files[MOST_FILES];
	size_t count;
};

/* The path in `hg:host:path:revision`, `git:...`, `s3:...` and the like. */
static struct text
plain_path(struct text path)
{
	static const char *const systems[] = { "hg:", "git:", "s3:", "svn:", "cvs:" };
	const char *end = path.start + path.length;

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++) {
		size_t length = strlen(systems[i]);

		if (path.length <= length || memcmp(path.start, systems[i], length) != 0)
			continue;
		const char *host = memchr(path.start + length, ':', path.length - length);
		if (host == NULL)
			continue;
		const char *start = host + 1;
		const char *stop = memchr(start, ':', (size_t)(end - start));
		return (struct text){ start, (size_t)((stop != NULL ? stop : end) - start) };
	}
	return path;
}

/* Whether a path is `prefix`, or begins with it and a separator. */
static bool
has_prefix(struct text path, struct text prefix)
{
	const bool drive = path.length > 1 && path.start[1] == ':';

	if (prefix.length > path.length)
		return false;
	for (size_t i = 0; i < prefix.length; i++) {
		const char a = path.start[i], b = prefix.start[i];

		if (a != b && !(text_is_separator(a) && text_is_separator(b)) &&
		    !(drive && i == 0 && text_lower(a) == text_lower(b)))
			return false;
	}
	return prefix.length == 0 || prefix.length == path.length ||
	       text_is_separator(prefix.start[prefix.length - 1]) ||
	       text_is_separator(path.start[prefix.length]);
}

/* The map with the longest OLD that a path begins with, or NULL. */
static const char *
best_map(const struct source_options *options, struct text path, size_t *old_length)
{
	const char *best = NULL;

	for (size_t i = 0; i < options->map_count; i++) {
		const char *equal = strchr(options->maps[i], '=');
		struct text old = { options->maps[i],
				    equal == NULL ? 0 : (size_t)(equal - options->maps[i]) };

		if (equal == NULL || !has_prefix(path, old) ||
		    (best != NULL && old.length <= *old_length))
			continue;
		best = options->maps[i];
		*old_length = old.length;
	}
	return best;
}

/* Join two parts of a path with one '/'. In the second part, '\' becomes '/'. */
static const char *
join(struct text folder, struct text rest, struct arena *arena)
{
	while (rest.length > 0 && folder.length > 0 && text_is_separator(rest.start[0])) {
		rest.start++;
		rest.length--;
	}
	bool slash = folder.length > 0 && rest.length > 0 &&
		     folder.start[folder.length - 1] != '/';
	char *path = arena_array(arena, folder.length + rest.length + 2, 1);
	if (path == NULL)
		return NULL;
	if (folder.length > 0)
		memcpy(path, folder.start, folder.length);
	size_t used = folder.length;
	if (slash)
		path[used++] = '/';
	for (size_t i = 0; i < rest.length; i++)
		path[used++] = rest.start[i] == '\\' ? '/' : rest.start[i];
	return path;
}

static const char *
copy_reason(struct arena *arena, const char *reason)
{
	const char *copy = arena_string(arena, reason);

	return copy != NULL ? copy : OUT_OF_MEMORY;
}

/* Why a file cannot be shown; NULL: it was read. Pipes are refused: opening one could block. */
static const char *
read_source(const char *path, uint32_t time, struct arena *arena, struct source_file *source)
{
	struct stat status;
	struct file file;
	struct error error = { 0 };
	const char *why = file_why_no_data(path, &status);

	if (why != NULL)
		return copy_reason(arena, why);
	if (status.st_size > (off_t)LIMIT_READ_WHOLE)
		return "larger than 64 MiB";
	if (file_open(&file, path, &error) != ERROR_NONE)
		return copy_reason(arena, error.text);
	source->text.length = (size_t)file.size;
	source->text.start = arena_copy(arena, (const char *)file.data, source->text.length);
	file_close(&file);
	source->newer = time != 0 && status.st_mtim.tv_sec > (time_t)time;
	return source->text.start != NULL ? NULL : OUT_OF_MEMORY;
}

static bool
try_path(const struct source_options *options, struct source_file *source, const char *path,
	 enum locate_way way, uint32_t time, struct arena *arena)
{
	if (path == NULL)
		return false;
	const bool recorded = way == LOCATE_SOURCE_AS_RECORDED;
	const char *problem =
		recorded && options->enclosed
			? "not in the lesson's directory; :source-map OLD NEW gives it"
		: recorded && options->written && !file_has_source_name(path)
			? "not the name of a source file; --source OLD=NEW gives it"
			: read_source(path, time, arena, source);
	struct locate_place *place = &source->places[source->place_count++];

	*place = (struct locate_place){
		.kind = LOCATE_SOURCE, .way = way, .path = path,
		.outcome = problem == NULL ? LOCATE_USED : LOCATE_REFUSED,
		.why = problem,
	};
	source->path = problem == NULL ? path : NULL;
	return problem == NULL;
}

/* Look for the base name in the folder `source` next to the dump. */
static bool
try_with_dump(const struct source_options *options, struct text path, struct arena *arena,
	      struct source_file *source)
{
	size_t begin = path.length;

	while (begin > 0 && !text_is_separator(path.start[begin - 1]))
		begin--;
	const struct text name = { path.start + begin, path.length - begin };
	if (options->dump == NULL || name.length == 0 || text_is(name, ".") || text_is(name, ".."))
		return false;
	const size_t length = (size_t)(place_base_name(options->dump) - options->dump);
	const char *folder =
		join((struct text){ options->dump, length }, text_of("source"), arena);
	/* Copied files have no meaningful age. */
	return folder != NULL && try_path(options, source, join(text_of(folder), name, arena),
					  LOCATE_SOURCE_WITH_DUMP, 0, arena);
}

static bool
try_servers(const struct source_options *options, const struct module *module, struct arena *arena,
	    struct source_file *source)
{
	const struct binaries_source *served =
		options->symbols != NULL && module != NULL
			? symbols_find_source(options->symbols, module, source->recorded,
					      options->asks)
			: NULL;
	const struct locate_record *record = served != NULL ? served->record : NULL;

	source->pending = served != NULL && !served->asked;
	for (size_t i = 0; served != NULL && served->asked && i < record->count &&
			   source->place_count + 1 < PLACES_MAX; i++)
		if (record->places[i].outcome != LOCATE_FETCHED)
			source->places[source->place_count++] = record->places[i];
	return served != NULL && served->kept != NULL &&
	       try_path(options, source, served->kept, LOCATE_BY_CACHE, 0, arena);
}

bool
source_file_find(const struct source_options *options, const struct module *module,
		 struct text recorded, struct arena *arena, struct source_file *source)
{
	struct text path = plain_path(recorded);
	size_t old = 0;
	const char *whole = text_copy(arena, path);

	*source = (struct source_file){ .recorded = recorded };
	source->places = arena_array(arena, PLACES_MAX, sizeof(*source->places));
	/* The system would cut a name at a NUL and open another file. */
	bool named = path.length > 0 && memchr(path.start, '\0', path.length) == NULL;
	if (source->places == NULL || !named)
		return false;
	source->map = best_map(options, path, &old);
	const struct text rest = { path.start + old, path.length - old };
	const char *mapped =
		source->map != NULL ? join(text_of(source->map + old + 1), rest, arena) : whole;
	const enum locate_way way =
		source->map != NULL ? LOCATE_SOURCE_BY_MAP : LOCATE_SOURCE_AS_RECORDED;
	return try_path(options, source, mapped, way, options->time, arena) ||
	       try_with_dump(options, path, arena, source) ||
	       try_servers(options, module, arena, source);
}

/* Lines ---------------------------------------------------------------------------------------- */

size_t
source_line_starts(struct text text, struct arena *arena, const uint64_t **found)
{
	const char *end = text.start + text.length;
	/* The last line may have no line feed. */
	const size_t count = text_newlines(text) + (text.length > 0 && end[-1] != '\n');
	size_t line = 0;

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
source_cache_create(const struct source_options *options, const struct module *module)
{
	struct source_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	arena_init(&cache->arena, 0);
	cache->options = options;
	cache->module = module;
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

struct text
source_cache_line(struct source_cache *cache, struct text name, uint32_t line)
{
	size_t i = 0;

	if (cache == NULL || name.length == 0)
		return text_of("");
	while (i < cache->count && !text_equal(cache->files[i].name, name))
		i++;
	if (i == MOST_FILES)
		return text_of("");
	struct cached_file *file = &cache->files[i];
	if (i == cache->count) {
		cache->count++;
		file->name = name;
		if (source_file_find(cache->options, cache->module, name, &cache->arena,
				     &file->file))
			file->line_count = source_line_starts(file->file.text, &cache->arena,
							      &file->starts);
	}
	if (file->starts == NULL || line == 0 || line > file->line_count)
		return text_of("");
	return source_line_text(file->file.text, file->starts, line - 1);
}
