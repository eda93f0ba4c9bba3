/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_BINARY_SURVEY_H
#define DEBUG_INFO_BINARY_SURVEY_H

#include "debug_info/debug_info.h"
#include "frame_table/frame_tables.h"
#include "locate/locate.h"

/** The contents of one module's files: unwind rules, names, lines. Immutable. */
struct binary_survey {
	const struct binary *image;	/* NULL: none */
	const struct binary *debug;	/* NULL: none, or the same file as the image */
	const struct binary *supplement;	/* NULL: none */
	/* ID in the debug file's .gnu_debugaltlink, even if no such file was found; "": none */
	char supplement_id[2 * 64 + 1];
	const char *tables[FRAME_TABLES];
	size_t table_count;
	const char *sframe;		/* place of the SFrame section; NULL: none */
	struct debug_info_source names[DEBUG_INFO_SOURCES];
	size_t name_count;
	struct locate_near_list near;	/* similar files, if a file is missing */
};

/**
 * Find and open all files of loaded module `module` and survey them, which may take a while. Any
 * thread may call it. Does nothing if `binaries` is NULL or no files are searched
 * (binaries_configured).
 */
void
binaries_survey(struct binaries *binaries, size_t module);

/** The survey if it exists already, or NULL. */
const struct binary_survey *
binaries_surveyed(const struct binaries *binaries, size_t module);

#endif
