/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "inspect/variable/variable_step.h"
#include "report/report.h"
#include "report/step/step_view.h"

/* Events as rows of `explain` and of the evidence: one line each, indented by depth. */

/* Columns of the places after rows of tables, and of the meaning after the bytes of a field. */
enum { TABLE_PLACE_COLUMN = 48, FIELD_MEANING_COLUMN = 18 };

static void
rule_row(const struct step_view *view, const struct event *at, struct row *row)
{
	const struct place record = place_record(at->place);
	char value[32], text[400];

	row_add(row, ROLE_TITLE, view->variable != NULL ? " location " : " rule ");
	row_add_text(row, ROLE_TITLE, at->name);
	row_add(row, ROLE_NORMAL, ": %s", at->text);
	if (at->end - 1 <= step_view_now(view) && at->status == EVENT_FAILED)
		row_add(row, ROLE_BAD, "   ! fails");
	else if (at->end - 1 <= step_view_now(view) && at->from != TRACE_NONE)
		row_add(row, ROLE_NORMAL, "   = %s",
			step_view_number(at->value, value, sizeof(value)));
	if ((at->detail & TRACE_RULE_EDITED) != 0) {
		row_add(row, ROLE_CHANGED, "   edited");
		/* The record of the rule before its edit. */
		if (at->place.input != NULL) {
			row_add(row, ROLE_CHANGED, ", was");
			row_add(row, ROLE_DIM, " %s", place_format(&record, text, sizeof(text)));
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
	char text[400], value[32];
	uint32_t from = at->from;

	if (view->variable != NULL) {
		step_view_variable_row(view, row);
		return;
	}
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
	char address[32], value[32];

	row_add(row, at->status == EVENT_OK ? ROLE_SCAN : ROLE_DIM, " word  [%s] = %s  ",
		step_view_value(view, at->address, address, sizeof(address)),
		step_view_value(view, at->value, value, sizeof(value)));
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
		at->status == EVENT_OK ? "taken" : "refused");
}

static void
input_row(const struct step_view *view, const struct event *at, struct row *row)
{
	char value[32];

	row_add(row, ROLE_NORMAL, " input ");
	row_add_text(row, ROLE_NORMAL, at->name);
	row_add(row, ROLE_NORMAL, " = %s  %s",
		step_view_value(view, at->value, value, sizeof(value)), at->text);
	report_add_place(row, at->place);
}

/* A row of the record's table; the one in force is marked by a sign, not only by a colour. */
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
	char address[32], value[32];

	(void)view;
	row_add(row, ROLE_NORMAL, "       read [%s] ",
		step_view_number(at->address, address, sizeof(address)));
	if (at->status == EVENT_OK)
		row_add(row, ROLE_NORMAL, "= %s",
			step_view_number(at->value, value, sizeof(value)));
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

/* An event after the cursor: its subject, but not its result. */
static void
pending_row(const struct step_view *view, const struct event *at, struct row *row)
{
	static const char *const names[] = {
		[EVENT_RESULT] = "result", [EVENT_REPAIR] = "repair", [EVENT_INPUT] = "input ",
		[EVENT_READ] = "read", [EVENT_RECORD] = "record",
	};
	char address[32];

	if (at->kind == EVENT_SET) {
		row_add(row, ROLE_DIM, " . ");
		row_add_text(row, ROLE_DIM, at->name);
	} else if (at->kind == EVENT_CHECK) {
		row_add(row, ROLE_DIM, " .     to check: %s", check_table[at->detail][1]);
		return;
	} else if (at->kind == EVENT_CANDIDATE) {
		row_add(row, ROLE_DIM, " word  [%s]",
			step_view_value(view, at->address, address, sizeof(address)));
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
