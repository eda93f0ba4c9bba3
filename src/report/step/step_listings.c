/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "inspect/variable/variable_step.h"
#include "report/report.h"
#include "report/step/step_view.h"

/* Listings of a step: evaluation, evidence and registers. */

/* The part of an event's text that a row shows; length 0: the complete text. */
struct event_part {
	size_t start, length;
};

struct event_list {
	const struct step_view *view;
	uint32_t *events;
	struct event_part *parts;	/* one for each row: the shown part of its event */
	size_t count;
	size_t attempts;	/* number of rows for attempts; they come first */
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
	const bool complete = view->trace.events[attempt].status == EVENT_OK;
	if (list->count == 0)
		return listing_message(complete
					       ? "complete without an expression: see the evidence"
					       : "this attempt evaluated no expression: see the "
						 "evidence");
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

/* Column of the evidence in a summary row. Its width leaves room for the caller's pc. */
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

/* Adds the evidence of an attempt: the place of its first record, or its first register. */
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
			row_add_cut(
				row, ROLE_NORMAL, width, true, text_of(place_format(&line).text));
			return;
		}
		if (at->kind == EVENT_INPUT && at->reg >= 0) {
			snprintf(text, sizeof(text), "%s %s",
				view->walk->arch->registers[at->reg].label,
				step_view_value(view, at->value).text);
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
	if (at->end - 1 > step_view_now(view)) {
		row_add(row, attempt > step_view_now(view) ? ROLE_DIM : ROLE_CHANGED, "%s",
			step_view_outcome(view, attempt));
	} else if (at->status == EVENT_OK) {
		row_add(row, ROLE_NORMAL, "taken: %s %s", arch->registers[arch->pc].label,
			step_view_value(view, view->caller.registers.value[arch->pc]).text);
		const struct short_text value =
			step_view_value(view, view->caller.registers.value[arch->sp]);
		if (columns == 0 ||
			row->width + strlen(arch->registers[arch->sp].label) + strlen(value.text) +
					2 <=
				columns)
			row_add(row, ROLE_NORMAL, " %s %s", arch->registers[arch->sp].label,
				value.text);
	} else if (result->kind == EVENT_RESULT) {
		row_add(row, result->detail == VERDICT_END ? ROLE_BAD : ROLE_DIM, "%s: %s",
			result->detail == VERDICT_END ? "end" : "refused", result->text);
	}
}

/* Columns of indent of the second and later rows of a long sentence. */
#define CONTINUED_AT 9u

/* Fills a row with a summary, an event, or a part of a long event with the event's colours. */
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

/* The decisive events come first, because a screen of 80x24 has only ten rows for them. */
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

/* Maximum number of further rows of a sentence; longer sentences are cut. */
#define MORE_ROWS 3u

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
		/* Break at the last blank that fits, if this blank is in the row's second half. */
		const size_t fits = text_fit(rest, columns);
		part.length = fits;
		while (part.length > columns / 2 && rest.start[part.length] != ' ')
			part.length--;
		if (part.length <= columns / 2)
			part.length = fits;
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

/* Registers ------------------------------------------------------------------------------------ */

/*
 * The registers of a step: values of callee and caller, and the origin of the caller's values. In
 * frame 0, the registers of the thread's other context in the dump follow.
 */

struct register_list {
	const struct step_view *view;
	unsigned base;
	struct registers caller;
	int set_now;			/* register set by the event at the cursor */
	bool has_caller;		/* the caller exists, or may still be found */
	int registers[ARCH_REGISTERS];
	char marks[ARCH_REGISTERS + 1];	/* one for each register; ' ': not found yet */
	size_t count;
	int name_width;
	uint64_t values;	/* bits of all values ORed together */
	/* The thread's other context in the dump; NULL: none, or not frame 0 */
	const struct crash_context *other;
	int others[ARCH_REGISTERS];
	size_t other_count;
};

/* Minimum width of the view in which both wide values and the tokens' numbers fit. */
#define TOKENS_FROM 76u
/* Minimum width of the view in which a row shows the line of its value's record. */
#define WIDE 100u

static bool
has_token_column(const struct register_list *list, size_t columns)
{
	return columns == 0 || columns >= TOKENS_FROM || list->view->walk->arch->word_size == 4;
}

/* Columns of names: the width of the longest name; at least 5 if there is room. */
static int
register_name_width(const struct register_list *list, size_t columns)
{
	return has_token_column(list, columns) && list->name_width < 5 ? 5 : list->name_width;
}

/* Digits of values. A narrow view leaves out four leading zeros that all values have. */
static int
register_digits(const struct register_list *list, size_t columns)
{
	const int digits = report_value_width(list->base, list->view->walk->arch->word_size);

	return list->base != 16 || has_token_column(list, columns) || list->values >> 48 != 0
		       ? digits
		       : 12;
}

