/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/calculation.h"

#include <string.h>

#include "base/sorted.h"

void
calculation_init(struct calculation *calculation, const struct arch *arch, bool big_endian)
{
	*calculation = (struct calculation){
		.arch = arch, .arch_chosen = arch != NULL, .big_endian = big_endian,
		.nowhere = { .format = "given" } };
	trace_init(&calculation->trace);
}

void
calculation_free(struct calculation *calculation)
{
	trace_free(&calculation->trace);
	arena_free(&calculation->arena);
}

/* The position of the '=' or ':' in an argument that gives a value; 0: none. */
static size_t
separator(const char *argument)
{
	const size_t at = strcspn(argument, "=:");
	const bool blanks = argument[strcspn(argument, " \t\n")] != '\0';

	return argument[at] != '\0' && argument[at + 1] != '\0' && !blanks ? at : 0;
}

static bool
take_number(const char *text, size_t length, uint64_t *value)
{
	const bool minus = length > 0 && text[0] == '-';

	if (!text_number((struct text){ text + minus, length - minus }, 0, value))
		return false;
	if (minus)
		*value = 0 - *value;
	return true;
}

static enum error_code
no_number(struct error *error, const char *what, size_t length)
{
	error_plain(error, ERROR_FORMAT, "'%.*s' is not a number", (int)(length < 80 ? length : 80),
		    what);
	error_hint(error, "numbers are decimal, or hexadecimal after 0x");
	return ERROR_FORMAT;
}

static bool
add_name(struct calculation *calculation, struct calculation_name name)
{
	return ARENA_ADD(&calculation->arena, calculation->names, calculation->name_count,
			 calculation->name_capacity, &name);
}

enum error_code
calculation_give(struct calculation *calculation, const char *argument, struct error *error)
{
	const size_t at = separator(argument);
	const char *right = argument + at + 1;
	uint64_t value, address;

	if (at == 0)
		return ERROR_NOT_FOUND;
	if (!take_number(right, strlen(right), &value))
		return no_number(error, right, strlen(right));
	if (argument[at] == '=')
		return add_name(calculation, (struct calculation_name){
					.name = { argument, at }, .value = value, .known = true,
					.from = TRACE_NONE })
			       ? ERROR_NONE : error_memory(error);
	if (!take_number(argument, at, &address))
		return no_number(error, argument, at);
	struct memory_region *region = arena_alloc(&calculation->arena, sizeof(*region));
	uint8_t *bytes = arena_alloc(&calculation->arena, sizeof(value));
	struct memory_run *run = region == NULL || bytes == NULL
					 ? NULL
					 : ARENA_PUSH(&calculation->arena, calculation->runs,
						      calculation->run_count,
						      calculation->run_capacity);
	if (run == NULL)
		return error_memory(error);
	/* The bytes of the word are written later, when the architecture is known. */
	memcpy(bytes, &value, sizeof(value));
	*region = (struct memory_region){ .base = address };
	*run = (struct memory_run){ .base = address, .data = bytes, .region = region };
	return ERROR_NONE;
}

