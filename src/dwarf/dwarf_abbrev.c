/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_abbrev.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "dwarf/dwarf_codes.h"
#include "dwarf/dwarf_form.h"

static const struct {
	uint16_t tag;
	uint8_t kind;
} tags[] = {
	{ DW_TAG_class_type, DWARF_TYPE }, { DW_TAG_structure_type, DWARF_TYPE },
	{ DW_TAG_union_type, DWARF_TYPE }, { DW_TAG_interface_type, DWARF_TYPE },
	{ DW_TAG_module, DWARF_NAMESPACE }, { DW_TAG_namespace, DWARF_NAMESPACE },
	{ DW_TAG_inlined_subroutine, DWARF_INLINED }, { DW_TAG_subprogram, DWARF_FUNCTION },
	{ DW_TAG_compile_unit, DWARF_UNIT_ENTRY }, { DW_TAG_partial_unit, DWARF_UNIT_ENTRY },
	{ DW_TAG_skeleton_unit, DWARF_UNIT_ENTRY }, { DW_TAG_type_unit, DWARF_UNIT_ENTRY },
	{ DW_TAG_lexical_block, DWARF_BLOCK_ENTRY }, { DW_TAG_try_block, DWARF_BLOCK_ENTRY },
	{ DW_TAG_catch_block, DWARF_BLOCK_ENTRY }, { DW_TAG_with_stmt, DWARF_BLOCK_ENTRY },
};

#define CODE (OF(FUNCTION) | OF(INLINED) | OF(BLOCK_ENTRY) | OF(UNIT_ENTRY))

/* Attributes to store, with the kinds of entries for which they are needed. */
#define OF(kind) (1u << DWARF_##kind)
static const struct {
	uint16_t name;
	uint8_t attribute;
	uint8_t kinds;
} kept[] = {
	{ DW_AT_name, DWARF_NAME, OF(NAMESPACE) | OF(TYPE) | OF(FUNCTION) },
	{ DW_AT_linkage_name, DWARF_LINKAGE_NAME, OF(FUNCTION) },
	{ DW_AT_MIPS_linkage_name, DWARF_LINKAGE_NAME, OF(FUNCTION) },
	{ DW_AT_low_pc, DWARF_LOW, CODE },
	{ DW_AT_high_pc, DWARF_HIGH, CODE },
	{ DW_AT_ranges, DWARF_RANGE_LIST, CODE },
	{ DW_AT_abstract_origin, DWARF_ORIGIN, OF(FUNCTION) | OF(INLINED) },
	{ DW_AT_specification, DWARF_SPECIFICATION, OF(FUNCTION) },
	{ DW_AT_call_file, DWARF_CALL_FILE, OF(INLINED) },
	{ DW_AT_call_line, DWARF_CALL_LINE, OF(INLINED) },
	{ DW_AT_stmt_list, DWARF_LINES, OF(UNIT_ENTRY) },
	{ DW_AT_comp_dir, DWARF_DIRECTORY, OF(UNIT_ENTRY) },
	{ DW_AT_str_offsets_base, DWARF_STR_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_addr_base, DWARF_ADDR_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_GNU_addr_base, DWARF_ADDR_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_rnglists_base, DWARF_RANGES_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_GNU_ranges_base, DWARF_RANGES_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_loclists_base, DWARF_LOCATIONS_BASE, OF(UNIT_ENTRY) },
	{ DW_AT_dwo_name, DWARF_DWO_NAME, OF(UNIT_ENTRY) },
	{ DW_AT_GNU_dwo_name, DWARF_DWO_NAME, OF(UNIT_ENTRY) },
	{ DW_AT_GNU_dwo_id, DWARF_DWO_ID, OF(UNIT_ENTRY) },
};

/*
 * How often all tables of a file may be read: units have their own tables of some kilobytes, or all
 * share one, one after another. References to names in other units are rare, or lead to few units.
 */
#define MOST_ROUNDS 16u
#define FREE_BYTES (UINT64_C(4) << 20)

/* Most bytes of attributes skipped in one step. */
#define MOST_SKIPPED UINT16_MAX

static uint8_t
kind_of(uint64_t tag)
{
	for (size_t i = 0; i < ARRAY_COUNT(tags); i++)
		if (tags[i].tag == tag)
			return tags[i].kind;
	return DWARF_OTHER;
}

static uint8_t
attribute_of(uint64_t name, uint8_t kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
		if (kept[i].name == name && (kept[i].kinds & 1u << kind) != 0)
			return kept[i].attribute;
	return DWARF_ATTRIBUTES;
}

/* A table of abbreviations being read. */
struct abbrev_reading {
	struct dwarf_abbrevs *abbrevs;
	const struct dwarf_unit *unit;
	struct dwarf_cursor cursor;
};

