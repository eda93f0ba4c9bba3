/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* Maximum number of ranges tried until one covers an address. */
enum { MOST_OVERLAPS = 16 };

SORTED_BY_ALL(compare, struct pc_range, SORTED_UP(low) SORTED_DOWN(high) SORTED_UP(entry))

static bool
add_range(struct debug_dwarf *dwarf, struct ranges *ranges, struct pc_range range)
{
	struct pc_range *kept =
		ARENA_PUSH(&dwarf->arena, ranges->items, ranges->count, ranges->capacity);

	if (kept != NULL)
		*kept = range;
	else
		dwarf->limited = true;
	return kept != NULL;
}

static void
add_ranges(struct debug_dwarf *dwarf, const struct dwarf_context *context,
	   const struct dwarf_entry *entry, size_t unit, struct ranges *ranges)
{
	struct dwarf_ranges *parts = &dwarf->scratch;

	parts->count = 0;
	parts->budget = dwarf->budget;
	dwarf_entry_ranges(context, entry, parts);
	dwarf->budget = parts->budget;
	for (size_t i = 0; i < parts->count; i++) {
		const struct pc_range range = { parts->items[i].low, parts->items[i].high, unit,
						entry->offset };
		/* For code that the linker dropped, DWARF has an address where no code is. */
		const bool code = dwarf->code.count == 0 ||
				  code_ranges_at(&dwarf->code, range.low) != NULL;

		if (code && !add_range(dwarf, ranges, range))
			return;
	}
}

static void
sort_ranges(struct ranges *ranges)
{
	SORT(ranges->items, ranges->count, compare);
}

/* The range that begins last among those that cover an address; NULL: none. */
static const struct pc_range *
range_at(const struct ranges *ranges, uint64_t address)
{
	size_t low = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++)
		if (address < ranges->items[low - 1 - i].high)
			return &ranges->items[low - 1 - i];
	return NULL;
}

/* Scopes --------------------------------------------------------------------------------------- */

static const struct dwarf_scopes *
read_scopes(struct debug_dwarf *dwarf, const struct dwarf_context *unit,
	    dwarf_scopes_visit *visit, void *context)
{
	struct unit_scopes *added = GROWN_PUSH(dwarf->scopes);

	if (added == NULL)
		return NULL;
	*added = (struct unit_scopes){ .unit = unit };
	number_map_put(&dwarf->scope_numbers, (uint64_t)(uintptr_t)unit,
		       (uint32_t)dwarf->scopes.count - 1);
	dwarf_scopes_read(&added->scopes, unit, visit, context);
	return &added->scopes;
}

bool
debug_dwarf_parent(struct debug_dwarf *dwarf, const struct dwarf_die *die,
		   struct dwarf_die *parent)
{
	const uint64_t start = die->unit->unit->start, offset = die->offset - start;
	uint32_t number, scope = DWARF_NO_SCOPE;
	const struct dwarf_scopes *scopes =
		number_map_find(&dwarf->scope_numbers, (uint64_t)(uintptr_t)die->unit, &number)
			? &dwarf->scopes.items[number].scopes
			: read_scopes(dwarf, die->unit, NULL, NULL);

	if (scopes != NULL && offset < DWARF_NO_SCOPE)
		scope = dwarf_scopes_around(scopes, (uint32_t)offset);
	return scope != DWARF_NO_SCOPE &&
	       dwarf_die_at(die->unit, start + scopes->items[scope].start, parent);
}

/* Units ---------------------------------------------------------------------------------------- */

struct function_list {
	struct debug_dwarf *dwarf;
	const struct dwarf_context *context;
	size_t unit;
};

static bool
add_function(void *context, const struct dwarf_entry *entry, struct dwarf_scope_level *level)
{
	const struct function_list *list = context;

	(void)level;
	if (entry->abbrev->kind == DWARF_FUNCTION)
		add_ranges(list->dwarf, list->context, entry, list->unit,
			   &list->dwarf->units[list->unit].functions);
	return true;
}

