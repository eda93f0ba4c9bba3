/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_ENTRY_H
#define DWARF_DWARF_ENTRY_H

#include "dwarf/dwarf_abbrev.h"

/** Entries of a unit, and what their attributes mean. */

struct dwarf_value {
	uint64_t number;
	uint16_t form;
};

struct dwarf_entry {
	uint64_t offset;		/* in .debug_info */
	const struct dwarf_abbrev *abbrev;
	uint32_t present;		/* bits 1 << enum dwarf_attribute */
	struct dwarf_value values[DWARF_ATTRIBUTES];
};

/** A unit that is read. All zero is none, and keeps its memory from unit to unit. */
struct dwarf_context {
	const struct dwarf_file *file;
	const struct dwarf_unit *unit;
	const struct dwarf_file *skeletons;	/* with the addresses of split units; else `file` */
	struct dwarf_abbrevs abbrevs;
	uint64_t str_base, addr_base, ranges_base;
	uint64_t low;				/* what range lists count from */
};

/**
 * The context of a unit of split DWARF: what its skeleton's context says of addresses counts. The
 * abbreviations that are known are forgotten: `file` may be where another one was.
 */
bool
dwarf_context_split(struct dwarf_context *context, const struct dwarf_context *skeleton,
		    const struct dwarf_file *file, const struct dwarf_unit *unit,
		    struct dwarf_cursor *cursor, struct dwarf_entry *entry);

enum dwarf_read {
	DWARF_READ_ENTRY,
	DWARF_READ_END,			/* the last of its siblings was read before */
	DWARF_READ_DAMAGED,
};

/**
 * Begin to read a unit: its abbreviations, and its own entry with the bases of its other
 * attributes. False where it is damaged. `cursor` is behind its entry then.
 */
bool
dwarf_context_begin(struct dwarf_context *context, const struct dwarf_file *file,
		    const struct dwarf_unit *unit, struct dwarf_cursor *cursor,
		    struct dwarf_entry *entry);

/** The next entry of the unit. */
enum dwarf_read
dwarf_entry_read(const struct dwarf_context *context, struct dwarf_cursor *cursor,
		 struct dwarf_entry *entry);

/** The entry at an offset of the unit; false where there is none. */
bool
dwarf_entry_at(const struct dwarf_context *context, uint64_t offset, struct dwarf_entry *entry);

static inline bool
dwarf_entry_has(const struct dwarf_entry *entry, enum dwarf_attribute attribute)
{
	return (entry->present & 1u << attribute) != 0;
}

/** The text that a value of the unit stands for; NULL: it is none. */
const char *
dwarf_value_text(const struct dwarf_context *context, const struct dwarf_value *value);

/** The text of an attribute; NULL: it has none. */
static inline const char *
dwarf_entry_text(const struct dwarf_context *context, const struct dwarf_entry *entry,
		 enum dwarf_attribute attribute)
{
	return dwarf_entry_has(entry, attribute)
		       ? dwarf_value_text(context, &entry->values[attribute]) : NULL;
}

/** Which file and offset an attribute refers to; NULL: none. */
const struct dwarf_file *
dwarf_entry_reference(const struct dwarf_context *context, const struct dwarf_entry *entry,
		      enum dwarf_attribute attribute, uint64_t *offset);

/** The number in an attribute; 0 where it has none. */
static inline uint64_t
dwarf_entry_number(const struct dwarf_entry *entry, enum dwarf_attribute attribute)
{
	return dwarf_entry_has(entry, attribute) ? entry->values[attribute].number : 0;
}

/** A range of code, as linked. */
struct dwarf_range {
	uint64_t low, high;		/* `high` is behind it */
};

/** Ranges, in memory that is used again. */
struct dwarf_ranges {
	struct dwarf_range *items;
	size_t count, capacity;
	uint64_t budget;	/* ranges that may still be read: lists may be shared */
};

/**
 * Append the ranges of an entry's code that are not empty. False where its list is damaged; what
 * stands before that counts.
 */
bool
dwarf_entry_ranges(const struct dwarf_context *context, const struct dwarf_entry *entry,
		   struct dwarf_ranges *ranges);

#endif
