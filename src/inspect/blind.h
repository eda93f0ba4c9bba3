/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_BLIND_H
#define INSPECT_BLIND_H

#include "inspect/recorded_step.h"

/**
 * Blind steps: a learner predicts a value before it is shown.
 *
 * A walk with a horizon has no frames after the horizon, and the step from its last frame has no
 * values after the horizon's event. Those values are removed, so that no view, export or copy of
 * the walk or the step can contain them.
 */

#define BLIND_WORDS "hidden until it is predicted"

/** Remove all values after event `reach` from a new step. */
void
blind_hide(struct step_view *view, uint32_t reach);

/** The next value to predict. */
struct blind_question {
	bool there;		/* false: the step has no further question */
	uint32_t event;		/* event with the value; TRACE_NONE: the complete caller */
	uint32_t reach;		/* last event to show once the value is predicted */
	int reg;		/* register of the caller, or ARCH_NO_REGISTER */
	uint64_t value;
};

/** The next question of a step after event `reach`; the step must still have its values. */
struct blind_question
blind_question(const struct step_view *whole, enum blind blind, uint32_t reach);

/**
 * Move `horizon` to the first question at or after it, past events and frames without a question.
 * False: no question is left, so the complete walk may be shown. `walk` itself has no horizon.
 */
bool
blind_advance(struct walk *walk, struct walk_horizon *horizon, struct blind_question *question);

/** The learner's prediction for an event; NULL: none. */
const struct prediction *
blind_prediction(const struct walk_horizon *horizon, size_t frame, uint32_t event);

#endif
