/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_INDEX_GUARD_H
#define SYMBOLS_INDEX_GUARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The lists of an index file; each block is checked before its first use.
 *
 * A walk uses few blocks of a large index; checking all of them when it is opened would take time
 * in proportion to its size. A damaged block is made again from the symbol file before it is used.
 */
#define INDEX_BLOCK ((size_t)4096)

struct index_guard {
	uint8_t *bytes;			/* all lists */
	size_t size;
	const uint64_t *sums;		/* checksum() of each block and its number */
	_Atomic(uint8_t) *checked;	/* whether each block was checked */
	size_t blocks;
	pthread_mutex_t mutex;
	bool damaged;			/* some block was damaged */
	/* Called under the mutex for the first damaged block: repairs all blocks that are not
	 * checked yet. NULL: only `damaged` is set. */
	void (*mend)(void *context, struct index_guard *guard);
	void *context;
};

/** A guard of lists in other memory; NULL when out of memory. */
struct index_guard *
index_guard_create(uint8_t *bytes, size_t size, const uint64_t *sums);

void
index_guard_free(struct index_guard *guard);

/** Check a block, and make a damaged one again from the symbol file. */
void
index_guard_check(struct index_guard *guard, size_t block);

/** Call before an element of a list, in one block, is read; `guard` may be NULL. */
static inline void
index_guard_touch(struct index_guard *guard, const void *element)
{
	if (guard == NULL)
		return;
	const size_t block = (size_t)((const uint8_t *)element - guard->bytes) / INDEX_BLOCK;

	if (atomic_load_explicit(&guard->checked[block], memory_order_acquire) == 0)
		index_guard_check(guard, block);
}

/** index_guard_touch() for `size` bytes. */
void
index_guard_touch_all(struct index_guard *guard, const void *bytes, size_t size);

#endif
