/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "ui/session/session.h"

/*
 * Which rows of a view are shown. All of a million rows must be looked at, so it is done in slices,
 * with the rows that are found already on the screen.
 */

enum {
	SLICE = 15,		/* ms that a key may wait */
	ROWS_PER_LOOK = 256,	/* between two looks at the clock */
	MOST_SHOWN = 1 << 22,	/* rows kept */
};

size_t
session_rows(const struct session_view *view)
{
	return view->filter[0] != '\0' ? view->shown_count : view->listing.count;
}

size_t
session_listing_row(const struct session_view *view, size_t index)
{
	return view->filter[0] != '\0' ? view->shown[index] : index;
}

size_t
session_shown_row(const struct session_view *view, size_t row)
{
	size_t low = 0, high = view->shown_count;

	if (view->filter[0] == '\0')
		return row;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (view->shown[middle] <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : 0;
}

static bool
keep_row(struct session_view *view, size_t row)
{
	if (view->shown_count == view->shown_room) {
		const size_t room = view->shown_room == 0 ? 1024 : view->shown_room * 2;
		size_t *shown = room > MOST_SHOWN ? NULL
						  : realloc(view->shown, room * sizeof(*shown));

		if (shown == NULL)
			return false;
		view->shown = shown;
		view->shown_room = room;
	}
	view->shown[view->shown_count++] = row;
	return true;
}

bool
session_is_filtering(const struct session_view *view)
{
	return view->filter[0] != '\0' && view->fresh && view->looked_at < view->listing.count;
}

void
session_filter_more(struct session_view *view)
{
	const int64_t end = clock_milliseconds() + SLICE;
	const size_t count = view->listing.count;
	struct arena arena;
	struct row row;
	size_t at, length;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	while (view->looked_at < count && (view->looked_at % ROWS_PER_LOOK != 0 ||
					   view->looked_at == 0 || clock_milliseconds() < end)) {
		row_clear(&row);
		view->listing.fill(&view->listing, view->looked_at, 0, &row);
		if (search_in(&view->wanted, text_of(row_text(&row)), 0, &at, &length) &&
		    !keep_row(view, view->looked_at))
			view->looked_at = count - 1;
		view->looked_at++;
	}
	arena_free(&arena);
}

void
session_filter_rows(struct session_view *view, uint64_t stamp)
{
	if (view->filter[0] == '\0')
		return;
	/* Where another look finds nothing else, what was found stays. */
	if (stamp == 0 || stamp != view->filtered) {
		view->filtered = stamp;
		view->shown_count = view->looked_at = 0;
	}
	session_filter_more(view);
}

void
session_set_filter(struct session_view *view, const char *text, bool regex)
{
	snprintf(view->filter, sizeof(view->filter), "%s", text);
	search_set(&view->wanted, view->filter, regex);
	view->filtered = 0;
	view->fresh = false;
}

void
session_filter(struct session *session, enum layout_view which, const char *text)
{
	session_set_filter(session_view(session, which), text, session->regex);
	session_view(session, which);
}

void
session_free_view(struct session_view *view)
{
	arena_free(&view->arena);
	search_clear(&view->wanted);
	free(view->shown);
	view->shown = NULL;
}
