/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_NAME_CHECK_H
#define WALK_NAME_CHECK_H

#include "walk/symbol_at.h"

/**
 * Whether a name that has an address but no size (a PUBLIC record, a label of a symbol table) is
 * that of the function around an address above it.
 */
enum name_answer {
	NAME_UNKNOWN,			/* nothing tells how far the function reaches */
	NAME_HOLDS,			/* it reaches so far */
	NAME_PASSED,			/* another function begins between them */
};

/**
 * Ask the STACK records of the symbol file, then the frame tables and the sections of the module's
 * file. `start` and `relative` count from the module's base; where the name is passed `*bound` is
 * where the other function begins, and `*source` is what says so.
 */
enum name_answer
name_check(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	   uint64_t *bound, const char **source);

#endif
