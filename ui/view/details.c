/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "report/file/streams.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

static const struct {
	const char *streams, *nothing;
} details[DETAILS_COUNT] = {
#define D(id, command, help, streams, nothing) [DETAILS_##id] = { streams, nothing },
#include "ui/view/details.def"
};

/* The view of the dump itself: its directory and its streams. */

/*
 * Show a stream (an index in crash->streams) or the message `nothing`. Remember the old place.
 */
static void
show(struct session *session, size_t stream, const char *nothing)
{
	struct session_view *view = &session->look.views[LAYOUT_DETAILS];

	session_remember(session);
	session->look.details = (struct session_details){ stream, STREAMS_NONE, nothing };
	layout_focus(&session->look.choice, LAYOUT_DETAILS);
	session_filter(session, LAYOUT_DETAILS, "");
	view->selected = view->top = view->left = 0;
	session_refresh(session);
}

/* Show the first of a command's streams that the dump has, or report that it has none. */
void
request_details(const struct request_call *call)
{
	struct session *session = call->session;
	const char *names = details[call->value].streams;

	/* For "vmmap $rsp", "!address 7ffe0000": identify the address, which shows its mapping. */
	if (call->text[0] != '\0') {
		requests_do(call->explorer, REQUEST_IDENTIFY, call->text);
		return;
	}
	for (size_t length; *names != '\0'; names += length + (names[length] == '|')) {
		char name[64];

		length = strcspn(names, "|");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		const size_t stream = streams_named(session->open.crash, name, 0);
		if (stream != STREAMS_NONE) {
			show(session, stream, NULL);
			return;
		}
	}
	show(session, STREAMS_NONE, details[call->value].nothing);
}

/* Show the directory, or a stream by name, type or '#' and number, as `unspool streams` does. */
void
request_streams(const struct request_call *call)
{
	char typed[128];

	/* Completion appends a blank to the name. */
	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(call->text, " "), call->text);
	const size_t stream = streams_named(call->session->open.crash, typed, 0);
	if (call->value == 0 || typed[0] == '\0')
		show(call->session, STREAMS_NONE, NULL);
	else if (stream != STREAMS_NONE)
		show(call->session, stream, NULL);
	else
		session_fail(call->session, "the dump has no stream '%s'; :streams lists them",
			     call->text);
}

static struct listing
make_details(struct session *session, struct session_view *view)
{
	const struct session_details *shown = &session->look.details;

	if (shown->nothing != NULL)
		return listing_message(shown->nothing);
	if (shown->stream == STREAMS_NONE)
		return streams_directory(session->open.crash, &view->arena);
	return streams_listing(session->open.crash, shown->stream, shown->record, &view->arena);
}

static void
title_details(struct session *session, struct row *row)
{
	const struct session_details *shown = &session->look.details;

	if (shown->nothing != NULL)
		return;
	if (shown->stream == STREAMS_NONE)
		row_add(row, ROLE_NORMAL, "directory, %zu stream%s",
			session->open.crash->stream_count,
			plural(session->open.crash->stream_count));
	else
		row_add_text(row, ROLE_NORMAL,
			     text_of(session->open.crash->streams[shown->stream].name));
}

/*
 * In the directory, open the stream of a row. In a stream, fold or unfold the record of a row; with
 * `head`, only if the row is the record's first. False: nothing was opened or folded.
 */
static bool
toggle(struct session *session, size_t row, bool head)
{
	struct session_view *view = session_view(session, LAYOUT_DETAILS);
	struct session_details *shown = &session->look.details;

	if (shown->nothing != NULL)
		return false;
	if (shown->stream == STREAMS_NONE) {
		const size_t stream = streams_directory_stream(&view->listing, row);

		if (stream != STREAMS_NONE)
			show(session, stream, NULL);
		return stream != STREAMS_NONE;
	}
	const size_t record = streams_record(&view->listing, row);
	if (record == STREAMS_NONE ||
	    (head && streams_record_row(&view->listing, record) != row))
		return false;
	shown->record = record == shown->record ? STREAMS_NONE : record;
	session_refresh(session);
	view = session_view(session, LAYOUT_DETAILS);
	view->selected = session_shown_row(view, streams_record_row(&view->listing, record));
	return true;
}

static const char *
fold_record(struct session *session, size_t row)
{
	return toggle(session, row, false) ? NULL : "nothing folds here";
}

static bool
details_open_record(struct session *session, size_t row)
{
	return toggle(session, row, true);
}

static bool
spot_of_details(struct session *session, struct spot_text *text)
{
	const struct session_details *shown = &session->look.details;

	if (shown->stream != SIZE_MAX)
		spot_add(text, SPOT_STREAM, "%zu", shown->stream);
	if (shown->stream != SIZE_MAX && shown->record != SIZE_MAX)
		spot_add(text, SPOT_RECORD, "%zu", shown->record);
	return false;
}

const struct view_ops view_DETAILS = {
	.make = make_details, .title = title_details, .fold = fold_record,
	.open = details_open_record, .spot = spot_of_details, .wraps = true,
};
