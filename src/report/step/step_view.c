/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/step_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/report.h"

const char *
step_view_verdict(unsigned kind)
{
	static const char *const words[] = { "taken", "refused", "end of the stack" };

	return words[kind];
}

const char *
step_view_outcome(const struct step_view *view, uint32_t attempt)
{
	const struct event *at = &view->trace.events[attempt];
	const struct event *result = &view->trace.events[at->end - 1];
	const uint32_t now = step_view_now(view);

	if (at->end - 1 > now)
		return attempt > now ? "not yet" : "under way";
	return result->kind == EVENT_RESULT ? step_view_verdict(result->detail) : "";
}

struct short_text
step_view_value(const struct step_view *view, uint64_t value)
{
	struct short_text number;

	snprintf(number.text, sizeof(number.text), "%0*" PRIx64,
		(int)view->walk->arch->word_size * 2, value);
	return number;
}

struct short_text
step_view_number(uint64_t value)
{
	struct short_text number;

	snprintf(number.text, sizeof(number.text), "%s%" PRIx64,
		value >= 10 && value < 0x10000 ? "0x" : "", value);
	return number;
}

/* The number token that gave a value, or NULL. */
static const struct event *
number_of(const struct step_view *view, const struct cell *cell)
{
	const struct event *made = step_view_event(view, cell->from);

	return made != NULL && made->kind == EVENT_TOKEN && made->detail == OPERATION_NUMBER ? made
											     : NULL;
}

struct short_text
step_view_cell(const struct step_view *view, const struct cell *cell)
{
	const struct event *number = number_of(view, cell);
	struct short_text text = step_view_number(cell->value);

	if (number != NULL)
		snprintf(text.text, sizeof(text.text), "%.*s", (int)number->name.length,
			 number->name.start);
	return text;
}

/* The event that computed a value, found through assignments and names. */
static uint32_t
maker(const struct step_view *view, uint32_t event)
{
	const struct event *at = step_view_event(view, event);

	while (at != NULL && at->kind == EVENT_TOKEN && at->detail == OPERATION_ASSIGN &&
	       at->from != TRACE_NONE && at->from < event) {
		event = at->from;
		at = step_view_event(view, event);
	}
	return event;
}

/* The READ event of a '^' token, or NULL. */
static const struct event *
read_of(const struct step_view *view, uint32_t token)
{
	const struct event *next = step_view_event(view, token + 1);

	return next != NULL && next->kind == EVENT_READ && next->parent == token ? next : NULL;
}

const struct cell *
step_view_stack_before(const struct step_view *view, uint32_t token)
{
	const struct event *at = step_view_event(view, token);

	for (uint32_t i = token; i-- > at->parent;)
		if (view->trace.events[i].kind == EVENT_TOKEN)
			return view->trace.events[i].stack;
	return NULL;
}

/* A value as written in a sum, where all numbers have one base. */
static struct short_text
operand(const struct step_view *view, const struct cell *cell)
{
	struct short_text text = { "?" };

	if (cell == NULL || !cell->known)
		return text;
	const uint64_t negated = arch_wrap(view->walk->arch, 0 - cell->value);
	const bool minus = number_of(view, cell) != NULL && negated < cell->value;

	snprintf(text.text, sizeof(text.text), "%s%.60s", minus ? "-" : "",
		 step_view_number(minus ? negated : cell->value).text);
	return text;
}

struct step_text
step_view_origin(const struct step_view *view, uint32_t event)
{
	event = maker(view, event);
	const struct event *at = step_view_event(view, event), *read = read_of(view, event);
	struct step_text text = { "" };
	const size_t size = sizeof(text.text);

	if (at == NULL)
		return text;
	if (at->kind == EVENT_INPUT) {
		const struct place record = place_record(at->place);

		snprintf(text.text, size, "%s%s%s", at->text, record.input != NULL ? ", " : "",
			 place_format(&record).text);
	} else if (at->kind != EVENT_TOKEN || at->detail == OPERATION_OTHER) {
		snprintf(text.text, size, "%s", at->text);
	} else if (read != NULL) {
		snprintf(text.text, size, read->status == EVENT_OK ? "[%s], %s" : "[%s]%s",
			 step_view_number(read->address).text,
			 read->status != EVENT_OK ? " is not in the dump"
						  : place_format(&read->place).text);
	} else if (at->detail == OPERATION_NUMBER) {
		snprintf(text.text, size, "the number %.*s", (int)at->name.length, at->name.start);
	} else if (at->detail != OPERATION_NAME) {
		const struct cell *second = step_view_stack_before(view, event);
		const struct cell *first = second != NULL ? second->below : NULL;
		const struct short_text left = operand(view, first), right = operand(view, second);

		if (at->detail == OPERATION_ADD && right.text[0] == '-')
			snprintf(text.text, size, "%s - %s", left.text, right.text + 1);
		else
			snprintf(text.text, size, "%s %.*s %s", left.text, (int)at->name.length,
				 at->name.start, right.text);
	}
	return text;
}

