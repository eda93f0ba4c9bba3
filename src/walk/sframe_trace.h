/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_SFRAME_TRACE_H
#define WALK_SFRAME_TRACE_H

#include "walk/step.h"

/**
 * What a step by SFrame leaves in its trace besides the facts: the function's rows around the
 * one in force, and the bytes of descriptor and row with what they mean. Nothing without a trace.
 */

/** Record a descriptor as a fact, with its fields below it. */
void
sframe_trace_function(struct step *step, const struct sframe_function *function);

/** Record the row in force as a fact, with the rows around it and its fields below it. */
void
sframe_trace_row(struct step *step, const struct sframe_function *function,
		 const struct sframe_row *row);

/** Record the first rows of a function none of whose rows is in force. */
void
sframe_trace_rows(struct step *step, const struct sframe_function *function);

#endif
