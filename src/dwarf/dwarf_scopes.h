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

/** The state of a level of entries; each begins with that of the entry around it. */
struct dwarf_scope_level {
	uint32_t scope;			/* that they are in; DWARF_NO_SCOPE: the unit */
	uint32_t opened;		/* the scope that ends with the level */
	uint32_t function, depth;	/* for the visitor; DWARF_NO_SCOPE and 0 at first */
};

/**
 * Called with each entry of a namespace, type, function or inlined call, and the level of the
 * entries in it. False: the entry is damaged, or memory is exhausted.
 */
typedef bool dwarf_scopes_visit(void *context, const struct dwarf_entry *entry,
				struct dwarf_scope_level *level);

/**
 * Read all entries of a unit and list its scopes: namespaces, types and functions with children;
 * `visit` may be NULL. False if the unit is damaged, or memory is exhausted; scopes before that are
 * listed.
 */
bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_visit *visit, void *context);

/** The innermost scope around an entry of the unit, excluding the entry's own. */
uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset);

#endif
