/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <string.h>

#include "system/file.h"
#include "ui/request/binding.h"
#include "ui/request/complete.h"
#include "ui/view/details.h"
#include "ui/view/help.h"
#include "ui/terminal/key.h"
#include "ui/plain.h"
#include "ui/view/export.h"
#include "ui/terminal/term.h"

/* What every request does: a function and what tells it from its sisters. */
static const struct {
	void (*act)(const struct request_call *call);
	int value;
} actions[REQUEST_COUNT] = {
#define R(id, command, keys, contexts, hints, hint, act, with, help)			\
	[REQUEST_##id] = { request_##act, with },
#include "ui/request/request.def"
#undef R
};

struct session_view *
requests_view(struct explorer *explorer)
{
	if (explorer->help) {
		help_fit(explorer);
		return &explorer->help_view;
	}
	return session_view(&explorer->session, explorer->session.choice.focus);
}

size_t
requests_page(const struct explorer *explorer)
{
	const struct layout_slot *slot =
		layout_slot_of(&explorer->layout, explorer->session.choice.focus);
	int rows = explorer->help ? explorer->rows - 4
		   : slot != NULL ? slot->rectangle.rows - 1
				  : 1;

	return rows > 1 ? (size_t)rows : 1;
}

void
requests_select(struct explorer *explorer, size_t index)
{
	if (explorer->help) {
		size_t rows = session_rows(&explorer->help_view);

		explorer->help_view.selected = index < rows ? index : rows > 0 ? rows - 1 : 0;
		return;
	}
	session_select_row(&explorer->session, explorer->session.choice.focus, index);
}

void
requests_focus(struct explorer *explorer, enum layout_view view)
{
	layout_focus(&explorer->session.choice, view);
	explorer->session.views[view].fresh = false;
}

void
requests_show(struct explorer *explorer, enum layout_view view)
{
	const struct layout_slot *slot = layout_slot_of(&explorer->layout, view);

	if (slot == NULL || slot->shown != view)
		requests_focus(explorer, view);
}

void
requests_open_prompt(struct explorer *explorer, enum prompt_kind kind, const char *line)
{
	explorer->prompt = kind;
	explorer->prompting = true;
	explorer->search_from = requests_view(explorer)->selected;
	memcpy(explorer->search_before, explorer->search.found.pattern.text, PATTERN_SIZE);
	snprintf(explorer->filter_before, sizeof(explorer->filter_before), "%s",
		 requests_view(explorer)->filter);
	if (!explorer->plain)
		prompt_open(kind, line);
}

void
requests_go_to(struct explorer *explorer, enum layout_view view)
{
	char command[64];

	snprintf(command, sizeof(command), "view %s", layout_view_name(view));
	requests_command(explorer, command);
}

void
requests_go_to_row(struct explorer *explorer, size_t index)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", index + 1);
	requests_do(explorer, REQUEST_ROW, number);
}

/* What comes to depend on the size of the screen. */
static bool
moves_by_pages(enum request request)
{
	return request == REQUEST_PAGE_DOWN || request == REQUEST_PAGE_UP ||
	       request == REQUEST_HALF_DOWN || request == REQUEST_HALF_UP;
}

/* Arguments with the home directory before a path that begins with '~'. */
static const char *
expand(enum request request, const char *arguments, struct arena *arena)
{
	const struct keymap_row *row = keymap_row_of(request);
	const char *word = row == NULL ? NULL : strrchr(row->command, ' ');

	if (word == NULL || !complete_is_path(text_of(word + 1)))
		return arguments;
	const char *path = file_expand_home(arena, arguments);
	return path != NULL ? path : arguments;
}

void
requests_do(struct explorer *explorer, enum request request, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->plain && plain_cannot(request)) {
		session_fail(session, "no screen to %s", keymap_row_of(request)->command);
		return;
	}
	struct arena arena;
	arena_init(&arena, 0);
	explorer->depth++;
	actions[request].act(&(struct request_call){
		explorer, session, expand(request, arguments, &arena), actions[request].value });
	explorer->depth--;
	arena_free(&arena);
	/* What waits for more keys is written down when they have come. */
	if (explorer->depth > 0 || explorer->prompting || explorer->prefix != REQUEST_NONE)
		return;
	if (moves_by_pages(request))
		recording_row(&explorer->recording, requests_view(explorer)->selected + 1);
	else
		recording_request(&explorer->recording, request, arguments, session->failed);
}

