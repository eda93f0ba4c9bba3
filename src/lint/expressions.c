/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "lint/lint_internal.h"
#include "rules/edit.h"
#include "rules/fold.h"

/* Folds rules and programs to find failures that do not depend on registers or memory. */

enum {
	MOST_ENTRIES = 1 << 20,
	LONGEST_RULES = 4096,		/* maximum bytes searched for an earlier rule */
};

struct lint_expressions {
	struct hash rules;	/* by hash of the text, and whether it is a program */
	struct arena work;	/* memory of a program while it runs */
	struct arena spare;	/* memory of rules after MOST_ENTRIES */
};

/* One expression or program that is being run. */
struct run {
	struct lint_reading *reading;
	struct arena *arena;		/* memory of the results */
	struct arena *work;
	struct lint_rules *rules;
	size_t capacity, rule_capacity;	/* capacities of the issues and of the rules */
	size_t skip;			/* offset of the program in the record's text */
	bool win, of_cfa, of_ra;	/* a STACK WIN program; a rule for .cfa; a rule for .ra */
	struct program_fold fold;
};

static ATTRIBUTE_PRINTF(5, 6) void
add_issue(struct run *run, enum lint_code code, size_t skip, size_t length, const char *format,
	  ...)
{
	struct lint_rules *rules = run->rules;
	char text[300];

	TEXT_FORMAT(text, format);
	const struct lint_issue issue = { code, (uint32_t)skip, (uint32_t)length,
					  text_or_empty(arena_string(run->arena, text)) };
	run->reading->memory_ended |= !ARENA_ADD(run->arena, rules->issues, rules->issue_count,
						 run->capacity, &issue);
}

static bool
fail(struct run *run, enum lint_code code, size_t token, const char *text)
{
	const struct token *at = &run->fold.program->tokens[token];

	add_issue(run, run->win && code != LINT_WIN_INPUT ? LINT_WIN_PROGRAM : code,
		  run->skip + at->skip, at->length, "%s", text);
	return false;
}

/* Whether a name is a floating-point or vector register, which no walker tracks. */
static bool
is_untracked(struct text name)
{
	static const char *const families[] = { "$xmm", "$ymm", "$mm", "$st", "$f", "v", "d", "s",
						"q", "f", "b", "h", "p", "z", "vr", "fp" };

	for (size_t i = 0; i < ARRAY_COUNT(families); i++) {
		size_t at = strlen(families[i]);
		const size_t digits = at;

		if (name.length <= at || memcmp(name.start, families[i], at) != 0)
			continue;
		while (at < name.length && name.start[at] >= '0' && name.start[at] <= '9')
			at++;
		if (at == name.length && at - digits <= 2)
			return true;
	}
	return false;
}

/* Whether a name is set before a STACK WIN program runs. */
static bool
is_win_input(struct text name)
{
	static const char *const inputs[] = {
		"$esp", "$ebp", "$ebx", ".cbCalleeParams", ".cbSavedRegs", ".cbLocals", ".cbParams",
		".raSearchStart", ".raSearch" };

	for (size_t i = 0; i < ARRAY_COUNT(inputs); i++)
		if (text_is(name, inputs[i]))
			return true;
	return false;
}

/* The defect of a name that looks like a mistyped number. */
static const char *
odd_number(struct text name)
{
	const size_t start = name.length > 0 && name.start[0] == '-';
	size_t digits = start;

	while (digits < name.length && name.start[digits] >= '0' && name.start[digits] <= '9')
		digits++;
	if (digits == start)
		return "";
	return digits == name.length ? ", a number too large for the processor's words"
				     : "; numbers are decimal and whole";
}

