/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * A number as Breakpad's C++ stream extraction parses it: an optional '-', then an unsigned number
 * that may have its own sign ("--8" is 8).
 */
static bool
parse_number(const struct arch *arch, struct text text, uint64_t *value)
{
	uint64_t number;
	bool negative = false;
	size_t i = 0;

	if (i < text.length && text.start[i] == '-') {
		negative = true;
		i++;
	}
	if (i < text.length && (text.start[i] == '-' || text.start[i] == '+')) {
		negative ^= text.start[i] == '-';
		i++;
	}
	text = (struct text){ text.start + i, text.length - i };
	if (!text_number(text, 10, &number) || number > arch_wrap(arch, UINT64_MAX))
		return false;
	*value = arch_wrap(arch, negative ? 0 - number : number);
	return true;
}

/* The operators; tokens of two or more characters are never operators. */
static const struct {
	char sign;
	enum operation operation;
} operators[] = {
	{ '+', OPERATION_ADD },	     { '-', OPERATION_SUBTRACT }, { '*', OPERATION_MULTIPLY },
	{ '/', OPERATION_DIVIDE },   { '%', OPERATION_MODULO },	  { '@', OPERATION_ALIGN },
	{ '^', OPERATION_READ },     { '=', OPERATION_ASSIGN },
};

struct compiler {
	struct program *program;
	struct token *tokens;
	struct program_name *names;
	const struct arch *arch;
	enum arch_names spelling;
};

static bool
name_index(struct compiler *compiler, struct text text, uint32_t *index)
{
	struct program *program = compiler->program;

	for (size_t i = 0; i < program->name_count; i++) {
		if (text_equal(compiler->names[i].text, text)) {
			*index = (uint32_t)i;
			return true;
		}
	}
	if (program->name_count == LIMIT_POSTFIX_VARIABLES)
		return false;
	*index = (uint32_t)program->name_count++;
	compiler->names[*index] = (struct program_name){
		.text = text, .reg = arch_register(compiler->arch, text, compiler->spelling)
	};
	return true;
}

static bool
add_token(struct compiler *compiler, size_t skip, size_t length)
{
	struct program *program = compiler->program;
	const struct text text = { program->text.start + skip, length };
	struct token token = { .operation = OPERATION_NAME,
			       .skip = (uint32_t)skip,
			       .length = (uint32_t)length };

	if (program->token_count == LIMIT_POSTFIX_TOKENS || skip + length > UINT32_MAX)
		return false;
	if (parse_number(compiler->arch, text, &token.value))
		token.operation = OPERATION_NUMBER;
	else if (length == 1)
		for (size_t i = 0; i < ARRAY_COUNT(operators); i++)
			if (operators[i].sign == text.start[0])
				token.operation = operators[i].operation;
	if (token.operation == OPERATION_NAME && !name_index(compiler, text, &token.name))
		return false;
	compiler->tokens[program->token_count++] = token;
	return true;
}

/* An upper bound of the number of tokens, at most the limit; "=x" counts as two. */
static size_t
most_tokens(struct text text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length && count < LIMIT_POSTFIX_TOKENS; i++)
		count += (size_t)(text.start[i] == '=') +
			 (!is_space(text.start[i]) && (i == 0 || is_space(text.start[i - 1])));
	return count;
}

const struct program *
program_compile(struct arena *arena, const struct arch *arch, enum arch_names spelling,
		struct text text, struct place place)
{
	struct program *program = arena_alloc(arena, sizeof(*program));