/* Add an attribute; `run` is the step at which the preceding skipped attributes begin. */
static bool
add_step(struct abbrev_reading *reading, struct dwarf_abbrev *abbrev, struct dwarf_step step,
	 uint32_t *run)
{
	struct dwarf_abbrevs *abbrevs = reading->abbrevs;
	const int64_t size = dwarf_form_size(step.form, reading->unit);
	struct dwarf_step *added = ARENA_PUSH(&abbrevs->arena, abbrevs->steps, abbrevs->step_count,
					      abbrevs->step_capacity);

	if (added == NULL)
		return false;
	*added = step;
	abbrev->count++;
	if (step.attribute < DWARF_ATTRIBUTES || size < 0) {
		*run = UINT32_MAX;
		return true;
	}
	if (*run == UINT32_MAX || abbrevs->steps[*run].bytes > MOST_SKIPPED)
		*run = (uint32_t)abbrevs->step_count - 1;
	abbrevs->steps[*run].run++;
	abbrevs->steps[*run].bytes += (uint32_t)size;
	return true;
}

/* Read the attributes of an abbreviation. False if the section ends within them. */
static bool
read_steps(struct abbrev_reading *reading, struct dwarf_abbrev *abbrev)
{
	struct dwarf_cursor *cursor = &reading->cursor;
	uint32_t seen = 0, run = UINT32_MAX;

	for (unsigned empty = 0; empty <= LIMIT_EMPTY_ATTRIBUTES;) {
		const uint64_t name = dwarf_uleb(cursor), form = dwarf_uleb(cursor);
		struct dwarf_step step = { .name = name <= UINT16_MAX ? (uint16_t)name : 0,
					   .form = form <= UINT16_MAX ? (uint16_t)form : 0,
					   .attribute = attribute_of(name, abbrev->kind) };

		if (form == DW_FORM_implicit_const)
			step.number = dwarf_sleb(cursor);
		if (cursor->cut || (name == 0 && form == 0))
			return !cursor->cut;
		/* If an attribute comes twice, the first value is used. */
		if (step.attribute < DWARF_ATTRIBUTES && (seen & 1u << step.attribute) != 0)
			step.attribute = DWARF_ATTRIBUTES;
		else if (step.attribute < DWARF_ATTRIBUTES)
			seen |= 1u << step.attribute;
		empty += dwarf_form_size(step.form, reading->unit) == 0;
		if (!add_step(reading, abbrev, step, &run))
			return false;
	}
	/* An entry of this kind has one byte but would cost as much as its abbreviation. */
	reading->abbrevs->exceeded = true;
	return false;
}

/* Read one abbreviation. False at the end of the table. */
static bool
read_abbrev(struct abbrev_reading *reading)
{
	struct dwarf_abbrevs *abbrevs = reading->abbrevs;
	struct dwarf_abbrev abbrev = { .first = (uint32_t)abbrevs->step_count };

	abbrev.code = dwarf_uleb(&reading->cursor);
	if (abbrev.code == 0 || reading->cursor.cut)
		return false;
	const uint64_t tag = dwarf_uleb(&reading->cursor);
	abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	abbrev.kind = kind_of(tag);
	abbrev.children = dwarf_byte(&reading->cursor) != 0;
	struct dwarf_abbrev *added = read_steps(reading, &abbrev)
					     ? ARENA_PUSH(&abbrevs->arena, abbrevs->items,
							  abbrevs->count, abbrevs->capacity)
					     : NULL;
	if (added != NULL)
		*added = abbrev;
	return added != NULL;
}

SORTED_BY(compare, struct dwarf_abbrev, code)

bool
dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, const struct dwarf_file *file,
		   const struct dwarf_unit *unit, uint64_t code)
{
	struct abbrev_reading reading = { abbrevs, unit,
					  dwarf_file_at(file, DWARF_ABBREV, unit->abbrevs) };

	if (dwarf_abbrevs_are_of(abbrevs, file, unit) &&
	    (abbrevs->last == DWARF_ALL_CODES || abbrevs->last == code))
		return true;
	arena_reset(&abbrevs->arena);
	*abbrevs = (struct dwarf_abbrevs){
		.file = file, .offset = unit->abbrevs, .version = unit->version,
		.address_size = unit->address_size, .offset_size = unit->offset_size,
		.last = code, .spent = abbrevs->spent, .exceeded = abbrevs->exceeded,
		.arena = abbrevs->arena };
	if (abbrevs->spent / MOST_ROUNDS > file->sections[DWARF_ABBREV].size + FREE_BYTES) {
		abbrevs->exceeded = true;
		return false;
	}
	const uint64_t size = dwarf_left(&reading.cursor);
	while (read_abbrev(&reading) &&
	       (code == DWARF_ALL_CODES || abbrevs->items[abbrevs->count - 1].code != code))
		;
	abbrevs->spent += size - dwarf_left(&reading.cursor);
	for (size_t i = 0; i < abbrevs->count; i++)
		if (abbrevs->items[i].code != i + 1) {
			qsort(abbrevs->items, abbrevs->count, sizeof(*abbrevs->items), compare);
			break;
		}
	return abbrevs->count > 0;
}

void
dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
	arena_free(&abbrevs->arena);
}
