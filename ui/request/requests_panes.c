/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Panes: which views have the screen, and how much of it. */

void
request_zoom(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	explorer->session.choice.zoom = !explorer->session.choice.zoom;
}

static void
grow(struct explorer *explorer, int columns, int rows)
{
	struct session *session = &explorer->session;

	if (session->choice.zoom)
		session_say(session, "the view has the whole screen; z gives it back");
	else if (!layout_grow(&session->choice, &explorer->layout, columns, rows))
		session_say(session, "this pane has no border to move");
}

static int
count_of(const char *arguments, int fallback)
{
	char *end;
	long count = strtol(arguments, &end, 10);

	if (end == arguments)
		return fallback;
	return count < -1000 ? -1000 : count > 1000 ? 1000 : (int)count;
}

void
request_taller(struct explorer *explorer, const char *arguments, int direction)
{
	grow(explorer, 0, direction * count_of(arguments, 1));
}

void
request_wider(struct explorer *explorer, const char *arguments, int direction)
{
	grow(explorer, direction * count_of(arguments, 2), 0);
}

void
request_hide(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	const char *name = layout_view_name(session->choice.focus);

	(void)arguments;
	(void)value;
	if (layout_hide(&session->choice, &explorer->layout))
		session_say(session, "'%s' is hidden; its key or :show brings it back", name);
	else
		session_say(session, "this is the only pane");
}

void
request_show(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;

	(void)arguments;
	(void)value;
	session_say(session, session->choice.hidden != 0 ? "all panes are shown"
							 : "no pane is hidden");
	session->choice.hidden = 0;
}

/* All names, behind what is to be said first. */
static void
say_layouts(struct session *session, const char *first)
{
	char names[200] = "";
	size_t length = 0;

	for (unsigned i = 0; layout_plan_name(i) != NULL && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   i > 0 ? ", " : "", layout_plan_name(i));
	session_say(session, "%s; there are %s", first, names);
}

bool
requests_layout(struct explorer *explorer, const char *name)
{
	struct session *session = &explorer->session;
	const size_t length = strcspn(name, " ");
	unsigned number = 0;

	while (layout_plan_name(number) != NULL &&
	       (strlen(layout_plan_name(number)) != length ||
		strncmp(layout_plan_name(number), name, length) != 0))
		number++;
	if (layout_plan_name(number) == NULL)
		return false;
	session->choice.plan = number;
	session->choice.zoom = false;
	session->choice.hidden = 0;
	memset(session->choice.moves, 0, sizeof(session->choice.moves));
	memset(session->choice.used, 0, sizeof(session->choice.used));
	return true;
}

void
request_layout(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	const struct layout *layout = &explorer->layout;
	char first[100];

	(void)value;
	if (arguments[0] == '\0') {
		snprintf(first, sizeof(first), "the layout is '%s'%s",
			 layout_plan_name(layout->plan + 1),
			 session->choice.plan == 0 ? ", by the screen's size" : "");
		say_layouts(session, first);
	} else if (!requests_layout(explorer, arguments)) {
		snprintf(first, sizeof(first), "there is no layout '%.40s'", arguments);
		say_layouts(session, first);
		session->failed = true;
	} else if (!layout_plan_fits(session->choice.plan, layout->columns, layout->rows)) {
		session_say(session, "'%s' needs a larger screen; until then what fits is shown",
			    layout_plan_name(session->choice.plan));
	}
}
