/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "report/report.h"
#include "report/step_view.h"

/* Events as rows of `explain` and of the evidence: one line each, indented by depth. */

static void
add_place(struct row *row, const struct place *place)
{
	char text[400];

	if (place->input == NULL)
		return;
	struct place shown = report_record_place(*place);
	row_add(row, ROLE_DIM, "   ");
	row_add_text(row, ROLE_DIM, text_of(place_format(&shown, text, sizeof(text))));
}

/* The postfix stack from bottom to top: names with what they stand for. */
static void
add_stack(const struct step_view *view, const struct cell *top, size_t columns, struct row *row)
{
	const struct cell *cells[16] = { NULL };
	size_t count = 0;
	char text[600];
	size_t used = 0;

	for (const struct cell *cell = top; cell != NULL && count < ARRAY_COUNT(cells);
	     cell = cell->below)
		cells[count++] = cell;
	text[0] = '\0';
	if (count == ARRAY_COUNT(cells) && cells[count - 1]->below != NULL)
		used += (size_t)snprintf(text, sizeof(text), ".. ");
	while (count-- > 0 && used + 80 < sizeof(text)) {
		const struct cell *cell = cells[count];
		char value[32];

		step_view_number(view, cell->value, value, sizeof(value));
		if (cell->name.length == 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ", value);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s%s%s%s ",
						 (int)(cell->name.length > 24 ? 24
									      : cell->name.length),
						 cell->name.start, cell->known ? " (" : "",
						 cell->known ? value : "", cell->known ? ")" : "");
	}
	row_add_cut(row, ROLE_NORMAL, columns, true, (struct text){ text, used });
}

/* What a token did, in the last column of the tape. */
static void
add_token_reason(const struct step_view *view, uint32_t token, struct row *row)
{
	const struct event *at = &view->trace.events[token];
	char text[400];

	if (at->status == EVENT_FAILED) {
		row_add(row, ROLE_BAD, "! %s", at->text);
		return;
	}
	if (at->detail == OPERATION_ASSIGN) {
		char value[32];

		row_add_text(row, ROLE_CHANGED, text_of(at->text));
		row_add(row, ROLE_CHANGED, " := %s",
			step_view_value(view, at->value, value, sizeof(value)));
		return;
	}
	if (at->detail == OPERATION_NAME) {
		const struct cell *top = at->stack;
		uint32_t from = top != NULL && top->known ? top->from : TRACE_NONE;

		if (from != TRACE_NONE && view->trace.events[from].kind == EVENT_TOKEN)
			row_add(row, ROLE_NORMAL, "set by token %zu",
				step_view_token_number(view, from));
		else
			row_add_text(row, ROLE_NORMAL,
				     text_of(step_view_origin(view, from, text, sizeof(text))));
		return;
	}
	if (at->detail != OPERATION_NUMBER)
		row_add_text(row, ROLE_NORMAL,
			     text_of(step_view_origin(view, token, text, sizeof(text))));
}

static void
token_row(const struct step_view *view, uint32_t token, bool happened, size_t columns,
	  struct row *row)
{
	const struct event *at = &view->trace.events[token];
	row_add(row, ROLE_DIM, "%5zu  ", step_view_token_number(view, token));
	row_add_cut(row, at->status == EVENT_FAILED ? ROLE_BAD : ROLE_NORMAL, 16, true, at->name);
	row_add(row, ROLE_NORMAL, " ");
	row_pad(row, step_view_stack_column(columns));
	if (!happened) {
		row_add(row, ROLE_DIM, ".");
		return;
	}
	add_stack(view, at->stack, step_view_reason_column(columns) - row->width - 1, row);
	row_pad(row, step_view_reason_column(columns));
	add_token_reason(view, token, row);
}

static void
rule_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char value[32];

	row_add(row, ROLE_TITLE, " rule ");
	row_add_text(row, ROLE_TITLE, at->name);
	row_add(row, ROLE_NORMAL, ": ");
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
	if (at->status == EVENT_FAILED && at->end - 1 <= view->cursor)
		row_add(row, ROLE_BAD, "   ! fails");
	else if (at->from != TRACE_NONE && at->end - 1 <= view->cursor)
		row_add(row, ROLE_NORMAL, "   = %s",
			step_view_value(view, at->value, value, sizeof(value)));
	add_place(row, &at->place);
	if (at->detail != 0)
		row_add(row, ROLE_DIM, " (delta)");
}

