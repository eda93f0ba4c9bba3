/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms_internal.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "system/crew.h"

/* Prepare a zeroed reader. False when out of memory. */
static bool
unit_reader_init(struct unit_reader *reader, const struct unit_source *source)
{
	const struct elf_bytes *sections = source->file->sections;
	/* A range has at least two bytes in a list, and entries hardly ever share lists. */
	const uint64_t ranges = sections[DWARF_RANGES].size + sections[DWARF_RNGLISTS].size +
				sections[DWARF_INFO].size;

	*reader = (struct unit_reader){ .source = *source };
	reader->found.names.long_ones.most = source->most_names;
	reader->found.files.long_ones.most = source->most_names;
	reader->ranges.budget = ranges;
	reader->found.ranges.budget = ranges;
	/* Only type units share line programs with other units, and they have no code. */
	reader->lines.budget = 2 * sections[DWARF_LINE].size;
	reader->shown = malloc(LIMIT_SHOWN_NAME);
	reader->others = calloc(OTHER_UNITS, sizeof(*reader->others));
	reader->context.abbrevs = &reader->abbrevs;
	reader->skeleton.abbrevs = &reader->skeleton_abbrevs;
	for (unsigned i = 0; i < OTHER_UNITS && reader->others != NULL; i++)
		reader->others[i].context.abbrevs = &reader->others[i].abbrevs;
	return reader->shown != NULL && reader->others != NULL;
}

/* Free everything but the results. */
static void
unit_reader_done(struct unit_reader *reader)
{
	dwarf_abbrevs_free(&reader->abbrevs);
	dwarf_abbrevs_free(&reader->skeleton_abbrevs);
	for (unsigned i = 0; i < OTHER_UNITS && reader->others != NULL; i++) {
		dwarf_abbrevs_free(&reader->others[i].abbrevs);
		free(reader->others[i].scopes.items);
	}
	free(reader->others);
	dwarf_lines_free(&reader->lines);
	number_map_free(&reader->names);
	number_map_free(&reader->paths);
	number_map_free(&reader->other_names);
	number_map_free(&reader->linkage);
	number_map_free(&reader->split_files);
	arena_free(&reader->scratch);
	free(reader->scopes.items);
	free(reader->functions.items);
	free(reader->origins.items);
	free(reader->ranges.items);
	free(reader->shown);
}

/*
 * Add the size of a file with split units to the budgets of ranges, because the file has lists of
 * ranges. Its size counts only once, even if many skeletons refer to the file.
 */
static void
allow_ranges(struct unit_reader *reader, const struct binary *split)
{
	const uint64_t key = (uint64_t)(uintptr_t)split;
	uint32_t known;

	if (number_map_find(&reader->split_files, key, &known) ||
	    !number_map_put(&reader->split_files, key, 1))
		return;
	reader->ranges.budget += split->file.size;
	reader->found.ranges.budget += split->file.size;
}

/* Entries -------------------------------------------------------------------------------------- */

#define NO_FUNCTION DWARF_NO_SCOPE

/* Note a function if its code is in the file. */
static bool
add_function(struct unit_reader *reader, const struct dwarf_entry *entry,
	     struct dwarf_scope_level *level)
{
	struct dwarf_ranges *ranges = &reader->ranges;
	const size_t first = ranges->count;
	size_t kept = first;

	level->function = NO_FUNCTION;
	level->depth = 0;
	const bool good = dwarf_entry_ranges(&reader->context, entry, ranges);
	for (size_t i = first; i < ranges->count; i++) {
		const struct code_range *code = code_ranges_at(reader->source.code,
							       ranges->items[i].low);

		if (code != NULL && ranges->items[i].high <= code->high)
			ranges->items[kept++] = ranges->items[i];
	}
	ranges->count = kept;
	if (kept == first)
		return good;
	if (!GROWN_ADD(reader->functions, &(struct unit_function){ .entry = entry->offset,
								   .first_range = first,
								   .range_count = kept - first }))
		return false;
	level->function = (uint32_t)(reader->functions.count - 1);
	return good;
}

static bool
add_call(struct unit_reader *reader, const struct dwarf_entry *entry,
	 struct dwarf_scope_level *level)
{
	struct dwarf_ranges *ranges = &reader->found.ranges;
	const size_t first = ranges->count;

	if (level->function == NO_FUNCTION || !reader->source.calls)
		return true;
	const bool good = dwarf_entry_ranges(&reader->context, entry, ranges);
	if (ranges->count == first)
		return good;
	/* The name is set later, because it needs all scopes of the unit. */
	struct unit_origin *origin = GROWN_PUSH(reader->origins);
	struct found_call *added = origin != NULL ? GROWN_PUSH(reader->found.calls) : NULL;
	if (added == NULL)
		return false;
	*added = (struct found_call){
		.function = level->function, .name = NAME_NONE, .depth = level->depth,
		.file = dwarf_entry_has(entry, DWARF_CALL_FILE)
				? (uint32_t)entry->values[DWARF_CALL_FILE].number : NAME_NONE,
		.line = (uint32_t)dwarf_entry_number(entry, DWARF_CALL_LINE),
		.first_range = first, .range_count = (uint32_t)(ranges->count - first) };
	origin->file =
		dwarf_entry_reference(&reader->context, entry, DWARF_ORIGIN, &origin->offset);
	if (origin->file == NULL)
		*origin = (struct unit_origin){ reader->context.file, entry->offset };
	level->depth++;
	return good;
}

