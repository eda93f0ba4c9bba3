/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_REGISTER_HISTORY_H
#define REPORT_STACK_REGISTER_HISTORY_H

#include "document/facts.h"
#include "report/step/step_view.h"

/**
 * A register's history through the frames: a row a frame, the value that it has there and what the
 * step from the frame below did with it.
 *
 *	=	kept
 *	*	changed: the word that it was saved in, and who says so
 *	+	found, where the frame below has no value
 *	?	lost, and why; '-' where calls keep no such register
 *	.	never known
 *
 * A row takes one step of the unwinder again when it is filled; making the listing costs nothing.
 */
struct listing
register_history_listing(struct walk *walk, int reg, struct arena *arena);

/** The history as an object, empty of listings that were made elsewhere. */
FACTS_DECLARE(register_history, const struct listing *listing);

#endif
