/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* Maximum number of lines, and of calls, listed for a function. */
#define MOST_LINES ((size_t)1 << 20)
#define MOST_CALLS ((size_t)1 << 16)

/* Maximum size in bytes of a name with its scopes, and number of references to follow for it. */
enum { MOST_NAME = 4096, MOST_REFERENCES = 16 };

void
debug_dwarf_close(struct debug_dwarf *dwarf)
{
	if (dwarf == NULL)
		return;
	debug_dwarf_free_units(dwarf);
	dwarf_store_close(&dwarf->store);
	number_map_free(&dwarf->name_numbers);
	free(dwarf->names.items);
	free(dwarf->scratch.items);
	arena_free(&dwarf->arena);
	free(dwarf);
}

struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement,
		 struct binaries *binaries, size_t module, struct elf_damage *damage)
{
	struct debug_dwarf *dwarf = calloc(1, sizeof(*dwarf));
	const size_t size = (size_t)binary->file.size;

	if (dwarf == NULL)
		return NULL;
	dwarf->binary = binary;
	dwarf->base = binary->linked_base;
	const bool good = dwarf_store_open(&dwarf->store, binary, supplement, binaries, module);
	*damage = dwarf->store.damage;
	if (!good) {
		debug_dwarf_close(dwarf);
		return NULL;
	}
	dwarf->budget = (uint64_t)size * 4 + LIMIT_QUESTION;
	dwarf->question_budget = (size + LIMIT_QUESTION) * UINT64_C(8);
	dwarf->line_bytes = 2 * dwarf->store.file.sections[DWARF_LINE].size;
	arena_init(&dwarf->arena, LIMIT_DEBUG_MEMORY + 16 * size);
	code_ranges_read(&dwarf->code, binary, &dwarf->arena);
	debug_dwarf_read_units(dwarf);
	return dwarf;
}

void
debug_dwarf_rebase(struct debug_dwarf *dwarf, uint64_t base)
{
	dwarf->base = base;
}

size_t
debug_dwarf_unit_count(const struct debug_dwarf *dwarf)
{
	return dwarf->ranges.count > 0 ? dwarf->unit_count : 0;
}

bool
debug_dwarf_limited(const struct debug_dwarf *dwarf)
{
	return dwarf->limited || dwarf->store.limited;
}

/* Budgets -------------------------------------------------------------------------------------- */

uint64_t
debug_dwarf_begin_question(struct debug_dwarf *dwarf)
{
	const uint64_t kept = dwarf->budget, left = dwarf->question_budget;

	dwarf->budget = left < LIMIT_QUESTION_LEAST ? LIMIT_QUESTION_LEAST
			: left < LIMIT_QUESTION	    ? left
						    : LIMIT_QUESTION;
	dwarf->question_budget -= dwarf->budget < left ? dwarf->budget : left;
	return kept;
}

void
debug_dwarf_end_question(struct debug_dwarf *dwarf, uint64_t kept)
{
	dwarf->limited = dwarf->limited || dwarf->budget == 0;
	dwarf->question_budget += dwarf->budget;
	dwarf->budget = kept;
}

const struct dwarf_ranges *
debug_dwarf_ranges(struct debug_dwarf *dwarf, const struct dwarf_die *die)
{
	struct dwarf_ranges *ranges = &dwarf->scratch;

	ranges->count = 0;
	ranges->budget = dwarf->budget;
	dwarf_die_ranges(die, ranges);
	dwarf->budget = ranges->budget;
	return ranges;
}

/* Names ---------------------------------------------------------------------------------------- */

struct dwarf_die
debug_dwarf_declaration(const struct dwarf_die *die)
{
	struct dwarf_die at = *die;

	for (size_t hop = 0; hop < MOST_REFERENCES && dwarf_die_origin(&at, &at); hop++)
		;
	return at;
}

