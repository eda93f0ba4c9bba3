/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inspect/query.h"
#include "system/file.h"
#include "ui/view/view.h"

/* Limit on rows that `expect` checks, so that a script ends. */
#define MOST_EXPECTED 1000000u

/* The handler of each request, and the value that distinguishes requests with the same handler. */
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
	if (explorer->help.shown) {
		help_fit(explorer);
		return &explorer->help.view;
	}
	return session_view(&explorer->session, explorer->session.look.choice.focus);
}

void
requests_select(struct explorer *explorer, size_t index)
{
	if (explorer->help.shown) {
		size_t rows = session_rows(&explorer->help.view);

		explorer->help.view.selected = index < rows ? index : rows > 0 ? rows - 1 : 0;
		return;
	}
	session_select_row(&explorer->session, explorer->session.look.choice.focus, index);
}

void
requests_open_prompt(struct explorer *explorer, enum prompt_kind kind, const char *line)
{
	explorer->prompt.kind = kind;
	explorer->prompt.open = true;
	explorer->prompt.search_from = requests_view(explorer)->selected;
	memcpy(explorer->prompt.search_before, explorer->search.found.pattern.text, PATTERN_SIZE);
	snprintf(explorer->prompt.filter_before, sizeof(explorer->prompt.filter_before), "%s",
		 requests_view(explorer)->filter);
	prompt_open(kind, line, explorer->asker != NULL);
}

/*
 * Record a request. Each line is a command, so the script does not depend on key bindings or time.
 * A move by pages is recorded as the row reached, so it works on a screen of another size. A
 * request that failed is recorded too, and may fail again.
 */
static void
record(struct explorer *explorer, enum request request, const char *arguments)
{
	const char *command = keymap_row_of(request)->command;

	if (request == REQUEST_PAGE_DOWN || request == REQUEST_PAGE_UP ||
	    request == REQUEST_HALF_DOWN || request == REQUEST_HALF_UP)
		fprintf(explorer->record, ":row %zu\n", requests_view(explorer)->selected + 1);
	else
		fprintf(explorer->record, ":%s%.*s%s%.*s\n",
			explorer->session.failed ? "try " : "", (int)keymap_name_length(command),
			command, arguments[0] != '\0' ? " " : "", (int)strcspn(arguments, "\n"),
			arguments);
}

/* Whether the effect of a request on the session is independent of the place. */
static bool
is_lasting(enum request request)
{
	void (*act)(const struct request_call *call) = actions[request].act;

	return act == request_symbols || act == request_binaries || act == request_methods ||
	       act == request_set || act == request_inline || act == request_bytes ||
	       act == request_layout;
}

static bool
needs_screen(enum request request)
{
	return request == REQUEST_SUSPEND || request == REQUEST_REDRAW || request == REQUEST_EDIT ||
	       request == REQUEST_SAVE_SCREEN || request == REQUEST_SAVE_SCREEN_OVER ||
	       request == REQUEST_SET_MOUSE;
}

/* Whether a file makes a request that is reserved for the user. */
static bool
is_refused(struct explorer *explorer, enum request request, const char *arguments)
{
	const char *command = keymap_row_of(request)->command;

	if (explorer->asker == NULL || keymap_of_files(request, arguments))
		return false;
	session_fail(&explorer->session, "%s: " EXPLORER_REFUSAL " '%.*s%s%s'; type it to run it",
		     place_format(explorer->asker).text, (int)keymap_name_length(command), command,
		     arguments[0] != '\0' ? " " : "", arguments);
	/* The following lines of a play are still run. */
	explorer->session.failed = !explorer->play.running;
	return true;
}

