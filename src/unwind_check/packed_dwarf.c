/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/dwarf_source.h"

#include <string.h>

#include "base/hash.h"
#include "frame_table/dwarf_codes.h"
#include "unwind_check/packed.h"

/*
 * The instructions of .eh_frame and .debug_frame (DWARF 5, 6.4.2) on packed claims. Those that need
 * an expression or another register's value have no packed form.
 */

/* Rules that can be returned to. */
struct packed_rules {
	uint64_t claims[CLAIM_COLUMNS];
	int base;			/* DWARF number; ARCH_REGISTERS: the CFA counts from none */
	int64_t offset;
};

#define NO_COLUMN 0xff

/* What entries of one CIE begin with. */
struct packed_common {
	uint64_t cie;
	bool known, good;		/* `good`: it has a packed form */
	uint64_t code_align, data_align;
	uint8_t columns[ARCH_REGISTERS];	/* by DWARF numbers */
	struct packed_rules initial;
};

/* CIEs that are kept: functions with and without handlers alternate between two. */
#define COMMONS 8u

struct packed_dwarf {
	struct cfi_cursor cursor;	/* reads them */
	struct packed_common commons[COMMONS];
	const struct packed_common *common;	/* of the entry at work */
	struct packed_rules remembered[CFI_REMEMBERED];
	unsigned depth;
	int base;			/* as of struct packed_rules, of the row at work */
	int64_t offset;
	const uint8_t *at, *end;	/* instructions */
	uint64_t location;		/* as linked */
};

static bool
open_side(struct packed_side *side)
{
	const struct dwarf_state *from = side->source->state;
	struct packed_dwarf *state = arena_alloc(&side->source->arena, sizeof(*state));

	side->state = state;
	if (state == NULL)
		return false;
	cfi_cursor_begin(&state->cursor, &from->table, 0);
	side->count = from->table.count;
	/* Entries below the module's first address would come last. */
	return side->count == 0 || from->table.entries[0].first >= from->binary->linked_base;
}

static void
extent(const struct packed_side *side, size_t entry, uint64_t *first, uint64_t *last)
{
	const struct dwarf_state *from = side->source->state;
	const struct cfi_entry *at = &from->table.entries[entry];

	*first = at->first - from->binary->linked_base;
	*last = at->last - from->binary->linked_base;
}

/* The register that a CFA counts from; false: it has none of ours, or is off too far. */
static bool
set_cfa(struct packed_side *side, uint64_t number, int64_t offset)
{
	const struct dwarf_state *from = side->source->state;
	struct packed_dwarf *state = side->state;

	if (number >= ARCH_REGISTERS || offset != (int32_t)offset ||
	    from->numbers[number] == ARCH_NO_REGISTER)
		return false;
	state->base = (int)number;
	state->offset = offset;
	side->claims[CLAIM_CFA] =
		packed_sum(CLAIM_CFA, from->numbers[number], (int32_t)offset, false);
	side->changed |= UINT64_C(1) << CLAIM_CFA;
	return true;
}

static void
read_common(struct packed_side *side, uint64_t cie, struct packed_common *common)
{
	const struct dwarf_state *from = side->source->state;
	const struct arch *arch = side->source->module->arch;
	struct packed_dwarf *state = side->state;
	const struct cfi_common *read = &state->cursor.common;
	const struct cfi_rule *cfa = &state->cursor.initial[CFI_CFA];

	common->cie = cie;
	common->known = true;
	common->good = cfi_cursor_common(&state->cursor, cie) && read->column < ARCH_REGISTERS &&
		       !dwarf_source_take(side->source, state->cursor.initial, read->column, 0) &&
		       packed_take_row(side);
	if (!common->good)
		return;
	common->code_align = read->code_align;
	common->data_align = (uint64_t)read->data_align;
	memcpy(common->initial.claims, side->claims, sizeof(side->claims));
	common->initial.base = cfa->kind == CFI_REGISTER ? cfa->reg : ARCH_REGISTERS;
	common->initial.offset = cfa->value;
	for (unsigned i = 0; i < ARCH_REGISTERS; i++) {
		const int reg = from->numbers[i];
		const bool none = reg == ARCH_NO_REGISTER || reg == arch->pc;

		common->columns[i] = none ? NO_COLUMN : (uint8_t)(CLAIM_REGISTER + reg);
	}
	common->columns[read->column] = CLAIM_RETURN_ADDRESS;
}

