/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdlib.h>

#include "inspect/blind.h"
#include "ui/view/view.h"
#include "walk/frame_rules.h"

/* Steps within an unwind, between frames and between threads. */

static long
count_of(const char *arguments)
{
	long count = strtol(arguments, NULL, 10);

	return count < 1 ? 1 : count;
}

/* Report why the stack ends, and the key that shows the attempts. */
static void
say_end(struct session *session, const char *why)
{
	const struct text key = keymap_view_key(LAYOUT_EVIDENCE);

	if (key.length > 0 && session->look.choice.focus != LAYOUT_EVIDENCE)
		session_say(session, "the end of the stack: %s; %.*s shows what was tried", why,
			    (int)key.length, key.start);
	else
		session_say(session, "the end of the stack: %s", why);
}

/* If a variable is selected, show the step that computes it. */
static void
begin_variable(struct session *session)
{
	const struct row_subject subject = views_subject(session);

	if (subject.kind != SUBJECT_VARIABLE || session->blind != BLIND_OFF)
		return;
	session_remember(session);
	session_look_at_variable(session, subject.variable);
}

/* The value of the request is the kind of the event to go to; negative: back. */
void
request_step(const struct request_call *call)
{
	static const enum layout_view views[] = {
		[EVENT_TOKEN] = LAYOUT_EVALUATION, [EVENT_SET] = LAYOUT_REGISTERS,
		[EVENT_ATTEMPT] = LAYOUT_EVIDENCE,
	};
	struct session *session = call->session;
	const enum event_kind kind = (enum event_kind)abs(call->value);
	const bool back = call->value != (int)kind;
	const enum layout_view view = views[kind];

	if (call->value == EVENT_TOKEN)
		begin_variable(session);

	call->explorer->keys.last_step = call->request;
	call->explorer->keys.stepped = true;
	if (!layout_shows(&call->explorer->layout, view))
		session_focus(session, view);
	for (long i = count_of(call->text); i > 0; i--) {
		const bool found = session_step(session, kind, back);

		session->stepped = session->step.exists && session->step.view.cursor != 0;
		if (found)
			continue;
		if (!session->step.exists)
			session_say(session, "%s", views_why_nothing(session));
		else if (!back && session->step.view.reach != TRACE_NONE &&
			 !step_view_is_over(&session->step.view))
			session_blind_refuse(session);
		else if (session->step.of_variable)
			session_say(session, back
				    ? "beginning of the location of %.64s"
				    : "the value of %.64s is complete; Esc goes back",
				    session->step.view.variable->name);
		else if (back)
			session_say(session, "beginning of the step from frame %zu",
				    session->look.stack.frame);
		else if (session->step.view.verdict.kind == VERDICT_TAKEN)
			session_say(session,
				    "step complete: frame %zu is found; f goes to it, and s "
				    "then looks for frame %zu",
				    session->look.stack.frame + 1, session->look.stack.frame + 2);
		else
			say_end(session, session->step.view.verdict.text);
		return;
	}
}

void
request_step_variable(const struct request_call *call)
{
	struct session *session = call->session;
	const struct session_spot here = session_here(session);

	if (call->text[0] == '\0' && views_subject(session).kind != SUBJECT_VARIABLE) {
		session_fail(session,
			     "name a variable of this frame, or select it in its contents");
		return;
	}
	if (call->text[0] == '\0')
		begin_variable(session);
	else if (session_look_at_variable_named(session, call->text))
		session_remember_before(session, &here, true, false);
	if (session->step.of_variable)
		session_focus(session, LAYOUT_EVALUATION);
}

void
request_step_frame(const struct request_call *call)
{
	struct session *session = call->session;
	struct walk *walk = session_walk(session);
	const size_t count = (size_t)count_of(call->text), from = session->look.stack.frame;

	call->explorer->keys.last_step = call->request;
	call->explorer->keys.stepped = true;
	if (walk == NULL || walk->count == 0) {
		session_say(session, "%s", views_why_nothing(session));
	} else if (call->value == -1) {
		if (from == 0)
			session_say(session, "this is the innermost frame");
		else
			session_select_frame(session, from > count ? from - count : 0, 0);
	} else {
		walk_run(walk, from + count + 1);
		if (from + 1 >= walk->count && walk_is_blind(walk, from))
			session_blind_refuse(session);
		else if (from + 1 >= walk->count)
			say_end(session, walk->end.text);
		else
			session_select_frame(session, from + count < walk->count ? from + count
										 : walk->count - 1,
					     0);
	}
}

