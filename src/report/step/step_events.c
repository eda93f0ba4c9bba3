/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "inspect/blind.h"
#include "inspect/variable/variable_step.h"
#include "report/report.h"
#include "report/step/explain.h"
#include "report/step/step_view.h"
#include "report/value/value_text.h"

/*
 * Events as rows of `explain` and of the evidence: one row for each event, indented by depth. The
 * row of a token also shows the postfix stack after the token and the token's effect.
 */

enum {
	TOKEN_COLUMN = 7,	/* column of the tokens, after their numbers */
	STACK_LEAST = 16,	/* minimum columns of the postfix stack */
	STACK_MOST = 45,
	STACK_SHOWN = 16,	/* cells shown, from the top */
	PLACE_LEAST = 8,	/* minimum columns of a place; with fewer, no place */
};

static size_t
stack_column(const struct step_view *view, size_t columns)
{
	const bool wide = columns == 0 || columns > 100;

	return TOKEN_COLUMN + 1 + (wide ? STEP_VIEW_TOKEN_WIDEST : view->token_width);
}

/* The stack gets two fifths of the columns, and the effects of tokens get the rest. */
static size_t
reason_column(const struct step_view *view, size_t columns)
{
	const size_t stack = stack_column(view, columns);
	const size_t width = columns > stack ? (columns - stack) * 2 / 5 : 0;

	if (columns == 0 || width > STACK_MOST)
		return stack + STACK_MOST;
	return stack + (width < STACK_LEAST ? STACK_LEAST : width);
}

void
step_view_token_head(const struct step_view *view, size_t columns, struct row *row)
{
	row_add(row, ROLE_DIM, "  tok  token");
	row_pad(row, stack_column(view, columns));
	row_add(row, ROLE_DIM, "stack after");
	row_pad(row, reason_column(view, columns));
	row_add(row, ROLE_DIM, "why");
}

struct token_stack {
	const struct step_view *view;
	const struct cell *top;
	bool assigns;	/* the name at the bottom is not an operand: a later token assigns to it */
};

/* The text of `count` cells, deepest first. With `values`, a known name shows only its value. */
static struct text
cells_text(const struct token_stack *stack, const struct cell *top, size_t count, bool values,
	   char *text, size_t size)
{
	const struct cell *cells[STACK_SHOWN];
	size_t used = 0, shown = 0;

	text[0] = '\0';
	for (; top != NULL && shown < count && shown < STACK_SHOWN; top = top->below)
		cells[shown++] = top;
	if (shown == STACK_SHOWN && top != NULL)
		used += (size_t)snprintf(text, size, ".. ");
	for (size_t i = shown; i-- > 0 && used + 80 < size;) {
		const struct cell *cell = cells[i];
		const int name = (int)(cell->name.length > 24 ? 24 : cell->name.length);
		const bool known =
			cell->known && !(stack->assigns && cell->below == NULL && name > 0);
		const bool named = name > 0 && !(values && known);
		const struct short_text value =
			known ? step_view_cell(stack->view, cell) : (struct short_text){ "" };

		used += (size_t)snprintf(text + used, size - used, "%.*s%s%.31s%s%s",
					 named ? name : 0, named ? cell->name.start : "",
					 named && known ? " (" : "", value.text,
					 named && known ? ")" : "", i > 0 ? " " : "");
	}
	return (struct text){ text, used };
}

/* The top cells that the token at the cursor produced or consumed, and the marks around them. */
struct marked {
	size_t cells;
	const char *before, *after;
};

/*
 * Adds the postfix stack. If columns are few, names of values are dropped first, because earlier
 * rows have them.
 */
static void
add_stack(const struct token_stack *stack, const struct marked *marked, size_t columns,
	  struct row *row)
{
	const size_t tail_cells = marked->cells + (marked->cells == 0);
	const size_t signs = strlen(marked->before) + strlen(marked->after);
	const struct cell *below = stack->top;
	char deep[600], near[600];
	struct text tail = cells_text(stack, stack->top, tail_cells, false, near, sizeof(near));