static const struct packed_common *
find_common(struct packed_side *side, uint64_t cie)
{
	struct packed_dwarf *state = side->state;
	struct packed_common *common = &state->commons[hash_pair(cie, 0) % COMMONS];

	if (!common->known || common->cie != cie)
		read_common(side, cie, common);
	return common;
}

/* Instructions --------------------------------------------------------------------------------- */

/* A number of up to 9 bytes; false where it does not end in them. */
static bool
read_number(struct packed_dwarf *state, bool is_signed, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 63 && state->at < state->end; shift += 7) {
		const uint8_t byte = *state->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) != 0)
			continue;
		if (is_signed && (byte & 0x40) != 0)
			*value |= UINT64_MAX << (shift + 7);
		return true;
	}
	return false;
}

/* The column of a register; NO_COLUMN: none is about it. */
static unsigned
column_of(const struct packed_dwarf *state, uint64_t number)
{
	return number < ARCH_REGISTERS ? state->common->columns[number] : NO_COLUMN;
}

static void
set(struct packed_side *side, unsigned column, uint64_t claim)
{
	if (column == NO_COLUMN)
		return;
	side->claims[column] = claim;
	side->changed |= UINT64_C(1) << column;
}

/* Where a register is saved, by the factor that comes next. */
static bool
save(struct packed_side *side, uint64_t number, bool is_signed)
{
	struct packed_dwarf *state = side->state;
	const unsigned column = column_of(state, number);
	uint64_t factor;

	if (!read_number(state, is_signed, &factor))
		return false;
	const int64_t offset = (int64_t)(factor * state->common->data_align);
	set(side, column, packed_sum(column, LINEAR_CFA, (int32_t)offset, true));
	return offset == (int32_t)offset || column == NO_COLUMN;
}

static void
restore(struct packed_side *side, uint64_t number)
{
	const struct packed_dwarf *state = side->state;
	const unsigned column = column_of(state, number);

	set(side, column, column != NO_COLUMN ? state->common->initial.claims[column] : 0);
}

static bool
remember(struct packed_side *side)
{
	struct packed_dwarf *state = side->state;
	struct packed_rules *rules = &state->remembered[state->depth];

	if (state->depth++ == CFI_REMEMBERED)
		return false;
	memcpy(rules->claims, side->claims, sizeof(rules->claims));
	rules->base = state->base;
	rules->offset = state->offset;
	return true;
}

static void
take(struct packed_side *side, const struct packed_rules *rules)
{
	struct packed_dwarf *state = side->state;

	memcpy(side->claims, rules->claims, sizeof(rules->claims));
	state->base = rules->base;
	state->offset = rules->offset;
	side->changed = UINT64_MAX;
}

static bool
recall(struct packed_side *side)
{
	struct packed_dwarf *state = side->state;

	if (state->depth == 0)
		return false;
	take(side, &state->remembered[--state->depth]);
	return true;
}

