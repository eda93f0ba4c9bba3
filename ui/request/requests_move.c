/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdlib.h>
#include <string.h>

#include "ui/view/rules_view.h"

/* Moving in the rows of a view, and from view to view. */

static void
move(struct explorer *explorer, long rows)
{
	struct session_view *view = requests_view(explorer);
	size_t count = session_rows(view);

	if (rows < 0)
		requests_select(explorer,
			   view->selected > (size_t)-rows ? view->selected - (size_t)-rows : 0);
	else
		requests_select(explorer, count - view->selected > (size_t)rows
					     ? view->selected + (size_t)rows
					     : count - 1);
}

void
request_move(struct explorer *explorer, const char *arguments, int rows)
{
	(void)arguments;
	move(explorer, rows);
}

void
request_move_half(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	move(explorer, direction * ((long)requests_page(explorer) + 1) / 2);
}

void
request_move_page(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	move(explorer, direction * (long)requests_page(explorer));
}

void
request_move_end(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	requests_select(explorer, direction < 0 ? 0 : SIZE_MAX);
}

void
request_row(struct explorer *explorer, const char *arguments, int value)
{
	char *end;
	unsigned long long number = strtoull(arguments, &end, 10);
	const size_t rows = session_rows(requests_view(explorer));

	(void)value;
	if (*end != '\0' || number == 0 || number > rows)
		session_fail(&explorer->session, "there is no row '%s'; expected 1 to %zu",
			     arguments, rows);
	else
		requests_select(explorer, (size_t)number - 1);
}

void
request_scroll(struct explorer *explorer, const char *arguments, int direction)
{
	struct session_view *view = requests_view(explorer);
	const size_t by = 8;

	(void)arguments;
	if (!explorer->help && explorer->session.choice.focus == LAYOUT_TABLE)
		rules_view_move(&explorer->session, direction);
	else if (direction > 0)
		view->left += by;
	else
		view->left = view->left > by ? view->left - by : 0;
}

void
request_problem(struct explorer *explorer, const char *arguments, int direction)
{
	const bool there = explorer->session.choice.focus == LAYOUT_MESSAGES;

	(void)arguments;
	requests_focus(explorer, LAYOUT_MESSAGES);
	if (there)
		move(explorer, direction);
	struct session_view *view = requests_view(explorer);
	struct target target = { .kind = TARGET_NONE };
	if (session_rows(view) > 0)
		target = view->listing.target(&view->listing,
					      session_listing_row(view, view->selected));
	if (target.kind == TARGET_PLACE)
		session_say(&explorer->session, "Enter goes to the place of the message");
	else
		session_say(&explorer->session, "there are no messages");
}

void
request_view(struct explorer *explorer, const char *arguments, int view)
{
	(void)arguments;
	requests_focus(explorer, (enum layout_view)view);
}

void
request_view_named(struct explorer *explorer, const char *arguments, int value)
{
	const size_t length = strcspn(arguments, " ");

	(void)value;
	if (length == 0) {
		requests_open_line(explorer, "view ");
		return;
	}
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (text_equal((struct text){ arguments, length },
			       text_of(layout_view_name((enum layout_view)i)))) {
			requests_focus(explorer, (enum layout_view)i);
			return;
		}
	session_fail(&explorer->session, "there is no view '%s'; V and Tab list them", arguments);
}

void
request_focus(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	requests_focus(explorer, layout_next(&explorer->layout, explorer->session.choice.focus,
					     direction));
}
