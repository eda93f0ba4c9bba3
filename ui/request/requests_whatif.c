/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "base/output.h"
#include "base/policy_rows.h"
#include "repair/repair.h"
#include "ui/view/view.h"
#include "walk/edit_command.h"
#include "walk/frame_rules.h"
#include "walk/location.h"

/* Edits of rules, records, registers, methods, words of scans and the policy. */

bool
requests_has_frame(struct session *session)
{
	if (session_frame(session) != NULL)
		return true;
	session_fail(session, "%s", views_why_nothing(session));
	return false;
}

/*
 * The step whose rules are edited, with the method under the cursor (METHOD_COUNT: none). The
 * session must have a frame.
 */
static struct edit_step
step_here(const struct session *session)
{
	const bool stepped = session->step.exists && !session->step.of_variable;
	const uint32_t attempt = stepped ? step_view_attempt(&session->step.view) : TRACE_NONE;

	return (struct edit_step){
		.walk = session_walk(session), .frame = session->look.stack.frame,
		.method = attempt == TRACE_NONE
			? METHOD_COUNT
			: (enum method_id)session->step.view.trace.events[attempt].detail };
}

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

/* Put the cursor on an edited rule, if the walk has reached it. Other edits have no name. */
static void
select_rule(struct session *session, const struct edit_step *step, struct text name)
{
	const struct trace *trace = &session->step.view.trace;

	for (uint32_t i = 0; session->step.exists && i < trace->count; i++) {
		const uint32_t attempt = trace_ancestor(trace, i, EVENT_ATTEMPT);

		if (trace->events[i].kind == EVENT_RULE && attempt != TRACE_NONE &&
		    trace->events[attempt].detail == (unsigned)step->method &&
		    text_equal(trace->events[i].name, name)) {
			session_select_event(session, i);
			return;
		}
	}
}

/* The argument for a command typed without one, from the selected row; NULL: none. */
static const char *
argument_here(struct session *session, enum edit_command command, struct arena *arena)
{
	const struct row_subject subject = views_subject(session);
	const enum method_id method = subject.kind == SUBJECT_METHOD ? subject.method
								     : step_here(session).method;
	const struct trace *trace = &session->step.view.trace;
	const uint32_t rule = session->step.exists ? rule_of_event(trace, session->step.view.cursor)
						   : TRACE_NONE;
	struct place place;
	char name[64];

	if (command == EDIT_DROP_RULE && rule != TRACE_NONE)
		return arena_format(arena, "%.*s", (int)trace->events[rule].name.length,
				    trace->events[rule].name.start);
	if (command == EDIT_DROP_RECORD && views_symbol_place(session, &place) != NULL)
		return arena_format(arena, "%s:%" PRIu32, place_base_name(place.input->name),
				    place.line);
	if ((command == EDIT_FORCE || command == EDIT_FORBID) && method != METHOD_COUNT)
		return arena_format(arena, "%s", method_option(method, name, sizeof(name)));
	return NULL;
}

/* Show the settings of the walk's policy that differ from unspool's. */
static void
show_policy(struct session *session, const struct policy *policy)
{
	struct arena arena = { 0 };
	struct output_string settings;

	output_string_init(&settings, &arena);
	for (unsigned row = 0; row < POLICY_COUNT; row++)
		if (policy->value[row] != policy_table[row].column[POLICY_UNSPOOL])
			output_format(&settings.output, " %s=%s;", policy_table[row].name,
				      policy_say((enum policy_row)row, policy->value[row]).text);
	session_say(session, "the policy is unspool's%s%s 'unspool policy' lists its rows, "
		    "':policy NAME=VALUE' changes one",
		    settings.length > 0 ? " with" : ";", text_or_empty(settings.text));
	arena_free(&arena);
}

void
request_make_edit(const struct request_call *call)
{
	struct session *session = call->session;
	const enum edit_command command = (enum edit_command)call->value;
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };

	if (!requests_has_frame(session))
		return;
	if (command == EDIT_POLICY && call->text[0] == '\0') {
		show_policy(session, &session_walk(session)->policy);
		return;
	}
	const struct edit_step step = step_here(session);
	const char *here = argument_here(session, command, &arena);
	const char *text = call->text[0] == '\0' && here != NULL ? here : call->text;
	const bool of_rule = command == EDIT_SET_RULE || command == EDIT_DROP_RULE;
	const enum error_code code =
		session->step.of_variable && of_rule
			? error_plain(&error, ERROR_FORMAT,
				      "the location of a variable is not edited")
			: edit_command_make(&step, command, text, &arena, &edit, &error);
	if (code == ERROR_NONE) {
		edits_add(session, &edit, 1);
		select_rule(session, &step, edit.name);
	} else {
		session_fail(session, "%s", error.text);
	}
	arena_free(&arena);
}

