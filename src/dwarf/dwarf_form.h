/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_FORM_H
#define DWARF_DWARF_FORM_H

#include "dwarf/dwarf.h"

/**
 * Forms of attributes (DWARF 5, 7.5.6): one row each.
 */
enum dwarf_width {
	DWARF_BAD,		/* no such form */
	DWARF_FIXED,		/* `size` bytes */
	DWARF_ADDRESS,
	DWARF_OFFSET,		/* 4 or 8 bytes, as the unit's format says */
	DWARF_LEB,
	DWARF_STRING,
	DWARF_BLOCK,		/* a length in `size` bytes (0: in LEB128) and so many bytes */
	DWARF_INDIRECT,		/* the form stands before the value */
};

/** What a value means. */
enum dwarf_class {
	DWARF_NO_CLASS,
	DWARF_CONSTANT,
	DWARF_SIGNED,
	DWARF_IS_ADDRESS,
	DWARF_ADDRESS_INDEX,
	DWARF_IS_TEXT,		/* its bytes */
	DWARF_TEXT_AT,		/* an offset in .debug_str */
	DWARF_LINE_TEXT_AT,	/* in .debug_line_str */
	DWARF_TEXT_INDEX,
	DWARF_SUPPLEMENT_TEXT,
	DWARF_IN_UNIT,		/* an entry, counted from the unit's header */
	DWARF_IN_FILE,
	DWARF_IN_SUPPLEMENT,
	DWARF_LIST_INDEX,
	DWARF_IS_OFFSET,
};

struct dwarf_form {
	uint8_t width, size, class;
};

/** The row of a form; that of no form where the number is none. */
const struct dwarf_form *
dwarf_form_of(uint64_t form);

/** The bytes of a value of a unit whose size is fixed; -1: it is not. */
int64_t
dwarf_form_size(uint64_t form, const struct dwarf_unit *unit);

/**
 * Read a value: a number, or the address of the text in memory. Of a block nothing is kept. `*form`
 * becomes the one that stands before the value where it is DW_FORM_indirect.
 */
uint64_t
dwarf_form_read(struct dwarf_cursor *cursor, uint16_t *form, const struct dwarf_unit *unit);

#endif
