/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_ENTRY_H
#define DWARF_DWARF_ENTRY_H

#include <string.h>

#include "dwarf/dwarf_abbrev.h"

/** Entries of a unit read in order, and the meaning of their attributes. */

struct dwarf_entry {
	uint64_t offset;		/* offset in the section of its unit */
	const struct dwarf_abbrev *abbrev;
	uint32_t present;		/* bits 1 << enum dwarf_attribute */
	struct dwarf_value values[DWARF_ATTRIBUTES];
};

/** A unit in use; `abbrevs` belongs to the reader, which may reuse it for another unit. */
struct dwarf_context {
	const struct dwarf_file *file;
	const struct dwarf_unit *unit;
	/* File with the addresses: the skeleton's for a split unit, else `file` */
	const struct dwarf_file *skeletons;
	struct dwarf_abbrevs *abbrevs;
	bool root_only;				/* only the root entry is needed */
	uint64_t str_base, addr_base, ranges_base, locations_base;
	uint64_t low;				/* base address of lists */
	struct dwarf_store *store;		/* owner (dwarf_store.h); NULL: none */
};

/** dwarf_context_begin() for a split unit, which uses the addresses of its skeleton. */
bool
dwarf_context_split(struct dwarf_context *context, const struct dwarf_context *skeleton,
		    const struct dwarf_file *file, const struct dwarf_unit *unit,
		    struct dwarf_cursor *cursor, struct dwarf_entry *entry);

enum dwarf_read {
	DWARF_READ_ENTRY,
	DWARF_READ_END,			/* no sibling is left */
	DWARF_READ_DAMAGED,
};

/**
 * Begin to read a unit: read its abbreviations and its root entry, and set its bases. `cursor` is
 * then after the root entry. False if the unit is damaged.
 */
bool
dwarf_context_begin(struct dwarf_context *context, const struct dwarf_file *file,
		    const struct dwarf_unit *unit, struct dwarf_cursor *cursor,
		    struct dwarf_entry *entry);

/** The entry at an offset of the unit. False if there is none. */
bool
dwarf_entry_at(const struct dwarf_context *context, uint64_t offset, struct dwarf_entry *entry);

static inline bool
dwarf_entry_has(const struct dwarf_entry *entry, enum dwarf_attribute attribute)
{
	return (entry->present & 1u << attribute) != 0;
}

/** Entry `index` of the unit's table of addresses. False if the table is shorter. */
bool
dwarf_address_at(const struct dwarf_context *context, uint64_t index, uint64_t *address);

/** The address that a value is or refers to. False if it is another kind of value. */
bool
dwarf_value_address(const struct dwarf_context *context, const struct dwarf_value *value,
		    uint64_t *address);

/** The text that a value is or refers to; NULL: none. */
const char *
dwarf_value_text(const struct dwarf_context *context, const struct dwarf_value *value);

/** The text of an attribute; NULL: none. */
static inline const char *
dwarf_entry_text(const struct dwarf_context *context, const struct dwarf_entry *entry,
		 enum dwarf_attribute attribute)
{
	return dwarf_entry_has(entry, attribute)
		       ? dwarf_value_text(context, &entry->values[attribute]) : NULL;
}

/** The file and offset that a value refers to; NULL: not a reference by offset. */
const struct dwarf_file *
dwarf_value_reference(const struct dwarf_context *context, const struct dwarf_value *value,
		      uint64_t *offset);

/** dwarf_value_reference() of an attribute. */
const struct dwarf_file *
dwarf_entry_reference(const struct dwarf_context *context, const struct dwarf_entry *entry,
		      enum dwarf_attribute attribute, uint64_t *offset);

/** The number in an attribute; 0: none. */
static inline uint64_t
dwarf_entry_number(const struct dwarf_entry *entry, enum dwarf_attribute attribute)
{
	return dwarf_entry_has(entry, attribute) ? entry->values[attribute].number : 0;
}

/** A range of code, as linked. */
struct dwarf_range {
	uint64_t low, high;		/* `high` is exclusive */
};

/** Ranges, in reusable memory. */
struct dwarf_ranges {
	struct dwarf_range *items;
	size_t count, capacity;
	/* Number of ranges that may still be read; limited, because entries may share lists */
	uint64_t budget;
};

/**
 * Append the non-empty ranges of an entry's code. False if its list is damaged; ranges before the
 * damage are appended.
 */
bool
dwarf_entry_ranges(const struct dwarf_context *context, const struct dwarf_entry *entry,
		   struct dwarf_ranges *ranges);

/**
 * Lists of ranges and of locations (DWARF 5, 2.6.2, 2.17.3, 7.25 and 7.29). Before version 5, lists
 * have pairs of addresses, or in split DWARF the format on the DebugFission page of GCC's wiki.
 */
struct dwarf_list {
	const struct dwarf_context *context;
	struct dwarf_cursor cursor;
	const char *const *operands;	/* by kind of entry; NULL: pairs */
	uint64_t base;			/* base address of offsets */
	bool locations;
	bool broken;			/* the end of the list is unreadable */
};

struct dwarf_list_entry {
	uint64_t low, high;		/* as linked; low >= high: no code */
	bool everywhere;		/* valid if no other entry of the list covers an address */
	const uint8_t *code;		/* expression of a location */
	uint64_t size;
};

/**
 * Open the list of ranges or locations that a value refers to. False if it refers to none.
 * Lists of locations need dwarf_file_open_more().
 */
bool
dwarf_list_open(struct dwarf_list *list, const struct dwarf_context *context,
		const struct dwarf_value *value, bool locations);

/** The next entry that is not a base. False at the end of the list, or if it is broken. */
bool
dwarf_list_next(struct dwarf_list *list, struct dwarf_list_entry *entry);

/** Scopes of a unit, in order: entries whose names qualify the names of the entries inside. */
struct dwarf_scopes {
	struct dwarf_scope {
		uint32_t start, end;	/* offsets from the unit's header; `end` is exclusive */
		uint32_t parent;	/* number of a scope; DWARF_NO_SCOPE: the unit */
	} *items;
	size_t count, capacity;
};

#define DWARF_NO_SCOPE UINT32_MAX

/** The state of a level of entries; at first, a copy of the state of the enclosing level. */
struct dwarf_scope_level {
	uint32_t scope;			/* scope of its entries; DWARF_NO_SCOPE: the unit */
	uint32_t opened;		/* the scope that ends when this level ends */
	uint32_t function, depth;	/* for the visitor; DWARF_NO_SCOPE and 0 at first */
};

/**
 * Called with each entry of a namespace, type, function or inlined call, and the level of its
 * children. False: the entry is damaged, or memory is exhausted.
 */
typedef bool dwarf_scopes_visit(void *context, const struct dwarf_entry *entry,
				struct dwarf_scope_level *level);

/**
 * Read all entries of a unit and list its scopes: namespaces, types and functions with children;
 * `visit` may be NULL. False if the unit is damaged, or memory is exhausted; scopes up to there
 * are listed.
 */
bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_visit *visit, void *context);

/** The innermost scope around an entry of the unit, excluding the entry's own. */
uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset);

/**
 * Whether a name already begins with the name of its scope. GNAT writes such names for Ada:
 * `main__list__first` in the scope `main`.
 */
static inline bool
dwarf_name_has_scope(const char *name, const char *scope)
{
	const size_t length = strlen(scope);

	return length > 0 && strncmp(name, scope, length) == 0 &&
	       strncmp(name + length, "__", 2) == 0;
}

#endif
