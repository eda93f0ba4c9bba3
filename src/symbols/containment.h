/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_CONTAINMENT_H
#define SYMBOLS_CONTAINMENT_H

#include "symbols/span.h"

/**
 * Selection of the ranges that Breakpad's maps would store if offered one after the other.
 *
 * Breakpad's range map refuses a range that overlaps a stored one. Its containment tree refuses a
 * range that is equal to a stored one or overlaps it in part, but lets ranges nest in either order
 * (range_map-inl.h, contained_range_map-inl.h). Neither the decision on a range nor the finished
 * tree depends on the order in which earlier ranges were stored. So no tree is built here: sorted
 * ranges and two sets of maxima find a conflict in O(log n) for every order of the file.
 */
enum containment_rule {
	CONTAINMENT_EXCLUSIVE,		/* functions, lines, STACK CFI INIT */
	CONTAINMENT_NESTED,		/* STACK WIN */
	CONTAINMENT_NESTED_EQUAL,	/* inlined calls: of equal ranges the later is the child */
	/*
	 * As in rust-minidump, which ignores the order of the file: of overlapping ranges the first
	 * to begin is stored; if several begin there, the shortest.
	 */
	CONTAINMENT_BY_START,
};

/** Called for each refused range with its index and that of a stored range in conflict. */
typedef void containment_refusal(void *context, uint32_t refused, uint32_t stored);

/**
 * Keep those of `*count` spans that the map stores if they are offered in ascending order
 * of index; the result is sorted by span_before. `refuse` may be NULL. False when out of memory.
 */
bool
containment_select(struct span *spans, size_t *count, enum containment_rule rule,
		   containment_refusal *refuse, void *context);

/** From `start` to the start of the next segment, the innermost range is that of `index`. */
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
