/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/dwarf_source.h"

#include <string.h>

#include "frame_table/dwarf_fold.h"
#include "unwind_check/packed.h"

/* .eh_frame and .debug_frame. */

/* The bytes of the section, unpacked. */
static const struct binary_section *
find_section(struct dwarf_state *state, const struct binary *binary, const char *name)
{
	static const char *const sections[] = { "frame", NULL };
	const struct binary_section *section = binary_section(binary, 0, name);
	const bool old = section == NULL && name[1] == 'd' &&
			 binary_section(binary, 0, ".zdebug_frame") != NULL;

	if (section == NULL ? !old : !section->compressed)
		return section;
	state->compressed = true;
	if (!elf_unpack(&state->unpacked, binary, sections) ||
	    binary_from_memory(&state->own, name, state->unpacked.data, state->unpacked.size,
			       NULL) != ERROR_NONE)
		return NULL;
	return binary_section(state->own, 0, name);
}

static void
number_registers(struct dwarf_state *state, const struct arch *arch)
{
	for (int number = 0; number < ARCH_REGISTERS; number++) {
		const int reg = arch_dwarf_register(arch, number);

		state->numbers[number] = (int16_t)(reg >= 0 && arch->registers[reg].name != NULL
							   ? reg : ARCH_NO_REGISTER);
	}
}

static bool
open_source(struct unwind_source *source)
{
	const struct rule_module *module = source->module;
	const char *name = source->kind->name;
	struct dwarf_state *state;

	const struct binary *binary =
		binaries_load(module->binaries, module->number,
			      source->kind->number == 0 ? BINARIES_IMAGE : BINARIES_DEBUG);
	if (binary == NULL || binary->format == BINARY_PDB)
		return false;
	source->state = state = arena_alloc(&source->arena, sizeof(*state));
	const struct binary_section *section =
		state != NULL ? find_section(state, binary, name) : NULL;
	if (section == NULL || section->data == NULL || section->compressed)
		return false;
	state->binary = binary;
	state->offset = section->offset;
	const struct reader reader = { .input = &binary->file.input, .data = section->data,
				       .size = section->size, .big_endian = binary->big_endian };
	number_registers(state, module->arch);
	return cfi_table_read(&state->table, &reader,
			      section->address + binary_section_bias(binary),
			      source->kind->number == 0, binary->word_size) &&
	       state->table.count > 0;
}

static bool
share(struct unwind_source *source, const struct unwind_source *of)
{
	struct dwarf_state *state = source->state = arena_alloc(&source->arena, sizeof(*state));

	if (state == NULL)
		return false;
	*state = *(const struct dwarf_state *)of->state;
	state->shared = true;
	return true;
}

static void
close_source(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;

	if (state->shared)
		return;
	cfi_table_free(&state->table);
	binary_close(state->own);
	elf_unpacked_free(&state->unpacked);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct dwarf_state *state = source->state;

	state->split = false;
	cfi_cursor_begin(&state->cursor, &state->table, address + state->binary->linked_base);
}

/* The register that an entry names for its return address, else the one that calls leave it in. */
static int
return_register(const struct unwind_source *source)
{
	const struct dwarf_state *state = source->state;
	const struct arch *arch = source->module->arch;
	const int reg = state->column < ARCH_REGISTERS ? state->numbers[state->column]
							: ARCH_NO_REGISTER;

	return reg == ARCH_NO_REGISTER || reg == arch->pc || reg == arch->sp ? arch->lr : reg;
}

/* What silence means: of the return address that it is in its register. */
static struct claim
unsaid(const struct unwind_source *source, unsigned column)
{
	const struct arch *arch = source->module->arch;

	if (column == CLAIM_RETURN_ADDRESS && return_register(source) != ARCH_NO_REGISTER)
		return claim_sum(arch, column, return_register(source), 0, false);
	if (column < CLAIM_REGISTER ||
	    !unwind_silence_keeps(source, (int)column - CLAIM_REGISTER))
		return (struct claim){ .kind = CLAIM_SILENT };
	return (struct claim){ .kind = CLAIM_SAME };
}

static struct claim
claim_of_expression(const struct unwind_source *source, unsigned column,
		    const struct cfi_rule *rule, uint64_t pc, bool *uses_pc)
{
	const struct dwarf_state *state = source->state;
	const struct claim more = { .kind = CLAIM_EXPRESSION, .offset = (int32_t)rule->value };
	const struct dwarf_expression expression = cfi_rule_expression(&state->table, rule);
	const struct dwarf_fold_start start = {
		.cfa = column != CLAIM_CFA, .is_address = rule->kind == CFI_EXPRESSION, .pc = &pc };
	struct dwarf_folded folded;
	const struct linear *value = &folded.value;

	dwarf_fold(&expression, source->module->arch, &start, &folded);
	*uses_pc |= folded.uses_pc;
	return value->known ? claim_sum(source->module->arch, column, value->base, value->offset,
					value->dereference)
			    : more;
}