static void
set_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char text[400], value[32];
	uint32_t from = at->from;

	row_add(row, at->status == EVENT_OK ? ROLE_CHANGED : ROLE_UNKNOWN, " %c ",
		at->status == EVENT_OK ? '=' : '?');
	row_add_text(row, ROLE_NORMAL, at->name);
	row_pad(row, 8);
	row_add(row, ROLE_NORMAL, " %s  ",
		at->status == EVENT_OK ? step_view_value(view, at->value, value, sizeof(value))
				       : "unknown");
	if (from != TRACE_NONE && view->trace.events[from].kind == EVENT_TOKEN)
		row_add(row, ROLE_NORMAL, " token %zu, ", step_view_token_number(view, from));
	row_add_text(row, ROLE_NORMAL, text_of(step_view_origin(view, from, text, sizeof(text))));
	if (at->text[0] != '\0')
		row_add(row, ROLE_DIM, "%s%s", text[0] != '\0' ? "; " : " ", at->text);
}

static void
check_row(const struct event *at, struct row *row)
{
	bool passed = at->status == EVENT_OK;

	row_add(row, passed ? ROLE_NORMAL : ROLE_BAD, " %-5s ", passed ? "ok" : "FAIL");
	row_add(row, ROLE_NORMAL, "%s: ", check_sentence((enum check_id)at->detail));
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
}

static void
candidate_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char address[32], value[32];

	row_add(row, at->status == EVENT_OK ? ROLE_SCAN : ROLE_DIM, " word  [%s] = %s  ",
		step_view_value(view, at->address, address, sizeof(address)),
		step_view_value(view, at->value, value, sizeof(value)));
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
	add_place(row, &at->place);
}

static const char *
verdict_word(unsigned kind)
{
	static const char *const words[] = { "taken", "refused", "end of the stack" };

	return words[kind];
}

static void
result_row(const struct event *at, struct row *row)
{
	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_BAD, " result: %s",
		verdict_word(at->detail));
	if (at->status != EVENT_OK && at->text[0] != '\0') {
		row_add(row, ROLE_NORMAL, ": ");
		row_add_text(row, ROLE_NORMAL, text_of(at->text));
	}
}

static void
attempt_row(const struct step_view *view, uint32_t event, struct row *row)
{
	const struct event *at = &view->trace.events[event];

	row_add(row, ROLE_TITLE, "attempt %zu  %s  ", step_view_attempt_number(view, event),
		at->text);
	row_add(row, at->status == EVENT_OK ? ROLE_NORMAL : ROLE_DIM, "%s",
		at->status == EVENT_OK ? "taken" : "refused");
}

static void
input_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char value[32];

	row_add(row, ROLE_NORMAL, " input ");
	row_add_text(row, ROLE_NORMAL, at->name);
	row_add(row, ROLE_NORMAL, " = %s  ",
		step_view_value(view, at->value, value, sizeof(value)));
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
	add_place(row, &at->place);
}

static void
fact_row(const struct event *at, const char *word, struct row *row)
{
	row_add(row, at->status == EVENT_FAILED ? ROLE_BAD : ROLE_NORMAL, " %s ", word);
	row_add_text(row, ROLE_NORMAL, text_of(at->text));
	add_place(row, &at->place);
}

static void
read_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char address[32], value[32];

	row_add(row, ROLE_NORMAL, "       read [%s] ",
		step_view_value(view, at->address, address, sizeof(address)));
	if (at->status == EVENT_OK)
		row_add(row, ROLE_NORMAL, "= %s",
			step_view_value(view, at->value, value, sizeof(value)));
	else
		row_add(row, ROLE_BAD, "! not in the dump");
	add_place(row, &at->place);
}

void
step_view_event_row(const struct step_view *view, uint32_t event, size_t columns, struct row *row)
{
	const struct event *at = &view->trace.events[event];

	switch (at->kind) {
	case EVENT_STEP:
		row_add(row, ROLE_TITLE, "step from frame %zu to its caller", view->frame);
		break;
	case EVENT_ATTEMPT:
		attempt_row(view, event, row);
		break;
	case EVENT_RECORD:
		fact_row(at, at->status == EVENT_FAILED ? "fails:" : "record", row);
		break;
	case EVENT_REPAIR:
		fact_row(at, "repair", row);
		break;
	case EVENT_INPUT:
		input_row(view, at, row);
		break;
	case EVENT_RULE:
		rule_row(view, at, row);
		break;
	case EVENT_TOKEN:
		token_row(view, event, event <= view->cursor, columns, row);
		break;
	case EVENT_READ:
		read_row(view, at, row);
		break;
	case EVENT_SET:
		set_row(view, at, row);
		break;
	case EVENT_CANDIDATE:
		candidate_row(view, at, row);
		break;
	case EVENT_CHECK:
		check_row(at, row);
		break;
	case EVENT_RESULT:
		result_row(at, row);
		break;
	}
	if (columns > 0)
		row_cut(row, columns);
}
