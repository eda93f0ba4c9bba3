/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <string.h>

#include "ui/view/help.h"
#include "ui/view/addresses.h"

/* Finding: in the rows of a view, in the memory and the code of the crash. */

void
requests_typed(struct explorer *explorer, const char *text)
{
	if (!explorer->prompting || explorer->prompt == PROMPT_COMMAND)
		return;
	if (explorer->prompt == PROMPT_FILTER) {
		requests_filter(explorer, text);
		return;
	}
	row_search_set(explorer, text);
	requests_select(explorer, explorer->search_from);
	row_search_begin(explorer, explorer->search_from, 1, true);
}

void
requests_filter(struct explorer *explorer, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->help) {
		session_set_filter(&explorer->help_view, arguments, session->regex);
		help_fit(explorer);
		return;
	}
	session_filter(session, session->choice.focus, arguments);
}

void
requests_find(struct explorer *explorer, const char *arguments)
{
	row_search_set(explorer, arguments);
	row_search_begin(explorer, requests_view(explorer)->selected, 1, false);
}

/* The next match (`direction` 1) or the one before (-1), with a word where it goes round. */
static void
requests_find_again(struct explorer *explorer, int direction)
{
	const size_t rows = session_rows(requests_view(explorer));
	const size_t from = requests_view(explorer)->selected;
	const bool edge = direction > 0 ? from + 1 >= rows : from == 0;

	if (explorer->search.found.pattern.length == 0) {
		session_fail(&explorer->session, "no search text yet; / finds");
		return;
	}
	row_search_begin(explorer, direction > 0 ? (edge ? 0 : from + 1) : (edge ? rows : from) - 1,
		   direction, false);
	/* Where it began behind the edge it has gone round already. */
	if (edge && !explorer->search.active && !explorer->session.failed)
		session_say(&explorer->session, "the search continued from the %s",
			    direction > 0 ? "first row" : "last row");
}

bool
requests_work(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	bool more = row_search_work(explorer);

	if (explorer->help && session_is_filtering(&explorer->help_view))
		session_filter_more(&explorer->help_view);
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		if (!session_is_filtering(&session->views[i]))
			continue;
		session_filter_more(&session->views[i]);
		more = true;
	}
	return more;
}

void
request_find(const struct request_call *call)
{
	if (call->text[0] == '\0')
		requests_open_prompt(call->explorer, PROMPT_FIND, "");
	else
		requests_find(call->explorer, call->text);
}

void
request_find_again(const struct request_call *call)
{
	requests_find_again(call->explorer, call->value);
}

void
request_filter(const struct request_call *call)
{
	if (call->text[0] == '\0')
		requests_open_prompt(call->explorer, PROMPT_FILTER, "");
	else
		requests_filter(call->explorer, call->text);
}

void
request_unfilter(const struct request_call *call)
{
	requests_filter(call->explorer, "");
}

void
request_goto(const struct request_call *call)
{
	if (!session_goto(call->session, call->text))
		session_fail(call->session, "'%s' not found", call->text);
}

void
request_disassemble(const struct request_call *call)
{
	struct session *session = call->session;
	uint64_t address;

	if (call->text[0] == '\0') {
		session->addresses.elsewhere = false;
		requests_focus(call->explorer, LAYOUT_DISASSEMBLY);
	} else if (addresses_parse(session, call->text, &address)) {
		addresses_show_code(session, address);
	}
}

void
request_identify(const struct request_call *call)
{
	if (call->text[0] == '\0')
		requests_open_prompt(call->explorer, PROMPT_COMMAND, "identify ");
	else
		addresses_identify(call->session, call->text);
}

void
request_find_memory(const struct request_call *call)
{
	if (call->text[0] == '\0')
		requests_open_prompt(call->explorer, PROMPT_COMMAND, "find-memory ");
	else
		addresses_find(call->session, call->text);
}

/* Go to the next place of what was found, or the one before. */
void
request_hit(const struct request_call *call)
{
	struct session *session = call->session;
	const struct memory_find *find = session->addresses.find;
	struct session_view *view = session_view(session, LAYOUT_FOUND);

	if (find == NULL || find->count == 0) {
		session_fail(session, "no matches: M searches the dump's memory");
		return;
	}
	/* Before any has been visited, the next one is the selected one. */
	const bool there = session->memory.address == find->hits[view->selected];
	size_t index = view->selected;

	if (there && call->value > 0)
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
request_bytes(const struct request_call *call)
{
	struct session *session = call->session;

	session->memory.unit = session->memory.unit == 0 ? 1 : 0;
	session_refresh(session);
	session_say(session, session->memory.unit == 0 ? "words with their meaning"
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
				session->memory.unit = units[j].unit;
}

void
request_memory(const struct request_call *call)
{
	struct session *session = call->session;
	const size_t format = call->text[0] == '/' ? strcspn(call->text, " ") : 0;
	const char *place = call->text + format + strspn(call->text + format, " ");
	struct target target = { .kind = TARGET_MEMORY, .address = session->memory.address };

	if (place[0] != '\0' && !addresses_parse(session, place, &target.address))
		return;
	if (memchr(call->text, 'i', format) != NULL) {
		addresses_show_code(session, target.address);
		return;
	}
	take_format(session, call->text, format);
	session_follow(session, &target);
}
