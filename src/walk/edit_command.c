/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/edit_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sframe/sframe.h"
#include "symbols/records.h"
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

/* Spell a register, `.cfa` or `.ra` as records do (`rip` -> `$rip`); false: no such name. */
static bool
edit_spell(const struct arch *arch, struct text name, struct text *spelled)
{
	static const char *const pseudo[] = { ".cfa", ".ra" };

	for (size_t i = 0; i < ARRAY_COUNT(pseudo); i++) {
		*spelled = text_of(pseudo[i]);
		if (text_equal(name, *spelled) || text_is(name, pseudo[i] + 1))
			return true;
	}
	const int reg = arch_register(arch, name, ARCH_NAMES_ALIASES);
	if (reg >= 0)
		*spelled = text_of(arch_spelled(arch, reg));
	return reg >= 0;
}

enum error_code
edit_parse_rule(const struct edit_step *step, const char *text, struct text *name, size_t *start,
		struct error *error)
{
	const char *colon = strchr(text, ':');
	size_t skip = strspn(text, " ");

	if (colon == NULL)
		return error_plain(error, ERROR_FORMAT, "a rule is written NAME: EXPRESSION");
	const struct text given = { text + skip, (size_t)(colon - text) - skip };
	*start = (size_t)(colon - text) + 1 + strspn(colon + 1, " ");
	*name = given;
	if (step->method == METHOD_STACK_WIN ? given.length == 0
					     : !edit_spell(step->walk->arch, given, name))
		return error_plain(error, ERROR_FORMAT,
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

/* The expression of the rule `name` that the step uses; empty if the step has no such rule. */
static struct text
edit_rule_in_force(const struct edit_step *step, struct text name, struct arena *arena)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	struct stack_win record;
	struct trace trace;
	uint32_t size;

	const struct event *event = rule_event(step, name, &trace);
	const char *copy = event != NULL ? arena_string(arena, event->text) : NULL;
	trace_free(&trace);
	/* The name may also be that of a field of a STACK WIN record. */
	if (copy == NULL && step->method == METHOD_STACK_WIN &&
	    step_stack_win(step->walk, symfile, relative_of(step), &record) &&
	    record_edit_win_size(&record, name, &size))
		copy = arena_format(arena, "%" PRIu32, size);
	return text_of(copy != NULL ? copy : "");
}

/* Checking --------------------------------------------------------------------------------------*/

/* Set the position of the mistake to a token; returns the token's text. */
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
	/* An unknown name fails when it is popped, but the mistake is the name itself. */
	for (size_t i = 0; named && i < program->token_count; i++)
		if (text_equal(aim_at(program, i, check), outcome->name))
			return;
	aim_at(program, outcome->token, check);
}

/* Whether the program of the rule `of` uses a name that never gets a value; sets `check`. */
static bool
edit_unknown_name(const struct program *program, struct text of, struct edit_check *check)
{
	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];
		const struct text text = aim_at(program, i, check);
		const bool cfa = text_is(text, ".cfa");

		if (token->operation != OPERATION_NAME ||
		    program->names[token->name].reg != ARCH_NO_REGISTER ||
		    (cfa && !text_is(of, ".cfa")))
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

	if (!text_is(name, ".cfa")) {
		const struct event *event = rule_event(step, text_of(".cfa"), &trace);

		cfa.known = event != NULL && event->status == EVENT_OK;
		cfa.value = cfa.known ? event->value : 0;
		trace_free(&trace);
	}
	check->good = rule_evaluate(&rule, &environment, &frame_of(step)->registers, NULL, &cfa,
				    &outcome);
	check->value = outcome.value;
	snprintf(check->text, sizeof(check->text), "= %0*" PRIx64, digits, check->value);
	if (!check->good)
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
	if (win && !text_is(name, "program"))
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

