/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/output.h"
#include "inspect/expression/value_expression.h"
#include "rules/program.h"
#include "symbols/fields.h"

/* Maximum size of a typed expression in bytes. */
#define MOST_BYTES 4096u

struct reader_of_terms {
	struct surroundings *around;
	const struct frame *frame;
	struct arena *arena;
	struct output_string how;	/* terms with their values */
	size_t terms;
	bool plain, unnamed;
};

/* Parses a hexadecimal number: 7ffe1000, 0x7ffe1000 or WinDbg's 7fff`12345678. */
static bool
read_number(struct text text, uint64_t *number)
{
	size_t at = text.length > 2 && text.start[0] == '0' &&
				    (text.start[1] == 'x' || text.start[1] == 'X')
			    ? 2 : 0;
	size_t digits = 0;

	*number = 0;
	for (; at < text.length; at++) {
		const unsigned digit = field_digits[(unsigned char)text.start[at]];

		if (text.start[at] == '`' && digits > 0)
			continue;
		if (digit == 0 || *number >> 60 != 0)
			return false;
		*number = *number << 4 | (digit & 15);
		digits++;
	}
	return digits > 0;
}

int
expression_register(const struct arch *arch, struct text text)
{
	const size_t mark = text.length > 1 && (text.start[0] == '$' || text.start[0] == '@');
	const struct text name = { text.start + mark, text.length - mark };
	const struct {
		const char *name;
		int reg;
	} common[] = { { "pc", arch->pc }, { "sp", arch->sp }, { "fp", arch->fp } };
	int reg = arch_register(arch, text.start[0] == '@' ? name : text, ARCH_NAMES_ALIASES);

	for (size_t i = 0; reg == ARCH_NO_REGISTER && mark && i < ARRAY_COUNT(common); i++)
		if (text_is(name, common[i].name))
			reg = common[i].reg;
	return reg;
}

/* Parses one term. Returns an error; NULL: none. */
static const char *
read_term(struct reader_of_terms *terms, struct text text, uint64_t *value)
{
	const bool dollar = text.length > 0 && (text.start[0] == '$' || text.start[0] == '@');
	const struct output *how = &terms->how.output;

	terms->terms++;
	if (!dollar && read_number(text, value)) {
		output_format(how, "0x%" PRIx64, *value);
		return NULL;
	}
	terms->plain = false;
	const int reg = expression_register(terms->around->arch, text);
	const bool named = reg != ARCH_NO_REGISTER;
	bool known = named && terms->frame != NULL &&
		     registers_known(&terms->frame->registers, reg);
	if (known)
		*value = terms->frame->registers.value[reg];
	else if (!named && !dollar)
		known = surroundings_find(terms->around, text, value);
	if (known) {
		output_text(how, text);
		output_format(how, " 0x%" PRIx64, *value);
		return NULL;
	}
	terms->unnamed = !named && !dollar;
	const char *shown = text_printable_copy(terms->arena, text);
	return arena_format(terms->arena, named ? "register '%s' has no value in this frame"
			    : dollar ? "there is no register '%s'"
				     : "'%s' is not a number, a register or a known function",
			    shown != NULL ? shown : "");
}

static const char *
read_sum(struct reader_of_terms *terms, struct text text, uint64_t *sum)
{
	const char *wrong = NULL;
	char sign = '+';

	*sum = 0;
	while (wrong == NULL) {
		size_t length = 0;
		uint64_t value = 0;

		while (length < text.length && text.start[length] != '+' &&
		       text.start[length] != '-')
			length++;
		const struct text term = text_trimmed((struct text){ text.start, length });
		if (term.length == 0)
			return "missing term next to '+' or '-'";
		if (terms->terms > 0)
			output_format(&terms->how.output, " %c ", sign);
		wrong = read_term(terms, term, &value);
		*sum = sign == '+' ? *sum + value : *sum - value;
		if (length == text.length)
			break;
		sign = text.start[length];
		text = (struct text){ text.start + length + 1, text.length - length - 1 };
	}
	return wrong;
}

static const char *
run_postfix(struct reader_of_terms *terms, struct text text, uint64_t *value)
{
	const struct arch *arch = terms->around->arch;
	const struct environment environment = { .arch = arch, .memory = &terms->around->memory };
	const struct rule rule = { .program = program_compile(terms->arena, arch,
							      ARCH_NAMES_ALIASES, text,
							      (struct place){ 0 }) };
	const struct registers none = { 0 };
	struct outcome outcome = { 0 };
	char failure[200];

	if (rule.program == NULL)
		return OUT_OF_MEMORY;
	if (!rule_evaluate(&rule, &environment,
			   terms->frame != NULL ? &terms->frame->registers : &none, NULL, NULL,
			   &outcome))
		return arena_format(terms->arena, "%s",
				    program_explain(rule.program, &outcome, failure,
						    sizeof(failure)));
	*value = outcome.value;
	output_text(&terms->how.output, text);
	return NULL;
}

/* Whether a text is written as a formula that reads memory or multiplies: [rsp+24], 5*8. */
static bool
is_formula(struct text text)
{
	return text.length > 0 && (memchr("[(*", text.start[0], 3) != NULL ||
		(isdigit((unsigned char)text.start[0]) &&
		 memchr(text.start, '*', text.length) != NULL));
}

