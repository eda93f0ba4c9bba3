/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Small, because tens of thousands of walks have tables, and most tables are small. */
#define FIRST_ENTRIES 16u

void
hash_free(struct hash *hash)
{
	free(hash->entries);
	*hash = (struct hash){ 0 };
}

static struct hash_entry *
entry_of(const struct hash *hash, uint64_t key, uint64_t second)
{
	size_t at = hash_pair(key, second) & (hash->size - 1);

	while (hash->entries[at].value != NULL &&
	       (hash->entries[at].key != key || hash->entries[at].second != second))
		at = (at + 1) & (hash->size - 1);
	return &hash->entries[at];
}

const void *
hash_find(const struct hash *hash, uint64_t key, uint64_t second)
{
	return hash->size > 0 ? entry_of(hash, key, second)->value : NULL;
}

bool
hash_put(struct hash *hash, uint64_t key, uint64_t second, const void *value)
{
	if (hash->count >= hash->size / 2) {
		struct hash larger = { .size = hash->size == 0 ? FIRST_ENTRIES : hash->size * 2,
				       .count = hash->count };

		larger.entries = calloc(larger.size, sizeof(*larger.entries));
		if (larger.entries == NULL)
			return false;
		for (size_t i = 0; i < hash->size; i++) {
			const struct hash_entry *old = &hash->entries[i];

			if (old->value != NULL)
				*entry_of(&larger, old->key, old->second) = *old;
		}
		free(hash->entries);
		*hash = larger;
	}
	struct hash_entry *entry = entry_of(hash, key, second);
	hash->count += entry->value == NULL;
	*entry = (struct hash_entry){ key, second, value };
	return true;
}

uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* An invertible step, which keeps earlier input distinct: multiply by an odd number, then shift. */
static uint64_t
hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Texts of LONG or more bytes are hashed in independent chains, which a processor overlaps. */
#define LONG ((size_t)1 << 20)
#define CHAINS 4u

/*
 * Hashes all complete rows (one word for each chain). Moves `*at` to the end of the last row. A
 * chain has the sum of its words and the sum of these sums, as in Adler-32: several words are added
 * at once, and a changed or moved word changes a sum.
 */
static uint64_t
hash_chains(uint64_t hash, const char *text, size_t length, size_t *at)
{
	uint64_t sums[CHAINS] = { hash }, weighted[CHAINS] = { hash }, words[CHAINS];

	for (; *at + sizeof(words) <= length; *at += sizeof(words)) {
		memcpy(words, text + *at, sizeof(words));
		for (unsigned i = 0; i < CHAINS; i++) {
			sums[i] += words[i];
			weighted[i] += sums[i];
		}
	}
	for (unsigned i = 0; i < CHAINS; i++)
		hash = hash_word(hash_word(hash, sums[i]), weighted[i]);
	return hash;
}

uint64_t
hash_words(uint64_t hash, const void *bytes, size_t length)
{
	const char *text = bytes;
	const size_t size = sizeof(uint64_t);
	uint64_t word = 0;
	size_t at = 0;

	hash = hash_word(hash, length);
	if (length >= LONG)
		hash = hash_chains(hash, text, length, &at);
	for (; at + size <= length; at += size) {
		memcpy(&word, text + at, size);
		hash = hash_word(hash, word);
	}
	/* The last word may overlap the one before it. */
	if (length >= size)
		memcpy(&word, text + length - size, size);
	else if (length > 0)
		memcpy(&word, text, length);
	return hash_word(hash, word);
}