static void
read_functions(struct debug_dwarf *dwarf, size_t number)
{
	struct unit *unit = &dwarf->units[number];
	const struct dwarf_context *context =
		dwarf_store_unit(&dwarf->store, &dwarf->store.file, unit->header);
	struct dwarf_entry root;

	unit->read = true;
	if (context == NULL || !dwarf_entry_at(context, unit->header->entries, &root))
		return;
	unit->context = unit->skeleton ? dwarf_store_split(&dwarf->store, context) : context;
	if (unit->context != NULL) {
		struct function_list list = { dwarf, unit->context, number };

		read_scopes(dwarf, unit->context, add_function, &list);
		sort_ranges(&unit->functions);
	}
	/* A split unit uses the lines and file numbers of its skeleton. */
	unit->directory = dwarf_entry_text(context, &root, DWARF_DIRECTORY);
	/*
	 * Each unit with code has its own line program, so twice the section's size is enough for
	 * all. Lines may use as much memory as all other data.
	 */
	if (dwarf_entry_has(&root, DWARF_LINES)) {
		unit->lines.budget = dwarf->line_bytes;
		unit->lines.most_spans =
			(LIMIT_DEBUG_MEMORY + 16 * (size_t)dwarf->binary->file.size) /
			sizeof(struct line_span);
		dwarf_lines_read(&unit->lines, context, dwarf_entry_number(&root, DWARF_LINES),
				 dwarf->code.count > 0 ? &dwarf->code : NULL);
		dwarf->line_bytes = unit->lines.budget;
		unit->paths = arena_array(&dwarf->arena, unit->lines.files.count,
					  sizeof(*unit->paths));
		dwarf->limited = dwarf->limited || unit->lines.exceeded || unit->paths == NULL;
	}
	dwarf->limited = dwarf->limited || dwarf->budget == 0;
}

void
debug_dwarf_read_units(struct debug_dwarf *dwarf)
{
	const struct dwarf_file *file = &dwarf->store.file;
	struct dwarf_abbrevs abbrevs = { 0 };
	struct dwarf_context context = { .abbrevs = &abbrevs, .root_only = true };
	struct dwarf_cursor cursor;
	struct dwarf_entry root;

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct dwarf_unit *header = &file->units[i];

		/* Skip units that have no code. */
		if (header->partial ||
		    !dwarf_context_begin(&context, file, header, &cursor, &root) ||
		    (root.abbrev->tag != DW_TAG_compile_unit &&
		     root.abbrev->tag != DW_TAG_skeleton_unit))
			continue;
		struct unit *unit = ARENA_PUSH(&dwarf->arena, dwarf->units, dwarf->unit_count,
					       dwarf->unit_capacity);
		if (unit == NULL)
			break;
		*unit = (struct unit){
			.header = header, .one_part = header->version < 3,
			.skeleton = dwarf_entry_has(&root, DWARF_DWO_NAME),
			.silent = header->version < 3 ||
				  (!dwarf_entry_has(&root, DWARF_LOW) &&
				   !dwarf_entry_has(&root, DWARF_RANGE_LIST)) };
		add_ranges(dwarf, &context, &root, dwarf->unit_count - 1, &dwarf->ranges);
	}
	dwarf->limited = dwarf->limited || abbrevs.exceeded;
	dwarf_abbrevs_free(&abbrevs);
	sort_ranges(&dwarf->ranges);
}

void
debug_dwarf_free_units(struct debug_dwarf *dwarf)
{
	for (size_t i = 0; i < dwarf->unit_count; i++)
		dwarf_lines_free(&dwarf->units[i].lines);
	for (size_t i = 0; i < dwarf->scopes.count; i++)
		free(dwarf->scopes.items[i].scopes.items);
	free(dwarf->scopes.items);
	number_map_free(&dwarf->scope_numbers);
}

struct unit *
debug_dwarf_read_unit(struct debug_dwarf *dwarf, size_t number)
{
	if (!dwarf->units[number].read)
		read_functions(dwarf, number);
	return &dwarf->units[number];
}

const struct dwarf_context *
debug_dwarf_context(struct debug_dwarf *dwarf, const struct unit *unit)
{
	if (unit->skeleton)
		return debug_dwarf_read_unit(dwarf, (size_t)(unit - dwarf->units))->context;
	return dwarf_store_unit(&dwarf->store, &dwarf->store.file, unit->header);
}

struct unit *
debug_dwarf_unit(struct debug_dwarf *dwarf, uint64_t address)
{
	const struct pc_range *range = range_at(&dwarf->ranges, address);

	/* If a unit has no ranges, its code is the code of its functions. */
	for (size_t i = 0; range == NULL && !dwarf->asked_silent && i < dwarf->unit_count; i++) {
		if (!dwarf->units[i].silent)
			continue;
		const struct ranges *functions = &debug_dwarf_read_unit(dwarf, i)->functions;
		for (size_t j = 0; j < functions->count; j++)
			add_range(dwarf, &dwarf->ranges, functions->items[j]);
	}
	if (range == NULL && !dwarf->asked_silent) {
		dwarf->asked_silent = true;
		sort_ranges(&dwarf->ranges);
		range = range_at(&dwarf->ranges, address);
	}
	return range != NULL ? debug_dwarf_read_unit(dwarf, range->unit) : NULL;
}

const struct pc_range *
debug_dwarf_function(const struct unit *unit, uint64_t address)
{
	return range_at(&unit->functions, address);
}
