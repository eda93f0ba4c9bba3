/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

/* What changed on disk while the explorer runs. */

void
request_reload(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;

	(void)arguments;
	(void)value;
	if (session->stopped)
		session_resume_reading(session);
	else
		session_say(session, "nothing was stopped");
}
