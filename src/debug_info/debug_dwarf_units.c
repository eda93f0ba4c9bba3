/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <stdlib.h>

#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* How far back a range that covers an address may begin before others that do not. */
enum { MOST_OVERLAPS = 16 };

static int
compare(const void *a, const void *b)
{
	const struct pc_range *one = a, *other = b;

	if (one->low != other->low)
		return one->low < other->low ? -1 : 1;
	if (one->high != other->high)
		return one->high > other->high ? -1 : 1;
	return one->entry < other->entry ? -1 : one->entry > other->entry;
}

bool
debug_dwarf_spend(struct debug_dwarf *dwarf)
{
	if (dwarf->budget == 0)
		return false;
	dwarf->budget--;
	return true;
}

bool
debug_dwarf_is_code(const struct debug_dwarf *dwarf, uint64_t address)
{
	return dwarf->code.count == 0 || code_ranges_at(&dwarf->code, address) != NULL;
}

/* Add the code of an entry, which may be in several parts. */
static void
add_ranges(struct debug_dwarf *dwarf, Dwarf_Die *die, size_t unit, struct ranges *ranges)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (debug_dwarf_spend(dwarf) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct pc_range *items = arena_grow(&dwarf->arena, ranges->items, ranges->count,
						 &ranges->capacity, sizeof(*items));

		if (items == NULL)
			return;
		ranges->items = items;
		if (low < high && debug_dwarf_is_code(dwarf, low))
			items[ranges->count++] = (struct pc_range){
				.low = low, .high = high, .unit = unit,
				.entry = dwarf_dieoffset(die) };
	}
}

static void
sort_ranges(struct ranges *ranges)
{
	if (ranges->count > 1)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
}

/* The range that covers an address and begins last. */
static const struct pc_range *
range_at(const struct ranges *ranges, uint64_t address)
{
	size_t low = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++)
		if (address < ranges->items[low - 1 - i].high)
			return &ranges->items[low - 1 - i];
	return NULL;
}

bool
debug_dwarf_has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Entries -------------------------------------------------------------------------------------- */

bool
debug_tree_enter(struct debug_tree *tree, Dwarf_Die *parent)
{
	if (tree->depth >= DEBUG_DWARF_DEPTH || dwarf_child(parent, &tree->path[tree->depth]) != 0)
		return false;
	tree->depth++;
	return true;
}

/* Go on to the entry behind the one that the walk is at; false behind the last one. */
bool
debug_tree_skip(struct debug_tree *tree)
{
	while (tree->depth > 0) {
		Dwarf_Die *die = &tree->path[tree->depth - 1];

		if (dwarf_siblingof(die, die) == 0)
			return true;
		tree->depth--;
	}
	return false;
}

Dwarf_Die *
debug_tree_at(struct debug_tree *tree)
{
	return &tree->path[tree->depth - 1];
}

static bool
is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* Remember in what an entry is: entries don't say it themselves. */
static void
add_scope(struct debug_dwarf *dwarf, struct unit *unit, struct debug_tree *tree)
{
	size_t parent = tree->depth - 1;

	while (parent > 0 && !is_scope(dwarf_tag(&tree->path[parent - 1])))
		parent--;
	if (parent == 0)
		return;
	struct scope *scopes = arena_grow(&dwarf->arena, unit->scopes, unit->scope_count,
					  &unit->scope_capacity, sizeof(*scopes));
	if (scopes == NULL)
		return;
	unit->scopes = scopes;
	scopes[unit->scope_count++] =
		(struct scope){ .entry = dwarf_dieoffset(debug_tree_at(tree)),
				.parent = dwarf_dieoffset(&tree->path[parent - 1]) };
}

SORTED_BY(compare_scopes, struct scope, entry)

