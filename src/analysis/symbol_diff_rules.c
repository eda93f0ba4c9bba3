/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "analysis/symbol_diff_internal.h"
#include "base/sorted.h"
#include "symbols/records.h"

/*
 * Compares the STACK CFI of two symbol files by address. One INIT record at a time is read with all
 * its deltas, so that each record is read once.
 */

/* The INIT record of a file that covers the current addresses, with its deltas. */
struct init_side {
	bool there;
	struct stack_cfi_records cfi;
	struct arena arena;		/* memory of the deltas and the rows */
	bool made;			/* rows are made, because the texts differ */
	struct symbol_diff_rows rows;
	size_t at;
};

static const struct rule *
rule_named(const struct rule_set *set, struct text name)
{
	for (size_t i = 0; set != NULL && i < set->count; i++)
		if (text_equal(set->rules[i].name, name))
			return &set->rules[i];
	return NULL;
}

/* Whether a callee-saved register keeps its value: no rule, or one that yields its own value. */
static bool
keeps(const struct symbol_comparison *comparison, struct text name, const struct rule *rule)
{
	const int reg = arch_register(comparison->arch, name, ARCH_NAMES_EXACT);

	return reg != ARCH_NO_REGISTER && comparison->arch->registers[reg].callee_saved &&
	       (rule == NULL || text_equal(rule->program->text, name));
}

/* Whether both sets give a name the same value, with or without a rule. */
static bool
same_named(const struct symbol_comparison *comparison, const struct rule_set *const sets[2],
	   struct text name)
{
	const struct rule *rules[2] = { rule_named(sets[0], name), rule_named(sets[1], name) };
	struct linear cfas[2] = { { 0 }, { 0 } };
	const bool cfa = text_is(name, ".cfa");

	if (keeps(comparison, name, rules[0]) && keeps(comparison, name, rules[1]))
		return true;
	if (rules[0] == NULL || rules[1] == NULL)
		return false;
	for (int file = 0; file < 2; file++)
		if (sets[file]->cfa >= 0)
			cfas[file] = linear_of(sets[file]->rules[sets[file]->cfa].program, NULL);
	if (text_equal(rules[0]->program->text, rules[1]->program->text))
		return true;
	/* Expressions that are written differently may compute the same value. */
	const struct linear a = linear_of(rules[0]->program, cfa ? NULL : &cfas[0]);
	const struct linear b = linear_of(rules[1]->program, cfa ? NULL : &cfas[1]);
	return a.known && b.known && a.base == b.base && a.offset == b.offset &&
	       a.parameters == b.parameters && a.dereference == b.dereference;
}

static void
compare_rule(struct symbol_comparison *comparison, const struct rule_set *const sets[2],
	     struct text name, uint64_t first, uint64_t last)
{
	if (same_named(comparison, sets, name))
		return;
	symbol_diff_forget(comparison);
	for (int file = 0; file < 2; file++) {
		const struct rule *rule = rule_named(sets[file], name);

		if (rule == NULL)
			continue;
		symbol_diff_say(&comparison->answers[file], rule->program->text);
		comparison->answers[file].place = rule->record;
	}
	symbol_diff_tell(comparison, name, first, last);
}

bool
symbol_diff_same_set(const struct symbol_comparison *comparison, const struct rule_set *one,
		     const struct rule_set *other, struct text *rule)
{
	const struct rule_set *const sets[2] = { one, other };

	for (int file = 0; file < 2; file++)
		for (size_t i = 0; i < sets[file]->count; i++) {
			*rule = sets[file]->rules[i].name;
			if (!same_named(comparison, sets, *rule))
				return false;
		}
	return true;
}

/* Compares every rule from `first` to `last`. A missing set differs as a whole. */
static void
compare_sets(struct symbol_comparison *comparison, const struct rule_set *const sets[2],
	     uint64_t first, uint64_t last)
{
	if ((sets[0] == NULL) != (sets[1] == NULL)) {
		const int file = sets[0] == NULL;

		symbol_diff_forget(comparison);
		symbol_diff_say(&comparison->answers[file], text_of("a STACK CFI record"));
		comparison->answers[file].place = sets[file]->record;
		symbol_diff_tell(comparison, text_of(""), first, last);
		return;
	}
	for (int file = 0; file < 2; file++)
		for (size_t i = 0; sets[file] != NULL && i < sets[file]->count; i++)
			if (file == 0 || rule_named(sets[0], sets[1]->rules[i].name) == NULL)
				compare_rule(comparison, sets, sets[file]->rules[i].name, first,
					     last);
}

