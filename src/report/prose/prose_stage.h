/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_STAGE_H
#define REPORT_PROSE_PROSE_STAGE_H

#include "document/page.h"
#include "report/prose/prose.h"

/**
 * What a page of HTML shows beside the sentences of a step: the stack, the registers, the rule and
 * its stack of values. The elements say from which step on each thing is known (page_steps.c).
 */

/**
 * How the items of prose are steps of a page: one for each token, else a sentence with its sums.
 */
struct prose_steps {
	const struct prose *prose;
	uint32_t first;			/* the number of the first one in the page */
	uint32_t count;
	uint32_t *numbers;		/* for each item that of its step, from 0 */
	uint32_t *events;		/* for each step the last event that it tells */
};

/** Number the steps; `first` is that of the first one. False when out of memory. */
bool
prose_steps_make(struct prose_steps *steps, const struct prose *prose, uint32_t first,
		 struct arena *arena);

/** Whether an item begins a step. */
bool
prose_steps_begins(const struct prose_steps *steps, size_t item);

/** Write the stack and the registers of a step. */
void
prose_stage_write(struct page *page, const struct prose_steps *steps, struct arena *arena);

/**
 * Begin the step that an item begins; one that tells a token shows its rule and the stack of
 * values.
 */
void
prose_stage_open(struct page *page, const struct prose_steps *steps, size_t item);

#endif
