/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_drawing.h"
#include "ui/view/view.h"

/* The selected frame, drawn as it lies on the stack. */

static struct listing
make_drawing(struct session *session, struct session_view *view)
{
	const struct frame_drawing_options options = {
		.step = session_frame_step(session),
		.memory = &session->memory.view,
		.binaries = session->binaries,
	};

	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	view->row = 0;
	return frame_drawing_listing(&options, &view->arena);
}

const struct view_ops view_DRAWING = { .make = make_drawing, .legend = "lowest address first" };
