/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_WRITE_H
#define REPORT_PROSE_PROSE_WRITE_H

#include "document/page.h"
#include "report/glossary.h"
#include "report/prose/prose.h"

/** Steps in prose, written. */

/** Which steps of a walk, whose frames are all there: what repeats other frames is only counted. */
struct prose_range {
	struct walk *walk;
	size_t first, last;		/* frames from which the steps go */
};

/** What is done with each step of a range. */
struct prose_reader {
	void (*step)(void *context, const struct prose *prose);
	/* Frames that repeat others: a sentence. */
	void (*repeated)(void *context, const char *text);
	void *context;
};

/** Make the prose of each step of the range, in order, and hand it to the reader. */
void
prose_each(const struct prose_range *range, const struct prose_reader *reader);

/** The title of a step, in `arena`: "From frame 0 to frame 1". */
const char *
prose_title(const struct prose *prose, struct arena *arena);

/**
 * Write it as text in lines of 78 columns. `_word_` is one of the glossary; a list ends the text.
 */
void
prose_write(const struct prose_range *range, const struct output *output);

/** Write it as a page. */
void
prose_page(const struct prose_range *range, enum page_form form, const struct output *output);

/** Words of the glossary that a document has used so far, in order. */
struct prose_words {
	const struct glossary_entry *items[200];
	size_t count;
};

/** The entry of a word that is used for the first time; else NULL. */
const struct glossary_entry *
prose_words_meet(struct prose_words *words, struct text term);

#endif
