/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SPOT_H
#define UI_SESSION_SPOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

/**
 * A place in a crash as text that its user can send: "thread=0,frame=1,view=eval,token=17".
 *
 * It is the argument of --at and :at, and what :at and reports print. Edits, filters and folds
 * are no part of it.
 */
struct session;

/** What may stand before a '='. The order is that in which a place is written. */
enum spot_part {
	SPOT_THREAD,
	SPOT_FRAME,
	SPOT_CALL,		/* an inlined call: 0 is the innermost one */
	SPOT_METHOD,		/* the step by this method alone */
	SPOT_VARIABLE,		/* the step that computes it */
	SPOT_ATTEMPT,		/* of the step, from 1; left out: the one that was taken */
	SPOT_TOKEN,		/* of the attempt, from 1, as the evaluation numbers them */
	SPOT_EVENT,		/* of the step, where the cursor is on no token */
	SPOT_VIEW,
	SPOT_STREAM,		/* of the dump: index and record */
	SPOT_RECORD,
	SPOT_ADDRESS,		/* of memory or code */
	SPOT_RAW,		/* a place in a file, as :goto has it */
	SPOT_ROW,		/* of the view, from 1 */
	SPOT_COUNT
};

/** Room for any place that is written. */
#define SPOT_SIZE 256u

/** The name of a part of places with its '=', for completion; NULL behind the last. */
const char *
spot_part(size_t index);

/** A place that is being written, by the views that have something to say of it. */
struct spot_text;

/** Add a part; one that there is no room for is left out as a whole. */
void
spot_add(struct spot_text *text, enum spot_part part, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Write the place where the session stands. */
void
spot_write(struct session *session, char *buffer, size_t size);

/** Whether a text is a place, of this crash or of another. */
enum error_code
spot_check(const char *text, struct error *error);

/** Select the thread of a place, so that it is walked; its other parts are left. */
void
spot_select_thread(struct session *session, const char *text);

/**
 * Go to a place; what it leaves out is as at the beginning of what it names. Where this crash has
 * no such place, or the text is none, it says what is shown instead.
 */
void
spot_go(struct session *session, const char *text);

#endif
