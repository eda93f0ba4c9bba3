/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_KEPT_FUNCTIONS_H
#define SYMBOLS_KEPT_FUNCTIONS_H

#include "symbols/symfile_body.h"

/**
 * Long functions that are asked for again and again, as by the frames of a recursion.
 *
 * A look-up reads all records of its function. The third one of a function with much text keeps
 * the records, so that later look-ups search in sorted ranges. A memo, nothing more: an answer
 * is the same whether it was there or not. A symbol file has one for all its readers.
 */
struct kept_functions;

/** Ranges around an address that a look-up needs room for: one more than can count. */
#define KEPT_AROUND (LIMIT_INLINE_DEPTH + 1)

/** An empty memo, or NULL when out of memory. */
struct kept_functions *
kept_functions_create(void);

/** `kept` may be NULL. */
void
kept_functions_free(struct kept_functions *kept);

/** Keep functions with so many bytes of text; for tests. */
void
kept_functions_least(struct kept_functions *kept, uint64_t least);

/**
 * Fill the lines and the chain around `body->address` of the FUNC in `row`, as body_make does;
 * false where it has to be asked. The lists are borrowed from the symbol file, and the chain's
 * ranges are in `around`.
 */
bool
kept_functions_find(struct body *body, uint32_t row, struct span around[KEPT_AROUND]);

#endif