	for (size_t i = 0; i < tail_cells && below != NULL; i++)
		below = below->below;
	struct text head = cells_text(stack, below, STACK_SHOWN, false, deep, sizeof(deep));
	const size_t around = signs + (head.length > 0);
	/* STACK_LEAST columns are more than what is around the values. */
	const size_t room = columns - around;
	if (text_width(head) + text_width(tail) > room)
		head = cells_text(stack, below, STACK_SHOWN, true, deep, sizeof(deep));
	if (text_width(head) + text_width(tail) > room)
		tail = cells_text(stack, stack->top, tail_cells, true, near, sizeof(near));
	if (head.length > 0) {
		row_add_cut(row, ROLE_NORMAL,
			    room > text_width(tail) ? room - text_width(tail) : 1, true, head);
		row_add(row, ROLE_NORMAL, " ");
	}
	row_add(row, ROLE_CHANGED, "%s", marked->before);
	row_add_cut(row, marked->cells > 0 ? ROLE_CHANGED : ROLE_NORMAL, room, true, tail);
	row_add(row, ROLE_CHANGED, "%s", marked->after);
}

/* The next token of the same rule, or TRACE_NONE. */
static uint32_t
next_token(const struct trace *trace, uint32_t token)
{
	const uint32_t next = trace_next(trace, token, EVENT_TOKEN);

	return next < trace->events[trace->events[token].parent].end ? next : TRACE_NONE;
}

/* The number of values that a token consumes. OPERATION_OTHER: the number of removed cells. */
static size_t
operands(const struct step_view *view, uint32_t event)
{
	const struct event *token = &view->trace.events[event];
	const struct cell *left = token->stack != NULL ? token->stack->below : NULL;
	size_t gone = 0;

	if (token->detail == OPERATION_OTHER) {
		for (const struct cell *at = step_view_stack_before(view, event);
		     at != NULL && at != left && at != token->stack; at = at->below)
			gone++;
		return gone;
	}
	return token->detail == OPERATION_NUMBER || token->detail == OPERATION_NAME ? 0
	       : token->detail == OPERATION_READ				      ? 1
										      : 2;
}

static struct marked
marked_of(const struct step_view *view, uint32_t token)
{
	const struct trace *trace = &view->trace;
	const struct event *at = &trace->events[token];
	const uint32_t next = next_token(trace, token);

	if (token == view->cursor && at->status == EVENT_OK && at->detail != OPERATION_ASSIGN)
		return (struct marked){ 1, ">", "" };
	if (next != TRACE_NONE && next == view->cursor && operands(view, next) > 0)
		return (struct marked){ operands(view, next), "{", "}" };
	return (struct marked){ 0, "", "" };
}

/* Adds a place after a reason. It is cut in the middle to keep the offset at its end. */
static void
add_place(struct place place, size_t columns, struct row *row)
{
	place = place_record(place);
	const struct text_of_place text = place_format(&place);
	if (text.text[0] == '\0' || (columns != 0 && row->width + 2 + PLACE_LEAST > columns))
		return;
	row_add(row, ROLE_DIM, ", ");
	row_add_cut(
		row, ROLE_DIM, columns != 0 ? columns - row->width : 0, true, text_of(text.text));
}

static void
add_name_reason(const struct step_view *view, const struct event *at, size_t columns,
		struct row *row)
{
	const uint32_t from = at->stack != NULL && at->stack->known ? at->stack->from : TRACE_NONE;
	const struct event *made = from < view->trace.count ? &view->trace.events[from] : NULL;

	if (made == NULL)
		return;
	if (made->kind == EVENT_TOKEN) {
		row_add(row, ROLE_NORMAL, "set by token %zu", step_view_token_number(view, from));
	} else if (made->kind == EVENT_INPUT) {
		row_add(row, ROLE_NORMAL, "%s", made->text);
		add_place(made->place, columns, row);
	} else {
		row_add_text(row, ROLE_NORMAL, text_of(step_view_origin(view, from).text));
	}
}

/* Adds the effect of a token, in the last column. */
static void
add_reason(const struct step_view *view, uint32_t token, size_t columns, struct row *row)
{
	const struct event *at = &view->trace.events[token];
	const uint32_t read = trace_read_behind(&view->trace, token);

	if (at->status == EVENT_FAILED) {
		row_add(row, ROLE_BAD, "! %s", at->text);
	} else if (at->detail == OPERATION_ASSIGN) {
		row_add(row, ROLE_CHANGED, "%s := %s", at->text, step_view_number(at->value).text);
	} else if (at->detail == OPERATION_NAME) {
		add_name_reason(view, at, columns, row);
	} else {
		row_add(row, ROLE_NORMAL, "%s", step_view_effect(view, token).text);
		if (at->detail == OPERATION_READ && read != TRACE_NONE)
			add_place(view->trace.events[read].place, columns, row);
	}
}

