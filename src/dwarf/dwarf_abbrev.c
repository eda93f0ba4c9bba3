/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_abbrev.h"

#include "base/limits.h"
#include "dwarf/dwarf_codes.h"

static const struct dwarf_form forms[] = {
	[0x01] = { DWARF_ADDRESS, 0, DWARF_IS_ADDRESS },	/* addr */
	[0x03] = { DWARF_BLOCK, 2, DWARF_IS_BLOCK },		/* block2 */
	[0x04] = { DWARF_BLOCK, 4, DWARF_IS_BLOCK },		/* block4 */
	[0x05] = { DWARF_FIXED, 2, DWARF_CONSTANT },		/* data2 */
	[0x06] = { DWARF_FIXED, 4, DWARF_CONSTANT },		/* data4 */
	[0x07] = { DWARF_FIXED, 8, DWARF_CONSTANT },		/* data8 */
	[0x08] = { DWARF_STRING, 0, DWARF_IS_TEXT },		/* string */
	[0x09] = { DWARF_BLOCK, 0, DWARF_IS_BLOCK },		/* block */
	[0x0a] = { DWARF_BLOCK, 1, DWARF_IS_BLOCK },		/* block1 */
	[0x0b] = { DWARF_FIXED, 1, DWARF_CONSTANT },		/* data1 */
	[0x0c] = { DWARF_FIXED, 1, DWARF_CONSTANT },		/* flag */
	[0x0d] = { DWARF_LEB, 0, DWARF_SIGNED },		/* sdata */
	[0x0e] = { DWARF_OFFSET, 0, DWARF_TEXT_AT },		/* strp */
	[0x0f] = { DWARF_LEB, 0, DWARF_CONSTANT },		/* udata */
	[0x10] = { DWARF_OFFSET, 0, DWARF_IN_FILE },		/* ref_addr */
	[0x11] = { DWARF_FIXED, 1, DWARF_IN_UNIT },		/* ref1 */
	[0x12] = { DWARF_FIXED, 2, DWARF_IN_UNIT },		/* ref2 */
	[0x13] = { DWARF_FIXED, 4, DWARF_IN_UNIT },		/* ref4 */
	[0x14] = { DWARF_FIXED, 8, DWARF_IN_UNIT },		/* ref8 */
	[0x15] = { DWARF_LEB, 0, DWARF_IN_UNIT },		/* ref_udata */
	[0x16] = { DWARF_INDIRECT, 0, DWARF_NO_CLASS },		/* indirect */
	[0x17] = { DWARF_OFFSET, 0, DWARF_IS_OFFSET },		/* sec_offset */
	[0x18] = { DWARF_BLOCK, 0, DWARF_IS_BLOCK },		/* exprloc */
	[0x19] = { DWARF_FIXED, 0, DWARF_CONSTANT },		/* flag_present */
	[0x1a] = { DWARF_LEB, 0, DWARF_TEXT_INDEX },		/* strx */
	[0x1b] = { DWARF_LEB, 0, DWARF_ADDRESS_INDEX },		/* addrx */
	[0x1c] = { DWARF_FIXED, 4, DWARF_IN_SUPPLEMENT },	/* ref_sup4 */
	[0x1d] = { DWARF_OFFSET, 0, DWARF_SUPPLEMENT_TEXT },	/* strp_sup */
	[0x1e] = { DWARF_FIXED, 16, DWARF_IS_BYTES },		/* data16 */
	[0x1f] = { DWARF_OFFSET, 0, DWARF_LINE_TEXT_AT },	/* line_strp */
	[0x20] = { DWARF_FIXED, 8, DWARF_SIGNATURE },		/* ref_sig8 */
	[0x21] = { DWARF_FIXED, 0, DWARF_CONSTANT },		/* implicit_const */
	[0x22] = { DWARF_LEB, 0, DWARF_LIST_INDEX },		/* loclistx */
	[0x23] = { DWARF_LEB, 0, DWARF_LIST_INDEX },		/* rnglistx */
	[0x24] = { DWARF_FIXED, 8, DWARF_IN_SUPPLEMENT },	/* ref_sup8 */
	[0x25] = { DWARF_FIXED, 1, DWARF_TEXT_INDEX },		/* strx1 */
	[0x26] = { DWARF_FIXED, 2, DWARF_TEXT_INDEX },		/* strx2 */
	[0x27] = { DWARF_FIXED, 3, DWARF_TEXT_INDEX },		/* strx3 */
	[0x28] = { DWARF_FIXED, 4, DWARF_TEXT_INDEX },		/* strx4 */
	[0x29] = { DWARF_FIXED, 1, DWARF_ADDRESS_INDEX },	/* addrx1 */
	[0x2a] = { DWARF_FIXED, 2, DWARF_ADDRESS_INDEX },	/* addrx2 */
	[0x2b] = { DWARF_FIXED, 3, DWARF_ADDRESS_INDEX },	/* addrx3 */
	[0x2c] = { DWARF_FIXED, 4, DWARF_ADDRESS_INDEX },	/* addrx4 */
};

