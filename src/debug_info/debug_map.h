/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_MAP_H
#define DEBUG_INFO_DEBUG_MAP_H

#include "debug_info/debug_dwarf.h"

/**
 * The debug map of a Mach-O file (Apple, Mach-O File Format Reference; mach-o/stab.h). The linker
 * leaves a program's DWARF in the object files; dsymutil can collect it in a dSYM. The program's
 * symbol table lists each object file and its functions. Callers must serialise calls.
 */
struct debug_map;

/** Read the map of a file; NULL: it has none, or out of memory. */
struct debug_map *
debug_map_open(const struct binary *binary, struct binaries *binaries, size_t module);

/** Harmless on NULL. */
void
debug_map_close(struct debug_map *map);

/**
 * Find the function at `relative` and return the DWARF of its object file. Until the next call, the
 * addresses in that DWARF are right for this function only. The first call looks up the file by its
 * path (see binaries_find_split), opens it, and reports a missing file. NULL: no function, no file,
 * or `map` is NULL.
 */
struct debug_dwarf *
debug_map_find(struct debug_map *map, uint64_t relative);

/** Open and count all object files; `*missing` is the number of those not found. */
size_t
debug_map_count(struct debug_map *map, size_t *missing);

/** Whether parts of an object file were left out because a limit was reached. */
bool
debug_map_limited(const struct debug_map *map);

#endif
