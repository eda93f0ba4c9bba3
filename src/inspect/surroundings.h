/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_SURROUNDINGS_H
#define INSPECT_SURROUNDINGS_H

#include "base/demangle.h"
#include "base/policy.h"
#include "debug_info/file_symbols.h"
#include "inspect/heap_find.h"
#include "crash/memory.h"
#include "crash/module_map.h"
#include "locate/symbol_store.h"
#include "walk/walk.h"

/**
 * Everything needed to look up an address of a crash: memory, modules, symbols, files, frames.
 *
 * A step reads only the memory that its policy allows. Look-ups of an address that the user typed
 * read everything, and name the source.
 */
struct surroundings {
	const struct crash *crash;
	const struct arch *arch;	/* architecture of the threads' contexts */
	struct symbols *symbols;	/* NULL: none */
	struct binaries *binaries;	/* NULL: none */
	struct policy policy;
	struct walk *const *walks;	/* one for each thread; NULL or a NULL item: not walked */
	bool loads;			/* symbol files are loaded if needed */
	struct memory_view memory;	/* all memory of the dump */
	struct module_map modules;
	struct demangle_memo *shown;	/* cache of shown names */
	/* Function tables of modules without symbol files, read when needed */
	struct file_symbols **names;
	bool heap_searched;
	const struct heap *heap;	/* the heap of glibc; NULL: none */
	struct arena arena;
};

struct surrounding_name {
	int module;			/* index in crash->modules, or MODULE_NONE */
	uint64_t base;			/* base address of the module */
	const struct symfile *symfile;	/* file with the name; NULL: the module's own */
	struct text name;		/* name as shown; empty: only the module is known */
	bool uncertain, stub;		/* as in struct symbol */
	bool data;			/* the name of data, not of a function */
	uint64_t start, size;		/* range of the function or data; size 0: unknown */
	/* Place of the record, or of the entry in the module's own file */
	struct place place;
};

/**
 * Begin look-ups in `crash`; everything is borrowed. `walks` may be filled later. False when out of
 * memory; then only surroundings_free may be called.
 */
bool
surroundings_init(struct surroundings *around, const struct crash *crash, struct symbols *symbols,
		  struct binaries *binaries, const struct policy *policy,
		  struct walk *const *walks);

void
surroundings_free(struct surroundings *around);

/** The symbol file of a module, loaded now if `loads` is set. NULL: none. */
const struct symfile *
surroundings_symfile(const struct surroundings *around, int module);

/** A name as the policy shows it; lives as long as the surroundings. */
struct text
surroundings_shown(struct surroundings *around, struct text name);

/** The symbol at an address in loaded module `module` (symbol_at). Names are as in the file. */
bool
surroundings_symbol(struct surroundings *around, int module, uint64_t address, struct arena *arena,
		    struct symbol *symbol);

/** The places where the symbols of loaded module `module` are looked up. */
struct symbol_sources
surroundings_sources(struct surroundings *around, int module);

/** The module and the function or data that contain an address. False: no module does. */
bool
surroundings_name(struct surroundings *around, uint64_t address, struct surrounding_name *name);

/**
 * The name as text: "main + 0x10", "main" at its beginning, "vtable for Backend + 0x10",
 * "libc.so.6 + 0x1234"; empty if no module contains the address. Lives in `arena` or with the
 * symbols.
 */
struct text
surroundings_describe(struct surroundings *around, uint64_t address, struct arena *arena);

/**
 * The address of the function named `name`, or `module!name`. If several modules have the function,
 * the first of them in the dump's list is used. False: no known file has it.
 */
bool
surroundings_find(struct surroundings *around, struct text name, uint64_t *address);

/** The heap of glibc, read on the first call; NULL: none was found. */
const struct heap *
surroundings_heap(struct surroundings *around);

/**
 * Copy up to `size` bytes at `address` from the dump or, if the dump lacks them, from a module's
 * file. Returns the number copied. `*from_file` and `*place` (may be NULL) describe the first byte.
 */
size_t
surroundings_read(const struct surroundings *around, uint64_t address, uint8_t *bytes,
		  size_t size, bool *from_file, struct place *place);

#endif
