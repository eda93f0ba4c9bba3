/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_contents.h"
#include "ui/view/view.h"

/* The contents of the selected frame. */

static struct listing
make_frame(struct session *session, struct session_view *view)
{
	const struct telescope_options options = {
		.crash = session->crash,
		.memory = &session->memory.view,
		.binaries = session->binaries,
		.walk = session_walk(session),
		.step = session_frame_step(session),
		.state = &session->memory.telescope,
		.base = 16,
		.until = memory_until(session),
	};

	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	const struct frame_contents *contents = frame_contents_of(
		&options, &session->memory.locals, &view->arena);
	return contents != NULL ? frame_contents_listing(contents, &view->arena)
				: listing_out_of_memory();
}

static uint64_t
stamp_frame(struct session *session, const struct listing *listing)
{
	return views_mix(views_mix(listing->count, session->stack.thread), session->stack.frame);
}

static void
title_frame(struct session *session, struct row *row)
{
	if (session->has_step)
		row_add(row, ROLE_NORMAL, "frame %zu", session->stack.frame);
}

static const char *
fold_frame(struct session *session, size_t row)
{
	struct session_view *view = session_view(session, LAYOUT_FRAME);
	const uint64_t address = frame_contents_address(&view->listing, row);
	const uint64_t local = frame_contents_local(&view->listing, row);

	if (local != 0) {
		locals_toggle(&session->memory.locals, local);
		session_refresh(session);
		session_view(session, LAYOUT_FRAME)->selected = row;
		return NULL;
	}
	if (address == 0 || !telescope_toggle(&session->memory.telescope, address))
		return "nothing folds here: not a word that is part of a run, nor a variable with "
		       "parts";
	session_refresh(session);
	view = session_view(session, LAYOUT_FRAME);
	view->selected = session_shown_row(view, frame_contents_row(&view->listing, address));
	return NULL;
}

static void
fold_all_frame(struct session *session, bool fold)
{
	telescope_open_all(&session->memory.telescope, !fold);
	session_refresh(session);
}

static struct row_subject
subject_of_row(const struct listing *listing, size_t row)
{
	const uint64_t address = frame_contents_address(listing, row);
	const int reg = frame_contents_register(listing, row);
	struct row_subject subject = { .kind = SUBJECT_VARIABLE, .reg = ARCH_NO_REGISTER };

	if (frame_contents_variable(listing, row, &subject.variable))
		return subject;
	if (address != 0)
		return (struct row_subject){ .kind = SUBJECT_WORD, .address = address };
	return (struct row_subject){
		.kind = reg != ARCH_NO_REGISTER ? SUBJECT_REGISTER : SUBJECT_NONE, .reg = reg
	};
}

const struct view_ops view_FRAME = {
	.make = make_frame, .title = title_frame, .stamp = stamp_frame, .fold = fold_frame,
	.fold_all = fold_all_frame, .subject = subject_of_row,
};
