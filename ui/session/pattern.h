/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_PATTERN_H
#define UI_SESSION_PATTERN_H

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
 * On request a pattern is an extended regular expression of POSIX. What could take long is
 * refused: what text_regex_refusal() refuses. Such a pattern, and one
 * that is no expression (yet), is text like any other, and `wrong` says why. Of a row the first
 * PATTERN_ROW bytes are matched.
 */
#define PATTERN_SIZE 256
#define PATTERN_ROW 4096

struct pattern {
	char text[PATTERN_SIZE];	/* "" finds nothing */
	size_t length;
	bool fold;			/* small letters find capitals */
	bool compiled;			/* `regex` is what is looked for */
	regex_t regex;
	char wrong[128];		/* why it is no regular expression; "": it may be one */
};

/** Look for `text` from now on; what is longer than PATTERN_SIZE is cut. */
void
pattern_set(struct pattern *pattern, const char *text, bool regex);

/** Forget the text and free what it took. Harmless on an empty pattern. */
void
pattern_clear(struct pattern *pattern);

/** Whether `text` has a match at byte `from` or behind it; where, and how long (never 0). */
bool
pattern_in(const struct pattern *pattern, struct text text, size_t from, size_t *at,
	   size_t *length);

#endif
