/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

void
row_search_set(struct explorer *explorer, const char *text)
{
	struct row_search *search = &explorer->search;

	search->active = false;
	search->number++;
	pattern_set(&search->found.pattern, text, explorer->session.look.regex);
}

/* Report why an expression is used as plain text, and a result. False: it is not. */
static bool
say_wrong(struct session *session, const struct pattern *pattern, const char *result)
{
	if (pattern->wrong[0] == '\0')
		return false;
	session_say(session, "'%s' is used as plain text: %s%s", pattern->text, pattern->wrong,
		    result);
	return true;
}

/* End the search and report its result. */
static void
finish(struct explorer *explorer, bool found)
{
	struct row_search *search = &explorer->search;
	const struct pattern *pattern = &search->found.pattern;
	const bool round = search->back ? search->at > search->from : search->at < search->from;

	search->active = false;
	explorer->session.notice[0] = '\0';
	if (found)
		requests_select(explorer, search->at);
	else if (search->typed)
		requests_select(explorer, search->from);
	if (search->typed)
		return;
	if (say_wrong(&explorer->session, pattern, found ? "" : "; not found in this view"))
		explorer->session.failed = !found;
	else if (!found)
		session_fail(&explorer->session, "'%s' not found in this view; :find searches the "
			     "dump's memory", pattern->text);
	else if (round)
		session_say(&explorer->session, "the search continued from the %s",
			    search->back ? "last row" : "first row");
}

static void
search_on(struct explorer *explorer)
{
	struct row_search *search = &explorer->search;
	const struct session_view *view = requests_view(explorer);
	const size_t rows = session_rows(view);
	const int64_t end = clock_milliseconds() + ROW_MATCHES_SLICE;
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	bool found = false;

	search->at = search->at < rows ? search->at : 0;
	while (search->left > 0 && rows > 0) {
		found = session_row_matches(view, &search->found.pattern, search->at, &row);
		search->left--;
		if (found)
			break;
		search->at = search->back ? (search->at > 0 ? search->at : rows) - 1
					  : (search->at + 1 < rows ? search->at + 1 : 0);
		if (clock_milliseconds() >= end)
			break;
	}
	arena_free(&arena);
	if (found || search->left == 0 || rows == 0)
		finish(explorer, found);
	else
		session_say(&explorer->session, "searching: %zu%%; C-c stops",
			    100 - search->left / (rows / 100 + 1));
}

static void
begin(struct explorer *explorer, size_t from, bool back, bool typed)
{
	struct row_search *search = &explorer->search;

	if (search->found.pattern.length == 0)
		return;
	search->active = true;
	search->typed = typed;
	search->back = back;
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

/* Count for some milliseconds. True once all rows are checked. */
static bool
count_on(struct explorer *explorer)
{
	struct row_matches *found = &explorer->search.found;
	const struct session_view *view = requests_view(explorer);
	const enum layout_view focus = explorer->session.look.choice.focus;
	/* A hash that changes if the matches may change. */
	uint64_t key = views_mix(explorer->search.number, session_rows(view));

	if (explorer->help.shown) {
		key = views_mix(key, explorer->help.page.number);
	} else {
		const uint64_t stamp = views_stamp(&explorer->session, focus, &view->listing);

		key = views_mix(views_mix(key, focus), view->shown.begun);
		key = views_mix(key, stamp != 0 ? stamp : view->made);
	}
	row_matches_more(found, view, key | 1);
	return found->looked_at >= session_rows(view);
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

void
requests_typed(struct explorer *explorer, const char *text)
{
	if (!explorer->prompt.open || explorer->prompt.kind == PROMPT_COMMAND)
		return;
	if (explorer->prompt.kind == PROMPT_FILTER) {
		requests_filter(explorer, text);
		return;
	}
	row_search_set(explorer, text);
	requests_select(explorer, explorer->prompt.search_from);
	begin(explorer, explorer->prompt.search_from, false, true);
}

void
requests_filter(struct explorer *explorer, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->help.shown) {
		session_set_filter(&explorer->help.view, arguments, session->look.regex);
		help_fit(explorer);
		return;
	}
	session_filter(session, session->look.choice.focus, arguments);
}

void
requests_search(struct explorer *explorer, const char *arguments)
{
	row_search_set(explorer, arguments);
	begin(explorer, requests_view(explorer)->selected, false, false);
}

/* Filter for a slice. False if there was nothing to do. */
static bool
filter_on(struct session_view *view)
{
	if (!session_is_filtering(view))
		return false;
	session_filter_more(view);
	return true;
}

bool
requests_work(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	bool more = explorer->search.active;

	if (more)
		search_on(explorer);
	else if (explorer->search.found.pattern.length > 0)
		more = !count_on(explorer);
	if (explorer->help.shown)
		more |= filter_on(&explorer->help.view);
	for (size_t i = 0; i < ARRAY_COUNT(session->look.views); i++)
		more |= filter_on(&session->look.views[i]);
	return more;
}

void
request_search(const struct request_call *call)
{
	if (call->text[0] == '\0')
		requests_open_prompt(call->explorer, PROMPT_FIND, "");
	else
		requests_search(call->explorer, call->text);
}

/* Go to the next (1) or previous (-1) match, and report if the search wraps. */
void
request_search_again(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	const size_t rows = session_rows(requests_view(explorer));
	const size_t from = requests_view(explorer)->selected;
	const bool back = call->value == -1, edge = back ? from == 0 : from + 1 >= rows;

	if (explorer->search.found.pattern.length == 0) {
		session_fail(call->session, "no search text yet; / searches this view");
		return;
	}
	begin(explorer, back ? (edge ? rows : from) - 1 : (edge ? 0 : from + 1), back, false);
	/* A search that begins at the edge has already wrapped. */
	if (edge && !explorer->search.active && !call->session->failed)
		session_say(call->session, "the search continued from the %s",
			    back ? "last row" : "first row");
}

void
request_filter(const struct request_call *call)
{
	if (call->text[0] == '\0' && call->request == REQUEST_FILTER)
		requests_open_prompt(call->explorer, PROMPT_FILTER, "");
	else
		requests_filter(call->explorer, call->text);
	say_wrong(call->session, &requests_view(call->explorer)->shown.pattern, "");
}
