/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/symbol_diff_internal.h"
#include "base/demangle.h"
#include "base/sorted.h"

/*
 * Compares two builds of a program. Functions and linker symbols with the same shown name are
 * paired in order of address. Addresses count from the function's beginning.
 */

enum { MOST_RULE = 400 };		/* maximum bytes of a rule that are shown */

struct named_symbol {
	struct text name;
	uint64_t address;
	struct function function;
	bool is_function;
};

struct named_symbols {
	struct named_symbol *list;
	size_t count, capacity;
};

static int
compare_named(const void *left, const void *right)
{
	const struct named_symbol *a = left, *b = right;
	const size_t length = a->name.length < b->name.length ? a->name.length : b->name.length;
	const int order = length > 0 ? memcmp(a->name.start, b->name.start, length) : 0;

	if (order != 0 || a->name.length != b->name.length)
		return order != 0 ? order : a->name.length < b->name.length ? -1 : 1;
	if (a->is_function != b->is_function)
		return a->is_function ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void
gather(struct symbol_comparison *comparison, int file, struct named_symbols *symbols)
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_PUBLIC };
	struct function function;

	for (size_t kind = 0; kind < 2; kind++) {
		for (size_t i = 0; symfile_function_at(comparison->files[file], kinds[kind], i,
						       &function); i++) {
			struct named_symbol *symbol =
				ARENA_PUSH(&comparison->scratch, symbols->list, symbols->count,
					   symbols->capacity);

			if (symbol == NULL) {
				comparison->diff->memory_ended = true;
				return;
			}
			*symbol = (struct named_symbol){
				.name = demangle_shown(&comparison->policy, function.name,
						       &comparison->scratch),
				.address = function.address, .function = function,
				.is_function = kinds[kind] == SYMBOL_FUNC };
		}
	}
	SORT(symbols->list, symbols->count, compare_named);
}

static void
compare_texts(struct symbol_comparison *comparison, enum symbol_diff_what what,
	      const struct named_symbol *const symbols[2], const char *one, const char *other)
{
	const char *const texts[2] = { one, other };
	const struct named_symbol *at = symbols[symbols[0] == NULL];

	comparison->what = what;
	symbol_diff_forget(comparison);
	for (int file = 0; file < 2; file++) {
		if (symbols[file] == NULL)
			continue;
		symbol_diff_say(&comparison->answers[file], text_of(texts[file]));
		comparison->answers[file].place = symfile_place(
			comparison->files[file], symbols[file]->function.offset,
			symbols[file]->function.length);
		if (what == SYMBOL_DIFF_NAME)
			comparison->answers[file].name = symbols[file]->function.name;
	}
	if (symbol_diff_answers_differ(comparison))
		symbol_diff_tell(comparison, NULL, text_of(""), at->address,
				 at->address + (at->function.size > 0 ? at->function.size - 1 : 0));
}

/* The first rows of INIT records that differ, in a rule or in their distance to the functions. */
struct row_difference {
	bool found;
	bool rule;			/* `name` differs; else the next rows are elsewhere */
	struct text name;
	struct row_side {
		bool there;
		uint64_t address;
		struct text text;	/* the rule's; without a start: none */
		struct place place;
	} sides[2];
};

