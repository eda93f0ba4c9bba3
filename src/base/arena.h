/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/**
 * Memory that is freed together.
 *
 * One arena belongs to one loaded thing: a crash, a symbol file, a walk, a trace. Its contents can
 * be borrowed for as long as that thing lives. A zeroed arena is an empty one without a limit.
 */
struct arena_block;

struct arena {
	struct arena_block *blocks;	/* newest first */
	size_t used;			/* in bytes */
	size_t limit;			/* in bytes; 0: none */
};

/** Make `arena` empty; `limit` caps its bytes in use (0: none). */
void
arena_init(struct arena *arena, size_t limit);

/** Free all memory of `arena` and make it empty. */
void
arena_free(struct arena *arena);

/** Free all contents of `arena`, but keep a block for later ones. */
void
arena_reset(struct arena *arena);

/** `size` zeroed bytes aligned for any type, or NULL when out of memory or over the limit. */
void *
arena_alloc(struct arena *arena, size_t size);

/** Zeroed memory for `count` elements of `size` bytes, or NULL, also if the product wraps. */
void *
arena_array(struct arena *arena, size_t count, size_t size);

/** A terminated copy of `length` bytes, or NULL. */
char *
arena_copy(struct arena *arena, const char *text, size_t length);

/** A copy of a string, or NULL. */
char *
arena_string(struct arena *arena, const char *string);

/** A formatted string, or NULL. */
char *
arena_format(struct arena *arena, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/**
 * Grow an array in an arena: if `count` has reached `*capacity`, move the elements to a place twice
 * as large. Returns the array, old or new, or NULL (the old one stays valid).
 */
void *
arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size);

/**
 * Append a zeroed element to a growing array, and count it; NULL when out of memory. An
 * example: `struct x *x = ARENA_PUSH(arena, l->items, l->count, l->capacity);`
 */
#define ARENA_PUSH(arena, items, count, capacity) \
	arena_push((arena), &(items), &(count), &(capacity), sizeof(*(items)))

/** The function of ARENA_PUSH: `items` is the address of the pointer to the first element. */
void *
arena_push(struct arena *arena, void *items, size_t *count, size_t *capacity, size_t size);

/**
 * Append a copy of the value at an address to a growing array; false when out of memory. An
 * example: `ARENA_ADD(arena, l->items, l->count, l->capacity, &value)`.
 */
#define ARENA_ADD(arena, items, count, capacity, ...) \
	arena_add((arena), &(items), &(count), &(capacity), sizeof(*(items)), \
		  true ? (__VA_ARGS__) : (items))

/** The function of ARENA_ADD, whose macro checks the type of the value. */
bool
arena_add(struct arena *arena, void *items, size_t *count, size_t *capacity, size_t size,
	  const void *value);

#endif