static uint64_t
last_of(const struct stack_cfi *init)
{
	return init->address + (init->size - 1);
}

/* Finds the record that covers an address, unless the current record covers it. */
static void
enter(struct symbol_comparison *comparison, int file, uint64_t address, struct init_side *side)
{
	const struct symfile *symfile = comparison->files[file];

	if (side->there && address >= side->cfi.init.address && address <= last_of(&side->cfi.init))
		return;
	arena_reset(&side->arena);
	side->made = false;
	side->rows = (struct symbol_diff_rows){ .arena = &side->arena };
	side->at = 0;
	side->there =
		symfile_stack_cfi_init(symfile, &comparison->symbols, address, &side->cfi.init) &&
		symfile_stack_cfi(symfile, &comparison->symbols, last_of(&side->cfi.init),
				  &side->arena, &side->cfi);
}

/* A quick test: whether both records have the same text. */
static bool
same_records(const struct init_side sides[2])
{
	const struct stack_cfi_records *a = &sides[0].cfi, *b = &sides[1].cfi;

	if (a->delta_count != b->delta_count || a->init.address != b->init.address ||
	    !text_equal(a->init.rules, b->init.rules))
		return false;
	for (size_t i = 0; i < a->delta_count; i++)
		if (a->deltas[i].address != b->deltas[i].address ||
		    !text_equal(a->deltas[i].rules, b->deltas[i].rules))
			return false;
	return true;
}

static bool
add_row(void *context, const struct rule_change *change)
{
	struct symbol_diff_rows *rows = context;

	return ARENA_ADD(rows->arena, rows->list, rows->count, rows->capacity, change);
}

void
symbol_diff_add_rows(struct symbol_comparison *comparison, int file, uint64_t first, uint64_t last,
		     struct symbol_diff_rows *rows)
{
	const struct rule_records records = { comparison->arch, &comparison->policy,
					      comparison->files[file], NULL };

	rule_set_stack_cfi_each(rows->arena, &records, first, last, add_row, rows);
}

/* The rules at an address, and the end of their range; addresses ascend. */
static const struct rule_set *
rules_at(struct init_side *side, uint64_t address, uint64_t *last)
{
	if (!side->there)
		return NULL;
	const struct rule_change *rows = side->rows.list;
	while (side->at + 1 < side->rows.count && rows[side->at + 1].address <= address)
		side->at++;
	if (side->at + 1 < side->rows.count && rows[side->at + 1].address - 1 < *last)
		*last = rows[side->at + 1].address - 1;
	return side->rows.count > 0 ? rows[side->at].set : NULL;
}

/* Compares from `first` to `last`, where no INIT record begins or ends. */
static void
compare_range(struct symbol_comparison *comparison, struct init_side sides[2], uint64_t first,
	      uint64_t last)
{
	for (int file = 0; file < 2; file++)
		enter(comparison, file, first, &sides[file]);
	if (!sides[0].there && !sides[1].there)
		return;
	if (sides[0].there && sides[1].there && same_records(sides))
		return;
	for (int file = 0; file < 2; file++) {
		struct init_side *side = &sides[file];

		if (side->there && !side->made)
			symbol_diff_add_rows(comparison, file, side->cfi.init.address,
					     last_of(&side->cfi.init), &side->rows);
		side->made = true;
	}
	for (uint64_t at = first, end;; at = end + 1) {
		end = last;
		const struct rule_set *const sets[2] = { rules_at(&sides[0], at, &end),
							 rules_at(&sides[1], at, &end) };

		compare_sets(comparison, sets, at, end);
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
	struct init_side sides[2] = { { 0 }, { 0 } };

	find_bounds(comparison);
	const size_t count = comparison->change_count;
	for (size_t i = 0; i < count; i++)
		compare_range(comparison, sides, comparison->changes[i],
			      i + 1 < count ? comparison->changes[i + 1] - 1 : UINT64_MAX);
	for (int file = 0; file < 2; file++)
		arena_free(&sides[file].arena);
}
