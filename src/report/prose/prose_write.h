/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_WRITE_H
#define REPORT_PROSE_PROSE_WRITE_H

#include "document/page.h"
#include "report/glossary.h"
#include "report/prose/prose.h"

/** Writes steps in prose. */

/** A range of steps of a complete walk; frames that repeat others are only counted. */
struct prose_range {
	struct walk *walk;
	size_t first, last;		/* frames where the steps begin */
};

/** Callbacks for each step of a range. */
struct prose_reader {
	void (*step)(void *context, const struct prose *prose);
	/* Gets a sentence about frames that repeat others. */
	void (*repeated)(void *context, const char *text);
	void *context;
};

/** Make the prose of each step of the range, in order, and pass it to the reader. */
void
prose_each(const struct prose_range *range, const struct prose_reader *reader);

/** The title of a step, in `arena`: "From frame 0 to frame 1". */
const char *
prose_title(const struct prose *prose, struct arena *arena);

/** Write the steps as text of 78 columns. `_word_` is a term of the glossary, listed at the end. */
void
prose_write(const struct prose_range *range, const struct output *output);

/** Write the steps as a page. */
void
prose_page(const struct prose_range *range, enum page_form form, const struct output *output);

/** Glossary terms that a document has used so far, in order. */
struct prose_words {
	const struct glossary_entry *items[200];
	size_t count;
};

/** The entry of a term at its first use; else NULL. */
const struct glossary_entry *
prose_words_meet(struct prose_words *words, struct text term);

#endif
