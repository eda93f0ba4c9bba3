/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "lesson/check_compare.h"
#include "lesson/operand.h"
#include "rules/fold.h"

/*
 * Two rules or programs are equal if they have the same linear form, or the same result in many
 * states of a machine. Its registers and words are random addresses of a small memory.
 */
enum {
	STATES = 64,
	MEMORY = 1 << 16,
	MEMORY_BASE = 1 << 16,
};

struct rule_machine {
	const struct arch *arch;
	struct memory_view view;
	struct memory_run run;
	struct memory_region region;
	uint8_t *bytes;
	uint64_t seed;
};

/* splitmix64 (Steele, Lea, Flood 2014): the same states in every run. */
static uint64_t
next_random(struct rule_machine *machine)
{
	uint64_t z = machine->seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* An address in the middle of the memory, so that offsets of rules stay inside. */
static uint64_t
random_address(struct rule_machine *machine)
{
	const uint64_t word = machine->arch->word_size;

	return MEMORY_BASE + MEMORY / 4 + next_random(machine) % (MEMORY / 2) / word * word;
}

static bool
machine_init(struct rule_machine *machine, const struct checking *checking)
{
	const struct walk *walk = checking->try->scene->walk;

	*machine = (struct rule_machine){ .arch = walk->arch };
	machine->bytes = arena_alloc(checking->try->arena, MEMORY);
	machine->region = (struct memory_region){ .base = MEMORY_BASE, .size = MEMORY,
						  .available = MEMORY, .data = machine->bytes };
	machine->run = (struct memory_run){ .base = MEMORY_BASE, .size = MEMORY,
					    .data = machine->bytes, .region = &machine->region };
	machine->view = (struct memory_view){ .crash = walk->crash,
					      .big_endian = walk->memory.big_endian,
					      .runs = &machine->run, .count = 1 };
	return machine->bytes != NULL;
}

/* Fill the memory with addresses of itself. */
static void
machine_fill(struct rule_machine *machine)
{
	const unsigned word = machine->arch->word_size;

	for (size_t at = 0; at < MEMORY; at += word)
		reader_put_number(machine->bytes + at, word, machine->view.big_endian,
				  random_address(machine));
}

/* A compiled rule or program and its result in a state. */
struct runnable {
	const struct program *program;
	const struct program *cfa;	/* rule of `.cfa` if names use it; or NULL */
	struct variable *variables;
	struct outcome outcome;
	bool good;
};

static bool
compile(const struct checking *checking, struct text text, struct text cfa,
	struct runnable *runnable)
{
	const struct arch *arch = checking->try->scene->walk->arch;
	struct arena *arena = checking->try->arena;
	const struct place nowhere = { 0 };

	*runnable = (struct runnable){ 0 };
	runnable->program = program_compile(arena, arch, ARCH_NAMES_ALIASES, text, nowhere);
	if (cfa.length > 0)
		runnable->cfa = program_compile(arena, arch, ARCH_NAMES_ALIASES, cfa, nowhere);
	if (runnable->program != NULL)
		runnable->variables = arena_array(arena, runnable->program->name_count + 1,
						  sizeof(*runnable->variables));
	return runnable->variables != NULL;
}

/* The value of a name in a state. It is the same in both programs that are compared. */
static struct variable
variable_of(const struct rule_machine *machine, const struct program_name *name,
	    const struct variable *cfa)
{
	struct rule_machine of_name = *machine;
	struct variable variable = { .from = TRACE_NONE };

	if (name->reg != ARCH_NO_REGISTER)
		of_name.seed += (uint64_t)name->reg;
	else
		for (size_t i = 0; i < name->text.length; i++)
			of_name.seed = of_name.seed * 131 + (unsigned char)name->text.start[i];
	if (text_is(name->text, ".cfa") && cfa != NULL)
		return *cfa;
	variable.known = name->reg != ARCH_NO_REGISTER || name->text.start[0] == '.';
	variable.value = random_address(&of_name);
	/* Names such as .cbParams are sizes, which are small. */
	if (name->text.length > 3 && memcmp(name->text.start, ".cb", 3) == 0)
		variable.value %= 64 * machine->arch->word_size;
	return variable;
}

/* Run a program in the state that the machine's seed selects. */
static bool
run_in_state(const struct rule_machine *machine, const struct program *program,
	     enum program_mode mode, const struct variable *cfa, struct variable *variables,
	     struct outcome *outcome)
{
	const struct environment environment = { .arch = machine->arch,
						 .memory = &machine->view };

	for (size_t i = 0; i < program->name_count; i++)
		variables[i] = variable_of(machine, &program->names[i], cfa);
	return program_run(program, mode, &environment, variables, outcome);
}

static void
run_state(const struct rule_machine *machine, struct runnable *runnable, enum program_mode mode,
	  struct arena *arena)
{
	struct variable cfa = { .from = TRACE_NONE };
	struct outcome outcome;

	if (runnable->cfa != NULL) {
		struct variable *variables = arena_array(arena, runnable->cfa->name_count + 1,
							 sizeof(*variables));

		cfa.known = variables != NULL &&
			    run_in_state(machine, runnable->cfa, PROGRAM_EXPRESSION, NULL,
					 variables, &outcome);
		cfa.value = cfa.known ? outcome.value : 0;
	}
	runnable->good = run_in_state(machine, runnable->program, mode,
				      runnable->cfa != NULL ? &cfa : NULL, runnable->variables,
				      &runnable->outcome);
}

/* The value that a program assigned to a register; NULL: none. */
static const struct variable *
assigned(const struct runnable *runnable, int reg)
{
	for (size_t i = 0; i < runnable->program->name_count; i++)
		if (runnable->program->names[i].reg == reg && runnable->variables[i].assigned)
			return &runnable->variables[i];
	return NULL;
}

static bool
same_result(const struct rule_machine *machine, const struct runnable *one,
	    const struct runnable *other, enum program_mode mode)
{
	if (mode == PROGRAM_EXPRESSION)
		return arch_wrap(machine->arch, one->outcome.value) ==
		       arch_wrap(machine->arch, other->outcome.value);
	for (int reg = 0; reg < machine->arch->register_count; reg++) {
		const struct variable *a = assigned(one, reg), *b = assigned(other, reg);

		if ((a != NULL) != (b != NULL) ||
		    (a != NULL && arch_wrap(machine->arch, a->value) !=
					  arch_wrap(machine->arch, b->value)))
			return false;
	}
	return true;
}

/* Whether two programs have the same result in all states and both succeed in at least one. */
static bool
same_in_states(const struct checking *checking, struct runnable *one, struct runnable *other,
	       enum program_mode mode)
{
	struct rule_machine machine;
	size_t run = 0;

	if (!machine_init(&machine, checking))
		return false;
	for (unsigned state = 0; state < STATES; state++) {
		machine_fill(&machine);
		run_state(&machine, one, mode, checking->try->arena);
		run_state(&machine, other, mode, checking->try->arena);
		if (one->good != other->good ||
		    (one->good && !same_result(&machine, one, other, mode)))
			return false;
		run += one->good;
	}
	return run > 0;
}

/* The rule of `.cfa` in the step of the check; empty: none. */
static struct text
cfa_of(const struct checking *checking)
{
	struct query query = checking->truth.operand.query;
	struct query_answer answer;
	struct error error = { 0 };

	query.name = text_of(".cfa");
	query.attribute = QUERY_OF_TEXT;
	if (text_equal(checking->truth.operand.query.name, query.name) ||
	    query_ask(&query, checking->try->scene->walk, checking->try->arena, &answer, &error) !=
		    ERROR_NONE)
		return (struct text){ 0 };
	return text_of(answer.text);
}

/* Drop the name of the rule: an answer may begin with it, as a record does. */
static struct text
without_name(struct text text)
{
	text = text_trimmed(text);
	for (size_t i = 0; i + 1 < text.length && !rule_is_break(text.start[i]); i++)
		if (text.start[i] == ':')
			return text_trimmed(
				(struct text){ text.start + i + 1, text.length - i - 1 });
	return text;
}

static bool
names(const struct program *program, struct text name)
{
	for (size_t i = 0; i < program->name_count; i++)
		if (text_equal(program->names[i].text, name))
			return true;
	return false;
}

/* Explain why an answer cannot be run in any state. */
static bool
explain_failure(struct checking *checking, struct runnable *runnable, enum program_mode mode)
{
	struct rule_machine machine;
	char why[200];

	if (!machine_init(&machine, checking))
		return false;
	machine_fill(&machine);
	run_state(&machine, runnable, mode, checking->try->arena);
	const enum program_failure failure = runnable->outcome.failure;
	if (runnable->good || failure == PROGRAM_UNREADABLE)
		return false;
	check_misread(checking, "%s", program_explain(runnable->program, &runnable->outcome, why,
						      sizeof(why)));
	return true;
}

/* The value that a rule gives in the card's frame, with the rule of `.cfa` in place of its name. */
static struct expression
value_here(const struct checking *checking, struct text rule, struct text cfa)
{
	struct output_string string;
	struct text word;

	output_string_init(&string, checking->try->arena);
	while ((word = lesson_word(&rule)).length > 0) {
		output_text(&string.output, text_is(word, ".cfa") ? cfa : word);
		output_plain(&string.output, " ");
	}
	/* Adding 0 makes a lone number a postfix rule, in which numbers are decimal. */
	output_plain(&string.output, "0 +");
	return operand_expression(checking->try->scene, text_of(text_or_empty(string.text)),
				  checking->try->arena);
}

/* Report the value of a rule, and how it differs from the truth. */
static void
say_value(struct checking *checking, struct text truth, struct text cfa)
{
	struct check_try *try = checking->try;
	const struct expression typed = value_here(checking, without_name(try->answer), cfa);
	const struct expression right = value_here(checking, truth, cfa);

	if (!typed.known)
		return;
	try->read = arena_format(try->arena, "it gives 0x%" PRIx64, typed.value);
	/* A register of the right rule may be unknown in this walk. */
	try->sentence = arena_format(try->arena, "it gives 0x%" PRIx64 "%s", typed.value,
		!right.known ? ""
		: right.value == typed.value ? ", which is right here but not in every state"
					     : ", which is another value");
}

/* Whether a text is a sum or a memory read, but not in postfix notation: "rsp+8", "[rsp]". */
static bool
is_infix(struct text text)
{
	bool sign = false;

	for (size_t i = 0; i < text.length; i++)
		sign |= memchr("+-*([", text.start[i], 5) != NULL;
	return sign && memchr("+-*/%@^=", text.start[text.length - 1], 8) == NULL;
}

/*
 * Name the registers to which a wrong program does not assign the value of the truth: "$esp, $ebx
 * come out wrong". Both programs have run in a state.
 */
static void
say_registers(struct checking *checking, const struct runnable *typed,
	const struct runnable *other)
{
	struct check_try *try = checking->try;
	const struct arch *arch = try->scene->walk->arch;
	const char *wrong = "";
	size_t count = 0;

	for (int reg = 0; reg < arch->register_count; reg++) {
		const struct variable *a = assigned(typed, reg), *b = assigned(other, reg);

		if (b == NULL || (a != NULL && arch_wrap(arch, a->value) ==
							arch_wrap(arch, b->value)))
			continue;
		wrong = text_or_empty(arena_format(try->arena, "%s%s%s", wrong,
			count++ > 0 ? ", " : "", text_or_empty(arch->registers[reg].name)));
	}
	if (count > 0)
		try->sentence = arena_format(try->arena, "%s come%s out wrong", wrong,
			count == 1 ? "s" : "");
}

static enum check_result
compare(struct checking *checking, enum program_mode mode)
{
	struct check_try *try = checking->try;
	const struct text cfa = mode == PROGRAM_EXPRESSION ? cfa_of(checking) : (struct text){ 0 };
	struct query_answer truth;
	struct runnable typed, other;

	if (checking->other != NULL)
		truth.text = checking->other->text;
	else if (query_ask(&checking->truth.operand.query, try->scene->walk, try->arena, &truth,
			   checking->error) != ERROR_NONE)
		return CHECK_BROKEN;
	if (!compile(checking, without_name(try->answer), cfa, &typed) ||
	    !compile(checking, without_name(text_of(truth.text)), cfa, &other))
		return CHECK_BROKEN;
	if (explain_failure(checking, &typed, mode))
		return is_infix(text_trimmed(try->answer))
			? check_misread(checking, "a rule has values first, with blanks between: "
						  "$rsp 8 + or $rsp 8 + ^")
			: CHECK_NO_ANSWER;
	const struct text banned = checking->truth.without;
	if (checking->other == NULL && banned.length > 0 && names(typed.program, banned))
		return check_misread(checking, "write it without %.*s", (int)banned.length,
				     banned.start);
	const struct linear of_cfa = typed.cfa != NULL ? linear_of(typed.cfa, NULL)
						       : (struct linear){ 0 };
	const struct linear one = linear_of(typed.program, &of_cfa);
	const struct linear two = linear_of(other.program, &of_cfa);
	if (mode == PROGRAM_EXPRESSION && checking->other == NULL)
		say_value(checking, text_of(truth.text), cfa);
	if (one.known && linear_same(&one, &two))
		return CHECK_RIGHT;
	if (same_in_states(checking, &typed, &other, mode))
		return CHECK_RIGHT;
	if (mode == PROGRAM_ASSIGNMENTS && checking->other == NULL && typed.good && other.good)
		say_registers(checking, &typed, &other);
	return CHECK_WRONG;
}

/* A sum as text: base, offset wrapped to the architecture's word size, and '^' if `word`. */
static const char *
normal_sum(const struct checking *checking, const char *base, int64_t offset, bool word)
{
	const struct arch *arch = checking->try->scene->walk->arch;

	return arena_format(checking->try->arena, "%s+%" PRIx64 "%s", base,
			    arch_wrap(arch, (uint64_t)offset), word ? "^" : "");
}

size_t
check_normal_rule(struct checking *checking, const char **forms)
{
	const struct arch *arch = checking->try->scene->walk->arch;
	const struct text cfa_rule = cfa_of(checking);
	struct query_answer truth = { .text = "" };
	struct runnable typed;
	size_t count = 0;

	if (checking->other != NULL)
		truth.text = checking->other->text;
	else if (query_ask(&checking->truth.operand.query, checking->try->scene->walk,
			   checking->try->arena, &truth, checking->error) != ERROR_NONE)
		return 0;
	if (!compile(checking, without_name(text_of(truth.text)), cfa_rule, &typed))
		return 0;
	const struct linear cfa = typed.cfa != NULL ? linear_of(typed.cfa, NULL)
						    : (struct linear){ 0 };
	const struct linear sum = linear_of(typed.program, &cfa);
	if (!sum.known || sum.parameters || sum.base == LINEAR_CFA)
		return 0;
	const char *base = sum.base == LINEAR_NONE ? "" : arch->registers[sum.base].label;
	forms[count++] = normal_sum(checking, base, sum.offset, sum.dereference);
	if (cfa.known && !cfa.dereference && cfa.base == sum.base &&
	    !text_is(checking->truth.without, ".cfa"))
		forms[count++] = normal_sum(checking, ".cfa", sum.offset - cfa.offset,
					    sum.dereference);
	return count;
}

enum check_result
check_compare_rule(struct checking *checking)
{
	return compare(checking, PROGRAM_EXPRESSION);
}

enum check_result
check_compare_program(struct checking *checking)
{
	return compare(checking, PROGRAM_ASSIGNMENTS);
}
