/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_METHODS_H
#define INSPECT_METHODS_H

#include "walk/walk.h"

/**
 * The results of every method for one frame's caller, including methods that the walk did not need
 * or refused, and steps beyond the end of a stack.
 *
 * A sign compares a result with the walk's: `*` the walk used it, `=` the same caller, `~` the same
 * except for the frame pointer, `!` another caller. If the walk's stack ends here, a result has
 * `?`.
 */
struct methods_answer {
	enum method_id method;
	struct verdict verdict;		/* its method is METHOD_COUNT if no attempt was made */
	struct frame caller;		/* valid if the verdict is VERDICT_TAKEN */
	bool off;			/* switched off by the policy */
	bool has_cfa;
	uint64_t cfa;			/* value of its CFA rule */
	char sign;			/* ' ': no result */
	struct text name;		/* caller's function; may be empty */
};

struct methods_compared {
	struct walk *walk;
	size_t frame;
	struct verdict verdict;		/* verdict of the walk's own step */
	struct frame caller;
	struct methods_answer answers[METHOD_COUNT];
	size_t count;
};

/** Try every method of the walk's architecture. Lives in `arena`; NULL when out of memory. */
const struct methods_compared *
methods_compare(struct walk *walk, size_t frame, struct arena *arena);

#endif