/* Finish an edit that replaces a line by `now`; fails if `now` is NULL (no rules would be left). */
static enum error_code
finish_record(const char *now, struct overlay_edit *edit, struct error *error)
{
	if (now == NULL)
		return error_plain(error, ERROR_FORMAT, "the record would have no rules left");
	edit->kind = OVERLAY_RECORD;
	edit->record.now = text_of(now);
	return ERROR_NONE;
}

static enum error_code
make_cfi(const struct edit_step *step, struct arena *arena, struct overlay_edit *edit,
	 struct error *error)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	struct stack_cfi_records records;
	struct rule_span span;

	if (symfile == NULL ||
	    !symfile_stack_cfi(symfile, &step->walk->policy, relative_of(step), arena, &records))
		return error_plain(error, ERROR_NOT_FOUND, "no STACK CFI record covers frame %zu",
				   step->frame);
	/*
	 * Searches the records in force, the INIT record first; the last record with the rule is
	 * edited.
	 */
	const size_t count = records.delta_count;
	const struct stack_cfi *last = count > 0 ? &records.deltas[count - 1] : &records.init;
	const struct stack_cfi *record = NULL;
	for (size_t at = count + 1; at > 0 && record == NULL; at--) {
		const struct stack_cfi *one = at > 1 ? &records.deltas[at - 2] : &records.init;

		if (rule_span_find(one->rules, edit->name, &span))
			record = one;
	}
	if (record == NULL && edit->expression.length == 0)
		return error_plain(error, ERROR_NOT_FOUND, "no record in force has a rule for %.*s",
				   (int)edit->name.length, edit->name.start);
	if (record == NULL)
		record = last;
	const struct text line = stack_cfi_line(record);
	const char *now = record_edit_rule(arena, line, edit->name, edit->expression);
	if (!record_edit_at(symfile, record->offset, &edit->record))
		return error_memory(error);
	const struct text all = edit->record.now;
	const size_t start = (size_t)(line.start - all.start), end = start + line.length;
	/* The line may be one of several that an earlier edit made of a record. */
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
		return error_plain(error, ERROR_NOT_FOUND, "no STACK WIN record covers frame %zu",
				   step->frame);
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
			return error_plain(error, ERROR_NOT_FOUND, "no SFrame row covers frame %zu",
					   step->frame);
		edit->row_input = row.place.input != NULL ? row.place.input->name : NULL;
		edit->row_offset = row.place.offset;
		return ERROR_NONE;
	}
	if (edit->was.length == 0 && expression.length == 0)
		return error_plain(error, ERROR_NOT_FOUND, "the %s has no rule for %.*s here",
				   method_name(step->method), (int)name.length, name.start);
	return ERROR_NONE;
}

/* Commands of rules ---------------------------------------------------------------------------- */

struct edit_making {
	enum edit_command command;
	const struct edit_step *step;
	struct arena *arena;
	struct overlay_edit *edit;
	struct error *error;
};

static enum error_code
edit_refuse(const struct edit_making *making, const char *format, const char *word)
{
	return error_plain(making->error, ERROR_FORMAT, format, word);
}

static enum error_code
edit_rule(const struct edit_making *making, const char *text)
{
	const bool drop = making->command == EDIT_DROP_RULE;
	const char *rule = drop ? arena_format(making->arena, "%s:", text) : text;
	struct text name;
	size_t start;

	if (making->step->method == METHOD_COUNT)
		return edit_refuse(making, "%s", "no method was tried in this step");
	if (rule == NULL)
		return error_memory(making->error);
	const enum error_code code =
		edit_parse_rule(making->step, rule, &name, &start, making->error);
	if (code != ERROR_NONE)
		return code;
	const struct text expression = text_trimmed(text_of(rule + start));
	const char *kept = arena_format(making->arena, "%.*s", (int)name.length, name.start);
	if (kept == NULL)
		return error_memory(making->error);
	if (!drop && expression.length == 0)
		return edit_refuse(making,
				   "expression missing; ':drop-rule %.40s' removes the rule", kept);
	return edit_make_rule(making->step, text_of(kept), expression, making->arena, making->edit,
			      making->error);
}

/* Records ---------------------------------------------------------------------------------------*/

