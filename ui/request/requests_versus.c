/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "ui/request/requests.h"

/* The other dump. */

void
request_versus(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	char *end;
	const unsigned long long number = strtoull(arguments, &end, 10);

	(void)value;
	if (session->options->other == NULL)
		session_fail(session, "there is no other dump: unspool A.dmp --against B.dmp");
	else if (arguments[0] != '\0' && (*end != '\0' || !beside_choose(session, number)))
		session_fail(session, "the other dump has no thread %s", arguments);
	else
		requests_focus(explorer, LAYOUT_VERSUS);
}
