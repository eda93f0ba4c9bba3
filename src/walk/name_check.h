/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_NAME_CHECK_H
#define WALK_NAME_CHECK_H

#include "walk/symbol_at.h"

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
 * the module's file. `start` and `relative` are relative to the module's base; if another function
 * begins between them, `*bound` is its beginning, and `*source` is the proof.
 */
enum name_answer
name_check(const struct symbol_sources *sources, uint64_t start, uint64_t relative,
	   uint64_t *bound, const char **source);

#endif