void
request_walk_by(const struct request_call *call)
{
	request_make_edit(call);
	if (!call->session->failed)
		session_focus(call->session, LAYOUT_WALKS);
}

/* Records proposed by the frame table or the code ---------------------------------------------- */

struct proposal {
	struct rule_module module;
	struct repair repair;		/* freed by repair_free */
	struct error error;
};

/*
 * Propose edits that make the symbol file's records agree with the frame table or the code. `text`
 * is an address of the process in hexadecimal; empty: the selected frame's address.
 */
static enum error_code
propose(const struct session *session, const char *text, struct proposal *proposal)
{
	const struct walk *walk = session_walk(session);
	const struct module_map *modules = &session->look.addresses.around.modules;
	uint64_t address = session_frame(session)->lookup;
	struct error *error = &proposal->error;

	*proposal = (struct proposal){ 0 };
	if (text[0] != '\0' && !text_number(text_of(text), 16, &address))
		return error_plain(error, ERROR_FORMAT, "'%.40s' is not a hexadecimal address",
				   text);
	const int module = text[0] != '\0' ? module_map_find(modules, address)
					   : session_frame(session)->module;
	proposal->module = frame_rules_module(walk, module);
	if (proposal->module.symfile == NULL)
		return error_plain(error, ERROR_NOT_FOUND, "the module has no symbol file to edit");
	/* Repair the symbol file as it is without edits. */
	proposal->module.symfile = symfile_unedited(proposal->module.symfile);
	proposal->repair = (struct repair){
		.module = &proposal->module, .crash = session->open.crash,
		.windows = session->open.crash->system.os == CRASH_OS_WINDOWS };
	const enum error_code code = repair_row(
		&proposal->repair, address - session->open.crash->modules[module].base, error);
	return code != ERROR_NONE || proposal->repair.edits.count > 0
		       ? code
		       : error_plain(error, ERROR_NOT_FOUND,
				     "the symbol file has these rules already");
}

void
request_take_row(const struct request_call *call)
{
	struct session *session = call->session;
	struct proposal proposal;

	if (!requests_has_frame(session))
		return;
	enum error_code code = propose(session, call->text, &proposal);
	const struct record_edits *records = &proposal.repair.edits;
	struct overlay_edit *edits =
		arena_array(&proposal.repair.arena, records->count + 1, sizeof(*edits));
	if (code == ERROR_NONE && edits == NULL)
		code = error_memory(&proposal.error);
	for (size_t i = 0; code == ERROR_NONE && i < records->count; i++)
		edits[i] = (struct overlay_edit){ .kind = OVERLAY_RECORD,
						  .thread = session->look.stack.thread,
						  .frame = session->look.stack.frame,
						  .method = METHOD_COUNT,
						  .record = records->edits[i] };
	if (code == ERROR_NONE)
		edits_add(session, edits, records->count);
	else
		session_fail(session, "%s", proposal.error.text);
	repair_free(&proposal.repair);
}

/*
 * The command of an edit that removes the contradiction on the selected row. The edit belongs to
 * the current step or to the step that found the frame. NULL: the row has no contradiction, or
 * records cannot help.
 */
static const char *
proposal_here(struct session *session, const struct row_subject *subject, struct arena *arena)
{
	const struct trace *trace = &session->step.view.trace;
	struct walk *walk = session_walk(session);
	size_t frame = session->look.stack.frame;
	struct proposal proposal;

	if (subject->kind == SUBJECT_EVENT) {
		if (subject->event >= trace->count ||
		    trace->events[subject->event].kind != EVENT_CHECK ||
		    trace->events[subject->event].status != EVENT_NOTE)
			return NULL;
	} else if (session->look.choice.focus != LAYOUT_STACK || frame-- == 0 ||
		   frame_contradicted(walk, frame + 1, arena, NULL) == NULL) {
		return NULL;
	}
	const char *command = arena_format(arena, "take-row %" PRIx64, walk->frames[frame].lookup);
	if (command == NULL)
		return NULL;
	const enum error_code code =
		propose(session, command + strlen("take-row "), &proposal);
	repair_free(&proposal.repair);
	return code == ERROR_NONE ? command : NULL;
}

