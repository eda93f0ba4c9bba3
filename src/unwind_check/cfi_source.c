/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/source.h"

#include "base/hash.h"
#include "base/limits.h"
#include "rules/edit.h"
#include "system/checksum.h"
#include "unwind_check/packed.h"

/* STACK CFI records. Texts of rules repeat from function to function: each is read once. */

/* What the text of a record says. */
struct cfi_reading {
	struct text text;
	const char *problem;
	size_t count;
	struct {
		unsigned column;
		struct claim claim;
		bool fails;
	} said[];
};

struct cfi_state {
	struct hash readings;		/* by checksum and length of their text */
	struct arena records;		/* of the INIT record at work */
	enum arch_names names;
	uint64_t address;		/* from which on the next INIT record is looked for */
	struct stack_cfi init;
	struct stack_cfi *deltas;	/* in force in its range, ascending */
	size_t count, next;		/* deltas, and the one that the next row begins with */
	bool open;			/* an INIT record is at work */
	uint64_t first;			/* where the next row begins */
	const char *problem;		/* of the records in force */
};

static bool
open_source(struct unwind_source *source)
{
	const struct symfile *symfile = source->module->symfile;
	struct cfi_state *state;

	if (symfile == NULL || symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0)
		return false;
	source->state = state = arena_alloc(&source->arena, sizeof(*state));
	if (state != NULL)
		state->names = rule_set_names(source->module->policy);
	return state != NULL;
}

static void
close_source(struct unwind_source *source)
{
	struct cfi_state *state = source->state;

	hash_free(&state->readings);
	arena_free(&state->records);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct cfi_state *state = source->state;

	state->address = address;
	state->open = false;
}

static const struct cfi_reading *
read_text(struct unwind_source *source, struct text text)
{
	static const struct cfi_reading no_memory = { .problem = "out of memory" };
	struct cfi_state *state = source->state;
	const struct arch *arch = source->module->arch;
	const uint64_t key = checksum(text.start, text.length, 0);
	const struct cfi_reading *known = hash_find(&state->readings, key, text.length);
	struct cfi_reading *reading;

	if (known != NULL && text_equal(known->text, text))
		return known;
	const struct rule_set *set =
		rule_set_of_record(&source->arena, arch, state->names, text);
	const size_t count = set != NULL ? set->count : 0;
	reading = arena_alloc(&source->arena, sizeof(*reading) + count * sizeof(*reading->said));
	if (reading == NULL)
		return &no_memory;
	reading->text = text;
	reading->problem = set == NULL ? "the rules of the record are malformed" : NULL;
	for (size_t i = 0; i < count; i++) {
		unsigned column;

		if (!claim_column_of(arch, &set->rules[i], &column))
			continue;
		reading->said[reading->count].column = column;
		reading->said[reading->count].fails = fold_always_fails(set->rules[i].program);
		reading->said[reading->count++].claim =
			claim_of_program(arch, column, set->rules[i].program);
	}
	hash_put(&state->readings, key, text.length, reading);
	return reading;
}

static void
apply(struct unwind_source *source, const struct stack_cfi *record)
{
	struct cfi_state *state = source->state;
	const struct cfi_reading *reading = read_text(source, record->rules);
	struct unwind_row *row = &source->row;

	row->record = record->offset;
	if (state->problem == NULL)
		state->problem = reading->problem;
	for (size_t i = 0; i < reading->count; i++) {
		const uint64_t bit = UINT64_C(1) << reading->said[i].column;

		row->claims[reading->said[i].column] = reading->said[i].claim;
		row->failing = reading->said[i].fails ? row->failing | bit : row->failing & ~bit;
		row->records[reading->said[i].column] = record->offset;
	}
}

static bool
next_init(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	const struct symbols_policy policy = symbols_policy_of(source->module->policy);

	arena_reset(&state->records);
	if (!symfile_stack_cfi_from(source->module->symfile, &policy, state->address,
				    &state->records, &state->init, &state->deltas, &state->count))
		return false;
	state->open = true;
	state->next = 0;
	state->problem = NULL;
	unwind_row_clear(source);
	for (unsigned i = 0; i < claim_columns(source->module->arch); i++)
		source->row.records[i] = state->init.offset;
	source->row.entry = state->init.offset;
	source->row.begins = state->init.address;
	apply(source, &state->init);
	state->first = state->init.address;
	return true;
}

static bool
next(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	struct unwind_row *row = &source->row;

	if (!state->open && !next_init(source))
		return false;
	const uint64_t last = state->init.address + (state->init.size - 1);
	while (state->next < state->count && state->deltas[state->next].address <= state->first)
		apply(source, &state->deltas[state->next++]);
	row->first = state->first;
	row->last = state->next < state->count ? state->deltas[state->next].address - 1 : last;
	row->problem = state->problem;
	if (row->problem == NULL && row->claims[CLAIM_CFA].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .cfa";
	if (row->problem == NULL && row->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .ra";
	state->first = row->last + 1;
	if (row->last == last) {
		state->open = false;
		state->address = last + 1;
	}
	return true;
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct symfile *symfile = source->module->symfile;
	const struct file *file = symfile_file(symfile);
	uint64_t end = record;

	while (end < file->size && file->data[end] != '\n' && file->data[end] != '\r')
		end++;
	return symfile_place(symfile, record, (uint32_t)(end - record));
}

const struct unwind_reader unwind_reader_stack_cfi = {
	open_source, seek, next, place, close_source, .packed = &packed_reader_stack_cfi,
};
