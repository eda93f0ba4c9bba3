/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/step/methods_compared.h"
#include "report/memory/registers.h"
#include "report/memory/telescope.h"
#include "ui/view/edits.h"
#include "ui/view/view.h"

/* What if: edits of rules, registers, methods, words of scans and the policy. */

/* Bytes of a command line that an edit fills in. */
#define LINE_SIZE 4096

bool
requests_has_frame(struct session *session)
{
	if (session_frame(session) != NULL)
		return true;
	session_fail(session, "%s", views_why_nothing(session));
	return false;
}

/* The step whose rules are edited: by the method under the cursor. */
static bool
find_step(const struct session *session, struct edit_step *step)
{
	if (!session->has_step)
		return false;
	const uint32_t attempt = step_view_attempt(&session->step);
	*step = (struct edit_step){ .walk = session_walk(session), .frame = session->stack.frame,
				    .method = METHOD_COUNT };
	if (attempt == TRACE_NONE)
		return false;
	step->method = (enum method_id)session->step.trace.events[attempt].detail;
	return true;
}

static bool
step_of(struct session *session, struct edit_step *step)
{
	if (!requests_has_frame(session))
		return false;
	if (find_step(session, step))
		return true;
	session_fail(session, "no method was tried in this step: %s",
		     session->has_step ? session->step.verdict.text : "");
	return false;
}

static void
add_or_say(struct session *session, enum error_code code, const struct overlay_edit *edit,
	   const struct error *error)
{
	if (code == ERROR_NONE)
		edits_add(session, edit);
	else
		session_fail(session, "%s", error->text);
}

/* Put the cursor on the rule that was edited, where the walk is there already. */
static void
show_rule(struct session *session, enum method_id method, struct text name)
{
	const struct trace *trace = &session->step.trace;

	for (uint32_t i = 0; session->has_step && i < trace->count; i++) {
		const uint32_t attempt = trace_ancestor(trace, i, EVENT_ATTEMPT);

		if (trace->events[i].kind == EVENT_RULE && attempt != TRACE_NONE &&
		    trace->events[attempt].detail == (unsigned)method &&
		    text_equal(trace->events[i].name, name)) {
			session_select_event(session, i);
			return;
		}
	}
}

static void
edit_rule(struct session *session, const struct edit_step *step, struct text name,
	  struct text expression)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena;

	arena_init(&arena, 0);
	const char *kept = arena_copy(&arena, name.start, name.length);
	const struct text own = { kept, name.length };
	enum error_code code = kept == NULL ? error_memory(&error)
					    : edit_make_rule(step, own, expression, &arena, &edit,
							     &error);
	add_or_say(session, code, &edit, &error);
	if (code == ERROR_NONE)
		show_rule(session, step->method, own);
	arena_free(&arena);
}

void
request_set_rule(const struct request_call *call)
{
	struct session *session = call->session;
	struct edit_step step;
	struct error error = { 0 };
	struct text name;
	size_t start;

	if (!step_of(session, &step))
		return;
	if (edit_parse_rule(&step, call->text, &name, &start, &error) != ERROR_NONE) {
		session_fail(session, "%s", error.text);
		return;
	}
	struct text expression = text_of(call->text + start);
	while (expression.length > 0 && expression.start[expression.length - 1] == ' ')
		expression.length--;
	if (expression.length == 0) {
		session_fail(session, "expression missing; ':drop-rule %.*s' removes the rule",
			     (int)name.length, name.start);
		return;
	}
	edit_rule(session, &step, name, expression);
}

/* The rule that an event is of; TRACE_NONE where it is of none. */
static uint32_t
rule_of_event(const struct trace *trace, uint32_t event)
{
	if (event == TRACE_NONE || event >= trace->count)
		return TRACE_NONE;
	const struct event *at = &trace->events[event];
	if (at->kind == EVENT_SET && at->from != TRACE_NONE)
		event = at->from;
	return trace_ancestor(trace, event, EVENT_RULE);
}