/* The address of a table's next or previous row with rules; `address`: it has no such row. */
static uint64_t
address_of_row(const struct rule_table *table, uint64_t address, bool back)
{
	uint64_t before = address;

	for (size_t i = 0; i < table->count; i++) {
		const uint64_t at = table->rows[i].address;

		if (table->rows[i].kind != RULE_ROW_RULES)
			continue;
		if (at > address)
			return back ? before : at;
		if (at != address)
			before = at;
	}
	return back ? before : address;
}

/* Set the pc of an invented thread to another row of its function's rules. */
void
request_rule_row(const struct request_call *call)
{
	struct session *session = call->session;
	const struct explorer_options *options = session->open.options;
	struct walk *walk = session_walk(session);
	const bool back = call->value == -1;
	struct frame_rules rules;
	struct arena arena = { 0 };

	if (session->open.crash->invented == NULL || walk == NULL || walk->count == 0) {
		session_fail(session,
			     "only a function opened by 'unspool step' has rows to go to");
		return;
	}
	frame_rules_make(&rules, walk, 0, &arena);
	const size_t table = rules.in_force < rules.tables.count ? rules.in_force : 0;
	const uint64_t to = rules.tables.count > 0
				    ? address_of_row(&rules.tables.tables[table], rules.address,
						     back)
				    : rules.address;
	const uint64_t pc = rules.module != NULL ? rules.module->base + to : to;
	arena_free(&arena);
	if (to == rules.address) {
		session_fail(session, back ? "this is the first row of the function"
					   : "this is the last row of the function");
		return;
	}
	session_select_frame(session, 0, 0);
	session_select_event(session, 0);
	options->set_address(options->address_context, pc);
	requests_open_again(call->explorer);
}

void
request_thread(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_view *view = session_view(session, LAYOUT_STACK);
	const size_t count = session->open.crash->thread_count;
	size_t thread = session->look.stack.thread;

	for (size_t i = 1; i < count; i++) {
		thread = stack_thread_next(&view->listing, thread, call->value == 1);
		if (session->open.crash->threads[thread].wrote_dump ||
		    thread == session->look.stack.thread)
			continue;
		session_select_thread(session, thread);
		view->lead = true;
		return;
	}
	session_say(session, "no other thread can be selected");
}

void
request_thread_named(const struct request_call *call)
{
	struct session *session = call->session;

	if (call->text[0] == '\0') {
		session_focus(call->session, LAYOUT_STACK);
		return;
	}
	size_t thread = session_thread_named(session, call->text);
	if (session->open.crash->thread_count == 0)
		session_fail(session, "%s", views_why_nothing(session));
	else if (thread == SIZE_MAX)
		session_fail(session, "no thread '%s'; expected a number from 0 to %zu, an ID or "
				      "a name", call->text, session->open.crash->thread_count - 1);
	else if (session->open.crash->threads[thread].wrote_dump)
		session_fail(session, "thread %zu wrote the dump and is not walked", thread);
	else
		session_select_thread(session, thread);
	call->explorer->print.frame = true;
}

void
request_crashed(const struct request_call *call)
{
	struct session *session = call->session;
	const int thread = session->open.crash->requesting_thread;

	if (thread < 0)
		session_fail(session, "the dump does not identify the crashed thread");
	else if ((size_t)thread != session->look.stack.thread)
		session_select_thread(session, (size_t)thread);
	else
		session_select_frame(session, 0, 0);
}

void
request_frame(const struct request_call *call)
{
	struct session *session = call->session;
	const struct walk *walk = session_walk(session);
	uint64_t number = 0;

	call->explorer->print.frame = true;
	if (!call->explorer->print.plain)
		session_focus(call->session, LAYOUT_STACK);
	if (walk == NULL || walk->count == 0)
		session_fail(session, "%s", views_why_nothing(session));
	else if (call->text[0] != '\0' && !text_number(text_of(call->text), 10, &number))
		session_fail(session, "'%s' is not a frame number", call->text);
	else if (call->text[0] != '\0' && !session_goto_frame(session, number))
		session_fail(session, walk_is_blind(walk, walk->count - 1)
					      ? "frame %s is " BLIND_WORDS
					      : "no frame %s; the outermost one is %zu",
			     call->text, walk->count - 1);
	else if (call->value != 0)
		session_focus(session, (enum layout_view)call->value);
}

void
request_backtrace(const struct request_call *call)
{
	session_focus(call->session, LAYOUT_STACK);
	call->explorer->print.rows = (size_t)strtoul(call->text, NULL, 10);
}

void
request_repeat(const struct request_call *call)
{
	if (call->explorer->keys.last_step != REQUEST_NONE)
		requests_do(call->explorer, call->explorer->keys.last_step, call->text);
}