/* Note an inlined call, or a function with code; the visitor of dwarf_scopes_read. */
static bool
note_entry(void *context, const struct dwarf_entry *entry, struct dwarf_scope_level *level)
{
	switch (entry->abbrev->kind) {
	case DWARF_FUNCTION:
		return add_function(context, entry, level);
	case DWARF_INLINED:
		return add_call(context, entry, level);
	default:
		level->function = NO_FUNCTION;
		return true;
	}
}

/* Files and lines ------------------------------------------------------------------------------ */

/* The number of a file of the unit's lines; NAME_NONE: there is no such file. */
static uint32_t
file_number(struct unit_reader *reader, uint32_t file, const char *directory)
{
	uint32_t number;

	if (number_map_find(&reader->paths, (uint64_t)file + 1, &number))
		return number;
	const struct text path =
		dwarf_lines_path(&reader->lines, file, directory, &reader->scratch);
	number = path.length > 0 ? text_table_add(&reader->found.files, path) : NAME_NONE;
	arena_reset(&reader->scratch);
	number_map_put(&reader->paths, (uint64_t)file + 1, number);
	return number;
}

static void
add_lines(struct unit_reader *reader, struct found_function *function, const char *directory)
{
	const struct line_spans *spans = &reader->lines.spans;
	size_t at;

	BISECT(at, spans->count, spans->items[at].high <= function->low);
	function->first_line = reader->found.lines.count;
	for (; at < spans->count && spans->items[at].low < function->high; at++) {
		const struct line_span *span = &spans->items[at];
		const uint64_t start = span->low < function->low ? function->low : span->low;
		const uint64_t end = span->high < function->high ? span->high : function->high;
		const uint32_t file = file_number(reader, span->file, directory);

		if (file == NAME_NONE || end - function->low > UINT32_MAX)
			continue;
		if (!GROWN_ADD(reader->found.lines,
			       &(struct found_line){ (uint32_t)(start - function->low),
						     (uint32_t)(end - start), span->line, file })) {
			reader->out_of_memory = true;
			return;
		}
		function->line_count++;
	}
}

/* Functions ------------------------------------------------------------------------------------ */

/* The ranges of calls were read in the order of the calls. */
SORTED_BY_ALL(compare_calls, struct found_call, SORTED_UP(function) SORTED_UP(first_range))

/* Give each function its inlined calls. Calls of a nested function may require a sort. */
static void
assign_calls(struct unit_reader *reader, size_t first)
{
	struct found_calls *calls = &reader->found.calls;

	for (size_t i = first + 1; i < calls->count; i++)
		if (calls->items[i].function < calls->items[i - 1].function) {
			qsort(&calls->items[first], calls->count - first, sizeof(*calls->items),
			      compare_calls);
			break;
		}
	for (size_t i = first; i < calls->count; i++) {
		struct unit_function *function =
			&reader->functions.items[calls->items[i].function];

		if (function->call_count++ == 0)
			function->first_call = i;
	}
}

static void
add_functions(struct unit_reader *reader, size_t number, const char *directory)
{
	for (size_t i = 0; i < reader->functions.count; i++) {
		const struct unit_function *function = &reader->functions.items[i];
		const uint32_t name = unit_name(reader, reader->context.file, function->entry);

		for (size_t range = 0; range < function->range_count; range++) {
			struct found_function *added = GROWN_PUSH(reader->found.functions);

			if (added == NULL || name == NAME_NONE) {
				reader->found.functions.count -= added != NULL;
				reader->out_of_memory = true;
				return;
			}
			*added = (struct found_function){
				.low = reader->ranges.items[function->first_range + range].low,
				.high = reader->ranges.items[function->first_range + range].high,
				.order = (uint64_t)number << 32 | i, .name = name,
				.first_call = function->first_call,
				.call_count = (uint32_t)function->call_count };
			add_lines(reader, added, directory);
		}
	}
}

/* Set the numbers of names and files in the unit's inlined calls. */
static void
settle_calls(struct unit_reader *reader, size_t first, const char *directory)
{
	for (size_t i = first; i < reader->found.calls.count; i++) {
		struct found_call *call = &reader->found.calls.items[i];
		const struct unit_origin *origin = &reader->origins.items[i - first];

		call->name = unit_name(reader, origin->file, origin->offset);
		reader->out_of_memory |= call->name == NAME_NONE;
		if (call->file != NAME_NONE)
			call->file = file_number(reader, call->file, directory);
	}
}

