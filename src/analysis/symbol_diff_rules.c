/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "analysis/symbol_diff_internal.h"
#include "base/sorted.h"
#include "symbols/records.h"

/*
 * Compares the STACK CFI of two symbol files by address. The rows of one INIT record of each file
 * are read one at a time, so that each record is read once.
 */

/* Whether a callee-saved register keeps its value: no rule, or one that yields its own value. */
static bool
keeps(const struct symbol_comparison *comparison, struct text name, const struct rule *rule)
{
	const int reg = arch_register(comparison->arch, name, ARCH_NAMES_EXACT);

	return reg != ARCH_NO_REGISTER && comparison->arch->registers[reg].callee_saved &&
	       (rule == NULL || text_equal(rule->program->text, name));
}

/* A sum of `.cfa`, as a sum of the register in the CFA's own rule. */
static struct linear
in_registers(struct linear sum, const struct linear *cfa)
{
	if (!sum.known || sum.base != LINEAR_CFA || !cfa->known || cfa->dereference ||
	    cfa->base == LINEAR_NONE)
		return sum;
	sum.known = !sum.parameters || !cfa->parameters;
	sum.parameters |= cfa->parameters;
	sum.base = cfa->base;
	sum.offset = (int64_t)((uint64_t)sum.offset + (uint64_t)cfa->offset);
	return sum;
}

/* Reads the rules of a name, if they changed after they were read. */
static void
read_rules(const struct symbol_comparison *comparison, struct compared_rule *compared)
{
	static const struct linear cfa = { .known = true, .base = LINEAR_CFA, .dereference = true };
	const struct rule *const *rules = compared->rules;
	bool keep = true;

	compared->unchanged = compared->known;
	for (int file = 0; file < 2; file++) {
		const struct program *program = rules[file] != NULL ? rules[file]->program : NULL;

		compared->unchanged &= compared->programs[file] == program;
		compared->programs[file] = program;
	}
	if (compared->unchanged)
		return;
	compared->known = true;
	for (int file = 0; file < 2; file++) {
		compared->sums[file] = (struct linear){ 0 };
		if (rules[file] != NULL)
			compared->sums[file] =
				linear_of(rules[file]->program,
					  text_is(compared->name, ".cfa") ? NULL : &cfa);
		keep &= keeps(comparison, compared->name, rules[file]);
	}
	compared->same = keep || (rules[0] != NULL && rules[1] != NULL &&
				  text_equal(rules[0]->program->text, rules[1]->program->text));
}

struct compared_rule *
symbol_diff_next_rule(const struct symbol_comparison *comparison, size_t *at)
{
	const struct symbol_diff_rows *rows = comparison->rows;

	while (*at < rows[0].count + rows[1].count) {
		const bool first = *at < rows[0].count;
		struct compared_rule *compared = first ? rows[0].rules[*at]
						       : rows[1].rules[*at - rows[0].count];

		++*at;
		if (!first && compared->rules[0] != NULL)
			continue;
		read_rules(comparison, compared);
		/* Expressions that are written differently may compute the same value. */
		const struct linear one = in_registers(compared->sums[0], &rows[0].linear),
				    other = in_registers(compared->sums[1], &rows[1].linear);
		if (!compared->same && !linear_same(&one, &other))
			return compared;
	}
	return NULL;
}

/* The compared rule of a name; NULL when out of memory. */
static struct compared_rule *
compared_named(struct symbol_comparison *comparison, struct text name)
{
	uint64_t key = hash_words(HASH_START, name.start, name.length);
	const struct compared_rule *known;

	while ((known = hash_find(&comparison->rules, key, name.length)) != NULL &&
	       !text_equal(known->name, name))
		key++;
	if (known != NULL)
		return (struct compared_rule *)known;
	struct compared_rule *made = arena_alloc(&comparison->scratch, sizeof(*made));
	if (made == NULL || !hash_put(&comparison->rules, key, name.length, made))
		return NULL;
	made->name = name;
	return made;
}

bool
symbol_diff_next_row(struct symbol_comparison *comparison, int file)
{
	struct symbol_diff_rows *rows = &comparison->rows[file];
	const bool more = rows->row.more || rows->row.set == NULL;

	if (rows->rows == NULL || !more)
		return false;
	bool good = rule_rows_next(rows->rows, &rows->row);
	const struct rule_set *set = rows->row.set;
	for (; good && rows->count < set->count; rows->count++) {
		const struct rule *rule = &set->rules[rows->count];
		struct compared_rule *compared = compared_named(comparison, rule->name);

		good = compared != NULL;
		if (!good)
			break;
		compared->rules[file] = rule;
		rows->rules[rows->count] = compared;
	}
	if (!good) {
		comparison->diff->memory_ended = true;
		symbol_diff_close_rows(comparison, file);
		return false;
	}
	const struct program *cfa = set->cfa >= 0 ? set->rules[set->cfa].program : NULL;
	if (cfa != rows->cfa)
		rows->linear = linear_of(cfa, NULL);
	rows->cfa = cfa;
	return true;
}

