/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/edit_make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "sframe/sframe.h"
#include "walk/step.h"

static const struct frame *
frame_of(const struct edit_step *step)
{
	return &step->walk->frames[step->frame];
}

static uint64_t
relative_of(const struct edit_step *step)
{
	const struct frame *frame = frame_of(step);

	return frame->lookup - step->walk->crash->modules[frame->module].base;
}

/* Names of rules ------------------------------------------------------------------------------*/

bool
edit_spell(const struct arch *arch, struct text name, struct text *spelled)
{
	static const char *const pseudo[] = { ".cfa", ".ra" };

	for (size_t i = 0; i < ARRAY_COUNT(pseudo); i++) {
		*spelled = text_of(pseudo[i]);
		if (text_equal(name, *spelled) || text_equal(name, text_of(pseudo[i] + 1)))
			return true;
	}
	const int reg = arch_register(arch, name, ARCH_NAMES_ALIASES);
	if (reg >= 0)
		*spelled = text_of(arch_spelled(arch, reg));
	return reg >= 0;
}

/* The name in records' spelling; false if it is not a rule's name. */
static bool
spell(const struct edit_step *step, struct text name, struct text *spelled)
{
	*spelled = name;
	return step->method == METHOD_STACK_WIN ? name.length > 0
						: edit_spell(step->walk->arch, name, spelled);
}

enum error_code
edit_parse_rule(const struct edit_step *step, const char *text, struct text *name, size_t *start,
		struct error *error)
{
	const struct place none = { 0 };
	const char *colon = strchr(text, ':');
	size_t skip = strspn(text, " ");

	if (colon == NULL)
		return error_set(error, ERROR_FORMAT, none, "a rule is written NAME: EXPRESSION");
	const struct text given = { text + skip, (size_t)(colon - text) - skip };
	*start = (size_t)(colon - text) + 1 + strspn(colon + 1, " ");
	if (!spell(step, given, name))
		return error_set(error, ERROR_FORMAT, none,
				 "'%.*s' is not a register of %s; rules are for .cfa, .ra and "
				 "registers",
				 (int)(given.length > 40 ? 40 : given.length), given.start,
				 step->walk->arch->name);
	return ERROR_NONE;
}

/* The step before the edit --------------------------------------------------------------------- */

/* Record the step, and find the event of a rule in it, or NULL. The caller frees the trace. */
static const struct event *
rule_event(const struct edit_step *step, struct text name, struct trace *trace)
{
	struct frame caller;
	struct verdict verdict;

	trace_init(trace);
	unwind_step_by(step->walk, step->frame, step->method, trace, &caller, &verdict);
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_RULE &&
		    text_equal(trace->events[i].name, name))
			return &trace->events[i];
	return NULL;
}

/* The expression of a rule that is in force in the step; empty if there is none. */
static struct text
edit_rule_in_force(const struct edit_step *step, struct text name, struct arena *arena)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	struct stack_win record;
	struct trace trace;
	uint32_t size;

	const struct event *event = rule_event(step, name, &trace);
	const char *copy = event != NULL ? arena_copy(arena, event->text, strlen(event->text))
					 : NULL;
	trace_free(&trace);
	/* STACK WIN's fields have names, in addition to the program. */
	if (copy == NULL && step->method == METHOD_STACK_WIN &&
	    step_stack_win(step->walk, symfile, relative_of(step), &record) &&
	    record_edit_win_size(&record, name, &size))
		copy = arena_format(arena, "%" PRIu32, size);
	return text_of(copy != NULL ? copy : "");
}

/* Checking --------------------------------------------------------------------------------------*/

/* Aim at a token; returns its text. */
static struct text
aim_at(const struct program *program, size_t number, struct edit_check *check)
{
	const struct token *token = &program->tokens[number];

	check->start = token->skip;
	check->length = token->length;
	return (struct text){ program->text.start + token->skip, token->length };
}

