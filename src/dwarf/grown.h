/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_GROWN_H
#define DWARF_GROWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Arrays that grow to millions of items and are used again: an arena would keep every smaller one.
 * A structure with `items`, `count` and `capacity` is one; its items are freed with free().
 */

/** Room for `more` items behind `count`; the array, old or new, or NULL when out of memory. */
void *
grown_room(void *items, size_t count, size_t more, size_t *capacity, size_t size);

/** One item more, not set, and counted; NULL when out of memory. */
#define GROWN_PUSH(array) \
	(grown_has_room(&(array).items, (array).count, &(array).capacity, sizeof(*(array).items)) \
		 ? &(array).items[(array).count++] : NULL)

/** What GROWN_PUSH calls: `items` is the address of the pointer to the first item. */
bool
grown_has_room(void *items, size_t count, size_t *capacity, size_t size);

/** Numbers by numbers that are not 0. All zero is an empty map. */
struct number_map {
	struct number_pair {
		uint64_t key;		/* 0: free */
		uint32_t value;
	} *items;
	size_t size, count;		/* the size is a power of two, or 0 */
};

/** The value of a key; false where it has none. */
bool
number_map_find(const struct number_map *map, uint64_t key, uint32_t *value);

/** Set the value of a key that has none; false when out of memory. */
bool
number_map_put(struct number_map *map, uint64_t key, uint32_t value);

/** Forget all; a map that has become large gives its memory back. */
void
number_map_clear(struct number_map *map);

void
number_map_free(struct number_map *map);

#endif
