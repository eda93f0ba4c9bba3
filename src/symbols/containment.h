/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_CONTAINMENT_H
#define SYMBOLS_CONTAINMENT_H

#include "symbols/span.h"

/**
 * Selects the ranges that Breakpad's maps would store if all ranges were offered one by one.
 *
 * Breakpad's range map refuses a range that overlaps a stored one. Its containment tree refuses a
 * range that is equal to a stored one or overlaps it in part. Ranges may nest in either order
 * (range_map-inl.h, contained_range_map-inl.h). Neither the decision on a range nor the finished
 * tree depends on the order in which earlier ranges were stored. So no tree is built here: sorted
 * ranges and two sets of maxima find a conflict in O(log n) for any order in the file.
 */
enum containment_rule {
	CONTAINMENT_EXCLUSIVE,		/* functions, lines, STACK CFI INIT */
	CONTAINMENT_NESTED,		/* STACK WIN */
	CONTAINMENT_NESTED_EQUAL,	/* inlined calls; the later of equal ranges is the child */
	/*
	 * Store the overlapping range with the lowest start; if several share it, the shortest. The
	 * order in the file is ignored, as in rust-minidump.
	 */
	CONTAINMENT_BY_START,
};

/** Called with the index of a refused range, and of a stored range that conflicts with it. */
typedef void containment_refusal(void *context, uint32_t refused, uint32_t stored);

/**
 * Keep the spans that the map stores if all are offered in ascending order of index, and update
 * `*count`. Sorts the result by span_before. `refuse` may be NULL. False when out of memory.
 */
bool
containment_select(struct span *spans, size_t *count, enum containment_rule rule,
		   containment_refusal *refuse, void *context);

/** Addresses from `start` to the next segment; `index` is their innermost range. */
struct segment {
	uint64_t start;
	uint32_t index;		/* SPAN_NONE: no range */
};

struct segments {
	struct segment *list;
	size_t count;
};

/** Flatten the nested spans that containment_select has kept; false when out of memory. */
bool
segments_build(struct segments *segments, const struct span *spans, size_t count);

void
segments_free(struct segments *segments);

/** The index of the innermost range around `address`, or SPAN_NONE. */
uint32_t
segments_find(const struct segments *segments, uint64_t address);

/** The lowest start of a segment above `address`; false if no segment starts above it. */
bool
segments_above(const struct segments *segments, uint64_t address, uint64_t *start);

#endif
