/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_STAGE_H
#define REPORT_PROSE_PROSE_STAGE_H

#include "document/page.h"
#include "report/prose/prose.h"

/**
 * The figures of an HTML page next to the sentences of a step: the stack, the registers, the rule
 * and its evaluation stack. Elements have the step from which on they are known (page_steps.c).
 */

/** The items of prose as steps of a page: one for each token, else a sentence with its sums. */
struct prose_steps {
	const struct prose *prose;
	uint32_t first;			/* number of the first step in the page */
	uint32_t count;
	uint32_t *numbers;		/* step of each item, from 0 */
	uint32_t *events;		/* last event of each step */
};

/** Number the steps from `first` on. False when out of memory. */
bool
prose_steps_make(struct prose_steps *steps, const struct prose *prose, uint32_t first,
		 struct arena *arena);

/** Whether an item begins a step. */
bool
prose_steps_begins(const struct prose_steps *steps, size_t item);

/** Write the stack and the registers of a step. */
void
prose_stage_write(struct page *page, const struct prose_steps *steps, struct arena *arena);

/** Begin the step of an item; a step of a token shows its rule and the evaluation stack. */
void
prose_stage_open(struct page *page, const struct prose_steps *steps, size_t item);

#endif