static const char *
scoped_name(struct debug_dwarf *dwarf, const struct dwarf_die *die, const char *name)
{
	/* The name and scope of a function are those of its declaration. */
	struct dwarf_die at = debug_dwarf_declaration(die);
	const uint64_t key = (uint64_t)(uintptr_t)at.values;
	uint32_t number;

	if (number_map_find(&dwarf->name_numbers, key, &number))
		return dwarf->names.items[number];
	for (size_t depth = 0;
	     depth < DWARF_TREE_DEPTH && debug_dwarf_parent(dwarf, &at, &at); depth++) {
		const char *before = dwarf_die_text(&at, DW_AT_name);

		if (before == NULL && dwarf_die_tag(&at) != DW_TAG_namespace)
			continue;
		before = before != NULL ? before : "(anonymous namespace)";
		if (dwarf_name_has_scope(name, before))
			break;
		if (strlen(before) + strlen(name) > MOST_NAME)
			break;
		const char *longer = arena_format(&dwarf->arena, "%s::%s", before, name);
		if (longer == NULL)
			return name;
		name = longer;
	}
	const char **kept = GROWN_PUSH(dwarf->names);
	if (kept != NULL) {
		*kept = name;
		number_map_put(&dwarf->name_numbers, key, (uint32_t)dwarf->names.count - 1);
	}
	return name;
}

const char *
debug_dwarf_name(struct debug_dwarf *dwarf, const struct dwarf_die *die, bool *written)
{
	const char *name = dwarf_die_text(die, DW_AT_linkage_name);

	if (name == NULL)
		name = dwarf_die_text(die, DW_AT_MIPS_linkage_name);
	*written = name == NULL;
	if (name != NULL)
		return name;
	name = dwarf_die_text(die, DW_AT_name);
	return name != NULL ? scoped_name(dwarf, die, name) : "";
}

/* Lines ---------------------------------------------------------------------------------------- */

static const char *
path_of(struct debug_dwarf *dwarf, const struct unit *unit, uint64_t number)
{
	if (unit->paths == NULL || number >= unit->lines.files.count)
		return "";
	if (unit->paths[number] == NULL) {
		struct arena scratch = { 0 };
		const struct text path = dwarf_lines_path(&unit->lines, number, unit->directory,
							  &scratch);
		const char *kept = text_copy(&dwarf->arena, path);

		unit->paths[number] = kept != NULL ? kept : "";
		arena_free(&scratch);
	}
	return unit->paths[number];
}

/* The line of a span of code. False if it has none. */
static bool
line_of(struct debug_dwarf *dwarf, const struct unit *unit, const struct line_span *span,
	struct source_line *line)
{
	if (span->line == 0)
		return false;
	*line = (struct source_line){
		.address = span->low - dwarf->base,
		.size = span->high - span->low,
		.file = text_of(path_of(dwarf, unit, span->file)),
		.line = span->line,
		.offset = dwarf_file_place(&dwarf->store.file, DWARF_LINE, span->offset),
		.own_file = &dwarf->binary->file.input };
	return true;
}

/* List the lines in a range of a function, sorted by address. */
static void
list_lines(struct debug_dwarf *dwarf, const struct unit *unit, const struct pc_range *range,
	   struct arena *arena, struct debug_body *body)
{
	const size_t first = dwarf_lines_upto(&unit->lines, range->low);
	const size_t last = dwarf_lines_upto(&unit->lines, range->high - 1);
	const size_t count = last - (first > 0 ? first - 1 : 0);

	if (count > MOST_LINES)
		return;
	body->lines = arena_array(arena, count, sizeof(*body->lines));
	for (size_t i = last - count; body->lines != NULL && i < last; i++) {
		struct line_span part = unit->lines.spans.items[i];

		part.low = part.low < range->low ? range->low : part.low;
		part.high = part.high < range->high ? part.high : range->high;
		if (part.low < part.high)
			body->line_count +=
				line_of(dwarf, unit, &part, &body->lines[body->line_count]);
	}
}

/* Inlined calls -------------------------------------------------------------------------------- */

bool
debug_dwarf_covers(struct debug_dwarf *dwarf, const struct dwarf_die *die, uint64_t address,
		   struct pc_range *range)
{
	const struct dwarf_ranges *ranges = debug_dwarf_ranges(dwarf, die);

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].low <= address && address < ranges->items[i].high) {
			*range = (struct pc_range){ .low = ranges->items[i].low,
						    .high = ranges->items[i].high };
			return true;
		}
	return false;
}