/* The loaded symbol file with a base name, with the edits of the walk. */
static const struct symfile *
edit_symfile(const struct edit_step *step, struct text name)
{
	const struct walk *walk = step->walk;

	if (text_is(name, "sym"))
		return walk_symfile(walk, walk->frames[step->frame].module);
	for (size_t i = 0; i < walk->crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(walk->symbols, i, NULL);

		if (symfile != NULL &&
		    text_is(name, place_base_name(symfile_file(symfile)->input.name)))
			return walk_symfile(walk, (int)i);
	}
	return NULL;
}

bool
edit_take_record(const struct edit_step *step, const char **arguments, struct record_edit *edit)
{
	const char *start = *arguments + strspn(*arguments, " ");
	const size_t length = strcspn(start, " ");
	const char *colon = memrchr(start, ':', length);
	uint64_t line, offset;

	*arguments = start + length + strspn(start + length, " ");
	if (colon == NULL ||
	    !text_number((struct text){ colon + 1, (size_t)(start + length - (colon + 1)) }, 10,
			 &line) ||
	    line > UINT32_MAX)
		return false;
	const struct symfile *symfile =
		edit_symfile(step, (struct text){ start, (size_t)(colon - start) });
	return symfile != NULL && symfile_line_offset(symfile, (uint32_t)line, &offset) &&
	       record_edit_at(symfile, offset, edit);
}

/* Check that the rules of a STACK CFI record are rules of the processor's registers. */
static enum error_code
check_rules(const struct edit_making *making, struct text rules)
{
	const struct walk *walk = making->step->walk;
	const struct rule_set *set = rule_set_of_record(making->arena, walk->arch,
							rule_set_names(&walk->policy), rules);
	struct edit_check check;

	if (set == NULL)
		return error_plain(making->error, ERROR_FORMAT,
				   "rules are written '.cfa: $%s 16 + $%s: .cfa -16 + ^'",
				   walk->arch->registers[walk->arch->sp].label,
				   walk->arch->registers[walk->arch->fp].label);
	for (size_t i = 0; i < set->count; i++) {
		const struct rule *rule = &set->rules[i];

		if (!edit_spell(walk->arch, rule->name, &(struct text){ 0 }))
			return error_plain(making->error, ERROR_FORMAT,
					   "'%.*s' is not a register of %s",
					   (int)(rule->name.length > 40 ? 40 : rule->name.length),
					   rule->name.start, walk->arch->name);
		if (edit_unknown_name(rule->program, rule->name, &check))
			return edit_refuse(making, "%s", check.text);
	}
	return ERROR_NONE;
}

/* Check that a line is a record that the walk can read. */
static enum error_code
check_record(const struct edit_making *making, struct text line)
{
	static const char any[] = "a line record is written '%s'; other records begin with FUNC, "
				  "PUBLIC, FILE, INLINE or STACK";
	const enum symbol_record_kind kind = record_kind(line);
	struct symbol_record record;
	struct stack_cfi cfi;

	if (line.length == 0)
		return edit_refuse(making, "%s",
				   "the record is missing; ':drop-record' takes one out");
	if ((kind == SYMBOL_LINE && !record_may_be_line(line)) || !record_read(kind, line, &record))
		return edit_refuse(making,
				   kind == SYMBOL_LINE ? any : "the record is written '%s'",
				   record_forms[kind].text);
	return record_stack_cfi(line, false, &cfi) ? check_rules(making, cfi.rules) : ERROR_NONE;
}

