/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/blind.h"
#include "inspect/expression.h"
#include "ui/request/requests.h"

/* Blind mode: the user predicts each value before it is shown. */

static struct session_thread *
blind_thread(const struct session *session)
{
	return &session->open.threads[session->look.stack.thread];
}

struct blind_asked {
	struct blind_question question;
	/* The caller's function as the stack shows it, and its name alone; empty: unknown */
	struct text shown, name;
	struct arena arena;	/* holds the texts */
};

/* The next question about the selected thread; free its arena. False if nothing is hidden. */
static bool
find_question(struct session *session, struct blind_asked *asked)
{
	struct blind_question *question = &asked->question;
	struct walk_horizon *horizon = &blind_thread(session)->horizon;
	struct walk *walk = session_create_walk(session, session->look.stack.thread, NULL);
	bool there = false;

	horizon->blind = (enum blind)session->blind;
	*asked = (struct blind_asked){ .shown = text_of(""), .name = text_of("") };
	if (walk != NULL) {
		walk->horizon = (struct walk_horizon){ 0 };
		there = blind_advance(walk, horizon, question);
	}
	/* The name of the caller's function is also a right answer. */
	if (there && question->event == TRACE_NONE && walk_extend(walk)) {
		const struct frame *caller = &walk->frames[horizon->frame + 1];
		struct location location;

		location_of_frame(walk, caller, NULL, &asked->arena, &location);
		const char *name = text_copy(&asked->arena,
					     location.calls[location.call_count - 1].name);
		const char *shown = text_copy(
			&asked->arena, location_frame_name(walk, caller, false, &asked->arena));

		asked->name = text_of(text_or_empty(name));
		asked->shown = text_of(text_or_empty(shown));
	}
	walk_free(walk);
	return there;
}

/* Describe the value in question without the answer. */
static void
describe(const struct session *session, const struct blind_question *question, char *text,
	 size_t size)
{
	const size_t caller = blind_thread(session)->horizon.frame + 1;
	struct walk *walk = session_walk(session);
	const struct arch *arch = walk->arch;
	struct step_view step;

	if (question->event == TRACE_NONE) {
		snprintf(text, size, "frame %zu, its %s or its function", caller,
			 arch->registers[arch->pc].label);
		return;
	}
	step_view_make(&step, walk, caller - 1);
	const struct event *at = &step.trace.events[question->event];
	if (session->blind == BLIND_STEP || session->blind == BLIND_RULE)
		snprintf(text, size, "%s of frame %zu", arch->registers[question->reg].label,
			 caller);
	else
		snprintf(text, size, "what token %zu, '%.*s', leaves",
			 step_view_token_number(&step, question->event), (int)at->name.length,
			 at->name.start);
	step_view_free(&step);
}

void
session_blind_refuse(struct session *session)
{
	struct blind_asked asked;
	char text[100];

	if (find_question(session, &asked)) {
		describe(session, &asked.question, text, sizeof(text));
		session_fail(session, "hidden: %s; %s:reveal shows it", text,
			session->lesson != NULL ? "" : "P predicts it, ");
	}
	arena_free(&asked.arena);
}

bool
session_blind_pass(struct session *session, uint32_t event)
{
	const struct step_view *step = &session->step.view;
	const enum event_kind kind = step->trace.events[event].kind;
	const uint32_t end = step_view_end(step, event);

	if (end <= step->reach || kind == EVENT_STEP || kind == EVENT_ATTEMPT ||
	    kind == EVENT_RULE)
		return true;
	if (session->step.by != METHOD_COUNT || session->kept.edits.shown != NULL ||
	    step->asked == TRACE_NONE || event >= step->asked)
		return false;
	blind_thread(session)->horizon.event = end;
	session_renew_walk(session);
	return true;
}

void
session_set_blind(struct session *session)
{
	const uint32_t cursor = session->step.exists ? session->step.view.cursor : 0;
	struct blind_asked asked = { 0 };

	if (session->open.crash->thread_count == 0)
		return;
	struct session_thread *thread = blind_thread(session);
	/* Values already shown stay visible: frames up to this one, the step up to the cursor. */
	if (thread->horizon.blind == BLIND_OFF) {
		thread->horizon.frame = session->look.stack.frame;
		thread->horizon.event =
			session->step.exists && !step_view_is_whole(&session->step.view)
				? step_view_now(&session->step.view)
				: 0;
	}
	thread->wrong = 0;
	if (session->blind != BLIND_OFF)
		find_question(session, &asked);
	else
		for (size_t i = 0; i < session->open.crash->thread_count; i++)
			session->open.threads[i].horizon.blind = BLIND_OFF;
	arena_free(&asked.arena);
	addresses_forget(session);
	session_walk_again(session, &session->policy);
	session_select_event(session, cursor);
}

/* Whether the text is the value or the hidden function's name. */
static bool
is_answer(struct session *session, const char *text, struct blind_asked *asked)
{
	const struct blind_question *question = &asked->question;
	const struct walk *walk = session_walk(session);
	const struct frame *frame = &walk->frames[blind_thread(session)->horizon.frame];
	uint64_t decimal;

	const bool short_one = strlen(text) < EXPRESSION_ADDRESS_DIGITS &&
		text_number(text_of(text), 10, &decimal);
	if (short_one && arch_wrap(walk->arch, decimal) == question->value)
		return true;
	if (text[0] != '\0' && (text_is(asked->name, text) || text_is(asked->shown, text)))
		return true;
	session->look.addresses.around.policy = session->policy;
	const struct expression expression =
		expression_of(&session->look.addresses.around, frame, text_of(text), &asked->arena);
	if (!expression.known && question->event != TRACE_NONE)
		session_fail(session, "%s", expression.text);
	const bool right = expression.known &&
		arch_wrap(walk->arch, expression.value) == question->value;
	if (right && short_one)
		session_fail(session, "0x%s is right, but a number without 0x is decimal", text);
	return right && !short_one;
}

