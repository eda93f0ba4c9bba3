/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "repair/repair.h"
#include "ui/view/edits.h"
#include "ui/view/view.h"
#include "walk/frame_rules.h"

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
	if (!session->has_step || session->of_variable)
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
	session_fail(session, session->of_variable ? "the location of a variable is not edited%s"
						   : "no method was tried in this step: %s",
		     session->has_step ? session->step.verdict.text : "");
	return false;
}

static void
add_or_say(struct session *session, enum error_code code, const struct overlay_edit *edit,
	   const struct error *error)
{
	if (code == ERROR_NONE)
		edits_add(session, edit, 1);
	else
		session_fail(session, "%s", error->text);
}

static void
edit_rule(struct session *session, const struct edit_step *step, struct text name,
	  struct text expression)
{
	const struct trace *trace = &session->step.trace;
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	const char *kept = arena_copy(&arena, name.start, name.length);
	const struct text own = { kept, name.length };
	enum error_code code = kept == NULL ? error_memory(&error)
					    : edit_make_rule(step, own, expression, &arena, &edit,
							     &error);
	add_or_say(session, code, &edit, &error);
	/* Put the cursor on the rule that was edited, where the walk is there already. */
	for (uint32_t i = 0; code == ERROR_NONE && session->has_step && i < trace->count; i++) {
		const uint32_t attempt = trace_ancestor(trace, i, EVENT_ATTEMPT);

		if (trace->events[i].kind == EVENT_RULE && attempt != TRACE_NONE &&
		    trace->events[attempt].detail == (unsigned)step->method &&
		    text_equal(trace->events[i].name, own)) {
			session_select_event(session, i);
			break;
		}
	}
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

/* The records of this frame's module: one is added, moved or taken out. */
void
request_edit_record(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	if (!requests_has_frame(session))
		return;
	const enum error_code code =
		edit_make_record(session_walk(session), session->stack.frame,
				 (enum edit_record)call->value, call->text, &arena, &edit, &error);
	add_or_say(session, code, &edit, &error);
	arena_free(&arena);
}

/* Records that say what the frame table's row for this frame says, or the code. */
void
request_take_row(const struct request_call *call)
{
	struct session *session = call->session;
	struct error error = { 0 };

	if (!requests_has_frame(session))
		return;
	struct walk *walk = session_walk(session);
	const struct frame *frame = session_frame(session);
	struct rule_module module = frame_rules_module(walk, frame->module);
	struct repair repair = { .module = &module, .crash = session->crash,
				 .windows = session->crash->system.os == CRASH_OS_WINDOWS };

	if (module.symfile == NULL) {
		session_fail(session, "the module of this frame has no symbol file to edit");
		return;
	}
	/* The lines of the file are repaired, whatever was edited in them. */
	module.symfile = symfile_unedited(module.symfile);
	const uint64_t relative = frame->lookup - session->crash->modules[frame->module].base;
	const enum error_code code = repair_row(&repair, relative, &error);
	struct overlay_edit *edits =
		arena_array(&repair.arena, repair.edit_count + 1, sizeof(*edits));
	for (size_t i = 0; edits != NULL && i < repair.edit_count; i++)
		edits[i] = (struct overlay_edit){ .kind = OVERLAY_RECORD, .thread = walk->thread,
						  .frame = session->stack.frame,
						  .method = METHOD_COUNT,
						  .record = repair.edits[i] };
	if (code != ERROR_NONE || edits == NULL)
		session_fail(session, "%s", edits == NULL ? OUT_OF_MEMORY : error.text);
	else if (repair.edit_count == 0)
		session_fail(session, "the symbol file has these rules already");
	else
		edits_add(session, edits, repair.edit_count);
	repair_free(&repair);
}

/* A register, a word of a scan or a row of the policy: by the kind of edit. */
void
request_set_value(const struct request_call *call)
{
	struct session *session = call->session;
	const size_t frame = session->stack.frame, length = strcspn(call->text, " ");
	const char *value = call->text + length + strspn(call->text + length, " ");
	struct overlay_edit edit;
	struct error error = { 0 };
	enum error_code code;
	char name[64];

	if (!requests_has_frame(session))
		return;
	const struct walk *walk = session_walk(session);
	if (call->value == OVERLAY_CANDIDATE) {
		code = edit_make_candidate(walk, frame, call->text, &edit, &error);
	} else if (call->value == OVERLAY_POLICY) {
		code = edit_make_policy(walk, call->text, &edit, &error);
	} else if (call->text[length] == '\0' || length >= sizeof(name)) {
		session_fail(session, "a register is set by its name and a hexadecimal number: "
				      "':set-register rsp 7ffe1000'");
		return;
	} else {
		snprintf(name, sizeof(name), "%.*s", (int)length, call->text);
		code = edit_make_register(walk, frame, name, value, &edit, &error);
	}
	add_or_say(session, code, &edit, &error);
}

void
request_method_edit(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit = { .kind = (enum overlay_kind)call->value,
				     .thread = session->stack.thread,
				     .frame = session->stack.frame, .method = METHOD_COUNT };
	const char *name = call->text;
	struct edit_step step;

	if (!requests_has_frame(session))
		return;
	/* The method that is named, or that the cursor is on. */
	const struct row_subject subject = views_subject(session);
	if (name[0] != '\0' && !method_named(name, strlen(name), &edit.method)) {
		session_fail(session, "unknown method '%s'; Tab lists them", name);
		return;
	}
	if (name[0] == '\0' && subject.kind == SUBJECT_METHOD)
		edit.method = subject.method;
	else if (name[0] == '\0' && !step_of(session, &step))
		return;
	else if (name[0] == '\0')
		edit.method = step.method;
	if (edit.method == METHOD_COUNT)
		session_fail(session, "the cursor is not on a method; name one");
	else
		edits_add(session, &edit, 1);
}

void
request_walk_by(const struct request_call *call)
{
	request_method_edit(call);
	if (!call->session->failed)
		session_focus(call->session, LAYOUT_WALKS);
}

/* What the key edits: the thing under the cursor, as an edit with its old text -----------------*/

/* The rule that an event is of; false where it is of none. */
static bool
edit_of_rule(const struct trace *trace, uint32_t event, struct overlay_edit *edit)
{
	const uint32_t rule = rule_of_event(trace, event);

	if (rule == TRACE_NONE)
		return false;
	const struct event *at = &trace->events[rule];
	*edit = (struct overlay_edit){ .kind = OVERLAY_RULE, .name = at->name,
				       .expression = text_of(at->text) };
	return true;
}

static bool
edit_of_event(const struct trace *trace, uint32_t event, struct overlay_edit *edit)
{
	if (event == TRACE_NONE || event >= trace->count)
		return false;
	const struct event *at = &trace->events[event];
	const uint32_t attempt = trace_ancestor(trace, event, EVENT_ATTEMPT);
	if (edit_of_rule(trace, event, edit))
		return true;
	if (at->kind == EVENT_CANDIDATE)
		*edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE, .address = at->address };
	else if (at->kind == EVENT_INPUT && at->reg >= 0)
		*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = at->reg };
	else if (at->kind == EVENT_SET)
		*edit = (struct overlay_edit){ .kind = OVERLAY_RULE, .name = at->name,
					       .expression = text_of("") };
	else if (at->kind == EVENT_RECORD && attempt != TRACE_NONE &&
		 trace_next(trace, attempt, EVENT_RULE) < trace->events[attempt].end)
		return edit_of_rule(trace, trace_next(trace, attempt, EVENT_RULE), edit);
	else if (attempt != TRACE_NONE)
		*edit = (struct overlay_edit){
			.kind = OVERLAY_FORCE,
			.method = (enum method_id)trace->events[attempt].detail };
	else
		return false;
	return true;
}

