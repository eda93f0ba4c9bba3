/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/recorded_step.h"

#include "inspect/blind.h"

void
step_view_make(struct step_view *view, struct walk *walk, size_t frame)
{
	step_view_make_by(view, walk, frame, METHOD_COUNT);
}

void
step_view_make_by(struct step_view *view, struct walk *walk, size_t frame, enum method_id method)
{
	*view = (struct step_view){ .walk = walk, .frame = frame, .reach = TRACE_NONE,
				    .asked = TRACE_NONE, .asked_register = ARCH_NO_REGISTER,
				    .asks = "P predicts it" };
	trace_init(&view->trace);
	if (method != METHOD_COUNT)
		unwind_step_by(walk, frame, method, &view->trace, &view->caller, &view->verdict);
	else
		unwind_step(walk, frame, &view->trace, &view->caller, &view->verdict);
	step_view_count(view);
	if (walk_is_blind(walk, frame))
		blind_hide(view, method == METHOD_COUNT ? walk->horizon.event : 0);
}

/* Tokens are counted once, because rows need their numbers repeatedly. */
void
step_view_count(struct step_view *view)
{
	uint32_t *numbers = arena_array(&view->trace.arena, view->trace.count, sizeof(*numbers));
	uint32_t number = 0;
	size_t widest = STEP_VIEW_TOKEN_LEAST;
	for (uint32_t i = 0; i < view->trace.count; i++) {
		const struct event *event = &view->trace.events[i];

		if (event->kind == EVENT_ATTEMPT)
			number = 0;
		if (event->kind != EVENT_TOKEN)
			continue;
		if (numbers != NULL)
			numbers[i] = ++number;
		if (event->name.length > widest)
			widest = event->name.length;
	}
	view->numbers = numbers;
	view->token_width = widest < STEP_VIEW_TOKEN_WIDEST ? widest : STEP_VIEW_TOKEN_WIDEST;
}

void
step_view_free(struct step_view *view)
{
	trace_free(&view->trace);
	*view = (struct step_view){ 0 };
}

uint32_t
step_view_taken(const struct step_view *view)
{
	return trace_previous(&view->trace, TRACE_NONE, EVENT_ATTEMPT);
}

uint32_t
step_view_attempt(const struct step_view *view)
{
	uint32_t attempt = trace_ancestor(&view->trace, view->cursor, EVENT_ATTEMPT);

	return attempt != TRACE_NONE ? attempt : step_view_taken(view);
}

size_t
step_view_token_number(const struct step_view *view, uint32_t event)
{
	return view->numbers != NULL && event < view->trace.count ? view->numbers[event] : 0;
}

size_t
step_view_token_count(const struct step_view *view, uint32_t attempt)
{
	const struct event *root = step_view_event(view, attempt);
	size_t count = 0;

	for (uint32_t i = attempt; root != NULL && i < root->end; i++)
		count += view->trace.events[i].kind == EVENT_TOKEN;
	return count;
}

size_t
step_view_attempt_number(const struct step_view *view, uint32_t attempt)
{
	size_t number = 0;

	for (uint32_t i = 0; i < view->trace.count && i <= attempt; i++)
		number += view->trace.events[i].kind == EVENT_ATTEMPT;
	return number;
}

bool
step_view_is_whole(const struct step_view *view)
{
	const struct event *at = step_view_event(view, view->cursor);

	return at == NULL || at->kind == EVENT_STEP || at->kind == EVENT_ATTEMPT ||
	       at->kind == EVENT_RULE;
}

uint32_t
step_view_end(const struct step_view *view, uint32_t event)
{
	const struct event *at = step_view_event(view, event);

	if (at->kind != EVENT_TOKEN)
		return at->end - 1;
	/* A rule's last token includes the rule's result. Sizes in a record have no rule. */
	const struct event *rule = step_view_event(view, at->parent);
	for (uint32_t i = event + 1; i < rule->end; i++)
		if (view->trace.events[i].kind == EVENT_TOKEN)
			return at->end - 1;
	return (rule->kind == EVENT_RULE ? rule : at)->end - 1;
}

uint32_t
step_view_now(const struct step_view *view)
{
	uint32_t now = view->trace.count > 0 ? (uint32_t)view->trace.count - 1 : 0;

	if (!step_view_is_whole(view))
		now = step_view_end(view, view->cursor);
	return now < view->reach ? now : view->reach;
}

bool
step_view_is_over(const struct step_view *view)
{
	return (size_t)step_view_now(view) + 1 >= view->trace.count;
}

bool
step_view_is_new(const struct step_view *view, uint32_t event)
{
	return !step_view_is_over(view) && !step_view_is_whole(view) && event >= view->cursor &&
	       event <= step_view_now(view);
}

static bool
gives(const struct step_view *view, const struct event *rule, int reg)
{
	const struct arch *arch = view->walk->arch;

	return rule->reg == reg || (reg == arch->sp && text_is(rule->name, ".cfa")) ||
	       (reg == arch->pc && text_is(rule->name, ".ra"));
}

