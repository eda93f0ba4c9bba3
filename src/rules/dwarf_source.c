/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "frame_table/cfi_rows.h"
#include "frame_table/frame_tables.h"
#include "rules/show_rows.h"

struct dwarf_state {
	const struct cfi_table *table;
	struct cfi_cursor cursor;
	struct claim silence[CLAIM_COLUMNS];	/* claims of registers that no entry mentions */
	/* The current row is split, because its CFA depends on the address (as in a PLT). */
	bool split;
	uint64_t rest, last;		/* remaining addresses of the split row */
	uint64_t wanted;		/* address of the last `seek` */
	struct cfi_row source_row;
	struct arena texts;		/* memory of the expressions of a shown row */
};

static bool
open_source(struct unwind_source *source)
{
	const struct rule_module *module = source->module;
	const struct cfi_table *table =
		frame_tables_cfi(module->binaries, module->number, source->kind->number);
	struct dwarf_state *state;

	if (table == NULL || table->arch != module->arch || table->count == 0)
		return false;
	source->state = state = arena_alloc(&source->arena, sizeof(*state));
	if (state == NULL)
		return false;
	state->table = table;
	source->entries = table->count;
	unwind_row_clear(source);
	memcpy(state->silence, source->row.claims, sizeof(state->silence));
	cfi_cursor_begin(&state->cursor, table, 0);
	state->cursor.silence = state->silence;
	return true;
}

static void
close_source(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;

	arena_free(&state->texts);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct dwarf_state *state = source->state;
	const struct cfi_table *table = state->table;

	state->split = false;
	state->wanted = address;
	cfi_cursor_seek(&state->cursor, address + table->binary->linked_base);
}

/* Bits of the columns of struct unwind_row. */
#define COLUMNS ((UINT64_C(1) << CLAIM_COLUMNS) - 1)

static ATTRIBUTE_INLINE void
copy_claims(struct unwind_row *row, const struct cfi_row *from)
{
	row->expressed = 0;
	if (from->changed == UINT64_MAX)
		memcpy(row->claims, from->claims, sizeof(row->claims));
	else
		for (uint64_t left = from->changed & COLUMNS; left != 0; left &= left - 1)
			row->claims[__builtin_ctzll(left)] = from->claims[__builtin_ctzll(left)];
}

/* Take the claims of the columns `changed`, with sums for expressions. True if a sum uses `pc`. */
static bool
take_claims(struct unwind_source *source, const struct cfi_row *from, uint64_t changed,
	    uint64_t pc)
{
	const struct dwarf_state *state = source->state;
	struct unwind_row *row = &source->row;
	bool uses_pc = false;

	for (uint64_t left = changed & COLUMNS; left != 0; left &= left - 1) {
		const unsigned column = (unsigned)__builtin_ctzll(left);
		const struct claim *claim = &from->claims[column];
		const bool expressed = claim->kind == CLAIM_EXPRESSION && claim->base == CFI_BLOCK;

		row->claims[column] = expressed ? cfi_expression_claim(state->table, column, claim,
								       pc, &uses_pc)
						: *claim;
		row->expressed &= ~(left & -left);
		row->expressed |= (uint64_t)expressed << column;
	}
	return uses_pc;
}

/* Make the next part of a split row. The part ends where the CFA changes. */
static void
next_part(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;
	struct unwind_row *row = &source->row;
	struct claim *cfa = &row->claims[CLAIM_CFA];
	const uint64_t linked = state->table->binary->linked_base;

	take_claims(source, &state->source_row, UINT64_MAX, state->rest + linked);
	const struct claim first = *cfa;
	row->first = state->rest;
	row->last = state->last;
	for (uint64_t at = row->first; at < state->last; at++) {
		take_claims(source, &state->source_row, UINT64_C(1) << CLAIM_CFA, at + 1 + linked);
		if (claim_equal(cfa, &first))
			continue;
		row->last = at;
		break;
	}
	*cfa = first;
	row->changed = UINT64_MAX;
	state->rest = row->last + 1;
	state->split = row->last < state->last;
}

/*
 * The first address of the row's part with the requested address, or of the row if it has no such
 * part. A PLT has thousands of parts, and its stubs are looked up one by one.
 */
static uint64_t
first_part(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;
	const uint64_t linked = state->table->binary->linked_base;
	const struct claim *cfa = &source->row.claims[CLAIM_CFA];
	uint64_t at = state->wanted;

	if (at <= source->row.first || at > source->row.last)
		return source->row.first;
	take_claims(source, &state->source_row, UINT64_C(1) << CLAIM_CFA, at + linked);
	for (const struct claim wanted = *cfa; at > source->row.first; at--) {
		take_claims(source, &state->source_row, UINT64_C(1) << CLAIM_CFA, at - 1 + linked);
		if (!claim_equal(cfa, &wanted))
			break;
	}
	return at;
}

/* Set the members that all rows of an entry share. */
static void
begin_entry(struct unwind_source *source)
{
	const struct dwarf_state *state = source->state;
	const struct cfi_common *common = &state->cursor.initial->common;
	const struct cfi_entry *entry = state->source_row.entry;
	struct unwind_row *row = &source->row;

	row->record = row->entry = entry->offset;
	row->begins = entry->first - state->table->binary->linked_base;
	row->common = entry->cie + 1;
	row->signal = common->signal;
	row->key_b = common->key_b;
	if (source->shown)
		row->place = cfi_entry_place(state->table, entry);
}

static void
show_claims(struct unwind_source *source, const struct cfi_row *from)
{
	struct dwarf_state *state = source->state;
	struct unwind_row *row = &source->row;
	const enum claim_kind cfa = from->claims[CLAIM_CFA].kind;

	arena_reset(&state->texts);
	memcpy(row->claims, from->claims, sizeof(row->claims));
	row->expressions = cfi_expressions(state->table, row->claims, &state->texts);
	row->note = state->cursor.state.odd ? cfi_odd : NULL;
	if (row->problem == NULL && (cfa == CLAIM_SILENT || cfa == CLAIM_UNDEFINED))
		row->problem = "the table has no rule for the frame";
}

/* Maximum size of a row that is evaluated at every byte; the largest known PLT is smaller. */
#define MOST_SPLIT (UINT64_C(1) << 22)

static bool
next(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;
	const uint64_t linked = state->table->binary->linked_base;
	struct cfi_row *from = &state->source_row;
	struct unwind_row *row = &source->row;

	if (!state->split) {
		if (!cfi_cursor_next(&state->cursor, from))
			return false;
		if (from->first == from->entry->first)
			begin_entry(source);
		row->first = from->first - linked;
		row->last = from->last - linked;
		row->problem = from->problem;
		row->signed_ra = from->claims[CFI_SIGNED].kind != CLAIM_SILENT;
		row->changed = from->changed;
		if (source->shown)
			show_claims(source, from);
		else if (!from->expressions)
			copy_claims(row, from);
		else if (take_claims(source, from, from->changed, from->first)) {
			state->split = row->last - row->first < MOST_SPLIT;
			state->last = row->last;
			if (state->split)
				state->rest = first_part(source);
			/* Claims that depend on the address are evaluated again in the next row. */
			state->cursor.changed = UINT64_MAX;
		}
	}
	if (state->split)
		next_part(source);
	return true;
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct dwarf_state *state = source->state;

	return cfi_entry_place(state->table, &(struct cfi_entry){ .offset = record });
}

const struct unwind_reader unwind_reader_dwarf = {
	frame_table_exists, open_source, seek, next, place, close_source, frame_table_covers,
	frame_table_show,
};
