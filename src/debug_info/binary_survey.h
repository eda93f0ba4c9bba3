/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_BINARY_SURVEY_H
#define DEBUG_INFO_BINARY_SURVEY_H

#include "debug_info/debug_info.h"
#include "frame_table/frame_tables.h"
#include "locate/locate.h"

/**
 * What the files of one module are good for: unwind rules, names, lines. Never changes.
 */
struct binary_survey {
	const struct binary *image;	/* NULL: none */
	const struct binary *debug;	/* where it is another file than the image; NULL */
	const struct binary *supplement;	/* NULL: none */
	/* The id in the debug file's .gnu_debugaltlink, whether it was found or not; "": nothing */
	char supplement_id[2 * 64 + 1];
	const char *tables[FRAME_TABLES];
	size_t table_count;
	const char *sframe;		/* where the SFrame section was found; NULL: none */
	struct debug_info_source names[DEBUG_INFO_SOURCES];
	size_t name_count;
	struct locate_near_miss near[BINARIES_NEAR];	/* where a file is missing */
	size_t near_count;
};

/**
 * Look for all files of loaded module `module`, open them and see what they have; this may take
 * its time. Any thread may ask. Nothing happens on NULL, or where nothing is to be looked for
 * (binaries_configured).
 */
void
binaries_survey(struct binaries *binaries, size_t module);

/** The survey if it was made already, else NULL. */
const struct binary_survey *
binaries_surveyed(const struct binaries *binaries, size_t module);

#endif
