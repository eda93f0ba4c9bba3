/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/source.h"

#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "rules/edit.h"
#include "system/checksum.h"
#include "unwind_check/plain_cfi.h"

/*
 * STACK CFI records. plain_cfi.c reads nearly all of them. Other records have texts that repeat
 * from function to function: each text is read once.
 */

/* The rules in the text of a record. */
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
	struct plain_cfi *plain;	/* NULL: records are looked up by address */
	size_t number;			/* next INIT record of `plain` */
	struct plain_records rules;	/* rules of the current INIT record */
	bool is_plain;			/* `rules` has all of them */
	struct claim silence[CLAIM_COLUMNS];	/* claims before an INIT record */
	struct hash readings;		/* by checksum and length of their text */
	struct arena records;		/* of the current INIT record */
	enum arch_names names;
	uint64_t address;		/* where the search for the next INIT record begins */
	struct stack_cfi init;
	struct stack_cfi *deltas;	/* applied in its range, ascending */
	/* Number of deltas or rules, and the first one of the next row */
	size_t count, next;
	bool open;			/* there is a current INIT record */
	uint64_t first, last;		/* begin of the next row, end of the last one */
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
	if (state == NULL)
		return false;
	state->names = rule_set_names(source->module->policy);
	state->plain = plain_cfi_open(source->module, &source->arena);
	unwind_row_clear(source);
	memcpy(state->silence, source->row.claims, sizeof(state->silence));
	source->entries = state->plain != NULL ? plain_cfi_count(state->plain) : 0;
	return true;
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
	if (state->plain == NULL)
		return;
	/* The previous record may reach the address. */
	state->number = plain_cfi_upto(state->plain, address);
	state->number -= state->number > 0;
	if (state->number < plain_cfi_count(state->plain))
		plain_cfi_read(state->plain, state->number, &state->rules);
	state->number += state->rules.first <= address && state->rules.last < address;
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

/* Begin with the rules of the INIT record at `record`. */
static void
begin_init(struct unwind_source *source, uint64_t first, uint64_t last, uint64_t record)
{
	struct cfi_state *state = source->state;
	const unsigned columns = claim_columns(source->module->arch);
	struct unwind_row *row = &source->row;

	state->open = true;
	state->next = 0;
	state->problem = NULL;
	state->first = first;
	state->last = last;
	memcpy(row->claims, state->silence, columns * sizeof(*row->claims));
	for (unsigned i = 0; i < columns; i++)
		row->records[i] = record;
	row->record = row->entry = record;
	row->begins = first;
	row->failing = 0;
}

static bool
next_init(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	const struct symbols_policy policy = symbols_policy_of(source->module->policy);

	state->is_plain = false;
	if (state->plain != NULL) {
		do {
			if (state->number == plain_cfi_count(state->plain))
				return false;
			state->is_plain =
				plain_cfi_read(state->plain, state->number++, &state->rules);
		} while (state->rules.last + 1 == state->rules.first);
		state->count = state->rules.count;
		state->address = state->rules.first;
	}
	if (state->is_plain) {
		begin_init(source, state->rules.first, state->rules.last, state->rules.record);
		return true;
	}
	arena_reset(&state->records);
	if (!symfile_stack_cfi_from(source->module->symfile, &policy, state->address,
				    &state->records, &state->init, &state->deltas, &state->count))
		return false;
	begin_init(source, state->init.address, state->init.address + (state->init.size - 1),
		   state->init.offset);
	apply(source, &state->init);
	return true;
}

/* Apply the rules that begin at a row's first address; returns where the next row begins. */
static uint64_t
apply_plain(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	const struct plain_rule *rules = state->rules.rules;
	struct unwind_row *row = &source->row;

	for (; state->next < state->count && rules[state->next].address <= state->first;
	     state->next++) {
		const struct plain_rule *rule = &rules[state->next];

		row->claims[rule->column] = rule->claim;
		row->records[rule->column] = row->record = rule->record;
	}
	return state->next < state->count ? rules[state->next].address : state->last + 1;
}

static uint64_t
apply_deltas(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	const struct stack_cfi *deltas = state->deltas;

	while (state->next < state->count && deltas[state->next].address <= state->first)
		apply(source, &deltas[state->next++]);
	return state->next < state->count ? deltas[state->next].address : state->last + 1;
}

static bool
next(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	struct unwind_row *row = &source->row;

	if (!state->open && !next_init(source))
		return false;
	row->first = state->first;
	row->last = (state->is_plain ? apply_plain(source) : apply_deltas(source)) - 1;
	row->problem = state->problem;
	if (row->problem == NULL && row->claims[CLAIM_CFA].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .cfa";
	if (row->problem == NULL && row->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .ra";
	state->first = row->last + 1;
	if (row->last == state->last) {
		state->open = false;
		state->address = row->last + 1;
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
	open_source, seek, next, place, close_source, NULL,
};
