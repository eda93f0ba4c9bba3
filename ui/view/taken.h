/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_TAKEN_H
#define UI_VIEW_TAKEN_H

#include "document/output.h"
#include "ui/session/session.h"

/**
 * What can be taken away of a session as text: copied, or written to a file.
 */
enum taken {
	TAKEN_VALUE,		/* of the selected row */
	TAKEN_ROW,		/* the selected row */
	TAKEN_LINE,		/* with where it comes from */
	TAKEN_FRAME,		/* the selected frame with its inlined calls */
	TAKEN_WALK,		/* the selected thread, a line for each frame */
	TAKEN_STEP,		/* the selected frame's, all of it */
};

enum taken_form { TAKEN_TEXT, TAKEN_MARKDOWN, TAKEN_JSON };

/** The text of it, in `arena`; NULL where there is none. `view` has the selected row. */
const char *
taken_text(struct session *session, struct session_view *view, enum taken what,
	   struct arena *arena);

/**
 * Write the walk of the selected thread, or the step of the selected frame, as the batch commands
 * print it. NULL, or a sentence that says why not.
 */
const char *
taken_write(struct session *session, enum taken what, enum taken_form form,
	    const struct output *output);

#endif