void
request_drop_rule(const struct request_call *call)
{
	struct session *session = call->session;
	struct edit_step step;
	struct error error = { 0 };
	struct text name;
	char text[128];
	size_t start;

	if (!step_of(session, &step))
		return;
	const uint32_t rule = rule_of_event(&session->step.trace, session->step.cursor);
	if (call->text[0] == '\0' && rule == TRACE_NONE) {
		session_fail(session, "the cursor is not on a rule; name one: ':drop-rule rbx'");
		return;
	}
	if (call->text[0] == '\0')
		snprintf(text, sizeof(text), "%.*s:",
			 (int)session->step.trace.events[rule].name.length,
			 session->step.trace.events[rule].name.start);
	else
		snprintf(text, sizeof(text), "%.120s:", call->text);
	if (edit_parse_rule(&step, text, &name, &start, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
	else
		edit_rule(session, &step, name, text_of(""));
}

void
request_set_register(const struct request_call *call)
{
	struct session *session = call->session;
	const char *space = strchr(call->text, ' ');
	struct overlay_edit edit;
	struct error error = { 0 };
	char name[64];

	if (!requests_has_frame(session))
		return;
	if (space == NULL || (size_t)(space - call->text) >= sizeof(name)) {
		session_fail(session, "a register is set by its name and a hexadecimal number: "
				      "':set-register rsp 7ffe1000'");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(space - call->text), call->text);
	add_or_say(session,
		   edit_make_register(session_walk(session), session->stack.frame, name,
				      space + strspn(space, " "), &edit, &error),
		   &edit, &error);
}

/* The method that is named, or that the cursor is on. */
static bool
method_of(struct session *session, const char *arguments, enum method_id *method)
{
	if (arguments[0] != '\0') {
		if (method_named(arguments, strlen(arguments), method))
			return true;
		session_fail(session, "unknown method '%s'; Tab lists them", arguments);
		return false;
	}
	const struct row_subject subject = views_subject(session);
	struct edit_step step;
	if (subject.kind == SUBJECT_METHOD)
		*method = subject.method;
	else if (step_of(session, &step))
		*method = step.method;
	else
		return false;
	if (*method == METHOD_COUNT)
		session_fail(session, "the cursor is not on a method; name one");
	return *method != METHOD_COUNT;
}

void
request_method_edit(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit = { .kind = (enum overlay_kind)call->value };

	if (!requests_has_frame(session) || !method_of(session, call->text, &edit.method))
		return;
	edit.thread = session->stack.thread;
	edit.frame = session->stack.frame;
	edits_add(session, &edit);
}

void
request_walk_by(const struct request_call *call)
{
	request_method_edit(call);
	if (!call->session->failed)
		session_focus(call->session, LAYOUT_WALKS);
}

void
request_candidate(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit;
	struct error error = { 0 };

	if (!requests_has_frame(session))
		return;
	add_or_say(session,
		   edit_make_candidate(session_walk(session), session->stack.frame, call->text,
				       &edit, &error),
		   &edit, &error);
}

void
request_policy(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit;
	struct error error = { 0 };

	if (!requests_has_frame(session))
		return;
	add_or_say(session, edit_make_policy(session_walk(session), call->text, &edit, &error),
		   &edit, &error);
}

/* What the key edits: the thing under the cursor, as a command with its old text ---------------*/

static bool
line_of_rule(struct session *session, uint32_t event, char *line, size_t size)
{
	const struct trace *trace = &session->step.trace;
	const uint32_t rule = rule_of_event(trace, event);

	if (rule == TRACE_NONE)
		return false;
	const struct event *at = &trace->events[rule];
	const int length = snprintf(line, size, "set-rule %.*s: %s", (int)at->name.length,
				    at->name.start, at->text);
	return length > 0 && (size_t)length < size;
}

static void
line_of_register(const struct session *session, int reg, char *line, size_t size)
{
	const struct walk *walk = session_walk(session);
	const struct registers *registers = &session_frame(session)->registers;
	const char *label = walk->arch->registers[reg].label;

	if (registers_known(registers, reg))
		snprintf(line, size, "set-register %s %0*" PRIx64, label,
			 (int)walk->arch->word_size * 2, registers->value[reg]);
	else
		snprintf(line, size, "set-register %s ?", label);
}

static void
line_of_method(enum method_id method, char *line, size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "%s", method_name(method));
	for (char *c = name; *c != '\0'; c++)
		*c = *c == ' ' ? '-' : *c;
	snprintf(line, size, "force %s", name);
}

static bool
line_of_event(struct session *session, uint32_t event, char *line, size_t size)
{
	const struct trace *trace = &session->step.trace;

	if (event == TRACE_NONE || event >= trace->count)
		return false;
	const struct event *at = &trace->events[event];
	const uint32_t attempt = trace_ancestor(trace, event, EVENT_ATTEMPT);
	if (line_of_rule(session, event, line, size))
		return true;
	if (at->kind == EVENT_CANDIDATE)
		snprintf(line, size, "candidate %" PRIx64, at->address);
	else if (at->kind == EVENT_INPUT && at->reg >= 0)
		line_of_register(session, at->reg, line, size);
	else if (at->kind == EVENT_SET)
		snprintf(line, size, "set-rule %.*s: ", (int)at->name.length, at->name.start);
	else if (at->kind == EVENT_RECORD && attempt != TRACE_NONE &&
		 trace_next(trace, attempt, EVENT_RULE) < trace->events[attempt].end)
		return line_of_rule(session, trace_next(trace, attempt, EVENT_RULE), line, size);
	else if (attempt != TRACE_NONE)
		line_of_method((enum method_id)trace->events[attempt].detail, line, size);
	else
		return false;
	return true;
}

/* The rule in force whose record stands where a row leads: of a cell, or of a line of the file. */
static bool
line_of_place(struct session *session, char *line, size_t size)
{
	const struct target target =
		session_selected_target(session_view(session, session->choice.focus));
	const struct trace *trace = &session->step.trace;
	uint32_t found = TRACE_NONE;

	for (uint32_t i = 0; target.kind == TARGET_PLACE && i < trace->count; i++) {
		const struct event *at = &trace->events[i];

		if (at->kind != EVENT_RULE || at->place.input != target.place.input ||
		    at->place.line != target.place.line)
			continue;
		if (found == TRACE_NONE || at->place.offset == target.place.offset)
			found = i;
	}
	return line_of_rule(session, found, line, size);
}

/* The command that edits an edit once more. */
static bool
line_of_edit(const struct session *session, size_t index, char *line, size_t size)
{
	const struct overlay *overlay = edits_overlay(session);

	if (overlay == NULL || index >= overlay->count)
		return false;
	const struct overlay_edit *edit = &overlay->edits[index];
	switch (edit->kind) {
	case OVERLAY_RECORD:
	case OVERLAY_RULE:
		snprintf(line, size, "set-rule %.*s: %.*s", (int)edit->name.length,
			 edit->name.start, (int)edit->expression.length, edit->expression.start);
		return true;
	case OVERLAY_REGISTER:
		line_of_register(session, edit->reg, line, size);
		return true;
	case OVERLAY_CANDIDATE:
		snprintf(line, size, "candidate %" PRIx64, edit->address);
		return true;
	case OVERLAY_POLICY:
		snprintf(line, size, "policy %s %" PRIu64, policy_table[edit->policy].name,
			 edit->value);
		return true;
	default:
		line_of_method(edit->method, line, size);
		return true;
	}
}

/* The command that edits what the selected row stands for. */
static bool
line_here(struct session *session, const struct row_subject *subject, char *line, size_t size)
{
	switch (subject->kind) {
	case SUBJECT_EVENT:
		return line_of_event(session, subject->event, line, size);
	case SUBJECT_REGISTER:
		if (subject->reg < 0 || subject->reg >= session->step.walk->arch->register_count)
			return false;
		line_of_register(session, subject->reg, line, size);
		return true;
	case SUBJECT_WORD:
		snprintf(line, size, "candidate %" PRIx64, subject->address);
		return true;
	case SUBJECT_RECORD:
		return line_of_place(session, line, size);
	case SUBJECT_METHOD:
		if (subject->method == METHOD_COUNT)
			return false;
		line_of_method(subject->method, line, size);
		return true;
	case SUBJECT_EDIT:
		return line_of_edit(session, subject->edit, line, size);
	default:
		return false;
	}
}

void
request_what_if(const struct request_call *call)
{
	struct session *session = call->session;
	char line[LINE_SIZE];

	if (!requests_has_frame(session) || !session->has_step)
		return;
	const struct row_subject subject = views_subject(session);
	if (line_here(session, &subject, line, sizeof(line)))
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
	else
		session_fail(session, "%s", subject.kind == SUBJECT_RECORD
			     ? "no rule of this line is in force in this frame"
			     : "not editable: edit rules in evidence, tape or table, words in "
			       "memory, registers and methods in their views");
}

/* While a rule is typed: what it would give, or which of its tokens is wrong -------------------*/

bool
requests_check(const struct explorer *explorer, const char *line, size_t *column, char *text,
	       size_t size)
{
	static const char command[] = "set-rule ";
	const struct session *session = &explorer->session;
	struct edit_step step;
	struct edit_check check;
	struct error error = { 0 };
	struct text name;
	size_t start;

	if (explorer->prompt != PROMPT_COMMAND ||
	    strncmp(line, command, strlen(command)) != 0 || !find_step(session, &step))
		return false;
	const char *arguments = line + strlen(command);
	*column = strlen(command);
	if (edit_parse_rule(&step, arguments, &name, &start, &error) != ERROR_NONE) {
		snprintf(text, size, "^ %s", error.text);
		return true;
	}
	edit_check_rule(&step, name, text_of(arguments + start), &check);
	*column += start + check.start;
	snprintf(text, size, "%s%s", check.good ? "" : "^ ", check.text);
	return check.text[0] != '\0';
}