static void
registers_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct register_list *list = listing->context;
	int width = register_digits(list, columns);
	char callee[32], caller[32];

	snprintf(callee, sizeof(callee), "frame %zu", list->view->frame);
	if (step_view_is_over(list->view) && list->view->verdict.kind != VERDICT_TAKEN)
		snprintf(caller, sizeof(caller), "no caller");
	else
		snprintf(caller, sizeof(caller), "frame %zu", list->view->frame + 1);
	row_add(row, ROLE_DIM, " %-*s %-*s    %-*s%s  from", register_name_width(list, columns),
		"reg", width, callee, width, caller,
		has_token_column(list, columns) ? "  token" : "");
}

char
step_register_mark(const struct arch *arch, const struct registers *before,
		   const struct registers *after, int reg)
{
	if (registers_known(after, reg) && !registers_known(before, reg))
		return '+';
	if (registers_known(after, reg))
		return before->value[reg] == after->value[reg] ? '=' : '*';
	if (!registers_known(before, reg))
		return '.';
	return arch->registers[reg].callee_saved || reg == arch->pc || reg == arch->sp ? '?' : '-';
}

static void
add_register_value(const struct register_list *list, const uint64_t *value, int digits,
		   const char *unknown, enum role role, struct row *row)
{
	if (value == NULL)
		row_add(row, role, "%-*s", digits, unknown);
	else if (list->base == 16)
		row_add(row, role, "%0*" PRIx64, digits, *value);
	else
		report_add_base(row, role, list->base, list->view->walk->arch->word_size,
				list->view->walk->memory.big_endian, *value);
}

static void
fill_register(const struct register_list *list, size_t index, size_t columns, struct row *row)
{
	const struct step_view *view = list->view;
	const struct registers *callee = &view->walk->frames[view->frame].registers;
	const struct registers *caller = &list->caller;
	const int reg = list->registers[index];
	const uint32_t set = step_view_register(view, reg);
	const char mark = list->marks[index];
	const bool yet = set != TRACE_NONE || step_view_is_over(view);
	const bool fresh = reg == list->set_now;
	const bool asked = set == TRACE_NONE && reg == view->asked_register;
	const enum role role = mark == '*' || mark == '+' || fresh ? ROLE_CHANGED
			       : mark == '='			   ? ROLE_NORMAL
			       : yet				   ? ROLE_UNKNOWN
								   : ROLE_DIM;
	const bool tokens = has_token_column(list, columns);
	const int digits = register_digits(list, columns);

	row_add(row, ROLE_NORMAL, " %-*s ", register_name_width(list, columns),
		view->walk->arch->registers[reg].label);
	add_register_value(list, registers_known(callee, reg) ? &callee->value[reg] : NULL, digits,
			   "unknown", ROLE_NORMAL, row);
	if (list->has_caller) {
		row_add(row, role, " %c%c ", fresh ? '>' : ' ', mark);
		add_register_value(list, registers_known(caller, reg) ? &caller->value[reg] : NULL,
				   digits, yet ? "unknown" : asked ? "?" : "not yet", role, row);
	}
	if (set != TRACE_NONE) {
		const struct event *at = &view->trace.events[set];
		size_t token = at->from != TRACE_NONE ? step_view_token_number(view, at->from) : 0;

		if (tokens && token != 0)
			row_add(row, ROLE_NORMAL, "  %5zu  ", token);
		else
			row_add(row, ROLE_NORMAL, "%s", tokens ? "         " : "  ");
		const struct step_text text = step_view_origin(view, at->from);
		row_add_text(row, ROLE_NORMAL, text_of(text.text));
		if (at->text[0] != '\0')
			row_add(row, ROLE_DIM, "%s%s", text.text[0] != '\0' ? "; " : "", at->text);
		step_view_add_prediction(view, token != 0 ? at->from : set, row);
		/* Add the record's line only if there is room; the status line always shows it. */
		const struct place place = step_view_said_by(view, set);
		if (columns >= WIDE && place.line != 0)
			report_add_place(row, place);
	} else if (asked) {
		row_add(row, ROLE_NORMAL, "%s%s", tokens ? "         " : "  ", view->asks);
	} else if (mark == '?' || mark == '-' || mark == '.') {
		row_add(row, ROLE_DIM, "%s%s", tokens ? "         " : "  ",
			mark == '-'   ? "not kept across calls"
			: mark == '.' ? "no callee has it either"
				      : "this method does not recover it");
	}
}

/* The place that a row of the other context shows: the context's place or a register's. */
static struct place
other_place(const struct register_list *list, size_t index)
{
	if (index == list->count)
		return list->other->place;
	return crash_register_place(list->view->walk->crash, list->other,
				    list->others[index - list->count - 1]);
}

static void
fill_other(const struct register_list *list, size_t index, size_t columns, struct row *row)
{
	if (index == list->count) {
		row_add(row, ROLE_TITLE, " the thread's %u-bit registers, which are not walked",
			list->other->arch->word_size * 8);
		return;
	}
	const int reg = list->others[index - list->count - 1];

	row_add(row, ROLE_NORMAL, " %-*s ", register_name_width(list, columns),
		list->other->arch->registers[reg].label);
	row_add(row, ROLE_NORMAL, "%0*" PRIx64, (int)list->other->arch->word_size * 2,
		list->other->registers.value[reg]);
	report_add_place(row, other_place(list, index));
}