static struct inline_call
call_of(struct debug_dwarf *dwarf, const struct unit *unit, const struct dwarf_die *die,
	const struct pc_range *range)
{
	const bool has_file = dwarf_die_has(die, DW_AT_call_file);
	bool written;

	const char *name = debug_dwarf_name(dwarf, die, &written);
	return (struct inline_call){
		.name = text_of(*name != '\0' ? name : SYMBOL_NAME_OMITTED),
		.address = range->low - dwarf->base,
		.size = range->high - range->low,
		.call_file = text_of(has_file ? path_of(dwarf, unit,
							dwarf_die_number(die, DW_AT_call_file))
					      : ""),
		.call_line = (uint32_t)dwarf_die_number(die, DW_AT_call_line),
		.offset = dwarf_die_place(die),
		.own_file = &die->unit->file->binary->file.input,
	};
}

/*
 * Add the calls on the path to the current entry, which covers the address. If a call's own ranges
 * do not cover the address, use the range of the current entry.
 */
static void
add_calls(struct debug_dwarf *dwarf, const struct unit *unit, struct dwarf_tree *tree,
	  uint64_t address, struct debug_answer *answer)
{
	struct pc_range last = { 0 }, own;

	debug_dwarf_covers(dwarf, dwarf_tree_at(tree), address, &last);
	for (size_t i = 0; i < tree->depth && answer->call_count < DWARF_TREE_DEPTH; i++) {
		const struct dwarf_die *die = &tree->path[i];

		if (dwarf_die_tag(die) != DW_TAG_inlined_subroutine)
			continue;
		if (!debug_dwarf_covers(dwarf, die, address, &own))
			own = last;
		answer->calls[answer->call_count] = call_of(dwarf, unit, die, &own);
		answer->calls[answer->call_count].depth = (unsigned)answer->call_count;
		answer->call_count++;
	}
}

/*
 * Find the calls inlined at an address of a function, innermost first. If a call covers the
 * address, only its children are searched next. Ranges of blocks are ignored, because in DWARF 2 to
 * 4 an empty range can look like the end of its list.
 */
static void
find_calls(struct debug_dwarf *dwarf, const struct unit *unit, const struct dwarf_die *function,
	   uint64_t address, struct arena *arena, struct debug_answer *answer)
{
	struct inline_call calls[DWARF_TREE_DEPTH];
	struct debug_answer found = { .calls = calls };
	struct dwarf_tree tree;
	struct pc_range range;

	const uint64_t budget = debug_dwarf_begin_question(dwarf);
	for (bool more = debug_tree_enter(dwarf, &tree, function); more;) {
		const struct dwarf_die at = *dwarf_tree_at(&tree);
		const bool inlined = dwarf_die_tag(&at) == DW_TAG_inlined_subroutine;

		if (inlined && debug_dwarf_covers(dwarf, &at, address, &range)) {
			add_calls(dwarf, unit, &tree, address, &found);
			more = debug_tree_enter(dwarf, &tree, &at);
		} else {
			more = dwarf_tree_next(&tree,
					       (inlined && unit->one_part) ||
						       dwarf_die_tag(&at) == DW_TAG_lexical_block);
		}
	}
	debug_dwarf_end_question(dwarf, budget);
	answer->calls = arena_array(arena, found.call_count, sizeof(*answer->calls));
	for (size_t i = found.call_count; answer->calls != NULL && i > 0; i--)
		answer->calls[answer->call_count++] = calls[i - 1];
}

struct call_list {
	struct debug_dwarf *dwarf;
	const struct unit *unit;
	const struct pc_range *range;	/* range of the function; calls elsewhere are left out */
	struct arena *arena;
	struct inline_call *items;
	size_t count, capacity;
};

/* Add an inlined call, once for each part of its code. */
static void
add_call(struct call_list *list, const struct dwarf_die *die, unsigned depth)
{
	const struct pc_range *function = list->range;
	const struct dwarf_ranges *ranges = debug_dwarf_ranges(list->dwarf, die);

	for (size_t i = 0; i < ranges->count && list->count < MOST_CALLS; i++) {
		const struct dwarf_range *own = &ranges->items[i];
		const struct pc_range part = {
			.low = own->low > function->low ? own->low : function->low,
			.high = own->high < function->high ? own->high : function->high };

		if (part.low >= part.high)
			continue;
		struct inline_call *call =
			ARENA_PUSH(list->arena, list->items, list->count, list->capacity);
		if (call == NULL)
			return;
		*call = call_of(list->dwarf, list->unit, die, &part);
		call->depth = depth;
	}
}

SORTED_BY_ALL(compare_calls, struct inline_call,
	      SORTED_UP(address) SORTED_UP(depth) SORTED_UP(offset))

