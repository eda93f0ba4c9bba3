/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_CALCULATION_H
#define INSPECT_CALCULATION_H

#include "base/error.h"
#include "crash/crash.h"
#include "crash/memory.h"
#include "rules/program.h"

/**
 * A calculator that evaluates an expression, rules or a program with given values. It shows the
 * postfix stack after every token.
 *
 * The calculator uses no crash. Only the given names and words have values; all other names and
 * words are unknown.
 */
struct calculation_name {
	struct text name;
	uint64_t value;
	bool known;		/* false: the rule for this name failed */
	uint32_t from;		/* last event of its rule; TRACE_NONE: a given value */
};

/** The evaluated expression of a rule, or the only expression. */
struct calculation_part {
	struct text name;		/* name of its rule; empty: none */
	const struct program *program;
	uint32_t first, end;		/* range of its events in the trace */
	bool good;
	uint64_t value;			/* result of an expression */
	const char *failure;		/* a sentence; NULL: it did not fail */
};

struct calculation {
	struct arena arena;
	const struct arch *arch;
	bool arch_chosen;		/* chosen by the caller; else guessed from names */
	bool big_endian, win;
	struct calculation_name *names;
	size_t name_count, name_capacity;
	struct memory_run *runs;	/* a run for each word, sorted when evaluated */
	size_t run_count, run_capacity;
	struct crash nowhere;		/* owner of the memory; only `format` is set */
	struct trace trace;
	struct calculation_part *parts;
	size_t part_count, part_capacity;
	struct variable *variables;	/* the program's variables and their values */
};

/** Begin. `arch` NULL: the registers in the text decide the architecture; amd64 if it has none. */
void
calculation_init(struct calculation *calculation, const struct arch *arch, bool big_endian);

void
calculation_free(struct calculation *calculation);

/**
 * Add NAME=VALUE or ADDRESS:VALUE (a word as wide as an address). Numbers are decimal, or
 * hexadecimal with 0x; a sign is allowed. The argument is borrowed. ERROR_NOT_FOUND, without an
 * error text: the argument is an expression.
 */
enum error_code
calculation_give(struct calculation *calculation, const char *argument, struct error *error);

/**
 * Evaluate `text`: rules if its first token ends in a colon (`.cfa: $rsp 8 + .ra: ...`), the
 * assignments of STACK WIN if `win` is set, else one expression. Returns whether everything could
 * be evaluated; the results are in `parts`.
 */
bool
calculation_run(struct calculation *calculation, const char *text, bool win);

#endif
