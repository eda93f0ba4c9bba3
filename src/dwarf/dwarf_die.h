/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_DIE_H
#define DWARF_DWARF_DIE_H

#include "dwarf/dwarf_codes.h"
#include "dwarf/dwarf_entry.h"

/**
 * Entries that are asked for one at a time, with any of their attributes.
 *
 * The unit of such an entry is kept by a store (dwarf_store.h), and lives as long as that.
 */
struct dwarf_die {
	const struct dwarf_context *unit;
	uint64_t offset;		/* in the section of its unit */
	const struct dwarf_abbrev *abbrev;
	const uint8_t *values;		/* the first attribute's value */
};

/** The entry at an offset of the unit's section; false: no entry begins there. */
bool
dwarf_die_at(const struct dwarf_context *unit, uint64_t offset, struct dwarf_die *die);

/** The own entry of a unit. */
bool
dwarf_die_root(const struct dwarf_context *unit, struct dwarf_die *die);

static inline enum dwarf_tag
dwarf_die_tag(const struct dwarf_die *die)
{
	return (enum dwarf_tag)die->abbrev->tag;
}

/** Whether it has an attribute. */
bool
dwarf_die_has(const struct dwarf_die *die, enum dwarf_attribute_name name);

/** The value of an attribute; false: it has none, or its unit ends before the value does. */
bool
dwarf_die_value(const struct dwarf_die *die, enum dwarf_attribute_name name,
		struct dwarf_value *value);

/** The unsigned number of an attribute; 0: it has none, or another value. */
uint64_t
dwarf_die_number(const struct dwarf_die *die, enum dwarf_attribute_name name);

/**
 * The entry that an attribute refers to, which may be in another unit or the supplement, or be the
 * type of a unit of its own. False: the attribute refers to none. `to` may be `die`.
 */
bool
dwarf_die_follow(const struct dwarf_die *die, enum dwarf_attribute_name name,
		 struct dwarf_die *to);

/** The entry that this one is a copy or the definition of; false: it is neither. */
bool
dwarf_die_origin(const struct dwarf_die *die, struct dwarf_die *origin);

/**
 * The value of an attribute of an entry, or of the one that the entry is a copy or the definition
 * of. `owner` (may be NULL) gets the entry that has it.
 */
bool
dwarf_die_inherited(const struct dwarf_die *die, enum dwarf_attribute_name name,
		    struct dwarf_value *value, struct dwarf_die *owner);

/** The text of such an attribute; NULL: neither has it. */
const char *
dwarf_die_text(const struct dwarf_die *die, enum dwarf_attribute_name name);

/** Append the ranges of its code (dwarf_entry_ranges). */
bool
dwarf_die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ranges);

/** Where it is in its file; of a compressed section, where that begins. */
uint64_t
dwarf_die_place(const struct dwarf_die *die);

static inline bool
dwarf_die_is(const struct dwarf_die *die, const struct dwarf_die *other)
{
	return die->values == other->values;
}

/** Deeper than that a tree is not entered. */
#define DWARF_TREE_DEPTH 64

/** A walk through the entries below one, each before the entries below it. */
struct dwarf_tree {
	uint64_t *budget;		/* entries that may still be passed */
	struct dwarf_die path[DWARF_TREE_DEPTH];
	bool child[DWARF_TREE_DEPTH];	/* below the entry before it in the path */
	size_t depth;
};

/** Begin below `parent`, or go below the entry where the walk is. False where nothing is. */
bool
dwarf_tree_enter(struct dwarf_tree *tree, const struct dwarf_die *parent);

/**
 * Go on, below the entry where the walk is if `below` is set, else to the entry after it and all
 * that is below it. False after the last one, and when the budget is spent.
 */
bool
dwarf_tree_next(struct dwarf_tree *tree, bool below);

/** Where the walk is. */
static inline struct dwarf_die *
dwarf_tree_at(struct dwarf_tree *tree)
{
	return &tree->path[tree->depth - 1];
}

#endif
