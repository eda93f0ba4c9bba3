/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_SOURCE_CACHE_H
#define LOCATE_SOURCE_CACHE_H

#include "locate/source_file.h"

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
