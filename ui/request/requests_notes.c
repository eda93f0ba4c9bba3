/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>

#include "ui/view/help.h"

/* Notes on frames, addresses and registers, and coming back to where one was. */

void
request_note(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	struct note note = notes_here(session);

	(void)value;
	if (arguments[0] == '\0') {
		const struct note *before = notes_find(&session->notes, &note);
		char line[256];

		snprintf(line, sizeof(line), "note %s", before != NULL ? before->text : "");
		requests_open_line(explorer, line);
		return;
	}
	snprintf(note.text, sizeof(note.text), "%s", arguments);
	if (!notes_put(&session->notes, &note))
		session_fail(session, "there are %d notes already; :unnote removes one", NOTES_MOST);
	else
		session_say(session, "noted; :notes lists what there is");
}

void
request_unnote(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	const struct note note = notes_here(session);

	(void)arguments;
	(void)value;
	if (notes_find(&session->notes, &note) == NULL)
		session_fail(session, "there is no note here");
	else
		notes_put(&session->notes, &note);
}

void
request_notes(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	if (explorer->session.notes.count == 0)
		session_say(&explorer->session, "there are no notes; C writes one");
	else
		help_open_notes(explorer);
}

void
request_resume(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;

	(void)arguments;
	(void)value;
	if (!session->left_at.used) {
		session_fail(session, "nothing is kept of an earlier session with this dump");
		return;
	}
	session_remember(session);
	session_go(session, &session->left_at);
}
