/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SEARCH_H
#define UI_SESSION_SEARCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Finding text in rows.
 *
 * A pattern without capitals finds both cases (of ASCII letters). A number that is
 * written with 0x is found without it too, and without the zeros that pad it.
 *
 * Where it is asked for, a pattern is an extended regular expression of POSIX. What could take
 * long is not taken: references back, more than one repetition in braces. Such a pattern, and one
 * that is no expression (yet), is text like any other, and `wrong` says why. Of a row the first
 * SEARCH_ROW bytes are matched.
 */
#define SEARCH_SIZE 256
#define SEARCH_ROW 4096

struct search {
	char pattern[SEARCH_SIZE];	/* "" finds nothing */
	size_t length;
	bool fold;			/* small letters find capitals */
	bool compiled;			/* `regex` is what is looked for */
	regex_t regex;
	char wrong[128];		/* why it is no regular expression; "" where it may be one */
};

/** Look for `pattern` from now on; what is longer than SEARCH_SIZE is cut. */
void
search_set(struct search *search, const char *pattern, bool regex);

/** Forget the pattern and free what it took. Harmless on an empty search. */
void
search_clear(struct search *search);

/** Whether `text` has a match at byte `from` or behind it; where, and how long (never 0). */
bool
search_in(const struct search *search, struct text text, size_t from, size_t *at, size_t *length);

#endif
