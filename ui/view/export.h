/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_EXPORT_H
#define UI_VIEW_EXPORT_H

#include "base/output.h"
#include "ui/session/session.h"

/**
 * What can be exported of a session as text: copied, or written to a file.
 */
enum export_what {
	EXPORT_VALUE,		/* of the selected row */
	EXPORT_ROW,		/* the selected row */
	EXPORT_LINE,		/* with where it comes from */
	EXPORT_FRAME,		/* the selected frame with its inlined calls */
	EXPORT_WALK,		/* the selected thread, a line for each frame */
	EXPORT_STEP,		/* the selected frame's, all of it */
};

enum export_form { EXPORT_TEXT, EXPORT_MARKDOWN, EXPORT_JSON };

/** The text of it, in `arena`; NULL where there is none. `view` has the selected row. */
const char *
export_text(struct session *session, struct session_view *view, enum export_what what,
	   struct arena *arena);

/**
 * Write the walk of the selected thread, or the step of the selected frame, as the batch commands
 * print it. NULL, or a sentence that says why not.
 */
const char *
export_write(struct session *session, enum export_what what, enum export_form form,
	    const struct output *output);

#endif
