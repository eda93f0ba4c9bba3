/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "lint/lint_internal.h"
#include "rules/edit.h"
#include "rules/program.h"

/*
 * Rules and programs, run without registers or memory: values are constants, distances from the
 * stack pointer or the CFA, or anything. What fails so fails whatever the registers are.
 */

struct value {
	enum lint_value kind;
	int64_t number;		/* the distance; of a name its index */
	uint32_t token;		/* of a name, that pushed it */
	int reg;		/* of VALUE_REGISTER */
};

enum {
	MOST_ENTRIES = 1 << 20,
	LONGEST_RULES = 4096,		/* bytes that are looked through for a rule's like */
};

struct lint_expressions {
	struct hash rules;	/* by a hash of their text, and whether it is a program */
	struct arena work;	/* of a program while it is run */
	struct arena spare;	/* of rules that there is no room to remember */
};

/* One expression or program while it is run. */
struct run {
	struct lint_reading *reading;
	struct arena *arena;		/* of what is remembered */
	struct arena *work;
	struct lint_rules *rules;
	size_t capacity, rule_capacity;	/* of the issues, of the rules */
	size_t skip;			/* of the program's text in that of the record */
	const struct program *program;
	bool win, of_cfa, of_ra;	/* the rule is that of .cfa itself, of .ra itself */
	bool *assigned;			/* by name */
	struct value *stack;
	size_t depth;
	bool failed;
};

static ATTRIBUTE_PRINTF(5, 6) void
add_issue(struct run *run, enum lint_code code, size_t skip, size_t length, const char *format,
	  ...)
{
	struct lint_rules *rules = run->rules;
	struct lint_issue *list = arena_grow(run->arena, rules->issues, rules->issue_count,
					     &run->capacity, sizeof(*list));
	char text[300];

	if (list == NULL) {
		run->reading->memory_ended = true;
		return;
	}
	TEXT_FORMAT(text, format);
	const char *copy = arena_copy(run->arena, text, strlen(text));
	rules->issues = list;
	list[rules->issue_count++] = (struct lint_issue){
		code, (uint32_t)skip, (uint32_t)length, copy != NULL ? copy : "" };
}

/* The expression fails at a token: nothing behind it is looked at. */
static void
fail(struct run *run, enum lint_code code, size_t token, const char *text)
{
	const struct token *at = &run->program->tokens[token];

	run->failed = true;
	add_issue(run, run->win && code != LINT_WIN_INPUT ? LINT_WIN_PROGRAM : code,
		  run->skip + at->skip, at->length, "%s",
		  text);
}

/* Registers of floating point and vectors: real ones, but no walker keeps them. */
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

/* Names that a STACK WIN program finds set. */
static bool
is_win_input(struct text name)
{
	static const char *const inputs[] = {
		"$esp", "$ebp", "$ebx", ".cbCalleeParams", ".cbSavedRegs", ".cbLocals", ".cbParams",
		".raSearchStart", ".raSearch" };

	for (size_t i = 0; i < ARRAY_COUNT(inputs); i++)
		if (text_equal(name, text_of(inputs[i])))
			return true;
	return false;
}

/* What is wrong with a name that was meant for a number. */
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

static void
resolve(struct run *run, struct value *value)
{
	const struct program_name *name = &run->program->names[value->number];
	const struct arch *arch = run->reading->arch;
	const size_t index = (size_t)value->number;

	value->kind = VALUE_ANY;
	if (run->assigned[index])
		return;
	if (!run->win && !run->of_cfa && text_equal(name->text, text_of(".cfa"))) {
		value->kind = VALUE_CFA;
		value->number = 0;
	} else if (name->reg != ARCH_NO_REGISTER && !run->win) {
		*value = (struct value){ .kind = VALUE_REGISTER, .reg = name->reg };
	} else if (run->win && name->reg != ARCH_NO_REGISTER && !is_win_input(name->text)) {
		fail(run, LINT_WIN_INPUT, value->token, arch->registers[name->reg].name);
	} else if (name->reg == ARCH_NO_REGISTER && arch->register_count > 0 &&
		   !(run->win && is_win_input(name->text)) &&
		   !text_equal(name->text, text_of(".undef"))) {
		const bool is_ra = text_equal(name->text, text_of(".ra"));
		char text[160];

		if (is_untracked(name->text)) {
			run->failed = true;
			return;
		}
		snprintf(text, sizeof(text), "'%.*s'%s",
			 (int)(name->text.length < 80 ? name->text.length : 80), name->text.start,
			 run->of_cfa && text_equal(name->text, text_of(".cfa"))
				 ? " in its own rule"
			 : is_ra ? ", which is not a register" : odd_number(name->text));
		if (is_ra && run->of_ra)
			fail(run, LINT_CFI_RA_ITSELF, value->token, "");
		else
			fail(run, LINT_CFI_UNKNOWN_NAME, value->token, text);
	}
}

