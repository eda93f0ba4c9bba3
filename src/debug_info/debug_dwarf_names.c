/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "debug_info/debug_pdb_internal.h"

/* Search for types, static variables, functions and enumerators by name. */

struct name_search {
	const struct debug_home *home;	/* unit being searched */
	enum debug_wanted kind;
	enum debug_type_kind only;	/* kind of type that a keyword requires; UNKNOWN: any */
	const char *wanted, *last;	/* the name, and its part after the last "::" */
	/* receives all whole names that contain `wanted`; NULL: stop at the first match */
	struct debug_name_list *list;
	struct dwarf_tree tree;
	struct arena *arena;
};

const char *
debug_last_part(const char *name)
{
	size_t depth = 0;

	for (size_t i = strlen(name); i > 0; i--) {
		const char sign = name[i - 1];

		depth += sign == '>';
		depth -= sign == '<' && depth > 0;
		if (depth == 0 && sign == ':')
			return name + i;
	}
	return name;
}

static const struct {
	enum dwarf_tag tag;
	enum debug_wanted kind;
	enum debug_type_kind type;	/* kind of type, compared with `only` */
} tags[] = {
	{ DW_TAG_base_type, DEBUG_WANTED_TYPE, DEBUG_TYPE_NUMBER },
	{ DW_TAG_typedef, DEBUG_WANTED_TYPE, DEBUG_TYPE_NUMBER },
	{ DW_TAG_structure_type, DEBUG_WANTED_TYPE, DEBUG_TYPE_STRUCTURE },
	{ DW_TAG_class_type, DEBUG_WANTED_TYPE, DEBUG_TYPE_STRUCTURE },
	{ DW_TAG_union_type, DEBUG_WANTED_TYPE, DEBUG_TYPE_UNION },
	{ DW_TAG_enumeration_type, DEBUG_WANTED_TYPE, DEBUG_TYPE_ENUMERATION },
	{ DW_TAG_variable, DEBUG_WANTED_VALUE, DEBUG_TYPE_UNKNOWN },
	{ DW_TAG_subprogram, DEBUG_WANTED_VALUE, DEBUG_TYPE_UNKNOWN },
	{ DW_TAG_enumerator, DEBUG_WANTED_VALUE, DEBUG_TYPE_UNKNOWN },
};

/* Add the whole name of an entry to the list if the name contains the wanted text. */
static void
list_name(struct name_search *search, const struct dwarf_die *die)
{
	struct debug_name_list *list = search->list;
	const char *whole = debug_dwarf_written(search->home, die, search->arena);

	if (whole != NULL && strstr(whole, search->wanted) != NULL &&
	    list->count < LIMIT_LISTED_NAMES)
		ARENA_ADD(search->arena, list->items, list->count, list->capacity, &whole);
}

static bool
has_name(struct name_search *search, const struct dwarf_die *die)
{
	const char *name = dwarf_die_text(die, DW_AT_name);

	if (name != NULL && dwarf_die_tag(die) == DW_TAG_base_type)
		name = debug_dwarf_usual_name(name, search->arena);
	if (name == NULL || strcmp(name, search->last) != 0)
		return false;
	if (search->last == search->wanted)
		return true;
	/* An enumerator is in the scope of its enumeration, and may be in the scope around it. */
	const bool inner = dwarf_die_tag(die) == DW_TAG_enumerator && search->tree.depth > 1;
	const char *whole = debug_dwarf_written(
		search->home, inner ? &search->tree.path[search->tree.depth - 2] : die,
		search->arena);
	if (inner && whole != NULL)
		whole = arena_format(search->arena, "%s::%s", whole, name);
	if (whole == NULL)
		return false;
	/* `whole` equals `wanted`, or ends with "::" and `wanted`. */
	const size_t length = strlen(whole), tail = strlen(search->wanted);
	return length >= tail && strcmp(whole + length - tail, search->wanted) == 0 &&
	       (length == tail || whole[length - tail - 1] == ':');
}

/* Whether an entry is more than a declaration. */
static bool
is_defined(const struct name_search *search, const struct dwarf_die *die, struct debug_named *named)
{
	const struct debug_home *home = search->home;

	if (dwarf_die_tag(die) == DW_TAG_subprogram) {
		const struct dwarf_ranges *ranges = debug_dwarf_ranges(home->dwarf, die);

		if (ranges->count == 0)
			return false;
		named->is_function = true;
		named->address = ranges->items[0].low - home->base;
		return true;
	}
	return dwarf_die_has(die, DW_AT_location) || dwarf_die_has(die, DW_AT_const_value) ||
	       (search->kind == DEBUG_WANTED_TYPE && !dwarf_die_has(die, DW_AT_declaration));
}