static void
read_functions(struct debug_dwarf *dwarf, size_t number)
{
	struct unit *unit = &dwarf->units[number];
	struct debug_tree tree = { .depth = 0 };
	Dwarf_Die parent;

	unit->read = true;
	if (dwarf_offdie(dwarf->dwarf, unit->entry, &parent) == NULL)
		return;
	for (bool more = debug_tree_enter(&tree, &parent); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die *die = debug_tree_at(&tree);

		if (dwarf_tag(die) == DW_TAG_subprogram && debug_dwarf_has_code(die))
			add_ranges(dwarf, die, number, &unit->functions);
		if (is_scope(dwarf_tag(die)))
			add_scope(dwarf, unit, &tree);
		more = debug_tree_enter(&tree, die) || debug_tree_skip(&tree);
	}
	sort_ranges(&unit->functions);
	if (unit->scope_count > 1)
		qsort(unit->scopes, unit->scope_count, sizeof(*unit->scopes), compare_scopes);
	if (dwarf_hasattr(&parent, DW_AT_stmt_list))
		debug_dwarf_read_rows(dwarf, unit,
				      debug_dwarf_number(&parent, DW_AT_stmt_list));
	if (dwarf_getsrcfiles(&parent, &unit->files, &unit->file_count) != 0)
		unit->file_count = 0;
	unit->paths = arena_array(&dwarf->arena, unit->file_count, sizeof(*unit->paths));
	Dwarf_Attribute attribute;
	unit->directory = dwarf_formstring(dwarf_attr(&parent, DW_AT_comp_dir, &attribute));
}

void
debug_dwarf_read_units(struct debug_dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	while (debug_dwarf_spend(dwarf) &&
	       dwarf_get_units(dwarf->dwarf, unit, &unit, &version, &type, &die, NULL) == 0) {
		struct unit *units = arena_grow(&dwarf->arena, dwarf->units, dwarf->unit_count,
						&dwarf->unit_capacity, sizeof(*units));

		if (units == NULL)
			break;
		dwarf->units = units;
		units[dwarf->unit_count] = (struct unit){ .entry = dwarf_dieoffset(&die),
							  .silent = !debug_dwarf_has_code(&die) };
		/* Of a skeleton the functions are in another file (-gsplit-dwarf), which is not
		 * opened; its lines are here. */
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_ranges(dwarf, &die, dwarf->unit_count++, &dwarf->ranges);
	}
	sort_ranges(&dwarf->ranges);
}

struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number)
{
	if (!dwarf->units[number].read)
		read_functions(dwarf, number);
	return &dwarf->units[number];
}

/* The code of a unit that does not say what it covers is that of its functions. */
static void
ask_silent(struct debug_dwarf *dwarf)
{
	dwarf->asked_silent = true;
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		struct ranges *ranges = &dwarf->ranges;
		const struct unit *unit = &dwarf->units[i];

		if (!unit->silent)
			continue;
		debug_dwarf_read_unit(dwarf, i);
		for (size_t j = 0; j < unit->functions.count; j++) {
			struct pc_range *items =
				arena_grow(&dwarf->arena, ranges->items, ranges->count,
					   &ranges->capacity, sizeof(*items));

			if (items == NULL)
				return;
			ranges->items = items;
			items[ranges->count++] = unit->functions.items[j];
		}
	}
	sort_ranges(&dwarf->ranges);
}

struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address)
{
	const struct pc_range *range = range_at(&dwarf->ranges, address);

	if (range == NULL && !dwarf->asked_silent) {
		ask_silent(dwarf);
		range = range_at(&dwarf->ranges, address);
	}
	return range != NULL ? debug_dwarf_read_unit(dwarf, range->unit) : NULL;
}

const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address)
{
	return range_at(&unit->functions, address);
}

/* The unit of an entry, read; NULL where it is another file's. */
static struct unit *
unit_of(struct debug_dwarf *dwarf, Dwarf_Die *die)
{
	Dwarf_Die top;

	if (dwarf_cu_getdwarf(die->cu) != dwarf->dwarf ||
	    dwarf_diecu(die, &top, NULL, NULL) == NULL)
		return NULL;
	const Dwarf_Off wanted = dwarf_dieoffset(&top);
	size_t low = sorted_below(SORTED(dwarf->units, dwarf->unit_count, entry), wanted);

	if (low == dwarf->unit_count || dwarf->units[low].entry != wanted)
		return NULL;
	return debug_dwarf_read_unit(dwarf, low);
}

struct scope *
debug_dwarf_scope(struct debug_dwarf *dwarf, Dwarf_Die *die)
{
	const struct unit *unit = unit_of(dwarf, die);

	if (unit == NULL || unit->scope_count == 0)
		return NULL;
	const struct scope key = { .entry = dwarf_dieoffset(die) };
	return bsearch(&key, unit->scopes, unit->scope_count, sizeof(key), compare_scopes);
}

#endif
