/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Finding text in rows.
 *
 * A pattern without capitals finds both cases (of ASCII letters). A number that is
 * written with 0x is found without it too, and without the zeros that pad it.
 */
#define SEARCH_SIZE 256

struct search {
	char pattern[SEARCH_SIZE];	/* "" finds nothing */
	size_t length;
	bool fold;			/* small letters find capitals */
};

/** Look for `pattern` from now on; what is longer than SEARCH_SIZE is cut. */
void
search_set(struct search *search, const char *pattern);

/** Whether `text` has a match at byte `from` or behind it; where, and how long. */
bool
search_in(const struct search *search, struct text text, size_t from, size_t *at, size_t *length);

#endif