struct step_text
step_view_effect(const struct step_view *view, uint32_t token)
{
	const struct event *at = step_view_event(view, token), *read = read_of(view, token);
	const bool operates = at->detail != OPERATION_NAME && at->detail != OPERATION_ASSIGN;
	const struct step_text before = step_view_origin(view, token);
	struct step_text text = { "" };

	if (!operates || at->stack == NULL || at->status != EVENT_OK ||
	    (at->detail == OPERATION_OTHER && before.text[0] == '\0'))
		return before;
	const struct short_text value = at->detail == OPERATION_NUMBER
						? operand(view, at->stack)
						: step_view_number(at->stack->value);
	if (read != NULL)
		snprintf(text.text, sizeof(text.text), "[%s] = %s",
			 step_view_number(read->address).text, value.text);
	else if (at->detail != OPERATION_NUMBER)
		snprintf(text.text, sizeof(text.text), "%.400s = %s", before.text, value.text);
	else if (!text_is(at->name, value.text))
		snprintf(text.text, sizeof(text.text), "= %s", value.text);
	return text;
}

static struct target
target_of_event(uint32_t event)
{
	return (struct target){ .kind = event != TRACE_NONE ? TARGET_EVENT : TARGET_NONE,
				.event = event };
}

struct target
step_view_register_target(const struct step_view *view, int reg)
{
	const struct place place =
		crash_register_place(view->walk->crash, view->walk->context, reg);

	if (!registers_known(&view->walk->frames[view->frame].registers, reg))
		return target_of_event(TRACE_NONE);
	if (view->frame != 0)
		return (struct target){ .kind = TARGET_REGISTER, .event = TRACE_NONE,
					.thread = view->walk->thread, .frame = view->frame,
					.reg = reg };
	return report_place_target(place);
}

static struct target
target_of_input(const struct step_view *view, const struct event *input)
{
	if (input->place.input != NULL || input->reg < 0)
		return report_place_target(input->place);
	return step_view_register_target(view, input->reg);
}

static struct target
target_of_token(const struct step_view *view, uint32_t token)
{
	const struct event *at = step_view_event(view, token), *read = read_of(view, token);

	if (read != NULL && read->place.input != NULL)
		return report_place_target(read->place);
	if (at->detail == OPERATION_NAME && at->stack != NULL && at->stack->from != TRACE_NONE) {
		const struct event *from = step_view_event(view, at->stack->from);

		if (from != NULL && from->kind == EVENT_INPUT)
			return target_of_input(view, from);
		return target_of_event(at->stack->from);
	}
	if (at->detail == OPERATION_ASSIGN && at->from != TRACE_NONE)
		return target_of_event(at->from);
	return report_place_target(at->place);
}

/* The target of an attempt: its rules, or its record if it has no rules. */
static struct target
target_of_attempt(const struct step_view *view, uint32_t attempt)
{
	const uint32_t end = step_view_event(view, attempt)->end;

	for (uint32_t i = attempt; i < end; i++)
		if (view->trace.events[i].kind == EVENT_RULE)
			return target_of_event(i);
	return report_place_target(step_view_record(view, end - 1));
}

static struct target
target_of_kind(const struct step_view *view, uint32_t event)
{
	const struct event *at = step_view_event(view, event);

	switch (at->kind) {
	case EVENT_TOKEN:
		return target_of_token(view, event);
	case EVENT_INPUT:
		return target_of_input(view, at);
	case EVENT_REPAIR:
		return target_of_event(at->from);
	case EVENT_ATTEMPT:
		return target_of_attempt(view, event);
	case EVENT_RULE:
		return at->place.input != NULL ? report_place_target(at->place)
					       : target_of_event(event);
	case EVENT_SET:
		if (at->from != TRACE_NONE && at->from < event)
			return target_of_event(maker(view, at->from));
		return report_place_target(at->place);
	default:
		return report_place_target(at->place);
	}
}

struct target
step_view_target(const struct step_view *view, uint32_t event)
{
	if (step_view_event(view, event) == NULL)
		return target_of_event(TRACE_NONE);
	struct target target = target_of_kind(view, event);
	/* A check has no place: it leads to the record and the rules that it checks. */
	if (target.kind == TARGET_NONE)
		target = report_place_target(step_view_record(view, event));
	uint32_t attempt = trace_ancestor(&view->trace, event, EVENT_ATTEMPT);
	return target.kind != TARGET_NONE || attempt == TRACE_NONE
		       ? target
		       : target_of_attempt(view, attempt);
}

