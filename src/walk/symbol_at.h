/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_SYMBOL_AT_H
#define WALK_SYMBOL_AT_H

#include "base/policy.h"
#include "locate/binaries.h"
#include "symbols/symbols.h"

/**
 * Cached look-ups of addresses in symbol files.
 *
 * A look-up reads the text of the whole function, and the recursion of a deep stack repeats a few
 * addresses. A cached answer equals one that is computed anew. A full cache accepts nothing new.
 */
struct symbol_cache;
struct walk;

/** An empty cache, or NULL when out of memory. */
struct symbol_cache *
symbol_cache_create(void);

void
symbol_cache_free(struct symbol_cache *cache);

/** Cached symfile_function; `cache` may be NULL. */
bool
symbol_cache_function(struct symbol_cache *cache, const struct symfile *symfile,
		      const struct policy *policy, uint64_t address,
		      struct function *function);

/** The number of inlined calls in a symbol file at an address; allocates nothing for the caller. */
size_t
symbol_cache_inlined(struct symbol_cache *cache, const struct symfile *symfile,
		     const struct policy *policy, uint64_t address);

/**
 * The symbol at an address of a module: from its symbol file, else from the DWARF or the symbol
 * table of the module's own file. Lines or inlined calls that a symbol file lacks for a function
 * are taken from DWARF. Every view of a function, a line or an inlined call uses this look-up.
 */
struct symbol_sources {
	const struct symfile *symfile;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	size_t module;			/* index of a loaded module */
	uint64_t base;
	const struct policy *policy;
	struct symbol_cache *cache;	/* NULL: none */
	/* Receives users named in paths of sources; NULL: not needed */
	struct user_names *names;
};

/** The sources of a loaded module of a walk's crash (walk.c). */
struct symbol_sources
walk_symbol_sources(const struct walk *walk, int module);

/** Find a function whose name is certain, or data, in a module's own file (walk.c). */
bool
walk_symbol_own(const struct walk *walk, int module, uint64_t address, struct symbol *symbol);

/**
 * Find the symbol at an address. Lists live in `arena`; if that is NULL, only the function is
 * found, which is faster. Returns symbol->found.
 */
bool
symbol_at(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct symbol *symbol);

/** Find the named data at an address, in the module's own file (debug_info_data). */
bool
symbol_at_data(const struct symbol_sources *sources, uint64_t address, struct symbol *symbol);

/** The whole function at an address, from the same sources; false if its lines are unknown. */
bool
symbol_at_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	       struct function_body *body);

/**
 * Whether a name with an address but no size (a PUBLIC record, a label of a symbol table) belongs
 * to the function around a higher address.
 */
enum name_answer {
	NAME_UNKNOWN,			/* the function's end is unknown */
	NAME_HOLDS,			/* the function reaches the address */
	NAME_PASSED,			/* another function begins between them */
};

/**
 * Check a name by the STACK records of the symbol file, then by the frame tables and sections of
 * the module's file. `start` and `relative` are relative to the module's base. If another function
 * begins between them, `*bound` is its beginning, and `*source` names the source that shows it.
 */
enum name_answer
name_check(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	   uint64_t *bound, const char **source);

/**
 * The place of `length` bytes at `offset`, in `own_file` or, if that is NULL, in the symbol file.
 * Functions, lines and inlined calls have such an offset and length.
 */
struct place
symbol_at_place(const struct symfile *symfile, const struct input *own_file, uint64_t offset,
		uint32_t length);

#endif
