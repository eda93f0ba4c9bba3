/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_FIT_H
#define ANALYSIS_SYMBOL_FIT_H

#include "locate/binaries.h"
#include "locate/symbol_store.h"

/** Minimum number of records that prove anything about a module's file. */
#define SYMBOL_FIT_FEWEST 8u

/**
 * Why the symbol file of loaded module `module` does not belong to the module's own file, although
 * both have the identifier in the dump. Compares the functions' beginnings in the records and in
 * the file's tables, the architecture and the system. The result is a clause ("all records lie 0x10
 * bytes after their code") that is valid as long as `binaries`. NULL: the symbol file belongs to
 * the module, a file is missing, the dump has no identifier to check the file by, or too few
 * functions have names. The first call for a module reads the tables; any thread may call. Searches
 * and opens nothing.
 */
const char *
symbol_misfit(const struct binaries *binaries, const struct symbols *symbols,
	      const struct crash *crash, size_t module);

#endif
