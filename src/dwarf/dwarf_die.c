/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_die.h"

#include "dwarf/dwarf_store.h"

/* Maximum number of references from entry to entry for an attribute. */
#define MOST_REFERENCES 16u

static struct dwarf_cursor
cursor_at(const struct dwarf_context *context, const uint8_t *at)
{
	const struct dwarf_unit *unit = context->unit;

	return (struct dwarf_cursor){
		.at = at, .big_endian = context->file->big_endian,
		.end = context->file->sections[unit->section].data + unit->end };
}

/* Read the entry at a cursor, without its attributes. */
static enum dwarf_read
read_die(const struct dwarf_context *unit, struct dwarf_cursor *cursor, struct dwarf_die *die)
{
	const uint8_t *section = unit->file->sections[unit->unit->section].data;
	const uint64_t offset = (uint64_t)(cursor->at - section);
	const uint64_t code = dwarf_uleb(cursor);

	if (cursor->cut)
		return DWARF_READ_DAMAGED;
	if (code == 0)
		return DWARF_READ_END;
	const struct dwarf_abbrev *abbrev = dwarf_abbrev_at(unit->abbrevs, code);
	if (abbrev == NULL)
		return DWARF_READ_DAMAGED;
	*die = (struct dwarf_die){ unit, offset, abbrev, cursor->at };
	return DWARF_READ_ENTRY;
}

/* Skip an entry's attributes before attribute number `until`. */
static void
pass_values(const struct dwarf_die *die, uint32_t until, struct dwarf_cursor *cursor)
{
	const struct dwarf_step *steps = &die->unit->abbrevs->steps[die->abbrev->first];
	struct dwarf_value value;

	for (uint32_t i = 0; i < until;) {
		if (steps[i].run > 0 && steps[i].run <= until - i) {
			dwarf_skip(cursor, steps[i].bytes);
			i += steps[i].run;
			continue;
		}
		value.form = steps[i++].form;
		dwarf_form_read(cursor, die->unit->unit, &value);
	}
}

bool
dwarf_die_at(const struct dwarf_context *unit, uint64_t offset, struct dwarf_die *die)
{
	if (offset < unit->unit->entries || offset >= unit->unit->end)
		return false;
	struct dwarf_cursor cursor =
		cursor_at(unit, unit->file->sections[unit->unit->section].data + offset);
	return read_die(unit, &cursor, die) == DWARF_READ_ENTRY;
}

bool
dwarf_die_root(const struct dwarf_context *unit, struct dwarf_die *die)
{
	return dwarf_die_at(unit, unit->unit->entries, die);
}

/* The index of an attribute in the entry, or the number of attributes if it has none. */
static uint32_t
find_step(const struct dwarf_die *die, enum dwarf_attribute_name name)
{
	const struct dwarf_step *steps = &die->unit->abbrevs->steps[die->abbrev->first];
	uint32_t at;

	for (at = 0; at < die->abbrev->count && steps[at].name != name; at++)
		;
	return at;
}

bool
dwarf_die_has(const struct dwarf_die *die, enum dwarf_attribute_name name)
{
	return find_step(die, name) < die->abbrev->count;
}

bool
dwarf_die_value(const struct dwarf_die *die, enum dwarf_attribute_name name,
		struct dwarf_value *value)
{
	const uint32_t at = find_step(die, name);

	if (at >= die->abbrev->count)
		return false;
	const struct dwarf_step *step = &die->unit->abbrevs->steps[die->abbrev->first + at];
	struct dwarf_cursor cursor = cursor_at(die->unit, die->values);
	pass_values(die, at, &cursor);
	value->form = step->form;
	dwarf_form_read(&cursor, die->unit->unit, value);
	if (step->number != 0)
		value->number = (uint64_t)step->number;
	return !cursor.cut;
}

uint64_t
dwarf_die_number(const struct dwarf_die *die, enum dwarf_attribute_name name)
{
	struct dwarf_value value;
	uint64_t number;

	return dwarf_die_value(die, name, &value) && dwarf_value_unsigned(&value, &number)
		       ? number : 0;
}

bool
dwarf_die_follow(const struct dwarf_die *die, enum dwarf_attribute_name name,
		 struct dwarf_die *to)
{
	const struct dwarf_context *unit = die->unit;
	struct dwarf_value value;
	uint64_t offset;

	if (!dwarf_die_value(die, name, &value))
		return false;
	if (dwarf_form_of(value.form)->class == DWARF_SIGNATURE)
		return dwarf_store_type(unit->store, value.number, to);
	const struct dwarf_file *file = dwarf_value_reference(unit, &value, &offset);
	if (file == NULL)
		return false;
	if (file != unit->file || unit->unit->section != DWARF_INFO ||
	    offset < unit->unit->start || offset >= unit->unit->end)
		unit = dwarf_form_of(value.form)->class == DWARF_IN_UNIT
			       ? unit : dwarf_store_unit_of(unit->store, file, offset);
	return unit != NULL && dwarf_die_at(unit, offset, to);
}

