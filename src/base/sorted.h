/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Searches in an array of structures that is sorted by one of their members, a uint64_t, and what
 * sorts compare with.
 */

struct sorted {
	const uint64_t *key;	/* the first item's; NULL: there are none */
	size_t count;
	size_t stride;		/* bytes from item to item */
};

/** An array for the searches below. */
#define SORTED(items, count, member) \
	((struct sorted){ (items) != NULL ? &(items)->member : NULL, (count), sizeof(*(items)) })

/** How many items are at or below a value: the index of the first one above it. */
static inline size_t
sorted_upto(struct sorted in, uint64_t value)
{
	size_t low = 0, high = in.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		uint64_t key;

		memcpy(&key, (const char *)in.key + middle * in.stride, sizeof(key));
		if (key <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** How many items are below a value: the index of the first one that is not. */
static inline size_t
sorted_below(struct sorted in, uint64_t value)
{
	return value == 0 ? 0 : sorted_upto(in, value - 1);
}

/**
 * Define a comparison for qsort and bsearch, ascending: of numbers, of structures by a member, or
 * by a second one where the first is equal.
 */
#define SORTED_VALUES(name, type) \
	static int name(const void *left, const void *right) \
	{ \
		const type *a = left, *b = right; \
\
		return *a < *b ? -1 : *a > *b; \
	}

#define SORTED_BY(name, type, member) \
	static int name(const void *left, const void *right) \
	{ \
		const type *a = left, *b = right; \
\
		return a->member < b->member ? -1 : a->member > b->member; \
	}

#define SORTED_BY_TWO(name, type, first, second) \
	static int name(const void *left, const void *right) \
	{ \
		const type *a = left, *b = right; \
\
		if (a->first != b->first) \
			return a->first < b->first ? -1 : 1; \
		return a->second < b->second ? -1 : a->second > b->second; \
	}

#endif
