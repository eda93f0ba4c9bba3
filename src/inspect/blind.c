/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/blind.h"

#include "crash/module_map.h"

/* Whether an event's attempt found the caller by a guess. Its rules name the guessed word. */
static bool
is_guess(const struct step_view *view, uint32_t event)
{
	return view->verdict.kind == VERDICT_TAKEN &&
	       trust_table[view->caller.trust].certainty == CERTAINTY_GUESSED &&
	       trace_ancestor(&view->trace, event, EVENT_ATTEMPT) == step_view_taken(view);
}

/* Whether a rule's text is hidden: the rule is to be predicted, or names a guessed word. */
static bool
hides_rule(const struct step_view *view, uint32_t event)
{
	return view->walk->horizon.blind == BLIND_RULE || is_guess(view, event);
}

/* Whether a token that is already shown reveals an input's value by using it. */
static bool
is_used(const struct step_view *view, uint32_t input, uint32_t reach)
{
	for (uint32_t i = input; i <= reach && i < view->trace.count; i++) {
		const struct event *at = &view->trace.events[i];

		if (at->kind == EVENT_TOKEN && at->stack != NULL && at->stack->from == input &&
		    step_view_end(view, i) <= reach)
			return true;
	}
	return false;
}

/* Whether an event may be shown: it reveals no value that is still to be predicted. */
static bool
is_shown(const struct step_view *view, uint32_t event, uint32_t reach)
{
	const struct event *at = &view->trace.events[event];

	switch (at->kind) {
	case EVENT_RECORD:
		return at->status != EVENT_FAILED || event <= reach;
	case EVENT_ROW:
	case EVENT_FIELD:
		return view->walk->horizon.blind != BLIND_RULE ||
		       view->trace.events[at->parent].end - 1 <= reach;
	case EVENT_INPUT:
		return at->reg >= 0 || is_used(view, event, reach);
	case EVENT_SET:
		return step_view_settled(view, event) <= reach;
	case EVENT_CANDIDATE:
		/* The list of tested words would show the word that was found. */
		return view->trace.events[at->parent].end - 1 <= reach;
	default:
		return step_view_end(view, event) <= reach;
	}
}

static void
hide_event(const struct step_view *view, uint32_t event)
{
	struct event *at = &view->trace.events[event];
	const bool named = at->kind == EVENT_ATTEMPT || at->kind == EVENT_RULE ||
			   at->kind == EVENT_STEP;

	at->status = EVENT_HIDDEN;
	at->address = at->value = 0;
	at->stack = NULL;
	if (at->kind != EVENT_SET)
		at->from = TRACE_NONE;
	if (at->kind == EVENT_RESULT)
		at->detail = VERDICT_REFUSED;
	if (!named)
		at->text = "";
	if ((at->kind == EVENT_RULE || at->kind == EVENT_TOKEN) && hides_rule(view, event)) {
		at->text = at->kind == EVENT_RULE ? "?" : "";
		at->name = at->kind == EVENT_TOKEN ? text_of("?") : at->name;
	}
	if (at->kind == EVENT_READ || at->kind == EVENT_CANDIDATE)
		at->place = (struct place){ 0 };
}

void
blind_hide(struct step_view *view, uint32_t reach)
{
	struct registers *caller = &view->caller.registers;
	bool *hidden = arena_array(&view->trace.arena, view->trace.count + 1, sizeof(*hidden));
	const struct blind_question question =
		blind_question(view, view->walk->horizon.blind, reach);

	view->reach = reach;
	view->asked = question.there ? question.event : TRACE_NONE;
	view->asked_register = question.reg;
	for (uint32_t i = 0; hidden != NULL && i < view->trace.count; i++)
		hidden[i] = !is_shown(view, i, reach);
	for (int reg = 0; reg < ARCH_REGISTERS; reg++)
		if (step_view_register(view, reg) == TRACE_NONE) {
			caller->known &= ~(UINT64_C(1) << reg);
			caller->value[reg] = 0;
		}
	for (uint32_t i = (uint32_t)view->trace.count; i-- > 0;)
		if (hidden == NULL || hidden[i])
			hide_event(view, i);
	if (step_view_is_over(view))
		return;
	view->verdict.text[0] = '\0';
	view->caller.lookup = 0;
	view->caller.module = MODULE_NONE;
}