/* Uses a name: gives its value, or reports an issue. */
static bool
use_name(struct program_fold *fold, struct fold_value *value)
{
	struct run *run = fold->context;
	const struct program_name *name = &fold->program->names[value->name];
	const struct arch *arch = run->reading->module.arch;
	const bool is_cfa = text_is(name->text, ".cfa");
	const bool is_ra = text_is(name->text, ".ra");
	const bool is_register = name->reg != ARCH_NO_REGISTER;
	const bool is_input = run->win && is_win_input(name->text);
	const size_t token = value->first;
	char text[160];

	value->linear.known = false;
	if (fold->assigned[value->name].text.start != NULL)
		return true;
	if (run->win && is_register && !is_input)
		return fail(run, LINT_WIN_INPUT, token, arch->registers[name->reg].name);
	if (!run->win && is_cfa && !run->of_cfa)
		value->linear = linear_sum(LINEAR_CFA, 0);
	else if (is_register && !run->win)
		value->linear = linear_sum(name->reg, 0);
	if (value->linear.known || is_register || is_input || arch->register_count == 0 ||
	    text_is(name->text, ".undef"))
		return true;
	if (is_untracked(name->text))
		return false;
	if (is_ra && run->of_ra)
		return fail(run, LINT_CFI_RA_ITSELF, token, "");
	snprintf(text, sizeof(text), "'%.*s'%s", TEXT_UPTO(name->text, 80),
		run->of_cfa && is_cfa ? " in its own rule"
			: is_ra	      ? ", which is not a register"
				      : odd_number(name->text));
	return fail(run, LINT_CFI_UNKNOWN_NAME, token, text);
}

/* The constant of a sum, sign-extended from the processor's word. */
static int64_t
signed_number(const struct run *run, const struct linear *linear)
{
	return run->reading->module.arch->word_size == 4 ? (int32_t)(uint32_t)linear->offset
							 : linear->offset;
}

static bool
check_operator(struct program_fold *fold, const struct token *token, struct fold_value *a,
	       const struct fold_value *b)
{
	struct run *run = fold->context;
	const enum operation operation = token->operation;

	/* `a` has already been read from memory. */
	if (operation == OPERATION_READ && a->linear.known && a->linear.dereference &&
	    a->linear.base == LINEAR_NONE && !run->win)
		add_issue(run, LINT_CFI_CONSTANT_READ, run->skip + token->skip, token->length,
			  "address %" PRId64, signed_number(run, &a->linear));
	if (b == NULL || !linear_is_number(&b->linear))
		return true;
	const int64_t number = signed_number(run, &b->linear);
	if ((operation == OPERATION_DIVIDE || operation == OPERATION_MODULO) && number == 0)
		return fail(run, LINT_CFI_DIVISION, fold->token, "the divisor is 0");
	if (operation == OPERATION_ALIGN && (number <= 0 || (number & (number - 1)) != 0))
		return fail(run, LINT_CFI_ALIGNMENT, fold->token,
			    "the second value is not a power of two");
	return true;
}

/* Reports why a program failed, unless that is reported already. */
static void
report_failure(struct run *run)
{
	const struct program_fold *fold = &run->fold;
	const size_t last = fold->program->token_count - 1;
	const size_t token = fold->token < last ? fold->token : last;
	const bool assigns = fold->program->tokens[token].operation == OPERATION_ASSIGN;

	switch (fold->failure) {
	case PROGRAM_EMPTY:
		fail(run, LINT_CFI_EXPRESSION, last, "no value is left");
		break;
	case PROGRAM_LEFTOVER:
		fail(run, LINT_CFI_EXPRESSION, last,
		     run->win ? "values are left on the stack at the end"
			      : "more than one value is left");
		break;
	case PROGRAM_UNDERFLOW:
		fail(run, LINT_CFI_EXPRESSION, token,
		     assigns && fold->depth == 1 ? "no variable to assign to"
						 : "the operator has too few operands");
		break;
	case PROGRAM_BAD_TARGET:
		fail(run, LINT_CFI_EXPRESSION, token,
		     fold->stack[fold->depth - 2].bare
			     ? "only names that begin with '$' are variables"
			     : "no variable to assign to");
		break;
	default:
		break;
	}
}

