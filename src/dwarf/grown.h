/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_GROWN_H
#define DWARF_GROWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Reusable arrays of up to millions of items. An arena would keep every smaller copy of such an
 * array. An array is a structure with `items`, `count` and `capacity`. free() frees the items.
 */

/** Make room for `more` items after `count`. Returns the array, or NULL when out of memory. */
void *
grown_room(void *items, size_t count, size_t more, size_t *capacity, size_t size);

/** Append an item and return it uninitialised; NULL when out of memory. */
#define GROWN_PUSH(array) \
	(grown_has_room(&(array).items, (array).count, &(array).capacity, sizeof(*(array).items)) \
		 ? &(array).items[(array).count++] : NULL)

/** Append a copy of a value, given by its address; false when out of memory. */
#define GROWN_ADD(array, ...) \
	grown_add(&(array).items, &(array).count, &(array).capacity, sizeof(*(array).items), \
		  true ? (__VA_ARGS__) : (array).items)

/** Called by GROWN_ADD, which checks the type of the value. */
bool
grown_add(void *items, size_t *count, size_t *capacity, size_t size, const void *value);

/** Make room for one more item. `items` is the address of the array's `items` member. */
bool
grown_has_room(void *items, size_t count, size_t *capacity, size_t size);

/** A map from nonzero numbers to numbers. A zeroed map is empty. */
struct number_map {
	struct number_pair {
		uint64_t key;		/* 0: free */
		uint32_t value;
	} *items;
	size_t size, count;		/* `size` is a power of two, or 0 */
};

/** The value of a key. False if it has none. */
bool
number_map_find(const struct number_map *map, uint64_t key, uint32_t *value);

/** Set the value of a new key. False when out of memory. */
bool
number_map_put(struct number_map *map, uint64_t key, uint32_t value);

/** Remove all keys; a large map also frees its memory. */
void
number_map_clear(struct number_map *map);

void
number_map_free(struct number_map *map);

#endif