/* Parse FILE:LINE and a record; without a record, the line's record is removed. */
static enum error_code
edit_record(const struct edit_making *making, const char *text)
{
	const struct edit_step *step = making->step;
	struct record_edit edit;
	const char *rest = text;

	if (!edit_take_record(step, &rest, &edit))
		return edit_refuse(making, "'%.60s' names no line of a loaded symbol file; "
					   "a record is named FILE:LINE", text);
	const struct text line = text_trimmed(text_of(rest));
	const bool keep = making->command == EDIT_ADD_RECORD && edit.now.length > 0;
	const enum error_code code =
		making->command != EDIT_DROP_RECORD
			? check_record(making, line)
		: line.length > 0 ? edit_refuse(making, "'%.60s': FILE:LINE is enough", text)
				  : ERROR_NONE;
	if (code != ERROR_NONE)
		return code;
	const char *now = arena_format(making->arena, "%.*s%s%.*s", keep ? (int)edit.now.length : 0,
				       edit.now.start, keep ? "\n" : "", (int)line.length,
				       line.start);
	if (now == NULL)
		return error_memory(making->error);
	edit.now = text_of(now);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_RECORD,
					       .thread = step->walk->thread,
					       .frame = step->frame, .method = METHOD_COUNT,
					       .record = edit };
	return ERROR_NONE;
}

/* Frames and the policy -------------------------------------------------------------------------*/

static enum error_code
edit_set_register(const struct edit_making *making, const char *text)
{
	const struct edit_step *step = making->step;
	const struct arch *arch = step->walk->arch;
	const struct registers *registers = &step->walk->frames[step->frame].registers;
	const size_t length = strcspn(text, " ");
	const char *value = text + length + strspn(text + length, " ");
	const int reg = arch_register(arch, (struct text){ text, length }, ARCH_NAMES_ALIASES);
	struct overlay_edit *edit = making->edit;

	if (*value == '\0')
		return edit_refuse(making, "%s", "a register is set by its name and a hexadecimal "
						 "number: ':set-register rsp 7ffe1000'");
	if (reg < 0)
		return error_plain(making->error, ERROR_FORMAT, "%s has no register '%.*s'",
				   arch->name, (int)(length > 40 ? 40 : length), text);
	*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .thread = step->walk->thread,
				       .frame = step->frame, .reg = reg,
				       .known = strcmp(value, "?") != 0,
				       .was_known = registers_known(registers, reg) };
	edit->old = edit->was_known ? registers->value[reg] : 0;
	if (edit->known && !text_number(text_of(value), 16, &edit->value))
		return edit_refuse(making, "'%.40s' is not a hexadecimal number; '?' makes a "
					   "register unknown", value);
	if (!edit->known && (reg == arch->pc || reg == arch->sp))
		return edit_refuse(making, "a frame must have its %s", arch->registers[reg].label);
	edit->value = arch_wrap_register(arch, edit->value);
	return ERROR_NONE;
}

static enum error_code
edit_candidate(const struct edit_making *making, const char *text)
{
	const struct walk *walk = making->step->walk;
	const size_t frame = making->step->frame;
	const unsigned word = walk->arch->word_size;
	const uint64_t sp = walk->frames[frame].registers.value[walk->arch->sp];
	uint64_t address, value;

	if (!text_number(text_of(text), 16, &address))
		return edit_refuse(making, "'%.40s' is not a hexadecimal address", text);
	if (address < sp || (address - sp) % word != 0)
		return error_plain(making->error, ERROR_FORMAT,
				   "a scan from frame %zu reads words from %0*" PRIx64 " on", frame,
				   (int)word * 2, sp);
	if (!memory_read(&walk->memory, address, word, &value, NULL))
		return error_plain(making->error, ERROR_NOT_FOUND,
				   "the word at %0*" PRIx64 " is not in the dump", (int)word * 2,
				   address);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE, .thread = walk->thread,
					       .frame = frame, .address = address };
	return ERROR_NONE;
}

static enum error_code
edit_policy(const struct edit_making *making, const char *text)
{
	const struct walk *walk = making->step->walk;
	enum policy_row row;
	uint32_t value;
	const char *refusal = policy_parse(text, &row, &value);

	if (refusal != NULL)
		return edit_refuse(making, refusal, text);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_POLICY, .policy = row,
					       .value = value, .old = walk->policy.value[row],
					       .thread = walk->thread };
	return ERROR_NONE;
}

