/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_REGISTER_HISTORY_H
#define REPORT_STACK_REGISTER_HISTORY_H

#include "document/facts.h"
#include "report/step/step_view.h"

/**
 * A register's history through the frames: a row for each frame with the register's value there and
 * what the step from its callee did with it.
 *
 *	=	kept
 *	*	changed: the word where it was saved, and the source
 *	+	found, but unknown in the callee
 *	?	lost, with the reason; '-' if calls do not keep the register
 *	.	unknown in all frames so far
 *
 * A row repeats one step of the unwinder when it is filled; making the listing costs nothing.
 */
struct listing
register_history_listing(struct walk *walk, int reg, struct arena *arena);

/** The history as an object; empty for any other listing. */
FACTS_DECLARE(register_history, const struct listing *listing);

#endif