void
step_view_add_prediction(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct prediction *made =
		blind_prediction(&view->walk->horizon, view->frame, event);

	if (made == NULL)
		return;
	row_add(row, ROLE_DIM, "; %s", made->shown ? "shown" : "predicted");
	if (made->wrong > 0)
		row_add(row, ROLE_DIM, ", %u wrong", made->wrong);
}

void
step_view_token_row(const struct step_view *view, uint32_t token, size_t columns, struct row *row)
{
	const struct event *at = &view->trace.events[token];
	const struct marked marked = marked_of(view, token);
	const size_t reason = reason_column(view, columns), column = stack_column(view, columns);
	struct token_stack stack = { .view = view, .top = at->stack };

	row_add(row, ROLE_DIM, "%5zu  ", step_view_token_number(view, token));
	row_add_cut(row, at->status == EVENT_FAILED ? ROLE_BAD : ROLE_NORMAL,
		    column - row->width - 1, true, at->name);
	row_pad(row, column);
	if (token == view->asked && token > view->reach) {
		row_add(row, ROLE_CHANGED, "?");
		row_pad(row, reason);
		row_add(row, ROLE_NORMAL, "%s", view->asks);
		return;
	}
	if (token > step_view_now(view)) {
		row_add(row, ROLE_DIM, ".");
		return;
	}
	for (uint32_t i = token; i != TRACE_NONE && !stack.assigns; i = next_token(&view->trace, i))
		stack.assigns = view->trace.events[i].detail == OPERATION_ASSIGN;
	add_stack(&stack, &marked, reason - row->width - 1, row);
	row_pad(row, reason);
	add_reason(view, token, columns, row);
	step_view_add_prediction(view, token, row);
}

/* Adds the variable that a step computes, with its value at the cursor. */
static void
add_variable(const struct step_view *view, struct row *row)
{
	const struct variable_step *variable = view->variable;
	const uint32_t set = (uint32_t)view->trace.count - 1;
	const struct value_text_options options = { .reasons = true, .library = true, .most = 120 };
	struct arena arena = { 0 };

	row_add(row, ROLE_TITLE, " frame %zu", view->frame);
	row_add(row, ROLE_DIM, "  %s ", variable->value.value.type->name);
	row_add(row, ROLE_NORMAL, "%s = ", variable->name);
	if (step_view_settled(view, set) > step_view_now(view))
		row_add(row, ROLE_DIM, "?");
	else
		row_add_text(row, variable->value.value.why != NULL ? ROLE_UNKNOWN : ROLE_CHANGED,
			     text_of(value_text(&variable->value.value, &options, &arena)));
	arena_free(&arena);
}

static void
add_register(const struct step_view *view, struct registers *caller, int reg, bool fresh,
	     struct row *row)
{
	if (!registers_known(caller, reg))
		return;
	row_add(row, fresh ? ROLE_CHANGED : ROLE_NORMAL, "  %s%s %s", fresh ? ">" : "",
		view->walk->arch->registers[reg].label, step_view_number(caller->value[reg]).text);
	caller->known &= ~(UINT64_C(1) << reg);
}

void
step_view_caller_row(const struct step_view *view, struct row *row)
{
	const struct arch *arch = view->walk->arch;
	const int first[] = { arch->pc, arch->sp, arch->fp };
	const bool over = step_view_is_over(view);
	struct registers caller;

	if (view->variable != NULL) {
		add_variable(view, row);
		return;
	}
	if (over && view->verdict.kind != VERDICT_TAKEN) {
		row_add(row, ROLE_TITLE, " no caller: %s", view->verdict.text);
		return;
	}
	step_view_caller(view, &caller);
	row_add(row, ROLE_TITLE, " frame %zu%s", view->frame + 1, over ? "" : " so far");
	if (caller.known == 0)
		row_add(row, ROLE_DIM, "  nothing yet");
	add_register(view, &caller, step_view_set_now(view), true, row);
	for (size_t i = 0; i < ARRAY_COUNT(first); i++)
		add_register(view, &caller, first[i], false, row);
	for (int reg = 0; reg < arch->register_count; reg++)
		add_register(view, &caller, reg, false, row);
}

/* Events --------------------------------------------------------------------------------------- */

/* Column of the place after a table's row; column of the meaning after a field's bytes. */
enum { TABLE_PLACE_COLUMN = 48, FIELD_MEANING_COLUMN = 18 };