static enum error_code
edit_method(const struct edit_making *making, const char *text)
{
	const bool force = making->command == EDIT_FORCE;
	enum method_id method;

	if (!method_named(text, strlen(text), &method))
		return edit_refuse(making, "unknown method '%.40s'; 'stack-cfi' is one", text);
	*making->edit = (struct overlay_edit){ .kind = force ? OVERLAY_FORCE : OVERLAY_FORBID,
					       .thread = making->step->walk->thread,
					       .frame = making->step->frame, .method = method };
	return ERROR_NONE;
}

/* Commands --------------------------------------------------------------------------------------*/

static const struct {
	const char *name;
	enum error_code (*make)(const struct edit_making *making, const char *text);
} edit_commands[EDIT_COMMANDS] = {
	[EDIT_SET_RULE] = { "set-rule", edit_rule },
	[EDIT_DROP_RULE] = { "drop-rule", edit_rule },
	[EDIT_SET_RECORD] = { "set-record", edit_record },
	[EDIT_ADD_RECORD] = { "add-record", edit_record },
	[EDIT_DROP_RECORD] = { "drop-record", edit_record },
	[EDIT_SET_REGISTER] = { "set-register", edit_set_register },
	[EDIT_CANDIDATE] = { "candidate", edit_candidate },
	[EDIT_POLICY] = { "policy", edit_policy },
	[EDIT_FORCE] = { "force", edit_method },
	[EDIT_FORBID] = { "forbid", edit_method },
};

enum edit_command
edit_command_named(struct text name)
{
	unsigned command = 0;

	while (command < EDIT_COMMANDS && !text_is(name, edit_commands[command].name))
		command++;
	return (enum edit_command)command;
}

enum error_code
edit_command_make(const struct edit_step *step, enum edit_command command, const char *arguments,
		  struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	const struct edit_making making = { .command = command, .step = step, .arena = arena,
					    .edit = edit, .error = error };

	return edit_commands[command].make(&making, arguments);
}

/* The first new line replaces the line of the file, and the others follow it. */
static void
write_record(const struct record_edit *record, const struct output *output)
{
	struct text lines = record->now, line;
	const char *command = edit_commands[EDIT_SET_RECORD].name, *between = "";

	if (lines.length == 0)
		output_format(output, "%s %s:%" PRIu32, edit_commands[EDIT_DROP_RECORD].name,
			      place_base_name(record->file), record->line);
	for (; text_take_line(&lines, &line); command = edit_commands[EDIT_ADD_RECORD].name) {
		if (*between == '\0' && text_equal(line, record->was) && lines.length > 0)
			continue;
		output_format(output, "%s%s %s:%" PRIu32 " ", between, command,
			      place_base_name(record->file), record->line);
		output_text(output, line);
		between = "; ";
	}
}

void
edit_command_write(const struct overlay_edit *edit, const struct arch *arch,
		   const struct output *output)
{
	char name[64];

	switch (edit->kind) {
	case OVERLAY_RECORD:
		write_record(&edit->record, output);
		break;
	case OVERLAY_RULE:
		output_plain(output, edit->expression.length > 0 ? "set-rule " : "drop-rule ");
		output_text(output, edit->name);
		output_plain(output, edit->expression.length > 0 ? ": " : "");
		output_text(output, edit->expression);
		break;
	case OVERLAY_REGISTER:
		output_format(output, "set-register %s ", arch->registers[edit->reg].label);
		output_format(output, edit->known ? "%" PRIx64 : "?", edit->value);
		break;
	case OVERLAY_CANDIDATE:
		output_format(output, "candidate %" PRIx64, edit->address);
		break;
	case OVERLAY_POLICY:
		output_format(output, "policy %s %" PRIu64, policy_table[edit->policy].name,
			      edit->value);
		break;
	case OVERLAY_FORCE:
	case OVERLAY_FORBID:
		output_format(output, "%s %s", edit->kind == OVERLAY_FORCE ? "force" : "forbid",
			      method_option(edit->method, name, sizeof(name)));
		break;
	case OVERLAY_KINDS:
		break;
	}
}
