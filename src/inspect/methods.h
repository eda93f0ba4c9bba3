/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_METHODS_H
#define INSPECT_METHODS_H

#include "walk/walk.h"

/**
 * The callers that all methods find for one frame. The walk may not have tried a method, may have
 * refused its result, or may have ended at the frame.
 *
 * A sign compares a result with the walk's caller: `*` the walk used the result, `=` same caller,
 * `~` same except for the frame pointer, `!` another caller, `?` the walk ended here.
 */
struct methods_answer {
	enum method_id method;
	struct verdict verdict;		/* verdict.method is METHOD_COUNT: not tried */
	struct frame caller;		/* valid if the verdict is VERDICT_TAKEN */
	bool off;			/* switched off by the policy */
	bool has_cfa;
	uint64_t cfa;			/* value of its CFA rule */
	char sign;			/* see above; ' ': no result */
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