static void
fill_any(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct register_list *list = listing->context;

	if (index < list->count)
		fill_register(list, index, columns, row);
	else
		fill_other(list, index, columns, row);
}

static struct target
any_target(const struct listing *listing, size_t index)
{
	const struct register_list *list = listing->context;

	if (index >= list->count)
		return report_place_target(other_place(list, index));
	const uint32_t set = step_view_register(list->view, list->registers[index]);
	if (set != TRACE_NONE && list->view->trace.events[set].status == EVENT_OK)
		return step_view_target(list->view, set);
	/* The caller's value is lost: the row leads to the callee's value. */
	return step_view_register_target(list->view, list->registers[index]);
}

static void
explain_any(const struct listing *listing, size_t index, struct row *row)
{
	const struct register_list *list = listing->context;

	if (index >= list->count) {
		fill_other(list, index, 0, row);
		return;
	}
	uint32_t set = step_view_register(list->view, list->registers[index]);

	if (set != TRACE_NONE)
		step_view_explain(list->view, set, row);
}

/* Ranks of registers: pc, sp, fp, registers that calls preserve, other registers. */
#define REGISTER_RANKS 5

static int
register_rank(const struct arch *arch, int reg)
{
	if (reg == arch->pc)
		return 0;
	if (reg == arch->sp)
		return 1;
	if (reg == arch->fp)
		return 2;
	return arch->registers[reg].callee_saved ? 3 : 4;
}

/* Adds the other context's registers, in the order of the walked context's registers. */
static void
add_others(struct register_list *list)
{
	const struct crash_context *other = walk_other_context(list->view->walk);

	if (list->view->frame != 0 || other == NULL)
		return;
	list->other = other;
	for (int rank = 0; rank < REGISTER_RANKS; rank++)
		for (int reg = 0; reg < other->arch->register_count; reg++)
			if (register_rank(other->arch, reg) == rank &&
			    registers_known(&other->registers, reg))
				list->others[list->other_count++] = reg;
	for (size_t i = 0; i < list->other_count; i++) {
		int width = (int)strlen(other->arch->registers[list->others[i]].label);

		list->name_width = width > list->name_width ? width : list->name_width;
	}
}

struct listing
step_view_registers(const struct step_view *view, unsigned base, struct arena *arena)
{
	struct register_list *list = arena_alloc(arena, sizeof(*list));
	const struct registers *before = &view->walk->frames[view->frame].registers;
	const struct arch *arch = view->walk->arch;

	if (list == NULL)
		return listing_out_of_memory();
	list->view = view;
	list->base = base;
	list->has_caller = view->verdict.kind == VERDICT_TAKEN || !step_view_is_over(view);
	step_view_caller(view, &list->caller);
	list->set_now = step_view_set_now(view);
	list->name_width = 3;
	for (int rank = 0; rank < REGISTER_RANKS; rank++)
		for (int reg = 0; reg < arch->register_count; reg++)
			if (register_rank(arch, reg) == rank &&
			    (registers_known(before, reg) ||
			     registers_known(&view->caller.registers, reg) ||
			     arch->registers[reg].callee_saved))
				list->registers[list->count++] = reg;
	for (size_t i = 0; i < list->count; i++) {
		const int reg = list->registers[i];
		const int width = (int)strlen(arch->registers[reg].label);
		const bool found =
			step_view_is_over(view) || step_view_register(view, reg) != TRACE_NONE;

		list->name_width = width > list->name_width ? width : list->name_width;
		if (registers_known(before, reg))
			list->values |= before->value[reg];
		if (registers_known(&view->caller.registers, reg))
			list->values |= view->caller.registers.value[reg];
		list->marks[i] = list->has_caller && found
					 ? step_register_mark(arch, before, &list->caller, reg)
					 : ' ';
	}
	add_others(list);
	return (struct listing){ .count = list->count +
					  (list->other != NULL ? list->other_count + 1 : 0),
				 .head = registers_head, .fill = fill_any, .target = any_target,
				 .explain = explain_any, .context = list };
}

void
step_view_registers_legend(const struct listing *registers, struct row *row)
{
	static const char *const words[][2] = {
		{ ">", "now" }, { "*", "changed" }, { "=", "kept" }, { "+", "found" },
		{ "?", "lost" },
		{ "-", "not kept" }, { ".", "never known" },
	};
	const struct register_list *list = registers->context;
	const char *between = "";

	if (registers->fill != fill_any)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		if (words[i][0][0] == '>' ? list->set_now == ARCH_NO_REGISTER
					  : strchr(list->marks, words[i][0][0]) == NULL)
			continue;
		row_add(row, ROLE_NORMAL, "%s%s %s", between, words[i][0], words[i][1]);
		between = "  ";
	}
}

int
step_view_register_of_row(const struct listing *registers, size_t row)
{
	const struct register_list *list = registers->context;

	return registers->fill == fill_any && row < list->count ? list->registers[row]
								: ARCH_NO_REGISTER;
}