static void
explain_value(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct event *at = step_view_event(view, event);
	const bool assigned = at->kind == EVENT_TOKEN && at->detail == OPERATION_ASSIGN;
	const struct step_text text = step_view_origin(view, assigned ? event : at->from);

	row_add_text(row, ROLE_NORMAL, assigned ? text_of(at->text) : at->name);
	row_add(row, ROLE_NORMAL, "%s%s%s%s", assigned ? " := " : " ",
		assigned ? step_view_number(at->value).text : step_view_value(view, at->value).text,
		text.text[0] == '\0' ? "" : assigned ? "   from " : " = ", text.text);
	if (!assigned && at->text[0] != '\0')
		row_add(row, ROLE_NORMAL, "; %s", at->text);
}

/* Adds a pushed name, its value and the value's origin. */
static void
explain_name(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct cell *cell = step_view_event(view, event)->stack;
	size_t token = step_view_event(view, cell->from) == NULL
			       ? 0 : step_view_token_number(view, cell->from);

	row_add_text(row, ROLE_NORMAL, cell->name);
	row_add(row, ROLE_NORMAL, " = %s   ", step_view_number(cell->value).text);
	if (token != 0)
		row_add(row, ROLE_NORMAL, "set by token %zu", token);
	else
		row_add_text(row, ROLE_NORMAL, text_of(step_view_origin(view, cell->from).text));
}

/* Maximum columns of a rule in an explanation, to leave room for the place after it. */
#define RULE_COLUMNS 40

static void
explain_text(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct event *at = step_view_event(view, event);

	if (at->kind == EVENT_ATTEMPT || at->kind == EVENT_RESULT) {
		const uint32_t attempt = trace_ancestor(&view->trace, event, EVENT_ATTEMPT);
		const struct event *result =
			step_view_event(view, step_view_event(view, attempt)->end - 1);
		const char *outcome = step_view_outcome(view, attempt);

		row_add(row, ROLE_NORMAL, "%s%s%s", step_view_event(view, attempt)->text,
			outcome[0] != '\0' ? ": " : "", outcome);
		if (result->kind == EVENT_RESULT && result->status != EVENT_HIDDEN &&
		    result->detail != VERDICT_TAKEN && result->text[0] != '\0')
			row_add(row, ROLE_NORMAL, ": %s", result->text);
		return;
	}
	if (at->kind == EVENT_CHECK)
		row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_BAD, "%s: %s: ",
			at->status == EVENT_OK	   ? "ok"
			: at->status == EVENT_NOTE ? "doubt"
						   : "FAIL",
			check_table[at->detail][at->status == EVENT_OK]);
	const bool done = at->kind == EVENT_TOKEN && at->status == EVENT_OK;
	const struct step_text effect =
		done ? step_view_effect(view, event) : (struct step_text){ "" };
	const char *text = done ? effect.text : at->text;
	/* The text of a calculation already contains its operator. */
	const bool named = at->name.length > 0 && (!done || at->detail <= OPERATION_NAME);
	if (named)
		row_add_text(row, ROLE_NORMAL, at->name);
	if (named && text[0] != '\0')
		row_add(row, ROLE_NORMAL, "%s", text[0] == '=' ? " " : ": ");
	if (at->kind == EVENT_RULE)
		row_add_cut(row, ROLE_NORMAL, RULE_COLUMNS, false, text_of(at->text));
	else
		row_add_text(row, ROLE_NORMAL, text_of(text));
}

void
step_view_explain(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct event *at = step_view_event(view, event);

	if (at == NULL)
		return;
	if (step_view_is_pending(view, event)) {
		step_view_event_row(view, event, 0, row);
		return;
	}
	const struct event *read = at->kind == EVENT_TOKEN ? read_of(view, event) : NULL;
	const struct place place = step_view_said_by(view, event);
	if (read != NULL && read->status == EVENT_OK)
		row_add(row, ROLE_NORMAL, "[%s] = %s   %s", step_view_number(read->address).text,
			step_view_number(read->value).text, place_format(&read->place).text);
	else if (at->status == EVENT_OK &&
		 (at->kind == EVENT_SET ||
		  (at->kind == EVENT_TOKEN && at->detail == OPERATION_ASSIGN)))
		explain_value(view, event, row);
	else if (at->kind == EVENT_TOKEN && at->detail == OPERATION_NAME && at->stack != NULL &&
		 at->stack->known)
		explain_name(view, event, row);
	else
		explain_text(view, event, row);
	if (place.input != NULL)
		row_add(row, ROLE_DIM, "   from %s", place_format(&place).text);
}
