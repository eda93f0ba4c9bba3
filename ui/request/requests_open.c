/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <ctype.h>
#include <stdio.h>

#include "ui/session/settings.h"
#include "ui/view/details.h"
#include "ui/view/help.h"
#include "ui/view/view.h"

/* Opening: where a row leads and back, what is folded, marks and notes, the streams of the dump. */

void
request_fold(const struct request_call *call)
{
	struct session *session = call->session;
	const enum layout_view focus = session->choice.focus;
	const char *problem = "only threads, recursions and inlined calls of the stack fold";
	size_t row;

	if (views_ops(focus)->fold != NULL)
		problem = session_selected(session_view(session, focus), &row)
				  ? views_ops(focus)->fold(session, row)
				  : NULL;
	if (problem != NULL)
		session_say(session, "%s", problem);
}

void
request_open(const struct request_call *call)
{
	struct session *session = call->session;
	const struct session_view *view = requests_view(call->explorer);
	const struct view_ops *ops = views_ops(session->choice.focus);
	const struct target target = session_selected_target(view);
	size_t row;

	if (call->explorer->help)
		help_follow(call->explorer);
	else if (!session_selected(view, &row))
		return;
	else if (target.kind == TARGET_FOLD)
		request_fold(call);
	else if (!(ops->open != NULL && ops->open(session, row)) &&
		 !session_follow(session, &target))
		session_say(session, "the origin of this row is unknown");
}

void
request_travel(const struct request_call *call)
{
	if (!session_travel(call->session, call->value))
		session_say(call->session, "no further jump");
}

void
request_inline(const struct request_call *call)
{
	char wrong[128];

	settings_set(call->explorer, "inline toggle", wrong, sizeof(wrong));
}

void
request_fold_all(const struct request_call *call)
{
	const struct view_ops *ops = views_ops(call->session->choice.focus);

	(ops->fold_all != NULL ? ops : &view_STACK)->fold_all(call->session, call->value != 0);
}

void
request_base(const struct request_call *call)
{
	const struct view_ops *ops = views_ops(call->session->choice.focus);

	(ops->next_form != NULL ? ops : &view_MEMORY)->next_form(call->session);
}

void
request_mark(const struct request_call *call)
{
	struct session *session = call->session;

	if (call->text[0] == '\0') {
		call->explorer->prefix = (enum request)call->value;
		session_say(session, call->value == REQUEST_MARK ? "mark: a to z names this place"
							     : "go to mark: a to z");
		return;
	}
	int letter = tolower((unsigned char)call->text[0]);
	if (letter < 'a' || letter > 'z') {
		session_fail(session, "marks are letters from a to z");
		return;
	}
	struct session_spot *spot = &session->trail.marks[letter - 'a'];
	if (call->value == REQUEST_MARK) {
		*spot = session_here(session);
		session_say(session, "mark %c set", letter);
	} else if (spot->used) {
		session_remember(session);
		session_go(session, spot);
	} else {
		session_fail(session, "no mark %c", letter);
	}
}

/* The register that is selected, or the one that the step sets where the cursor stands. */
static int
selected_register(struct session *session)
{
	const struct row_subject subject = views_subject(session);
	const struct event *at = &session->step.trace.events[session->step.cursor];

	if (subject.kind == SUBJECT_REGISTER)
		return subject.reg;
	return at->kind == EVENT_SET ? at->reg : ARCH_NO_REGISTER;
}

void
request_register_history(const struct request_call *call)
{
	struct session *session = call->session;
	int reg;

	if (!session->has_step) {
		session_say(session, "%s", views_why_nothing(session));
		return;
	}
	const struct arch *arch = session_walk(session)->arch;
	if (call->text[0] != '\0')
		reg = arch_register(arch, text_of(call->text), ARCH_NAMES_ALIASES);
	else
		reg = selected_register(session);
	if (reg == ARCH_NO_REGISTER && call->text[0] != '\0') {
		session_fail(session, "%s has no register '%s'", arch->name, call->text);
		return;
	}
	if (reg != ARCH_NO_REGISTER)
		session->history_register = reg + 1;
	session->views[LAYOUT_HISTORY].fresh = false;
	requests_focus(call->explorer, LAYOUT_HISTORY);
}

void
request_note(const struct request_call *call)
{
	struct session *session = call->session;
	struct note note = notes_here(session);

	if (call->text[0] == '\0') {
		const struct note *before = notes_find(&session->notes, &note);
		char line[256];

		snprintf(line, sizeof(line), "note %s", before != NULL ? before->text : "");
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
		return;
	}
	snprintf(note.text, sizeof(note.text), "%s", call->text);
	if (!notes_put(&session->notes, &note))
		session_fail(session, "the maximum of %d notes is reached; :unnote removes "
				      "one", NOTES_MOST);
	else
		session_say(session, "note added; :notes lists all");
}

void
request_unnote(const struct request_call *call)
{
	struct session *session = call->session;
	const struct note note = notes_here(session);

	if (notes_find(&session->notes, &note) == NULL)
		session_fail(session, "no note here");
	else
		notes_put(&session->notes, &note);
}

void
request_notes(const struct request_call *call)
{
	if (call->session->notes.count == 0)
		session_say(call->session, "no notes; C adds one");
	else
		help_open(call->explorer, HELP_NOTES);
}

void
request_resume(const struct request_call *call)
{
	struct session *session = call->session;

	if (!session->trail.left_at.used) {
		session_fail(session, "no saved session for this dump");
		return;
	}
	session_remember(session);
	session_go(session, &session->trail.left_at);
}

void
request_streams(const struct request_call *call)
{
	if (call->value)
		details_show_named(call->session, call->text);
	else
		details_show_directory(call->session);
}

void
request_details(const struct request_call *call)
{
	details_show(call->session, (enum details_id)call->value);
}