static void
rule_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const struct place record = place_record(at->place);

	row_add(row, ROLE_TITLE, view->variable != NULL ? " location " : " rule ");
	row_add_text(row, ROLE_TITLE, at->name);
	row_add(row, ROLE_NORMAL, ": %s", at->text);
	if (at->end - 1 <= step_view_now(view) && at->status == EVENT_FAILED)
		row_add(row, ROLE_BAD, "   ! fails");
	else if (at->end - 1 <= step_view_now(view) && at->from != TRACE_NONE)
		row_add(row, ROLE_NORMAL, "   = %s", step_view_number(at->value).text);
	if ((at->detail & TRACE_RULE_EDITED) != 0) {
		row_add(row, ROLE_CHANGED, "   edited");
		/* The record of the rule before its edit. */
		if (at->place.input != NULL) {
			row_add(row, ROLE_CHANGED, ", was");
			row_add(row, ROLE_DIM, " %s", place_format(&record).text);
		}
	} else {
		report_add_place(row, at->place);
	}
	if ((at->detail & TRACE_RULE_DELTA) != 0)
		row_add(row, ROLE_DIM, " (delta)");
}

static void
set_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const uint32_t from = at->from;
	const struct step_text text = step_view_origin(view, from);

	if (view->variable != NULL) {
		add_variable(view, row);
		return;
	}
	row_add(row, at->status == EVENT_OK ? ROLE_CHANGED : ROLE_UNKNOWN, " %c ",
		at->status == EVENT_OK ? '=' : '?');
	row_add_text(row, ROLE_NORMAL, at->name);
	row_pad(row, 8);
	row_add(row, ROLE_NORMAL, " %s  ",
		at->status == EVENT_OK ? step_view_value(view, at->value).text : "unknown");
	if (from != TRACE_NONE && view->trace.events[from].kind == EVENT_TOKEN)
		row_add(row, ROLE_NORMAL, " token %zu, ", step_view_token_number(view, from));
	row_add_text(row, ROLE_NORMAL, text_of(text.text));
	if (at->text[0] != '\0')
		row_add(row, ROLE_DIM, "%s%s", text.text[0] != '\0' ? "; " : " ", at->text);
}

static void
check_row(const struct step_view *view, const struct event *at, struct row *row)
{
	(void)view;
	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_BAD, " %-5s ",
		at->status == EVENT_OK	   ? "ok"
		: at->status == EVENT_NOTE ? "DOUBT"
					   : "FAIL");
	row_add(row, ROLE_NORMAL, "%s: %s", check_table[at->detail][at->status == EVENT_OK],
		at->text);
}

static void
candidate_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const enum role role = at->status == EVENT_OK ? ROLE_SCAN : ROLE_DIM;

	row_add(row, role, " word  [%s]", step_view_value(view, at->address).text);
	if (explain_event_has_value(at))
		row_add(row, role, " = %s", step_view_value(view, at->value).text);
	row_add(row, role, "  ");
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
	report_add_place(row, at->place);
}

static void
result_row(const struct step_view *view, const struct event *at, struct row *row)
{
	(void)view;
	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_BAD, " result: %s",
		step_view_verdict(at->detail));
	if (at->status != EVENT_OK && at->text[0] != '\0')
		row_add(row, ROLE_NORMAL, ": %s", at->text);
}

static void
step_row(const struct step_view *view, const struct event *at, struct row *row)
{
	(void)at;
	if (view->variable != NULL)
		row_add(row, ROLE_TITLE, "variable %s of frame %zu", view->variable->name,
			view->frame);
	else
		row_add(row, ROLE_TITLE, "step from frame %zu to its caller", view->frame);
}

static void
attempt_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const uint32_t event = (uint32_t)(at - view->trace.events);

	if (view->variable != NULL) {
		step_row(view, at, row);
		return;
	}
	row_add(row, ROLE_TITLE, "attempt %zu  %s  ", step_view_attempt_number(view, event),
		at->text);
	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_DIM, "%s",
		step_view_outcome(view, event));
}

static void
input_row(const struct step_view *view, const struct event *at, struct row *row)
{
	row_add(row, ROLE_NORMAL, " input ");
	row_add_text(row, ROLE_NORMAL, at->name);
	row_add(row, ROLE_NORMAL, " = %s  %s", step_view_value(view, at->value).text, at->text);
	report_add_place(row, at->place);
}

