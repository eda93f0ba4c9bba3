/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/compiler.h"

/**
 * Memory that is freed together.
 *
 * One arena belongs to one loaded thing: a crash, a symbol file, a walk, a
 * trace. What lives in it is borrowed freely for as long as that thing lives.
 * A zeroed arena is an empty one without a limit.
 */
struct arena_block;

struct arena {
	struct arena_block *blocks;	/* newest first */
	size_t used;			/* bytes handed out */
	size_t limit;			/* bytes that may be handed out; 0: no limit */
};

/** Make `arena` empty; `limit` caps the bytes that it hands out (0: none). */
void
arena_init(struct arena *arena, size_t limit);

/** Free all memory of `arena` and make it empty. */
void
arena_free(struct arena *arena);

/** Take back all that `arena` handed out but keep a block for what comes next. */
void
arena_reset(struct arena *arena);

/** `size` zeroed bytes aligned for any type, or NULL where memory or the limit ends. */
void *
arena_alloc(struct arena *arena, size_t size);

/** Zeroed memory for `count` elements of `size` bytes, or NULL, also where the product wraps. */
void *
arena_array(struct arena *arena, size_t count, size_t size);

/** A terminated copy of `length` bytes, or NULL. */
char *
arena_copy(struct arena *arena, const char *text, size_t length);

/** A formatted string, or NULL. */
char *
arena_format(struct arena *arena, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/**
 * A growing array in an arena: where `count` has reached `*capacity`, move the
 * elements to a place twice as large. Returns the array, old or new, or NULL
 * (the old one is still good then).
 */
void *
arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size);

/**
 * One element more of a growing array, zeroed, and counted; NULL when out of memory. Every room
 * grows its arrays by this: `struct x *x = ARENA_PUSH(arena, l->items, l->count, l->capacity);`
 */
#define ARENA_PUSH(arena, items, count, capacity) \
	arena_push((arena), &(items), &(count), &(capacity), sizeof(*(items)))

/** What ARENA_PUSH calls: `items` is the address of the pointer to the first element. */
void *
arena_push(struct arena *arena, void *items, size_t *count, size_t *capacity, size_t size);

#endif
