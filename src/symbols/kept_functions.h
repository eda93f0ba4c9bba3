/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_KEPT_FUNCTIONS_H
#define SYMBOLS_KEPT_FUNCTIONS_H

#include "symbols/symfile_body.h"

/**
 * Long functions that are looked up repeatedly, for example by the frames of a recursion.
 *
 * A look-up reads all records of its function. The third one of a function with much text keeps the
 * records, so that later look-ups search in sorted ranges. Only a cache: answers do not depend on
 * it. All readers of a symbol file share one.
 */
struct kept_functions;

/** Most ranges around an address for a look-up: one more than can be used. */
#define KEPT_AROUND (LIMIT_INLINE_DEPTH + 1)

/** An empty memo, or NULL when out of memory. */
struct kept_functions *
kept_functions_create(void);

/** `kept` may be NULL. */
void
kept_functions_free(struct kept_functions *kept);

/** Set the least bytes of text of kept functions; for tests. */
void
kept_functions_least(struct kept_functions *kept, uint64_t least);

/**
 * Fill the lines and the chain around `body->address` of the FUNC in `row`, like body_make; false
 * if the function is not kept. The lists are borrowed from the symbol file, and the chain's ranges
 * are in `around`.
 */
bool
kept_functions_find(struct body *body, uint32_t row, struct span around[KEPT_AROUND]);

#endif
