/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_FORM_H
#define DWARF_DWARF_FORM_H

#include "dwarf/dwarf.h"

/** Forms of attributes (DWARF 5, 7.5.6), a row for each. */
enum dwarf_width {
	DWARF_BAD,		/* no such form */
	DWARF_FIXED,		/* `size` bytes */
	DWARF_ADDRESS,
	DWARF_OFFSET,		/* 4 or 8 bytes by the unit's format */
	DWARF_LEB,
	DWARF_STRING,
	DWARF_BLOCK,		/* a length in `size` bytes (0: in LEB128) and so many bytes */
	DWARF_INDIRECT,		/* the form is stored before the value */
};

/** The meaning of a value. */
enum dwarf_class {
	DWARF_NO_CLASS,
	DWARF_CONSTANT,
	DWARF_SIGNED,
	DWARF_IS_ADDRESS,
	DWARF_ADDRESS_INDEX,
	DWARF_IS_TEXT,		/* the bytes of a text */
	DWARF_TEXT_AT,		/* an offset in .debug_str */
	DWARF_LINE_TEXT_AT,	/* in .debug_line_str */
	DWARF_TEXT_INDEX,
	DWARF_SUPPLEMENT_TEXT,
	DWARF_IN_UNIT,		/* offset of an entry from the unit's header */
	DWARF_IN_FILE,
	DWARF_IN_SUPPLEMENT,
	DWARF_LIST_INDEX,	/* a list of ranges or locations */
	DWARF_SIGNATURE,	/* of a type unit */
	DWARF_IS_BLOCK,		/* bytes, or an expression */
	DWARF_IS_BYTES,
	DWARF_IS_OFFSET,
};

struct dwarf_form {
	uint8_t width, size, class;
};

/** The row of a form; for an unknown number, the row without a width. */
const struct dwarf_form *
dwarf_form_of(uint64_t form);

/** The fixed size of a form's values in a unit; -1: not fixed. */
int64_t
dwarf_form_size(uint64_t form, const struct dwarf_unit *unit);

/** A value of an attribute. */
struct dwarf_value {
	uint64_t number;	/* number, or number of bytes; of a text its address in memory */
	const uint8_t *bytes;	/* a block, an expression or DW_FORM_data16; else NULL */
	uint16_t form;
};

/**
 * Read the value of `value->form`; DW_FORM_indirect is replaced by the form before the value. A
 * value past the section's end cuts the cursor and reads as 0.
 */
void
dwarf_form_read(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
		struct dwarf_value *value);

/** The unsigned number of a constant or offset. False if it is another kind of value. */
static inline bool
dwarf_value_unsigned(const struct dwarf_value *value, uint64_t *number)
{
	const unsigned class = dwarf_form_of(value->form)->class;

	*number = value->number;
	return class == DWARF_CONSTANT || class == DWARF_SIGNED || class == DWARF_IS_OFFSET;
}

/** The signed number of a constant, whose bytes are in two's complement. */
bool
dwarf_value_signed(const struct dwarf_value *value, int64_t *number);

#endif
