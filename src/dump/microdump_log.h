/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_MICRODUMP_LOG_H
#define DUMP_MICRODUMP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Microdumps in a log, and the lines that belong to each.
 *
 * A line of a microdump has the tag "google-breakpad", then ": ", then the record; other lines of
 * the log may lie between. If the log has the number of the process (logcat's formats "brief",
 * "time" and "threadtime"), dumps of several processes may be mixed. A writer outside Android logs
 * without a tag: then records begin in the column of the first line. Source: google/breakpad
 * src/processor/microdump.cc.
 */
struct microdump_extent {
	uint64_t start, end;		/* offsets of its first byte and past its last one */
	uint32_t line;			/* number of the first line */
	bool whole;			/* the last line is present */
	bool tagged;
	size_t column;			/* bytes before the record, without a tag */
	struct text process;		/* digits; empty: not in the log */
};

/** Lines of a text: start at `next` and read on to `size`. */
struct microdump_lines {
	const uint8_t *data;
	uint64_t size;
	uint64_t next;
};

/** The next line without its end, and its offset; false after the last line. */
bool
microdump_next_line(struct microdump_lines *lines, struct text *line, uint64_t *offset);

/** The record of a line; false if the line does not belong to the dump. */
bool
microdump_body(const struct microdump_extent *extent, struct text line, struct text *body);

/**
 * The number of microdumps in a text. `*index`, from 1 on, selects one for `*chosen`; 0: the first
 * complete one, else the first, and `*index` becomes its number. Reads each byte a bounded number
 * of times.
 */
size_t
microdump_find(const uint8_t *bytes, uint64_t size, size_t *index,
	       struct microdump_extent *chosen);

#endif