/* Folds a text; false if it fails. An expression's value is the only one on the fold's stack. */
static bool
run_text(struct run *run, struct text text, size_t skip)
{
	const struct program *program;

	arena_reset(run->work);
	program = program_compile(run->work, run->reading->module.arch, ARCH_NAMES_EXACT, text,
				  (struct place){ 0 });
	run->skip = skip;
	run->fold.program = program;
	run->fold.assigned = program == NULL ? NULL
			     : arena_array(run->work, program->name_count + 1,
					   sizeof(*run->fold.assigned));
	run->fold.use = use_name;
	run->fold.operate = check_operator;
	run->fold.context = run;
	if (run->fold.assigned == NULL) {
		run->reading->memory_ended = true;
		return false;
	}
	if (program->token_count == 0)
		return false;
	if (fold_run(&run->fold, run->win ? PROGRAM_ASSIGNMENTS : PROGRAM_EXPRESSION))
		return true;
	report_failure(run);
	return false;
}

static void
check_name(struct run *run, struct text name, size_t skip)
{
	const struct arch *arch = run->reading->module.arch;
	size_t digits = 0;

	while (digits < name.length && ((name.start[digits] >= '0' && name.start[digits] <= '9') ||
					(digits == 0 && name.start[0] == '-')))
		digits++;
	/* A number, an operator or an empty token cannot be a register. */
	if (digits == name.length || name.start[name.length - 1] == ':' ||
	    (name.length == 1 && strchr("+-*/%@^=", name.start[0]) != NULL)) {
		add_issue(run, LINT_CFI_COLON, skip, name.length + 1, "%s", "");
		return;
	}
	if (arch->register_count > 0 && !text_is(name, ".cfa") && !text_is(name, ".ra") &&
	    arch_register(arch, name, ARCH_NAMES_EXACT) == ARCH_NO_REGISTER)
		add_issue(run,
			is_untracked(name) ? LINT_CFI_UNTRACKED_REGISTER
					   : LINT_CFI_UNKNOWN_REGISTER,
			skip, name.length, "'%.*s' on %s", TEXT_UPTO(name, 60), arch->name);
}

/* Reports an earlier rule for the register of the rule at `skip`. */
static void
check_twice(struct run *run, struct text text, struct text name, size_t skip)
{
	const char *at = text.start, *end = text.start + skip;

	if (skip > LONGEST_RULES || name.length == 0)
		return;
	while ((at = memmem(at, (size_t)(end - at), name.start, name.length + 1)) != NULL) {
		if (at == text.start || rule_is_break(at[-1])) {
			add_issue(run, LINT_CFI_RULE_TWICE, skip, name.length + 1, "'%.*s'",
				TEXT_UPTO(name, 60));
			return;
		}
		at++;
	}
}

static void
run_rule(struct run *run, struct text name, struct text text, size_t skip)
{
	struct lint_rules *rules = run->rules;
	const struct linear *value = &run->fold.stack[0].linear;

	run->of_cfa = text_is(name, ".cfa");
	run->of_ra = text_is(name, ".ra");
	rules->has_cfa |= run->of_cfa;
	rules->has_ra |= run->of_ra;
	const bool good = run_text(run, text, skip);
	const enum lint_value kind = !value->known || (value->dereference &&
						       value->base != LINEAR_CFA) ? VALUE_ANY
				     : value->dereference	   ? VALUE_SAVED
				     : value->base == LINEAR_NONE ? VALUE_NUMBER
				     : value->base == LINEAR_CFA  ? VALUE_CFA
								  : VALUE_REGISTER;
	const struct lint_rule rule = {
		.reg = run->of_cfa ? LINT_CFA
		       : run->of_ra ? LINT_RA
		       : arch_register(run->reading->module.arch, name, ARCH_NAMES_EXACT),
		.kind = good ? kind : VALUE_NONE,
		.base = good ? value->base : 0, .number = good ? signed_number(run, value) : 0,
		.skip = (uint32_t)skip, .length = (uint32_t)text.length };
	run->reading->memory_ended |= !ARENA_ADD(run->arena, rules->rules, rules->rule_count,
						 run->rule_capacity, &rule);
}