/* The key for an edit: the thing under the cursor, as an edit with its old text ---------------- */

/* Store an edit of the rule of an event; false if the event has no rule. */
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

/* The record of the selected row's value; in the stack view the record of the call. */
static bool
record_here(struct session *session, struct place *place, struct record_edit *record)
{
	const struct symfile *symfile = views_symbol_place(session, place);
	const struct frame *frame = session_frame(session);
	struct location location;
	struct arena arena = { 0 };

	if (symfile == NULL && session->look.choice.focus == LAYOUT_STACK) {
		location_of(session_walk(session), frame->lookup, &arena, &location);
		const struct call *call = &location.calls[session->look.call < location.call_count
								  ? session->look.call : 0];
		*place = call->inlined == NULL
				 ? symbol_at_place(location.symfile, location.symbol.own_file,
						   location.symbol.function.offset, 0)
				 : symbol_at_place(location.symfile, call->inlined->own_file,
						   call->inlined->offset, 0);
		symfile = location.symbol.found ? views_symfile(session, place->input) : NULL;
		arena_free(&arena);
	}
	if (symfile == NULL)
		return false;
	const struct edit_step step = step_here(session);
	char name[256];
	const char *text = name;

	snprintf(name, sizeof(name), "%s:%" PRIu32, place_base_name(place->input->name),
		 place->line);
	return edit_take_record(&step, &text, record);
}

/* The rule that comes from the record at a place, or TRACE_NONE. */
static uint32_t
rule_at(const struct trace *trace, const struct place *place)
{
	uint32_t found = TRACE_NONE;

	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *at = &trace->events[i];

		if (at->kind == EVENT_RULE && at->place.input == place->input &&
		    at->place.line == place->line &&
		    (found == TRACE_NONE || at->place.offset == place->offset))
			found = i;
	}
	return found;
}

/* The edit that gives the subject of the selected row its present value. */
static bool
edit_here(struct session *session, const struct row_subject *subject, struct overlay_edit *edit)
{
	const struct overlay *overlay = edits_overlay(session);
	const struct trace *trace = &session->step.view.trace;
	struct place place;

	switch (subject->kind) {
	case SUBJECT_EVENT:
		return edit_of_event(trace, subject->event, edit);
	case SUBJECT_REGISTER:
		*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .reg = subject->reg };
		return subject->reg >= 0 &&
		       subject->reg < session->step.view.walk->arch->register_count;
	case SUBJECT_WORD:
		*edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE,
					       .address = subject->address };
		return true;
	case SUBJECT_METHOD:
		*edit = (struct overlay_edit){ .kind = OVERLAY_FORCE, .method = subject->method };
		return subject->method != METHOD_COUNT;
	case SUBJECT_EDIT:
		/* The row of a view without edits has no edit either. */
		if (overlay == NULL)
			return false;
		*edit = overlay->edits[subject->edit];
		if (edit->name.length > 0)
			edit->kind = OVERLAY_RULE;
		return true;
	default:
		*edit = (struct overlay_edit){ .kind = OVERLAY_RECORD };
		return record_here(session, &place, &edit->record) &&
		       (edit_of_rule(trace, rule_at(trace, &place), edit) || true);
	}
}

/* The command of an edit, for the user to change. NULL: the edit has several lines. */
static const char *
command_of(const struct session *session, struct overlay_edit *edit, struct arena *arena)
{
	const struct registers *registers = &session_frame(session)->registers;
	const struct text lines = edit->record.now;
	struct output_string string;

	if (edit->kind == OVERLAY_RECORD && memchr(lines.start, '\n', lines.length) != NULL)
		return NULL;
	if (edit->kind == OVERLAY_RULE && edit->expression.length == 0)
		return arena_format(arena, "set-rule %.*s: ", (int)edit->name.length,
				    edit->name.start);
	if (edit->kind == OVERLAY_REGISTER) {
		edit->known = registers_known(registers, edit->reg);
		edit->value = registers->value[edit->reg];
	}
	output_string_init(&string, arena);
	edit_command_write(edit, session_walk(session)->arch, &string.output);
	return string.text;
}

