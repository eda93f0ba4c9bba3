/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALKS_COMPARED_H
#define REPORT_STACK_WALKS_COMPARED_H

#include "document/listing.h"

/**
 * Two walks of one thread beside each other, aligned by their stack pointers.
 *
 * Frames with the same stack pointer share a row. A sign says how a row's sides go together: none
 * where both are the same frame, `!` where they part for the first time, then `~` where they
 * differ, `<` and `>` where one side alone has a frame.
 */
struct walks_side {
	struct walk *walk;		/* NULL: there is none, `why` says why not */
	const char *name;		/* "original" */
	const char *why;
};

struct walks_counts {
	size_t same;			/* rows */
	size_t different;
};

/**
 * The listing, of the frames that both walks have by now; a row's target is the frame of the right
 * side, or TARGET_NONE. Costs a few nanoseconds a frame. Borrows walks and strings.
 */
struct listing
walks_listing(const struct walks_side *left, const struct walks_side *right, struct arena *arena);

/** How many rows have the same frame on both sides, and how many differ; 0 of another listing. */
struct walks_counts
walks_counts(const struct listing *listing);

/** The row of frame `frame` of the right side, or the closest before it. */
size_t
walks_row(const struct listing *listing, size_t frame);

#endif