static void
forget_unit(struct unit_reader *reader)
{
	reader->scopes.count = 0;
	reader->functions.count = 0;
	reader->ranges.count = 0;
	reader->origins.count = 0;
	number_map_clear(&reader->names);
	number_map_clear(&reader->paths);
	arena_reset(&reader->scratch);
}

/* Read the unit's entries; `root` leads to its lines. */
static bool
read_entries(struct unit_reader *reader, size_t number, const struct dwarf_context *context,
	     const struct dwarf_entry *root)
{
	const size_t first = reader->found.calls.count;
	bool good = dwarf_scopes_read(&reader->scopes, &reader->context, note_entry, reader);

	if (reader->functions.count == 0)
		return good;
	const char *directory = dwarf_entry_text(context, root, DWARF_DIRECTORY);
	if (dwarf_entry_has(root, DWARF_LINES))
		good &= dwarf_lines_read(&reader->lines, context, root->values[DWARF_LINES].number,
					 reader->source.code);
	else
		dwarf_lines_none(&reader->lines);
	settle_calls(reader, first, directory);
	assign_calls(reader, first);
	add_functions(reader, number, directory);
	return good;
}

static void
unit_reader_read(struct unit_reader *reader, size_t number)
{
	const struct dwarf_file *file = reader->source.file;
	const struct dwarf_unit *unit = &file->units[number];
	struct dwarf_entry root, own;
	struct dwarf_cursor cursor;
	bool good;

	if (unit->partial)
		return;
	forget_unit(reader);
	good = dwarf_context_begin(&reader->context, file, unit, &cursor, &root);
	if (good && dwarf_entry_has(&root, DWARF_DWO_NAME)) {
		/* split_files_find() reports a missing unit. */
		good = dwarf_context_begin(&reader->skeleton, file, unit, &cursor, &root);
		if (!good || !split_files_find(reader->source.split, &reader->skeleton, &root,
					       &reader->part))
			return;
		allow_ranges(reader, reader->part.file.binary);
		/* Another unit's part may have been at the same address. */
		reader->abbrevs.file = NULL;
		good = dwarf_context_split(&reader->context, &reader->skeleton, &reader->part.file,
					   &reader->part.unit, &cursor, &own) &&
		       read_entries(reader, number, &reader->skeleton, &root);
		reader->abbrevs.file = NULL;
	} else if (good && root.abbrev->children) {
		good = read_entries(reader, number, &reader->context, &root);
	}
	if (!good && (reader->abbrevs.exceeded || reader->skeleton_abbrevs.exceeded ||
		      reader->lines.exceeded || reader->ranges.budget == 0))
		reader->limited = true;
	else if (!good && reader->damaged++ == 0)
		reader->damage = unit->start;
}

/* Threads that read units, and the merging of their results ---------------------------------- */

static void
read_unit(void *context, size_t member, size_t number)
{
	struct dump_syms_parts *parts = context;

	unit_reader_read(&parts->readers[member], number);
	const size_t done = atomic_fetch_add(&parts->done, 1) + 1;
	if (member == 0 && parts->options.progress != NULL)
		parts->options.progress(parts->options.context, done, parts->file.unit_count);
}

SORTED_BY_ALL(compare, struct found_function, SORTED_UP(low) SORTED_UP(order))

/* Merge all functions by address. Of those at one address, keep the function of the first unit. */
static void
merge(struct dump_syms_parts *parts)
{
	struct found_functions *all = &parts->functions;
	size_t kept = 0;

	for (size_t i = 0; i < parts->reader_count; i++) {
		struct found_functions *found = &parts->readers[i].found.functions;
		void *items = grown_room(all->items, all->count, found->count, &all->capacity,
					 sizeof(*all->items));

		if (items == NULL) {
			parts->readers[i].out_of_memory = true;
			return;
		}
		all->items = items;
		for (size_t at = 0; at < found->count; at++) {
			all->items[all->count] = found->items[at];
			all->items[all->count++].reader = (uint32_t)i;
		}
		free(found->items);
		*found = (struct found_functions){ 0 };
	}
	SORT(all->items, all->count, compare);
	for (size_t i = 0; i < all->count; i++)
		if (kept == 0 || all->items[kept - 1].low != all->items[i].low)
			all->items[kept++] = all->items[i];
	all->count = kept;
}

void
dump_syms_read_units(struct dump_syms_parts *parts, unsigned threads)
{
	const struct unit_source source = { .file = &parts->file, .code = &parts->code,
					    .split = &parts->split,
					    .mangled = parts->options.mangled,
					    .calls = !parts->options.no_calls,
					    .most_names = parts->names_written.most };

	parts->readers = calloc(threads, sizeof(*parts->readers));
	if (parts->readers == NULL)
		return;
	while (parts->reader_count < threads &&
	       unit_reader_init(&parts->readers[parts->reader_count], &source))
		parts->reader_count++;
	if (parts->reader_count > 0)
		crew_run(parts->reader_count, parts->file.unit_count, read_unit, parts);
	for (size_t i = 0; i < parts->reader_count; i++)
		unit_reader_done(&parts->readers[i]);
	merge(parts);
}
