/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

/* What changed on disk while the explorer runs. */

void
request_reload(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	session_reload(&explorer->session);
}
