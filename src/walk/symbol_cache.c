/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of remembered answers: some 20,000 addresses with a handful of inlined calls each. */
#define MOST_BYTES ((size_t)16 << 20)

struct symbol_entry {
	const void *source;		/* symbol file or other; NULL: the entry is free */
	uint64_t address;
	const struct symbol *symbol;
};

struct symbol_cache {
	struct arena arena, scratch;
	struct symbol_entry *entries;		/* open addressing; the size is a power of two */
	size_t size, count;
};

struct symbol_cache *
symbol_cache_create(void)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	arena_init(&cache->arena, MOST_BYTES);
	arena_init(&cache->scratch, 0);
	cache->size = 64;
	cache->entries = calloc(cache->size, sizeof(*cache->entries));
	if (cache->entries == NULL) {
		free(cache);
		return NULL;
	}
	return cache;
}

void
symbol_cache_free(struct symbol_cache *cache)
{
	if (cache == NULL)
		return;
	arena_free(&cache->arena);
	arena_free(&cache->scratch);
	free(cache->entries);
	free(cache);
}

static struct symbol_entry *
find(struct symbol_entry *entries, size_t size, const void *source, uint64_t address)
{
	const uint64_t key = address ^ (uint64_t)(uintptr_t)source << 16;
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);

	while (entries[at].source != NULL &&
	       (entries[at].address != address || entries[at].source != source))
		at = (at + 1) & (size - 1);
	return &entries[at];
}

static bool
grow(struct symbol_cache *cache)
{
	size_t size = cache->size * 2;
	struct symbol_entry *entries = calloc(size, sizeof(*entries));

	if (entries == NULL)
		return false;
	for (size_t i = 0; i < cache->size; i++) {
		const struct symbol_entry *old = &cache->entries[i];

		if (old->source != NULL)
			*find(entries, size, old->source, old->address) = *old;
	}
	free(cache->entries);
	cache->entries = entries;
	cache->size = size;
	return true;
}

/* A copy of `symbol` with its lists in `arena`; false where there is no room for them. */
static bool
copy_symbol(struct arena *arena, const struct symbol *symbol, struct symbol *copy)
{
	*copy = *symbol;
	if (symbol->inline_count > 0) {
		copy->inlines = arena_array(arena, symbol->inline_count, sizeof(*copy->inlines));
		if (copy->inlines == NULL)
			return false;
		memcpy(copy->inlines, symbol->inlines,
		       symbol->inline_count * sizeof(*copy->inlines));
	}
	if (symbol->shadowed_count > 0) {
		copy->shadowed =
			arena_array(arena, symbol->shadowed_count, sizeof(*copy->shadowed));
		if (copy->shadowed == NULL)
			return false;
		memcpy(copy->shadowed, symbol->shadowed,
		       symbol->shadowed_count * sizeof(*copy->shadowed));
	}
	return true;
}

void
symbol_cache_keep(struct symbol_cache *cache, const void *source, uint64_t address,
		  const struct symbol *symbol)
{
	struct symbol *kept =
		cache == NULL ? NULL : arena_alloc(&cache->arena, sizeof(*kept));

	if (kept == NULL || !copy_symbol(&cache->arena, symbol, kept) ||
	    (cache->count >= cache->size / 2 && !grow(cache)))
		return;
	*find(cache->entries, cache->size, source, address) =
		(struct symbol_entry){ .source = source, .address = address, .symbol = kept };
	cache->count++;
}

bool
symbol_cache_find(const struct symbol_cache *cache, const void *source, uint64_t address,
		  struct arena *arena, struct symbol *symbol)
{
	const struct symbol_entry *entry =
		cache == NULL ? NULL : find(cache->entries, cache->size, source, address);

	return entry != NULL && entry->source != NULL &&
	       copy_symbol(arena, entry->symbol, symbol);
}

bool
symbol_cache_lookup(struct symbol_cache *cache, const struct symfile *symfile,
		    const struct symbols_policy *policy, uint64_t address, struct arena *arena,
		    struct symbol *symbol)
{
	if (symbol_cache_find(cache, symfile, address, arena, symbol))
		return symbol->found;
	symfile_lookup(symfile, policy, address, arena, NULL, symbol);
	symbol_cache_keep(cache, symfile, address, symbol);
	return symbol->found;
}

size_t
symbol_cache_inlined(struct symbol_cache *cache, const struct symfile *symfile,
		     const struct symbols_policy *policy, uint64_t address)
{
	struct symbol symbol;

	symbol_cache_lookup(cache, symfile, policy, address, &cache->scratch, &symbol);
	arena_reset(&cache->scratch);
	return symbol.inline_count;
}
