/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/step.h"

static const struct thread *
reported_thread(const struct step *step)
{
	return &step->walk->crash->threads[step->walk->thread];
}

bool
method_is_reported(const struct step *step)
{
	return reported_thread(step)->reported != NULL;
}

/* The caller is the next frame of the list: only its pc is known. */
enum verdict_kind
method_report(struct step *step, struct frame *caller)
{
	const struct thread *thread = reported_thread(step);

	if (step->number >= thread->reported_count)
		return step_end(step, "the crash report lists no further frame");
	const uint32_t event = step_fact(step, thread->place, "frame %zu of the crash report",
					 step->number + 1);
	step_begin_caller(step, caller, TRUST_REPORT);
	step_set(step, caller, step->arch->pc, thread->reported[step->number], event, "");
	return VERDICT_TAKEN;
}
