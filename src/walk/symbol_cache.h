/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_SYMBOL_CACHE_H
#define WALK_SYMBOL_CACHE_H

#include "base/arena.h"
#include "symbols/symbols.h"

/**
 * What symbol files said of the addresses that a walk was asked about.
 *
 * A look-up reads the text of the whole function; a deep stack is a recursion, which asks for few
 * addresses again and again. A memo, nothing more: an answer is the same whether it was there or
 * is made now. It remembers nothing new where it has grown too large.
 */
struct symbol_cache;

/** An empty cache, or NULL when out of memory. */
struct symbol_cache *
symbol_cache_create(void);

void
symbol_cache_free(struct symbol_cache *cache);

/**
 * As symfile_lookup without messages; `cache` may be NULL. The policy is the same at every call.
 * Lists live in `arena`.
 */
bool
symbol_cache_lookup(struct symbol_cache *cache, const struct symfile *symfile,
		    const struct symbols_policy *policy, uint64_t address, struct arena *arena,
		    struct symbol *symbol);

/**
 * What was kept of `address` for another `source` than a symbol file; false where nothing was.
 * `cache` may be NULL. Lists live in `arena`.
 */
bool
symbol_cache_find(const struct symbol_cache *cache, const void *source, uint64_t address,
		  struct arena *arena, struct symbol *symbol);

/** Keep what `source` said of `address`, for which nothing was found. `cache` may be NULL. */
void
symbol_cache_keep(struct symbol_cache *cache, const void *source, uint64_t address,
		  const struct symbol *symbol);

/** How many inlined calls it finds; needs no memory of the caller. `cache` is not NULL. */
size_t
symbol_cache_inlined(struct symbol_cache *cache, const struct symfile *symfile,
		     const struct symbols_policy *policy, uint64_t address);

#endif
