/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "inspect/variable/variable_step.h"
#include "report/step/step_view.h"

/* Listings over the events of a step: evaluation and evidence. */

/* A part of an event's text that makes a row; none: the complete text. */
struct event_part {
	size_t start, length;
};

struct event_list {
	const struct step_view *view;
	uint32_t *events;
	struct event_part *parts;	/* part of its event that each row shows */
	size_t count;
	size_t attempts;	/* number of first rows that show attempts */
};

static uint32_t
list_event(const struct listing *listing, size_t index)
{
	const struct event_list *list = listing->context;

	return index < list->count ? list->events[index] : TRACE_NONE;
}

static struct target
event_target(const struct listing *listing, size_t index)
{
	const struct event_list *list = listing->context;

	return step_view_target(list->view, list_event(listing, index));
}

static void
explain_event(const struct listing *listing, size_t index, struct row *row)
{
	const struct event_list *list = listing->context;

	step_view_explain(list->view, list_event(listing, index), row);
}

static void
fill_event(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct event_list *list = listing->context;

	step_view_event_row(list->view, list_event(listing, index), columns, row);
}

static struct event_list *
make_list(const struct step_view *view, size_t most, struct arena *arena)
{
	struct event_list *list = arena_alloc(arena, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->view = view;
	list->events = arena_array(arena, most + 1, sizeof(*list->events));
	list->parts = arena_array(arena, most + 1, sizeof(*list->parts));
	return list->events != NULL && list->parts != NULL ? list : NULL;
}

static void
evaluation_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct event_list *list = listing->context;

	step_view_token_head(list->view, columns, row);
}

static void
evaluation_foot(const struct listing *listing, struct row *row)
{
	const struct event_list *list = listing->context;

	step_view_caller_row(list->view, row);
}

struct listing
step_view_evaluation(const struct step_view *view, struct arena *arena)
{
	uint32_t attempt = step_view_attempt(view);
	struct event_list *list = make_list(view, view->trace.count, arena);

	if (list == NULL)
		return listing_out_of_memory();
	if (attempt == TRACE_NONE)
		return listing_message(view->verdict.text[0] != '\0'
					       ? view->verdict.text
					       : "no expression was evaluated in this step");
	for (uint32_t i = attempt; i < view->trace.events[attempt].end; i++) {
		enum event_kind kind = view->trace.events[i].kind;

		if (kind == EVENT_RULE || kind == EVENT_TOKEN || kind == EVENT_REPAIR)
			list->events[list->count++] = i;
	}
	if (list->count == 0)
		return listing_message("this attempt evaluated no expression: see the evidence");
	return (struct listing){ .count = list->count, .head = evaluation_head,
				 .foot = evaluation_foot, .fill = fill_event,
				 .target = event_target, .explain = explain_event,
				 .context = list };
}

size_t
step_view_evaluation_row(const struct listing *evaluation, uint32_t event)
{
	const struct event_list *list = evaluation->context;
	size_t found = 0;

	for (size_t i = 0; evaluation->fill == fill_event && i < list->count; i++)
		if (list->events[i] <= event)
			found = i;
	return found;
}

uint32_t
step_view_event_of_row(const struct listing *listing, size_t row)
{
	return listing->target == event_target ? list_event(listing, row) : TRACE_NONE;
}

/* Column of the evidence in a summary, and its width, which leaves room for the caller's pc. */
#define EVIDENCE_COLUMN 19

static size_t
evidence_width(size_t columns)
{
	return columns == 0 || columns > 64 ? 24 : 13;
}

static void
evidence_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct event_list *list = listing->context;

	if (list->view->variable != NULL) {
		row_add(row, ROLE_DIM, " # variable of frame %zu", list->view->frame);
		return;
	}
	row_add(row, ROLE_DIM, " # method          evidence");
	row_pad(row, EVIDENCE_COLUMN + evidence_width(columns) + 1);
	row_add(row, ROLE_DIM, "caller of frame %zu", list->view->frame);
}

