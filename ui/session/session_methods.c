/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "ui/session/session.h"

/* Which methods walk, while one looks at what they find. */

/* Say a sentence of methods_choose, whose only argument is the list. */
static void
say_problem(struct session *session, const char *problem, const char *list)
{
	const char *argument = strstr(problem, "%s");

	session_fail(session, "%.*s%s%s", (int)(argument - problem), problem, list, argument + 2);
}

static void
say_methods(struct session *session)
{
	const struct policy *policy = &session->policy;
	char text[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < policy->method_count && used + 32 < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i > 0 ? ", " : "",
					 method_name((enum method_id)policy->methods[i]));
	if (policy->method_count == 0)
		session_say(session, "walked by all methods");
	else
		session_say(session, "walked by %s alone", text);
}

void
session_choose_methods(struct session *session, const char *list)
{
	const struct policy *start = &session->options->policy;
	struct policy policy = session->policy;
	const char *problem = NULL;

	if (list[0] == '\0') {
		memcpy(policy.methods, start->methods, sizeof(policy.methods));
		policy.method_count = start->method_count;
	} else {
		problem = methods_choose(&policy, list);
	}
	if (problem != NULL) {
		say_problem(session, problem, list);
		return;
	}
	session_walk_again(session, &policy);
	say_methods(session);
}
