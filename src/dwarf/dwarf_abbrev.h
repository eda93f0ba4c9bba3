/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_ABBREV_H
#define DWARF_DWARF_ABBREV_H

#include "dwarf/dwarf.h"

/**
 * Abbreviations (DWARF 5, 7.5.3), made into what has to be done to read an entry: which attributes
 * to keep, and how many bytes to skip between them.
 */

/** What an entry is, as far as that matters here. */
enum dwarf_kind {
	DWARF_OTHER,
	DWARF_UNIT_ENTRY,
	DWARF_NAMESPACE,	/* and a type: parts of names */
	DWARF_TYPE,
	DWARF_FUNCTION,
	DWARF_INLINED,		/* an inlined call */
};

/** The attributes that are kept. */
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
	DWARF_DWO_NAME,
	DWARF_DWO_ID,
	DWARF_ATTRIBUTES
};

enum dwarf_action {
	DWARF_SKIP,		/* `number` bytes */
	DWARF_SKIP_FORM,	/* a value whose length only its bytes tell */
	DWARF_KEEP,		/* as `attribute` */
};

struct dwarf_step {
	uint8_t action, attribute;
	uint16_t form;
	int64_t number;		/* of DWARF_SKIP; the value of DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first, count;	/* of its steps */
	uint8_t kind;		/* enum dwarf_kind */
	bool children;
};

/** The abbreviations of a unit; all zero at first, then read again and again. */
struct dwarf_abbrevs {
	const struct dwarf_file *file;
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	struct dwarf_abbrev *items;	/* by code */
	size_t count, capacity;
	struct dwarf_step *steps;
	size_t step_count, step_capacity;
	uint64_t spent;			/* bytes of tables that were read so far */
	struct arena arena;
};

/**
 * Read those of a unit, unless they are there already. False where there are none, out of memory,
 * and where units make one read large tables again and again.
 */
bool
dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, const struct dwarf_file *file,
		   const struct dwarf_unit *unit);

void
dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs);

/** The abbreviation of a code; NULL: there is none. Compilers write codes 1, 2, 3... */
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