/* GNU's forms from before DWARF 5, and for dwz (GCC's DebugFission; dwz(1)). */
static const struct {
	uint16_t form;
	struct dwarf_form row;
} gnu_forms[] = {
	{ 0x1f01, { DWARF_LEB, 0, DWARF_ADDRESS_INDEX } },	/* GNU_addr_index */
	{ 0x1f02, { DWARF_LEB, 0, DWARF_TEXT_INDEX } },		/* GNU_str_index */
	{ 0x1f20, { DWARF_OFFSET, 0, DWARF_IN_SUPPLEMENT } },	/* GNU_ref_alt */
	{ 0x1f21, { DWARF_OFFSET, 0, DWARF_SUPPLEMENT_TEXT } },	/* GNU_strp_alt */
};

const struct dwarf_form *
dwarf_form_of(uint64_t form)
{
	if (form < ARRAY_COUNT(forms))
		return &forms[form];
	for (size_t i = 0; i < ARRAY_COUNT(gnu_forms); i++)
		if (gnu_forms[i].form == form)
			return &gnu_forms[i].row;
	return &forms[0];
}

/* The fixed size of a form's values in a unit; -1: not fixed. */
static int64_t
dwarf_form_size(uint64_t form, const struct dwarf_unit *unit)
{
	const struct dwarf_form *row = dwarf_form_of(form);

	/* In DWARF 2, references to other units have the size of addresses. */
	if (row->width == DWARF_ADDRESS || (form == DW_FORM_ref_addr && unit->version == 2))
		return unit->address_size;
	if (row->width == DWARF_OFFSET)
		return unit->offset_size;
	return row->width == DWARF_FIXED ? row->size : -1;
}

/* Store the address and the number of bytes. */
static void
take_bytes(struct dwarf_cursor *cursor, uint64_t count, struct dwarf_value *value)
{
	value->bytes = cursor->at;
	value->number = count <= dwarf_left(cursor) ? count : 0;
	dwarf_skip(cursor, count);
}

void
dwarf_form_read(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
		struct dwarf_value *value)
{
	const struct dwarf_form *row = dwarf_form_of(value->form);

	if (row->width == DWARF_INDIRECT) {
		value->form = (uint16_t)dwarf_uleb(cursor);
		row = dwarf_form_of(value->form);
	}
	const int64_t size = dwarf_form_size(value->form, unit);
	value->number = 0;
	value->bytes = NULL;
	if (size > 8)
		take_bytes(cursor, (uint64_t)size, value);
	else if (size >= 0)
		value->number = size == 0 ? value->form == DW_FORM_flag_present
					  : dwarf_number(cursor, (unsigned)size);
	else if (row->width == DWARF_LEB)
		value->number = row->class == DWARF_SIGNED ? (uint64_t)dwarf_sleb(cursor)
							   : dwarf_uleb(cursor);
	else if (row->width == DWARF_STRING)
		value->number = (uint64_t)(uintptr_t)dwarf_text(cursor);
	else if (row->width == DWARF_BLOCK)
		take_bytes(cursor,
			   row->size == 0 ? dwarf_uleb(cursor) : dwarf_number(cursor, row->size),
			   value);
	else
		dwarf_cut(cursor);
}

bool
dwarf_value_signed(const struct dwarf_value *value, int64_t *number)
{
	const unsigned class = dwarf_form_of(value->form)->class;

	*number = value->form == DW_FORM_data1	 ? (int8_t)value->number
		  : value->form == DW_FORM_data2 ? (int16_t)value->number
		  : value->form == DW_FORM_data4 ? (int32_t)value->number
						 : (int64_t)value->number;
	return class == DWARF_CONSTANT || class == DWARF_SIGNED;
}

/* Forms ---------------------------------------------------------------------------------------- */

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
 * Bytes read from tables are limited to this multiple of their section's size. Valid files stay
 * below it: adjacent units share a table, and references to names lead to few other units.
 */
#define MOST_ROUNDS 16u
#define FREE_BYTES (UINT64_C(4) << 20)

/* Maximum number of bytes of attributes to skip in one step. */
#define MOST_SKIPPED UINT16_MAX

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

	if (!ARENA_ADD(&abbrevs->arena, abbrevs->steps, abbrevs->step_count, abbrevs->step_capacity,
		       &step))
		return false;
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
					   .attribute = DWARF_ATTRIBUTES };

		for (size_t i = ARRAY_COUNT(kept); i-- > 0;)
			if (kept[i].name == name && (kept[i].kinds & 1u << abbrev->kind) != 0)
				step.attribute = kept[i].attribute;
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
	/* Entries with so many empty attributes would have few bytes but take long to read. */
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
	for (size_t i = 0; i < ARRAY_COUNT(tags); i++)
		if (tags[i].tag == tag)
			abbrev.kind = tags[i].kind;
	abbrev.children = dwarf_byte(&reading->cursor) != 0;
	return read_steps(reading, &abbrev) &&
	       ARENA_ADD(&abbrevs->arena, abbrevs->items, abbrevs->count, abbrevs->capacity,
			 &abbrev);
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
			SORT(abbrevs->items, abbrevs->count, compare);
			break;
		}
	return abbrevs->count > 0;
}

void
dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
	arena_free(&abbrevs->arena);
}
