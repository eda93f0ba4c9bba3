/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_SCOPES_H
#define DWARF_DWARF_SCOPES_H

#include "dwarf/dwarf_entry.h"

/** Entries of a unit that have others in them and are a part of their names, in order. */
struct dwarf_scopes {
	struct dwarf_scope {
		uint32_t start, end;	/* from the unit's header on; `end` is after it */
		uint32_t parent;	/* its number; DWARF_NO_SCOPE: the unit itself */
	} *items;
	size_t count, capacity;
};

#define DWARF_NO_SCOPE UINT32_MAX

/** Whether an entry is a scope: a namespace, a type or a function with entries in it. */
static inline bool
dwarf_scopes_has(const struct dwarf_entry *entry)
{
	return entry->abbrev->children && entry->abbrev->kind >= DWARF_NAMESPACE &&
	       entry->abbrev->kind <= DWARF_FUNCTION;
}

/**
 * Add the scope of an entry that is in scope `parent`; its number, DWARF_NO_SCOPE if the unit is
 * too large. False when out of memory. dwarf_scopes_end() says where it ends.
 */
bool
dwarf_scopes_begin(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		   const struct dwarf_entry *entry, uint32_t parent, uint32_t *number);

void
dwarf_scopes_end(struct dwarf_scopes *scopes, const struct dwarf_context *unit, uint32_t number,
		 uint64_t offset);

/** Called with each entry of a function; false: stop. */
typedef bool dwarf_scopes_function(void *context, const struct dwarf_entry *entry);

/**
 * Read all entries of a unit and list its scopes; `function` may be NULL. False where the unit is
 * damaged, `function` stopped, or out of memory; the scopes before that count.
 */
bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_function *function, void *context);

/** The innermost scope around an entry of the unit, which is not the entry's own. */
uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset);

#endif
