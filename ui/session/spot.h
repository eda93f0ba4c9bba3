/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SPOT_H
#define UI_SESSION_SPOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * A place in a crash as text that its user can send: "thread=0,frame=1,view=eval,token=17".
 *
 * It is the argument of --at and :at, and what :at and reports print. Edits, filters and folds
 * are no part of it.
 */
struct session;

/** Room for any place that is written. */
#define SPOT_SIZE 256u

/** The name of a part of places with its '=', for completion; NULL behind the last. */
const char *
spot_part(size_t index);

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