/* Compares INIT records whose distances to the functions are equal. NULL when out of memory. */
static const struct row_difference *
compare_inits(struct symbol_comparison *comparison, const struct stack_cfi inits[2])
{
	const struct row_difference *known =
		hash_find(&comparison->inits, inits[0].offset, inits[1].offset);
	struct row_difference *made = known != NULL ? NULL
		: arena_alloc(&comparison->scratch, sizeof(*made));
	const struct symbol_diff_rows *rows = comparison->rows;
	const struct compared_rule *rule = NULL;

	if (made == NULL ||
	    !hash_put(&comparison->inits, inits[0].offset, inits[1].offset, made))
		return known;
	for (int file = 0; file < 2; file++)
		symbol_diff_open_rows(comparison, file, inits[file].address);
	bool more[2] = { rows[0].row.set != NULL, rows[1].row.set != NULL };
	while (more[0] && more[1] &&
	       rows[0].row.address - inits[0].address == rows[1].row.address - inits[1].address) {
		size_t at = 0;

		rule = symbol_diff_next_rule(comparison, &at);
		if (rule != NULL)
			break;
		for (int file = 0; file < 2; file++)
			more[file] = symbol_diff_next_row(comparison, file);
	}
	*made = (struct row_difference){ .found = more[0] || more[1], .rule = rule != NULL };
	if (rule != NULL)
		made->name = rule->name;
	for (int file = 0; file < 2; file++) {
		const struct rule *said = rule != NULL ? rule->rules[file] : NULL;
		struct row_side *side = &made->sides[file];

		side->there = rule != NULL ? said != NULL : more[file];
		side->address = rows[file].row.address;
		side->place = said != NULL ? said->record : rows[file].row.record;
		if (said != NULL)
			side->text = said->program->text;
		symbol_diff_close_rows(comparison, file);
	}
	return made;
}

/* Tells the first row that differs in a rule or in its address. */
static void
compare_rows(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2])
{
	struct row_difference elsewhere = { .found = true };
	const struct row_difference *difference = &elsewhere;
	struct stack_cfi inits[2];
	uint64_t distances[2];

	for (int file = 0; file < 2; file++) {
		const struct symfile *symfile = comparison->files[file];
		const bool there = symfile_stack_cfi_init(symfile, &comparison->symbols,
							  symbols[file]->address, &inits[file]);

		elsewhere.sides[file].there = there;
		if (!there)
			continue;
		distances[file] = symbols[file]->address - inits[file].address;
		elsewhere.sides[file].address = inits[file].address;
		elsewhere.sides[file].place =
			symfile_place(symfile, inits[file].offset, inits[file].length);
	}
	const struct row_side *sides = elsewhere.sides;
	if (!sides[0].there && !sides[1].there)
		return;
	if (sides[0].there && sides[1].there && distances[0] == distances[1])
		difference = compare_inits(comparison, inits);
	if (difference == NULL || !difference->found)
		return;
	comparison->what = SYMBOL_DIFF_RULE;
	symbol_diff_forget(comparison);
	for (int file = 0; file < 2; file++) {
		const struct row_side *side = &difference->sides[file];
		/* A record may begin before the function. */
		const bool before = side->address < symbols[file]->address;
		const uint64_t distance = before ? symbols[file]->address - side->address
						 : side->address - symbols[file]->address;
		char text[SYMBOL_DIFF_TEXT / 2];

		if (!side->there)
			continue;
		if (difference->rule)
			snprintf(text, sizeof(text), "%c0x%" PRIx64 ": %.*s", before ? '-' : '+',
				 distance, TEXT_UPTO(side->text, MOST_RULE));
		else
			snprintf(text, sizeof(text), "its next rules begin at %c0x%" PRIx64,
				 before ? '-' : '+', distance);
		symbol_diff_say(&comparison->answers[file], text_of(text));
		comparison->answers[file].place = side->place;
	}
	symbol_diff_tell(comparison, NULL, difference->name, symbols[0]->address,
			 symbols[0]->address);
}

/* Lines count from the function's first one: changes elsewhere in the file move them. */
static void
compare_lines(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2])
{
	struct function_body bodies[2];
	char texts[2][SYMBOL_DIFF_TEXT / 2];
	size_t at = 0;

	for (int file = 0; file < 2; file++)
		/* Where functions overlap, one of them has no lines. */
		if (!symfile_function_body(comparison->files[file], &comparison->symbols,
					   symbols[file]->address, &comparison->work,
					   &bodies[file]) ||
		    bodies[file].function.address != symbols[file]->address)
			return;
	const struct source_line *one = bodies[0].lines, *other = bodies[1].lines;
	while (at < bodies[0].line_count && at < bodies[1].line_count &&
	       one[at].address - symbols[0]->address == other[at].address - symbols[1]->address &&
	       one[at].line - one[0].line == other[at].line - other[0].line)
		at++;
	if (at == bodies[0].line_count && at == bodies[1].line_count)
		return;
	for (int file = 0; file < 2; file++) {
		const struct source_line *lines = bodies[file].lines;

		if (at < bodies[file].line_count)
			snprintf(texts[file], sizeof(texts[file]), "+0x%" PRIx64 ": line %" PRIu32,
				 lines[at].address - symbols[file]->address, lines[at].line);
		else
			snprintf(texts[file], sizeof(texts[file]), "%zu lines",
				 bodies[file].line_count);
	}
	compare_texts(comparison, SYMBOL_DIFF_LINE, symbols, texts[0], texts[1]);
}