void
request_what_if(const struct request_call *call)
{
	struct session *session = call->session;
	struct overlay_edit edit;
	struct arena arena = { 0 };

	if (!requests_has_frame(session) || !session->step.exists)
		return;
	const struct row_subject subject = views_subject(session);
	const char *line = proposal_here(session, &subject, &arena);
	if (line == NULL && edit_here(session, &subject, &edit))
		line = command_of(session, &edit, &arena);
	if (line != NULL)
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
	else
		session_fail(session, "not editable; = edits rules (evidence), words (memory), "
				      "registers, methods, records of symbol files");
	arena_free(&arena);
}

/* While an edit is typed: its result, or its wrong token --------------------------------------- */

/* The value of a rule that is being typed, or its error; false: no text. */
static bool
check_rule(const struct edit_step *step, const char *arguments, size_t *column, char *text,
	   size_t size)
{
	struct edit_check check;
	struct error error = { 0 };
	struct text name;
	size_t start;

	if (step->method == METHOD_COUNT)
		return false;
	if (edit_parse_rule(step, arguments, &name, &start, &error) != ERROR_NONE) {
		snprintf(text, size, "^ %s", error.text);
		return true;
	}
	edit_check_rule(step, name, text_of(arguments + start), &check);
	*column += start + check.start;
	snprintf(text, size, "%s%s", check.good ? "" : "^ ", check.text);
	return check.text[0] != '\0';
}

/* Write the error in a typed record; false if the record is valid. */
static bool
check_record(const struct edit_step *step, const char *arguments, size_t *column, char *text,
	     size_t size)
{
	struct overlay_edit edit;
	struct error error = { 0 };
	struct arena arena = { 0 };
	const char *rest = arguments;

	const bool named = edit_take_record(step, &rest, &edit.record);
	*column += named ? (size_t)(rest - arguments) : 0;
	const bool good = edit_command_make(step, EDIT_SET_RECORD, arguments, &arena, &edit,
					    &error) == ERROR_NONE;
	snprintf(text, size, "%s%s", good ? "" : "^ ", error.text);
	arena_free(&arena);
	return !good;
}

/* The first record of a proposal, before it is accepted. */
static bool
check_proposal(const struct session *session, const char *arguments, char *text, size_t size)
{
	struct proposal proposal;

	if (propose(session, arguments, &proposal) == ERROR_NONE) {
		const struct overlay_edit edit = { .kind = OVERLAY_RECORD,
						   .record = proposal.repair.edits.edits[0] };

		overlay_describe(&edit, session_walk(session)->arch, text, size);
	} else {
		snprintf(text, size, "^ %s", proposal.error.text);
	}
	repair_free(&proposal.repair);
	return true;
}

bool
requests_check(const struct explorer *explorer, const char *line, size_t *column, char *text,
	       size_t size)
{
	const struct session *session = &explorer->session;
	const size_t length = strcspn(line, " ");
	const struct text word = { line, length };
	const char *arguments = line + length + (line[length] == ' ');

	*column = (size_t)(arguments - line);
	if (explorer->prompt.kind != PROMPT_COMMAND)
		return false;
	if (arguments > line + length && text_is(word, "predict") &&
	    session_blind_ask(session, text, size))
		return true;
	if (arguments > line + length && text_is(word, "answer") &&
	    lesson_pane_how(session) != NULL) {
		snprintf(text, size, "%s", lesson_pane_how(session));
		return true;
	}
	/* The result of an edit may be the hidden answer. */
	if (session->blind != BLIND_OFF || session_frame(session) == NULL)
		return false;
	if (text_is(word, "take-row"))
		return check_proposal(session, arguments, text, size);
	if (arguments == line + length)
		return false;
	const struct edit_step step = step_here(session);
	switch (edit_command_named(word)) {
	case EDIT_SET_RULE:
		return check_rule(&step, arguments, column, text, size);
	case EDIT_SET_RECORD:
	case EDIT_ADD_RECORD:
		return check_record(&step, arguments, column, text, size);
	default:
		return false;
	}
}
