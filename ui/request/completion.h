/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_COMPLETION_H
#define UI_REQUEST_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Words that could complete a line: offered one by one, of which those that fit are counted and
 * the first ones kept.
 *
 * A word with control bytes or invalid UTF-8 does not fit.
 */
struct completion {
	const char *line;	/* as far as its cursor; borrowed */
	size_t from;		/* the byte of the line where the words begin */
	char **words;		/* kept, each once */
	size_t count;
	uint64_t total;		/* that fit */
	char *common;		/* what all that fit have in common; NULL: none fits */
	bool open;		/* a word that is not at its end: no blank follows it */
};

/** Most words that are kept. */
#define COMPLETION_MOST 500

/** Begin with the last word of `line`, which may be empty. */
void
completion_begin(struct completion *completion, const char *line);

/** What is typed already of the words. */
struct text
completion_typed(const struct completion *completion);

/** Offer a word. */
void
completion_add(struct completion *completion, struct text word);

/** Offer a number. */
void
completion_add_number(struct completion *completion, uint64_t number);

/** Put the words into their order: numbers by value. */
void
completion_sort(struct completion *completion);

void
completion_free(struct completion *completion);

#endif
