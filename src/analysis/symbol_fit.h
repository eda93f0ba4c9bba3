/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_SYMBOL_FIT_H
#define ANALYSIS_SYMBOL_FIT_H

#include "locate/binaries.h"
#include "locate/symbol_store.h"

/** The records of a symbol file of which fewer prove nothing about a module's file. */
#define SYMBOL_FIT_FEWEST 8u

/**
 * Why the symbol file of loaded module `module` does not belong to the module's own file,
 * although both have the identifier that the dump has: where functions begin in the records and
 * in the tables of the binary, and for which architecture and system they are. A clause such as
 * "all records lie 0x10 bytes behind their code", which lives as long as `binaries`. NULL: it
 * belongs to it, or that cannot be decided: one of the two is not there, the dump has no
 * identifier to check the binary by, or too few functions are named. The first call for a module
 * reads the tables; any thread may call. Nothing is searched for or opened.
 */
const char *
symbol_misfit(const struct binaries *binaries, const struct symbols *symbols,
	      const struct crash *crash, size_t module);

#endif