/* List all calls inlined into a range of a function, by address. Outer calls precede inner ones. */
static void
list_calls(struct debug_dwarf *dwarf, const struct unit *unit, const struct dwarf_die *function,
	   const struct pc_range *range, struct arena *arena, struct debug_body *body)
{
	struct call_list list = { .dwarf = dwarf, .unit = unit, .range = range, .arena = arena };
	struct dwarf_tree tree;

	const uint64_t budget = debug_dwarf_begin_question(dwarf);
	for (bool more = debug_tree_enter(dwarf, &tree, function); more;) {
		const enum dwarf_tag tag = dwarf_die_tag(dwarf_tree_at(&tree));
		const bool inlined = tag == DW_TAG_inlined_subroutine;
		unsigned depth = 0;

		for (size_t i = 0; inlined && i + 1 < tree.depth; i++)
			depth += dwarf_die_tag(&tree.path[i]) == DW_TAG_inlined_subroutine;
		if (inlined)
			add_call(&list, dwarf_tree_at(&tree), depth);
		more = dwarf_tree_next(&tree, inlined || tag == DW_TAG_lexical_block);
	}
	debug_dwarf_end_question(dwarf, budget);
	SORT(list.items, list.count, compare_calls);
	body->calls = list.items;
	body->call_count = list.count;
}

/* Functions ------------------------------------------------------------------------------------ */

/* Describe a function. False if it has no name. */
static bool
describe_function(struct debug_dwarf *dwarf, const struct unit *unit, const struct pc_range *range,
		  const struct dwarf_die *function, struct debug_answer *answer)
{
	answer->section = unit->skeleton ? ".debug_info.dwo" : ".debug_info";
	answer->input = &function->unit->file->binary->file.input;
	answer->name = debug_dwarf_name(dwarf, function, &answer->written);
	answer->address = range->low - dwarf->base;
	answer->size = range->high - range->low;
	answer->offset = dwarf_die_place(function);
	return *answer->name != '\0';
}

bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	const uint64_t address = dwarf->base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	struct dwarf_die function;

	if (unit == NULL)
		return false;
	const size_t spans = dwarf_lines_upto(&unit->lines, address);
	if (spans > 0 && address < unit->lines.spans.items[spans - 1].high)
		line_of(dwarf, unit, &unit->lines.spans.items[spans - 1], &answer->line);
	const struct pc_range *range = debug_dwarf_function(unit, address);
	if (range == NULL || !debug_dwarf_entry_of(unit, range, &function))
		return false;
	if (arena != NULL)
		find_calls(dwarf, unit, &function, address, arena, answer);
	return describe_function(dwarf, unit, range, &function, answer);
}

bool
debug_dwarf_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body)
{
	const uint64_t address = dwarf->base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	const struct pc_range *range = unit != NULL ? debug_dwarf_function(unit, address) : NULL;
	struct dwarf_die function;

	if (range == NULL || !debug_dwarf_entry_of(unit, range, &function) ||
	    !describe_function(dwarf, unit, range, &function, &body->function))
		return false;
	list_lines(dwarf, unit, range, arena, body);
	list_calls(dwarf, unit, &function, range, arena, body);
	return true;
}

void
debug_dwarf_functions(struct debug_dwarf *dwarf, debug_info_tell *tell, void *context)
{
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		const struct unit *unit = debug_dwarf_read_unit(dwarf, i);

		for (size_t j = 0; j < unit->functions.count; j++) {
			const struct pc_range *range = &unit->functions.items[j];
			struct dwarf_die function;
			bool written;

			if (debug_dwarf_entry_of(unit, range, &function))
				tell(context, debug_dwarf_name(dwarf, &function, &written),
				     range->low - dwarf->base);
		}
	}
}

void
debug_dwarf_count_split(struct debug_dwarf *dwarf, size_t *count, size_t *missing)
{
	*count = *missing = 0;
	for (size_t i = 0; i < dwarf->unit_count; i++)
		if (dwarf->units[i].skeleton) {
			++*count;
			*missing += debug_dwarf_read_unit(dwarf, i)->context == NULL;
		}
}

void
debug_dwarf_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body)
{
	const uint64_t low = dwarf->base + body->function.address;
	const struct pc_range range = { .low = low, .high = low + body->function.size };
	const struct unit *unit = debug_dwarf_unit(dwarf, low);

	if (unit != NULL && range.high > range.low)
		list_lines(dwarf, unit, &range, arena, body);
}
