/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_PATTERN_H
#define UI_SESSION_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Text search in rows.
 *
 * A pattern without capitals ignores the case of ASCII letters. A number written with 0x also
 * matches without it, and without leading zeros.
 *
 * With `regex` a pattern is a POSIX extended regular expression. One that could be slow
 * (text_regex_refusal) or is invalid is searched as plain text, and `wrong` says why. Only the
 * first PATTERN_ROW bytes of a row are searched.
 */
#define PATTERN_SIZE 256
#define PATTERN_ROW 4096

struct pattern {
	char text[PATTERN_SIZE];	/* "" matches nothing */
	size_t length;
	bool fold;			/* lower case matches upper case too */
	bool compiled;			/* `regex` is valid and used */
	regex_t regex;
	char wrong[128];		/* reason why it is no regular expression; "": none */
};

/** Set the text to search, cut to PATTERN_SIZE. */
void
pattern_set(struct pattern *pattern, const char *text, bool regex);

/** Clear the text and free the expression. Harmless on an empty pattern. */
void
pattern_clear(struct pattern *pattern);

/** Find the first match in `text` from byte `from` on; `length` is never 0. False if none. */
bool
pattern_in(const struct pattern *pattern, struct text text, size_t from, size_t *at,
	   size_t *length);

#endif
