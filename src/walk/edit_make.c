/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/edit_make.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "sframe/sframe.h"

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

static bool
is_pseudo(struct text name, const char **spelled)
{
	static const char *const names[] = { ".cfa", ".ra" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		*spelled = names[i];
		if (text_equal(name, text_of(names[i])) || text_equal(name, text_of(names[i] + 1)))
			return true;
	}
	return false;
}

/* The name as records spell it; false where it is none. */
static bool
spell(const struct edit_step *step, struct text name, struct text *spelled)
{
	const struct arch *arch = step->walk->arch;
	const char *found;

	*spelled = name;
	if (step->method == METHOD_STACK_WIN)
		return name.length > 0;
	if (is_pseudo(name, &found)) {
		*spelled = text_of(found);
		return true;
	}
	const int reg = arch_register(arch, name, ARCH_NAMES_ALIASES);
	if (reg < 0)
		return false;
	*spelled = text_of(arch->registers[reg].name != NULL ? arch->registers[reg].name
							     : arch->registers[reg].label);
	return true;
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

/* The step as it is ---------------------------------------------------------------------------*/

static const struct event *
rule_event(const struct trace *trace, struct text name)
{
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_RULE &&
		    text_equal(trace->events[i].name, name))
			return &trace->events[i];
	return NULL;
}

static void
record_step(const struct edit_step *step, struct trace *trace)
{
	struct frame caller;
	struct verdict verdict;

	trace_init(trace);
	unwind_step_by(step->walk, step->frame, step->method, trace, &caller, &verdict);
}

/* What STACK WIN calls its fields, beside the program. */
static bool
win_record(const struct edit_step *step, struct stack_win *record)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);

	return symfile != NULL &&
	       (symfile_stack_win(symfile, &policy, 4, relative_of(step), record) ||
		symfile_stack_win(symfile, &policy, 0, relative_of(step), record));
}

static struct text
win_field(const struct edit_step *step, struct text name, struct arena *arena)
{
	struct stack_win record;
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	const struct overlay *overlay = step->walk->overlay;
	uint32_t size;

	if (!win_record(step, &record))
		return text_of("");
	if (overlay != NULL)
		record_edit_stack_win(&overlay->records, symfile, &record, NULL);
	if (!record_edit_win_size(&record, name, &size))
		return text_of("");
	const char *text = arena_format(arena, "%" PRIu32, size);
	return text_of(text != NULL ? text : "");
}

/* The expression of a rule that is in force in the step; empty where there is none. */
static struct text
edit_rule_in_force(const struct edit_step *step, struct text name, struct arena *arena)
{
	struct trace trace;

	record_step(step, &trace);
	const struct event *event = rule_event(&trace, name);
	const char *copy = event != NULL ? arena_copy(arena, event->text, strlen(event->text))
					 : NULL;
	trace_free(&trace);
	if (copy == NULL && step->method == METHOD_STACK_WIN)
		return win_field(step, name, arena);
	return text_of(copy != NULL ? copy : "");
}

/* Checking --------------------------------------------------------------------------------------*/

static void
say_failure(const struct program *program, const struct outcome *outcome, struct edit_check *check)
{
	program_explain(program, outcome, check->text, sizeof(check->text));
	check->start = program->text.length;
	check->length = 1;
	if (outcome->failure == PROGRAM_LEFTOVER || outcome->failure == PROGRAM_EMPTY ||
	    program->token_count == 0)
		return;
	check->start = program->tokens[outcome->token].skip;
	check->length = program->tokens[outcome->token].length;
	/* A name fails where it is popped; what is meant is the name. */
	for (size_t i = 0; outcome->failure == PROGRAM_UNKNOWN_NAME && i < program->token_count;
	     i++) {
		const struct token *token = &program->tokens[i];
		const struct text text = { program->text.start + token->skip, token->length };

		if (text_equal(text, outcome->name)) {
			check->start = token->skip;
			check->length = token->length;
			return;
		}
	}
}

/* A name that no register has will never get a value. */
static bool
find_unknown_name(const struct program *program, struct text of, struct edit_check *check)
{
	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];
		const struct text text = { program->text.start + token->skip, token->length };

		if (token->operation != OPERATION_NAME ||
		    program->names[token->name].reg != ARCH_NO_REGISTER ||
		    (text_equal(text, text_of(".cfa")) && !text_equal(of, text_of(".cfa"))))
			continue;
		check->start = token->skip;
		check->length = token->length;
		snprintf(check->text, sizeof(check->text),
			 "'%.*s' is neither a number nor a register%s",
			 (int)(text.length > 60 ? 60 : text.length), text.start,
			 text_equal(text, text_of(".cfa")) ? "; .cfa cannot refer to itself" : "");
		return true;
	}
	return false;
}