static bool
pop(struct run *run, size_t token, struct value *value)
{
	if (run->depth == 0) {
		fail(run, LINT_CFI_EXPRESSION, token, "the operator has too few operands");
		return false;
	}
	*value = run->stack[--run->depth];
	if (value->kind == VALUE_NAME)
		resolve(run, value);
	return !run->failed;
}

static void
push(struct run *run, struct value value)
{
	if (run->depth == LIMIT_POSTFIX_DEPTH)
		run->failed = true;
	else
		run->stack[run->depth++] = value;
}

static struct value
add(struct value a, struct value b, bool subtract)
{
	const struct value any = { .kind = VALUE_ANY };
	int64_t number;

	if (!subtract && a.kind == VALUE_NUMBER) {
		struct value swap = a;

		a = b;
		b = swap;
	}
	if (b.kind != VALUE_NUMBER || a.kind == VALUE_ANY || a.kind == VALUE_SAVED)
		return any;
	if (subtract ? __builtin_sub_overflow(a.number, b.number, &number)
		     : __builtin_add_overflow(a.number, b.number, &number))
		return any;
	a.number = number;
	return a;
}

static void
run_arithmetic(struct run *run, size_t token, enum operation operation)
{
	struct value a, b, result = { .kind = VALUE_ANY };

	if (!pop(run, token, &b) || !pop(run, token, &a))
		return;
	if (operation == OPERATION_ADD || operation == OPERATION_SUBTRACT)
		result = add(a, b, operation == OPERATION_SUBTRACT);
	if ((operation == OPERATION_DIVIDE || operation == OPERATION_MODULO) &&
	    b.kind == VALUE_NUMBER && b.number == 0)
		fail(run, LINT_CFI_DIVISION, token, "the divisor is 0");
	if (operation == OPERATION_ALIGN && b.kind == VALUE_NUMBER &&
	    (b.number <= 0 || (b.number & (b.number - 1)) != 0))
		fail(run, LINT_CFI_ALIGNMENT, token, "the second value is not a power of two");
	push(run, result);
}

static void
run_assign(struct run *run, size_t token)
{
	struct value value;

	if (!pop(run, token, &value))
		return;
	if (run->depth == 0 || run->stack[run->depth - 1].kind != VALUE_NAME) {
		fail(run, LINT_CFI_EXPRESSION, token, "no variable to assign to");
		return;
	}
	const size_t name = (size_t)run->stack[--run->depth].number;
	if (run->program->names[name].text.start[0] != '$')
		fail(run, LINT_CFI_EXPRESSION, token, "only names that begin with '$' are "
						      "variables");
	run->assigned[name] = true;
}

static void
run_token(struct run *run, size_t index)
{
	const struct token *token = &run->program->tokens[index];
	const bool narrow = run->reading->arch->word_size == 4;
	const int64_t number = narrow ? (int32_t)(uint32_t)token->value : (int64_t)token->value;
	struct value value;

	switch (token->operation) {
	case OPERATION_NUMBER:
		push(run, (struct value){ .kind = VALUE_NUMBER, .number = number });
		break;
	case OPERATION_NAME:
		push(run, (struct value){ .kind = VALUE_NAME, .number = token->name,
					  .token = (uint32_t)index });
		break;
	case OPERATION_READ:
		if (!pop(run, index, &value))
			break;
		value.kind = value.kind == VALUE_CFA ? VALUE_SAVED : VALUE_ANY;
		push(run, value);
		break;
	case OPERATION_ASSIGN:
		run_assign(run, index);
		break;
	default:
		run_arithmetic(run, index, token->operation);
		break;
	}
}

/* Run a text; the value that it leaves, where it is an expression and leaves one. */
static bool
run_text(struct run *run, struct text text, size_t skip, struct value *value)
{
	struct value stack[LIMIT_POSTFIX_DEPTH];

	arena_reset(run->work);
	run->program = program_compile(run->work, run->reading->arch, ARCH_NAMES_EXACT, text,
				       (struct place){ 0 });
	run->skip = skip;
	run->stack = stack;
	run->depth = 0;
	run->failed = false;
	if (run->program != NULL)
		run->assigned = arena_array(run->work, run->program->name_count + 1,
					    sizeof(*run->assigned));
	if (run->program == NULL || run->assigned == NULL) {
		run->reading->memory_ended = true;
		return false;
	}
	for (size_t i = 0; i < run->program->token_count && !run->failed; i++)
		run_token(run, i);
	if (run->failed || run->program->token_count == 0)
		return false;
	const size_t last = run->program->token_count - 1;
	if (run->win && run->depth != 0)
		fail(run, LINT_WIN_PROGRAM, last, "values are left on the stack at the end");
	if (run->win)
		return !run->failed;
	if (run->depth != 1)
		fail(run, LINT_CFI_EXPRESSION, last,
		     run->depth == 0 ? "no value is left" : "more than one value is left");
	return !run->failed && pop(run, last, value);
}

