/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include "ui/view/help.h"

/* Finding: search and filter in the rows of the focused view. */

void
requests_typed(struct explorer *explorer, const char *text)
{
	if (!explorer->prompting || explorer->prompt == PROMPT_COMMAND)
		return;
	if (explorer->prompt == PROMPT_FILTER) {
		requests_filter(explorer, text);
		return;
	}
	hunt_set(explorer, text);
	requests_select(explorer, explorer->search_from);
	hunt_begin(explorer, explorer->search_from, 1, true);
}

void
requests_filter(struct explorer *explorer, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->help) {
		session_set_filter(&explorer->help_view, arguments, session->regex);
		help_fit(explorer);
		return;
	}
	session_filter(session, session->choice.focus, arguments);
}

void
requests_find(struct explorer *explorer, const char *arguments)
{
	hunt_set(explorer, arguments);
	hunt_begin(explorer, requests_view(explorer)->selected, 1, false);
}

void
requests_find_again(struct explorer *explorer, int direction)
{
	const size_t rows = session_rows(requests_view(explorer));
	const size_t from = requests_view(explorer)->selected;
	const bool edge = direction > 0 ? from + 1 >= rows : from == 0;

	if (explorer->hunt.search.length == 0) {
		session_fail(&explorer->session, "nothing was looked for yet; / finds");
		return;
	}
	hunt_begin(explorer, direction > 0 ? (edge ? 0 : from + 1) : (edge ? rows : from) - 1,
		   direction, false);
	/* Where it began behind the edge it has gone round already. */
	if (edge && !explorer->hunt.active && !explorer->session.failed)
		session_say(&explorer->session, "the search went on from the %s",
			    direction > 0 ? "first row" : "last row");
}

bool
requests_work(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	bool more = hunt_work(explorer);

	if (explorer->help && session_is_filtering(&explorer->help_view))
		session_filter_more(&explorer->help_view);
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		if (!session_is_filtering(&session->views[i]))
			continue;
		session_filter_more(&session->views[i]);
		more = true;
	}
	return more;
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
request_unfilter(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	requests_filter(explorer, "");
}

void
request_goto(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (!session_goto(&explorer->session, arguments))
		session_fail(&explorer->session, "there is no '%s' to go to", arguments);
}