static bool
find_cfa(const struct edit_step *step, struct variable *cfa)
{
	struct trace trace;

	*cfa = (struct variable){ .from = TRACE_NONE };
	record_step(step, &trace);
	const struct event *event = rule_event(&trace, text_of(".cfa"));
	if (event != NULL && event->status == EVENT_OK) {
		cfa->known = true;
		cfa->value = event->value;
	}
	trace_free(&trace);
	return cfa->known;
}

static struct environment
environment_of(const struct edit_step *step)
{
	return (struct environment){
		.arch = step->walk->arch,
		.memory = &step->walk->memory,
		.align_unchecked = step->walk->policy.value[POLICY_ALIGN_UNCHECKED] != 0,
	};
}

static void
run_expression(const struct edit_step *step, struct text name, const struct program *program,
	       struct edit_check *check)
{
	const struct environment environment = environment_of(step);
	const struct rule rule = { .name = name, .program = program };
	const int digits = (int)step->walk->arch->word_size * 2;
	struct variable cfa = { .from = TRACE_NONE };
	struct outcome outcome;

	if (!text_equal(name, text_of(".cfa")))
		find_cfa(step, &cfa);
	check->good = rule_evaluate(&rule, &environment, &frame_of(step)->registers, NULL, &cfa,
				    &outcome, NULL, TRACE_NONE);
	check->value = outcome.value;
	if (check->good)
		snprintf(check->text, sizeof(check->text), "= %0*" PRIx64, digits, check->value);
	else
		say_failure(program, &outcome, check);
}

/* A program of STACK WIN is only looked over: what it reads depends on its own assignments. */
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
	struct arena arena;

	*check = (struct edit_check){ .good = true };
	if (win && !text_equal(name, text_of("program")))
		return;
	arena_init(&arena, 0);
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
		check->good = !find_unknown_name(program, name, check);
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

/* The records in force at the frame, the INIT record first. */
struct cfi_records {
	struct stack_cfi records[LIMIT_RULES];
	size_t count;
};

static bool
find_records(const struct edit_step *step, const struct symfile *symfile, struct arena *arena,
	     struct cfi_records *found)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	struct stack_cfi *deltas;
	size_t count;

	found->count = 0;
	if (!symfile_stack_cfi(symfile, &policy, relative_of(step), arena, &found->records[0],
			       &deltas, &count))
		return false;
	found->count = 1;
	/* The last ones count: who has more deltas in force than this edits the last of them. */
	for (size_t i = count >= LIMIT_RULES ? count - LIMIT_RULES + 1 : 0; i < count; i++)
		found->records[found->count++] = deltas[i];
	return true;
}

/* The line of a record as it is by now. */
static struct text
line_of(const struct edit_step *step, const struct symfile *symfile, uint64_t offset,
	uint32_t length)
{
	const struct file *file = symfile_file(symfile);
	const struct text line = { (const char *)file->data + offset, length };

	return overlay_record(step->walk->overlay, file->input.name, offset, line);
}

static enum error_code
finish_record(const struct symfile *symfile, uint64_t offset, uint32_t length, const char *now,
	      struct overlay_edit *edit, struct error *error)
{
	const struct file *file = symfile_file(symfile);

	if (now == NULL)
		return error_set(error, ERROR_FORMAT, symfile_place(symfile, offset, length),
				 "the record would have no rules left");
	edit->kind = OVERLAY_RECORD;
	edit->record = (struct record_edit){
		.file = file->input.name,
		.offset = offset,
		.line = symfile_place(symfile, offset, length).line,
		.was = { (const char *)file->data + offset, length },
		.now = text_of(now),
	};
	return ERROR_NONE;
}

/* The rule of a record's line, or false. */
static bool
line_has_rule(struct text line, struct text name)
{
	struct rule_span span;

	return rule_span_find(line, name, &span);
}

static enum error_code
make_cfi(const struct edit_step *step, struct arena *arena, struct overlay_edit *edit,
	 struct error *error)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	struct cfi_records found;

	if (symfile == NULL || !find_records(step, symfile, arena, &found))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no STACK CFI record covers frame %zu", step->frame);
	size_t at = found.count;
	while (at > 0 && !line_has_rule(line_of(step, symfile, found.records[at - 1].offset,
						found.records[at - 1].length), edit->name))
		at--;
	if (at == 0 && edit->expression.length == 0)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no record in force has a rule for %.*s",
				 (int)edit->name.length, edit->name.start);
	const struct stack_cfi *record = &found.records[at > 0 ? at - 1 : found.count - 1];
	const struct text line = line_of(step, symfile, record->offset, record->length);
	return finish_record(symfile, record->offset, record->length,
			     record_edit_rule(arena, line, edit->name, edit->expression), edit,
			     error);
}

static enum error_code
make_win(const struct edit_step *step, struct arena *arena, struct overlay_edit *edit,
	 struct error *error)
{
	const struct symfile *symfile = walk_symfile(step->walk, frame_of(step)->module);
	const char *problem = NULL;
	struct stack_win record;

