/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/request/binding.h"
#include "ui/session/settings.h"
#include "ui/terminal/term.h"
#include "ui/view/help.h"
#include "ui/view/view.h"

/* The program: prompt, help, settings, symbols and files to read, the way out. */

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
request_command(const struct request_call *call)
{
	requests_open_prompt(call->explorer, PROMPT_COMMAND, "");
}

void
request_bind(const struct request_call *call)
{
	char key[BINDING_NAME_SIZE];
	const size_t length = strcspn(call->text, " ");
	const char *what, *wrong;

	snprintf(key, sizeof(key), "%.*s", (int)length, call->text);
	wrong = binding_add(key, call->text + length + strspn(call->text + length, " "), &what);
	if (wrong != NULL)
		say_wrong(call->explorer, wrong, what);
	call->explorer->help_view.fresh = false;
}

void
request_unbind(const struct request_call *call)
{
	char key[BINDING_NAME_SIZE];
	const char *what, *wrong;

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(call->text, " "), call->text);
	wrong = binding_remove(key, &what);
	if (wrong != NULL)
		say_wrong(call->explorer, wrong, what);
	call->explorer->help_view.fresh = false;
}

/* Whether the rows of the focused view, its title or what was said last have a text. */
static bool
is_shown(struct explorer *explorer, const char *text)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);
	struct pattern pattern = { 0 };
	struct arena arena;
	struct row row;
	size_t at, length;
	bool found;

	pattern_set(&pattern, text, session->regex);
	arena_init(&arena, 0);
	row_init(&row, &arena);
	session_header(session, 0, &row);
	row_add(&row, ROLE_NORMAL, "\n");
	views_title(session, session->choice.focus, &row);
	row_add_text(&row, ROLE_NORMAL, text_of(explorer->said));
	session_status(session, 0, &row);
	found = pattern_in(&pattern, text_of(row_text(&row)), 0, &at, &length);
	for (size_t i = 0, rows = session_rows(view); i < rows && i < MOST_EXPECTED && !found; i++)
		found = session_row_matches(view, &pattern, i, &row);
	arena_free(&arena);
	pattern_clear(&pattern);
	return found;
}

void
request_expect(const struct request_call *call)
{
	if (!is_shown(call->explorer, call->text))
		session_fail(call->session, "expected '%s': not found in [%s]",
			     call->text, layout_view_name(call->session->choice.focus));
}

void
request_try(const struct request_call *call)
{
	requests_command(call->explorer, call->text);
	call->session->failed = false;
}

void
request_more(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	if (!explorer->plain) {
		requests_do(explorer, REQUEST_PAGE_DOWN, call->text);
	} else if (explorer->printed_to == 0) {
		session_say(call->session, "no more rows");
	} else {
		explorer->print_from = explorer->printed_to;
		requests_focus(explorer, call->session->choice.focus);
	}
}

void
request_set(const struct request_call *call)
{
	char wrong[256], present[64];
	const struct setting *setting;

	if (call->text[strcspn(call->text, " ")] == ' ') {
		if (!settings_set(call->explorer, call->text, wrong, sizeof(wrong)))
			session_fail(call->session, "%s", wrong);
		else if (call->explorer->plain)
			session_say(call->session, "%s", call->text);
		return;
	}
	wrong[0] = '\0';
	for (size_t i = 0; (setting = settings_at(i)) != NULL; i++)
		if (call->text[0] == '\0' || strcmp(setting->name, call->text) == 0)
			snprintf(wrong + strlen(wrong), sizeof(wrong) - strlen(wrong), "%s%s %s",
				 wrong[0] != '\0' ? ", " : "", setting->name,
				 settings_value(call->explorer, i, present, sizeof(present)));
	if (wrong[0] != '\0')
		session_say(call->session, "%s", wrong);
	else
		session_fail(call->session, "unknown setting '%s'", call->text);
}

void
request_mouse(const struct request_call *call)
{
	char wrong[128];

	settings_set(call->explorer, "mouse toggle", wrong, sizeof(wrong));
	session_say(call->session, call->explorer->mouse
						? "the mouse selects and scrolls; F8 gives it back"
						: "the mouse belongs to the terminal");
}

void
request_close(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	struct session_view *view = requests_view(explorer);

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
request_escape(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	if (session_stop_reading(call->session))
		return;
	row_search_set(explorer, "");
	if (explorer->help || call->session->choice.zoom ||
	    requests_view(explorer)->filter[0] != '\0')
		request_close(call);
}

void
request_quit(const struct request_call *call)
{
	call->explorer->quit = true;
}

void
request_cancel(const struct request_call *call)
{
	if (call->explorer->stopped)
		session_say(call->session, "search cancelled");
	else if (!session_halt(call->session))
		session_say(call->session, "nothing to cancel; q quits");
}

void
request_terminal(const struct request_call *call)
{
	if (call->value)
		term_suspend();
	else
		term_redraw();
}

void
request_help(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	if (call->text[0] == '\0' && explorer->help && explorer->page.kind == HELP_KEYS)
		explorer->help = false;
	else if (strcmp(call->text, "words") == 0)
		help_open(explorer, HELP_TERMS);
	else if (call->text[0] == '\0' || !help_open_term(explorer, call->text))
		help_open(explorer, HELP_KEYS);
	if (explorer->page.kind == HELP_KEYS && call->text[0] != '\0')
		requests_find(explorer, call->text);
}

void
request_methods(const struct request_call *call)
{
	session_choose_methods(call->session, call->text);
}

void
request_reload(const struct request_call *call)
{
	session_reload(call->session);
}

void
request_binaries(const struct request_call *call)
{
	session_add_binaries(call->session, call->text);
}

void
request_symbols(const struct request_call *call)
{
	session_add_symbols(call->session, call->text);
}

void
request_versus(const struct request_call *call)
{
	struct session *session = call->session;
	char *end;
	const unsigned long long number = strtoull(call->text, &end, 10);

	if (session->options->other == NULL)
		session_fail(session, "no second dump: start with 'unspool A.dmp --against B.dmp'");
	else if (call->text[0] != '\0' && (*end != '\0' || !other_dump_choose(session, number)))
		session_fail(session, "the other dump has no thread %s", call->text);
	else
		requests_focus(call->explorer, LAYOUT_VERSUS);
}
