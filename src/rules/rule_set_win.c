/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/error.h"
#include "rules/rule_set.h"

/*
 * STACK WIN records as rules: the program is gone through without running it. A value is the
 * postfix text that makes it from the callee's registers; assigning keeps the text, using a name
 * puts it in. What is read from memory stays a `^`.
 */

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
	a->bare = false;
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

/* The names that a record gives values: Breakpad's stackwalker_x86.cc, GetCallerByWindowsFrameInfo. */
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
push(struct composer *composer, size_t index)
{
	const struct token *token = &composer->program->tokens[index];
	const bool bare = token->operation == OPERATION_NAME;

	if (composer->depth == DEPTH)
		return fail(composer, "the program needs more stack than the limit");
	composer->stack[composer->depth++] = (struct win_value){
		.text = { composer->program->text.start + token->skip, token->length },
		.first = index, .last = index, .bare = bare, .name = bare ? token->name : 0 };
	return true;
}

static bool
assign(struct composer *composer, struct win_value *target, struct win_value *value)
{
	if (!target->bare || target->text.length == 0 || target->text.start[0] != '$')
		return fail(composer, "the program assigns to a value that is not a variable");
	resolve(composer, value);
	composer->assigned[target->name] = *value;
	return true;
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
	if (token->operation == OPERATION_ASSIGN)
		return assign(composer, a, b);
	resolve(composer, a);
	if (b != NULL)
		resolve(composer, b);
	composer->depth++;
	a->last = index;
	return join(composer, a, b, sign);
}

static bool
compose(struct composer *composer)
{
	for (size_t i = 0; i < composer->program->token_count; i++) {
		const enum operation operation = composer->program->tokens[i].operation;
		const bool value = operation == OPERATION_NUMBER || operation == OPERATION_NAME;

		if (!(value ? push(composer, i) : operate(composer, i)))
			return false;
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

static struct place
place_of(const struct composer *composer, const struct win_value *value)
{
	const struct token *first = &composer->program->tokens[value->first];
	const struct token *last = &composer->program->tokens[value->last];

	if (composer->program->place.input == NULL)
		return composer->view->place;
	return place_part(composer->program->place, first->skip,
			  last->skip + last->length - first->skip);
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
		parts[count++] = (struct rule_part){
			.name = reg == composer->arch->pc   ? text_of(".ra")
				: reg == composer->arch->sp ? text_of(".cfa")
							    : program->names[i].text,
			.expression = composer->assigned[i].text,
			.record = composer->view->place,
			.place = place_of(composer, &composer->assigned[i]),
		};
	}
	return count;
}

const struct rule_set *
rule_set_stack_win(struct arena *arena, const struct arch *arch, const struct stack_win_view *view)
{
	const struct stack_win *record = view->record;
	const bool own = record->has_program && record->program.length > 0;
	const struct text text = own ? record->program
				     : text_of(rule_set_fpo_program(record, view->keeps_ebx));
	struct place place = { 0 };
	struct composer composer = { .arena = arena, .arch = arch, .view = view };

	/* The tokens of an edited program stand nowhere. */
	if (own && (view->was == NULL || text_equal(text, view->was->program)))
		place = place_part(view->place,
				   (view->was != NULL ? view->was : record)->program_column - 1u,
				   (uint32_t)text.length);
	composer.search = search_of(&composer, text);
	composer.program = program_compile(arena, arch, ARCH_NAMES_EXACT, text, place);
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
