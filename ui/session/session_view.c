/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/session_view.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/sorted.h"

enum {
	SLICE = 15,		/* milliseconds that a key may wait */
	MOST_MATCHES = 1 << 22,	/* stored rows */
};

size_t
session_rows(const struct session_view *view)
{
	return view->filter[0] != '\0' ? view->shown.count : view->listing.count;
}

size_t
session_listing_row(const struct session_view *view, size_t index)
{
	return view->filter[0] != '\0' ? view->shown.rows[index] : index;
}

size_t
session_shown_row(const struct session_view *view, size_t row)
{
	if (view->filter[0] == '\0')
		return row;
	const size_t until = row_matches_until(&view->shown, row);
	return until > 0 ? until - 1 : 0;
}

bool
session_selected(const struct session_view *view, size_t *row)
{
	if (session_rows(view) == 0)
		return false;
	*row = session_listing_row(view, view->selected);
	return true;
}

struct target
session_selected_target(const struct session_view *view)
{
	size_t row;

	return session_selected(view, &row) ? listing_target(&view->listing, row)
					    : (struct target){ .kind = TARGET_NONE };
}

void
session_fill_row(const struct session_view *view, size_t index, size_t columns, struct row *row)
{
	row_clear(row);
	listing_fill(&view->listing, session_listing_row(view, index), columns, row);
}

static bool
text_matches(const struct pattern *pattern, const struct row *row)
{
	size_t at, length;

	return pattern_in(pattern, text_of(row_text(row)), 0, &at, &length);
}

bool
session_row_matches(const struct session_view *view, const struct pattern *pattern, size_t index,
		    struct row *row)
{
	row->names = view->names;
	session_fill_row(view, index, 0, row);
	return text_matches(pattern, row);
}

static bool
keep(struct row_matches *matches, size_t row)
{
	if (matches->count == matches->room) {
		const size_t room = matches->room == 0 ? 1024 : matches->room * 2;
		size_t *rows = room > MOST_MATCHES ? NULL
						   : realloc(matches->rows, room * sizeof(*rows));

		if (rows == NULL)
			return false;
		matches->rows = rows;
		matches->room = room;
	}
	matches->rows[matches->count++] = row;
	return true;
}

/* Check rows for a moment: of the listing, or of those that the view shows. */
static void
look_at_rows(struct row_matches *matches, const struct session_view *view, bool shown)
{
	const size_t count = shown ? session_rows(view) : view->listing.count;
	const int64_t end = clock_milliseconds() + SLICE;
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	row.names = view->names;
	if (matches->looked_at >= count)
		return;
	do {
		const size_t at = matches->looked_at++;

		row_clear(&row);
		listing_fill(&view->listing, shown ? session_listing_row(view, at) : at, 0, &row);
		if (text_matches(&matches->pattern, &row) && !keep(matches, at))
			matches->looked_at = count;
	/* A row may have a name of a megabyte, so the clock is checked after each row. */
	} while (matches->looked_at < count && clock_milliseconds() < end);
	arena_free(&arena);
}

static void
begin(struct row_matches *matches, uint64_t key)
{
	if (key != 0 && key == matches->key)
		return;
	matches->key = key;
	matches->count = matches->looked_at = 0;
}

void
row_matches_more(struct row_matches *matches, const struct session_view *view, uint64_t key)
{
	begin(matches, key);
	look_at_rows(matches, view, true);
}

size_t
row_matches_until(const struct row_matches *matches, size_t row)
{
	size_t at;

	BISECT(at, matches->count, matches->rows[at] <= row);
	return at;
}

void
row_matches_free(struct row_matches *matches)
{
	pattern_clear(&matches->pattern);
	free(matches->rows);
	*matches = (struct row_matches){ 0 };
}

bool
session_is_filtering(const struct session_view *view)
{
	return view->filter[0] != '\0' && view->fresh &&
	       view->shown.looked_at < view->listing.count;
}

void
session_filter_more(struct session_view *view)
{
	look_at_rows(&view->shown, view, false);
}

void
session_filter_rows(struct session_view *view, uint64_t stamp)
{
	if (view->filter[0] == '\0')
		return;
	begin(&view->shown, stamp);
	session_filter_more(view);
}

void
session_set_filter(struct session_view *view, const char *text, bool regex)
{
	snprintf(view->filter, sizeof(view->filter), "%s", text);
	pattern_set(&view->shown.pattern, view->filter, regex);
	view->shown.key = 0;
	view->fresh = false;
}

void
session_free_view(struct session_view *view)
{
	arena_free(&view->arena);
	row_matches_free(&view->shown);
}