static void
say_failure(const struct program *program, const struct outcome *outcome, struct edit_check *check)
{
	bool named = outcome->failure == PROGRAM_UNKNOWN_NAME;

	program_explain(program, outcome, check->text, sizeof(check->text));
	check->good = false;
	check->start = program->text.length;
	check->length = 1;
	if (outcome->failure == PROGRAM_LEFTOVER || outcome->failure == PROGRAM_EMPTY ||
	    program->token_count == 0)
		return;
	/* A name fails where it is popped; the mistake is the name itself. */
	for (size_t i = 0; named && i < program->token_count; i++)
		if (text_equal(aim_at(program, i, check), outcome->name))
			return;
	aim_at(program, outcome->token, check);
}

bool
edit_unknown_name(const struct program *program, struct text of, struct edit_check *check)
{
	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];
		const struct text text = aim_at(program, i, check);
		const bool cfa = text_equal(text, text_of(".cfa"));

		if (token->operation != OPERATION_NAME ||
		    program->names[token->name].reg != ARCH_NO_REGISTER ||
		    (cfa && !text_equal(of, text_of(".cfa"))))
			continue;
		snprintf(check->text, sizeof(check->text),
			 "'%.*s' is neither a number nor a register%s",
			 (int)(text.length > 60 ? 60 : text.length), text.start,
			 cfa ? "; .cfa cannot refer to itself" : "");
		return true;
	}
	check->start = check->length = 0;
	return false;
}

static void
run_expression(const struct edit_step *step, struct text name, const struct program *program,
	       struct edit_check *check)
{
	const struct environment environment = step_environment(step->walk);
	const struct rule rule = { .name = name, .program = program };
	const int digits = (int)step->walk->arch->word_size * 2;
	struct variable cfa = { .from = TRACE_NONE };
	struct outcome outcome;
	struct trace trace;

	if (!text_equal(name, text_of(".cfa"))) {
		const struct event *event = rule_event(step, text_of(".cfa"), &trace);

		cfa.known = event != NULL && event->status == EVENT_OK;
		cfa.value = cfa.known ? event->value : 0;
		trace_free(&trace);
	}
	check->good = rule_evaluate(&rule, &environment, &frame_of(step)->registers, NULL, &cfa,
				    &outcome, NULL, TRACE_NONE);
	check->value = outcome.value;
	if (check->good)
		snprintf(check->text, sizeof(check->text), "= %0*" PRIx64, digits, check->value);
	else
		say_failure(program, &outcome, check);
}

/* A program of STACK WIN is not run: its reads depend on its own assignments. */
static void
check_program(const struct program *program, struct edit_check *check)
{
	size_t depth = 0;

	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];
		const size_t takes = token->operation == OPERATION_READ	    ? 1
				     : token->operation <= OPERATION_NAME ? 0
									    : 2;

		if (depth < takes) {
			const struct outcome outcome = { .failure = PROGRAM_UNDERFLOW, .token = i };

			say_failure(program, &outcome, check);
			return;
		}
		depth -= takes;
		depth += token->operation != OPERATION_ASSIGN;
	}
	check->good = depth == 0 && program->token_count > 0;
	check->start = program->text.length;
	snprintf(check->text, sizeof(check->text), "%s",
		 check->good  ? "a program that can be run"
		 : depth == 0 ? "the program is empty"
			      : "values are left on the stack at the end");
}

void
edit_check_rule(const struct edit_step *step, struct text name, struct text expression,
		struct edit_check *check)
{
	const bool win = step->method == METHOD_STACK_WIN;
	struct arena arena = { 0 };

	*check = (struct edit_check){ .good = true };
	if (win && !text_equal(name, text_of("program")))
		return;
	const bool aliases = step->walk->policy.value[POLICY_REGISTER_ALIASES] != 0;
	const struct program *program =
		program_compile(&arena, step->walk->arch,
				aliases ? ARCH_NAMES_ALIASES : ARCH_NAMES_EXACT, expression,
				(struct place){ 0 });
	if (program == NULL || program->too_long) {
		check->good = false;
		snprintf(check->text, sizeof(check->text), "the expression is too long");
	} else if (win) {
		check_program(program, check);
	} else if (expression.length > 0) {
		check->good = !edit_unknown_name(program, name, check);
		if (check->good)
			run_expression(step, name, program, check);
	} else {
		check->good = false;
		snprintf(check->text, sizeof(check->text),
			 "expression missing; ':drop-rule' removes a rule");
	}
	arena_free(&arena);
}

