/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SOURCE_FILE_H
#define LOCATE_SOURCE_FILE_H

#include "locate/locate.h"

/** Source files, found by the paths in symbols. */

struct source_options {
	const char *const *maps;	/* OLD=NEW: paths that begin with OLD are under NEW */
	size_t map_count;
	const char *dump;		/* path of the dump; NULL: none */
	uint32_t time;			/* time of the dump in seconds since 1970; 0: unknown */
	/* Symbols whose debuginfod servers may have the sources; NULL: none */
	struct symbols *symbols;
	/* Send requests to the servers; false: use only their earlier answers */
	bool asks;
	/* The result is written to a file, so only files named by symbols are allowed */
	bool written;
	bool enclosed;			/* open no recorded paths: an author chose them */
};

/** The result of a search for a source file. */
struct source_file {
	struct text recorded;		/* path in the symbols */
	struct locate_place *places;	/* the last place has the file that is used */
	size_t place_count;
	const char *path;		/* path of the file that is used; NULL: none */
	const char *map;		/* OLD=NEW of the place LOCATE_SOURCE_BY_MAP; NULL: none */
	bool newer;			/* the file is newer than the dump */
	bool pending;			/* servers may have it, and were not asked yet */
	struct text text;
};

/**
 * Search for the source file that symbols call `recorded`. Use the map with the longest OLD ('\'
 * equals '/', a drive's letter has any case). Without a map, use `recorded` itself. Then try the
 * base name in the folder `source` next to the dump. For `hg:host:path:revision` and similar forms,
 * use `path`. Last, request the file from debuginfod servers by `module` (NULL: unknown) and path.
 * Only regular files of at most 64 MiB are read, never below /dev, /proc and /sys. The result lives
 * in `arena`. False if no file was found; the places say why.
 */
bool
source_file_find(const struct source_options *options, const struct module *module,
		 struct text recorded, struct arena *arena, struct source_file *source);

/** A cache of source files, for views that show single lines of several files. */
struct source_cache;

/**
 * Create a cache for the files of a module, searched as by source_file_find. Both arguments are
 * borrowed. NULL when out of memory.
 */
struct source_cache *
source_cache_create(const struct source_options *options, const struct module *module);

/** Harmless on NULL. */
void
source_cache_free(struct source_cache *cache);

/**
 * Line `line` of a file, without its line feed; empty if the file or the line does not exist, and
 * on NULL. It lives as long as the cache.
 */
struct text
source_cache_line(struct source_cache *cache, struct text file, uint32_t line);

/**
 * Set `*starts` to the offsets of a text's lines, followed by the text's size; NULL when out of
 * memory. Returns the number of lines.
 */
size_t
source_line_starts(struct text text, struct arena *arena, const uint64_t **starts);

/** A line of a text, without its line feed, cut to the length that is shown. */
struct text
source_line_text(struct text text, const uint64_t *starts, size_t line);

#endif
