/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_ALIGN_H
#define INSPECT_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/**
 * Aligns the frames of two walks by a key.
 *
 * Frames with the same key are paired. In two walks of one thread the key is the stack pointer; in
 * walks of different dumps it is the function. The number `said` of a frame describes the rest of
 * the frame. Paired frames are equal if these numbers are equal. Each pair has a sign:
 *
 *	=	equal
 *	~	same key, different `said`
 *	<	only in the first walk
 *	>	only in the second walk
 */
struct align_frame {
	uint64_t key, said;
};

struct align_side {
	const struct align_frame *frames;	/* frames, innermost first */
	size_t count;
};

struct align_pair {
	char sign;
	size_t frame[2];		/* index on each side; ALIGN_NONE: this side has no frame */
};

#define ALIGN_NONE SIZE_MAX

struct alignment {
	struct align_pair *pairs;	/* pairs, innermost first */
	size_t count;
	size_t paired, different;	/* pairs of two frames; pairs that are not equal */
	size_t last;			/* outermost pair that is not equal, or ALIGN_NONE */
};

/**
 * Align by the keys. Frames that both walks have at their innermost and outermost ends are paired
 * first. The frames between are aligned in one pass if keys are `ascending`, else by their longest
 * common subsequence. The alignment lives in `arena`; false when out of memory.
 */
bool
align(struct alignment *alignment, const struct align_side sides[2], bool ascending,
      struct arena *arena);

#endif