/* Whether an entry may have children with names of the wanted kind. */
static bool
has_names(const struct name_search *search, enum dwarf_tag tag, bool in_function)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	case DW_TAG_enumeration_type:
		return search->kind == DEBUG_WANTED_VALUE;
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		return in_function;
	default:
		return false;
	}
}

static bool
search_below(struct name_search *search, const struct dwarf_die *top, bool in_function,
	     struct debug_named *named)
{
	struct dwarf_die imported;

	for (bool more = debug_tree_enter(search->home->dwarf, &search->tree, top); more;) {
		struct dwarf_die *die = dwarf_tree_at(&search->tree);
		const enum dwarf_tag tag = dwarf_die_tag(die);
		bool wanted = false;

		for (size_t i = 0; i < ARRAY_COUNT(tags); i++)
			wanted |= tags[i].tag == tag && tags[i].kind == search->kind &&
				  (search->only == DEBUG_TYPE_UNKNOWN ||
				   tags[i].type == search->only);
		if (wanted && search->list != NULL && dwarf_die_has(die, DW_AT_name) &&
		    is_defined(search, die, named))
			list_name(search, die);
		if (wanted && search->list == NULL && (!in_function || tag != DW_TAG_variable) &&
		    has_name(search, die) && is_defined(search, die, named)) {
			struct debug_home *home = arena_alloc(search->arena, sizeof(*home));

			if (home == NULL)
				return false;
			*home = *search->home;
			named->entry = debug_dwarf_entry(home, die);
			named->is_enumerator = tag == DW_TAG_enumerator && search->tree.depth > 1;
			if (named->is_enumerator)
				named->enumeration = debug_dwarf_entry(home, die - 1);
			return true;
		}
		/* A unit shared by several units is searched at the entry that imports it. */
		more = (tag == DW_TAG_imported_unit &&
			dwarf_die_follow(die, DW_AT_import, &imported) &&
			dwarf_tree_enter(&search->tree, &imported)) ||
		       dwarf_tree_next(&search->tree, has_names(search, tag, in_function));
	}
	return false;
}

static bool
search_units(const struct debug_scopes *function, struct name_search *search,
	     struct debug_named *named)
{
	const struct debug_home *home = function->entry.home;
	const struct dwarf_die die = debug_dwarf_die(&function->entry);
	struct debug_dwarf *dwarf = home->dwarf;
	struct debug_home own = *home;
	struct dwarf_die top;

	*named = (struct debug_named){ .is_function = false };
	search->home = &own;
	debug_home_lock(home);
	if (dwarf == NULL) {
		const bool has = search->list == NULL &&
				 debug_pdb_named(home, search->kind, search->only, search->wanted,
						 search->arena, named);
		debug_home_unlock(home);
		return has;
	}
	bool found = search->kind == DEBUG_WANTED_TYPE && search_below(search, &die, true, named);
	/* Search the given unit before all others. */
	for (size_t i = 0; i <= dwarf->unit_count && !found; i++) {
		if (i > 0 && &dwarf->units[i - 1] == home->unit)
			continue;
		if (i > 0)
			own.unit = &dwarf->units[i - 1];
		const struct dwarf_context *context = debug_dwarf_context(dwarf, own.unit);
		found = context != NULL && dwarf_die_root(context, &top) &&
			search_below(search, &top, false, named);
	}
	debug_home_unlock(home);
	return found;
}

bool
debug_named(const struct debug_scopes *function, enum debug_wanted kind, enum debug_type_kind only,
	    const char *name, struct arena *arena, struct debug_named *named)
{
	struct name_search search = { .kind = kind, .only = only, .wanted = name,
				      .last = debug_last_part(name), .arena = arena };

	return search_units(function, &search, named);
}

void
debug_list_types(const struct debug_scopes *function, const char *part, struct arena *arena,
		 struct debug_name_list *list)
{
	struct name_search search = { .kind = DEBUG_WANTED_TYPE, .only = DEBUG_TYPE_UNKNOWN,
				      .wanted = part, .last = part, .arena = arena,
				      .list = list };
	struct debug_named named;

	*list = (struct debug_name_list){ .count = 0 };
	search_units(function, &search, &named);
}
