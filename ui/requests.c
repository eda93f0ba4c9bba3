/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/clip.h"
#include "ui/editor.h"
#include "ui/prompt.h"
#include "ui/term.h"
#include "ui/views.h"

struct session_view *
requests_view(struct explorer *explorer)
{
	if (explorer->help)
		return &explorer->help_view;
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

static void
select_row(struct explorer *explorer, size_t index)
{
	if (explorer->help) {
		size_t rows = session_rows(&explorer->help_view);

		explorer->help_view.selected = index < rows ? index : rows - 1;
		return;
	}
	session_select_row(&explorer->session, explorer->session.choice.focus, index);
}

static void
move(struct explorer *explorer, long rows)
{
	struct session_view *view = requests_view(explorer);
	size_t count = session_rows(view);

	if (rows < 0)
		select_row(explorer,
			   view->selected > (size_t)-rows ? view->selected - (size_t)-rows : 0);
	else
		select_row(explorer, count - view->selected > (size_t)rows
					     ? view->selected + (size_t)rows
					     : count - 1);
}

static void
focus(struct explorer *explorer, enum layout_view view)
{
	layout_focus(&explorer->session.choice, view);
	explorer->session.views[view].fresh = false;
}

/* Bring a view on the screen where it is hidden behind another one. */
static void
show(struct explorer *explorer, enum layout_view view)
{
	const struct layout_slot *slot = layout_slot_of(&explorer->layout, view);

	if (slot == NULL || slot->shown != view)
		focus(explorer, view);
}

static long
count_of(const char *arguments)
{
	long count = strtol(arguments, NULL, 10);

	return count < 1 ? 1 : count > 100000 ? 100000 : count;
}

static void
step(struct explorer *explorer, enum event_kind kind, int direction, enum layout_view view,
     const char *arguments)
{
	struct session *session = &explorer->session;

	show(explorer, view);
	for (long i = count_of(arguments); i > 0; i--) {
		if (session_step(session, kind, direction))
			continue;
		if (direction < 0)
			session_say(session, "the beginning of the step from frame %zu",
				    session->frame);
		else if (session->has_step && session->step.verdict.kind == VERDICT_TAKEN)
			session_say(session, "the end of this step; f goes on from frame %zu",
				    session->frame + 1);
		else
			session_say(session, "the end of the stack: %s",
				    session->has_step ? session->step.verdict.text
						      : "no registers");
		return;
	}
}

static void
step_frame(struct explorer *explorer, int direction, const char *arguments)
{
	struct session *session = &explorer->session;
	struct walk *walk = session_walk(session);

	if (walk == NULL || walk->count == 0 || session_is_loading(session)) {
		session_say(session, "this thread has no frames");
		return;
	}
	for (long i = count_of(arguments); i > 0; i--) {
		if (direction < 0 && session->frame == 0) {
			session_say(session, "this is the innermost frame");
			return;
		}
		if (direction > 0 && session->frame + 1 >= walk->count && !walk_extend(walk)) {
			session_say(session, "the end of the stack: %s", walk->end.text);
			return;
		}
		session_select_frame(session,
				     direction < 0 ? session->frame - 1 : session->frame + 1, 0);
	}
}

static void
step_thread(struct explorer *explorer, int direction)
{
	struct session *session = &explorer->session;
	size_t count = session->crash->thread_count;

	for (size_t i = 1; i <= count; i++) {
		size_t thread = (session->thread + (direction > 0 ? i : count - i)) % count;

		if (session->crash->threads[thread].wrote_dump)
			continue;
		session_select_thread(session, thread);
		return;
	}
}

static void
request_open(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	if (explorer->help || session_rows(view) == 0)
		return;
	struct target target =
		view->listing.target(&view->listing, session_listing_row(view, view->selected));
	if (!session_follow(session, &target))
		session_say(session, "nothing more is known about where this comes from");
}

static void
request_fold(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = session_view(session, LAYOUT_STACK);

	if (session->choice.focus != LAYOUT_STACK)
		return;
	size_t row = session_listing_row(view, view->selected);
	struct target target = view->listing.target(&view->listing, row);
	if (target.kind == TARGET_THREAD && session->stack.walks[target.thread] == NULL)
		session_select_thread(session, target.thread);
	else if (target.kind == TARGET_THREAD)
		session->stack.open[target.thread] = !session->stack.open[target.thread];
	else if (target.kind == TARGET_FRAME)
		stack_state_toggle(&session->stack, target.thread, target.frame);
	if (target.kind == TARGET_FRAME)
		session->call = 0;
	session_refresh(session);
}

static void
request_close(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	if (explorer->help)
		explorer->help = false;
	else if (view->filter[0] != '\0')
		session_filter(session, session->choice.focus, "");
	else if (session->choice.zoom)
		session->choice.zoom = false;
	else
		explorer->quit = true;
}

static void
request_escape(struct explorer *explorer)
{
	if (session_is_loading(&explorer->session)) {
		session_give_up(&explorer->session);
		return;
	}
	search_set(&explorer->search, "");
	if (explorer->help || explorer->session.choice.zoom ||
	    requests_view(explorer)->filter[0] != '\0')
		request_close(explorer);
}

static void
say_copied(struct explorer *explorer, enum clip_result result)
{
	static const char *const words[] = {
		[CLIP_COMMAND] = "copied",
		[CLIP_SENT] = "copied to the terminal's clipboard",
		[CLIP_KEPT] = "this terminal takes no copies; kept inside the program",
	};

	session_say(&explorer->session, "%s", words[result]);
}

static void
copy(struct explorer *explorer, bool line)
{
	struct session_view *view = requests_view(explorer);
	size_t row = session_listing_row(view, view->selected);
	struct arena arena;
	struct row text, why;

	if (session_rows(view) == 0)
		return;
	arena_init(&arena, 0);
	row_init(&text, &arena);
	row_init(&why, &arena);
	view->listing.fill(&view->listing, row, 0, &text);
	view->listing.explain(&view->listing, row, &why);
	const char *all = line ? arena_format(&arena, "%s   %s", row_text(&text), row_text(&why))
			       : row_text(&text);
	if (all != NULL)
		say_copied(explorer, clip_copy(text_of(all), NULL, CLIP_AUTO));
	arena_free(&arena);
}

static void
request_edit(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	char path[4096];
	uint32_t line;

	if (!views_source_path(session, path, sizeof(path), &line)) {
		session_say(session, "there is no source file to edit here");
		return;
	}
	struct error error = { 0 };
	if (editor_open(path, line, NULL, &error) != ERROR_NONE)
		session_say(session, "%s", error.text);
}

static void
request_write(struct explorer *explorer, const char *arguments)
{
	struct session_view *view = requests_view(explorer);
	struct arena arena;
	struct row row;

	FILE *file = arguments[0] != '\0' ? fopen(arguments, "wx") : NULL;
	if (file == NULL) {
		session_say(&explorer->session, "'%s' can't be written (or is there already)",
			    arguments);
		return;
	}
	arena_init(&arena, 0);
	row_init(&row, &arena);
	size_t count = session_rows(view);
	for (size_t i = 0; i < count; i++) {
		row_clear(&row);
		view->listing.fill(&view->listing, session_listing_row(view, i), 0, &row);
		fprintf(file, "%s\n", row_text(&row));
	}
	arena_free(&arena);
	bool good = fclose(file) == 0;
	session_say(&explorer->session,
		    good ? "%zu rows written to %s" : "%zu rows, but %s is not whole", count,
		    arguments);
}

static void
request_save_screen(struct explorer *explorer, const char *arguments)
{
	static const char option[] = "--attributes ";
	bool attributes = strncmp(arguments, option, strlen(option)) == 0;
	struct error error = { 0 };

	if (term_save(attributes ? arguments + strlen(option) : arguments, attributes, &error) !=
	    ERROR_NONE)
		session_say(&explorer->session, "%s", error.text);
}

static void
mark(struct explorer *explorer, enum request request, const char *arguments)
{
	struct session *session = &explorer->session;

	if (arguments[0] == '\0') {
		explorer->prefix = request;
		session_say(session, request == REQUEST_MARK ? "mark: a to z names this place"
							     : "go to mark: a to z");
		return;
	}
	int letter = tolower((unsigned char)arguments[0]);
	if (letter < 'a' || letter > 'z') {
		session_say(session, "marks are letters from a to z");
		return;
	}
	struct session_spot *spot = &session->marks[letter - 'a'];
	if (request == REQUEST_MARK) {
		*spot = session_here(session);
		session_say(session, "this place is mark %c", letter);
	} else if (spot->used) {
		session_remember(session);
		session_go(session, spot);
	} else {
		session_say(session, "there is no mark %c", letter);
	}
}

static void
request_help(struct explorer *explorer)
{
	explorer->help_context = KEYMAP_VIEW(explorer->session.choice.focus);
	explorer->help = !explorer->help;
	explorer->help_view.selected = explorer->help_view.top = 0;
}

static void
request_filter(struct explorer *explorer, const char *arguments)
{
	struct session *session = &explorer->session;

	if (explorer->help)
		return;
	session_filter(session, session->choice.focus, arguments);
}

static void
request_find(struct explorer *explorer, const char *arguments)
{
	search_set(&explorer->search, arguments);
	if (!requests_search(explorer, requests_view(explorer)->selected, 1))
		session_say(&explorer->session, "'%s' is nowhere in this view", arguments);
}

static void
find_again(struct explorer *explorer, int direction)
{
	size_t rows = session_rows(requests_view(explorer));
	size_t from = requests_view(explorer)->selected;

	if (explorer->search.length == 0) {
		session_say(&explorer->session, "nothing was looked for yet; / finds");
		return;
	}
	bool wrapped = direction > 0 ? from + 1 >= rows : from == 0;
	from = direction > 0 ? (wrapped ? 0 : from + 1) : (wrapped ? rows - 1 : from - 1);
	size_t before = requests_view(explorer)->selected;
	if (!requests_search(explorer, from, direction))
		session_say(&explorer->session, "'%s' is nowhere in this view",
			    explorer->search.pattern);
	else if (direction > 0 ? requests_view(explorer)->selected <= before
			       : requests_view(explorer)->selected >= before)
		session_say(&explorer->session, "the search went on from the %s",
			    direction > 0 ? "first row" : "last row");
}

static void
problem(struct explorer *explorer, int direction)
{
	focus(explorer, LAYOUT_MESSAGES);
	move(explorer, direction);
	session_say(&explorer->session, "Enter goes to the place of the message");
}

static void
scroll(struct explorer *explorer, int direction)
{
	struct session_view *view = requests_view(explorer);
	const size_t by = 8;

	if (direction > 0)
		view->left += by;
	else
		view->left = view->left > by ? view->left - by : 0;
}

static void
set_base(struct explorer *explorer)
{
	static const unsigned bases[] = { 16, 10, 0 };
	struct session *session = &explorer->session;
	size_t at = 0;

	while (bases[at] != session->base)
		at++;
	session->base = bases[(at + 1) % ARRAY_COUNT(bases)];
	session_refresh(session);
	session_say(session, "values as %s",
		    session->base == 16   ? "hexadecimal"
		    : session->base == 10 ? "decimal"
					  : "text");
}

static void
set_mouse(struct explorer *explorer)
{
	explorer->mouse = term_mouse(!explorer->mouse);
	session_say(&explorer->session, explorer->mouse
						? "the mouse selects and scrolls; F8 gives it back"
						: "the mouse belongs to the terminal");
}

static void
open_prompt(struct explorer *explorer, char kind)
{
	explorer->prompt = kind;
	explorer->search_from = requests_view(explorer)->selected;
	prompt_open(kind == ':' ? PROMPT_COMMAND : kind == '/' ? PROMPT_FIND : PROMPT_FILTER, "");
}

static void
say_settings(struct explorer *explorer)
{
	session_say(&explorer->session, "set inline toggle, set base toggle, set mouse toggle");
}

/* Requests that a table of functions of one shape can name; `n` is their number. */
#define STEP(which, kind, direction, view)	\
	case REQUEST_##which:			\
		step(explorer, kind, direction, view, arguments);	\
		break
#define MOVE(which, rows)			\
	case REQUEST_##which:			\
		move(explorer, rows);		\
		break
#define FOCUS(which)				\
	case REQUEST_VIEW_##which:		\
		focus(explorer, LAYOUT_##which);	\
		break

static bool
do_stepping(struct explorer *explorer, enum request request, const char *arguments)
{
	switch (request) {
	STEP(STEP_TOKEN, EVENT_TOKEN, 1, LAYOUT_TAPE);
	STEP(BACK_TOKEN, EVENT_TOKEN, -1, LAYOUT_TAPE);
	STEP(STEP_REGISTER, EVENT_SET, 1, LAYOUT_REGISTERS);
	STEP(BACK_REGISTER, EVENT_SET, -1, LAYOUT_REGISTERS);
	STEP(STEP_ATTEMPT, EVENT_ATTEMPT, 1, LAYOUT_EVIDENCE);
	STEP(BACK_ATTEMPT, EVENT_ATTEMPT, -1, LAYOUT_EVIDENCE);
	case REQUEST_STEP_FRAME:
	case REQUEST_FRAME_NEXT:
		step_frame(explorer, 1, arguments);
		break;
	case REQUEST_BACK_FRAME:
	case REQUEST_FRAME_PREVIOUS:
		step_frame(explorer, -1, arguments);
		break;
	default:
		return false;
	}
	explorer->last_step = request;
	return true;
}

static bool
do_moving(struct explorer *explorer, enum request request)
{
	const long page = (long)requests_page(explorer);

	switch (request) {
	MOVE(DOWN, 1);
	MOVE(UP, -1);
	MOVE(HALF_DOWN, (page + 1) / 2);
	MOVE(HALF_UP, -(page + 1) / 2);
	MOVE(PAGE_DOWN, page);
	MOVE(PAGE_UP, -page);
	case REQUEST_FIRST:
		select_row(explorer, 0);
		return true;
	case REQUEST_LAST:
		select_row(explorer, SIZE_MAX);
		return true;
	case REQUEST_SCROLL_LEFT:
		scroll(explorer, -1);
		return true;
	case REQUEST_SCROLL_RIGHT:
		scroll(explorer, 1);
		return true;
	case REQUEST_THREAD_NEXT:
		step_thread(explorer, 1);
		return true;
	case REQUEST_THREAD_PREVIOUS:
		step_thread(explorer, -1);
		return true;
	case REQUEST_PROBLEM_NEXT:
		problem(explorer, 1);
		return true;
	case REQUEST_PROBLEM_PREVIOUS:
		problem(explorer, -1);
		return true;
	default:
		return false;
	}
	return true;
}

static bool
do_looking(struct explorer *explorer, enum request request, const char *arguments)
{
	struct session *session = &explorer->session;

	switch (request) {
	FOCUS(STACK);
	FOCUS(SOURCE);
	FOCUS(EVIDENCE);
	FOCUS(TAPE);
	FOCUS(REGISTERS);
	FOCUS(MEMORY);
	FOCUS(RAW);
	FOCUS(MODULES);
	FOCUS(MESSAGES);
	case REQUEST_OPEN:
		request_open(explorer);
		break;
	case REQUEST_JUMP_BACK:
	case REQUEST_JUMP_FORWARD:
		if (!session_travel(session, request == REQUEST_JUMP_BACK ? -1 : 1))
			session_say(session, "the trail ends here");
		break;
	case REQUEST_FOLD:
		request_fold(explorer);
		break;
	case REQUEST_SET_INLINE:
		stack_state_expand_all(&session->stack, !session->stack.expand_inlined);
		session->call = 0;
		session_refresh(session);
		break;
	case REQUEST_FOCUS_NEXT:
		focus(explorer, layout_next(&explorer->layout, session->choice.focus, 1));
		break;
	case REQUEST_FOCUS_PREVIOUS:
		focus(explorer, layout_next(&explorer->layout, session->choice.focus, -1));
		break;
	case REQUEST_ZOOM:
		session->choice.zoom = !session->choice.zoom;
		break;
	case REQUEST_SET_BASE:
		set_base(explorer);
		break;
	case REQUEST_MARK:
	case REQUEST_GOTO_MARK:
		mark(explorer, request, arguments);
		break;
	default:
		return false;
	}
	return true;
}

static bool
do_finding(struct explorer *explorer, enum request request, const char *arguments)
{
	switch (request) {
	case REQUEST_FIND:
		if (arguments[0] == '\0')
			open_prompt(explorer, '/');
		else
			request_find(explorer, arguments);
		return true;
	case REQUEST_FIND_NEXT:
		find_again(explorer, 1);
		return true;
	case REQUEST_FIND_PREVIOUS:
		find_again(explorer, -1);
		return true;
	case REQUEST_FILTER:
		if (arguments[0] == '\0')
			open_prompt(explorer, '&');
		else
			request_filter(explorer, arguments);
		return true;
	case REQUEST_GOTO:
		if (!session_goto(&explorer->session, arguments))
			session_say(&explorer->session, "there is no '%s' to go to", arguments);
		return true;
	default:
		return false;
	}
}

static void
do_the_rest(struct explorer *explorer, enum request request, const char *arguments)
{
	switch (request) {
	case REQUEST_REPEAT:
		if (explorer->last_step != REQUEST_NONE)
			requests_do(explorer, explorer->last_step, "");
		break;
	case REQUEST_COPY:
		copy(explorer, false);
		break;
	case REQUEST_COPY_LINE:
		copy(explorer, true);
		break;
	case REQUEST_EDIT:
		request_edit(explorer);
		break;
	case REQUEST_WRITE:
		request_write(explorer, arguments);
		break;
	case REQUEST_SAVE_SCREEN:
		request_save_screen(explorer, arguments);
		break;
	case REQUEST_COMMAND:
		open_prompt(explorer, ':');
		break;
	case REQUEST_SET:
		say_settings(explorer);
		break;
	case REQUEST_CLOSE:
		request_close(explorer);
		break;
	case REQUEST_QUIT:
		explorer->quit = true;
		break;
	case REQUEST_ESCAPE:
		request_escape(explorer);
		break;
	case REQUEST_CANCEL:
		if (session_is_loading(&explorer->session))
			session_give_up(&explorer->session);
		else
			session_say(&explorer->session, "nothing is at work; q leaves");
		break;
	case REQUEST_REDRAW:
		term_redraw();
		break;
	case REQUEST_SUSPEND:
		term_suspend();
		break;
	case REQUEST_SET_MOUSE:
		set_mouse(explorer);
		break;
	case REQUEST_HELP:
		request_help(explorer);
		break;
	default:
		break;
	}
}

void
requests_do(struct explorer *explorer, enum request request, const char *arguments)
{
	if (!do_stepping(explorer, request, arguments) && !do_moving(explorer, request) &&
	    !do_looking(explorer, request, arguments) && !do_finding(explorer, request, arguments))
		do_the_rest(explorer, request, arguments);
}

void
requests_command(struct explorer *explorer, const char *line)
{
	const char *arguments = "";

	while (*line == ' ' || *line == ':')
		line++;
	if (*line == '\0')
		return;
	enum request request = keymap_command(line, &arguments);
	if (request == REQUEST_NONE)
		session_say(&explorer->session, "there is no command '%s'; ? lists them", line);
	else if (request == REQUEST_AMBIGUOUS)
		session_say(&explorer->session, "'%s' begins several commands; Tab lists them",
			    line);
	else
		requests_do(explorer, request, arguments);
}

void
requests_key(struct explorer *explorer, int key)
{
	unsigned context = explorer->help ? KEYMAP_HELP
					  : KEYMAP_VIEW(explorer->session.choice.focus);
	char name[KEY_NAME_SIZE];

	explorer->session.notice[0] = '\0';
	if (explorer->prefix != REQUEST_NONE) {
		const char letter[2] = { key > ' ' && key < 127 ? (char)key : '?', '\0' };
		enum request prefix = explorer->prefix;

		explorer->prefix = REQUEST_NONE;
		mark(explorer, prefix, letter);
		return;
	}
	enum request request = keymap_key(key, context);
	if (request == REQUEST_NONE)
		session_say(&explorer->session, "'%s' does nothing here, ? for help",
			    key_label(key, name));
	else
		requests_do(explorer, request, "");
}

static bool
row_has(const struct explorer *explorer, struct session_view *view, size_t index, struct row *row)
{
	size_t at, length;

	row_clear(row);
	view->listing.fill(&view->listing, session_listing_row(view, index), 0, row);
	return search_in(&explorer->search, text_of(row_text(row)), 0, &at, &length);
}

/* Rows that a search looks at before it gives up: a dump of gigabytes has more. */
#define MOST_SEARCHED 2000000u

bool
requests_search(struct explorer *explorer, size_t from, int direction)
{
	struct session_view *view = requests_view(explorer);
	size_t rows = session_rows(view), at = from < rows ? from : 0;
	struct arena arena;
	struct row row;
	bool found = false;

	if (explorer->search.length == 0)
		return false;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < rows && i < MOST_SEARCHED && !found; i++) {
		found = row_has(explorer, view, at, &row);
		if (!found)
			at = direction > 0 ? (at + 1 < rows ? at + 1 : 0)
					   : (at > 0 ? at - 1 : rows - 1);
	}
	arena_free(&arena);
	if (found)
		select_row(explorer, at);
	return found;
}

void
requests_typed(struct explorer *explorer, const char *text)
{
	if (explorer->prompt == '&') {
		request_filter(explorer, text);
		return;
	}
	if (explorer->prompt != '/')
		return;
	search_set(&explorer->search, text);
	if (text[0] == '\0' || !requests_search(explorer, explorer->search_from, 1))
		select_row(explorer, explorer->search_from);
}

/* Rows counted for "3 of 17": more would make a key late. */
#define MOST_COUNTED 20000u

void
requests_search_count(struct explorer *explorer, size_t *at, size_t *count)
{
	struct session_view *view = requests_view(explorer);
	size_t rows = session_rows(view);
	struct arena arena;
	struct row row;

	*at = *count = 0;
	if (explorer->search.length == 0 || rows > MOST_COUNTED)
		return;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < rows; i++) {
		if (!row_has(explorer, view, i, &row))
			continue;
		(*count)++;
		if (i <= view->selected)
			*at = *count;
	}
	arena_free(&arena);
}
