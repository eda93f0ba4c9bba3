/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FILL_PATTERN_H
#define INSPECT_FILL_PATTERN_H

#include "crash/crash.h"

/** A value that allocators or programs write on purpose, for example into freed memory. */
struct fill_pattern {
	uint64_t value;
	bool wide;			/* the pattern has 64 bits and does not repeat */
	bool freed;
	const char *meaning;		/* "memory freed by jemalloc" */
	enum {
		MAKER_ANY,		/* any program may write it */
		MAKER_WINDOWS,
		MAKER_APPLE,
		MAKER_MOZILLA,
		MAKER_JEMALLOC,
	} maker;
};

/** The nearest fill pattern at or a little below a value; NULL: none. */
const struct fill_pattern *
fill_pattern_of(const struct arch *arch, uint64_t value);

/** Whether the process's system or modules include the maker of a pattern. */
bool
fill_pattern_has_maker(const struct crash *crash, const struct fill_pattern *pattern);

/**
 * The meaning of the fill pattern of a value: "memory freed by jemalloc". NULL: not a pattern, or
 * the process does not contain the pattern's maker (not checked if `crash` is NULL).
 */
const char *
fill_pattern_meaning(const struct crash *crash, const struct arch *arch, uint64_t value);

#endif
