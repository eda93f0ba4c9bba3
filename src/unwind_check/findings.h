/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_FINDINGS_H
#define UNWIND_CHECK_FINDINGS_H

#include "base/hash.h"
#include "unwind_check/check.h"

/**
 * Differences grouped by their common part: a pattern that a generator repeats is one finding
 * with many places.
 */
struct unwind_finding {
	size_t first, last;		/* indices of its first and last place */
	size_t count;			/* number of its differences */
	size_t functions;		/* number of runs of code with differences */
	uint64_t function;		/* start of the last function */
	uint64_t bytes;			/* bytes of code with differences */
};

struct unwind_findings {
	struct arena arena;
	struct hash patterns;
	struct unwind_place {
		struct unwind_difference difference;
		/* Index of the next place of the same finding; SIZE_MAX: none */
		size_t next;
	} *places;
	size_t place_count, place_capacity;
	struct unwind_finding *items;	/* sorted by their first difference */
	size_t count, capacity;
	size_t codes[UNWIND_CODES];	/* number of differences of each code */
	/** Returns the start of the function around an address, or the address if none is known. */
	uint64_t (*function)(void *context, uint64_t address);
	void *context;
	/* Some differences are only counted in `codes` (LIMIT_UNWIND_PLACES) */
	bool full;
};

/** A callback for `tell` of struct unwind_check; `context` is a struct unwind_findings. */
bool
unwind_findings_add(void *context, const struct unwind_difference *difference);

/** Number of differences that are certain defects. */
size_t
unwind_findings_certain(const struct unwind_findings *findings);

void
unwind_findings_free(struct unwind_findings *findings);

#endif
