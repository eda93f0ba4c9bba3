/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <stdlib.h>

#include "debug_info/debug_dwarf_internal.h"

/* Calls of a function that are listed. */
#define MOST_CALLS ((size_t)1 << 16)

/* Whether an entry says where its code is, and the part of it that covers an address. */
static bool
covering(struct debug_dwarf *dwarf, Dwarf_Die *die, uint64_t address, struct pc_range *range)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (debug_dwarf_spend(dwarf) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (low <= address && address < high) {
			*range = (struct pc_range){ .low = low, .high = high };
			return true;
		}
	return false;
}

static struct debug_call
call_of(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
	const struct pc_range *range)
{
	const bool has_file = dwarf_hasattr(die, DW_AT_call_file);
	bool written;

	return (struct debug_call){
		.name = debug_dwarf_name(dwarf, die, &written),
		.address = range->low - dwarf->binary->linked_base,
		.size = range->high - range->low,
		.call_file = has_file ? debug_dwarf_path(
						dwarf, unit,
						debug_dwarf_number(die, DW_AT_call_file))
				      : "",
		.call_line = (uint32_t)debug_dwarf_number(die, DW_AT_call_line),
		.offset = debug_dwarf_offset(dwarf->binary, ".debug_info", dwarf_dieoffset(die)),
	};
}

/*
 * Calls that were inlined into a function, the outermost first: from each that covers the address
 * the walk goes on below it alone. Blocks without code of their own hold calls, too.
 */
static size_t
find_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
	   uint64_t address, struct debug_call calls[DEBUG_DWARF_DEPTH])
{
	struct debug_tree tree = { .depth = 0 };
	size_t count = 0;

	for (bool more = debug_tree_enter(&tree, function); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die at = *debug_tree_at(&tree);
		const int tag = dwarf_tag(&at);
		const bool inlined = tag == DW_TAG_inlined_subroutine;
		struct pc_range range;

		if (inlined && covering(dwarf, &at, address, &range)) {
			if (count == DEBUG_DWARF_DEPTH)
				break;
			calls[count] = call_of(dwarf, unit, &at, &range);
			calls[count].depth = (unsigned)count;
			count++;
			tree.depth = 0;
			more = debug_tree_enter(&tree, &at);
		} else if (tag == DW_TAG_lexical_block &&
			   (!debug_dwarf_has_code(&at) || covering(dwarf, &at, address, &range))) {
			more = debug_tree_enter(&tree, &at) || debug_tree_skip(&tree);
		} else {
			more = debug_tree_skip(&tree);
		}
	}
	return count;
}

void
debug_dwarf_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
		  uint64_t address, struct arena *arena, struct debug_answer *answer)
{
	struct debug_call calls[DEBUG_DWARF_DEPTH];
	const uint64_t budget = dwarf->budget;

	/* Who asks keeps the answer; so what one question costs is bounded, not what all do. */
	dwarf->budget = DEBUG_DWARF_ENTRIES;
	const size_t count = find_calls(dwarf, unit, function, address, calls);
	dwarf->budget = budget;
	answer->calls = arena_array(arena, count, sizeof(*answer->calls));
	for (size_t i = 0; answer->calls != NULL && i < count; i++)
		answer->calls[answer->call_count++] = calls[count - 1 - i];
}

/* All calls ------------------------------------------------------------------------------------ */

/* A list of calls while it is made. */
struct call_list {
	struct debug_dwarf *dwarf;
	const struct unit *unit;
	const struct pc_range *range;	/* of the function; calls elsewhere are left out */
	struct arena *arena;
	struct debug_call *items;
	size_t count, capacity;
};

/* Add an inlined call for each part of its code. */
static void
add_call(struct call_list *list, Dwarf_Die *die, unsigned depth)
{
	const struct pc_range *function = list->range;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (debug_dwarf_spend(list->dwarf) && list->count < MOST_CALLS &&
	       (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		const struct pc_range part = {
			.low = low > function->low ? low : function->low,
			.high = high < function->high ? high : function->high };
		struct debug_call *items;

		if (part.low >= part.high)
			continue;
		items = arena_grow(list->arena, list->items, list->count, &list->capacity,
				   sizeof(*items));
		if (items == NULL)
			return;
		list->items = items;
		items[list->count] = call_of(list->dwarf, list->unit, die, &part);
		items[list->count++].depth = depth;
	}
}

static unsigned
inlined_depth(struct debug_tree *tree)
{
	unsigned depth = 0;

	for (size_t i = 0; i + 1 < tree->depth; i++)
		depth += dwarf_tag(&tree->path[i]) == DW_TAG_inlined_subroutine;
	return depth;
}

static int
compare_calls(const void *a, const void *b)
{
	const struct debug_call *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	if (one->depth != other->depth)
		return one->depth < other->depth ? -1 : 1;
	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

void
debug_dwarf_all_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
		      const struct pc_range *range, struct arena *arena, struct debug_body *body)
{
	struct call_list list = { .dwarf = dwarf, .unit = unit, .range = range, .arena = arena };
	struct debug_tree tree = { .depth = 0 };
	const uint64_t budget = dwarf->budget;

	dwarf->budget = DEBUG_DWARF_ENTRIES;
	for (bool more = debug_tree_enter(&tree, function); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die *at = debug_tree_at(&tree);
		const int tag = dwarf_tag(at);

		if (tag == DW_TAG_inlined_subroutine)
			add_call(&list, at, inlined_depth(&tree));
		more = ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			debug_tree_enter(&tree, at)) || debug_tree_skip(&tree);
	}
	dwarf->budget = budget;
	if (list.count > 1)
		qsort(list.items, list.count, sizeof(*list.items), compare_calls);
	body->calls = list.items;
	body->call_count = list.count;
}

#endif
