/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_form.h"

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

int64_t
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
