/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/grown.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 64u
/* Maximum number of slots that number_map_clear keeps. */
#define MOST_KEPT ((size_t)1 << 16)

void *
grown_room(void *items, size_t count, size_t more, size_t *capacity, size_t size)
{
	size_t wanted = *capacity == 0 ? FIRST_ITEMS : *capacity;

	if (items != NULL && more <= *capacity - count)
		return items;
	while (wanted - count < more) {
		if (wanted > SIZE_MAX / 2 / size)
			return NULL;
		wanted *= 2;
	}
	void *moved = realloc(items, wanted * size);
	if (moved != NULL)
		*capacity = wanted;
	return moved;
}

bool
grown_has_room(void *items, size_t count, size_t *capacity, size_t size)
{
	void *old;

	if (count < *capacity)
		return true;
	memcpy(&old, items, sizeof(old));
	void *moved = grown_room(old, count, 1, capacity, size);
	if (moved != NULL)
		memcpy(items, &moved, sizeof(moved));
	return moved != NULL;
}

bool
grown_add(void *items, size_t *count, size_t *capacity, size_t size, const void *value)
{
	char *first;

	if (!grown_has_room(items, *count, capacity, size))
		return false;
	memcpy(&first, items, sizeof(first));
	memcpy(first + (*count)++ * size, value, size);
	return true;
}

/* The slot of a key, or the free slot for it. */
static struct number_pair *
slot_of(const struct number_map *map, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->size - 1);

	while (map->items[at].key != 0 && map->items[at].key != key)
		at = (at + 1) & (map->size - 1);
	return &map->items[at];
}

bool
number_map_find(const struct number_map *map, uint64_t key, uint32_t *value)
{
	const struct number_pair *pair = map->size > 0 && key != 0 ? slot_of(map, key) : NULL;

	if (pair == NULL || pair->key == 0)
		return false;
	*value = pair->value;
	return true;
}

bool
number_map_put(struct number_map *map, uint64_t key, uint32_t value)
{
	if (key == 0)
		return true;
	if (2 * (map->count + 1) > map->size) {
		struct number_map larger = { .size = map->size == 0 ? 256 : 2 * map->size,
					     .count = map->count };

		larger.items = calloc(larger.size, sizeof(*larger.items));
		if (larger.items == NULL)
			return false;
		for (size_t i = 0; i < map->size; i++)
			if (map->items[i].key != 0)
				*slot_of(&larger, map->items[i].key) = map->items[i];
		free(map->items);
		*map = larger;
	}
	*slot_of(map, key) = (struct number_pair){ key, value };
	map->count++;
	return true;
}

void
number_map_clear(struct number_map *map)
{
	if (map->size > MOST_KEPT)
		number_map_free(map);
	else if (map->count > 0)
		memset(map->items, 0, map->size * sizeof(*map->items));
	map->count = 0;
}

void
number_map_free(struct number_map *map)
{
	free(map->items);
	*map = (struct number_map){ 0 };
}