/* Making edits ----------------------------------------------------------------------------------*/

/* Replace a line; `now` is NULL if it would have no rules. */
static enum error_code
finish_record(const char *now, struct overlay_edit *edit, struct error *error)
{
	if (now == NULL)
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "the record would have no rules left");
	edit->kind = OVERLAY_RECORD;
	edit->record.now = text_of(now);
	return ERROR_NONE;
}

static enum error_code
make_cfi(const struct edit_step *step, struct arena *arena, struct overlay_edit *edit,
	 struct error *error)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	struct stack_cfi init, *deltas;
	struct rule_span span;
	size_t count;

	if (symfile == NULL ||
	    !symfile_stack_cfi(symfile, &step->walk->symbols_policy, relative_of(step), arena,
			       &init, &deltas, &count))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no STACK CFI record covers frame %zu", step->frame);
	/* The records in force, the INIT record first; the last that has the rule is edited. */
	const struct stack_cfi *last = count > 0 ? &deltas[count - 1] : &init, *record = NULL;
	for (size_t at = count + 1; at > 0 && record == NULL; at--) {
		const struct stack_cfi *one = at > 1 ? &deltas[at - 2] : &init;

		if (rule_span_find(one->rules, edit->name, &span))
			record = one;
	}
	if (record == NULL && edit->expression.length == 0)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no record in force has a rule for %.*s",
				 (int)edit->name.length, edit->name.start);
	if (record == NULL)
		record = last;
	const struct text line = stack_cfi_line(record);
	const char *now = record_edit_rule(arena, line, edit->name, edit->expression);
	if (!record_edit_at(symfile, record->offset, &edit->record))
		return error_memory(error);
	const struct text all = edit->record.now;
	const size_t start = (size_t)(line.start - all.start), end = start + line.length;
	/* The line may be one of several that an edit has made. */
	if (now != NULL && line.start >= all.start && end <= all.length)
		now = arena_format(arena, "%.*s%s%.*s", (int)start, all.start, now,
				   (int)(all.length - end), all.start + end);
	return finish_record(now, edit, error);
}

static enum error_code
make_win(const struct edit_step *step, struct arena *arena, struct overlay_edit *edit,
	 struct error *error)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	const char *problem = OUT_OF_MEMORY;
	struct stack_win record;

	if (!step_stack_win(step->walk, symfile, relative_of(step), &record))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no STACK WIN record covers frame %zu", step->frame);
	const char *now = !record_edit_at(symfile, record.offset, &edit->record)
				  ? NULL
				  : record_edit_win(arena, edit->record.now, edit->name,
						    edit->expression, &problem);
	if (now == NULL)
		return error_set(error, ERROR_FORMAT,
				 symfile_place(symfile, record.offset, record.length), "%s",
				 problem);
	return finish_record(now, edit, error);
}

enum error_code
edit_make_rule(const struct edit_step *step, struct text name, struct text expression,
	       struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	struct sframe_function function;
	struct sframe_row row;
	const char *problem;

	*edit = (struct overlay_edit){ .kind = OVERLAY_RULE, .thread = step->walk->thread,
				       .frame = step->frame, .method = step->method,
				       .name = name, .expression = expression };
	edit->was = edit_rule_in_force(step, name, arena);
	if (step->method == METHOD_STACK_CFI)
		return make_cfi(step, arena, edit, error);
	if (step->method == METHOD_STACK_WIN)
		return make_win(step, arena, edit, error);
	if (step->method == METHOD_SFRAME) {
		const struct frame *frame = frame_of(step);

		if (sframe_lookup(walk_sframe(step->walk, frame->module), frame->lookup,
				  &function, &row, &problem) != SFRAME_ROW)
			return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
					 "no SFrame row covers frame %zu", step->frame);
		edit->row_input = row.place.input != NULL ? row.place.input->name : NULL;
		edit->row_offset = row.place.offset;
		return ERROR_NONE;
	}
	if (edit->was.length == 0 && expression.length == 0)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "the %s has no rule for %.*s here", method_name(step->method),
				 (int)name.length, name.start);
	return ERROR_NONE;
}
