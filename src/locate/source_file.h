/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SOURCE_FILE_H
#define LOCATE_SOURCE_FILE_H

#include "locate/locate.h"

/** Source files, by the paths that symbols have of them. */

/** Where source files are looked for. */
struct source_options {
	const char *const *maps;	/* OLD=NEW: paths that begin with OLD are under NEW */
	size_t map_count;
	const char *dump;		/* path of the dump; NULL: none */
};

/** A source file that was looked for. */
struct source_file {
	struct text recorded;		/* path as the symbols have it */
	struct locate_place *places;	/* the one that is used is the last one */
	size_t place_count;
	const char *path;		/* that is used; NULL: none */
	const char *map;		/* OLD=NEW of the place LOCATE_SOURCE_BY_MAP; NULL: none */
	bool newer;			/* than the dump */
	struct text text;		/* its bytes */
};

/**
 * Look for the source file that symbols call `recorded`: under the map with the longest OLD
 * (where '\' equals '/' and the letter of a drive has no case) or, without one, as recorded; then
 * in the folder `source` beside the dump by its base name. `hg:host:path:revision` and its like
 * stand for their path. Only regular files of at most 64 MiB are read, never below /dev,
 * /proc and /sys. `time` is that of the dump (0: unknown). Lives in `arena`. False where
 * none was found; the places say why.
 */
bool
source_file_find(const struct source_options *options, struct text recorded, uint32_t time,
		 struct arena *arena, struct source_file *source);

/**
 * Single lines of source files, for views that show lines of several files among other things.
 */
struct source_cache;

/** Files are looked for as source_file_find does; all is borrowed. NULL when out of memory. */
struct source_cache *
source_cache_create(const struct source_options *options, uint32_t time);

/** Harmless on NULL. */
void
source_cache_free(struct source_cache *cache);

/**
 * The text of line `line` of a file without its end; empty where the file or the line is not
 * there. It lives as long as the cache. Empty on NULL.
 */
struct text
source_cache_line(struct source_cache *cache, struct text file, uint32_t line);

/**
 * Where the lines of a text begin, and its size behind the last of them; the number of lines.
 * NULL in `*starts` when out of memory.
 */
size_t
source_line_starts(struct text text, struct arena *arena, const uint64_t **starts);

/** A line of a text without its end, as much of it as is shown. */
struct text
source_line_text(struct text text, const uint64_t *starts, size_t line);

#endif