	if (program == NULL)
		return NULL;
	*program = (struct program){ .text = text, .place = place };
	/* Allocate no more than needed: a session of 2,000 threads keeps some 100,000 programs. */
	const size_t most = most_tokens(text);
	struct compiler compiler = {
		.program = program,
		.arch = arch,
		.spelling = spelling,
		.tokens = arena_array(arena, most, sizeof(*compiler.tokens)),
		.names = arena_array(arena, most < LIMIT_POSTFIX_VARIABLES
						    ? most : LIMIT_POSTFIX_VARIABLES,
				     sizeof(*compiler.names)),
	};
	if (compiler.tokens == NULL || compiler.names == NULL)
		return NULL;
	for (size_t i = 0; i < text.length && !program->too_long;) {
		size_t start = i;

		while (i < text.length && !is_space(text.start[i]))
			i++;
		/* "=$eip" is two tokens. */
		const bool two = i > start + 1 && text.start[start] == '=';
		if (i == start)
			i++;
		else if (two)
			program->too_long = !add_token(&compiler, start, 1) ||
					    !add_token(&compiler, start + 1, i - start - 1);
		else
			program->too_long = !add_token(&compiler, start, i - start);
	}
	program->tokens = compiler.tokens;
	program->names = compiler.names;
	return program;
}

struct place
program_token_place(const struct program *program, size_t token)
{
	const struct token *at = &program->tokens[token];

	return place_part(program->place, at->skip, at->length);
}

/* An entry of the stack: a name until it is popped, else a value. */
struct operand {
	uint64_t value;
	uint32_t name;		/* index of the name, or NO_NAME */
	uint32_t from;
};

#define NO_NAME UINT32_MAX

struct evaluation {
	const struct program *program;
	const struct environment *environment;
	struct variable *variables;
	struct outcome *outcome;
	struct trace *trace;
	uint32_t event;				/* event of the current token */
	size_t depth;
	struct operand *stack;			/* LIMIT_POSTFIX_DEPTH entries */
	const struct cell **cells;		/* the stack's copy for the trace */
};

static bool
fail(struct evaluation *machine, enum program_failure failure)
{
	machine->outcome->failure = failure;
	return false;
}

static bool
pop_value(struct evaluation *machine, uint64_t *value, uint32_t *from)
{
	if (machine->depth == 0)
		return fail(machine, PROGRAM_UNDERFLOW);
	const struct operand *entry = &machine->stack[--machine->depth];
	if (entry->name == NO_NAME) {
		*value = entry->value;
		*from = entry->from;
		return true;
	}
	const struct variable *variable = &machine->variables[entry->name];
	if (!variable->known) {
		machine->outcome->name = machine->program->names[entry->name].text;
		return fail(machine, PROGRAM_UNKNOWN_NAME);
	}
	*value = variable->value;
	*from = variable->from;
	return true;
}

static void
push_cell(struct evaluation *machine, const struct operand *entry)
{
	struct trace *trace = machine->trace;
	struct cell *cell = trace->full ? NULL : arena_alloc(&trace->arena, sizeof(*cell));

	machine->cells[machine->depth - 1] = cell;
	if (cell == NULL) {
		trace->full = true;
		return;
	}
	*cell = (struct cell){
		.below = machine->depth > 1 ? machine->cells[machine->depth - 2] : NULL,
		.value = entry->value,
		.known = true,
		.from = entry->from,
	};
	if (entry->name != NO_NAME) {
		const struct variable *variable = &machine->variables[entry->name];

		cell->name = machine->program->names[entry->name].text;
		cell->value = variable->value;
		cell->known = variable->known;
		cell->from = variable->from;
	}
}

static ATTRIBUTE_INLINE bool
push(struct evaluation *machine, struct operand entry, struct trace *trace)
{
	if (machine->depth == LIMIT_POSTFIX_DEPTH)
		return fail(machine, PROGRAM_TOO_LONG);
	machine->stack[machine->depth++] = entry;
	if (trace != NULL)
		push_cell(machine, &entry);
	return true;
}

