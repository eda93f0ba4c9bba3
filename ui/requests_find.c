/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "ui/requests.h"

/* Finding: search and filter in the rows of the focused view. */

static bool
row_has(const struct explorer *explorer, struct session_view *view, size_t index, struct row *row)
{
	size_t at, length;

	row_clear(row);
	view->listing.fill(&view->listing, session_listing_row(view, index), 0, row);
	return search_in(&explorer->search, text_of(row_text(row)), 0, &at, &length);
}

/* Rows that a search looks at before it gives up: a dump of gigabytes has more. */
#define MOST_SEARCHED 2000000u

bool
requests_search(struct explorer *explorer, size_t from, int direction)
{
	struct session_view *view = requests_view(explorer);
	size_t rows = session_rows(view), at = from < rows ? from : 0;
	struct arena arena;
	struct row row;
	bool found = false;

	if (explorer->search.length == 0)
		return false;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < rows && i < MOST_SEARCHED && !found; i++) {
		found = row_has(explorer, view, at, &row);
		if (!found)
			at = direction > 0 ? (at + 1 < rows ? at + 1 : 0)
					   : (at > 0 ? at - 1 : rows - 1);
	}
	arena_free(&arena);
	if (found)
		requests_select(explorer, at);
	return found;
}

void
requests_typed(struct explorer *explorer, const char *text)
{
	if (!explorer->prompting || explorer->prompt == PROMPT_COMMAND)
		return;
	if (explorer->prompt == PROMPT_FILTER) {
		requests_filter(explorer, text);
		return;
	}
	search_set(&explorer->search, text);
	if (text[0] == '\0' || !requests_search(explorer, explorer->search_from, 1))
		requests_select(explorer, explorer->search_from);
}

/* Rows counted for "3 of 17": more would make a key late. */
#define MOST_COUNTED 20000u

bool
requests_search_count(struct explorer *explorer, size_t *at, size_t *count)
{
	struct session_view *view = requests_view(explorer);
	size_t rows = session_rows(view);
	struct arena arena;
	struct row row;

	*at = *count = 0;
	if (explorer->search.length == 0 || rows > MOST_COUNTED)
		return false;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < rows; i++) {
		if (!row_has(explorer, view, i, &row))
			continue;
		(*count)++;
		if (i <= view->selected)
			*at = *count;
	}
	arena_free(&arena);
	return true;
}

void
requests_filter(struct explorer *explorer, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->help)
		return;
	session_filter(session, session->choice.focus, arguments);
}

void
requests_find(struct explorer *explorer, const char *arguments)
{
	search_set(&explorer->search, arguments);
	if (!requests_search(explorer, requests_view(explorer)->selected, 1))
		session_say(&explorer->session, "'%s' is nowhere in this view", arguments);
}

void
requests_find_again(struct explorer *explorer, int direction)
{
	size_t rows = session_rows(requests_view(explorer));
	size_t from = requests_view(explorer)->selected;

	if (explorer->search.length == 0) {
		session_say(&explorer->session, "nothing was looked for yet; / finds");
		return;
	}
	bool wrapped = direction > 0 ? from + 1 >= rows : from == 0;
	from = direction > 0 ? (wrapped ? 0 : from + 1) : (wrapped ? rows - 1 : from - 1);
	size_t before = requests_view(explorer)->selected;
	if (!requests_search(explorer, from, direction))
		session_say(&explorer->session, "'%s' is nowhere in this view",
			    explorer->search.pattern);
	else if (direction > 0 ? requests_view(explorer)->selected <= before
			       : requests_view(explorer)->selected >= before)
		session_say(&explorer->session, "the search went on from the %s",
			    direction > 0 ? "first row" : "last row");
}

void
request_find(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		requests_open_prompt(explorer, PROMPT_FIND);
	else
		requests_find(explorer, arguments);
}

void
request_find_again(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	requests_find_again(explorer, direction);
}

void
request_filter(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		requests_open_prompt(explorer, PROMPT_FILTER);
	else
		requests_filter(explorer, arguments);
}

void
request_goto(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (!session_goto(&explorer->session, arguments))
		session_say(&explorer->session, "there is no '%s' to go to", arguments);
}
