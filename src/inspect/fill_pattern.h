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

/** Whether the process contains the maker of a pattern, according to its system and modules. */
bool
fill_pattern_has_maker(const struct crash *crash, const struct fill_pattern *pattern);

/**
 * The meaning of a fill pattern, perhaps with a small offset: "memory freed by jemalloc". NULL: not
 * a pattern, or its maker is not in the process (which is only checked if `crash` is not NULL).
 */
const char *
fill_pattern_meaning(const struct crash *crash, const struct arch *arch, uint64_t value);

#endif
