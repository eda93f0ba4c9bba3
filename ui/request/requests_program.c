/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <string.h>

#include "ui/request/binding.h"
#include "ui/view/help.h"
#include "ui/session/settings.h"
#include "ui/terminal/term.h"
#include "ui/view/views.h"

/* The program: prompt, help, settings, the way out. */

/* Rows that `expect` looks at: a script shall end. */
#define MOST_EXPECTED 1000000u

/* A sentence with one %s in it, for what was wrong. */
static void
say_wrong(struct explorer *explorer, const char *wrong, const char *what)
{
	const char *hole = strstr(wrong, "%s");

	if (hole == NULL)
		session_fail(&explorer->session, "%s", wrong);
	else
		session_fail(&explorer->session, "%.*s%s%s", (int)(hole - wrong), wrong, what,
			     hole + 2);
}

void
request_command(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	requests_open_prompt(explorer, PROMPT_COMMAND);
}

void
request_bind(struct explorer *explorer, const char *arguments, int value)
{
	char key[BINDING_NAME_SIZE];
	const size_t length = strcspn(arguments, " ");
	const char *what, *wrong;

	(void)value;
	snprintf(key, sizeof(key), "%.*s", (int)length, arguments);
	wrong = binding_add(key, arguments + length + strspn(arguments + length, " "), &what);
	if (wrong != NULL)
		say_wrong(explorer, wrong, what);
	explorer->help_view.fresh = false;
}

void
request_unbind(struct explorer *explorer, const char *arguments, int value)
{
	char key[BINDING_NAME_SIZE];
	const char *what, *wrong;

	(void)value;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(arguments, " "), arguments);
	wrong = binding_remove(key, &what);
	if (wrong != NULL)
		say_wrong(explorer, wrong, what);
	explorer->help_view.fresh = false;
}

/* Whether the rows of the focused view, its title or what was said last have a text. */
static bool
is_shown(struct explorer *explorer, const char *text)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);
	struct search search = { 0 };
	struct arena arena;
	struct row row;
	size_t at, length;
	bool found;

	search_set(&search, text, session->regex);
	arena_init(&arena, 0);
	row_init(&row, &arena);
	session_header(session, 0, &row);
	row_add(&row, ROLE_NORMAL, "\n");
	views_title(session, session->choice.focus, &row);
	row_add_text(&row, ROLE_NORMAL, text_of(explorer->said));
	session_status(session, 0, &row);
	found = search_in(&search, text_of(row_text(&row)), 0, &at, &length);
	for (size_t i = 0, rows = session_rows(view); i < rows && i < MOST_EXPECTED && !found; i++) {
		row_clear(&row);
		view->listing.fill(&view->listing, session_listing_row(view, i), 0, &row);
		found = search_in(&search, text_of(row_text(&row)), 0, &at, &length);
	}
	arena_free(&arena);
	search_clear(&search);
	return found;
}

void
request_expect(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (!is_shown(explorer, arguments))
		session_fail(&explorer->session, "expected '%s', which is nowhere in [%s]",
			     arguments, layout_view_name(explorer->session.choice.focus));
}

void
request_try(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	requests_command(explorer, arguments);
	explorer->session.failed = false;
}

void
request_more(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (!explorer->plain) {
		requests_do(explorer, REQUEST_PAGE_DOWN, arguments);
	} else if (explorer->printed_to == 0) {
		session_say(&explorer->session, "there are no more rows");
	} else {
		explorer->print_from = explorer->printed_to;
		requests_focus(explorer, explorer->session.choice.focus);
	}
}

void
request_set(struct explorer *explorer, const char *arguments, int value)
{
	char wrong[256], present[64];
	const struct setting *setting;

	(void)value;
	if (arguments[strcspn(arguments, " ")] == ' ') {
		if (!settings_set(explorer, arguments, wrong, sizeof(wrong)))
			session_fail(&explorer->session, "%s", wrong);
		else if (explorer->plain)
			session_say(&explorer->session, "%s", arguments);
		return;
	}
	wrong[0] = '\0';
	for (size_t i = 0; (setting = settings_at(i)) != NULL; i++)
		if (arguments[0] == '\0' || strcmp(setting->name, arguments) == 0)
			snprintf(wrong + strlen(wrong), sizeof(wrong) - strlen(wrong), "%s%s %s",
				 wrong[0] != '\0' ? ", " : "", setting->name,
				 settings_value(explorer, i, present, sizeof(present)));
	if (wrong[0] != '\0')
		session_say(&explorer->session, "%s", wrong);
	else
		session_fail(&explorer->session, "there is no setting '%s'", arguments);
}

void
request_mouse(struct explorer *explorer, const char *arguments, int value)
{
	char wrong[128];

	(void)arguments;
	(void)value;
	settings_set(explorer, "mouse toggle", wrong, sizeof(wrong));
	session_say(&explorer->session, explorer->mouse
						? "the mouse selects and scrolls; F8 gives it back"
						: "the mouse belongs to the terminal");
}

void
request_close(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	(void)arguments;
	(void)value;
	if (explorer->help && view->filter[0] != '\0')
		requests_filter(explorer, "");
	else if (explorer->help)
		explorer->help = false;
	else if (view->filter[0] != '\0')
		session_filter(session, session->choice.focus, "");
	else if (session->choice.zoom)
		session->choice.zoom = false;
	else
		explorer->quit = true;
}

void
request_escape(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	if (session_stop_reading(&explorer->session))
		return;
	hunt_set(explorer, "");
	if (explorer->help || explorer->session.choice.zoom ||
	    requests_view(explorer)->filter[0] != '\0')
		request_close(explorer, "", 0);
}

void
request_quit(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	explorer->quit = true;
}

void
request_cancel(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	if (explorer->stopped)
		session_say(&explorer->session, "the search was stopped");
	else if (!session_halt(&explorer->session))
		session_say(&explorer->session, "nothing is at work; q leaves");
}

void
request_terminal(struct explorer *explorer, const char *arguments, int suspend)
{
	(void)explorer;
	(void)arguments;
	if (suspend)
		term_suspend();
	else
		term_redraw();
}

void
request_help(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0' && explorer->help && explorer->page.kind == HELP_KEYS)
		explorer->help = false;
	else if (strcmp(arguments, "words") == 0)
		help_open_terms(explorer);
	else if (arguments[0] == '\0' || !help_open_term(explorer, arguments))
		help_open_keys(explorer);
	if (explorer->page.kind == HELP_KEYS && arguments[0] != '\0')
		requests_find(explorer, arguments);
}

void
request_methods(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	session_choose_methods(&explorer->session, arguments);
}