/* The rule in force whose record stands where a row leads: of a cell, or of a line of the file. */
static bool
edit_of_place(struct session *session, struct overlay_edit *edit)
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
	return edit_of_rule(trace, found, edit);
}

/* The edit that leaves what the selected row stands for as it is. */
static bool
edit_here(struct session *session, const struct row_subject *subject, struct overlay_edit *edit)
{
	const struct overlay *overlay = edits_overlay(session);

	switch (subject->kind) {
	case SUBJECT_EVENT:
		return edit_of_event(&session->step.trace, subject->event, edit);
	case SUBJECT_REGISTER:
		*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = subject->reg };
		return subject->reg >= 0 &&
		       subject->reg < session->step.walk->arch->register_count;
	case SUBJECT_WORD:
		*edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE,
					       .address = subject->address };
		return true;
	case SUBJECT_RECORD:
		return edit_of_place(session, edit);
	case SUBJECT_METHOD:
		*edit = (struct overlay_edit){ .kind = OVERLAY_FORCE, .method = subject->method };
		return subject->method != METHOD_COUNT;
	case SUBJECT_EDIT:
		if (overlay == NULL || subject->edit >= overlay->count)
			return false;
		*edit = overlay->edits[subject->edit];
		return true;
	default:
		return false;
	}
}

