/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_abbrev.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "dwarf/dwarf_form.h"

/* Tags (DWARF 5, table 7.3) that matter. */
static const struct {
	uint16_t tag;
	uint8_t kind;
} tags[] = {
	{ 0x02, DWARF_TYPE }, { 0x13, DWARF_TYPE }, { 0x17, DWARF_TYPE }, { 0x38, DWARF_TYPE },
	{ 0x1e, DWARF_NAMESPACE }, { 0x39, DWARF_NAMESPACE },
	{ 0x1d, DWARF_INLINED }, { 0x2e, DWARF_FUNCTION },
	{ 0x11, DWARF_UNIT_ENTRY }, { 0x3c, DWARF_UNIT_ENTRY }, { 0x4a, DWARF_UNIT_ENTRY },
};

/* Attributes (table 7.5) that are kept, of which kinds of entries. */
#define OF(kind) (1u << DWARF_##kind)
static const struct {
	uint16_t name;
	uint8_t attribute;
	uint8_t kinds;
} kept[] = {
	{ 0x03, DWARF_NAME, OF(NAMESPACE) | OF(TYPE) | OF(FUNCTION) },
	{ 0x6e, DWARF_LINKAGE_NAME, OF(FUNCTION) },
	{ 0x2007, DWARF_LINKAGE_NAME, OF(FUNCTION) },	/* MIPS_linkage_name */
	{ 0x11, DWARF_LOW, OF(UNIT_ENTRY) | OF(FUNCTION) | OF(INLINED) },
	{ 0x12, DWARF_HIGH, OF(FUNCTION) | OF(INLINED) },
	{ 0x55, DWARF_RANGE_LIST, OF(FUNCTION) | OF(INLINED) },
	{ 0x31, DWARF_ORIGIN, OF(FUNCTION) | OF(INLINED) },
	{ 0x47, DWARF_SPECIFICATION, OF(FUNCTION) },
	{ 0x58, DWARF_CALL_FILE, OF(INLINED) },
	{ 0x59, DWARF_CALL_LINE, OF(INLINED) },
	{ 0x10, DWARF_LINES, OF(UNIT_ENTRY) },
	{ 0x1b, DWARF_DIRECTORY, OF(UNIT_ENTRY) },
	{ 0x72, DWARF_STR_BASE, OF(UNIT_ENTRY) },
	{ 0x73, DWARF_ADDR_BASE, OF(UNIT_ENTRY) },
	{ 0x2133, DWARF_ADDR_BASE, OF(UNIT_ENTRY) },	/* GNU_addr_base */
	{ 0x74, DWARF_RANGES_BASE, OF(UNIT_ENTRY) },
	{ 0x2132, DWARF_RANGES_BASE, OF(UNIT_ENTRY) },	/* GNU_ranges_base */
	{ 0x76, DWARF_DWO_NAME, OF(UNIT_ENTRY) },
	{ 0x2130, DWARF_DWO_NAME, OF(UNIT_ENTRY) },	/* GNU_dwo_name */
	{ 0x2131, DWARF_DWO_ID, OF(UNIT_ENTRY) },	/* GNU_dwo_id */
};

#define FORM_IMPLICIT_CONST 0x21u

/*
 * How often all tables of a file may be read: each unit has its own, some kilobytes long, or all
 * share one and follow one another. Names in other units are few, or of few units.
 */
#define MOST_ROUNDS 16u
#define FREE_BYTES (UINT64_C(4) << 20)

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

/* Add what reads one attribute; `seen` has those that the entry keeps already. */
static bool
add_step(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev, const struct dwarf_unit *unit,
	 struct dwarf_step step, uint32_t *seen)
{
	struct dwarf_step *last = abbrev->count > 0 ? &abbrevs->steps[abbrevs->step_count - 1]
						    : NULL;
	const int64_t size = dwarf_form_size(step.form, unit);

	if (step.attribute < DWARF_ATTRIBUTES && (*seen & 1u << step.attribute) == 0) {
		step.action = DWARF_KEEP;
		*seen |= 1u << step.attribute;
	} else if (size >= 0) {
		step.action = DWARF_SKIP;
		step.number = size;
		if (last != NULL && last->action == DWARF_SKIP && last->number < UINT16_MAX) {
			last->number += size;
			return true;
		}
		if (size == 0)
			return true;
	} else {
		step.action = DWARF_SKIP_FORM;
	}
	struct dwarf_step *added = ARENA_PUSH(&abbrevs->arena, abbrevs->steps, abbrevs->step_count,
					      abbrevs->step_capacity);
	if (added == NULL)
		return false;
	*added = step;
	abbrev->count++;
	return true;
}

static bool
read_abbrev(struct dwarf_abbrevs *abbrevs, struct dwarf_cursor *cursor,
	    const struct dwarf_unit *unit)
{
	struct dwarf_abbrev abbrev = { .first = (uint32_t)abbrevs->step_count };
	uint32_t seen = 0;

	abbrev.code = dwarf_uleb(cursor);
	if (abbrev.code == 0 || cursor->cut)
		return false;
	abbrev.kind = kind_of(dwarf_uleb(cursor));
	abbrev.children = dwarf_byte(cursor) != 0;
	for (;;) {
		const uint64_t name = dwarf_uleb(cursor), form = dwarf_uleb(cursor);
		struct dwarf_step step = { .attribute = attribute_of(name, abbrev.kind),
					   .form = form <= UINT16_MAX ? (uint16_t)form : 0 };

		if (form == FORM_IMPLICIT_CONST)
			step.number = dwarf_sleb(cursor);
		if (cursor->cut)
			return false;
		if (name == 0 && form == 0)
			break;
		if (!add_step(abbrevs, &abbrev, unit, step, &seen))
			return false;
	}
	struct dwarf_abbrev *added = ARENA_PUSH(&abbrevs->arena, abbrevs->items, abbrevs->count,
						abbrevs->capacity);
	if (added != NULL)
		*added = abbrev;
	return added != NULL;
}

SORTED_BY(compare, struct dwarf_abbrev, code)

bool
dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, const struct dwarf_file *file,
		   const struct dwarf_unit *unit)
{
	struct dwarf_cursor cursor = dwarf_file_at(file, DWARF_ABBREV, unit->abbrevs);

	if (abbrevs->file == file && abbrevs->offset == unit->abbrevs &&
	    abbrevs->version == unit->version && abbrevs->address_size == unit->address_size &&
	    abbrevs->offset_size == unit->offset_size)
		return true;
	arena_reset(&abbrevs->arena);
	*abbrevs = (struct dwarf_abbrevs){
		.file = file, .offset = unit->abbrevs, .version = unit->version,
		.address_size = unit->address_size, .offset_size = unit->offset_size,
		.spent = abbrevs->spent, .arena = abbrevs->arena };
	if (abbrevs->spent / MOST_ROUNDS > file->sections[DWARF_ABBREV].size + FREE_BYTES)
		return false;
	const uint64_t size = dwarf_left(&cursor);
	while (read_abbrev(abbrevs, &cursor, unit))
		;
	abbrevs->spent += size - dwarf_left(&cursor);
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
