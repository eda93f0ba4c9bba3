/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Maps pairs of numbers to values.
 *
 * Open addressing. The caller owns the values. A zeroed table is empty.
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

/** Mixes a pair of keys into 32 bits. */
static inline size_t
hash_pair(uint64_t key, uint64_t second)
{
	return (size_t)((key ^ second << 16 ^ second >> 48) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/** The value of a pair of keys, or NULL. */
const void *
hash_find(const struct hash *hash, uint64_t key, uint64_t second);

/** Set the value of a pair of keys to a value that is not NULL; false when out of memory. */
bool
hash_put(struct hash *hash, uint64_t key, uint64_t second, const void *value);

/**
 * FNV-1a of further bytes; begin with HASH_START. 64 bits distinguish texts that were not made to
 * collide.
 */
#define HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length);

/**
 * Like hash_bytes, but eight bytes at a time: names may have 10,000 bytes, and a walk looks them up
 * again and again. The result depends on the byte order. Also detects damage to files that this
 * program wrote itself.
 */
uint64_t
hash_words(uint64_t hash, const void *bytes, size_t length);

#endif