/* Record the result of a question, show its value and go there. */
static void
settle(struct session *session, const struct blind_question *question, bool shown)
{
	struct session_thread *thread = blind_thread(session);
	struct walk_horizon *horizon = &thread->horizon;
	const size_t frame = horizon->frame;
	struct blind_asked next;
	struct prediction *made =
		arena_grow(&session->arena, (struct prediction *)horizon->made,
			   horizon->made_count, &thread->capacity, sizeof(*made));

	if (made != NULL) {
		made[horizon->made_count++] = (struct prediction){
			frame, question->event, thread->wrong, shown };
		horizon->made = made;
	}
	thread->wrong = 0;
	horizon->event = question->reach;
	find_question(session, &next);
	arena_free(&next.arena);
	session_select_frame(session, frame,
			     session->look.stack.frame == frame ? session->look.call : 0);
	session_renew_walk(session);
	if (question->event != TRACE_NONE)
		session_select_event(session, question->event);
	else
		session_select_frame(session, frame + 1, 0);
}

static void
say_settled(struct session *session, const struct blind_asked *asked, const char *word)
{
	const struct walk_horizon *horizon = &blind_thread(session)->horizon;
	size_t shown = 0;

	for (size_t i = 0; i < horizon->made_count; i++)
		shown += horizon->made[i].shown;
	session_say(session, "%s: %s%s%.*s   (%zu predicted, %zu shown)", word,
		step_view_number(asked->question.value).text, asked->shown.length > 0 ? ", " : "",
		TEXT_UPTO(asked->shown, 60), horizon->made_count - shown, shown);
}

void
session_blind_reach(struct session *session, const char *text)
{
	struct walk_horizon *horizon = &blind_thread(session)->horizon;
	const struct walk_horizon before = *horizon;
	struct blind_asked asked = { 0 };
	bool found = false;

	if (session->blind == BLIND_OFF || session->kept.edits.shown != NULL ||
	    session_walk(session) == NULL)
		return;
	while (!found && find_question(session, &asked) && horizon->frame == before.frame) {
		found = is_answer(session, text, &asked);
		horizon->event = found ? horizon->event : asked.question.reach;
		arena_free(&asked.arena);
	}
	if (found)
		settle(session, &asked.question, false);
	else
		*horizon = before;
	session->failed = false;
	session->notice[0] = '\0';
	arena_free(&asked.arena);
}

/* The question that the user is to answer. False, with a message, if nothing is asked. */
static bool
question_of(struct session *session, struct blind_asked *asked)
{
	if (session->blind == BLIND_OFF)
		session_fail(session,
			     "nothing is hidden; :set blind token, step or walk hides what "
			     "comes next");
	else if (session->kept.edits.shown != NULL)
		session_fail(session, "the question is about the walk without edits; :original");
	else if (session_walk(session) == NULL)
		session_fail(session, "this thread has no frames");
	else if (!find_question(session, asked))
		session_fail(session, "nothing is hidden any more in this thread");
	else
		return true;
	return false;
}

static void
answer(const struct request_call *call, struct blind_asked *asked)
{
	/* The view in which the mode's steps can be followed. */
	static const enum layout_view views[] = {
		[BLIND_OFF] = LAYOUT_STACK, [BLIND_TOKEN] = LAYOUT_EVALUATION,
		[BLIND_STEP] = LAYOUT_REGISTERS, [BLIND_WALK] = LAYOUT_STACK,
		[BLIND_RULE] = LAYOUT_REGISTERS,
	};
	struct session *session = call->session;
	const bool shown = call->text[0] == '\0' || call->request == REQUEST_REVEAL;
	char what[100];

	if (!shown && !is_answer(session, call->text, asked)) {
		if (session->failed)
			return;
		describe(session, &asked->question, what, sizeof(what));
		session_fail(session, "wrong (%u): %s is not %s; :reveal shows it",
			     ++blind_thread(session)->wrong, call->text, what);
		return;
	}
	settle(session, &asked->question, shown);
	if (!layout_shows(&call->explorer->layout, views[session->blind]))
		session_focus(session, views[session->blind]);
	say_settled(session, asked, shown ? "shown" : "right");
}

void
request_predict(const struct request_call *call)
{
	struct blind_asked asked = { 0 };

	if (call->request == REQUEST_ASK && lesson_pane_ask(call->explorer))
		return;
	if (question_of(call->session, &asked)) {
		char what[100];

		describe(call->session, &asked.question, what, sizeof(what));
		if (call->request == REQUEST_ASK && call->explorer->print.plain)
			session_say(call->session, "'predict EXPRESSION': %s", what);
		else if (call->request == REQUEST_ASK)
			requests_open_prompt(call->explorer, PROMPT_COMMAND, "predict ");
		else
			answer(call, &asked);
	}
	arena_free(&asked.arena);
}

bool
session_blind_ask(const struct session *session, char *text, size_t size)
{
	const struct step_view *step = &session->step.view;
	struct blind_question question = { .event = step->asked, .reg = step->asked_register };

	if (session->blind == BLIND_OFF || !session->step.exists ||
	    step->frame != blind_thread(session)->horizon.frame)
		return false;
	describe(session, &question, text, size);
	return true;
}