/* Adds a row of the record's table. A sign and a colour mark the row in force. */
static void
table_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const bool chosen = at->status == EVENT_OK;

	(void)view;
	row_add(row, chosen ? ROLE_CHANGED : ROLE_NORMAL, " %s ",
		chosen ? ">" : at->status == EVENT_FAILED ? "!" : " ");
	row_add_text(row,
		     chosen			      ? ROLE_CHANGED
		     : at->status == EVENT_FAILED     ? ROLE_BAD
		     : at->place.input == NULL	      ? ROLE_DIM
						      : ROLE_NORMAL,
		     text_of(at->text));
	row_pad(row, TABLE_PLACE_COLUMN);
	report_add_place(row, at->place);
}

static void
step_events_field_row(const struct step_view *view, const struct event *at, struct row *row)
{
	(void)view;
	row_add(row, ROLE_NORMAL, " bytes ");
	row_add_text(row, ROLE_DATA, at->name);
	row_pad(row, FIELD_MEANING_COLUMN);
	row_add(row, ROLE_NORMAL, " %s", at->text);
	report_add_place(row, at->place);
}

static void
read_row(const struct step_view *view, const struct event *at, struct row *row)
{
	(void)view;
	row_add(row, ROLE_NORMAL, "       read [%s] ", step_view_number(at->address).text);
	if (at->status == EVENT_OK)
		row_add(row, ROLE_NORMAL, "= %s", step_view_number(at->value).text);
	else
		row_add(row, ROLE_BAD, "! not in the dump");
	report_add_place(row, at->place);
}

static void
record_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const bool failed = at->status == EVENT_FAILED;

	(void)view;
	row_add(row, failed ? ROLE_BAD : ROLE_NORMAL, " %s %s",
		at->kind == EVENT_REPAIR ? "repair" : failed ? "fails:"
		: view->variable != NULL ? "" : "record", at->text);
	report_add_place(row, at->place);
}

bool
step_view_is_pending(const struct step_view *view, uint32_t event)
{
	const enum event_kind kind = view->trace.events[event].kind;

	if (view->trace.events[event].status == EVENT_HIDDEN)
		return kind != EVENT_TOKEN && kind != EVENT_RULE && kind != EVENT_ATTEMPT &&
		       kind != EVENT_STEP;
	if (kind == EVENT_SET)
		event = step_view_settled(view, event);
	else if (kind != EVENT_CHECK && kind != EVENT_RESULT && kind != EVENT_REPAIR &&
		 kind != EVENT_CANDIDATE)
		return false;
	return event > step_view_now(view);
}

/* Adds the subject of an event after the cursor, without its result. */
static void
pending_row(const struct step_view *view, const struct event *at, struct row *row)
{
	static const char *const names[] = {
		[EVENT_RESULT] = "result",
		[EVENT_REPAIR] = "repair",
		[EVENT_INPUT] = "input ",
		[EVENT_READ] = "read",
		[EVENT_RECORD] = "record",
	};

	if (at->kind == EVENT_SET) {
		row_add(row, ROLE_DIM, " . ");
		row_add_text(row, ROLE_DIM, at->name);
	} else if (at->kind == EVENT_CHECK) {
		row_add(row, ROLE_DIM, " .     to check: %s", check_table[at->detail][1]);
		return;
	} else if (at->kind == EVENT_CANDIDATE) {
		row_add(row, ROLE_DIM, " word  [%s]", step_view_value(view, at->address).text);
	} else {
		row_add(row, ROLE_DIM, " %s", names[at->kind]);
		row_add_text(row, ROLE_DIM, at->name);
	}
	row_add(row, ROLE_DIM, ": not yet");
}

void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row)
{
	static void (*const rows[])(const struct step_view *view, const struct event *at,
				    struct row *row) = {
		[EVENT_STEP] = step_row,	   [EVENT_ATTEMPT] = attempt_row,
		[EVENT_RECORD] = record_row,	   [EVENT_ROW] = table_row,
		[EVENT_FIELD] = step_events_field_row,	   [EVENT_REPAIR] = record_row,
		[EVENT_INPUT] = input_row,	   [EVENT_RULE] = rule_row,
		[EVENT_READ] = read_row,	   [EVENT_SET] = set_row,
		[EVENT_CANDIDATE] = candidate_row, [EVENT_CHECK] = check_row,
		[EVENT_RESULT] = result_row,
	};
	const struct event *at = &view->trace.events[event];

	if (at->kind == EVENT_TOKEN)
		step_view_token_row(view, event, columns, row);
	else if (step_view_is_pending(view, event))
		pending_row(view, at, row);
	else
		rows[at->kind](view, at, row);
}
