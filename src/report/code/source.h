/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_SOURCE_H
#define REPORT_CODE_SOURCE_H

#include "document/listing.h"
#include "walk/location.h"

/** Where source files are looked for. */
struct source_options {
	const char *const *maps;	/* OLD=NEW: paths that begin with OLD are under NEW */
	size_t map_count;
	const char *dump;		/* path of the dump; NULL: none */
};

/** One path that was tried. */
struct source_try {
	const char *path;
	const char *by;			/* why: "map OLD=NEW", "as recorded", "beside the dump" */
	const char *problem;		/* why it can't be used; NULL: it is the one */
};

/** A source file that was looked for. */
struct source_file {
	struct text recorded;		/* path as the symbols have it */
	struct source_try *tries;	/* the one that was found is the last one */
	size_t try_count;
	const char *path;		/* that was found; NULL: none */
	bool newer;			/* than the dump */
	struct text text;		/* its bytes */
};

/**
 * Look for the source file that symbols call `recorded`: under the map with the longest OLD
 * (where '\' equals '/' and the letter of a drive has no case), as recorded, and in the
 * folder `source` beside the dump by its base name. `hg:host:path:revision` and its like
 * stand for their path. Only regular files of at most 64 MiB are read, never below /dev,
 * /proc and /sys. `time` is that of the dump (0: unknown). Lives in `arena`. False where
 * none was found; `tries` says why.
 */
bool
source_find(const struct source_options *options, struct text recorded, uint32_t time,
	    struct arena *arena, struct source_file *file);

/**
 * The source of call `call` of frame `frame` (the innermost one for a call that is not
 * there), with `=>` at its line and `->` at those of the frame's other calls; `*row` is the row
 * of that line. Where there is none the listing says what was tried and `*row` is 0.
 */
struct listing
source_listing(const struct source_options *options, const struct walk *walk, size_t frame,
	       size_t call, struct arena *arena, size_t *row);

/** The path of the file that a listing shows; NULL: it says why there is none. */
const char *
source_path(const struct listing *source);

/** The line that a listing marks; 0: none. */
uint32_t
source_line_number(const struct listing *source);

#endif