/* Whether a later token in the rule assigns to the name that this token pushes. */
static bool
is_target(const struct step_view *view, uint32_t token)
{
	const struct event *at = &view->trace.events[token];

	if (at->detail != OPERATION_NAME || at->stack == NULL || at->stack->below != NULL)
		return false;
	for (uint32_t i = token + 1; i < view->trace.events[at->parent].end; i++)
		if (view->trace.events[i].kind == EVENT_TOKEN &&
		    view->trace.events[i].detail == OPERATION_ASSIGN)
			return true;
	return false;
}

/* Whether a token assigns a value or leaves it on the stack. Sets `*value` to the value. */
static bool
leaves(const struct step_view *view, uint32_t token, uint64_t *value)
{
	const struct event *at = &view->trace.events[token];
	const bool assigns = at->detail == OPERATION_ASSIGN;

	if (at->status != EVENT_OK || is_target(view, token) || is_guess(view, token) ||
	    (!assigns && (at->stack == NULL || !at->stack->known)))
		return false;
	*value = assigns ? at->value : at->stack->value;
	return true;
}

/* Asks for the next register set in the caller after `reach`, unless a question comes earlier. */
static void
ask_register(const struct step_view *whole, enum blind blind, uint32_t reach,
	     struct blind_question *question)
{
	const struct trace *trace = &whole->trace;

	for (uint32_t set = trace_next(trace, TRACE_NONE, EVENT_SET); set != TRACE_NONE;
	     set = trace_next(trace, set, EVENT_SET)) {
		const uint32_t settled = step_view_settled(whole, set);
		const uint32_t token = trace_ancestor(trace, settled, EVENT_TOKEN);

		if (trace->events[set].status != EVENT_OK || settled <= reach ||
		    (question->there && question->reach <= settled) ||
		    (blind == BLIND_TOKEN && token == TRACE_NONE))
			continue;
		*question = (struct blind_question){
			.there = true,
			.event = token != TRACE_NONE ? token : set,
			.reach = settled,
			.reg = trace->events[set].reg,
			.value = trace->events[set].value,
		};
	}
}

struct blind_question
blind_question(const struct step_view *whole, enum blind blind, uint32_t reach)
{
	const struct trace *trace = &whole->trace;
	struct blind_question question = { .reg = ARCH_NO_REGISTER };

	if (blind == BLIND_WALK && whole->verdict.kind == VERDICT_TAKEN &&
	    (size_t)reach + 1 < trace->count)
		return (struct blind_question){
			.there = true,
			.event = TRACE_NONE,
			.reach = (uint32_t)trace->count - 1,
			.reg = whole->walk->arch->pc,
			.value = whole->caller.registers.value[whole->walk->arch->pc],
		};
	if (blind == BLIND_WALK)
		return question;
	ask_register(whole, blind, reach, &question);
	for (uint32_t i = 0; blind == BLIND_TOKEN && i < trace->count; i++) {
		uint64_t value;

		if (trace->events[i].kind != EVENT_TOKEN || step_view_end(whole, i) <= reach ||
		    !leaves(whole, i, &value) || (question.there && question.event < i))
			continue;
		return (struct blind_question){
			.there = true,
			.event = i,
			.reach = step_view_end(whole, i),
			.reg = question.there && question.event == i ? question.reg
								     : ARCH_NO_REGISTER,
			.value = value,
		};
	}
	return question;
}

bool
blind_advance(struct walk *walk, struct walk_horizon *horizon, struct blind_question *question)
{
	for (;;) {
		struct step_view step;

		walk_run(walk, horizon->frame + 1);
		if (horizon->frame >= walk->count)
			return false;
		step_view_make(&step, walk, horizon->frame);
		*question = blind_question(&step, horizon->blind, horizon->event);
		const bool taken = step.verdict.kind == VERDICT_TAKEN;
		step_view_free(&step);
		if (question->there)
			return true;
		if (!taken) {
			horizon->frame = SIZE_MAX - 1;
			return false;
		}
		horizon->frame++;
		horizon->event = 0;
	}
}

const struct prediction *
blind_prediction(const struct walk_horizon *horizon, size_t frame, uint32_t event)
{
	for (size_t i = horizon->made_count; i-- > 0;)
		if (horizon->made[i].frame == frame && horizon->made[i].event == event)
			return &horizon->made[i];
	return NULL;
}
