/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Bytes of remembered answers: some 20,000 addresses with a handful of inlined calls each. */
#define MOST_BYTES ((size_t)16 << 20)

struct symbol_cache {
	struct arena arena, scratch;
	struct hash symbols;		/* struct symbol, by symbol file or other source and address */
};

struct symbol_cache *
symbol_cache_create(void)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	arena_init(&cache->arena, MOST_BYTES);
	arena_init(&cache->scratch, 0);
	return cache;
}

void
symbol_cache_free(struct symbol_cache *cache)
{
	if (cache == NULL)
		return;
	arena_free(&cache->arena);
	arena_free(&cache->scratch);
	hash_free(&cache->symbols);
	free(cache);
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

	/* Without room it is looked up again next time. */
	if (kept != NULL && copy_symbol(&cache->arena, symbol, kept))
		hash_put(&cache->symbols, address, (uint64_t)(uintptr_t)source, kept);
}

bool
symbol_cache_find(const struct symbol_cache *cache, const void *source, uint64_t address,
		  struct arena *arena, struct symbol *symbol)
{
	const struct symbol *kept =
		cache == NULL ? NULL
			      : hash_find(&cache->symbols, address, (uint64_t)(uintptr_t)source);

	return kept != NULL && copy_symbol(arena, kept, symbol);
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
