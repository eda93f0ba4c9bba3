/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_SCOPES_H
#define DWARF_DWARF_SCOPES_H

#include "dwarf/dwarf_entry.h"

/** Entries of a unit that contain others and are part of their names, in order. */
struct dwarf_scopes {
	struct dwarf_scope {
		uint32_t start, end;	/* from the unit's header; `end` is exclusive */
		uint32_t parent;	/* number of a scope; DWARF_NO_SCOPE: the unit */
	} *items;
	size_t count, capacity;
};

#define DWARF_NO_SCOPE UINT32_MAX

/** Whether an entry is a scope: a namespace, type or function with children. */
static inline bool
dwarf_scopes_has(const struct dwarf_entry *entry)
{
	return entry->abbrev->children && entry->abbrev->kind >= DWARF_NAMESPACE &&
	       entry->abbrev->kind <= DWARF_FUNCTION;
}

/**
 * Add the scope of an entry in scope `parent` and store its number, DWARF_NO_SCOPE if the unit is
 * too large. False when out of memory. dwarf_scopes_end() sets its end.
 */
bool
dwarf_scopes_begin(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		   const struct dwarf_entry *entry, uint32_t parent, uint32_t *number);

void
dwarf_scopes_end(struct dwarf_scopes *scopes, const struct dwarf_context *unit, uint32_t number,
		 uint64_t offset);

/** Called with each entry of a function. False: stop. */
typedef bool dwarf_scopes_function(void *context, const struct dwarf_entry *entry);

/**
 * Read all entries of a unit and list its scopes; `function` may be NULL. False if the unit is
 * damaged, `function` stopped, or memory is exhausted; scopes before that are listed.
 */
bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_function *function, void *context);

/** The innermost scope around an entry of the unit, excluding the entry's own. */
uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset);

#endif
