/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_H
#define DEBUG_INFO_DEBUG_DWARF_H

#include "debug_info/debug_info.h"
#include "dwarf/dwarf.h"

/** Names, lines and inlined calls from the DWARF of one file; callers must serialise calls. */
struct debug_dwarf;

/**
 * Open the DWARF of a file. NULL: none, or out of memory. `supplement` (or NULL) has the parts
 * moved by dwz. Units of split DWARF are requested from `binaries` (or NULL) when needed. No other
 * file is opened, even if `binary` names another. Sets `*damage` if a section of `binary` or
 * `supplement` is left out.
 */
struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement,
		 struct binaries *binaries, size_t module, struct elf_damage *damage);

/** Harmless on NULL. */
void
debug_dwarf_close(struct debug_dwarf *dwarf);

/** Set the address that the module's first byte has in the file, if it is not the linked base. */
void
debug_dwarf_rebase(struct debug_dwarf *dwarf, uint64_t base);

/** Number of units with code. */
size_t
debug_dwarf_unit_count(const struct debug_dwarf *dwarf);

/**
 * Like debug_info_find(), for one file. False if the file names no function at `relative`. The line
 * is set if it is known, even if the result is false.
 */
bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer);

/** Like debug_info_body(), for one file. */
bool
debug_dwarf_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body);

/** Read only the lines of body->function, which a symbol table names. */
void
debug_dwarf_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body);

/** Call `tell` with the name and the first address of each range of a function's code. */
void
debug_dwarf_functions(struct debug_dwarf *dwarf, debug_info_tell *tell, void *context);

/** Count the units whose functions are in another file; `*missing`: units whose file is missing. */
void
debug_dwarf_count_split(struct debug_dwarf *dwarf, size_t *count, size_t *missing);

/** Whether functions or lines are missing because a limit on memory or time was reached. */
bool
debug_dwarf_limited(const struct debug_dwarf *dwarf);

/* These functions are in debug_info.c. */

struct debug_pdb;

/** The readers for one file of a module: the DWARF or the PDB that describes an address. */
struct debug_readers {
	struct debug_dwarf *dwarf;	/* NULL: none */
	struct debug_pdb *pdb;
};

/**
 * Lock the files of a module and store the readers of each file in the order of search. Release the
 * lock by debug_info_unlock(). If no files are searched, return NULL without locking.
 */
struct binaries_reader *
debug_info_lock(const struct binaries *binaries, size_t module, uint64_t relative,
		struct debug_readers readers[DEBUG_INFO_SOURCES]);

/** Unlock the files, and report once for each file that parts of it were left out. */
void
debug_info_unlock(struct binaries_reader *reader, size_t module);

#endif
