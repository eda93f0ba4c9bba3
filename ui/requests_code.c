/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

#include "ui/look.h"

/* Code and memory away from the frames: instructions, bytes, what an address is. */

void
request_disassemble(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	uint64_t address;

	(void)value;
	if (arguments[0] == '\0') {
		session->look.elsewhere = false;
		requests_focus(explorer, LAYOUT_DISASSEMBLY);
	} else if (look_address(session, arguments, &address)) {
		look_at_code(session, address);
	} else {
		session_say(session, "'%s' is no address, and no function has this name", arguments);
	}
}

void
request_whatis(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		requests_open_line(explorer, "whatis ");
	else
		look_up(&explorer->session, arguments);
}
