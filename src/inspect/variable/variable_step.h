/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_STEP_H
#define INSPECT_VARIABLE_STEP_H

#include "inspect/variable/frame_variables.h"
#include "inspect/recorded_step.h"

/**
 * How a variable's value comes about, operation by operation, as a step that views can show.
 *
 * The trace has one attempt. In it a rule is an expression in DWARF: what callers say of values at
 * the function's entry comes first, the variable's location last, with its operations as tokens of
 * the postfix language, as far as that has them. Inputs are registers, each with the frame that
 * saved it. If a word in memory is the value, the last token reads it.
 */
struct variable_step {
	const char *name;
	bool argument;
	struct variable_value value;
};

/** A variable of a frame: `call` counts its calls from the innermost on, then its unit. */
struct variable_place {
	size_t call, number;
};

/**
 * The place of a variable by its name: of the call `from`, of those around it, of those within;
 * false where the frame has none.
 */
bool
variable_place_named(const struct frame_variables *variables, struct text name, size_t from,
		     struct arena *arena, struct variable_place *place);

/**
 * Compute the value of a variable of frame `frame` with a recorder. False where the frame has no
 * such variable. Freed with step_view_free, in either case; the view must stay where it is.
 */
bool
variable_step_make(struct step_view *view, struct walk *walk, const struct memory_view *memory,
		   size_t frame, struct variable_place place);

#endif
