/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include "ui/view/details.h"

/* The dump: its directory and its streams. */

void
request_streams(struct explorer *explorer, const char *arguments, int named)
{
	if (named)
		details_show_named(&explorer->session, arguments);
	else
		details_show_directory(&explorer->session);
}

void
request_details(struct explorer *explorer, const char *arguments, int id)
{
	(void)arguments;
	details_show(&explorer->session, (enum details_id)id);
}
