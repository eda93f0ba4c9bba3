/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_SYMBOL_AT_H
#define WALK_SYMBOL_AT_H

#include "base/policy.h"
#include "locate/binaries.h"
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

/** symfile_function, remembered; `cache` may be NULL. */
bool
symbol_cache_function(struct symbol_cache *cache, const struct symfile *symfile,
		      const struct symbols_policy *policy, uint64_t address,
		      struct function *function);

/** How many inlined calls a symbol file has at an address; needs no memory of the caller. */
size_t
symbol_cache_inlined(struct symbol_cache *cache, const struct symfile *symfile,
		     const struct symbols_policy *policy, uint64_t address);

/**
 * What is at an address of a module: its symbol file says so, else the DWARF or the symbol table
 * of the module's own file. What a symbol file does not have for a function, lines or inlined
 * calls, is that of DWARF. Everything that shows a function, a line or an inlined call asks here.
 */
struct symbol_sources {
	const struct symfile *symfile;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	size_t module;			/* a loaded one of the crash */
	uint64_t base;			/* of the module */
	const struct policy *policy;
	struct symbol_cache *cache;	/* where answers are remembered; NULL: nowhere */
	struct user_names *names;	/* learns those in paths of sources; NULL: none is needed */
};

/**
 * What is known of an address. Lists live in `arena`; without one (NULL) only the function is
 * looked for, which is quicker. Returns symbol->found.
 */
bool
symbol_at(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct symbol *symbol);

/** The whole function there, of the same sources; false where its lines are unknown. */
bool
symbol_at_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	       struct function_body *body);

/**
 * The place of `length` bytes at `offset`, as functions, lines and calls have them: in
 * `own_file`, or in the symbol file where that is NULL.
 */
struct place
symbol_at_place(const struct symfile *symfile, const struct input *own_file, uint64_t offset,
		uint32_t length);

#endif