uint32_t
step_view_settled(const struct step_view *view, uint32_t set)
{
	const struct event *at = step_view_event(view, set);
	const struct event *from = step_view_event(view, at->from);

	for (uint32_t i = set; i > at->parent; i--) {
		const struct event *rule = &view->trace.events[i];

		if (rule->kind == EVENT_RULE && rule->from == at->from &&
		    gives(view, rule, at->reg))
			return rule->end - 1;
	}
	return from != NULL && from->kind == EVENT_TOKEN ? at->from : set;
}

/* The event after which register `r` has the value of an EVENT_SET; TRACE_NONE: none. */
static uint32_t
stop_of(const struct step_view *view, uint32_t set)
{
	const uint32_t settled = step_view_settled(view, set);
	const uint32_t token = trace_ancestor(&view->trace, settled, EVENT_TOKEN);

	if (settled != set)
		return token != TRACE_NONE ? token : set;
	return view->trace.events[set].status == EVENT_OK ? set : TRACE_NONE;
}

uint32_t
step_view_next_register(const struct step_view *view, bool back)
{
	uint32_t best = TRACE_NONE;

	for (uint32_t set = trace_next(&view->trace, TRACE_NONE, EVENT_SET); set != TRACE_NONE;
	     set = trace_next(&view->trace, set, EVENT_SET)) {
		const uint32_t stop = stop_of(view, set);

		if (stop == TRACE_NONE || (back ? stop >= view->cursor : stop <= view->cursor))
			continue;
		if (best == TRACE_NONE || (back ? stop > best : stop < best))
			best = stop;
	}
	return best;
}

uint32_t
step_view_register(const struct step_view *view, int reg)
{
	const bool over = step_view_is_over(view);
	const uint32_t now = step_view_now(view);
	uint32_t attempt = over ? step_view_taken(view) : step_view_attempt(view);
	uint32_t found = TRACE_NONE;

	if (attempt == TRACE_NONE)
		return TRACE_NONE;
	for (uint32_t i = attempt; i < view->trace.events[attempt].end; i++)
		if (view->trace.events[i].kind == EVENT_SET && view->trace.events[i].reg == reg &&
		    (over || step_view_settled(view, i) <= now))
			found = i;
	return found;
}

uint32_t
step_view_cfa(const struct trace *trace, uint32_t from, uint32_t end, uint32_t now)
{
	for (uint32_t i = end; i-- > from;) {
		const struct event *event = &trace->events[i];

		if (event->kind == EVENT_RULE && event->status == EVENT_OK &&
		    event->end - 1 <= now && text_is(event->name, ".cfa"))
			return i;
	}
	return TRACE_NONE;
}

int
step_view_set_now(const struct step_view *view)
{
	const struct event *at = step_view_event(view, view->cursor);

	if (at == NULL || at->kind == EVENT_SET || step_view_is_over(view))
		return at != NULL && at->kind == EVENT_SET ? at->reg : ARCH_NO_REGISTER;
	for (uint32_t set = trace_next(&view->trace, view->cursor, EVENT_SET); set != TRACE_NONE;
	     set = trace_next(&view->trace, set, EVENT_SET))
		if (step_view_is_new(view, step_view_settled(view, set)))
			return view->trace.events[set].reg;
	return ARCH_NO_REGISTER;
}

void
step_view_caller(const struct step_view *view, struct registers *caller)
{
	*caller = (struct registers){ 0 };
	if (step_view_is_over(view)) {
		if (view->verdict.kind == VERDICT_TAKEN)
			*caller = view->caller.registers;
		return;
	}
	for (int reg = 0; reg < view->walk->arch->register_count; reg++) {
		const struct event *set = step_view_event(view, step_view_register(view, reg));

		if (set != NULL && set->status == EVENT_OK)
			registers_set(caller, reg, set->value);
	}
}

struct place
step_view_record(const struct step_view *view, uint32_t event)
{
	uint32_t attempt = trace_ancestor(&view->trace, event, EVENT_ATTEMPT);

	for (uint32_t i = attempt; attempt != TRACE_NONE && i < event; i++)
		if (view->trace.events[i].kind == EVENT_RECORD &&
		    view->trace.events[i].place.input != NULL)
			return place_record(view->trace.events[i].place);
	return (struct place){ 0 };
}

struct place
step_view_said_by(const struct step_view *view, uint32_t event)
{
	const struct event *at = step_view_event(view, event);
	struct place place = at != NULL ? place_record(at->place) : (struct place){ 0 };

	if (at == NULL)
		return place;
	if (place.input == NULL && at->kind == EVENT_SET && step_view_event(view, at->from) != NULL)
		place = step_view_event(view, at->from)->place;
	if (place.input == NULL &&
	    (at->kind == EVENT_TOKEN || at->kind == EVENT_RULE ||
	     (at->kind == EVENT_SET && step_view_token_number(view, at->from) != 0)))
		place = step_view_record(view, event);
	return place;
}
