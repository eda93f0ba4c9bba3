/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/error.h"
#include "base/policy_rows.h"
#include "debug_info/debug_pdb.h"
#include "rules/fold.h"
#include "rules/unwind_source.h"
#include "symbols/records.h"

/*
 * The rows of STACK WIN records of one type. A row begins at each address where another record
 * becomes the innermost.
 *
 * The rules of a record are made by folding its program. The text of a folded value is the postfix
 * that computes the value from the callee's registers. In this text, the values of the program's
 * names replace the names.
 */

struct stack_win_view {
	const struct stack_win *record;
	struct place place;
	int64_t parameters;	/* bytes of arguments passed to a callee; -1: unknown */
	bool keeps_ebx;			/* ebx has a value in the callee */
	enum arch_names names;
	const struct stack_win *was;	/* the file's record before an edit; NULL: not edited */
};

struct composer {
	struct arena *arena;
	const struct arch *arch;
	const struct stack_win_view *view;
	struct program_fold fold;	/* the text of a value is the postfix that computes it */
	const char *search;		/* value of `.raSearchStart` */
	const char *problem;
};

const char *
rule_set_fpo_program(const struct stack_win *record, bool keeps_ebx)
{
	if (record->allocates_base_pointer)
		return "$eip .raSearchStart ^ = $ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ "
		       "= $esp .raSearchStart 4 + =";
	if (keeps_ebx)
		return "$eip .raSearchStart ^ = $esp .raSearchStart 4 + = $ebx $ebx =";
	return "$eip .raSearchStart ^ = $esp .raSearchStart 4 + =";
}

enum arch_names
stack_win_names(const struct policy *policy)
{
	return policy->value[POLICY_WIN_NUMBERS] ? ARCH_NAMES_NUMBERED : ARCH_NAMES_EXACT;
}

/* Make "A B SIGN". The program fails if the text becomes longer than any real rule. */
static bool
compose_operator(struct program_fold *fold, const struct token *token, struct fold_value *a,
		 const struct fold_value *b)
{
	struct composer *composer = fold->context;
	const struct text none = { "", 0 }, right = b != NULL ? b->text : none;

	if (a->text.length + right.length + token->length + 1 + (b != NULL) > LIMIT_RULE_TEXT) {
		composer->problem = "a value of the program is too long to print";
		return false;
	}
	const char *text = arena_format(composer->arena, "%.*s%s%.*s %.*s", (int)a->text.length,
					a->text.start, b != NULL ? " " : "", (int)right.length,
					right.start, (int)token->length,
					fold->program->text.start + token->skip);
	if (text == NULL) {
		composer->problem = OUT_OF_MEMORY;
		return false;
	}
	a->text = text_of(text);
	return true;
}

static const char *
number(struct composer *composer, uint64_t value)
{
	const char *text = arena_format(composer->arena, "%" PRIu32, (uint32_t)value);

	if (text == NULL)
		composer->problem = OUT_OF_MEMORY;
	return text != NULL ? text : "0";
}

/* The record's value with a name, as in GetCallerByWindowsFrameInfo (stackwalker_x86.cc). */
static const char *
size_named(struct composer *composer, struct text name)
{
	const struct stack_win *record = composer->view->record;

	if (text_is(name, ".raSearchStart") || text_is(name, ".raSearch"))
		return composer->search;
	if (text_is(name, ".cbSavedRegs"))
		return number(composer, record->saved_registers);
	if (text_is(name, ".cbLocals"))
		return number(composer, record->locals);
	if (text_is(name, ".cbParams"))
		return number(composer, record->parameters);
	if (text_is(name, ".cbCalleeParams") && composer->view->parameters >= 0)
		return number(composer, (uint64_t)composer->view->parameters);
	return NULL;
}

/* A name has the value assigned to it or, without one, the record's value of this name. */
static bool
compose_name(struct program_fold *fold, struct fold_value *value)
{
	const struct fold_value *assigned = &fold->assigned[value->name];
	const char *size = size_named(fold->context, value->text);

	if (assigned->text.start != NULL)
		value->text = assigned->text;
	else if (size != NULL)
		value->text = text_of(size);
	return true;
}

