/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_BLIND_H
#define INSPECT_BLIND_H

#include "inspect/recorded_step.h"

/**
 * Blind steps: a learner predicts a value before it is shown.
 *
 * A walk with a horizon has no frames behind it, and the step from its last frame lacks the values
 * behind its last event. They are not there: what views, exports and copies make of walk and
 * step cannot contain them, whatever it is.
 */

/** Why something is not shown. */
#define BLIND_WORDS "hidden until it is predicted"

/** Take the values of all that lies behind event `reach` out of a step that was just made. */
void
blind_hide(struct step_view *view, uint32_t reach);

/** What has to be predicted next. */
struct blind_question {
	bool there;		/* false: nothing is left of this step */
	uint32_t event;		/* that has the value; TRACE_NONE: the caller as a whole */
	uint32_t reach;		/* what may be shown once it is known */
	int reg;		/* of the caller, or ARCH_NO_REGISTER */
	uint64_t value;
};

/** The next question of a step behind event `reach`; the step has its values. */
struct blind_question
blind_question(const struct step_view *whole, enum blind blind, uint32_t reach);

/**
 * The first question at or behind `horizon`, which moves there: over events and frames in which
 * nothing is asked. False where there is none: all of the walk may be shown. `walk` is without
 * horizon.
 */
bool
blind_advance(struct walk *walk, struct walk_horizon *horizon, struct blind_question *question);

/** What was predicted at an event; NULL: nothing. */
const struct prediction *
blind_prediction(const struct walk_horizon *horizon, size_t frame, uint32_t event);

#endif