/* A token that cannot be a register: a number, an operator, nothing. */
static bool
is_odd_name(struct text name)
{
	size_t digits = 0;

	while (digits < name.length && ((name.start[digits] >= '0' && name.start[digits] <= '9') ||
					(digits == 0 && name.start[0] == '-')))
		digits++;
	return name.length == 0 || digits == name.length || name.start[name.length - 1] == ':' ||
	       (name.length == 1 && strchr("+-*/%@^=", name.start[0]) != NULL);
}

static void
check_name(struct run *run, struct text name, size_t skip)
{
	const struct arch *arch = run->reading->arch;

	if (is_odd_name(name)) {
		add_issue(run, LINT_CFI_COLON, skip, name.length + 1, "%s", "");
		return;
	}
	if (arch->register_count > 0 && !text_equal(name, text_of(".cfa")) &&
	    !text_equal(name, text_of(".ra")) &&
	    arch_register(arch, name, ARCH_NAMES_EXACT) == ARCH_NO_REGISTER)
		add_issue(run, is_untracked(name) ? LINT_CFI_UNTRACKED_REGISTER
						  : LINT_CFI_UNKNOWN_REGISTER,
			  skip, name.length, "'%.*s' on %s",
			  (int)(name.length < 60 ? name.length : 60), name.start, arch->name);
}

/* Another rule for the same register before the one that begins at `skip`. */
static void
check_twice(struct run *run, struct text text, struct text name, size_t skip)
{
	const char *at = text.start, *end = text.start + skip;

	if (skip > LONGEST_RULES || name.length == 0)
		return;
	while ((at = memmem(at, (size_t)(end - at), name.start, name.length + 1)) != NULL) {
		if (at == text.start || rule_is_break(at[-1])) {
			add_issue(run, LINT_CFI_RULE_TWICE, skip, name.length + 1, "'%.*s'",
				  (int)(name.length < 60 ? name.length : 60), name.start);
			return;
		}
		at++;
	}
}

/* One rule, which is kept with its value. */
static void
run_rule(struct run *run, struct text name, struct text text, size_t skip)
{
	struct lint_rules *rules = run->rules;
	struct value value = { 0 };

	run->of_cfa = text_equal(name, text_of(".cfa"));
	run->of_ra = text_equal(name, text_of(".ra"));
	rules->has_cfa |= run->of_cfa;
	rules->has_ra |= run->of_ra;
	const bool good = run_text(run, text, skip, &value);
	struct lint_rule *rule = ARENA_PUSH(run->arena, rules->rules, rules->rule_count,
					    run->rule_capacity);
	if (rule == NULL) {
		run->reading->memory_ended = true;
		return;
	}
	*rule = (struct lint_rule){
		.reg = run->of_cfa ? LINT_CFA
		       : run->of_ra ? LINT_RA
		       : arch_register(run->reading->arch, name, ARCH_NAMES_EXACT),
		.kind = good ? value.kind : VALUE_NONE, .base = value.reg, .number = value.number,
		.skip = (uint32_t)skip, .length = (uint32_t)text.length };
}

/* Names are tokens that end in a colon; what stands between them are expressions. */
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
	struct value value;

	run_text(run, text, 0, &value);
	if (run->program == NULL || run->assigned == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(results); i++) {
		bool set = false;

		for (size_t j = 0; j < run->program->name_count; j++)
			set |= run->assigned[j] && text_equal(run->program->names[j].text,
							      text_of(results[i].name));
		if (!set)
			add_issue(run, results[i].missing, 0, text.length, "%s", "");
	}
}

static uint64_t
hash_of(struct text text, bool win)
{
	uint64_t hash = text.length * 2 + win, word;
	size_t at = 0;

	for (; at + sizeof(word) <= text.length; at += sizeof(word)) {
		memcpy(&word, text.start + at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	for (; at < text.length; at++)
		hash = (hash ^ (unsigned char)text.start[at]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
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
	const uint64_t hash = hash_of(text, win);

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
