/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_VERSUS_H
#define REPORT_STACK_VERSUS_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/align.h"

/**
 * One thread in two dumps side by side, and where they part.
 *
 * Frames go together where they are in the same function of the same module, whatever their
 * addresses: the longest common subsequence of both stacks, with what the outermost and the
 * innermost frames have in common taken first. A sign tells the rows apart:
 *
 *	=	the same function at the same line
 *	~	the same function at another line, or at another offset where there are no lines
 *	<	only in the first dump
 *	>	only in the second dump
 *
 * Registers of the innermost frames, reasons and signatures stand above the frames.
 */
enum {
	VERSUS_SIDES = 2,
	VERSUS_MOST_FRAMES = 4096,	/* of either stack, from the innermost frame on */
};

/** One of the dumps; all borrowed. */
struct versus_side {
	const struct walk *walk;	/* NULL: the dump has no such thread */
	const char *signature;		/* NULL: unknown */
};

struct versus {
	struct versus_side sides[VERSUS_SIDES];
	struct alignment frames;
	bool cut;			/* a stack has more frames than were compared */
};

/** Compare two walks. Lives in `arena`, borrows from both walks; NULL when out of memory. */
const struct versus *
versus_compare(const struct versus_side *first, const struct versus_side *second,
	       struct arena *arena);

/**
 * The thread of `other` that goes with a thread of `crash`: the requesting one with the requesting
 * one, else one with the same name that only one has, else one with the same id. False where
 * there is none.
 */
bool
versus_thread(const struct crash *crash, size_t thread, const struct crash *other, size_t *found);

/** Rows: reasons and signatures, registers, frames. A frame's target is that of the first dump. */
struct listing
versus_listing(const struct versus *versus, struct arena *arena);

/** The row where the stacks part; the innermost frame's where they do nowhere. */
size_t
versus_row(const struct listing *listing);

/** The documents of `walk`: a crash and its walks, or two dumps. */
extern const struct fact walk_command_facts[];

FACTS_DECLARE(versus, const struct versus *versus);

#endif