void
requests_do(struct explorer *explorer, enum request request, const char *arguments)
{
	const char *command = keymap_row_of(request)->command;
	const char *word = strrchr(command, ' '), *path = NULL;
	const struct session_spot before = session_here(&explorer->session);
	const struct session *session = &explorer->session;
	const uint64_t changes = session->look.trail.changes;
	void (*const act)(const struct request_call *call) = actions[request].act;
	struct arena arena = { 0 };

	if (explorer->print.plain && needs_screen(request)) {
		session_fail(&explorer->session, "no screen to %s", command);
		return;
	}
	if (is_refused(explorer, request, arguments))
		return;
	/* A path may begin with '~' for the home directory. */
	if (word != NULL && complete_is_path(text_of(word + 1)))
		path = file_expand_home(&arena, arguments);
	/* Without a screen, the page that was printed last is open for requests about its rows. */
	explorer->help.shown |= explorer->print.help &&
				(act == request_open || act == request_row || act == request_move ||
				 act == request_search || act == request_filter);
	/* Close the help so that the effect on the views is visible. */
	if ((keymap_row_of(request)->contexts & (KEYMAP_HELP | KEYMAP_PLAY)) == 0)
		explorer->help.shown = false;
	explorer->depth++;
	act(&(struct request_call){ explorer, &explorer->session,
						     path != NULL ? path : arguments,
						     actions[request].value, request });
	explorer->depth--;
	arena_free(&arena);
	const enum layout_view focus = session->look.choice.focus;
	if (explorer->depth == 0 && session->look.trail.changes == changes)
		session_remember_before(&explorer->session, &before,
					focus != before.view &&
						!layout_shows(&explorer->layout, focus),
					act == request_move || act == request_row);
	if (explorer->next.changes != NULL && explorer->depth == 0 && is_lasting(request) &&
	    !explorer->session.failed && !explorer->prompt.open)
		fprintf(explorer->next.changes, "%.*s %s\n", (int)keymap_name_length(command),
			command, arguments);
	/* Whether a view has a next base depends on it; the base lasts, by its name in `set`. */
	if (explorer->next.changes != NULL && explorer->depth == 0 && act == request_base)
		fprintf(explorer->next.changes, "set base %.3s\n", memory_base(session));
	/* A request that waits for more keys is recorded when it is complete. */
	if (explorer->record != NULL && explorer->depth == 0 && !explorer->prompt.open &&
	    explorer->keys.prefix == REQUEST_NONE)
		record(explorer, request, arguments);
}

/* Whether a request reads the screen, which must be painted first. */
static bool
reads_screen(enum request request, const char *arguments)
{
	char buffer[1024];

	if (request == REQUEST_TRY)
		request = keymap_line(keymap_tried(arguments), buffer, sizeof(buffer), &arguments);
	return request < REQUEST_COUNT && actions[request].act == request_save_screen;
}

static void
forget_notice(struct explorer *explorer)
{
	struct session *session = &explorer->session;

	if (session->notice[0] != '\0')
		memcpy(explorer->print.said, session->notice, sizeof(explorer->print.said));
	session->notice[0] = '\0';
	session->open.work.fresh = false;
	session->failed = session->stepped = false;
	explorer->keys.stopped = row_search_stop(explorer);
}

void
requests_command(struct explorer *explorer, const char *line)
{
	const char *arguments = "";
	char buffer[1024];
	enum request request = REQUEST_NONE;

	while (*line == ' ' || *line == ':')
		line++;
	if (*line != '\0')
		request = keymap_line(line, buffer, sizeof(buffer), &arguments);
	if (reads_screen(request, arguments))
		paint_late(explorer);
	forget_notice(explorer);
	if (*line == '\0')
		return;
	const struct text near = request == REQUEST_NONE ? keymap_near(line) : text_of("");
	/* C-u may have deleted the word `answer`; no command begins like a number or a rule. */
	if (request == REQUEST_NONE && lesson_pane_how(&explorer->session) != NULL &&
		strchr("0123456789$.", *line) != NULL)
		requests_do(explorer, REQUEST_ANSWER, line);
	else if (near.length > 0)
		session_fail(&explorer->session, "unknown command '%s'; did you mean '%.*s'?",
			     line, (int)near.length, near.start);
	else if (request == REQUEST_NONE && lesson_pane_how(&explorer->session) != NULL)
		session_fail(&explorer->session,
			     "unknown command '%s'; an answer begins with its command: 'answer %s'",
			     line, line);
	else if (request == REQUEST_NONE && glossary_find(text_of(line), false) != NULL)
		session_fail(&explorer->session,
			     "unknown command '%s'; ':help %s' explains the word", line, line);
	else if (request == REQUEST_NONE)
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
		requests_do(explorer, line[0] == '\0' ? REQUEST_SEARCH_NEXT : REQUEST_SEARCH, line);
	else
		requests_do(explorer, line[0] == '\0' ? REQUEST_UNFILTER : REQUEST_FILTER, line);
}

void
requests_accepted(struct explorer *explorer, const char *line)
{
	explorer->prompt.open = false;
	requests_typed_line(explorer, explorer->prompt.kind, line);
}

void
requests_cancelled(struct explorer *explorer)
{
	if (explorer->prompt.kind == PROMPT_FIND) {
		row_search_set(explorer, explorer->prompt.search_before);
		requests_select(explorer, explorer->prompt.search_from);
	} else if (explorer->prompt.kind == PROMPT_FILTER) {
		requests_filter(explorer, explorer->prompt.filter_before);
	}
	explorer->prompt.open = false;
}

