/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_PROGRAM_H
#define RULES_PROGRAM_H

#include "crash/arch.h"
#include "base/policy.h"
#include "crash/memory.h"
#include "rules/trace.h"

/**
 * The postfix language of Breakpad's symbol files, compiled and evaluated.
 *
 * STACK CFI rules and STACK WIN programs are written in it, and every other method of unwinding
 * produces it. Values are unsigned integers as wide as an address; arithmetic wraps. The stack
 * holds numbers and names. A name is resolved when it is popped; an unknown name fails then.
 *
 *	+ - *	sum, difference, product
 *	/ %	quotient and remainder; division by zero fails
 *	@	first value aligned down to a multiple of the second
 *	^	the word of memory at the address
 *	=	assign to a name that begins with '$'
 *	else	a decimal number with an optional sign, or a name
 *
 * Tokens are separated by white space; `=$eip` reads as `= $eip` (MSVC writes that). Source:
 * google/breakpad src/processor/postfix_evaluator-inl.h.
 */
enum operation {
	OPERATION_NUMBER,
	OPERATION_NAME,
	OPERATION_ADD,
	OPERATION_SUBTRACT,
	OPERATION_MULTIPLY,
	OPERATION_DIVIDE,
	OPERATION_MODULO,
	OPERATION_ALIGN,
	OPERATION_READ,
	OPERATION_ASSIGN,
	/* An operation of DWARF that this language lacks; its event has the text */
	OPERATION_OTHER,
};

struct token {
	enum operation operation;
	uint32_t name;		/* index of a name in the program's names */
	uint64_t value;		/* value of a number */
	uint32_t skip, length;	/* place of its bytes in the program's text */
};

struct program_name {
	struct text text;
	int reg;		/* register number, or ARCH_NO_REGISTER */
};

/** A compiled expression or program; immutable. */
struct program {
	struct text text;
	struct place place;
	const struct token *tokens;
	size_t token_count;
	const struct program_name *names;
	size_t name_count;
	bool too_long;		/* more tokens or names than the limits allow */
};

/** The value of a name while a program runs. */
struct variable {
	uint64_t value;
	uint32_t from;		/* event that gave the value */
	bool known;
	bool assigned;		/* the program itself assigned the value */
};

enum program_failure {
	PROGRAM_OK,
	PROGRAM_EMPTY,		/* no value was left */
	PROGRAM_LEFTOVER,	/* values besides the result were left */
	PROGRAM_UNDERFLOW,	/* an operator found too few values */
	PROGRAM_UNKNOWN_NAME,
	PROGRAM_UNREADABLE,	/* memory that is not in the dump */
	PROGRAM_DIVISION_BY_ZERO,
	PROGRAM_BAD_ALIGNMENT,
	PROGRAM_BAD_TARGET,	/* assignment to something that is not a variable */
	PROGRAM_TOO_LONG,	/* over a limit of unspool */
};

struct outcome {
	enum program_failure failure;
	size_t token;		/* index of the failed token */
	uint64_t value;		/* value of a successful expression */
	uint32_t from;		/* event that gave `value` */
	struct text name;	/* the name of PROGRAM_UNKNOWN_NAME and PROGRAM_BAD_TARGET */
	uint64_t address;	/* address of PROGRAM_UNREADABLE */
};

/** The input of a program. */
struct environment {
	const struct arch *arch;
	const struct memory_view *memory;
	bool align_unchecked;	/* POLICY_ALIGN_UNCHECKED is set */
	struct trace *trace;	/* gets an event for each token and each read; or NULL */
	uint32_t parent;	/* event of the program */
};

enum program_mode {
	PROGRAM_EXPRESSION,	/* leaves exactly one value: a STACK CFI rule */
	PROGRAM_ASSIGNMENTS,	/* leaves nothing: a STACK WIN program */
};

/**
 * Compile text. Errors in the text are reported when the program runs. `place` is the place of the
 * text's first byte. The program lives in `arena` and borrows the text. NULL when out of memory.
 */
const struct program *
program_compile(struct arena *arena, const struct arch *arch, enum arch_names spelling,
		struct text text, struct place place);

/**
 * Run a program. `variables` has an element for each of its names: inputs on entry, assignments on
 * return. After a failure, it has the assignments made so far. Returns whether the run succeeded.
 */
bool
program_run(const struct program *program, enum program_mode mode,
	    const struct environment *environment, struct variable *variables,
	    struct outcome *outcome);

struct place
program_token_place(const struct program *program, size_t token);

/** A sentence for a failure: "'+' needs 2 values, the stack has 1". Always NUL-terminated. */
const char *
program_explain(const struct program *program, const struct outcome *outcome, char *buffer,
		size_t size);

#endif