static void
compare_wins(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2])
{
	comparison->what = SYMBOL_DIFF_WIN;
	symbol_diff_forget(comparison);
	for (int file = 0; file < 2; file++)
		symbol_diff_ask_win(comparison, file, symbols[file]->address,
				    &comparison->answers[file]);
	if (symbol_diff_answers_differ(comparison))
		symbol_diff_tell(comparison, NULL, text_of(""), symbols[0]->address,
				 symbols[0]->address);
}

static void
compare_pair(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2])
{
	char sizes[2][40], parameters[2][40];

	for (int file = 0; file < 2; file++) {
		const struct function *function = &symbols[file]->function;

		if (symbols[file]->is_function)
			snprintf(sizes[file], sizeof(sizes[file]), "0x%" PRIx64 " bytes",
				 function->size);
		else
			snprintf(sizes[file], sizeof(sizes[file]), "a PUBLIC record, without");
		snprintf(parameters[file], sizeof(parameters[file]), "0x%" PRIx64 " bytes",
			 (uint64_t)function->parameter_size);
	}
	compare_texts(comparison, SYMBOL_DIFF_SIZE, symbols, sizes[0], sizes[1]);
	compare_texts(comparison, SYMBOL_DIFF_PARAMETERS, symbols, parameters[0], parameters[1]);
	compare_rows(comparison, symbols);
	compare_wins(comparison, symbols);
	if (comparison->options->lines && symbols[0]->is_function && symbols[1]->is_function)
		compare_lines(comparison, symbols);
	arena_reset(&comparison->work);
}

/* The number of symbols with one name, from `from` on. */
static size_t
same_names(const struct named_symbols *symbols, size_t from, struct text name)
{
	size_t count = 0;

	while (from + count < symbols->count &&
	       text_equal(symbols->list[from + count].name, name))
		count++;
	return count;
}

void
symbol_diff_by_name(struct symbol_comparison *comparison)
{
	struct named_symbols files[2] = { 0 };
	size_t at[2] = { 0, 0 };

	for (int file = 0; file < 2; file++)
		gather(comparison, file, &files[file]);
	while (at[0] < files[0].count || at[1] < files[1].count) {
		const struct named_symbol *next[2];
		size_t counts[2];

		for (int file = 0; file < 2; file++)
			next[file] = at[file] < files[file].count ? &files[file].list[at[file]]
								  : NULL;
		const bool other = next[0] == NULL ||
			(next[1] != NULL && compare_named(&(struct named_symbol){
				.name = next[1]->name }, &(struct named_symbol){
				.name = next[0]->name }) < 0);
		const struct text name = next[other]->name;
		for (int file = 0; file < 2; file++)
			counts[file] = same_names(&files[file], at[file], name);
		for (size_t i = 0; i < counts[0] || i < counts[1]; i++) {
			const struct named_symbol *const pair[2] = {
				i < counts[0] ? next[0] + i : NULL,
				i < counts[1] ? next[1] + i : NULL };
			char text[SYMBOL_DIFF_TEXT / 2];

			snprintf(text, sizeof(text), "%.*s", TEXT_UPTO(name, sizeof(text)));
			if (pair[0] != NULL && pair[1] != NULL)
				compare_pair(comparison, pair);
			else
				compare_texts(comparison, SYMBOL_DIFF_NAME, pair, text, text);
		}
		at[0] += counts[0];
		at[1] += counts[1];
	}
}
