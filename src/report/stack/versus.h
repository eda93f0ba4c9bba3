/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_VERSUS_H
#define REPORT_STACK_VERSUS_H

#include "document/facts.h"
#include "document/listing.h"
#include "inspect/align.h"

/**
 * The walks of two dumps, or of one dump with and without edits, side by side. A sign before a row
 * says how its frames are related (inspect/align.h).
 *
 * Frames of two dumps share a row if they are in the same function of the same module, at any
 * address. They are equal if they are at the same line or, without lines, at the same offset. The
 * rows above the frames have the reasons, the signatures and the registers.
 *
 * Frames of one dump share a row if they have the same stack pointer, or if both are innermost.
 * They are equal if pc and trust are the same. The last row says why both stacks end.
 */
enum {
	VERSUS_SIDES = 2,
	VERSUS_MOST_FRAMES = 4096,	/* limit of compared frames, innermost first */
};

/** One of the two walks. All members are borrowed. */
struct versus_side {
	const struct walk *walk;	/* NULL: the dump has no such thread */
	const char *signature;		/* the crash signature; NULL: unknown */
	const char *name;		/* "original"; NULL: the walk of a dump */
	const char *why;		/* if named: why there is no walk */
};

struct versus {
	struct versus_side sides[VERSUS_SIDES];
	struct alignment frames;
	bool cut;			/* a stack has more frames than were compared */
};

/**
 * Compare two walks of one dump if the sides have names, else of two dumps. Lives in `arena`,
 * borrows both walks; NULL when out of memory. A frame of one dump costs a few nanoseconds.
 */
const struct versus *
versus_compare(const struct versus_side *first, const struct versus_side *second,
	       struct arena *arena);

/**
 * Find the thread of `other` that corresponds to a thread of `crash`. The requesting threads
 * correspond. Other threads correspond by a name that is unique in each dump, else by their ID.
 * False if no thread corresponds.
 */
bool
versus_thread(const struct crash *crash, size_t thread, const struct crash *other, size_t *found);

/**
 * The rows. A row of frames leads to the first side's frame or, if the sides have names, to the
 * second side's frame. The current row is the first difference, else the innermost frame.
 */
struct listing
versus_listing(const struct versus *versus, struct arena *arena);

/** The compared frames of a versus_listing(); NULL: it is another listing. */
const struct alignment *
versus_frames(const struct listing *listing);

/** The row of frame `frame` of the second walk, or the closest row before it. */
size_t
versus_row_of(const struct listing *listing, size_t frame);

/** The documents of `walk`: a crash and its walks, or two dumps. */
extern const struct fact walk_command_facts[];

FACTS_DECLARE(versus, const struct versus *versus);

#endif