void
symbol_diff_open_rows(struct symbol_comparison *comparison, int file, uint64_t address)
{
	struct symbol_diff_rows *rows = &comparison->rows[file];
	const struct rule_records records = { comparison->arch, &comparison->policy,
					      comparison->files[file], NULL };

	symbol_diff_close_rows(comparison, file);
	rows->rows = rule_rows_open(&rows->arena, &records, address, UINT64_MAX);
	symbol_diff_next_row(comparison, file);
}

void
symbol_diff_close_rows(struct symbol_comparison *comparison, int file)
{
	struct symbol_diff_rows *rows = &comparison->rows[file];

	for (size_t i = 0; i < rows->count; i++) {
		rows->rules[i]->rules[file] = NULL;
		rows->rules[i]->known = false;
	}
	arena_reset(&rows->arena);
	rows->rows = NULL;
	rows->row = (struct rule_change){ 0 };
	rows->cfa = NULL;
	rows->linear = (struct linear){ 0 };
	rows->count = 0;
}

/* Compares every rule from `first` to `last`. A missing set differs as a whole. */
static void
compare_sets(struct symbol_comparison *comparison, uint64_t first, uint64_t last)
{
	const struct symbol_diff_rows *rows = comparison->rows;
	struct compared_rule *compared;
	size_t at = 0;

	if ((rows[0].row.set == NULL) != (rows[1].row.set == NULL)) {
		const int file = rows[0].row.set == NULL;

		symbol_diff_forget(comparison);
		symbol_diff_say(&comparison->answers[file], text_of("a STACK CFI record"));
		comparison->answers[file].place = rows[file].row.set->record;
		symbol_diff_tell(comparison, &comparison->open, text_of(""), first, last);
		return;
	}
	while ((compared = symbol_diff_next_rule(comparison, &at)) != NULL) {
		if (compared->unchanged && compared->open.last + 1 == first) {
			symbol_diff_continue(comparison, &compared->open, last);
			continue;
		}
		symbol_diff_forget(comparison);
		for (int file = 0; file < 2; file++) {
			if (compared->rules[file] == NULL)
				continue;
			symbol_diff_say(&comparison->answers[file],
					compared->rules[file]->program->text);
			comparison->answers[file].place = compared->rules[file]->record;
		}
		symbol_diff_tell(comparison, &compared->open, compared->name, first, last);
	}
}

/* Compares from `first` to `last`, where no INIT record begins or ends. */
static void
compare_range(struct symbol_comparison *comparison, uint64_t first, uint64_t last)
{
	for (int file = 0; file < 2; file++) {
		const struct rule_set *set = comparison->rows[file].row.set;

		if (set == NULL || first - set->address >= set->size)
			symbol_diff_open_rows(comparison, file, first);
	}
	for (uint64_t at = first, end;; at = end + 1) {
		end = last;
		for (int file = 0; file < 2; file++) {
			const struct rule_change *row = &comparison->rows[file].row;

			while (row->more && row->next <= at)
				symbol_diff_next_row(comparison, file);
			if (row->more && row->next - 1 < end)
				end = row->next - 1;
		}
		compare_sets(comparison, at, end);
		if (end == last)
			break;
	}
}

/* Finds where INIT records begin and end. */
static void
find_bounds(struct symbol_comparison *comparison)
{
	struct stack_cfi init;
	uint64_t offset;
	uint32_t length;

	comparison->change_count = 0;
	for (int file = 0; file < 2; file++) {
		const struct symfile *symfile = comparison->files[file];
		const char *bytes = (const char *)symfile_file(symfile)->data;

		for (size_t i = 0; symfile_record(symfile, SYMBOL_STACK_CFI_INIT, i, &offset,
						  &length); i++) {
			if (!record_stack_cfi((struct text){ bytes + offset, length }, false,
					      &init))
				continue;
			symbol_diff_change(comparison, init.address);
			symbol_diff_change(comparison, init.address + init.size);
		}
	}
	symbol_diff_sort_changes(comparison);
}

void
symbol_diff_rules(struct symbol_comparison *comparison)
{
	find_bounds(comparison);
	const size_t count = comparison->change_count;
	for (size_t i = 0; i < count; i++)
		compare_range(comparison, comparison->changes[i],
			      i + 1 < count ? comparison->changes[i + 1] - 1 : UINT64_MAX);
}
