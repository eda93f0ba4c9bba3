/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_SYMBOL_AT_H
#define WALK_SYMBOL_AT_H

#include "base/policy.h"
#include "locate/binaries.h"
#include "symbols/symbols.h"
#include "walk/symbol_cache.h"

/**
 * What is at an address of a module: its symbol file says so, else the DWARF or the symbol table
 * of the module's own file. Everything that shows a function, a line or an inlined call asks here.
 */
struct symbol_sources {
	const struct symfile *symfile;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	size_t module;			/* a loaded one of the crash */
	uint64_t base;			/* of the module */
	const struct policy *policy;
	struct symbol_cache *cache;	/* where answers are remembered; NULL: nowhere */
};

/** Which records of symbol files count under a policy. */
struct symbols_policy
symbol_at_policy(const struct policy *policy);

/**
 * What is known of an address. Lists live in `arena`; without one (NULL) only the function is
 * looked for, which is quicker. Messages about records of the function go to `messages` (may be
 * NULL). Returns symbol->found.
 */
bool
symbol_at(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	  struct message_list *messages, struct symbol *symbol);

/** The whole function there, of the same source; false where its lines are unknown. */
bool
symbol_at_body(const struct symbol_sources *sources, uint64_t address, struct arena *arena,
	       struct function_body *body);

/**
 * The place of `length` bytes at `offset`, as symbols and bodies have them: in `own_file`, or in
 * the symbol file where that is NULL.
 */
struct place
symbol_at_place(const struct symfile *symfile, const struct input *own_file, uint64_t offset,
		uint32_t length);

#endif