static void
forget_notice(struct explorer *explorer)
{
	struct session *session = &explorer->session;

	if (session->notice[0] != '\0')
		memcpy(explorer->said, session->notice, sizeof(explorer->said));
	session->notice[0] = '\0';
	session->failed = false;
	explorer->stopped = row_search_stop(explorer);
}

void
requests_command(struct explorer *explorer, const char *line)
{
	const char *arguments = "";

	forget_notice(explorer);
	while (*line == ' ' || *line == ':')
		line++;
	if (*line == '\0')
		return;
	enum request request = keymap_command(line, &arguments);
	if (request == REQUEST_NONE)
		session_fail(&explorer->session, "unknown command '%s'; ? lists the "
						 "commands", line);
	else if (request == REQUEST_AMBIGUOUS)
		session_fail(&explorer->session, "ambiguous command '%s'; Tab lists them",
			     line);
	else
		requests_do(explorer, request, arguments);
}

void
requests_typed_line(struct explorer *explorer, enum prompt_kind kind, const char *line)
{
	if (kind == PROMPT_COMMAND) {
		requests_command(explorer, line);
		return;
	}
	forget_notice(explorer);
	if (kind == PROMPT_FIND)
		requests_do(explorer, line[0] == '\0' ? REQUEST_FIND_NEXT : REQUEST_FIND, line);
	else
		requests_do(explorer, line[0] == '\0' ? REQUEST_UNFILTER : REQUEST_FILTER, line);
}

void
requests_accepted(struct explorer *explorer, const char *line)
{
	explorer->prompting = false;
	requests_typed_line(explorer, explorer->prompt, line);
}

void
requests_cancelled(struct explorer *explorer)
{
	if (explorer->prompt == PROMPT_FIND) {
		row_search_set(explorer, explorer->search_before);
		requests_select(explorer, explorer->search_from);
	} else if (explorer->prompt == PROMPT_FILTER) {
		requests_filter(explorer, explorer->filter_before);
	}
	explorer->prompting = false;
}

/* Wait for the second key of a pair, and say which there are. */
static void
begin_pair(struct explorer *explorer, int key, unsigned context)
{
	const struct binding *binding;
	char text[200], name[KEY_NAME_SIZE];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s then", key_label(key, name));

	for (size_t i = 0; (binding = binding_at(i)) != NULL && length < sizeof(text); i++)
		if (binding->first == key && (binding->contexts & context) != 0)
			length += (size_t)snprintf(
				text + length, sizeof(text) - length, "  %s %s",
				key_label(binding->second, name),
				keymap_row_of(binding->request)->command);
	explorer->pair = key;
	session_say(&explorer->session, "%s", text);
}

void
requests_key(struct explorer *explorer, int key)
{
	const unsigned context = explorer->help
					 ? KEYMAP_HELP
					 : KEYMAP_VIEW(explorer->session.choice.focus);
	const int first = explorer->pair != 0 ? explorer->pair : key;
	const int second = explorer->pair != 0 ? key : 0;
	char name[KEY_NAME_SIZE];

	forget_notice(explorer);
	explorer->pair = 0;
	if (explorer->prefix != REQUEST_NONE) {
		const char letter[2] = { key > ' ' && key < 127 ? (char)key : '?', '\0' };
		enum request prefix = explorer->prefix;

		explorer->prefix = REQUEST_NONE;
		requests_do(explorer, prefix, letter);
		return;
	}
	const struct binding *binding = binding_find(first, second, context);
	if (binding != NULL)
		requests_do(explorer, binding->request, binding->arguments);
	else if (second == 0 && binding_is_prefix(key, context))
		begin_pair(explorer, key, context);
	else
		session_fail(&explorer->session, "'%s' has no meaning here, ? for help",
			     key_label(key, name));
}
