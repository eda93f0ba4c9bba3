/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <ctype.h>

#include "ui/view/details.h"
#include "ui/view/help.h"
#include "ui/view/modules_view.h"
#include "ui/view/rules_view.h"
#include "ui/session/settings.h"
#include "ui/view/views.h"

/* Looking: where something leads to and back, what is folded, marks, how values are written. */

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

void
request_fold(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	(void)arguments;
	(void)value;
	if (session->choice.focus == LAYOUT_DETAILS) {
		if (!details_open(session, false))
			session_say(session, "nothing folds here");
		return;
	}
	if (session->choice.focus == LAYOUT_MODULES) {
		if (!modules_view_fold(session, false))
			session_say(session, "nothing folds here: only loaded modules have symbols");
		return;
	}
	if (session->choice.focus == LAYOUT_MEMORY) {
		requests_fold_words(explorer);
		return;
	}
	if (session->choice.focus == LAYOUT_REGISTERS) {
		requests_fold_register(explorer);
		return;
	}
	if (session->choice.focus == LAYOUT_RAW) {
		if (!views_fold_raw(session))
			session_say(session, "only lines of symbol files have fields that open");
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

void
request_open(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	struct session_view *view = requests_view(explorer);

	(void)arguments;
	(void)value;
	if (explorer->help) {
		help_follow(explorer);
		return;
	}
	if (session_rows(view) == 0)
		return;
	struct target target =
		view->listing.target(&view->listing, session_listing_row(view, view->selected));
	if (target.kind == TARGET_FOLD)
		request_fold(explorer, "", 0);
	else if (session->choice.focus == LAYOUT_DETAILS && details_open(session, true))
		return;
	else if (session->choice.focus == LAYOUT_MODULES && modules_view_fold(session, true))
		return;
	else if (!session_follow(session, &target))
		session_say(session, "nothing more is known about where this comes from");
}

void
request_travel(struct explorer *explorer, const char *arguments, int direction)
{
	(void)arguments;
	if (!session_travel(&explorer->session, direction))
		session_say(&explorer->session, "the trail ends here");
}

void
request_inline(struct explorer *explorer, const char *arguments, int value)
{
	char wrong[128];

	(void)arguments;
	(void)value;
	settings_set(explorer, "inline toggle", wrong, sizeof(wrong));
}

void
request_fold_all(struct explorer *explorer, const char *arguments, int fold)
{
	struct session *session = &explorer->session;

	(void)arguments;
	if (session->choice.focus == LAYOUT_MEMORY) {
		requests_fold_all_words(explorer, fold != 0);
		return;
	}
	if (session->choice.focus == LAYOUT_MODULES) {
		modules_view_fold_all(session, fold != 0);
		return;
	}
	if (session->choice.focus == LAYOUT_REGISTERS) {
		registers_open_all(&session->registers, fold == 0);
		session->views[LAYOUT_REGISTERS].fresh = false;
		return;
	}
	stack_state_fold_all(&session->stack, fold != 0);
	for (size_t i = 0; i < session->crash->thread_count; i++)
		if (session->stack.walks[i] != NULL)
			session->stack.open[i] = fold == 0 || i == session->thread;
	session->call = 0;
	session_refresh(session);
}

void
request_base(struct explorer *explorer, const char *arguments, int value)
{
	char wrong[128];

	(void)arguments;
	(void)value;
	if (explorer->session.choice.focus == LAYOUT_TABLE) {
		rules_view_form(&explorer->session);
		return;
	}
	if (explorer->session.look.unit != 0) {
		explorer->session.look.unit = explorer->session.look.unit % 8 == 0
						      ? 1 : explorer->session.look.unit * 2;
		session_refresh(&explorer->session);
		return;
	}
	settings_set(explorer, "base toggle", wrong, sizeof(wrong));
	session_say(&explorer->session, "values as %s",
		    explorer->session.base == 16   ? "hexadecimal"
		    : explorer->session.base == 10 ? "decimal"
						   : "text");
}

void
request_mark(struct explorer *explorer, const char *arguments, int request)
{
	struct session *session = &explorer->session;

	if (arguments[0] == '\0') {
		explorer->prefix = (enum request)request;
		session_say(session, request == REQUEST_MARK ? "mark: a to z names this place"
							     : "go to mark: a to z");
		return;
	}
	int letter = tolower((unsigned char)arguments[0]);
	if (letter < 'a' || letter > 'z') {
		session_fail(session, "marks are letters from a to z");
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
		session_fail(session, "there is no mark %c", letter);
	}
}