static const char *
fold_problem(const struct program_fold *fold)
{
	static const char *const problems[] = {
		[PROGRAM_UNDERFLOW] = "an operator of the program has too few operands",
		[PROGRAM_BAD_TARGET] = "the program assigns to a value that is not a variable",
		[PROGRAM_LEFTOVER] = "the program leaves values on the stack",
		[PROGRAM_TOO_LONG] = "the program needs more stack than the limit",
		[PROGRAM_UNKNOWN_NAME] = NULL,
	};

	return fold->program->too_long && fold->token == fold->program->token_count
		       ? "the program is longer than the limit" : problems[fold->failure];
}

/* `.raSearchStart`: esp plus the size of the frame, or ebp + 4 if the program aligns ('@'). */
static const char *
search_of(struct composer *composer, struct text program)
{
	const struct stack_win *record = composer->view->record;
	const uint32_t size = record->locals + record->saved_registers;

	if (record->has_program && memchr(program.start, '@', program.length) != NULL)
		return "$ebp 4 +";
	const char *text =
		composer->view->parameters < 0
			? arena_format(composer->arena,
				       "$esp .cbCalleeParams + %" PRIu32 " +", size)
			: arena_format(composer->arena, "$esp %" PRIu32 " +",
				       size + (uint32_t)composer->view->parameters);
	return text != NULL ? text : "$esp";
}

/* Makes a rule for each assigned register. The rules of pc and sp are `.ra` and `.cfa`. */
static size_t
collect(const struct composer *composer, struct rule_part *parts)
{
	const struct program *program = composer->fold.program;
	size_t count = 0;

	for (size_t i = 0; i < program->name_count; i++) {
		const int reg = program->names[i].reg;

		if (reg == ARCH_NO_REGISTER || composer->fold.assigned[i].text.start == NULL)
			continue;
		const struct fold_value *value = &composer->fold.assigned[i];
		const struct token *first = &program->tokens[value->first];
		const struct token *last = &program->tokens[value->last];
		parts[count++] = (struct rule_part){
			.name = reg == composer->arch->pc ? text_of(".ra")
				: reg == composer->arch->sp
					? text_of(".cfa")
					: text_of(arch_spelled(composer->arch, reg)),
			.expression = value->text,
			.record = composer->view->place,
			.place = program->place.input == NULL
					 ? composer->view->place
					 : place_part(program->place, first->skip,
						      last->skip + last->length - first->skip),
		};
	}
	return count;
}

/*
 * The record's rule for each register of the caller, in terms of the callee's registers: the
 * program's own variables and the sizes of the record are replaced by their values. An unknown
 * `.cbCalleeParams` stays a name. Each rule has the place of the tokens that it comes from. If the
 * program cannot be used, `problem` is the reason. NULL when out of memory.
 */
