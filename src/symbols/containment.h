/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_CONTAINMENT_H
#define SYMBOLS_CONTAINMENT_H

#include "symbols/span.h"

/**
 * Selection of the ranges that Breakpad's maps would store if offered one after the other.
 *
 * Its range map refuses a range that overlaps a stored one; its containment tree
 * refuses one that is equal to a stored one or overlaps it in part, but lets it nest
 * in stored ranges and swallow them (range_map-inl.h, contained_range_map-inl.h).
 * Whether a range is stored depends only on the set of ranges stored before it, and so
 * does the finished tree. No tree is built here: sorted ranges and two sets of maxima
 * answer the same question in O(log n) for every order of the file.
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

/** The first start of a segment above `address`; false: no segment is above it. */
bool
segments_above(const struct segments *segments, uint64_t address, uint64_t *start);

#endif