static ATTRIBUTE_INLINE bool
do_arithmetic(struct evaluation *machine, enum operation operation, struct trace *trace)
{
	uint64_t a, b, result;
	uint32_t from;

	if (!pop_value(machine, &b, &from) || !pop_value(machine, &a, &from))
		return false;
	switch (operation) {
	case OPERATION_ADD:
		result = a + b;
		break;
	case OPERATION_SUBTRACT:
		result = a - b;
		break;
	case OPERATION_MULTIPLY:
		result = a * b;
		break;
	case OPERATION_DIVIDE:
	case OPERATION_MODULO:
		if (b == 0)
			return fail(machine, PROGRAM_DIVISION_BY_ZERO);
		result = operation == OPERATION_DIVIDE ? a / b : a % b;
		break;
	default:
		if (!machine->environment->align_unchecked && (b == 0 || (b & (b - 1)) != 0))
			return fail(machine, PROGRAM_BAD_ALIGNMENT);
		result = a & ~(b - 1);
		break;
	}
	return push(machine,
		    (struct operand){ arch_wrap(machine->environment->arch, result), NO_NAME,
				    machine->event },
		    trace);
}

static ATTRIBUTE_INLINE bool
do_read(struct evaluation *machine, struct trace *trace)
{
	const struct environment *environment = machine->environment;
	struct place place = { 0 };
	uint64_t address, value = 0;
	uint32_t from;

	if (!pop_value(machine, &address, &from))
		return false;
	bool there = memory_read(environment->memory, address, environment->arch->word_size,
				 &value, trace != NULL ? &place : NULL);
	if (trace != NULL)
		trace_add(trace, machine->event,
			  &(struct event){ .kind = EVENT_READ,
					   .status = there ? EVENT_OK : EVENT_FAILED,
					   .reg = ARCH_NO_REGISTER, .from = from,
					   .address = address, .value = value, .place = place });
	if (!there) {
		machine->outcome->address = address;
		return fail(machine, PROGRAM_UNREADABLE);
	}
	return push(machine, (struct operand){ value, NO_NAME, machine->event }, trace);
}

static bool
do_assign(struct evaluation *machine)
{
	uint64_t value;
	uint32_t from;

	if (!pop_value(machine, &value, &from))
		return false;
	if (machine->depth == 0)
		return fail(machine, PROGRAM_UNDERFLOW);
	const struct operand *target = &machine->stack[--machine->depth];
	if (target->name == NO_NAME)
		return fail(machine, PROGRAM_BAD_TARGET);
	struct text name = machine->program->names[target->name].text;
	if (name.start[0] != '$') {
		machine->outcome->name = name;
		return fail(machine, PROGRAM_BAD_TARGET);
	}
	/* The origin of the value is the assignment, whose own origin is the operand. */
	machine->variables[target->name] = (struct variable){
		.value = value,
		.from = machine->event != TRACE_NONE ? machine->event : from,
		.known = true,
		.assigned = true,
	};
	if (machine->event != TRACE_NONE) {
		struct event *event = &machine->trace->events[machine->event];

		event->from = from;
		event->value = value;
		event->text = trace_copy(machine->trace, name);
	}
	return true;
}

static ATTRIBUTE_INLINE bool
do_token(struct evaluation *machine, const struct token *token, struct trace *trace)
{
	switch (token->operation) {
	case OPERATION_NUMBER:
		return push(machine, (struct operand){ token->value, NO_NAME, machine->event },
			    trace);
	case OPERATION_NAME:
		return push(machine, (struct operand){ 0, token->name, machine->event }, trace);
	case OPERATION_READ:
		return do_read(machine, trace);
	case OPERATION_ASSIGN:
		return do_assign(machine);
	default:
		return do_arithmetic(machine, token->operation, trace);
	}
}