/* An instruction that is neither a save, nor a restore, nor an advance of the two high bits. */
static bool
run_other(struct packed_side *side, unsigned code)
{
	struct packed_dwarf *state = side->state;
	const uint64_t align = state->common->data_align;
	uint64_t number, value;

	if (code == DW_CFA_nop || code == DW_CFA_GNU_window_save)
		return true;
	if (code == DW_CFA_remember_state || code == DW_CFA_restore_state)
		return code == DW_CFA_remember_state ? remember(side) : recall(side);
	if (!read_number(state, code == DW_CFA_def_cfa_offset_sf, &number))
		return false;
	switch (code) {
	case DW_CFA_def_cfa_offset:
		return set_cfa(side, (unsigned)state->base, (int64_t)number);
	case DW_CFA_def_cfa_offset_sf:
		return set_cfa(side, (unsigned)state->base, (int64_t)(number * align));
	case DW_CFA_def_cfa_register:
		return set_cfa(side, number, state->offset);
	case DW_CFA_def_cfa:
		return read_number(state, false, &value) && set_cfa(side, number, (int64_t)value);
	case DW_CFA_def_cfa_sf:
		return read_number(state, true, &value) &&
		       set_cfa(side, number, (int64_t)(value * align));
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		return save(side, number, code == DW_CFA_offset_extended_sf);
	case DW_CFA_restore_extended:
		restore(side, number);
		return true;
	case DW_CFA_undefined:
		set(side, column_of(state, number), (uint64_t)CLAIM_UNDEFINED << 56);
		return true;
	case DW_CFA_GNU_args_size:
		return true;
	default:
		return false;
	}
}

/* How far an instruction goes on, in units of the CIE; 0: it says something of the row. */
static bool
run_advance(struct packed_dwarf *state, unsigned code, uint64_t *units)
{
	const bool big_endian = state->cursor.table->section.big_endian;
	const unsigned width = code == DW_CFA_advance_loc1   ? 1
			       : code == DW_CFA_advance_loc2 ? 2
			       : code == DW_CFA_advance_loc4 ? 4
							     : 0;

	*units = 0;
	if ((size_t)(state->end - state->at) < width)
		return false;
	for (unsigned i = 0; i < width; i++)
		*units |= (uint64_t)state->at[i] << 8 * (big_endian ? width - 1 - i : i);
	state->at += width;
	return true;
}

/* Run the instructions of the row at work; where the next one begins is known then. */
static bool
run_row(struct packed_side *side)
{
	const struct dwarf_state *from = side->source->state;
	const uint64_t linked = from->binary->linked_base;
	struct packed_dwarf *state = side->state;
	const uint64_t last = side->last + linked;
	uint64_t units;

	side->next = UINT64_MAX;
	while (state->at < state->end) {
		const unsigned code = *state->at++, low = code & 0x3f;
		bool good = true;

		units = 0;
		if ((code & 0xc0) == DW_CFA_advance_loc)
			units = low;
		else if ((code & 0xc0) == DW_CFA_offset)
			good = save(side, low, false);
		else if ((code & 0xc0) == DW_CFA_restore)
			restore(side, low);
		else if (code >= DW_CFA_advance_loc1 && code <= DW_CFA_advance_loc4)
			good = run_advance(state, code, &units);
		else
			good = run_other(side, code);
		if (!good)
			return false;
		const uint64_t step = units * state->common->code_align;
		if (step == 0)
			continue;
		if (step > last - state->location)
			return step < UINT64_C(1) << 48;
		state->location += step;
		side->next = state->location - linked;
		return true;
	}
	return true;
}

static bool
begin(struct packed_side *side)
{
	const struct dwarf_state *from = side->source->state;
	const struct cfi_entry *entry = &from->table.entries[side->entry];
	struct packed_dwarf *state = side->state;

	state->common = find_common(side, entry->cie);
	if (!state->common->good || entry->code == 0)
		return false;
	take(side, &state->common->initial);
	state->depth = 0;
	state->location = entry->first;
	state->at = from->table.section.data + entry->offset + entry->code;
	state->end = from->table.section.data + entry->offset + entry->length;
	return run_row(side);
}

static bool
next(struct packed_side *side)
{
	side->changed = 0;
	return run_row(side);
}

const struct packed_reader packed_reader_dwarf = { open_side, extent, begin, next };