static struct claim
claim_of(const struct unwind_source *source, unsigned column, const struct cfi_rule *rule,
	 uint64_t pc, bool *uses_pc)
{
	const struct dwarf_state *state = source->state;
	const struct arch *arch = source->module->arch;
	int base;

	switch (rule->kind) {
	case CFI_UNDEFINED:
		return (struct claim){ .kind = CLAIM_UNDEFINED };
	case CFI_SAME:
		return column == CLAIM_RETURN_ADDRESS ? unsaid(source, column)
						      : (struct claim){ .kind = CLAIM_SAME };
	case CFI_OFFSET:
	case CFI_VALUE:
		return claim_sum(arch, column, LINEAR_CFA, rule->value, rule->kind == CFI_OFFSET);
	case CFI_REGISTER:
		base = rule->reg < ARCH_REGISTERS ? state->numbers[rule->reg] : ARCH_NO_REGISTER;
		return base == ARCH_NO_REGISTER
			       ? (struct claim){ .kind = CLAIM_EXPRESSION, .offset = rule->reg }
			       : claim_sum(arch, column, base, rule->value, false);
	default:
		return claim_of_expression(source, column, rule, pc, uses_pc);
	}
}

/* Bring the rules of `changed` into claims for the address `pc`; whether they depend on it. */
static bool
take_rules(struct unwind_source *source, const struct cfi_row *from, uint64_t changed, uint64_t pc)
{
	struct dwarf_state *state = source->state;
	struct unwind_row *row = &source->row;
	bool uses_pc = false;

	for (changed &= (UINT64_C(2) << CFI_CFA) - 1; changed != 0; changed &= changed - 1) {
		const int number = __builtin_ctzll(changed);
		const struct cfi_rule *rule = &from->rules[number];
		unsigned column = CLAIM_CFA;

		if (number == CFI_RETURN_ADDRESS)
			column = CLAIM_RETURN_ADDRESS;
		else if (number != CFI_CFA && (state->numbers[number] == ARCH_NO_REGISTER ||
					       state->numbers[number] == source->module->arch->pc))
			continue;
		else if (number != CFI_CFA)
			column = CLAIM_REGISTER + (unsigned)state->numbers[number];
		row->claims[column] = rule->kind == CFI_UNSAID
					      ? unsaid(source, column)
					      : claim_of(source, column, rule, pc, &uses_pc);
		row->expressed &= ~(UINT64_C(1) << column);
		row->expressed |= (uint64_t)(rule->kind >= CFI_EXPRESSION) << column;
	}
	return uses_pc;
}

bool
dwarf_source_take(struct unwind_source *source, const struct cfi_rule *rules, uint64_t column,
		  uint64_t pc)
{
	const struct cfi_row row = { .rules = rules };
	struct dwarf_state *state = source->state;

	state->column = column;
	return take_rules(source, &row, UINT64_MAX, pc);
}

/* The rest of a row whose rules depend on the address, up to where they become others. */
static void
next_part(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;
	struct unwind_row *row = &source->row;
	const struct claim *cfa = &row->claims[CLAIM_CFA];
	const uint64_t linked = state->binary->linked_base, all = UINT64_MAX;

	take_rules(source, &state->source_row, all, state->rest + linked);
	const struct claim first = *cfa;
	row->first = state->rest;
	row->last = state->last;
	for (uint64_t at = row->first; at < state->last; at++) {
		take_rules(source, &state->source_row, UINT64_C(1) << CFI_CFA, at + 1 + linked);
		if (memcmp(cfa, &first, sizeof(first)) == 0)
			continue;
		row->last = at;
		break;
	}
	take_rules(source, &state->source_row, all, row->first + linked);
	state->rest = row->last + 1;
	state->split = row->last < state->last;
}

/* Bytes of a row that are looked at one by one: more than the largest known PLT has. */
#define MOST_SPLIT (UINT64_C(1) << 22)

static bool
next(struct unwind_source *source)
{
	struct dwarf_state *state = source->state;
	struct cfi_row *from = &state->source_row;
	struct unwind_row *row = &source->row;

	if (!state->split) {
		if (!cfi_cursor_next(&state->cursor, from))
			return false;
		row->first = from->first - state->binary->linked_base;
		row->last = from->last - state->binary->linked_base;
		row->record = row->entry = from->offset;
		row->begins = from->begins - state->binary->linked_base;
		row->common = state->cursor.common.offset + 1;
		state->column = state->cursor.common.column;
		row->problem = from->problem;
		row->signal = from->signal;
		row->signed_ra = from->rules[CFI_SIGNED].kind != CFI_UNSAID;
		row->key_b = from->key_b;
		if (take_rules(source, from, from->changed, from->first)) {
			state->split = row->last - row->first < MOST_SPLIT;
			state->rest = row->first;
			state->last = row->last;
			/*
			 * What is computed for an address must be computed again in the next row.
			 */
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
	struct place place = { .input = &state->binary->file.input, .offset = state->offset };

	if (!state->compressed)
		place.offset += record;
	return place;
}

const struct unwind_reader unwind_reader_dwarf = {
	open_source, seek, next, place, close_source, share, &packed_reader_dwarf,
};