	if (!win_record(step, &record))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no STACK WIN record covers frame %zu", step->frame);
	const char *now = record_edit_win(
		arena, line_of(step, symfile, record.offset, record.length), edit->name,
		edit->expression, &problem);
	if (now == NULL)
		return error_set(error, ERROR_FORMAT,
				 symfile_place(symfile, record.offset, record.length), "%s",
				 problem);
	return finish_record(symfile, record.offset, record.length, now, edit, error);
}

/* The SFrame row in force at the frame. */
static enum error_code
aim_at_row(const struct edit_step *step, struct overlay_edit *edit, struct error *error)
{
	struct sframe_function function;
	struct sframe_row row;
	const char *problem;

	if (sframe_lookup(walk_sframe(step->walk, frame_of(step)->module), frame_of(step)->lookup,
			  &function, &row, &problem) != SFRAME_ROW)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "no SFrame row covers frame %zu", step->frame);
	edit->row_input = row.place.input != NULL ? row.place.input->name : NULL;
	edit->row_offset = row.place.offset;
	return ERROR_NONE;
}

enum error_code
edit_make_rule(const struct edit_step *step, struct text name, struct text expression,
	       struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	*edit = (struct overlay_edit){ .kind = OVERLAY_RULE, .thread = step->walk->thread,
				       .frame = step->frame, .method = step->method,
				       .name = name, .expression = expression };
	edit->was = edit_rule_in_force(step, name, arena);
	switch (step->method) {
	case METHOD_STACK_CFI:
		return make_cfi(step, arena, edit, error);
	case METHOD_STACK_WIN:
		return make_win(step, arena, edit, error);
	case METHOD_SFRAME:
		return aim_at_row(step, edit, error);
	default:
		break;
	}
	if (edit->was.length == 0 && expression.length == 0)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "the %s has no rule for %.*s here", method_name(step->method),
				 (int)name.length, name.start);
	return ERROR_NONE;
}

/* A number as people type addresses: hexadecimal, with or without 0x. */
static bool
parse_hex(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 16);
	return errno == 0 && end != text && *end == '\0' && *text != '-';
}

enum error_code
edit_make_register(const struct walk *walk, size_t frame, const char *name, const char *value,
		   struct overlay_edit *edit, struct error *error)
{
	const struct registers *registers = &walk->frames[frame].registers;
	const int reg = arch_register(walk->arch, text_of(name), ARCH_NAMES_ALIASES);

	if (reg < 0)
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "%s has no register '%.40s'", walk->arch->name, name);
	*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .thread = walk->thread,
				       .frame = frame, .reg = reg,
				       .known = strcmp(value, "?") != 0,
				       .was_known = registers_known(registers, reg) };
	edit->old = edit->was_known ? registers->value[reg] : 0;
	if (edit->known && !parse_hex(value, &edit->value))
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "'%.40s' is not a hexadecimal number; '?' makes a register "
				 "unknown",
				 value);
	if (!edit->known && (reg == walk->arch->pc || reg == walk->arch->sp))
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "a frame must have its %s",
				 walk->arch->registers[reg].label);
	edit->value = arch_wrap_register(walk->arch, edit->value);
	return ERROR_NONE;
}

enum error_code
edit_make_candidate(const struct walk *walk, size_t frame, const char *address,
		    struct overlay_edit *edit, struct error *error)
{
	const unsigned word = walk->arch->word_size;
	const uint64_t sp = walk->frames[frame].registers.value[walk->arch->sp];
	uint64_t value;

	*edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE, .thread = walk->thread,
				       .frame = frame };
	if (!parse_hex(address, &edit->address))
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "'%.40s' is not a hexadecimal address", address);
	if (edit->address < sp || (edit->address - sp) % word != 0)
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "a scan from frame %zu reads words from %0*" PRIx64 " on",
				 frame, (int)word * 2, sp);
	if (!memory_read(&walk->memory, edit->address, word, &value, NULL))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "the word at %0*" PRIx64 " is not in the dump", (int)word * 2,
				 edit->address);
	return ERROR_NONE;
}

enum error_code
edit_make_policy(const struct walk *walk, const char *text, struct overlay_edit *edit,
		 struct error *error)
{
	const size_t length = strcspn(text, " =");
	const char *value = text + length + strspn(text + length, " =");
	char name[64], *end;
	enum policy_row row;

	if (length >= sizeof(name))
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "policy name too long");
	memcpy(name, text, length);
	name[length] = '\0';
	if (!policy_row_named(name, &row))
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
				 "unknown policy '%s'; Tab lists them", name);
	errno = 0;
	const unsigned long number = strtoul(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0 || number > INT32_MAX || value[0] == '-')
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "'%.40s' is not a value for %s; the current value is "
				 "%" PRIu32 "", value,
				 name, walk->policy.value[row]);
	*edit = (struct overlay_edit){ .kind = OVERLAY_POLICY, .policy = row, .value = number,
				       .old = walk->policy.value[row], .thread = walk->thread };
	return ERROR_NONE;
}
