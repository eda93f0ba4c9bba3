/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/requests.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/details.h"
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

void
requests_select(struct explorer *explorer, size_t index)
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
		requests_select(explorer,
			   view->selected > (size_t)-rows ? view->selected - (size_t)-rows : 0);
	else
		requests_select(explorer, count - view->selected > (size_t)rows
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
		session_say(session, "%s", views_why_nothing(session));
		return;
	}
	const size_t count = (size_t)count_of(arguments);
	if (direction < 0 && session->frame == 0) {
		session_say(session, "this is the innermost frame");
		return;
	}
	if (direction < 0) {
		session_select_frame(session, session->frame > count ? session->frame - count : 0,
				     0);
		return;
	}
	walk_run(walk, session->frame + count + 1);
	if (session->frame + 1 >= walk->count)
		session_say(session, "the end of the stack: %s", walk->end.text);
	else
		session_select_frame(session, session->frame + count < walk->count
						      ? session->frame + count
						      : walk->count - 1,
				     0);
}

static void
step_thread(struct explorer *explorer, int direction)
{
	struct session *session = &explorer->session;
	size_t count = session->crash->thread_count;

	for (size_t i = 1; i < count; i++) {
		size_t thread = (session->thread + (direction > 0 ? i : count - i)) % count;

		if (session->crash->threads[thread].wrote_dump ||
		    stack_state_is_hidden(&session->stack, thread))
			continue;
		session_select_thread(session, thread);
		return;
	}
	session_say(session, "there is no other thread");
}

/* Open or fold what a row of the stack stands for. False where nothing folds there. */
static bool
fold_target(struct session *session, const struct target *target)
{
	struct stack_state *stack = &session->stack;

	if (target->kind == TARGET_THREAD && stack->walks[target->thread] == NULL) {
		session_select_thread(session, target->thread);
	} else if (target->kind == TARGET_THREAD) {
		stack->open[target->thread] = !stack->open[target->thread];
	} else if (target->kind == TARGET_FOLD && target->frame == STACK_GROUP) {
		stack_state_toggle_group(stack, target->thread);
	} else if (target->kind == TARGET_FRAME &&
		   stack_state_toggle(stack, target->thread, target->frame)) {
		session->call = 0;
	} else if (stack_state_toggle_run(stack, target->thread, target->frame)) {
		size_t first = stack_state_run_first(stack, target->thread, target->frame);

		session_select_frame(session, first, 0);
	} else {
		return false;
	}
	session_refresh(session);
	return true;
}

