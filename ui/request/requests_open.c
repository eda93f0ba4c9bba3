/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <ctype.h>
#include <stdio.h>

#include "ui/session/settings.h"
#include "ui/view/details.h"
#include "ui/view/help.h"
#include "ui/view/modules_view.h"
#include "ui/view/rules_view.h"
#include "ui/view/views.h"

/* Opening: where a row leads and back, what is folded, marks and notes, the streams of the dump. */

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
request_fold(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_view *view = requests_view(call->explorer);

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
		requests_fold_words(call->explorer);
		return;
	}
	if (session->choice.focus == LAYOUT_REGISTERS) {
		requests_fold_register(call->explorer);
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
request_open(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	struct session_view *view = requests_view(explorer);

	if (explorer->help) {
		help_follow(explorer);
		return;
	}
	if (session_rows(view) == 0)
		return;
	struct target target =
		view->listing.target(&view->listing, session_listing_row(view, view->selected));
	if (target.kind == TARGET_FOLD)
		request_fold(call);
	else if (session->choice.focus == LAYOUT_DETAILS && details_open(session, true))
		return;
	else if (session->choice.focus == LAYOUT_MODULES && modules_view_fold(session, true))
		return;
	else if (!session_follow(session, &target))
		session_say(session, "nothing more is known about where this comes from");
}

void
request_travel(const struct request_call *call)
{
	if (!session_travel(call->session, call->value))
		session_say(call->session, "the trail ends here");
}

void
request_inline(const struct request_call *call)
{
	char wrong[128];

	settings_set(call->explorer, "inline toggle", wrong, sizeof(wrong));
}

void
request_fold_all(const struct request_call *call)
{
	struct session *session = call->session;

	if (session->choice.focus == LAYOUT_MEMORY) {
		requests_fold_all_words(call->explorer, call->value != 0);
		return;
	}
	if (session->choice.focus == LAYOUT_MODULES) {
		modules_view_fold_all(session, call->value != 0);
		return;
	}
	if (session->choice.focus == LAYOUT_REGISTERS) {
		registers_open_all(&session->registers, call->value == 0);
		session->views[LAYOUT_REGISTERS].fresh = false;
		return;
	}
	stack_state_fold_all(&session->stack, call->value != 0);
	for (size_t i = 0; i < session->crash->thread_count; i++)
		if (session->stack.walks[i] != NULL)
			session->stack.open[i] = call->value == 0 || i == session->thread;
	session->call = 0;
	session_refresh(session);
}

void
request_base(const struct request_call *call)
{
	char wrong[128];

	if (call->session->choice.focus == LAYOUT_TABLE) {
		rules_view_form(call->session);
		return;
	}
	if (call->session->look.unit != 0) {
		call->session->look.unit = call->session->look.unit % 8 == 0
						      ? 1 : call->session->look.unit * 2;
		session_refresh(call->session);
		return;
	}
	settings_set(call->explorer, "base toggle", wrong, sizeof(wrong));
	session_say(call->session, "values as %s",
		    call->session->base == 16   ? "hexadecimal"
		    : call->session->base == 10 ? "decimal"
						   : "text");
}

void
request_mark(const struct request_call *call)
{
	struct session *session = call->session;

	if (call->text[0] == '\0') {
		call->explorer->prefix = (enum request)call->value;
		session_say(session, call->value == REQUEST_MARK ? "mark: a to z names this place"
							     : "go to mark: a to z");
		return;
	}
	int letter = tolower((unsigned char)call->text[0]);
	if (letter < 'a' || letter > 'z') {
		session_fail(session, "marks are letters from a to z");
		return;
	}
	struct session_spot *spot = &session->marks[letter - 'a'];
	if (call->value == REQUEST_MARK) {
		*spot = session_here(session);
		session_say(session, "this place is mark %c", letter);
	} else if (spot->used) {
		session_remember(session);
		session_go(session, spot);
	} else {
		session_fail(session, "there is no mark %c", letter);
	}
}

static struct session_view *
words_view(struct explorer *explorer)
{
	return session_view(&explorer->session, LAYOUT_MEMORY);
}

/* The rows are other ones now: select that of the address. */
static void
show_again(struct explorer *explorer, uint64_t address, bool first)
{
	struct session_view *view;

	explorer->session.views[LAYOUT_MEMORY].fresh = false;
	view = words_view(explorer);
	size_t row = telescope_row(&view->listing, address);
	if (first && row > 0 && telescope_address(&view->listing, row - 1) == address)
		row--;
	view->selected = session_shown_row(view, row);
}

void
requests_fold_words(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = words_view(explorer);

	if (!telescope_is(&view->listing) || session_rows(view) == 0) {
		session_say(session, "only words of the selected thread's stack fold");
		return;
	}
	const size_t row = session_listing_row(view, view->selected);
	const uint64_t address = telescope_address(&view->listing, row);
	const bool whole = view->listing.target(&view->listing, row).kind == TARGET_FOLD;
	if (telescope_toggle(&session->telescope, address))
		show_again(explorer, address, whole);
	else
		session_say(session, "nothing folds here: this word says something of its own");
}

void
requests_fold_all_words(struct explorer *explorer, bool fold)
{
	struct session_view *view = words_view(explorer);
	uint64_t address = 0;

	if (telescope_is(&view->listing) && session_rows(view) > 0)
		address = telescope_address(
			&view->listing, session_listing_row(view, view->selected));
	telescope_open_all(&explorer->session.telescope, !fold);
	show_again(explorer, address, false);
}

void
requests_fold_register(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);

	if (session_rows(view) == 0)
		return;
	const size_t row = session_listing_row(view, view->selected);
	const int reg = registers_reg(&view->listing, row);
	const size_t selected = view->selected;
	if (!registers_toggle(&session->registers, &view->listing, row)) {
		session_say(session, "nothing more is known of this row");
		return;
	}
	view->fresh = false;
	view = session_view(session, LAYOUT_REGISTERS);
	/* What was folded from within is left for the row that stands for it. */
	view->selected = reg != ARCH_NO_REGISTER
				 ? session_shown_row(view, registers_row(&view->listing, reg))
				 : selected < session_rows(view) ? selected
								 : session_rows(view) - 1;
}

