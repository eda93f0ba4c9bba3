/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_SPAN_H
#define SYMBOLS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Ranges of addresses, their order, and a tree of maxima for queries about overlaps. Ends are
 * inclusive, so that a range may reach the last address.
 */
struct span {
	uint64_t first, last;
	uint32_t index;		/* for the caller: position in the order of the file */
};

#define SPAN_NONE UINT32_MAX

/** The span of `size` bytes at `address`. False if it is empty or wraps. */
bool
span_of(uint64_t address, uint64_t size, uint32_t index, struct span *span);

/** Whether `a` sorts before `b`: lower start, then higher end, then lower index. */
bool
span_before(const struct span *a, const struct span *b);

/**
 * Sort by span_before(), which puts every range after the ranges that contain it. Sorted input
 * takes one pass.
 */
void
span_sort(struct span *spans, size_t count);

/**
 * A set of positions with keys, empty at first. Finds the greatest key between two positions in
 * logarithmic time.
 */
struct peaks {
	const uint64_t *keys;	/* borrowed; one for each position */
	uint32_t *nodes;
	size_t leaves;
};

/** A set for `count` positions; false when out of memory. */
bool
peaks_create(struct peaks *peaks, const uint64_t *keys, size_t count);

void
peaks_free(struct peaks *peaks);

void
peaks_add(struct peaks *peaks, uint32_t position);

/** The position in [low, high) with the greatest key, or SPAN_NONE for an empty set. */
uint32_t
peaks_between(const struct peaks *peaks, size_t low, size_t high);

#endif
