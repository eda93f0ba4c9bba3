/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/details.h"

#include <stdio.h>
#include <string.h>

#include "report/file/streams.h"

static const struct {
	const char *streams, *nothing;
} details[DETAILS_COUNT] = {
#define D(id, streams, nothing) [DETAILS_##id] = { streams, nothing },
#include "ui/view/details.def"
#undef D
};

static void
show(struct session *session, struct session_details shown)
{
	struct session_view *view = &session->views[LAYOUT_DETAILS];

	session_remember(session);
	session->details = shown;
	layout_focus(&session->choice, LAYOUT_DETAILS);
	session_filter(session, LAYOUT_DETAILS, "");
	view->selected = view->top = view->left = 0;
	session_refresh(session);
}

void
details_show_directory(struct session *session)
{
	show(session, (struct session_details){ STREAMS_NONE, STREAMS_NONE, NULL });
}

/* Show a stream (an index in crash->streams), with the way back remembered. */
static void
details_show_stream(struct session *session, size_t stream)
{
	show(session, (struct session_details){ stream, STREAMS_NONE, NULL });
}

void
details_show(struct session *session, enum details_id id)
{
	const char *names = details[id].streams;

	for (size_t length; *names != '\0'; names += length + (names[length] == ' ')) {
		char name[64];

		length = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		size_t stream = streams_named(session->crash, name, 0);
		if (stream != STREAMS_NONE) {
			details_show_stream(session, stream);
			return;
		}
	}
	show(session, (struct session_details){ STREAMS_NONE, STREAMS_NONE,
						details[id].nothing });
}

void
details_show_named(struct session *session, const char *name)
{
	char typed[128];

	/* Completion leaves a blank behind the name. */
	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(name, " "), name);
	size_t stream = streams_named(session->crash, typed, 0);
	if (stream != STREAMS_NONE)
		details_show_stream(session, stream);
	else if (typed[0] == '\0')
		details_show_directory(session);
	else
		session_fail(session, "the dump has no stream '%s'; :streams lists them", name);
}

bool
details_open(struct session *session, bool only_heads)
{
	struct session_view *view = session_view(session, LAYOUT_DETAILS);
	struct session_details *shown = &session->details;

	if (session_rows(view) == 0 || shown->nothing != NULL)
		return false;
	size_t row = session_listing_row(view, view->selected);
	if (shown->stream == STREAMS_NONE) {
		size_t stream = streams_directory_stream(&view->listing, row);

		if (stream != STREAMS_NONE)
			details_show_stream(session, stream);
		return stream != STREAMS_NONE;
	}
	size_t record = streams_record(&view->listing, row);
	if (record == STREAMS_NONE ||
	    (only_heads && streams_record_row(&view->listing, record) != row))
		return false;
	shown->record = record == shown->record ? STREAMS_NONE : record;
	session_refresh(session);
	view = session_view(session, LAYOUT_DETAILS);
	view->selected = session_shown_row(view, streams_record_row(&view->listing, record));
	return true;
}

struct listing
details_listing(struct session *session, struct arena *arena)
{
	const struct session_details *shown = &session->details;

	if (shown->nothing != NULL)
		return listing_message(shown->nothing);
	if (shown->stream == STREAMS_NONE)
		return streams_directory(session->crash, arena);
	return streams_listing(session->crash, shown->stream, shown->record, arena);
}

void
details_title(const struct session *session, struct row *row)
{
	const struct session_details *shown = &session->details;

	if (shown->nothing != NULL)
		return;
	if (shown->stream == STREAMS_NONE)
		row_add(row, ROLE_NORMAL, "directory, %zu stream%s", session->crash->stream_count,
			session->crash->stream_count == 1 ? "" : "s");
	else
		row_add_text(row, ROLE_NORMAL,
			     text_of(session->crash->streams[shown->stream].name));
}