/* Whether a text ends with a separate operator: $rsp 8 +. */
static bool
is_postfix(struct text text)
{
	return text.length >= 2 && text.start[text.length - 2] == ' ' &&
	       memchr("+-*/%@^", text.start[text.length - 1], 7) != NULL;
}

struct expression
expression_of(struct surroundings *around, const struct frame *frame, struct text text,
	      struct arena *arena)
{
	struct reader_of_terms terms = { .around = around, .frame = frame, .arena = arena,
					 .plain = true };
	struct expression expression = { 0 };
	const char *wrong;

	text = text_trimmed(text);
	output_string_init(&terms.how, arena);
	if (text.length == 0 || text.length > MOST_BYTES)
		wrong = text.length == 0 ? "expected an address, register, function or expression"
					 : "the expression is too long";
	else if (is_postfix(text)) {
		terms.plain = false;
		wrong = run_postfix(&terms, text, &expression.value);
	} else {
		/* Names of functions may contain any character. */
		uint64_t number;

		if (!read_number(text, &number) &&
		    surroundings_find(around, text, &expression.value))
			wrong = read_term(&terms, text, &expression.value);
		else
			wrong = read_sum(&terms, text, &expression.value);
		if (wrong != NULL && is_formula(text))
			wrong = arena_format(arena,
				"'%s' is no sum; postfix reads a word and multiplies: "
				"%s 24 + ^, 3 8 *",
				text_or_empty(text_printable_copy(arena, text)),
				text_or_empty(around->arch->registers[around->arch->sp].name));
	}
	expression.known = wrong == NULL;
	expression.value = arch_wrap(around->arch, expression.value);
	expression.numbers = terms.plain;
	expression.plain = terms.plain && terms.terms == 1;
	expression.unnamed = terms.unnamed;
	expression.text = wrong != NULL ? wrong : terms.how.text;
	if (expression.text == NULL)
		expression = (struct expression){ .text = OUT_OF_MEMORY };
	return expression;
}

/* Expressions over variables ------------------------------------------------------------------- */

/* Whether a text has a word that may name a variable; a word after $ or @ names a register. */
static bool
has_word(struct text text)
{
	for (size_t i = 0; i < text.length; i++) {
		const char sign = text.start[i];
		const char before = i > 0 ? text.start[i - 1] : ' ';

		if (((sign | 0x20) >= 'a' && (sign | 0x20) <= 'z') || sign == '_' ||
		    (unsigned char)sign >= 0x80) {
			if (before == ' ' || strchr("()[]*&-+!~<>=|^/%,", before) != NULL)
				return true;
		}
	}
	return false;
}

/* Parses a text as C. */
static struct expression
read_typed(struct surroundings *around, struct value_frame *variables, size_t call,
	   struct text text, struct arena *arena)
{
	struct value_expression *typed = arena_alloc(arena, sizeof(*typed));
	struct expression expression = { .typed = typed, .text = OUT_OF_MEMORY };

	if (typed == NULL)
		return expression;
	*typed = value_expression_of(variables, call, text, around, arena);
	const struct typed_value *value = &typed->value.value;
	if (typed->wrong != NULL) {
		expression.typed = NULL;
		expression.text = text_or_empty(arena_format(arena, "column %zu: %s", typed->column,
							     typed->wrong));
		return expression;
	}
	const char *why = value->why;
	if (why == NULL && around->crash->redacted) {
		why = CRASH_REDACTED;
	} else if (why == NULL && value->target.home == NULL) {
		const enum debug_type_kind kind = value->type->kind;
		if (kind != DEBUG_TYPE_FLOAT && kind != DEBUG_TYPE_COMPLEX &&
		    !value_is_composite(value->type) && value->type->size > 0 &&
		    value->type->size <= 8)
			why = value_number(value, &expression.value);
		else if (value->in_memory)
			expression.value = value->address;
	}
	expression.known = why == NULL;
	expression.text = why != NULL ? why : "";
	return expression;
}

struct expression
expression_in(struct surroundings *around, const struct expression_scope *scope, struct text text,
	      struct arena *arena)
{
	const bool framed = scope->walk != NULL && scope->frame < scope->walk->count;
	const struct frame *frame = framed ? &scope->walk->frames[scope->frame] : NULL;
	struct value_frame *variables = NULL;

	text = text_trimmed(text);
	if (framed && has_word(text))
		variables = frame_variables_of(scope->walk, &around->memory, scope->frame, arena);
	if (variables != NULL && value_expression_names_variable(variables, text))
		return read_typed(around, variables, scope->call, text, arena);
	const struct expression plain = expression_of(around, frame, text, arena);
	const bool may_be_names = plain.numbers && variables != NULL;
	if ((plain.known && !may_be_names) || !framed || is_postfix(text))
		return plain;
	if (variables == NULL)
		variables = frame_variables_of(scope->walk, &around->memory, scope->frame, arena);
	if (variables == NULL)
		return plain;
	const struct expression typed = read_typed(around, variables, scope->call, text, arena);
	if (plain.known)
		return typed.typed != NULL ? typed : plain;
	/* If nothing matches, the operators in the text decide which error is shown. */
	for (size_t i = 0; i < text.length; i++)
		if (strchr("()[].<>=|&*/%!~'", text.start[i]) != NULL && text.start[i] != '\0')
			return typed;
	/* The error about a variable may name the frame that has it. */
	return typed.typed != NULL || (plain.unnamed && variables->why == NULL) ? typed : plain;
}