/* The register that is selected, or the one that the step sets where the cursor stands. */
static int
selected_register(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);
	const struct event *at = &session->step.trace.events[session->step.cursor];

	if (session->choice.focus == LAYOUT_REGISTERS && session_rows(view) > 0)
		return registers_reg(&view->listing, session_listing_row(view, view->selected));
	return at->kind == EVENT_SET ? at->reg : ARCH_NO_REGISTER;
}

void
request_way(const struct request_call *call)
{
	struct session *session = call->session;
	int reg;

	if (!session->has_step) {
		session_say(session, "%s", views_why_nothing(session));
		return;
	}
	const struct arch *arch = session_walk(session)->arch;
	if (call->text[0] != '\0')
		reg = arch_register(arch, text_of(call->text), ARCH_NAMES_ALIASES);
	else
		reg = selected_register(call->explorer);
	if (reg == ARCH_NO_REGISTER && call->text[0] != '\0') {
		session_fail(session, "%s has no register '%s'", arch->name, call->text);
		return;
	}
	if (reg != ARCH_NO_REGISTER)
		session->way = reg + 1;
	session->views[LAYOUT_WAY].fresh = false;
	requests_focus(call->explorer, LAYOUT_WAY);
}

void
request_note(const struct request_call *call)
{
	struct session *session = call->session;
	struct note note = notes_here(session);

	if (call->text[0] == '\0') {
		const struct note *before = notes_find(&session->notes, &note);
		char line[256];

		snprintf(line, sizeof(line), "note %s", before != NULL ? before->text : "");
		requests_open_line(call->explorer, line);
		return;
	}
	snprintf(note.text, sizeof(note.text), "%s", call->text);
	if (!notes_put(&session->notes, &note))
		session_fail(session, "there are %d notes already; :unnote removes one", NOTES_MOST);
	else
		session_say(session, "noted; :notes lists what there is");
}

void
request_unnote(const struct request_call *call)
{
	struct session *session = call->session;
	const struct note note = notes_here(session);

	if (notes_find(&session->notes, &note) == NULL)
		session_fail(session, "there is no note here");
	else
		notes_put(&session->notes, &note);
}

void
request_notes(const struct request_call *call)
{
	if (call->session->notes.count == 0)
		session_say(call->session, "there are no notes; C writes one");
	else
		help_open_notes(call->explorer);
}

void
request_resume(const struct request_call *call)
{
	struct session *session = call->session;

	if (!session->left_at.used) {
		session_fail(session, "nothing is kept of an earlier session with this dump");
		return;
	}
	session_remember(session);
	session_go(session, &session->left_at);
}

void
request_streams(const struct request_call *call)
{
	if (call->value)
		details_show_named(call->session, call->text);
	else
		details_show_directory(call->session);
}

void
request_details(const struct request_call *call)
{
	details_show(call->session, (enum details_id)call->value);
}
