/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/text.h"
#include "debug_info/debug_pdb_internal.h"

/*
 * Variables in scope at an address: from the function to the innermost block and the calls inlined
 * there (DWARF 5, 3.3 to 3.5 and 4.1).
 */

/* The entries that cover an address, from the function to the innermost entry. */
struct scope_path {
	struct dwarf_die items[DWARF_TREE_DEPTH];
	size_t count;
};

struct variable_list {
	const struct debug_home *home;
	struct arena *arena;
	struct debug_variable *items;
	size_t count, capacity;
	unsigned block;
	bool any;			/* the current block has a variable */
};

static bool
is_block(enum dwarf_tag tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

static bool
is_variable(enum dwarf_tag tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

static bool
is_call(enum dwarf_tag tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* A block without code ranges belongs to its parent. */
static bool
is_merged(const struct dwarf_die *die)
{
	return dwarf_die_tag(die) != DW_TAG_inlined_subroutine && is_block(dwarf_die_tag(die)) &&
	       !dwarf_die_has(die, DW_AT_low_pc) && !dwarf_die_has(die, DW_AT_ranges);
}

/* Find the entries that cover an address, from the outermost to the innermost. */
static void
find_path(struct debug_dwarf *dwarf, const struct unit *unit, const struct dwarf_die *function,
	  uint64_t address, struct scope_path *path)
{
	struct dwarf_tree tree;
	struct pc_range range;

	path->items[0] = *function;
	path->count = 1;
	for (bool more = debug_tree_enter(dwarf, &tree, function); more;) {
		struct dwarf_die at = *dwarf_tree_at(&tree);
		const bool inlined = dwarf_die_tag(&at) == DW_TAG_inlined_subroutine;

		if (is_block(dwarf_die_tag(&at)) &&
		    debug_dwarf_covers(dwarf, &at, address, &range)) {
			for (size_t i = 0; i < tree.depth && path->count < DWARF_TREE_DEPTH; i++)
				path->items[path->count++] = tree.path[i];
			more = debug_tree_enter(dwarf, &tree, &at);
		} else {
			more = dwarf_tree_next(&tree,
				is_block(dwarf_die_tag(&at)) && (!inlined || unit->one_part));
		}
	}
}

/* The listed variable with the name and origin of `die` (a replaced parameter), or NULL. */
static struct debug_variable *
find_listed(const struct variable_list *list, const struct dwarf_die *die, const char *name)
{
	struct dwarf_die origin, other;

	if (!dwarf_die_follow(die, DW_AT_abstract_origin, &origin))
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		other = debug_dwarf_die(&list->items[i].entry);
		if (list->items[i].block == list->block &&
		    strcmp(list->items[i].name, name) == 0 &&
		    dwarf_die_follow(&other, DW_AT_abstract_origin, &other) &&
		    dwarf_die_is(&other, &origin))
			return &list->items[i];
	}
	return NULL;
}

bool
debug_is_shadowed(const struct debug_variable *variables, size_t count, unsigned block,
		  const char *name)
{
	bool shadowed = false;

	for (size_t i = 0; i < count && *name != '\0'; i++)
		shadowed |= variables[i].block != block && strcmp(variables[i].name, name) == 0;
	return shadowed;
}

static void
add_variable(struct variable_list *list, const struct dwarf_die *die, bool abstract)
{
	const char *name = dwarf_die_text(die, DW_AT_name);
	struct dwarf_value value;
	uint64_t line = 0;

	/* A declaration without a location belongs to another unit. */
	if (list->count >= DEBUG_MOST_VARIABLES ||
	    (dwarf_die_has(die, DW_AT_declaration) && !dwarf_die_has(die, DW_AT_location)))
		return;
	name = name != NULL ? name : "";
	struct debug_variable *listed = find_listed(list, die, name);
	if (listed != NULL) {
		/* Use the first description that has a location or value. */
		const struct dwarf_die first = debug_dwarf_die(&listed->entry);
		if (!dwarf_die_has(&first, DW_AT_location) &&
		    !dwarf_die_has(&first, DW_AT_const_value))
			listed->entry = debug_dwarf_entry(list->home, die);
		return;
	}
	const bool shadowed = debug_is_shadowed(list->items, list->count, list->block, name);
	struct debug_variable *variable =
		ARENA_PUSH(list->arena, list->items, list->count, list->capacity);
	if (variable == NULL)
		return;
	list->any = true;
	if (dwarf_die_inherited(die, DW_AT_decl_line, &value, NULL) &&
	    !dwarf_value_unsigned(&value, &line))
		line = 0;
	const bool flag = dwarf_die_inherited(die, DW_AT_artificial, &value, NULL) &&
			  value.number != 0;
	*variable = (struct debug_variable){
		.name = name, .argument = dwarf_die_tag(die) == DW_TAG_formal_parameter,
		.artificial = flag, .abstract = abstract, .shadowed = shadowed,
		.line = line <= UINT32_MAX ? (uint32_t)line : 0, .block = list->block,
		.entry = debug_dwarf_entry(list->home, die) };
}

/* Whether a child of `concrete` is a copy of an entry of the abstract function. */
static bool
has_copy(struct debug_dwarf *dwarf, const struct dwarf_die *concrete,
	const struct dwarf_die *abstract)
{
	struct dwarf_tree tree;

	for (bool more = debug_tree_enter(dwarf, &tree, concrete); more;) {
		struct dwarf_die *die = dwarf_tree_at(&tree);
		const enum dwarf_tag tag = dwarf_die_tag(die);
		struct dwarf_die origin;

		if ((is_variable(tag) || is_block(tag)) &&
			dwarf_die_follow(die, DW_AT_abstract_origin, &origin) &&
			dwarf_die_is(&origin, abstract))
			return true;
		more = dwarf_tree_next(&tree, is_block(tag));
	}
	return false;
}

/* Add the variables that only the abstract function has, because no code for them is left. */
static void
add_abstract(struct variable_list *list, const struct dwarf_die *concrete)
{
	struct dwarf_tree tree;
	struct dwarf_die origin;

	if (!dwarf_die_follow(concrete, DW_AT_abstract_origin, &origin))
		return;
	for (bool more = debug_tree_enter(list->home->dwarf, &tree, &origin);
	     more;) {
		struct dwarf_die *die = dwarf_tree_at(&tree);
		const enum dwarf_tag tag = dwarf_die_tag(die);
		const bool block = tag == DW_TAG_lexical_block;
		const bool lost = (block || is_variable(tag)) &&
				  !has_copy(list->home->dwarf, concrete, die);

		if (lost && !block)
			add_variable(list, die, true);
		more = dwarf_tree_next(&tree, block && lost);
	}
}

/* Add the variables directly below an entry, including those of merged blocks. */
static void
add_below(struct variable_list *list, const struct dwarf_die *parent, const struct dwarf_die *skip)
{
	struct dwarf_tree tree;

	for (bool more = debug_tree_enter(list->home->dwarf, &tree, parent);
	     more;) {
		struct dwarf_die *die = dwarf_tree_at(&tree);

		const bool merged =
			(skip == NULL || !dwarf_die_is(die, skip)) && is_merged(die);

		if (is_variable(dwarf_die_tag(die)))
			add_variable(list, die, false);
		else if (merged)
			add_abstract(list, die);
		more = dwarf_tree_next(&tree, merged);
	}
}

/* List the variables of the call that has the entries `from` to `to` - 1 of the path. */
static struct debug_scope
scope_of(const struct debug_home *home, struct scope_path *path, size_t from, size_t to,
	 struct arena *arena)
{
	struct variable_list list = { .home = home, .arena = arena };
	bool written;

	for (size_t i = to; i > from; i--) {
		struct dwarf_die *die = &path->items[i - 1];

		add_below(&list, die, i < to ? &path->items[i] : NULL);
		add_abstract(&list, die);
		if (list.any && !is_merged(die)) {
			list.block++;
			list.any = false;
		}
	}
	return (struct debug_scope){
		.name = debug_dwarf_name(home->dwarf, &path->items[from], &written),
		.written = text_or_empty(debug_dwarf_written(home, &path->items[from], arena)),
		.variables = list.items, .count = list.count };
}

/* Maximum number of parts listed for a function. */
#define MOST_PARTS 256u

/* List the parts of a function. The first part contains the entry point. */
static void
list_code(const struct debug_home *home, const struct dwarf_die *function, struct arena *arena,
	  struct debug_scopes *scopes)
{
	const uint64_t base = home->base;
	const struct dwarf_ranges *ranges = debug_dwarf_ranges(home->dwarf, function);
	size_t capacity = 0;

	for (size_t i = 0; i < ranges->count && i < MOST_PARTS; i++) {
		if (!ARENA_ADD(arena, scopes->code, scopes->code_count, capacity,
			       &(struct debug_code){ ranges->items[i].low - base,
						     ranges->items[i].high - base }))
			return;
	}
	if (scopes->code_count > 0)
		scopes->function = scopes->code[0].low;
}

bool
debug_scopes_at(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_scopes *scopes)
{
	const struct debug_home *home = debug_home_at(binaries, module, relative, arena);
	struct scope_path path;
	struct dwarf_die function;
	size_t calls = 0;

	*scopes = (struct debug_scopes){ 0 };
	if (home == NULL)
		return false;
	if (home->dwarf == NULL) {
		const bool found = debug_pdb_scopes_at(home, relative, arena, scopes);
		debug_home_unlock(home);
		return found;
	}
	const uint64_t base = home->base;
	const struct pc_range *range = debug_dwarf_function(home->unit, base + relative);
	if (range != NULL && debug_dwarf_entry_of(home->unit, range, &function)) {
		find_path(home->dwarf, home->unit, &function, base + relative, &path);
		for (size_t i = 0; i < path.count; i++)
			calls += is_call(dwarf_die_tag(&path.items[i]));
		*scopes = (struct debug_scopes){ .function = range->low - base,
						 .entry = debug_dwarf_entry(home, &function) };
		list_code(home, &function, arena, scopes);
		scopes->items = arena_array(arena, calls, sizeof(*scopes->items));
		for (size_t to = path.count; scopes->items != NULL && to > 0;) {
			size_t from = to - 1;

			while (from > 0 && !is_call(dwarf_die_tag(&path.items[from])))
				from--;
			scopes->items[scopes->count++] = scope_of(home, &path, from, to, arena);
			to = from;
		}
	}
	debug_home_unlock(home);
	return scopes->items != NULL;
}

size_t
debug_globals_at(const struct binaries *binaries, size_t module, uint64_t relative,
		 struct arena *arena, struct debug_variable **variables)
{
	const struct debug_home *home = debug_home_at(binaries, module, relative, arena);
	struct variable_list list = { .home = home, .arena = arena };
	struct dwarf_tree tree;
	struct dwarf_die top;

	*variables = NULL;
	if (home == NULL)
		return 0;
	if (home->dwarf == NULL)
		list.count = debug_pdb_globals(home, arena, &list.items);
	for (bool more = home->dwarf != NULL && home->unit->context != NULL &&
			 dwarf_die_root(home->unit->context, &top) &&
			 debug_tree_enter(home->dwarf, &tree, &top);
	     more;) {
		struct dwarf_die *die = dwarf_tree_at(&tree);

		if (dwarf_die_tag(die) == DW_TAG_variable)
			add_variable(&list, die, false);
		more = dwarf_tree_next(&tree, dwarf_die_tag(die) == DW_TAG_namespace);
	}
	debug_home_unlock(home);
	*variables = list.items;
	return list.count;
}

/* Call sites ----------------------------------------------------------------------------------- */

/* Whether a call site belongs to the call that returns to an address. */
static bool
returns_to(const struct dwarf_die *die, uint64_t address)
{
	struct dwarf_value value;
	uint64_t found;

	return (dwarf_die_value(die, DW_AT_call_return_pc, &value) ||
		(dwarf_die_tag(die) == DW_TAG_GNU_call_site &&
		 dwarf_die_value(die, DW_AT_low_pc, &value))) &&
	       dwarf_value_address(die->unit, &value, &found) && found == address;
}

/* The expression in attribute `name`, or else in `gnu_name`; empty: none. */
static struct debug_expression
expression_in(const struct debug_home *home, const struct dwarf_die *die,
	enum dwarf_attribute_name name, enum dwarf_attribute_name gnu_name)
{
	struct debug_expression expression = { .home = home };

	if (!debug_dwarf_expression(home, die, name, &expression))
		debug_dwarf_expression(home, die, gnu_name, &expression);
	return expression;
}

static void
read_arguments(const struct debug_home *home, const struct dwarf_die *die, struct arena *arena,
	       struct debug_call_site *site)
{
	struct dwarf_tree tree;
	size_t capacity = 0;

	for (bool more = debug_tree_enter(home->dwarf, &tree, die); more;
	     more = dwarf_tree_next(&tree, false)) {
		struct dwarf_die *at = dwarf_tree_at(&tree), parameter;

		if (dwarf_die_tag(at) != DW_TAG_call_site_parameter &&
		    dwarf_die_tag(at) != DW_TAG_GNU_call_site_parameter)
			continue;
		struct debug_call_argument *argument =
			ARENA_PUSH(arena, site->arguments, site->count, capacity);
		if (argument == NULL)
			return;
		argument->location = expression_in(home, at, DW_AT_location, DW_AT_location);
		if (dwarf_die_follow(at, DW_AT_call_parameter, &parameter) ||
		    dwarf_die_follow(at, DW_AT_abstract_origin, &parameter))
			argument->parameter = debug_dwarf_entry(home, &parameter);
		argument->value = expression_in(home, at, DW_AT_call_value,
						DW_AT_GNU_call_site_value);
		argument->data = expression_in(home, at, DW_AT_call_data_value,
					       DW_AT_GNU_call_site_data_value);
	}
}

static void
read_site(const struct debug_home *home, const struct dwarf_die *die, struct arena *arena,
	  struct debug_call_site *site)
{
	struct dwarf_die origin;
	bool written;

	*site = (struct debug_call_site){ .name = "" };
	if (dwarf_die_follow(die, DW_AT_call_origin, &origin) ||
	    dwarf_die_follow(die, DW_AT_abstract_origin, &origin)) {
		site->origin = debug_dwarf_entry(home, &origin);
		site->name = debug_dwarf_name(home->dwarf, &origin, &written);
	}
	site->target = expression_in(home, die, DW_AT_call_target, DW_AT_GNU_call_site_target);
	read_arguments(home, die, arena, site);
}

static bool
is_tail_call(const struct dwarf_die *die)
{
	struct dwarf_value value;

	return (dwarf_die_value(die, DW_AT_call_tail_call, &value) ||
		dwarf_die_value(die, DW_AT_GNU_tail_call, &value)) && value.number != 0;
}

/*
 * Search a function and its inlined calls for the call that returns to an address, or for tail
 * calls if `returns` is NULL. Returns the number of calls found; `*site` is the first call.
 */
static size_t
find_sites(const struct debug_home *home, const struct dwarf_die *function,
	   const uint64_t *returns, struct arena *arena, struct debug_call_site *site)
{
	struct dwarf_tree tree;
	size_t count = 0;

	for (bool more = debug_tree_enter(home->dwarf, &tree, function);
	     more && (returns == NULL || count == 0);) {
		struct dwarf_die *die = dwarf_tree_at(&tree);

		if ((dwarf_die_tag(die) == DW_TAG_call_site ||
		     dwarf_die_tag(die) == DW_TAG_GNU_call_site) &&
		    (returns != NULL ? returns_to(die, *returns) : is_tail_call(die)) &&
		    count++ == 0)
			read_site(home, die, arena, site);
		more = dwarf_tree_next(&tree, is_block(dwarf_die_tag(die)));
	}
	return count;
}

/* Find the DWARF function at an address and lock its file. NULL: no such function, not locked. */
static const struct debug_home *
function_home(const struct binaries *binaries, size_t module, uint64_t relative,
	      struct arena *arena, struct dwarf_die *function)
{
	const struct debug_home *home = debug_home_at(binaries, module, relative, arena);
	const struct pc_range *range =
		home != NULL && home->dwarf != NULL
			? debug_dwarf_function(home->unit, home->base + relative) : NULL;

	if (range != NULL && debug_dwarf_entry_of(home->unit, range, function))
		return home;
	if (home != NULL)
		debug_home_unlock(home);
	return NULL;
}

bool
debug_call_site_at(const struct binaries *binaries, size_t module, uint64_t relative,
		   uint64_t returns, struct arena *arena, struct debug_call_site *site)
{
	struct dwarf_die function, origin;
	const struct debug_home *home =
		function_home(binaries, module, relative, arena, &function);

	if (home == NULL)
		return false;
	const uint64_t address = home->base + returns;
	/* GCC 12 describes the calls of a coroutine's parts in their abstract origin. */
	const bool found = find_sites(home, &function, &address, arena, site) > 0 ||
			   (dwarf_die_follow(&function, DW_AT_abstract_origin, &origin) &&
			    find_sites(home, &origin, &address, arena, site) > 0);
	debug_home_unlock(home);
	return found;
}

bool
debug_tail_call(const struct binaries *binaries, size_t module, uint64_t relative,
		struct arena *arena, struct debug_call_site *site)
{
	struct dwarf_die function;
	const struct debug_home *home =
		function_home(binaries, module, relative, arena, &function);

	if (home == NULL)
		return false;
	const bool found = find_sites(home, &function, NULL, arena, site) == 1;
	debug_home_unlock(home);
	return found && site->origin.home != NULL;
}

/* Maximum number of references from a copy or definition to its origin. */
enum { MOST_REFERENCES = 16 };

enum debug_calls
debug_call_fits(const struct debug_call_site *site, const struct debug_scopes *function)
{
	struct dwarf_die at = debug_dwarf_die(&function->entry);
	const struct dwarf_die origin = debug_dwarf_die(&site->origin);
	const char *name = function->items[function->count - 1].name;
	bool same = false, more = true;

	if (site->origin.home == NULL)
		return DEBUG_CALLS_INDIRECTLY;
	debug_home_lock(function->entry.home);
	for (size_t hop = 0; hop < MOST_REFERENCES && more && !same; hop++) {
		same = dwarf_die_is(&at, &origin);
		more = dwarf_die_origin(&at, &at);
	}
	debug_home_unlock(function->entry.home);
	return same || (*name != '\0' && strcmp(site->name, name) == 0) ? DEBUG_CALLS_IT
									 : DEBUG_CALLS_ANOTHER;
}
