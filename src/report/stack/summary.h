/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_SUMMARY_H
#define REPORT_STACK_SUMMARY_H

#include "analysis/analysis.h"
#include "report/lines.h"

/**
 * A crash on one page: reason, address, thread, place, signature, the instruction and its memory
 * accesses, and every conclusion of the analysis with its evidence.
 */

/**
 * The rows of a summary. `walk` is the walk of the crashing thread (NULL: none). With `columns`,
 * long sentences are wrapped at that width. Lives in `arena`; all arguments must outlive it.
 */
struct listing
summary_listing(const struct analysis *analysis, struct walk *walk, size_t columns,
		struct arena *arena);

void
summary_print(const struct output *output, const struct analysis *analysis,
	      struct walk *walk);

#endif
