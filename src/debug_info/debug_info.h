/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_INFO_H
#define DEBUG_INFO_DEBUG_INFO_H

#include "locate/binaries.h"

/**
 * What modules' own files say of an address: function, line and inlined calls.
 *
 * DWARF is read by `dwarf`, PDBs by `pdb`; where a file has neither, the functions of its symbol
 * tables are named, and those that a PE file exports. Strings and places live as long as the
 * crash's binaries.
 */

/** A row of a line table. */
struct debug_line {
	uint64_t address, size;		/* relative to the module */
	const char *file;		/* "": not said */
	uint32_t line;			/* 0: there is none */
	uint64_t offset;		/* of what makes it in the file, as far as that is known */
};

/** An inlined call. */
struct debug_call {
	const char *name;		/* "" where the file does not say */
	uint64_t address, size;		/* of a range of it, relative to the module */
	unsigned depth;			/* 0: inlined into the function itself */
	const char *call_file;		/* where it is called; "": not said */
	uint32_t call_line;
	uint64_t offset;		/* of its entry in the file */
};

struct debug_answer {
	const struct input *input;	/* the file that all is from but for the lines */
	const struct input *lines;	/* and theirs: another one with split DWARF */
	/* That the name is from: ".debug_info", ".symtab", ".edata"... */
	const char *section;
	const char *name;		/* the linkage name, where the file has it */
	bool stub;			/* the code only jumps to the function of that name */
	bool written;			/* it is the one in the source, with its scopes */
	/* Of the range that covers it, relative; size 0: not said */
	uint64_t address, size;
	uint64_t offset;		/* of the function's entry in the file */
	struct debug_line line;
	struct debug_call *calls;	/* innermost first; in the asker's arena */
	size_t call_count;
};

/** All that is said of a range of a function; lists are in the asker's arena. */
struct debug_body {
	struct debug_answer function;	/* without line and calls */
	struct debug_line *lines;	/* by address, without overlap */
	size_t line_count;
	struct debug_call *calls;	/* by address, each before those inlined into it */
	size_t call_count;
};

/* The files of a crash's modules are opened when they are needed. Any thread may ask. */

/**
 * What the file of loaded module `module` says of the address `relative` to its base. False
 * where it names no function there, there is no file, or `binaries` is NULL. Without an arena
 * (NULL) inlined calls are not looked for, which is quicker.
 */
bool
debug_info_find(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_answer *answer);

/**
 * The name that a symbol table has for the function at `relative`, which is a part or a copy of one
 * (demangle_clone_at); NULL where it is none.
 */
const char *
debug_info_clone(const struct binaries *binaries, size_t module, uint64_t relative);

/**
 * Whether the function that a symbol table has at `relative` is Thumb code; false where none begins
 * there.
 */
bool
debug_info_halfwords(const struct binaries *binaries, size_t module, uint64_t relative,
		     bool *halfwords);

/**
 * The whole range of the function there: lines and inlined calls that DWARF tells of. False where
 * no function with a size is there.
 */
bool
debug_info_body(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_body *body);

/** Where names of functions are: those of DWARF take reading all of it. */
enum debug_names {
	DEBUG_NAMES_TABLES,		/* symbol tables and exports */
	DEBUG_NAMES_DWARF,
};

/** Called with a function's name and its address relative to the module. */
typedef void debug_info_tell(void *context, const char *name, uint64_t relative);

/**
 * Tell the functions that the files of loaded module `module` name; one may come twice. `tell` must
 * not ask anything here.
 */
void
debug_info_functions(const struct binaries *binaries, size_t module, enum debug_names names,
		     debug_info_tell *tell, void *context);

/** A file of a module that names functions. */
struct debug_info_source {
	const struct binary *binary;
	size_t unit_count;		/* of DWARF: lines and inlined calls; 0: it has none */
	/* Of a PDB, which have the same; 0: it is none, or stripped */
	size_t module_count;
	size_t public_count;		/* public symbols of the PDB */
	size_t frame_count;		/* unwind records of the PDB */
	size_t split_count;		/* units whose functions are in .dwo files or a package */
	size_t split_missing;		/* those whose file was found nowhere */
	const char *table;		/* of symbols; NULL: it has none */
	size_t symbol_count;		/* functions in the table */
	size_t export_count;
};

/** Files that one module can have names in. */
#define DEBUG_INFO_SOURCES 3

/**
 * The files in which names of loaded module `module` are looked for, in that order; those that have
 * none are left out. Returns how many.
 */
size_t
debug_info_sources(const struct binaries *binaries, size_t module,
		   struct debug_info_source sources[DEBUG_INFO_SOURCES]);

/** The PDB of loaded module `module`, or NULL. It lives as long as `binaries`. */
const struct pdb *
debug_info_pdb(const struct binaries *binaries, size_t module);

#endif