unsigned
requests_context(const struct explorer *explorer)
{
	if (explorer->play.on && !explorer->play.running)
		return KEYMAP_PLAY;
	if (explorer->help.shown)
		return KEYMAP_HELP;
	return KEYMAP_VIEW(explorer->session.look.choice.focus) |
		(explorer->session.lesson != NULL || explorer->session.blind != BLIND_OFF
				? KEYMAP_LEARN
				: 0);
}

void
requests_key(struct explorer *explorer, int key)
{
	const unsigned context = requests_context(explorer);
	const int first = explorer->keys.pair != 0 ? explorer->keys.pair : key;
	const int second = explorer->keys.pair != 0 ? key : 0;
	const struct binding *binding = binding_find(first, second, context);
	char name[KEY_NAME_SIZE];

	if (binding != NULL && reads_screen(binding->request, binding->arguments))
		paint_late(explorer);
	forget_notice(explorer);
	explorer->keys.pair = 0;
	if (explorer->keys.prefix != REQUEST_NONE) {
		const char letter[2] = { key > ' ' && key < 127 ? (char)key : '?', '\0' };
		enum request prefix = explorer->keys.prefix;

		explorer->keys.prefix = REQUEST_NONE;
		if (prefix != REQUEST_QUIT)
			requests_do(explorer, prefix, letter);
		else if (key == 'y' || key == 'Y')
			requests_do(explorer, explorer->state != NULL ? REQUEST_QUIT_KEEPING
								      : REQUEST_QUIT_NOW, "");
		return;
	}
	explorer->keys.pressed = true;
	if (binding != NULL)
		requests_do(explorer, binding->request, binding->arguments);
	explorer->keys.pressed = false;
	if (binding == NULL && (second != 0 || !binding_is_prefix(key, context))) {
		const char *quote = *key_label(key, name) == '\0' ? "" : "'";

		session_fail(&explorer->session, "%s%s%s has no meaning here, ? for help", quote,
			     *name == '\0' ? "this key" : name, quote);
	}
	if (binding != NULL || explorer->session.failed)
		return;
	/* Wait for the second key of a pair, and list the possible second keys. */
	session_say(&explorer->session, "%s then", key_label(key, name));
	for (size_t i = 0; (binding = binding_at(i)) != NULL; i++)
		if (binding->first == key && (binding->contexts & context) != 0)
			session_say_more(&explorer->session, "  %s %s",
					 key_label(binding->second, name),
					 keymap_row_of(binding->request)->command);
	explorer->keys.pair = key;
}

void
request_command(const struct request_call *call)
{
	requests_open_prompt(call->explorer, PROMPT_COMMAND, "");
}

void
request_bind(const struct request_call *call)
{
	const size_t length = strcspn(call->text, " ");
	const char *command = call->text + length + strspn(call->text + length, " ");
	char key[BINDING_NAME_SIZE];
	struct error error = { 0 };

	snprintf(key, sizeof(key), "%.*s", (int)length, call->text);
	if ((call->request == REQUEST_BIND ? binding_add(key, command, &error)
					   : binding_remove(key, &error)) != ERROR_NONE)
		session_fail(call->session, "%s", error.text);
	call->explorer->help.view.fresh = false;
}

/* Fail unless a row of the focused view, its title or the last message contains a text. */
void
request_expect(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_view *view = requests_view(call->explorer);
	struct pattern pattern = { 0 };
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	size_t at, length;

	pattern_set(&pattern, call->text, session->look.regex);
	session_header(session, 0, &row);
	row_add(&row, ROLE_NORMAL, "\n");
	views_title(session, session->look.choice.focus, &row);
	row_add_text(&row, ROLE_NORMAL, text_of(call->explorer->print.said));
	session_status(session, &row);
	bool found = pattern_in(&pattern, text_of(row_text(&row)), 0, &at, &length);
	for (size_t i = 0, rows = session_rows(view); i < rows && i < MOST_EXPECTED && !found; i++)
		found = session_row_matches(view, &pattern, i, &row);
	arena_free(&arena);
	pattern_clear(&pattern);
	if (!found)
		session_fail(session, "expected '%s': not found in [%s]", call->text,
			     layout_view_name(session->look.choice.focus));
}