static void
request_fold(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	if (session->choice.focus == LAYOUT_DETAILS) {
		if (!details_open(session, false))
			session_say(session, "nothing folds here");
		return;
	}
	if (session->choice.focus != LAYOUT_STACK) {
		session_say(session,
			    "only threads, recursions and inlined calls of the stack fold");
		return;
	}
	if (session_rows(view) == 0)
		return;
	const size_t selected = view->selected;
	struct target target =
		view->listing.target(&view->listing, session_listing_row(view, selected));
	bool is_thread = target.kind == TARGET_THREAD || target.frame == STACK_GROUP;
	if (!fold_target(session, &target)) {
		session_say(session, "nothing folds here: one call, in no recursion");
		return;
	}
	/* A thread's own row stays where it is, whatever frame is the place. */
	if (is_thread) {
		view = session_view(session, LAYOUT_STACK);
		view->selected = session_shown_row(view, stack_row_of_target(&view->listing,
									     &target));
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
	if (target.kind == TARGET_FOLD)
		request_fold(explorer);
	else if (session->choice.focus == LAYOUT_DETAILS && details_open(session, true))
		return;
	else if (!session_follow(session, &target))
		session_say(session, "nothing more is known about where this comes from");
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
problem(struct explorer *explorer, int direction)
{
	const bool there = explorer->session.choice.focus == LAYOUT_MESSAGES;

	focus(explorer, LAYOUT_MESSAGES);
	if (there)
		move(explorer, direction);
	struct session_view *view = requests_view(explorer);
	struct target target = { .kind = TARGET_NONE };
	if (session_rows(view) > 0)
		target = view->listing.target(&view->listing,
					      session_listing_row(view, view->selected));
	if (target.kind == TARGET_PLACE)
		session_say(&explorer->session, "Enter goes to the place of the message");
	else
		session_say(&explorer->session, "there are no messages");
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
request_base(struct explorer *explorer)
{
	static const unsigned bases[] = { 16, 10, 0 };
	struct session *session = &explorer->session;
	size_t at = 0;

	while (bases[at] != session->base)
		at++;
	session->base = bases[(at + 1) % ARRAY_COUNT(bases)];
	const size_t selected = session->views[LAYOUT_MEMORY].selected;
	session_refresh(session);
	session_view(session, LAYOUT_MEMORY)->selected = selected;
	session_say(session, "values as %s",
		    session->base == 16   ? "hexadecimal"
		    : session->base == 10 ? "decimal"
					  : "text");
}

static void
request_mouse(struct explorer *explorer)
{
	explorer->mouse = term_mouse(!explorer->mouse);
	session_say(&explorer->session, explorer->mouse
						? "the mouse selects and scrolls; F8 gives it back"
						: "the mouse belongs to the terminal");
}

static void
open_prompt(struct explorer *explorer, enum prompt_kind kind)
{
	explorer->prompt = kind;
	explorer->prompting = true;
	explorer->search_from = requests_view(explorer)->selected;
	snprintf(explorer->filter_before, sizeof(explorer->filter_before), "%s",
		 requests_view(explorer)->filter);
	prompt_open(kind, "");
}

static void
request_set(struct explorer *explorer)
{
	session_say(&explorer->session, "set inline toggle, set base toggle, set mouse toggle");
}

static void
act_step_token(struct explorer *explorer, const char *arguments, int direction)
{
	step(explorer, EVENT_TOKEN, direction, LAYOUT_TAPE, arguments);
}

static void
act_step_register(struct explorer *explorer, const char *arguments, int direction)
{
	step(explorer, EVENT_SET, direction, LAYOUT_REGISTERS, arguments);
}

static void
act_step_attempt(struct explorer *explorer, const char *arguments, int direction)
{
	step(explorer, EVENT_ATTEMPT, direction, LAYOUT_EVIDENCE, arguments);
}

static void
act_step_frame(struct explorer *explorer, const char *arguments, int direction)
{
	step_frame(explorer, direction, arguments);
}

static void
act_repeat(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (explorer->last_step != REQUEST_NONE)
		requests_do(explorer, explorer->last_step, arguments);
}

static void
act_move(struct explorer *explorer, const char *arguments, int rows)
{
	(void)arguments;
	move(explorer, rows);
}

static void
act_half_page(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	move(explorer, direction * ((long)requests_page(explorer) + 1) / 2);
}

static void
act_page(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	move(explorer, direction * (long)requests_page(explorer));
}

static void
act_end(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	requests_select(explorer, direction < 0 ? 0 : SIZE_MAX);
}

static void
act_scroll(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	scroll(explorer, direction);
}

static void
act_thread(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	step_thread(explorer, direction);
}

static void
act_problem(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	problem(explorer, direction);
}

static void
act_view(struct explorer *explorer, const char *arguments, int view)
{
	(void)arguments;
	focus(explorer, (enum layout_view)view);
}

static void
act_focus(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	focus(explorer, layout_next(&explorer->layout, explorer->session.choice.focus, direction));
}

static void
act_travel(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	if (!session_travel(&explorer->session, direction))
		session_say(&explorer->session, "the trail ends here");
}

static void
act_inline(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;

	(void)arguments;
	(void)value;
	stack_state_expand_all(&session->stack, !session->stack.expand_inlined);
	session->call = 0;
	session_refresh(session);
}

static void
act_fold_all(struct explorer *explorer, const char *arguments, int fold)
{
	struct session *session = &explorer->session;

	(void)arguments;
	stack_state_fold_all(&session->stack, fold != 0);
	for (size_t i = 0; i < session->crash->thread_count; i++)
		if (session->stack.walks[i] != NULL)
			session->stack.open[i] = fold == 0 || i == session->thread;
	session->call = 0;
	session_refresh(session);
}

static void
act_walk_all(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	session_walk_all(&explorer->session);
}

static void
act_streams(struct explorer *explorer, const char *arguments, int named)
{
	if (named)
		details_show_named(&explorer->session, arguments);
	else
		details_show_directory(&explorer->session);
}

static void
act_summary(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	details_show_summary(&explorer->session);
}

static void
act_details(struct explorer *explorer, const char *arguments, int id)
{
	(void)arguments;
	details_show(&explorer->session, (enum details_id)id);
}

static void
act_zoom(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	explorer->session.choice.zoom = !explorer->session.choice.zoom;
}

static void
act_mark(struct explorer *explorer, const char *arguments, int request)
{
	mark(explorer, (enum request)request, arguments);
}

static void
act_find(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		open_prompt(explorer, PROMPT_FIND);
	else
		requests_find(explorer, arguments);
}

static void
act_find_again(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	requests_find_again(explorer, direction);
}

static void
act_filter(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0')
		open_prompt(explorer, PROMPT_FILTER);
	else
		requests_filter(explorer, arguments);
}

static void
act_goto(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (!session_goto(&explorer->session, arguments))
		session_say(&explorer->session, "there is no '%s' to go to", arguments);
}

static void
act_methods(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	session_choose_methods(&explorer->session, arguments);
}

static void
act_copy(struct explorer *explorer, const char *arguments, int line)
{
	(void)arguments;
	requests_copy(explorer, line != 0);
}

static void
act_command(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	open_prompt(explorer, PROMPT_COMMAND);
}

static void
act_quit(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	explorer->quit = true;
}

static void
act_cancel(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	if (!session_halt(&explorer->session))
		session_say(&explorer->session, "nothing is at work; q leaves");
}

static void
act_terminal(struct explorer *explorer, const char *arguments, int suspend)
{
	(void)explorer;
	(void)arguments;
	if (suspend)
		term_suspend();
	else
		term_redraw();
}

/* Adapts what needs neither arguments nor a value. */
#define PLAIN(name)									\
	static void									\
	act_##name(struct explorer *explorer, const char *arguments, int value)		\
	{										\
		(void)arguments;							\
		(void)value;								\
		request_##name(explorer);						\
	}

PLAIN(open)
PLAIN(fold)
PLAIN(base)
PLAIN(close)
PLAIN(escape)
PLAIN(mouse)
PLAIN(set)

static void
act_help(struct explorer *explorer, const char *arguments, int value)
{
	(void)value;
	if (arguments[0] == '\0' || !explorer->help)
		request_help(explorer);
	if (arguments[0] != '\0')
		requests_find(explorer, arguments);
}

static void
act_edit(struct explorer *explorer, const char *arguments, int value)
{
	(void)arguments;
	(void)value;
	requests_edit(explorer);
}

static void
act_write(struct explorer *explorer, const char *arguments, int screen)
{
	if (screen)
		requests_save_screen(explorer, arguments);
	else
		requests_write(explorer, arguments);
}

/* What every request does: a function and what tells it from its sisters. */
static const struct {
	void (*act)(struct explorer *explorer, const char *arguments, int value);
	int value;
	bool step;		/* `repeat` does it again */
} actions[REQUEST_COUNT] = {
	[REQUEST_STEP_TOKEN] = { act_step_token, 1, true },
	[REQUEST_BACK_TOKEN] = { act_step_token, -1, true },
	[REQUEST_STEP_REGISTER] = { act_step_register, 1, true },
	[REQUEST_BACK_REGISTER] = { act_step_register, -1, true },
	[REQUEST_STEP_ATTEMPT] = { act_step_attempt, 1, true },
	[REQUEST_BACK_ATTEMPT] = { act_step_attempt, -1, true },
	[REQUEST_STEP_FRAME] = { act_step_frame, 1, true },
	[REQUEST_BACK_FRAME] = { act_step_frame, -1, true },
	[REQUEST_FRAME_NEXT] = { act_step_frame, 1, true },
	[REQUEST_FRAME_PREVIOUS] = { act_step_frame, -1, true },
	[REQUEST_REPEAT] = { act_repeat, 0, false },
	[REQUEST_DOWN] = { act_move, 1, false },
	[REQUEST_UP] = { act_move, -1, false },
	[REQUEST_HALF_DOWN] = { act_half_page, 1, false },
	[REQUEST_HALF_UP] = { act_half_page, -1, false },
	[REQUEST_PAGE_DOWN] = { act_page, 1, false },
	[REQUEST_PAGE_UP] = { act_page, -1, false },
	[REQUEST_FIRST] = { act_end, -1, false },
	[REQUEST_LAST] = { act_end, 1, false },
	[REQUEST_SCROLL_LEFT] = { act_scroll, -1, false },
	[REQUEST_SCROLL_RIGHT] = { act_scroll, 1, false },
	[REQUEST_PROBLEM_NEXT] = { act_problem, 1, false },
	[REQUEST_PROBLEM_PREVIOUS] = { act_problem, -1, false },
	[REQUEST_THREAD_NEXT] = { act_thread, 1, false },
	[REQUEST_THREAD_PREVIOUS] = { act_thread, -1, false },
	[REQUEST_OPEN] = { act_open, 0, false },
	[REQUEST_JUMP_BACK] = { act_travel, -1, false },
	[REQUEST_JUMP_FORWARD] = { act_travel, 1, false },
	[REQUEST_FOLD] = { act_fold, 0, false },
	[REQUEST_FOLD_ALL] = { act_fold_all, 1, false },
	[REQUEST_UNFOLD_ALL] = { act_fold_all, 0, false },
	[REQUEST_WALK_ALL] = { act_walk_all, 0, false },
	[REQUEST_SET_INLINE] = { act_inline, 0, false },
	[REQUEST_VIEW_STACK] = { act_view, LAYOUT_STACK, false },
	[REQUEST_VIEW_SOURCE] = { act_view, LAYOUT_SOURCE, false },
	[REQUEST_VIEW_EVIDENCE] = { act_view, LAYOUT_EVIDENCE, false },
	[REQUEST_VIEW_TAPE] = { act_view, LAYOUT_TAPE, false },
	[REQUEST_VIEW_REGISTERS] = { act_view, LAYOUT_REGISTERS, false },
	[REQUEST_VIEW_MEMORY] = { act_view, LAYOUT_MEMORY, false },
	[REQUEST_VIEW_RAW] = { act_view, LAYOUT_RAW, false },
	[REQUEST_VIEW_MODULES] = { act_view, LAYOUT_MODULES, false },
	[REQUEST_VIEW_MESSAGES] = { act_view, LAYOUT_MESSAGES, false },
	[REQUEST_VIEW_DETAILS] = { act_view, LAYOUT_DETAILS, false },
	[REQUEST_SUMMARY] = { act_summary, 0, false },
	[REQUEST_STREAMS] = { act_streams, 0, false },
	[REQUEST_STREAM] = { act_streams, 1, false },
#define D(id, streams, nothing) [REQUEST_##id] = { act_details, DETAILS_##id, false },
#include "ui/details.def"
#undef D
	[REQUEST_FOCUS_NEXT] = { act_focus, 1, false },
	[REQUEST_FOCUS_PREVIOUS] = { act_focus, -1, false },
	[REQUEST_ZOOM] = { act_zoom, 0, false },
	[REQUEST_SET_BASE] = { act_base, 0, false },
	[REQUEST_MARK] = { act_mark, REQUEST_MARK, false },
	[REQUEST_GOTO_MARK] = { act_mark, REQUEST_GOTO_MARK, false },
	[REQUEST_METHODS] = { act_methods, 0, false },
	[REQUEST_FIND] = { act_find, 0, false },
	[REQUEST_FIND_NEXT] = { act_find_again, 1, false },
	[REQUEST_FIND_PREVIOUS] = { act_find_again, -1, false },
	[REQUEST_FILTER] = { act_filter, 0, false },
	[REQUEST_GOTO] = { act_goto, 0, false },
	[REQUEST_COPY] = { act_copy, 0, false },
	[REQUEST_COPY_LINE] = { act_copy, 1, false },
	[REQUEST_EDIT] = { act_edit, 0, false },
	[REQUEST_WRITE] = { act_write, 0, false },
	[REQUEST_SAVE_SCREEN] = { act_write, 1, false },
	[REQUEST_COMMAND] = { act_command, 0, false },
	[REQUEST_SET] = { act_set, 0, false },
	[REQUEST_CLOSE] = { act_close, 0, false },
	[REQUEST_QUIT] = { act_quit, 0, false },
	[REQUEST_ESCAPE] = { act_escape, 0, false },
	[REQUEST_CANCEL] = { act_cancel, 0, false },
	[REQUEST_REDRAW] = { act_terminal, 0, false },
	[REQUEST_SUSPEND] = { act_terminal, 1, false },
	[REQUEST_SET_MOUSE] = { act_mouse, 0, false },
	[REQUEST_HELP] = { act_help, 0, false },
};

void
requests_do(struct explorer *explorer, enum request request, const char *arguments)
{
	actions[request].act(explorer, arguments, actions[request].value);
	if (actions[request].step)
		explorer->last_step = request;
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
