/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CODE_SOURCE_H
#define REPORT_CODE_SOURCE_H

#include "document/listing.h"
#include "locate/source_file.h"
#include "walk/location.h"

/**
 * Source text is shown without syntax colours: no small C library can highlight a file from its
 * middle while it is scrolled.
 */

/**
 * The source of call `call` of frame `frame` (the innermost call if there is no such call). `=>`
 * marks its line, which is current; `->` marks lines of the frame's other calls. If no source is
 * found, the listing has the paths that were tried.
 */
struct listing
source_listing(const struct source_options *options, const struct walk *walk, size_t frame,
	       size_t call, struct arena *arena);

/**
 * The URL of a source file in the PDB of the location's module, in `arena`; NULL: none. The URL is
 * not requested.
 */
const char *
source_url(const struct walk *walk, const struct location *location, struct text file,
	   struct arena *arena);

/** The place of a listing of source: its file and the marked line. */
struct source_shown {
	const char *path;	/* NULL: the listing says why it has no file */
	uint32_t line;		/* number of the marked line; 0: none */
	struct text missing;	/* path in the symbols, if the file was not found */
	/* Module whose servers may have the file and were not asked; or NULL */
	const struct module *pending;
};

struct source_shown
source_shown(const struct listing *source);

#endif
