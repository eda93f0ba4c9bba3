/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <string.h>

#include "ui/view/look.h"

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

void
request_find_memory(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		requests_open_line(explorer, "find-memory ");
	else
		look_for(&explorer->session, arguments);
}

/* Go to the next place of what was found, or the one before. */
void
request_hit(struct explorer *explorer, const char *arguments, int direction)
{
	struct session *session = &explorer->session;
	const struct memory_find *find = session->look.find;
	struct session_view *view = session_view(session, LAYOUT_FOUND);

	(void)arguments;
	if (find == NULL || find->count == 0) {
		session_fail(session, "nothing was found: M looks in the dump's memory");
		return;
	}
	/* The first one is gone to where nobody has gone to any yet. */
	const bool there = session->memory_address == find->hits[view->selected];
	size_t index = view->selected;

	if (there && direction > 0)
		index = index + 1 < find->count ? index + 1 : 0;
	else if (there)
		index = index > 0 ? index - 1 : find->count - 1;
	view->selected = index;
	const struct target target = { .kind = TARGET_MEMORY, .address = find->hits[index] };
	session_follow(session, &target);
	session_view(session, LAYOUT_FOUND)->selected = index;
	session_say(session, "%zu of %zu", index + 1, find->count);
}

void
request_bytes(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;

	(void)arguments;
	(void)value;
	session->look.unit = session->look.unit == 0 ? 1 : 0;
	session_refresh(session);
	session_say(session, session->look.unit == 0 ? "words, with what they are"
						      : "all memory as bytes; x: wider values");
}

/* Of gdb's "/8gx": how wide values are. A count is of no use where one can scroll. */
static void
take_format(struct session *session, const char *format, size_t length)
{
	static const struct {
		char letter;
		unsigned unit;
	} units[] = { { 'b', 1 }, { 'h', 2 }, { 'w', 4 }, { 'g', 8 }, { 's', 1 } };

	for (size_t i = 0; i < length; i++)
		for (size_t j = 0; j < ARRAY_COUNT(units); j++)
			if (format[i] == units[j].letter)
				session->look.unit = units[j].unit;
}

void
request_memory(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	const size_t format = arguments[0] == '/' ? strcspn(arguments, " ") : 0;
	const char *place = arguments + format + strspn(arguments + format, " ");
	struct target target = { .kind = TARGET_MEMORY, .address = session->memory_address };

	(void)value;
	if (place[0] != '\0' && !look_address(session, place, &target.address))
		return;
	if (memchr(arguments, 'i', format) != NULL) {
		look_at_code(session, target.address);
		return;
	}
	take_format(session, arguments, format);
	session_follow(session, &target);
}
