/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_STEP_H
#define INSPECT_VARIABLE_STEP_H

#include "inspect/variable/frame_variables.h"
#include "inspect/recorded_step.h"

/**
 * The computation of a variable's value, operation by operation, as a step that views can show.
 *
 * The trace has one attempt. Its rules are DWARF expressions: the rules of callers for values at
 * the function's entry come first, the variable's location comes last. Operations are tokens of the
 * postfix language if it has them. Inputs are registers, each with the frame that saved it. If a
 * word in memory is the value, the last token reads it.
 */
struct variable_step {
	const char *name;
	bool argument;
	struct variable_value value;
};

/** A variable of a frame. `call`: index from the innermost call on; the unit has the last index. */
struct variable_place {
	size_t call, number;
};

/**
 * Find a variable by its name: in the call `from`, in its outer calls, in its inner calls; false if
 * the frame has none.
 */
bool
variable_place_named(struct value_frame *variables, struct text name, size_t from,
		     struct arena *arena, struct variable_place *place);

/**
 * Compute the value of a variable of frame `frame` with a recorder. False: the frame has no such
 * variable. Call step_view_free in either case; the view must not be moved.
 */
bool
variable_step_make(struct step_view *view, struct walk *walk, const struct memory_view *memory,
		   size_t frame, struct variable_place place);

#endif
