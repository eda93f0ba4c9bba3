/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * Binary searches in an array of structures that is sorted by a uint64_t member, and macros that
 * sort arrays and define comparison functions.
 */

/**
 * Set `at` (a size_t) to the number of leading items for which `before` is true. `before` is a
 * condition on item `at`. It must be true for the first items and false for all others.
 */
#define BISECT(at, count, before) \
	do { \
		size_t low_ = 0, high_ = (count); \
\
		while (low_ < high_) { \
			(at) = low_ + (high_ - low_) / 2; \
			if (before) \
				low_ = (at) + 1; \
			else \
				high_ = (at); \
		} \
		(at) = low_; \
	} while (0)

/** Like BISECT(), but sets `at` to the index of the last item for which `upto` is true, or to 0. */
#define BISECT_LAST(at, count, upto) \
	do { \
		BISECT(at, count, (at) == 0 || (upto)); \
		(at) -= (at) > 0; \
	} while (0)

struct sorted {
	const uint64_t *key;	/* key of the first item; NULL: no items */
	size_t count;
	size_t stride;		/* in bytes */
};

/** A sorted array, as the argument of the searches below. */
#define SORTED(items, count, member) \
	((struct sorted){ (items) != NULL ? &(items)->member : NULL, (count), sizeof(*(items)) })

/** The number of items at or below a value. This is also the index of the first item above it. */
static inline size_t
sorted_upto(struct sorted in, uint64_t value)
{
	uint64_t key;
	size_t at;

	BISECT(at, in.count,
	       (memcpy(&key, (const char *)in.key + at * in.stride, sizeof(key)), key <= value));
	return at;
}

/** The number of items below a value. This is also the index of the first item not below it. */
static inline size_t
sorted_below(struct sorted in, uint64_t value)
{
	return value == 0 ? 0 : sorted_upto(in, value - 1);
}

/** Sort an array, which may be NULL if it has no items. */
#define SORT(items, count, compare) sorted_sort((items), (count), sizeof(*(items)), (compare))

static inline void
sorted_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, compare);
}

/**
 * Define an ascending comparison for SORT and bsearch: of numbers, or of structures by a member.
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

/** For several members: SORTED_BY_ALL(compare, struct thing, SORTED_UP(base) SORTED_DOWN(size)). */
#define SORTED_BY_ALL(name, type, members) \
	static int name(const void *left, const void *right) \
	{ \
		const type *a = left, *b = right; \
\
		members \
		return 0; \
	}

/** SORTED_BY_ALL() for an array of pointers. */
#define SORTED_POINTERS(name, type, members) \
	static int name(const void *left, const void *right) \
	{ \
		const type *a = *(const type *const *)left, *b = *(const type *const *)right; \
\
		members \
		return 0; \
	}

#define SORTED_UP(member) \
	if (a->member != b->member) \
		return a->member < b->member ? -1 : 1;
#define SORTED_DOWN(member) \
	if (a->member != b->member) \
		return a->member > b->member ? -1 : 1;

#endif
