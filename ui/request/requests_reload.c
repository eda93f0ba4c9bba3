/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

/* Symbols while the explorer runs: what changed on disk, and other places. */

void
request_reload(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	session_reload(&explorer->session);
}

void
request_binaries(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	session_add_binaries(&explorer->session, arguments);
}

void
request_symbols(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	session_add_symbols(&explorer->session, arguments);
}