/* Adds the record that an attempt used: the place of its first fact. */
static void
add_evidence(const struct step_view *view, uint32_t attempt, size_t columns, struct row *row)
{
	const size_t width = evidence_width(columns);
	const struct trace *trace = &view->trace;
	char text[400];

	for (uint32_t i = attempt + 1; i < trace->events[attempt].end; i++) {
		const struct event *at = &trace->events[i];

		if (at->kind == EVENT_RECORD && at->place.input != NULL) {
			struct place line = at->place;

			line.column = 0;
			row_add_cut(row, ROLE_NORMAL, width, true,
				    text_of(place_format(&line, text, sizeof(text))));
			return;
		}
		if (at->kind == EVENT_INPUT && at->reg >= 0) {
			char value[32];

			snprintf(text, sizeof(text), "%s %s",
				 view->walk->arch->registers[at->reg].label,
				 step_view_value(view, at->value, value, sizeof(value)));
			row_add_cut(row, ROLE_NORMAL, width, true, text_of(text));
			return;
		}
	}
}

/* An attempt in one row: method, record, result. */
static void
summary_row(const struct step_view *view, uint32_t attempt, size_t columns, struct row *row)
{
	const struct arch *arch = view->walk->arch;
	const struct event *at = &view->trace.events[attempt];
	const struct event *result = &view->trace.events[at->end - 1];
	char value[32];

	const uint32_t now = step_view_now(view);

	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_DIM, "%2zu %-16s",
		step_view_attempt_number(view, attempt), at->text);
	if (view->variable != NULL) {
		row_add(row, ROLE_NORMAL, "%s",
			view->variable->value.how != NULL ? view->variable->value.how
			: text_or_empty(view->variable->value.value.why));
		return;
	}
	add_evidence(view, attempt, columns, row);
	row_pad(row, EVIDENCE_COLUMN + evidence_width(columns) + 1);
	if (at->end - 1 > now) {
		row_add(row, attempt > now ? ROLE_DIM : ROLE_CHANGED, "%s",
			attempt > now ? "not yet" : "under way");
	} else if (at->status == EVENT_OK) {
		row_add(row, ROLE_NORMAL, "taken: %s %s", arch->registers[arch->pc].label,
			step_view_value(view, view->caller.registers.value[arch->pc], value,
					sizeof(value)));
		step_view_value(view, view->caller.registers.value[arch->sp], value, sizeof(value));
		/* Show no part of a value. */
		if (columns == 0 || row->width + strlen(arch->registers[arch->sp].label) +
						    strlen(value) + 2 <= columns)
			row_add(row, ROLE_NORMAL, " %s %s", arch->registers[arch->sp].label, value);
	} else if (result->kind == EVENT_RESULT) {
		row_add(row, result->detail == VERDICT_END ? ROLE_BAD : ROLE_DIM, "%s: %s",
			result->detail == VERDICT_END ? "end" : "refused", result->text);
	}
}

/* Columns of indent for further rows of a long sentence, if the view is wide enough. */
#define CONTINUED_AT 9u

/* Fills a row with a summary, an event, or a part of a long one in the same roles. */
static void
fill_evidence(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct event_list *list = listing->context;
	const struct event_part *part = &list->parts[index];
	struct arena arena = { 0 };
	struct row whole = ROW_IN(&arena);

	if (index < list->attempts) {
		summary_row(list->view, list->events[index], columns, row);
		return;
	}
	if (part->length == 0) {
		step_view_event_row(list->view, list->events[index], 0, row);
		return;
	}
	step_view_event_row(list->view, list->events[index], 0, &whole);
	row_pad(row, part->start > 0 ? CONTINUED_AT : 0);
	for (size_t i = 0; i < whole.span_count; i++) {
		const struct row_span *span = &whole.spans[i];
		size_t from = span->start > part->start ? span->start : part->start;
		size_t to = span->start + span->length;

		if (to > part->start + part->length)
			to = part->start + part->length;
		if (from < to)
			row_add_text(row, span->role,
				     (struct text){ row_text(&whole) + from, to - from });
	}
	arena_free(&arena);
}

