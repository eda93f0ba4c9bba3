/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_DIE_H
#define DWARF_DWARF_DIE_H

#include "dwarf/dwarf_codes.h"
#include "dwarf/dwarf_entry.h"

/**
 * Entries found one at a time, with access to all their attributes.
 *
 * The unit of such an entry belongs to a store (dwarf_store.h) and lives as long as the store.
 */
struct dwarf_die {
	const struct dwarf_context *unit;
	uint64_t offset;		/* offset in the section of its unit */
	const struct dwarf_abbrev *abbrev;
	const uint8_t *values;		/* start of the first attribute's value */
};

/** The entry at an offset of the unit's section. False if no entry begins there. */
bool
dwarf_die_at(const struct dwarf_context *unit, uint64_t offset, struct dwarf_die *die);

/** The root entry of a unit. */
bool
dwarf_die_root(const struct dwarf_context *unit, struct dwarf_die *die);

static inline enum dwarf_tag
dwarf_die_tag(const struct dwarf_die *die)
{
	return (enum dwarf_tag)die->abbrev->tag;
}

/** Whether an entry has an attribute. */
bool
dwarf_die_has(const struct dwarf_die *die, enum dwarf_attribute_name name);

/** The value of an attribute. False if there is none, or the unit ends before the value does. */
bool
dwarf_die_value(const struct dwarf_die *die, enum dwarf_attribute_name name,
		struct dwarf_value *value);

/** The unsigned number of an attribute; 0: none, or another kind of value. */
uint64_t
dwarf_die_number(const struct dwarf_die *die, enum dwarf_attribute_name name);

/**
 * The entry that an attribute refers to. It may be in another unit, in a type unit or in the
 * supplement. False if the attribute does not refer to an entry. `to` may be `die`.
 */
bool
dwarf_die_follow(const struct dwarf_die *die, enum dwarf_attribute_name name,
		 struct dwarf_die *to);

/** The abstract origin or the declaration of an entry. False if it has neither. */
bool
dwarf_die_origin(const struct dwarf_die *die, struct dwarf_die *origin);

/**
 * The value of an attribute of an entry or of its origin. `owner` (or NULL) gets the entry that has
 * the attribute.
 */
bool
dwarf_die_inherited(const struct dwarf_die *die, enum dwarf_attribute_name name,
		    struct dwarf_value *value, struct dwarf_die *owner);

/** The text of an attribute of an entry or of its origin; NULL: none. */
const char *
dwarf_die_text(const struct dwarf_die *die, enum dwarf_attribute_name name);

/** Append the ranges of an entry's code (dwarf_entry_ranges). */
bool
dwarf_die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ranges);

/** The file offset of an entry; if the section is compressed, of the section's beginning. */
uint64_t
dwarf_die_place(const struct dwarf_die *die);

static inline bool
dwarf_die_is(const struct dwarf_die *die, const struct dwarf_die *other)
{
	return die->values == other->values;
}

#define DWARF_TREE_DEPTH 64

/** A traversal of the descendants of an entry, parents before children. */
struct dwarf_tree {
	uint64_t *budget;		/* entries that may still be visited */
	struct dwarf_die path[DWARF_TREE_DEPTH];
	bool child[DWARF_TREE_DEPTH];	/* the entry is a child of the previous one in `path` */
	size_t depth;
};

/** Begin at the first child of `parent`, or descend from the current entry. False: no children. */
bool
dwarf_tree_enter(struct dwarf_tree *tree, const struct dwarf_die *parent);

/**
 * Move to the first child of the current entry if `below` is true, else past its descendants. False
 * after the last entry, and when the budget is spent.
 */
bool
dwarf_tree_next(struct dwarf_tree *tree, bool below);

/** The current entry. */
static inline struct dwarf_die *
dwarf_tree_at(struct dwarf_tree *tree)
{
	return &tree->path[tree->depth - 1];
}

#endif
