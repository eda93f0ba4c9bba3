/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_CALCULATION_H
#define INSPECT_CALCULATION_H

#include "base/error.h"
#include "crash/crash.h"
#include "crash/memory.h"
#include "rules/program.h"

/**
 * The evaluator as a calculator: an expression, rules or a program with given values,
 * and the postfix stack after every token.
 *
 * Nothing of a crash takes part: names are worth what was given, memory has the words that were
 * given, and everything else is unknown, as it would be in a walk.
 */
struct calculation_name {
	struct text name;
	uint64_t value;
	bool known;		/* false: the rule that sets it failed */
	uint32_t from;		/* the last event of that rule; TRACE_NONE: it was given */
};

/** One expression that was evaluated: a rule, or all there is. */
struct calculation_part {
	struct text name;		/* of its rule; empty: no rule */
	const struct program *program;
	uint32_t first, end;		/* its events in the trace */
	bool good;
	uint64_t value;			/* of an expression */
	const char *failure;		/* a sentence; NULL: none */
};

struct calculation {
	struct arena arena;
	const struct arch *arch;
	bool arch_chosen;		/* by the caller, else by the names that occur */
	bool big_endian, win;
	struct calculation_name *names;
	size_t name_count, name_capacity;
	struct memory_run *runs;	/* a run for each word, by address once it is evaluated */
	size_t run_count, run_capacity;
	struct crash nowhere;		/* that the memory is of: nothing but a format */
	struct trace trace;
	struct calculation_part *parts;
	size_t part_count, part_capacity;
	struct variable *variables;	/* of the program, with what it assigned */
};

/** Begin; `arch` NULL: the one whose registers are named most, amd64 where none is. */
void
calculation_init(struct calculation *calculation, const struct arch *arch, bool big_endian);

void
calculation_free(struct calculation *calculation);

/** Whether an argument gives something, NAME=VALUE or ADDRESS:VALUE, and is no expression. */
bool
calculation_is_given(const char *argument);

/**
 * Take NAME=VALUE or ADDRESS:VALUE (a word as wide as an address). Numbers are decimal, or
 * hexadecimal behind 0x; a sign is allowed. The argument is borrowed.
 */
enum error_code
calculation_give(struct calculation *calculation, const char *argument, struct error *error);

/**
 * Evaluate `text`: rules where its first token ends in a colon (`.cfa: $rsp 8 + .ra: ...`), the
 * assignments of STACK WIN where `win` is set, else one expression. Returns whether all of it could
 * be evaluated; what came of it is in `parts`.
 */
bool
calculation_run(struct calculation *calculation, const char *text, bool win);

#endif
