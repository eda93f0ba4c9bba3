/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

#include <stdio.h>
#include <string.h>

#include "ui/settings.h"
#include "ui/term.h"

/* The program: prompt, help, settings, the way out. */

void
request_command(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	requests_open_prompt(explorer, PROMPT_COMMAND);
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
	if (explorer->help)
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
	search_set(&explorer->search, "");
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
	if (!session_halt(&explorer->session))
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

static void
toggle_help(struct explorer *explorer)
{
	explorer->help_context = KEYMAP_VIEW(explorer->session.choice.focus);
	explorer->help = !explorer->help;
	explorer->help_view.selected = explorer->help_view.top = 0;
}

void
request_help(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0' || !explorer->help)
		toggle_help(explorer);
	if (arguments[0] != '\0')
		requests_find(explorer, arguments);
}

void
request_methods(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	session_choose_methods(&explorer->session, arguments);
}