static bool
is_break(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Takes the next token of `text` from `*at` on; false at its end. */
static bool
next_token(struct text text, size_t *at, struct text *token)
{
	while (*at < text.length && is_break(text.start[*at]))
		++*at;
	size_t start = *at;
	while (*at < text.length && !is_break(text.start[*at]))
		++*at;
	*token = (struct text){ text.start + start, *at - start };
	return token->length > 0;
}

/* Chooses the architecture that has the largest number of the named registers. */
static void
guess_arch(struct calculation *calculation, struct text text)
{
	unsigned most = 0;

	/* The first architecture of the table is the most likely one. */
	calculation->arch = arch_by_id((enum arch_id)0);
	for (int id = 0; id < ARCH_COUNT; id++) {
		const struct arch *arch = arch_by_id((enum arch_id)id);
		struct text token;
		unsigned count = 0;

		for (size_t i = 0; i < calculation->name_count; i++)
			count += arch_register(arch, calculation->names[i].name,
					       ARCH_NAMES_EXACT) != ARCH_NO_REGISTER;
		for (size_t at = 0; next_token(text, &at, &token);) {
			token.length -= token.start[token.length - 1] == ':';
			count += arch_register(arch, token, ARCH_NAMES_EXACT) != ARCH_NO_REGISTER;
		}
		if (count > most) {
			calculation->arch = arch;
			most = count;
		}
	}
}

SORTED_BY(compare_runs, struct memory_run, base)

/* Gives the words the architecture's width and byte order; keeps one word per address. */
static void
settle_memory(struct calculation *calculation)
{
	const unsigned size = calculation->arch->word_size;
	size_t count = 0;

	SORT(calculation->runs, calculation->run_count, compare_runs);
	for (size_t i = 0; i < calculation->run_count; i++) {
		struct memory_run run = calculation->runs[i];
		uint8_t *bytes = arena_alloc(&calculation->arena, size);
		uint64_t value;

		if (bytes == NULL || (count > 0 && calculation->runs[count - 1].base == run.base))
			continue;
		memcpy(&value, run.data, sizeof(value));
		reader_put_number(bytes, size, calculation->big_endian, value);
		run.data = bytes;
		run.size = size;
		calculation->runs[count++] = run;
	}
	calculation->run_count = count;
}

/* The value given last for exactly this name, or NULL. */
static const struct calculation_name *
given_value(const struct calculation *calculation, struct text name)
{
	for (size_t i = calculation->name_count; i > 0; i--)
		if (text_equal(calculation->names[i - 1].name, name))
			return &calculation->names[i - 1];
	return NULL;
}

static void
bind(const struct calculation *calculation, const struct program *program,
     struct variable *variables)
{
	for (size_t i = 0; i < program->name_count; i++) {
		struct text name = program->names[i].text;
		const struct calculation_name *given = given_value(calculation, name);

		/* A shell expands "$rsp=1" without quotes, so users leave the `$` out. */
		if (given == NULL && name.length > 1 && name.start[0] == '$')
			given = given_value(calculation, (struct text){ name.start + 1,
									name.length - 1 });
		variables[i] = (struct variable){ .from = TRACE_NONE };
		if (given == NULL)
			continue;
		variables[i].known = given->known;
		variables[i].from = given->from;
		variables[i].value = arch_wrap(calculation->arch, given->value);
	}
}

static bool
run_part(struct calculation *calculation, struct text name, struct text text,
	 enum program_mode mode)
{
	const struct memory_view memory = { .crash = &calculation->nowhere,
					    .big_endian = calculation->big_endian,
					    .runs = calculation->runs,
					    .count = calculation->run_count };
	const struct environment environment = { .arch = calculation->arch, .memory = &memory,
						 .trace = &calculation->trace,
						 .parent = TRACE_NONE };
	const struct program *program = program_compile(&calculation->arena, calculation->arch,
							ARCH_NAMES_EXACT, text,
							(struct place){ 0 });
	struct outcome outcome;
	char why[200];

	if (program == NULL)
		return false;
	calculation->variables = arena_array(&calculation->arena, program->name_count + 1,
					     sizeof(*calculation->variables));
	if (calculation->variables == NULL)
		return false;
	bind(calculation, program, calculation->variables);
	struct calculation_part *part = ARENA_PUSH(&calculation->arena, calculation->parts,
						   calculation->part_count,
						   calculation->part_capacity);
	if (part == NULL)
		return false;
	*part = (struct calculation_part){ .name = name, .program = program,
					   .first = (uint32_t)calculation->trace.count };
	part->good = program_run(program, mode, &environment, calculation->variables, &outcome);
	part->end = (uint32_t)calculation->trace.count;
	part->value = outcome.value;
	if (!part->good)
		part->failure = trace_text(&calculation->trace, "%s",
					   program_explain(program, &outcome, why, sizeof(why)));
	return part->good;
}

/* Evaluates the rules for `.cfa` if `cfa` is set, else all other rules. */
static bool
run_rules(struct calculation *calculation, struct text text, bool cfa)
{
	struct text name = { 0 }, token;
	size_t start = 0;
	bool good = true;

	for (size_t at = 0; at <= text.length;) {
		bool more = next_token(text, &at, &token);

		if (more && token.start[token.length - 1] != ':')
			continue;
		size_t end = more ? (size_t)(token.start - text.start) : text.length;
		if (name.length > 0 && text_is(name, ".cfa") == cfa) {
			const size_t before = calculation->part_count;
			const struct text rule = { text.start + start, end - start };
			const bool known = run_part(calculation, name, rule, PROGRAM_EXPRESSION);

			/* Later rules may use the value of `.cfa`. */
			if (cfa && calculation->part_count > before)
				add_name(calculation, (struct calculation_name){
						.name = name, .known = known,
						.value = calculation->parts[before].value,
						.from = calculation->parts[before].end - 1 });
			good &= known;
		}
		if (!more)
			break;
		name = (struct text){ token.start, token.length - 1 };
		start = at;
	}
	return good;
}

bool
calculation_run(struct calculation *calculation, const char *string, bool win)
{
	const struct text text = text_of(string);
	struct text token;
	size_t at = 0;

	calculation->win = win;
	if (!calculation->arch_chosen)
		guess_arch(calculation, text);
	settle_memory(calculation);
	if (win)
		return run_part(calculation, (struct text){ 0 }, text, PROGRAM_ASSIGNMENTS);
	if (!next_token(text, &at, &token) || token.start[token.length - 1] != ':')
		return run_part(calculation, (struct text){ 0 }, text, PROGRAM_EXPRESSION);
	bool good = run_rules(calculation, text, true);
	return run_rules(calculation, text, false) && good;
}