/* Compare the answer to a query with the value or text after the query. */
void
request_expect_value(const struct request_call *call)
{
	struct session *session = call->session;
	const struct text text = text_of(call->text);
	const size_t length = query_length(text);
	const struct text expected =
		text_trimmed((struct text){ call->text + length, text.length - length });
	struct query_answer answer;
	struct query query;
	struct error error = { 0 };
	struct arena arena = { 0 };
	uint64_t value = 0;

	if (session_walk(session) == NULL)
		session_fail(session, "%s", views_why_nothing(session));
	else if (query_parse((struct text){ call->text, length }, &query, &error) != ERROR_NONE ||
		 query_ask(&query, session_walk(session), &arena, &answer, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
	else if (!answer.valued && !text_is(expected, answer.text))
		session_fail(session, "expected '%.*s', found '%s'", (int)expected.length,
			     expected.start, answer.text);
	else if (answer.valued && addresses_parse(session, expected.start, &value) &&
		 value != answer.value)
		session_fail(session, "expected 0x%" PRIx64 ", found %s", value, answer.text);
	arena_free(&arena);
}

void
request_try(const struct request_call *call)
{
	const char *command = call->text + strspn(call->text, " :");

	/* A line with very many nested `try` would overflow the stack. */
	if (keymap_tried(command) != command) {
		session_fail(call->session, "try runs a command, not another try");
		return;
	}
	requests_command(call->explorer, command);
	call->session->failed = false;
}

void
request_more(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	if (!explorer->print.plain) {
		requests_do(explorer, REQUEST_PAGE_DOWN, call->text);
	} else if (explorer->print.to == 0) {
		session_say(call->session, "no more rows");
	} else {
		explorer->print.from = explorer->print.to;
		explorer->help.shown = explorer->print.help;
		session_focus(&explorer->session, call->session->look.choice.focus);
	}
}

void
requests_say_unsaved(const struct explorer *explorer, char *text, size_t size)
{
	const struct session *session = &explorer->session;
	const struct overlay *overlay = edits_overlay(session);
	const size_t edits =
		overlay != NULL && overlay != session->kept.edits.saved ? overlay->count : 0;
	const size_t notes = explorer->unsaved_notes ? session->kept.notes.count : 0;
	size_t used = 0;

	text[0] = '\0';
	if (edits > 0)
		used = (size_t)snprintf(text, size, "%zu edit%s", edits, plural(edits));
	if (notes > 0)
		snprintf(text + used, size - used, "%s%zu note%s", used > 0 ? " and " : "", notes,
			 plural(notes));
}

/* Leave the explorer. Asks first if something would be lost. */
static void
leave(struct explorer *explorer, enum quit_how how)
{
	struct session *session = &explorer->session;
	char unsaved[64];

	requests_say_unsaved(explorer, unsaved, sizeof(unsaved));
	if (explorer->asker != NULL) {
		session_say(session, "only the user leaves the explorer, not a file");
	} else if (how == QUIT_NOW || unsaved[0] == '\0' ||
	    (how == QUIT_KEEPING && explorer->state != NULL)) {
		explorer->quit = true;
		explorer->next.dropped = how == QUIT_NOW;
	} else if (explorer->print.plain && !isatty(STDIN_FILENO)) {
		explorer->quit = true;
	} else if (explorer->print.plain) {
		session_fail(session, "%s not written; 'wq' keeps them for 'resume', 'quit!' drops "
				      "them", unsaved);
	} else {
		explorer->keys.prefix = REQUEST_QUIT;
		session_say(session, "%s not written; y quits%s, any other key stays", unsaved,
			    explorer->state == NULL || explorer->unsaved_notes
				    ? " without them" : " (:resume brings them back)");
	}
}

void
request_close(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	struct session_view *view = requests_view(explorer);

	if (explorer->help.shown && view->filter[0] != '\0')
		requests_filter(explorer, "");
	else if (explorer->help.shown)
		explorer->help.shown = false;
	else if (view->filter[0] != '\0')
		session_filter(session, session->look.choice.focus, "");
	else if (session->look.choice.zoom)
		session->look.choice.zoom = false;
	else if (!session_go_back(session, true))
		leave(explorer, QUIT_ASKED);
}

void
request_escape(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	if (session_stop_reading(call->session))
		return;
	const bool searched = explorer->search.found.pattern.length > 0;
	row_search_set(explorer, "");
	if (explorer->help.shown || call->session->look.choice.zoom ||
	    requests_view(explorer)->filter[0] != '\0')
		request_close(call);
	else if (!searched && !session_go_back(call->session, false))
		session_say(call->session, "this is where you began; q quits");
}

void
request_quit(const struct request_call *call)
{
	leave(call->explorer, (enum quit_how)call->value);
}

void
request_cancel(const struct request_call *call)
{
	if (call->explorer->keys.stopped)
		session_say(call->session, "search cancelled");
	else if (!session_halt(call->session))
		session_say(call->session, "nothing to cancel; q quits");
}

void
request_terminal(const struct request_call *call)
{
	if (call->value)
		term_suspend();
	else
		term_redraw();
}
