/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FILL_PATTERN_H
#define INSPECT_FILL_PATTERN_H

#include "crash/crash.h"

/**
 * A value written on purpose: into freed or fresh memory, or to attract attention.
 */
struct fill_pattern {
	uint64_t value;
	bool wide;			/* the pattern has 64 bits: it does not repeat */
	bool freed;			/* means freed memory */
	const char *meaning;		/* "memory freed by jemalloc" */
	enum {
		MAKER_ANY,		/* any program may write it */
		MAKER_WINDOWS,
		MAKER_APPLE,
		MAKER_MOZILLA,
		MAKER_JEMALLOC,
	} maker;
};

/** The nearest fill pattern of a value, perhaps with a small offset; NULL: none. */
const struct fill_pattern *
fill_pattern_of(const struct arch *arch, uint64_t value);

/** Whether the maker of a pattern is in the process, by its system and its modules. */
bool
fill_pattern_has_maker(const struct crash *crash, const struct fill_pattern *pattern);

/**
 * The meaning of a fill pattern, perhaps with a small offset: "memory freed by jemalloc", if its
 * maker is in the process (of any maker if `crash` is NULL); NULL: the value is not a pattern.
 */
const char *
fill_pattern_meaning(const struct crash *crash, const struct arch *arch, uint64_t value);

#endif