/* Names are tokens with a colon at the end; the text between two names is an expression. */
static void
run_rules(struct run *run, struct text text)
{
	struct text name = { 0 };
	size_t name_skip = 0, expression = 0;

	for (size_t at = 0; at <= text.length;) {
		while (at < text.length && rule_is_break(text.start[at]))
			at++;
		size_t start = at;
		while (at < text.length && !rule_is_break(text.start[at]))
			at++;
		const bool last = at == start;
		if (!last && text.start[at - 1] != ':') {
			if (name.start != NULL)
				continue;
			add_issue(run, LINT_CFI_SYNTAX, start, at - start, "%s",
				  "an expression without a name");
			return;
		}
		size_t end = start;
		while (end > expression && rule_is_break(text.start[end - 1]))
			end--;
		if (name.start != NULL && end <= expression) {
			add_issue(run, LINT_CFI_SYNTAX, name_skip, name.length + 1, "%s",
				  "a name without an expression");
			return;
		}
		if (name.start != NULL)
			run_rule(run, name, (struct text){ text.start + expression,
							   end - expression }, expression);
		if (last)
			return;
		name = (struct text){ text.start + start, at - start - 1 };
		name_skip = start;
		check_name(run, name, start);
		check_twice(run, text, name, start);
		while (at < text.length && rule_is_break(text.start[at]))
			at++;
		expression = at;
	}
}

static void
run_program(struct run *run, struct text text)
{
	static const struct {
		const char *name;
		enum lint_code missing;
	} results[] = { { "$eip", LINT_WIN_NO_EIP }, { "$esp", LINT_WIN_NO_ESP } };
	const struct program_fold *fold = &run->fold;

	run_text(run, text, 0);
	if (fold->assigned == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(results); i++) {
		bool set = false;

		for (size_t j = 0; j < fold->program->name_count; j++)
			set |= fold->assigned[j].text.start != NULL &&
			       text_is(fold->program->names[j].text, results[i].name);
		if (!set)
			add_issue(run, results[i].missing, 0, text.length, "%s", "");
	}
}

static const struct lint_rules *
look_at(struct lint_reading *reading, struct arena *arena, struct text text, bool win)
{
	struct lint_rules *rules = arena_alloc(arena, sizeof(*rules));
	struct run run = { .reading = reading, .arena = arena, .rules = rules, .win = win,
			   .work = &reading->expressions->work };

	if (rules == NULL) {
		reading->memory_ended = true;
		return NULL;
	}
	rules->text = text;
	if (win)
		run_program(&run, text);
	else
		run_rules(&run, text);
	return rules;
}

const struct lint_rules *
lint_rules(struct lint_reading *reading, struct text text, bool win)
{
	const uint64_t hash = hash_words(HASH_START, text.start, text.length);

	if (reading->expressions == NULL) {
		reading->expressions = arena_alloc(reading->scratch, sizeof(*reading->expressions));
		if (reading->expressions == NULL) {
			reading->memory_ended = true;
			return NULL;
		}
	}
	struct lint_expressions *known = reading->expressions;
	const struct lint_rules *rules = hash_find(&known->rules, hash, win);
	if (rules != NULL && text_equal(rules->text, text))
		return rules;
	if (rules != NULL || known->rules.count == MOST_ENTRIES) {
		arena_reset(&known->spare);
		return look_at(reading, &known->spare, text, win);
	}
	rules = look_at(reading, reading->scratch, text, win);
	if (rules != NULL)
		hash_put(&known->rules, hash, win, rules);
	return rules;
}

void
lint_expressions_free(struct lint_reading *reading)
{
	if (reading->expressions == NULL)
		return;
	hash_free(&reading->expressions->rules);
	arena_free(&reading->expressions->work);
	arena_free(&reading->expressions->spare);
	reading->expressions = NULL;
}
