/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_INFO_H
#define DEBUG_INFO_DEBUG_INFO_H

#include "locate/binaries.h"
#include "symbols/symbols.h"

/**
 * Functions, lines and inlined calls at an address, from the modules' files.
 *
 * A file without DWARF and without a PDB has only the functions in its symbol tables or, if it is a
 * PE file, its exports. Strings and places are valid as long as the crash's binaries.
 */

struct debug_answer {
	/* file that the members come from; with split DWARF, `line` may be from another file */
	const struct input *input;
	/* section that has the name, for example ".debug_info" or ".symtab" */
	const char *section;
	const char *name;		/* linkage name, or NULL */
	bool stub;			/* the code only jumps to the named function */
	bool written;			/* `name` is as in the source, with scopes */
	/* range that covers the address, relative to the module; size 0: unknown */
	uint64_t address, size;
	uint64_t offset;		/* offset of the function's entry in the file */
	struct source_line line;	/* number 0: none */
	struct inline_call *calls;	/* innermost first; in the caller's arena */
	size_t call_count;
};

/** The contents of a range of a function; lists are in the caller's arena. */
struct debug_body {
	struct debug_answer function;	/* function without line and calls */
	struct source_line *lines;	/* sorted by address, without overlaps */
	size_t line_count;
	struct inline_call *calls;	/* by address, each call before the calls inlined into it */
	size_t call_count;
};

/* Files of a crash's modules are opened on first use. Any thread may call these functions. */

/**
 * Find the function at `relative` bytes after the base of loaded module `module`. False if the
 * module's files name no function there or are missing, or if `binaries` is NULL. If `arena` is
 * NULL, inlined calls are not searched, to save time.
 */
bool
debug_info_find(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_answer *answer);

/**
 * Find the data at `relative`. A symbol table has a variable, table or constant there, a public
 * symbol of a PDB begins there, or it is a slot with the address of an imported function.
 */
bool
debug_info_data(const struct binaries *binaries, size_t module, uint64_t relative,
		struct debug_answer *answer);

/**
 * The name of the function at `relative` in a symbol table, if the name marks a part or copy of a
 * function: "f.cold" (demangle_clone_at). Else NULL.
 */
const char *
debug_info_clone(const struct binaries *binaries, size_t module, uint64_t relative);

/**
 * Whether the function that begins at `relative` in a symbol table is Thumb code. False if no
 * function begins there.
 */
bool
debug_info_halfwords(const struct binaries *binaries, size_t module, uint64_t relative,
		     bool *halfwords);

/**
 * The range of the function at `relative`, with lines and inlined calls from DWARF or a PDB. False
 * if there is no function with a size.
 */
bool
debug_info_body(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_body *body);

/** Sources of names; DEBUG_NAMES_DWARF requires that all DWARF is read. */
enum debug_names {
	DEBUG_NAMES_TABLES,		/* symbol tables and exports */
	DEBUG_NAMES_DWARF,
	DEBUG_NAMES_DATA,		/* data in symbol tables */
	DEBUG_NAMES_SLOTS,		/* slots with the addresses of imported functions */
};

/** Called with the name of a function, variable or slot, and its address relative to the module. */
typedef void debug_info_tell(void *context, const char *name, uint64_t relative);

/**
 * Report the functions, the data or the slots in the files of loaded module `module`; a name may be
 * reported twice. `tell` must not call this interface.
 */
void
debug_info_functions(const struct binaries *binaries, size_t module, enum debug_names names,
		     debug_info_tell *tell, void *context);

/** A file of a module that names functions. */
struct debug_info_source {
	const struct binary *binary;
	size_t unit_count;		/* units of DWARF with lines and inlined calls; 0: none */
	/* modules of a PDB with symbols; 0: no PDB, or stripped */
	size_t module_count;
	size_t public_count;
	size_t frame_count;		/* unwind records of the PDB */
	size_t split_count;		/* units whose functions are in .dwo files or a package */
	size_t split_missing;		/* number of these units whose file was not found */
	size_t object_count;		/* object files with the DWARF of a Mach-O file */
	size_t object_missing;		/* object files that were not found */
	const char *table;		/* name of the symbol table; NULL: none */
	size_t symbol_count;		/* number of functions in that table */
	size_t export_count;
};

/** Maximum number of files of a module that have names. */
#define DEBUG_INFO_SOURCES 3

/**
 * The files in which names of loaded module `module` are searched, in the order of search; files
 * without names are omitted. Returns the number of files.
 */
size_t
debug_info_sources(const struct binaries *binaries, size_t module,
		   struct debug_info_source sources[DEBUG_INFO_SOURCES]);

/** The PDB of loaded module `module`, or NULL. Valid as long as `binaries`. */
const struct pdb *
debug_info_pdb(const struct binaries *binaries, size_t module);

#endif
