/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/hunt.h"

#include <stdlib.h>

#include "base/clock.h"
#include "ui/request/requests.h"
#include "ui/view/views.h"

enum {
	SLICE = 15,		/* ms that a key may wait */
	ROWS_PER_LOOK = 128,	/* between two looks at the clock */
	MOST_MATCHES = 1 << 22,	/* that are counted */
};

static bool
row_has(const struct search *search, struct session_view *view, size_t index, struct row *row)
{
	size_t at, length;

	row_clear(row);
	view->listing.fill(&view->listing, session_listing_row(view, index), 0, row);
	return search_in(search, text_of(row_text(row)), 0, &at, &length);
}

void
hunt_set(struct explorer *explorer, const char *text)
{
	explorer->hunt.active = false;
	explorer->hunt.number++;
	search_set(&explorer->hunt.search, text, explorer->session.regex);
}

/* The search has come to its end. */
static void
finish(struct explorer *explorer, bool found)
{
	struct hunt *hunt = &explorer->hunt;
	const bool round = hunt->direction > 0 ? hunt->at < hunt->from : hunt->at > hunt->from;

	hunt->active = false;
	explorer->session.notice[0] = '\0';
	if (found)
		requests_select(explorer, hunt->at);
	else if (hunt->typed)
		requests_select(explorer, hunt->from);
	if (hunt->typed)
		return;
	if (hunt->search.wrong[0] != '\0')
		session_say(&explorer->session, "'%s' is taken for plain text: %s",
			    hunt->search.pattern, hunt->search.wrong);
	else if (!found)
		session_fail(&explorer->session, "'%s' is nowhere in this view",
			     hunt->search.pattern);
	else if (round)
		session_say(&explorer->session, "the search went on from the %s",
			    hunt->direction > 0 ? "first row" : "last row");
}

static void
look_on(struct explorer *explorer, int64_t end)
{
	struct hunt *hunt = &explorer->hunt;
	struct session_view *view = requests_view(explorer);
	const size_t rows = session_rows(view);
	struct arena arena;
	struct row row;
	bool found = false;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	hunt->at = hunt->at < rows ? hunt->at : 0;
	while (hunt->left > 0 && rows > 0 && !found &&
	       (hunt->left % ROWS_PER_LOOK != 0 || clock_milliseconds() < end)) {
		found = row_has(&hunt->search, view, hunt->at, &row);
		hunt->left--;
		if (found)
			break;
		hunt->at = hunt->direction > 0 ? (hunt->at + 1 < rows ? hunt->at + 1 : 0)
					       : (hunt->at > 0 ? hunt->at : rows) - 1;
	}
	arena_free(&arena);
	if (found || hunt->left == 0 || rows == 0)
		finish(explorer, found);
	else
		session_say(&explorer->session, "searching: %zu%%; C-c stops",
			    100 - hunt->left / (rows / 100 + 1));
}

void
hunt_begin(struct explorer *explorer, size_t from, int direction, bool typed)
{
	struct hunt *hunt = &explorer->hunt;

	if (hunt->search.length == 0)
		return;
	hunt->active = true;
	hunt->typed = typed;
	hunt->direction = direction;
	hunt->at = hunt->from = from;
	hunt->left = session_rows(requests_view(explorer));
	look_on(explorer, clock_milliseconds() + SLICE);
}

bool
hunt_stop(struct explorer *explorer)
{
	const bool active = explorer->hunt.active;

	explorer->hunt.active = false;
	return active;
}

static uint64_t
mix(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x100000001b3) + 1;
}

/* A number that is another where the matches may be others. */
static uint64_t
key_of(struct explorer *explorer, const struct session_view *view)
{
	struct session *session = &explorer->session;
	const enum layout_view focus = session->choice.focus;
	uint64_t key = mix(explorer->hunt.number, session_rows(view));

	if (explorer->help)
		return mix(key, explorer->page.number) | 1;
	const uint64_t stamp = views_stamp(session, focus, &view->listing);
	key = mix(mix(key, focus), view->filtered);
	return mix(key, stamp != 0 ? stamp : view->made) | 1;
}

static void
keep_match(struct hunt *hunt, size_t row)
{
	if (hunt->match_count == hunt->match_room) {
		const size_t room = hunt->match_room == 0 ? 256 : hunt->match_room * 2;
		size_t *matches = room > MOST_MATCHES
					  ? NULL
					  : realloc(hunt->matches, room * sizeof(*matches));

		if (matches == NULL)
			return;
		hunt->matches = matches;
		hunt->match_room = room;
	}
	hunt->matches[hunt->match_count++] = row;
}

static void
count_on(struct explorer *explorer, int64_t end)
{
	struct hunt *hunt = &explorer->hunt;
	struct session_view *view = requests_view(explorer);
	const size_t rows = session_rows(view);
	const uint64_t key = key_of(explorer, view);
	struct arena arena;
	struct row row;

	if (key != hunt->counted) {
		hunt->counted = key;
		hunt->match_count = hunt->looked_at = 0;
	}
	if (hunt->looked_at >= rows)
		return;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	do {
		if (row_has(&hunt->search, view, hunt->looked_at, &row))
			keep_match(hunt, hunt->looked_at);
		hunt->looked_at++;
	} while (hunt->looked_at < rows &&
		 (hunt->looked_at % ROWS_PER_LOOK != 0 || clock_milliseconds() < end));
	arena_free(&arena);
}

bool
hunt_work(struct explorer *explorer)
{
	struct hunt *hunt = &explorer->hunt;
	const int64_t end = clock_milliseconds() + SLICE;

	if (hunt->active) {
		look_on(explorer, end);
		return true;
	}
	if (hunt->search.length == 0)
		return false;
	count_on(explorer, end);
	return hunt->looked_at < session_rows(requests_view(explorer));
}

bool
hunt_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole)
{
	struct hunt *hunt = &explorer->hunt;
	const struct session_view *view = requests_view(explorer);
	size_t low = 0, high;

	if (hunt->search.length == 0)
		return false;
	count_on(explorer, clock_milliseconds() + SLICE);
	for (high = hunt->match_count; low < high;) {
		const size_t middle = low + (high - low) / 2;

		if (hunt->matches[middle] <= view->selected)
			low = middle + 1;
		else
			high = middle;
	}
	*at = low;
	*count = hunt->match_count;
	*whole = hunt->looked_at >= session_rows(view);
	return true;
}

void
hunt_free(struct hunt *hunt)
{
	search_clear(&hunt->search);
	free(hunt->matches);
	*hunt = (struct hunt){ 0 };
}