/* The command that makes an edit; false where it is too long for a line. */
static bool
write_line(const struct session *session, const struct overlay_edit *edit, char *line, size_t size)
{
	const struct arch *arch = session_walk(session)->arch;
	const struct registers *registers = &session_frame(session)->registers;
	int length;

	switch (edit->kind) {
	case OVERLAY_RECORD:
	case OVERLAY_RULE:
		length = snprintf(line, size, "set-rule %.*s: %.*s", (int)edit->name.length,
				  edit->name.start, (int)edit->expression.length,
				  edit->expression.start);
		break;
	case OVERLAY_REGISTER:
		if (registers_known(registers, edit->reg))
			length = snprintf(line, size, "set-register %s %0*" PRIx64,
					  arch->registers[edit->reg].label,
					  (int)arch->word_size * 2, registers->value[edit->reg]);
		else
			length = snprintf(line, size, "set-register %s ?",
					  arch->registers[edit->reg].label);
		break;
	case OVERLAY_CANDIDATE:
		length = snprintf(line, size, "candidate %" PRIx64, edit->address);
		break;
	case OVERLAY_POLICY:
		length = snprintf(line, size, "policy %s %" PRIu64, policy_table[edit->policy].name,
				  edit->value);
		break;
	default:
		length = snprintf(line, size, "force %s", method_name(edit->method));
		for (char *c = line + strlen("force "); *c != '\0'; c++)
			*c = *c == ' ' ? '-' : *c;
		break;
	}
	return length > 0 && (size_t)length < size;
}

void
request_what_if(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit;
	char line[LINE_SIZE];

	if (!requests_has_frame(session) || !session->has_step)
		return;
	const struct row_subject subject = views_subject(session);
	if (edit_here(session, &subject, &edit) && write_line(session, &edit, line, sizeof(line)))
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
	else
		session_fail(session, "%s", subject.kind == SUBJECT_RECORD
			     ? "no rule of this line is in force in this frame"
			     : "not editable; = edits rules (evidence), words (memory), registers, "
			       "methods");
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

	if (explorer->prompt == PROMPT_COMMAND &&
	    strncmp(line, "predict ", strlen("predict ")) == 0 &&
	    session_blind_ask(session, text, size)) {
		*column = strlen("predict ");
		return true;
	}
	if (explorer->prompt == PROMPT_COMMAND &&
	    strncmp(line, "answer ", strlen("answer ")) == 0 && lesson_pane_how(session) != NULL) {
		*column = strlen("answer ");
		snprintf(text, size, "%s", lesson_pane_how(session));
		return true;
	}
	/* What a rule would give may be what is to be predicted. */
	if (explorer->prompt != PROMPT_COMMAND || session->blind.mode != BLIND_OFF ||
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
