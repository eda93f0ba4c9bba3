/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_ABBREV_H
#define DWARF_DWARF_ABBREV_H

#include "base/sorted.h"
#include "dwarf/dwarf.h"
/**
 * Abbreviations (DWARF 5, 7.5.3). Each lists the attributes of entries. When entries are read in
 * order, some attributes are stored, and the bytes between them are skipped.
 */

enum dwarf_kind {
	DWARF_OTHER,
	DWARF_BLOCK_ENTRY,	/* a lexical block or similar */
	DWARF_UNIT_ENTRY,
	DWARF_NAMESPACE,	/* a namespace or a type: part of names */
	DWARF_TYPE,
	DWARF_FUNCTION,
	DWARF_INLINED,
};

/** The stored attributes. */
enum dwarf_attribute {
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_LOW,
	DWARF_HIGH,
	DWARF_RANGE_LIST,
	DWARF_ORIGIN,
	DWARF_SPECIFICATION,
	DWARF_CALL_FILE,
	DWARF_CALL_LINE,
	DWARF_LINES,
	DWARF_DIRECTORY,
	DWARF_STR_BASE,
	DWARF_ADDR_BASE,
	DWARF_RANGES_BASE,
	DWARF_LOCATIONS_BASE,
	DWARF_DWO_NAME,
	DWARF_DWO_ID,
	DWARF_ATTRIBUTES
};

/** An attribute of an abbreviation. */
struct dwarf_step {
	uint16_t name, form;	/* name: enum dwarf_attribute_name; 0: too large */
	/* number and bytes of the fixed-size attributes to skip, beginning with this one */
	uint32_t run, bytes;
	uint8_t attribute;	/* attribute to store; DWARF_ATTRIBUTES: none */
	int64_t number;		/* the value of DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first, count;	/* range of steps */
	uint16_t tag;		/* enum dwarf_tag; 0: too large */
	uint8_t kind;		/* enum dwarf_kind */
	bool children;
};

/** The abbreviations of a unit; initially zero, reusable for other units. */
struct dwarf_abbrevs {
	const struct dwarf_file *file;
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	struct dwarf_abbrev *items;	/* sorted by code */
	size_t count, capacity;
	struct dwarf_step *steps;
	size_t step_count, step_capacity;
	/* Code up to which abbreviations are read, or DWARF_ALL_CODES */
	uint64_t last;
	uint64_t spent;			/* bytes of tables read so far */
	bool exceeded;			/* some abbreviations are omitted because of their cost */
	struct arena arena;
};

/** Reads all abbreviations of a table. */
#define DWARF_ALL_CODES 0

/**
 * Read the abbreviations of a unit up to the one for `code`, unless they are already read. False if
 * the table is empty, when out of memory, or if shared tables make the reader read the same bytes
 * too often.
 */
bool
dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, const struct dwarf_file *file,
		   const struct dwarf_unit *unit, uint64_t code);

void
dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs);

/** Whether these are the abbreviations of a unit. */
static inline bool
dwarf_abbrevs_are_of(const struct dwarf_abbrevs *abbrevs, const struct dwarf_file *file,
		     const struct dwarf_unit *unit)
{
	return abbrevs->file == file && abbrevs->offset == unit->abbrevs &&
	       abbrevs->version == unit->version && abbrevs->address_size == unit->address_size &&
	       abbrevs->offset_size == unit->offset_size;
}

/** The abbreviation of a code; NULL: none. Compilers write codes 1, 2, 3... */
static inline const struct dwarf_abbrev *
dwarf_abbrev_at(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	if (code - 1 < abbrevs->count && abbrevs->items[code - 1].code == code)
		return &abbrevs->items[code - 1];
	const size_t at = sorted_below(SORTED(abbrevs->items, abbrevs->count, code), code);
	return at < abbrevs->count && abbrevs->items[at].code == code ? &abbrevs->items[at] : NULL;
}

/** Forms of attributes (DWARF 5, 7.5.6), a row for each. */
enum dwarf_width {
	DWARF_BAD,		/* no such form */
	DWARF_FIXED,		/* `size` bytes */
	DWARF_ADDRESS,
	DWARF_OFFSET,		/* 4 or 8 bytes by the unit's format */
	DWARF_LEB,
	DWARF_STRING,
	DWARF_BLOCK,		/* length in `size` bytes (0: in LEB128), then the bytes */
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
	DWARF_LINE_TEXT_AT,	/* an offset in .debug_line_str */
	DWARF_TEXT_INDEX,
	DWARF_SUPPLEMENT_TEXT,
	DWARF_IN_UNIT,		/* offset of an entry from the unit's header */
	DWARF_IN_FILE,
	DWARF_IN_SUPPLEMENT,
	DWARF_LIST_INDEX,	/* a list of ranges or locations */
	DWARF_SIGNATURE,	/* the signature of a type unit */
	DWARF_IS_BLOCK,		/* bytes, or an expression */
	DWARF_IS_BYTES,
	DWARF_IS_OFFSET,
};

struct dwarf_form {
	uint8_t width, size, class;
};

/** The row of a form. The row of an unknown form has the width DWARF_BAD. */
const struct dwarf_form *
dwarf_form_of(uint64_t form);

struct dwarf_value {
	uint64_t number;	/* number, or number of bytes; for a text, its address in memory */
	const uint8_t *bytes;	/* a block, an expression or DW_FORM_data16; else NULL */
	uint16_t form;
};

/**
 * Read a value in the form `value->form`; DW_FORM_indirect is replaced by the form before the
 * value. A value past the section's end cuts the cursor and reads as 0.
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