/* The decisive events come first: at 80x24 there are ten rows. */
static const enum event_kind evidence_order[] = {
	EVENT_RECORD, EVENT_RULE, EVENT_REPAIR, EVENT_ROW,   EVENT_FIELD,
	EVENT_CHECK,  EVENT_RESULT, EVENT_SET,  EVENT_INPUT, EVENT_CANDIDATE,
};

static void
add_row(struct event_list *list, uint32_t event, struct event_part part)
{
	list->events[list->count] = event;
	list->parts[list->count++] = part;
}

/* Rows of one sentence after its first; the rest is cut. */
#define MORE_ROWS 3u

/* The bytes of a text that fit in a row of `columns`, up to a blank if there is one. */
static size_t
part_length(struct text text, size_t columns)
{
	const size_t fits = text_fit(text, columns);

	for (size_t i = fits; i > columns / 2 && fits < text.length; i--)
		if (text.start[i] == ' ')
			return i;
	return fits;
}

static void
add_event(struct event_list *list, uint32_t event, size_t columns, struct row *row)
{
	const struct event *at = &list->view->trace.events[event];
	struct event_part part = { 0 };

	row_clear(row);
	if ((at->kind == EVENT_RECORD || at->kind == EVENT_REPAIR || at->kind == EVENT_CHECK ||
		    at->kind == EVENT_RESULT) &&
		columns > 2 * CONTINUED_AT)
		step_view_event_row(list->view, event, 0, row);
	struct text rest = text_of(row_text(row));
	for (unsigned i = 0; i < MORE_ROWS && text_width(rest) > columns; i++) {
		part.length = part_length(rest, columns);
		add_row(list, event, part);
		part.start += part.length;
		while (row_text(row)[part.start] == ' ')
			part.start++;
		rest = text_of(row_text(row) + part.start);
		columns -= i == 0 ? CONTINUED_AT : 0;
	}
	part.length = part.start > 0 ? rest.length : 0;
	if (part.start == 0 || rest.length > 0)
		add_row(list, event, part);
}

struct listing
step_view_evidence(const struct step_view *view, size_t columns, struct arena *arena)
{
	const struct trace *trace = &view->trace;
	uint32_t attempt = step_view_attempt(view);
	struct event_list *list = make_list(view, (MORE_ROWS + 1) * trace->count, arena);
	struct row row = ROW_IN(arena);

	if (list == NULL)
		return listing_out_of_memory();
	for (uint32_t i = 0; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_ATTEMPT)
			add_row(list, i, (struct event_part){ 0 });
	list->attempts = list->count;
	if (attempt == TRACE_NONE)
		return listing_message(view->verdict.text[0] != '\0' ? view->verdict.text
								    : "no method was tried");
	for (size_t kind = 0; kind < ARRAY_COUNT(evidence_order); kind++)
		for (uint32_t i = attempt + 1; i < trace->events[attempt].end; i++)
			if (trace->events[i].kind == evidence_order[kind] &&
			    step_view_has_row(view, i))
				add_event(list, i, columns, &row);
	return (struct listing){ .count = list->count, .head = evidence_head,
				 .fill = fill_evidence, .target = event_target,
				 .explain = explain_event, .context = list };
}

size_t
step_view_evidence_row(const struct listing *evidence, uint32_t event)
{
	const struct event_list *list = evidence->context;
	size_t found = 0;

	if (evidence->fill != fill_evidence)
		return 0;
	for (size_t i = 0; i < list->attempts; i++)
		if (list->events[i] <= step_view_attempt(list->view))
			found = i;
	/* A token has no row; the row of its rule shows it. */
	for (uint32_t at = event; at < list->view->trace.count;
	     at = list->view->trace.events[at].parent)
		for (size_t i = list->attempts; i < list->count; i++)
			if (list->events[i] == at)
				return i;
	return found;
}