static const struct rule_set *
rules_of(struct arena *arena, const struct arch *arch, const struct stack_win_view *view)
{
	const struct stack_win *record = view->record;
	const bool own = record->has_program && record->program.length > 0;
	const struct text text = own ? record->program
				     : text_of(rule_set_fpo_program(record, view->keeps_ebx));
	struct place place = { 0 };
	struct composer composer = { .arena = arena, .arch = arch, .view = view,
				     .fold = { .use = compose_name,
					       .operate = compose_operator } };

	/* The tokens of an edited program have no place. */
	if (own && (view->was == NULL || text_equal(text, view->was->program)))
		place = record->own.input != NULL
				? record->own_program
				: place_part(
					  view->place,
					  (view->was != NULL ? view->was : record)->program_column -
						  1u,
					  (uint32_t)text.length);
	composer.search = search_of(&composer, text);
	composer.fold.program = program_compile(arena, arch, view->names, text, place);
	if (composer.fold.program == NULL)
		return NULL;
	composer.fold.assigned = arena_array(arena, composer.fold.program->name_count + 1,
					sizeof(*composer.fold.assigned));
	struct rule_part *parts =
		arena_array(arena, composer.fold.program->name_count + 1, sizeof(*parts));
	if (composer.fold.assigned == NULL || parts == NULL)
		return NULL;
	composer.fold.context = &composer;
	if (!fold_run(&composer.fold, PROGRAM_ASSIGNMENTS) && composer.problem == NULL)
		composer.problem = fold_problem(&composer.fold);
	struct rule_set *set = rule_set_parts(arena, arch, parts, collect(&composer, parts));
	if (set == NULL)
		return NULL;
	for (size_t i = 0; i < set->count; i++)
		((struct rule *)set->rules)[i].edited = view->was != NULL;
	set->record = view->place;
	set->address = record->address;
	set->size = record->size;
	set->problem = composer.problem;
	if (set->problem == NULL && (set->cfa < 0 || set->return_address < 0))
		set->problem = "the program does not set both $eip and $esp";
	return set;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The type of a source's records: `number` without the bit for records from the PDB. */
static unsigned
type_of(const struct unwind_source *source)
{
	return source->kind->number & ~UNWIND_PDB;
}

static const struct pdb *
pdb_of(const struct unwind_source *source)
{
	return (source->kind->number & UNWIND_PDB) != 0
		       ? debug_info_pdb(source->module->binaries, source->module->number) : NULL;
}

static bool
find_record(const struct unwind_source *source, uint64_t address, struct arena *arena,
	    struct stack_win *record)
{
	const struct pdb *pdb = pdb_of(source);

	return pdb != NULL ? debug_pdb_stack_win(pdb, type_of(source), address, arena, record)
			   : symfile_stack_win(source->module->symfile, source->module->policy,
					       type_of(source), address, record);
}

static bool
find_change(const struct unwind_source *source, uint64_t address, uint64_t *change)
{
	const struct pdb *pdb = pdb_of(source);

	return pdb != NULL ? debug_pdb_stack_win_change(pdb, type_of(source), address, change)
			   : symfile_stack_win_change(
				     source->module->symfile, source->module->policy,
				     type_of(source), address, change);
}

static bool
covers(const struct unwind_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct stack_win record;

	if (!find_record(source, address, NULL, &record))
		return false;
	*first = record.address;
	*last = record.address + record.size - 1;
	return true;
}

/* Add the records that other records shadow; the messages of the symbol file list them. */
static void
add_refused(const struct unwind_source *source, struct rule_tables *tables)
{
	const struct message_list *messages = symfile_messages(source->module->symfile);
	const struct file *file = symfile_file(source->module->symfile);

	for (size_t i = 0; i < messages->count; i++) {
		const struct message *message = &messages->messages[i];
		struct stack_win record;

		if (message->place.input != &file->input || message->place.offset >= file->size ||
		    message->place.length > file->size - message->place.offset)
			continue;
		const struct text text = { (const char *)file->data + message->place.offset,
					   message->place.length };
		if (!record_stack_win(text, false, &record) ||
		    record.type != source->kind->number || record.address > tables->last ||
		    record.address < tables->first)
			continue;
		rule_tables_record(tables, record.address, message->place, message->text);
	}
}

/* The rules of a record, in `arena`; NULL when out of memory. */
static const struct rule_set *
rules_at(const struct unwind_source *source, const struct stack_win *record, struct arena *arena)
{
	const struct rule_module *module = source->module;
	struct stack_win was;
	const bool edited = record->own.input == NULL &&
			    record_edit_made_win(module->symfile, record, &was);
	const struct stack_win_view view = {
		.record = record,
		.was = edited ? &was : NULL,
		.place = record->own.input != NULL
				 ? record->own
				 : symfile_place(module->symfile, record->offset, record->length),
		.parameters = module->parameters,
		.keeps_ebx = module->keeps_ebx,
		.names = stack_win_names(module->policy),
	};

	return rules_of(arena, module->arch, &view);
}

static void
fill(const struct unwind_source *source, struct rule_tables *tables)
{
	uint64_t at = tables->first;
	struct stack_win record;

	do {
		if (!find_record(source, at, tables->arena, &record)) {
			rule_tables_nothing(tables, at);
			continue;
		}
		const struct rule_set *set = rules_at(source, &record, tables->arena);

		tables->failed = tables->failed || set == NULL;
		if (set != NULL)
			rule_tables_row(tables, at, set->record, set);
	} while (rule_tables_more(tables) && find_change(source, at, &at) && at <= tables->last);
	if (source->kind->symbols)
		add_refused(source, tables);
	if (source->module->parameters < 0)
		tables->tables[tables->count - 1].note = "p: the bytes of its callee's arguments";
}

/* Rows as claims ------------------------------------------------------------------------------- */

struct win_state {
	uint64_t at, end;		/* start of the next row; end of the module's code */
	bool ended;
	struct arena arena;		/* memory of the rules of a row */
};

static bool
exists(const struct unwind_source *source)
{
	const struct rule_module *module = source->module;

	/* STACK WIN records are for x86; walks on other processors ignore them. */
	if (!module->arch->stack_win)
		return false;
	return source->kind->symbols
		       ? module->symfile != NULL
		       : debug_pdb_frame_count(pdb_of(source)) > 0;
}

static bool
open_source(struct unwind_source *source)
{
	const struct rule_module *module = source->module;
	struct win_state *state = arena_alloc(&source->arena, sizeof(*state));
	const bool sized = binaries_load(module->binaries, module->number, LOCATE_IMAGE) != NULL;
	uint64_t change = 0;

	source->state = state;
	if (state == NULL ||
	    (source->kind->symbols && symfile_count(module->symfile, SYMBOL_STACK_WIN) == 0))
		return false;
	state->end = unwind_code_end(module);
	/* Without the module's file, the code ends with the last record. */
	while (!sized && find_change(source, change, &change))
		state->end = change;
	return state->end > 0;
}

static void
close_source(struct unwind_source *source)
{
	struct win_state *state = source->state;

	arena_free(&state->arena);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct win_state *state = source->state;
	uint64_t last;

	if (!covers(source, address, &state->at, &last))
		state->at = address;
	state->ended = false;
}

static void
take_rules(struct unwind_source *source, const struct rule_set *set)
{
	const struct arch *arch = source->module->arch;
	struct unwind_row *row = &source->row;
	unsigned column;

	row->record = row->entry = set->record.offset;
	row->problem = set->problem;
	for (unsigned i = 0; i < claim_columns(arch); i++)
		row->records[i] = set->record.offset;
	for (size_t i = 0; i < set->count; i++)
		if (claim_column_of(arch, &set->rules[i], &column))
			row->claims[column] =
				claim_of_program(arch, column, set->rules[i].program);
}

static bool
next(struct unwind_source *source)
{
	struct win_state *state = source->state;
	struct unwind_row *row = &source->row;
	struct stack_win record;

	while (!state->ended && state->at < state->end) {
		arena_reset(&state->arena);
		const uint64_t first = state->at;
		const struct rule_set *set =
			find_record(source, first, &state->arena, &record)
				? rules_at(source, &record, &state->arena) : NULL;

		state->ended = !find_change(source, first, &state->at);
		if (set == NULL || (set->problem != NULL && set->count == 0))
			continue;
		unwind_row_clear(source);
		row->first = first;
		row->last = state->ended || state->at > state->end ? state->end - 1
								   : state->at - 1;
		take_rules(source, set);
		return true;
	}
	return false;
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct rule_module *module = source->module;

	if (source->kind->symbols)
		return symfile_place(module->symfile, record, 0);
	const struct binary *debug = binaries_load(module->binaries, module->number, LOCATE_DEBUG);
	return (struct place){ .input = debug != NULL ? &debug->file.input : NULL,
			       .offset = record };
}

const struct unwind_reader unwind_reader_stack_win = {
	exists, open_source, seek, next, place, close_source, covers, fill,
};
