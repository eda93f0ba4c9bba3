/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_ABBREV_H
#define DWARF_DWARF_ABBREV_H

#include "dwarf/dwarf.h"

/**
 * Abbreviations (DWARF 5, 7.5.3): the attributes of each kind of entry, those that are stored when
 * entries are read in order, and the number of bytes to skip between them.
 */

/** Kinds of entries distinguished here. */
enum dwarf_kind {
	DWARF_OTHER,
	DWARF_BLOCK_ENTRY,	/* a lexical block or similar */
	DWARF_UNIT_ENTRY,
	DWARF_NAMESPACE,	/* and types: parts of names */
	DWARF_TYPE,
	DWARF_FUNCTION,
	DWARF_INLINED,		/* an inlined call */
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
	uint16_t name, form;	/* name: enum dwarf_attribute_name; 0: a larger number */
	/* Fixed-size attributes from here on that are not stored, and their total size. */
	uint32_t run, bytes;
	uint8_t attribute;	/* attribute to store; DWARF_ATTRIBUTES: none */
	int64_t number;		/* the value of DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first, count;	/* range of steps */
	uint16_t tag;		/* enum dwarf_tag; 0: a larger number */
	uint8_t kind;		/* enum dwarf_kind */
	bool children;
};

/** The abbreviations of a unit; initially zero, reusable for other units. */
struct dwarf_abbrevs {
	const struct dwarf_file *file;
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	struct dwarf_abbrev *items;	/* by code */
	size_t count, capacity;
	struct dwarf_step *steps;
	size_t step_count, step_capacity;
	uint64_t last;			/* code up to which they are read, or DWARF_ALL_CODES */
	uint64_t spent;			/* bytes of tables read so far */
	bool exceeded;			/* some are omitted because of their cost */
	struct arena arena;
};

/** Reads all abbreviations of a table. */
#define DWARF_ALL_CODES 0

/**
 * Read the abbreviations of a unit up to the one of `code`, unless already read. False if the table
 * is empty, when out of memory, or if units share tables so that the same bytes are read too often.
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
	for (size_t low = 0, high = abbrevs->count; low < high;) {
		const size_t at = low + (high - low) / 2;

		if (abbrevs->items[at].code == code)
			return &abbrevs->items[at];
		if (abbrevs->items[at].code < code)
			low = at + 1;
		else
			high = at;
	}
	return NULL;
}

#endif
