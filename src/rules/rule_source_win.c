/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/error.h"
#include "debug_info/debug_pdb.h"
#include "rules/rule_table.h"
#include "symbols/records.h"

/*
 * The rows of STACK WIN records of one type: one where another record begins to be the innermost.
 *
 * STACK WIN records as rules: the program is gone through without running it. A value is the
 * postfix text that makes it from the callee's registers; assigning keeps the text, using a name
 * puts it in. What is read from memory stays a `^`.
 */

/* What a record is read with. */
struct stack_win_view {
	const struct stack_win *record;
	struct place place;		/* of the record */
	int64_t parameters;	/* bytes of arguments that a callee was given; -1: unknown */
	bool keeps_ebx;			/* ebx has a value in the callee */
	enum arch_names names;		/* of registers */
	const struct stack_win *was;	/* what the file has of an edited record; NULL: the same */
};

/* Values on the stack of a program; real ones use five. */
#define DEPTH 64u

/* Where in the program a value was made, and what makes it. */
struct win_value {
	struct text text;
	size_t first, last;	/* tokens */
	bool bare;		/* a name that was only pushed: it may be assigned to */
	uint32_t name;
};

struct composer {
	struct arena *arena;
	const struct arch *arch;
	const struct stack_win_view *view;
	const struct program *program;
	struct win_value stack[DEPTH];
	size_t depth;
	struct win_value *assigned;		/* one a name; without text: not yet */
	const char *search;		/* what `.raSearchStart` is */
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

static bool
fail(struct composer *composer, const char *problem)
{
	composer->problem = problem;
	return false;
}

/* "A B SIGN"; a rule that grows without end is cut off where it is no rule any more. */
static bool
join(struct composer *composer, struct win_value *a, const struct win_value *b, struct text sign)
{
	const size_t length = a->text.length + (b != NULL ? b->text.length + 1 : 0) + 1 +
			      sign.length;

	if (length > LIMIT_RULE_TEXT)
		return fail(composer, "a value of the program is too long to print");
	const char *text = arena_format(composer->arena, "%.*s%s%.*s %.*s", (int)a->text.length,
					a->text.start, b != NULL ? " " : "",
					b != NULL ? (int)b->text.length : 0,
					b != NULL ? b->text.start : "", (int)sign.length,
					sign.start);
	if (text == NULL)
		return fail(composer, OUT_OF_MEMORY);
	a->text = text_of(text);
	return true;
}

static const char *
number(struct composer *composer, uint64_t value)
{
	const char *text = arena_format(composer->arena, "%" PRIu32, (uint32_t)value);

	if (text == NULL)
		fail(composer, OUT_OF_MEMORY);
	return text != NULL ? text : "0";
}

/*
 * The names that a record gives values: Breakpad's stackwalker_x86.cc,
 * GetCallerByWindowsFrameInfo.
 */
static const char *
size_named(struct composer *composer, struct text name)
{
	const struct stack_win *record = composer->view->record;

	if (text_equal(name, text_of(".raSearchStart")) || text_equal(name, text_of(".raSearch")))
		return composer->search;
	if (text_equal(name, text_of(".cbSavedRegs")))
		return number(composer, record->saved_registers);
	if (text_equal(name, text_of(".cbLocals")))
		return number(composer, record->locals);
	if (text_equal(name, text_of(".cbParams")))
		return number(composer, record->parameters);
	if (text_equal(name, text_of(".cbCalleeParams")) && composer->view->parameters >= 0)
		return number(composer, (uint64_t)composer->view->parameters);
	return NULL;
}

/* What a value is once it is used: a name has what was assigned to it, or what the record says. */
static void
resolve(struct composer *composer, struct win_value *value)
{
	if (!value->bare)
		return;
	const struct win_value *assigned = &composer->assigned[value->name];
	const char *size = size_named(composer, value->text);

	value->bare = false;
	if (assigned->text.start != NULL)
		value->text = assigned->text;
	else if (size != NULL)
		value->text = text_of(size);
}

static bool
operate(struct composer *composer, size_t index)
{
	const struct token *token = &composer->program->tokens[index];
	const struct text sign = { composer->program->text.start + token->skip, token->length };
	const size_t wanted = token->operation == OPERATION_READ ? 1 : 2;

	if (composer->depth < wanted)
		return fail(composer, "an operator of the program has too few operands");
	composer->depth -= wanted;
	struct win_value *a = &composer->stack[composer->depth], *b = wanted == 2 ? a + 1 : NULL;
	const bool assigns = token->operation == OPERATION_ASSIGN;
	if (assigns && (!a->bare || a->text.start[0] != '$'))
		return fail(composer, "the program assigns to a value that is not a variable");
	if (b != NULL)
		resolve(composer, b);
	if (assigns) {
		composer->assigned[a->name] = *b;
		return true;
	}
	resolve(composer, a);
	composer->depth++;
	a->last = index;
	return join(composer, a, b, sign);
}

static bool
compose(struct composer *composer)
{
	for (size_t i = 0; i < composer->program->token_count; i++) {
		const struct token *token = &composer->program->tokens[i];
		const bool bare = token->operation == OPERATION_NAME;

		if (!bare && token->operation != OPERATION_NUMBER) {
			if (!operate(composer, i))
				return false;
			continue;
		}
		if (composer->depth == DEPTH)
			return fail(composer, "the program needs more stack than the limit");
		composer->stack[composer->depth++] = (struct win_value){
			.text = { composer->program->text.start + token->skip, token->length },
			.first = i, .last = i, .bare = bare, .name = token->name };
	}
	if (composer->program->too_long)
		return fail(composer, "the program is longer than the limit");
	return composer->depth == 0 || fail(composer, "the program leaves values on the stack");
}

/* `.raSearchStart`: above the callee's locals, or the word above ebp where esp is aligned. */
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

/* A rule for each register that was assigned, pc and sp by the names that all rules have. */
static size_t
collect(const struct composer *composer, struct rule_part *parts)
{
	const struct program *program = composer->program;
	size_t count = 0;

	for (size_t i = 0; i < program->name_count; i++) {
		const int reg = program->names[i].reg;

		if (reg == ARCH_NO_REGISTER || composer->assigned[i].text.start == NULL)
			continue;
		const struct win_value *value = &composer->assigned[i];
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
 * What the record gives each register of the caller, as rules over the callee's: values that the
 * program keeps in names of its own are written out, and so are the sizes of the record. A size
 * that is not known stays a name, `.cbCalleeParams`. Each rule has the place of the tokens that
 * made it. A program that cannot be followed says why in `problem`. NULL when out of memory.
 */
static const struct rule_set *
rules_of(struct arena *arena, const struct arch *arch, const struct stack_win_view *view)
{
	const struct stack_win *record = view->record;
	const bool own = record->has_program && record->program.length > 0;
	const struct text text = own ? record->program
				     : text_of(rule_set_fpo_program(record, view->keeps_ebx));
	struct place place = { 0 };
	struct composer composer = { .arena = arena, .arch = arch, .view = view };

	/* The tokens of an edited program stand nowhere. */
	if (own && (view->was == NULL || text_equal(text, view->was->program)))
		place = record->own.input != NULL
				? record->own_program
				: place_part(
					  view->place,
					  (view->was != NULL ? view->was : record)->program_column -
						  1u,
					  (uint32_t)text.length);
	composer.search = search_of(&composer, text);
	composer.program = program_compile(arena, arch, view->names, text, place);
	if (composer.program == NULL)
		return NULL;
	composer.assigned = arena_array(arena, composer.program->name_count + 1,
					sizeof(*composer.assigned));
	struct rule_part *parts =
		arena_array(arena, composer.program->name_count + 1, sizeof(*parts));
	if (composer.assigned == NULL || parts == NULL)
		return NULL;
	compose(&composer);
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

/* Types of records are numbers of sources; those of the PDB have this bit besides. */
static unsigned
type_of(const struct rule_source *source)
{
	return source->number & ~RULE_SOURCE_PDB;
}

static const struct pdb *
pdb_of(const struct rule_source *source)
{
	return (source->number & RULE_SOURCE_PDB) != 0
		       ? debug_info_pdb(source->module->binaries, source->module->number) : NULL;
}

static bool
find_record(const struct rule_source *source, uint64_t address, struct arena *arena,
	    struct stack_win *record)
{
	const struct symbols_policy policy = symbols_policy_of(source->module->policy);
	const struct pdb *pdb = pdb_of(source);

	return pdb != NULL ? debug_pdb_stack_win(pdb, type_of(source), address, arena, record)
			   : symfile_stack_win(source->module->symfile, &policy, type_of(source),
					       address, record);
}

static bool
find_change(const struct rule_source *source, uint64_t address, uint64_t *change)
{
	const struct symbols_policy policy = symbols_policy_of(source->module->policy);
	const struct pdb *pdb = pdb_of(source);

	return pdb != NULL ? debug_pdb_stack_win_change(pdb, type_of(source), address, change)
			   : symfile_stack_win_change(source->module->symfile, &policy,
						      type_of(source), address, change);
}

static bool
covers(const struct rule_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct stack_win record;

	if (!find_record(source, address, NULL, &record))
		return false;
	*first = record.address;
	*last = record.address + record.size - 1;
	return true;
}

/* Records that the file has but that another one shadows are among its messages. */
static void
add_refused(const struct rule_source *source, struct rule_tables *tables)
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
		    record.type != source->number || record.address > tables->last ||
		    record.address < tables->first)
			continue;
		rule_tables_record(tables, record.address, message->place, message->text);
	}
}

static void
fill(const struct rule_source *source, struct rule_tables *tables)
{
	const struct rule_module *module = source->module;
	struct rule_table *table = &tables->tables[tables->count - 1];
	uint64_t at = tables->first;
	struct stack_win record, was;

	do {
		if (!find_record(source, at, tables->arena, &record)) {
			rule_tables_nothing(tables, at);
			continue;
		}
		const bool edited =
			module->edits != NULL && record.own.input == NULL &&
			record_edit_stack_win(module->edits, module->symfile, &record, &was);
		const struct stack_win_view view = {
			.record = &record,
			.was = edited ? &was : NULL,
			.place = record.own.input != NULL
					 ? record.own
					 : symfile_place(module->symfile, record.offset,
							 record.length),
			.parameters = module->parameters,
			.keeps_ebx = module->keeps_ebx,
			.names = stack_win_names(module->policy),
		};
		const struct rule_set *set = rules_of(tables->arena, tables->arch, &view);

		tables->failed = tables->failed || set == NULL;
		if (set != NULL)
			rule_tables_row(tables, at, view.place, set);
	} while (rule_tables_more(tables) && find_change(source, at, &at) && at <= tables->last);
	if ((source->number & RULE_SOURCE_PDB) == 0)
		add_refused(source, tables);
	if (module->parameters < 0)
		table->note = "p: the bytes of its callee's arguments";
}

const struct rule_source_kind rule_source_stack_win = { covers, fill, .partial = true };