/* The body of the evaluator, built once with a recorder and once without. */
static ATTRIBUTE_INLINE bool
evaluate(struct evaluation *machine, enum program_mode mode, struct trace *trace, uint32_t parent)
{
	const struct program *program = machine->program;
	char why[160];

	for (size_t i = 0; i < program->token_count; i++) {
		const struct token *token = &program->tokens[i];

		if (trace != NULL)
			machine->event = trace_add(
				trace, parent,
				&(struct event){ .kind = EVENT_TOKEN, .reg = ARCH_NO_REGISTER,
						 .detail = token->operation, .from = TRACE_NONE,
						 .place = program_token_place(program, i),
						 .name = { program->text.start + token->skip,
							   token->length } });
		machine->outcome->token = i;
		bool good = do_token(machine, token, trace);
		if (trace != NULL && machine->event != TRACE_NONE) {
			struct event *event = &trace->events[machine->event];

			if (!good)
				event->text = trace_copy(
					trace, text_of(program_explain(program, machine->outcome,
								       why, sizeof(why))));
			event->status = good ? EVENT_OK : EVENT_FAILED;
			event->stack = machine->depth > 0 ? machine->cells[machine->depth - 1]
							  : NULL;
			trace_close(trace, machine->event);
		}
		if (!good)
			return false;
	}
	if (machine->depth > (mode == PROGRAM_ASSIGNMENTS ? 0 : 1))
		return fail(machine, PROGRAM_LEFTOVER);
	if (mode == PROGRAM_ASSIGNMENTS)
		return true;
	if (machine->depth == 0)
		return fail(machine, PROGRAM_EMPTY);
	return pop_value(machine, &machine->outcome->value, &machine->outcome->from);
}

bool
program_run(const struct program *program, enum program_mode mode,
	    const struct environment *environment, struct variable *variables,
	    struct outcome *outcome)
{
	ATTRIBUTE_UNINITIALIZED struct operand stack[LIMIT_POSTFIX_DEPTH];
	ATTRIBUTE_UNINITIALIZED const struct cell *cells[LIMIT_POSTFIX_DEPTH];
	struct evaluation machine = { .program = program, .environment = environment,
				      .variables = variables, .outcome = outcome,
				      .trace = environment->trace, .event = TRACE_NONE,
				      .stack = stack, .cells = cells };

	*outcome = (struct outcome){ .from = TRACE_NONE };
	if (program->too_long)
		return fail(&machine, PROGRAM_TOO_LONG);
	return machine.trace == NULL
		? evaluate(&machine, mode, NULL, TRACE_NONE)
		: evaluate(&machine, mode, machine.trace, environment->parent);
}

/* Failures without further details. */
static const char *const plain[] = {
	[PROGRAM_OK] = "succeeded",
	[PROGRAM_EMPTY] = "the expression leaves no value",
	[PROGRAM_LEFTOVER] = "values are left on the stack at the end",
	[PROGRAM_BAD_ALIGNMENT] = "'@' aligns to a value that is not a power of two",
	[PROGRAM_TOO_LONG] = "more tokens, names or values than the limits allow",
};

const char *
program_explain(const struct program *program, const struct outcome *outcome, char *buffer,
		size_t size)
{
	const struct token none = { 0 };
	const struct token *token =
		program->token_count > 0 ? &program->tokens[outcome->token] : &none;
	const char sign = program->token_count > 0 ? program->text.start[token->skip] : ' ';
	const unsigned operands = token->operation == OPERATION_READ ? 1 : 2;
	char name[80];

	text_printable(name, sizeof(name), outcome->name);
	switch (outcome->failure) {
	case PROGRAM_UNDERFLOW:
		snprintf(buffer, size, "'%c' needs %u value%s, the stack has fewer", sign,
			 operands, plural(operands));
		break;
	case PROGRAM_UNKNOWN_NAME:
		snprintf(buffer, size, "'%s' has no value here%s", name,
			 strncmp(name, "0x", 2) == 0 ? "; numbers in rules are decimal" : "");
		break;
	case PROGRAM_UNREADABLE:
		snprintf(buffer, size, "memory at 0x%" PRIx64 " is not in the dump",
			 outcome->address);
		break;
	case PROGRAM_DIVISION_BY_ZERO:
		snprintf(buffer, size, "'%c' divides by zero", sign);
		break;
	case PROGRAM_BAD_TARGET:
		snprintf(buffer, size, outcome->name.length == 0
			 ? "'=' assigns to a number"
			 : "'=' assigns to '%s', which is not a variable", name);
		break;
	default:
		snprintf(buffer, size, "%s", plain[outcome->failure]);
		break;
	}
	return buffer;
}