bool
dwarf_die_origin(const struct dwarf_die *die, struct dwarf_die *origin)
{
	return dwarf_die_follow(die, DW_AT_abstract_origin, origin) ||
	       dwarf_die_follow(die, DW_AT_specification, origin);
}

bool
dwarf_die_inherited(const struct dwarf_die *die, enum dwarf_attribute_name name,
		    struct dwarf_value *value, struct dwarf_die *owner)
{
	struct dwarf_die at = *die;

	for (unsigned hop = 0; hop < MOST_REFERENCES; hop++) {
		if (dwarf_die_value(&at, name, value)) {
			if (owner != NULL)
				*owner = at;
			return true;
		}
		if (!dwarf_die_origin(&at, &at))
			break;
	}
	return false;
}

const char *
dwarf_die_text(const struct dwarf_die *die, enum dwarf_attribute_name name)
{
	struct dwarf_value value;
	struct dwarf_die owner;

	return dwarf_die_inherited(die, name, &value, &owner)
		       ? dwarf_value_text(owner.unit, &value) : NULL;
}

bool
dwarf_die_ranges(const struct dwarf_die *die, struct dwarf_ranges *ranges)
{
	struct dwarf_entry entry;

	return dwarf_entry_at(die->unit, die->offset, &entry) &&
	       dwarf_entry_ranges(die->unit, &entry, ranges);
}

uint64_t
dwarf_die_place(const struct dwarf_die *die)
{
	const struct dwarf_context *unit = die->unit;

	return dwarf_file_place(unit->file, unit->unit->section, die->offset);
}

/* Trees ---------------------------------------------------------------------------------------- */

/* Charge an entry to the budget. */
static bool
pay(struct dwarf_tree *tree)
{
	const bool enough = *tree->budget > 0;

	*tree->budget -= enough;
	return enough;
}

bool
dwarf_tree_enter(struct dwarf_tree *tree, const struct dwarf_die *parent)
{
	if (tree->depth >= DWARF_TREE_DEPTH || !parent->abbrev->children || !pay(tree))
		return false;
	struct dwarf_cursor cursor = cursor_at(parent->unit, parent->values);
	pass_values(parent, parent->abbrev->count, &cursor);
	tree->child[tree->depth] =
		tree->depth > 0 && dwarf_die_is(parent, &tree->path[tree->depth - 1]);
	if (read_die(parent->unit, &cursor, &tree->path[tree->depth]) != DWARF_READ_ENTRY)
		return false;
	tree->depth++;
	return true;
}

/* Move past all descendants of an entry. False: damaged unit, or the budget is spent. */
static bool
pass_below(struct dwarf_tree *tree, const struct dwarf_die *parent, struct dwarf_cursor *cursor)
{
	struct dwarf_value sibling;
	struct dwarf_die die = *parent;
	size_t level = 1;

	if (dwarf_die_value(parent, DW_AT_sibling, &sibling) &&
	    dwarf_form_of(sibling.form)->class == DWARF_IN_UNIT) {
		const struct dwarf_unit *unit = parent->unit->unit;
		const uint64_t next = unit->start + sibling.number;

		/* A backward reference would make a loop. */
		if (next <= parent->offset || next >= unit->end)
			return false;
		*cursor = cursor_at(parent->unit,
				    parent->unit->file->sections[unit->section].data + next);
		return true;
	}
	while (level > 0) {
		if (!pay(tree))
			return false;
		switch (read_die(parent->unit, cursor, &die)) {
		case DWARF_READ_END:
			level--;
			break;
		case DWARF_READ_ENTRY:
			pass_values(&die, die.abbrev->count, cursor);
			level += die.abbrev->children;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Move to the entry after the current one and its descendants. */
static bool
skip(struct dwarf_tree *tree)
{
	struct dwarf_cursor cursor;
	bool placed = false;

	while (pay(tree)) {
		struct dwarf_die *at = dwarf_tree_at(tree);

		if (!placed) {
			cursor = cursor_at(at->unit, at->values);
			pass_values(at, at->abbrev->count, &cursor);
			if (at->abbrev->children && !pass_below(tree, at, &cursor))
				return false;
		}
		const enum dwarf_read read = read_die(at->unit, &cursor, at);
		if (read == DWARF_READ_ENTRY)
			return true;
		if (read == DWARF_READ_DAMAGED || --tree->depth == 0)
			return false;
		/* The entries after a parent begin where its children end. */
		placed = tree->child[tree->depth];
	}
	return false;
}

bool
dwarf_tree_next(struct dwarf_tree *tree, bool below)
{
	if (below && dwarf_tree_enter(tree, dwarf_tree_at(tree)))
		return true;
	if (skip(tree))
		return true;
	tree->depth = 0;
	return false;
}
