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
		symbol_diff_tell(comparison, text_of(""), at->address,
				 at->address + (at->function.size > 0 ? at->function.size - 1 : 0));
}

/* The rows of the INIT record that covers a function's beginning. Addresses count from there. */
static struct symbol_diff_rows
rules_of(struct symbol_comparison *comparison, int file, uint64_t address)
{
	struct symbol_diff_rows rules = { .arena = &comparison->work };
	struct stack_cfi init;

	if (symfile_stack_cfi_init(comparison->files[file], &comparison->symbols, address, &init))
		symbol_diff_add_rows(comparison, file, address, init.address + (init.size - 1),
				     &rules);
	for (size_t i = 0; i < rules.count; i++)
		rules.list[i].address -= address;
	return rules;
}

/* Adds row `at` of both files, which differ in a rule or in their address. */
static void
tell_row(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2],
	 const struct symbol_diff_rows rules[2], size_t at, struct text rule)
{
	const bool same_offset = at < rules[0].count && at < rules[1].count &&
				 rules[0].list[at].address == rules[1].list[at].address;
	comparison->what = SYMBOL_DIFF_RULE;
	symbol_diff_forget(comparison);
	for (int file = 0; file < 2; file++) {
		struct symbol_diff_answer *answer = &comparison->answers[file];
		char text[SYMBOL_DIFF_TEXT / 2];
		const struct rule_change *row = &rules[file].list[at];
		const struct rule *said = NULL;

		if (at >= rules[file].count)
			continue;
		/* A record may begin before the function. */
		const bool before = row->address > INT64_MAX;
		const uint64_t distance = before ? 0 - row->address : row->address;
		for (size_t i = 0; same_offset && i < row->set->count; i++)
			if (text_equal(row->set->rules[i].name, rule))
				said = &row->set->rules[i];
		if (same_offset && said == NULL)
			continue;
		if (said != NULL)
			snprintf(text, sizeof(text), "%c0x%" PRIx64 ": %.*s", before ? '-' : '+',
				 distance, TEXT_UPTO(said->program->text, MOST_RULE));
		else
			snprintf(text, sizeof(text), "its next rules begin at %c0x%" PRIx64,
				 before ? '-' : '+', distance);
		symbol_diff_say(answer, text_of(text));
		answer->place = said != NULL ? said->record : row->record;
	}
	symbol_diff_tell(comparison, same_offset ? rule : text_of(""),
			 symbols[0]->address, symbols[0]->address);
}

/* Finds the first row that differs. */
static void
compare_rows(struct symbol_comparison *comparison, const struct named_symbol *const symbols[2])
{
	const struct symbol_diff_rows rules[2] = {
		rules_of(comparison, 0, symbols[0]->address),
		rules_of(comparison, 1, symbols[1]->address) };
	struct text rule = { 0 };
	size_t at = 0;

	while (at < rules[0].count && at < rules[1].count &&
	       rules[0].list[at].address == rules[1].list[at].address &&
	       symbol_diff_same_set(comparison, rules[0].list[at].set, rules[1].list[at].set,
				    &rule))
		at++;
	if (at == rules[0].count && at == rules[1].count)
		return;
	tell_row(comparison, symbols, rules, at, rule);
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
		symbol_diff_tell(comparison, text_of(""), symbols[0]->address,
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

			comparison->open_count = 0;
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
