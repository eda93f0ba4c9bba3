/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_METHODS_H
#define INSPECT_METHODS_H

#include "walk/walk.h"

/**
 * What every method says of one frame's caller: also those that the walk did not need, that it
 * refused, and that lie behind an end of the stack.
 *
 * A sign says how an answer goes with the walk's: `*` the walk took it, `=` the same caller, `~`
 * the same but for the frame pointer, `!` another caller. Where the stack ends for the walk an
 * answer has `?`.
 */
struct methods_answer {
	enum method_id method;
	struct verdict verdict;		/* its method is METHOD_COUNT where no attempt was made */
	struct frame caller;		/* counts where the verdict is VERDICT_TAKEN */
	bool off;			/* the policy switches it off */
	bool has_cfa;
	uint64_t cfa;			/* as its rule says */
	char sign;			/* ' ': it has no answer */
	struct text name;		/* of the caller's function; may be empty */
};

struct methods_compared {
	struct walk *walk;
	size_t frame;
	struct verdict verdict;		/* of the walk's own step */
	struct frame caller;
	struct methods_answer answers[METHOD_COUNT];
	size_t count;
};

/** Ask every method of the walk's architecture. Lives in `arena`; NULL when out of memory. */
const struct methods_compared *
methods_compare(struct walk *walk, size_t frame, struct arena *arena);

#endif
