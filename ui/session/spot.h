/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SPOT_H
#define UI_SESSION_SPOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

/**
 * A place in a crash as text that a user can send: "thread=0,frame=1,view=eval,token=17".
 *
 * It is the argument of --at and :at, and the output of :at and reports. It does not include edits,
 * filters and folds.
 */
struct session;

/** The parts of a place, in the order in which they are written. */
enum spot_part {
	SPOT_THREAD,
	SPOT_FRAME,
	SPOT_CALL,		/* an inlined call: 0 is the innermost one */
	SPOT_METHOD,		/* step by this method only */
	SPOT_VARIABLE,		/* step that computes the variable */
	SPOT_ATTEMPT,		/* of the step, from 1; default: the one used */
	SPOT_TOKEN,		/* of the attempt, from 1, as in the evaluation */
	SPOT_EVENT,		/* of the step, if the cursor is on no token */
	SPOT_VIEW,
	SPOT_STREAM,		/* of the dump, by index; RECORD is within it */
	SPOT_RECORD,
	SPOT_ADDRESS,		/* in memory or code */
	SPOT_RAW,		/* a place in a file, as in :goto */
	SPOT_ROW,		/* of the view, from 1 */
	SPOT_COUNT
};

/** Bytes of the longest place. */
#define SPOT_SIZE 256u

/** The name of a part with its '=', for completion; NULL after the last. */
const char *
spot_part(size_t index);

/** A place under construction; views add their parts. */
struct spot_text;

/** Add a part; if it does not fit, omit it. */
void
spot_add(struct spot_text *text, enum spot_part part, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Write the present place. */
void
spot_write(struct session *session, char *buffer, size_t size);

/** Select and walk the thread of a place; other parts are ignored. */
void
spot_select_thread(struct session *session, const char *text);

/**
 * Go to a place; missing parts are the first of their kind. If the text is invalid or this crash
 * has no such place, report what is shown instead.
 */
void
spot_go(struct session *session, const char *text);

#endif
