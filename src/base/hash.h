/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Values by a pair of numbers.
 *
 * Open addressing. What stands behind a value is the caller's. All zero is an empty one.
 */
struct hash_entry {
	uint64_t key, second;
	const void *value;	/* NULL: the entry is free */
};

struct hash {
	struct hash_entry *entries;
	size_t size, count;	/* the size is a power of two, or 0 */
};

void
hash_free(struct hash *hash);

/** A number of 32 bits for a pair of keys. */
static inline size_t
hash_pair(uint64_t key, uint64_t second)
{
	return (size_t)((key ^ second << 16 ^ second >> 48) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/** The value of a pair of keys, or NULL. */
const void *
hash_find(const struct hash *hash, uint64_t key, uint64_t second);

/** Put a value that is not NULL in the place of an older one; false when out of memory. */
bool
hash_put(struct hash *hash, uint64_t key, uint64_t second, const void *value);

/**
 * FNV-1a of more bytes, from HASH_START on: 64 bits tell texts apart that were not made to
 * collide.
 */
#define HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length);

/**
 * A hash of a text for tables in memory, eight bytes at a time: names may have some 10,000, and a
 * walk asks for them again and again. It differs between machines and is never stored; otherwise as
 * hash_bytes.
 */
uint64_t
hash_words(uint64_t hash, const char *text, size_t length);

/** Forget all values but keep the memory. */
void
hash_clear(struct hash *hash);

#endif
