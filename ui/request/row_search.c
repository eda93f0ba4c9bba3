/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/row_search.h"

#include "base/clock.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

enum {
	SLICE = 15,		/* ms that a key may wait */
	ROWS_PER_LOOK = 128,	/* between two looks at the clock */
};

void
row_search_set(struct explorer *explorer, const char *text)
{
	struct row_search *search = &explorer->search;

	search->active = false;
	search->number++;
	pattern_set(&search->found.pattern, text, explorer->session.regex);
}

/* The search has come to its end. */
static void
finish(struct explorer *explorer, bool found)
{
	struct row_search *search = &explorer->search;
	const struct pattern *pattern = &search->found.pattern;
	const bool round = search->direction > 0 ? search->at < search->from
						 : search->at > search->from;

	search->active = false;
	explorer->session.notice[0] = '\0';
	if (found)
		requests_select(explorer, search->at);
	else if (search->typed)
		requests_select(explorer, search->from);
	if (search->typed)
		return;
	if (pattern->wrong[0] != '\0')
		session_say(&explorer->session, "'%s' is used as plain text: %s", pattern->text,
			    pattern->wrong);
	else if (!found)
		session_fail(&explorer->session, "'%s' not found in this view", pattern->text);
	else if (round)
		session_say(&explorer->session, "the search continued from the %s",
			    search->direction > 0 ? "first row" : "last row");
}

static void
search_on(struct explorer *explorer)
{
	struct row_search *search = &explorer->search;
	const struct session_view *view = requests_view(explorer);
	const size_t rows = session_rows(view);
	const int64_t end = clock_milliseconds() + SLICE;
	struct arena arena;
	struct row row;
	bool found = false;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	search->at = search->at < rows ? search->at : 0;
	while (search->left > 0 && rows > 0 &&
	       (search->left % ROWS_PER_LOOK != 0 || clock_milliseconds() < end)) {
		found = session_row_matches(view, &search->found.pattern, search->at, &row);
		search->left--;
		if (found)
			break;
		search->at = search->direction > 0 ? (search->at + 1 < rows ? search->at + 1 : 0)
						   : (search->at > 0 ? search->at : rows) - 1;
	}
	arena_free(&arena);
	if (found || search->left == 0 || rows == 0)
		finish(explorer, found);
	else
		session_say(&explorer->session, "searching: %zu%%; C-c stops",
			    100 - search->left / (rows / 100 + 1));
}

void
row_search_begin(struct explorer *explorer, size_t from, int direction, bool typed)
{
	struct row_search *search = &explorer->search;

	if (search->found.pattern.length == 0)
		return;
	search->active = true;
	search->typed = typed;
	search->direction = direction;
	search->at = search->from = from;
	search->left = session_rows(requests_view(explorer));
	search_on(explorer);
}

bool
row_search_stop(struct explorer *explorer)
{
	const bool active = explorer->search.active;

	explorer->search.active = false;
	return active;
}

/* A number that is another where the matches may be others. */
static uint64_t
key_of(struct explorer *explorer, const struct session_view *view)
{
	struct session *session = &explorer->session;
	const enum layout_view focus = session->choice.focus;
	uint64_t key = views_mix(explorer->search.number, session_rows(view));

	if (explorer->help)
		return views_mix(key, explorer->page.number) | 1;
	const uint64_t stamp = views_stamp(session, focus, &view->listing);
	key = views_mix(views_mix(key, focus), view->shown.key);
	return views_mix(key, stamp != 0 ? stamp : view->made) | 1;
}

/* Count for a moment. Says whether all rows have been looked at. */
static bool
count_on(struct explorer *explorer)
{
	struct row_matches *found = &explorer->search.found;
	const struct session_view *view = requests_view(explorer);

	row_matches_begin(found, key_of(explorer, view));
	row_matches_more(found, view);
	return found->looked_at >= session_rows(view);
}

bool
row_search_work(struct explorer *explorer)
{
	const struct row_search *search = &explorer->search;

	if (search->active) {
		search_on(explorer);
		return true;
	}
	return search->found.pattern.length > 0 && !count_on(explorer);
}

bool
row_search_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole)
{
	const struct row_matches *found = &explorer->search.found;

	if (found->pattern.length == 0)
		return false;
	*whole = count_on(explorer);
	*at = row_matches_until(found, requests_view(explorer)->selected);
	*count = found->count;
	return true;
}
