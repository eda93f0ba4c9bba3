/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_COMPLETION_H
#define UI_REQUEST_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Words that complete a line. All matching words are counted; the first COMPLETION_MOST are stored.
 *
 * A word with control bytes or invalid UTF-8 never matches.
 */
struct completion {
	const char *line;	/* up to its cursor; borrowed */
	size_t from;		/* byte of the line where the words begin */
	char **words;		/* the stored words, each once */
	size_t count;
	uint64_t total;		/* number of matching words */
	char *common;		/* common prefix of all matching words; NULL: none matches */
	bool open;		/* a word continues (a directory): no blank follows it */
};

/** Largest number of stored words. */
#define COMPLETION_MOST 500

/** Begin with the last word of `line`, which may be empty. */
void
completion_begin(struct completion *completion, const char *line);

/** The part of the word that is typed already. */
struct text
completion_typed(const struct completion *completion);

/** Offer a word. */
void
completion_add(struct completion *completion, struct text word);

/** Sort the words, numbers by value. */
void
completion_sort(struct completion *completion);

void
completion_free(struct completion *completion);

#endif
