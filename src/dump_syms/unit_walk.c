/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "dump_syms/unit_reader.h"

/* The walk through the entries of a unit. */

/* Entries of compilers nest less deeply. */
#define MOST_LEVELS 1024u

#define NO_FUNCTION UINT32_MAX

/* The state of one level of entries. */
struct walk_level {
	uint32_t scope;			/* that they are in */
	uint32_t opened;		/* that ends with the level, or DWARF_NO_SCOPE */
	uint32_t function;		/* whose code they describe */
	uint32_t depth;			/* of inlined calls in it */
};

/* Note a function if its code is in the file. */
static bool
add_function(struct unit_reader *reader, const struct dwarf_entry *entry,
	     struct walk_level *level)
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
	struct unit_function *added = GROWN_PUSH(reader->functions);
	if (added == NULL)
		return false;
	*added = (struct unit_function){ .entry = entry->offset, .first_range = first,
					 .range_count = kept - first };
	level->function = (uint32_t)(reader->functions.count - 1);
	return good;
}

static bool
add_call(struct unit_reader *reader, const struct dwarf_entry *entry, struct walk_level *level)
{
	struct dwarf_ranges *ranges = &reader->found.ranges;
	const size_t first = ranges->count;

	if (level->function == NO_FUNCTION || !reader->source.calls)
		return true;
	const bool good = dwarf_entry_ranges(&reader->context, entry, ranges);
	if (ranges->count == first)
		return good;
	/* Names need all scopes of the unit. */
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

static bool
look_at(struct unit_reader *reader, const struct dwarf_entry *entry, struct walk_level *level)
{
	const uint8_t kind = entry->abbrev->kind;
	bool good = true;

	if (kind == DWARF_FUNCTION)
		good = add_function(reader, entry, level);
	else if (kind == DWARF_INLINED)
		good = add_call(reader, entry, level);
	else if (kind == DWARF_NAMESPACE || kind == DWARF_TYPE)
		level->function = NO_FUNCTION;
	if (!dwarf_scopes_has(entry))
		return good;
	good &= dwarf_scopes_begin(&reader->scopes, &reader->context, entry, level->scope,
				   &level->opened);
	if (level->opened != DWARF_NO_SCOPE)
		level->scope = level->opened;
	return good;
}

bool
unit_walk(struct unit_reader *reader, struct dwarf_cursor *cursor)
{
	const struct dwarf_context *context = &reader->context;
	struct walk_level levels[MOST_LEVELS];
	struct dwarf_entry entry;
	size_t depth = 0;
	bool good = true;

	levels[0] = (struct walk_level){ DWARF_NO_SCOPE, DWARF_NO_SCOPE, NO_FUNCTION, 0 };
	for (;;) {
		const enum dwarf_read read = dwarf_entry_read(context, cursor, &entry);

		if (read == DWARF_READ_ENTRY) {
			struct walk_level level = levels[depth];

			level.opened = DWARF_NO_SCOPE;
			if (entry.abbrev->kind > DWARF_UNIT_ENTRY)
				good &= look_at(reader, &entry, &level);
			if (!entry.abbrev->children)
				continue;
			if (depth + 1 == MOST_LEVELS)
				return false;
			levels[++depth] = level;
			continue;
		}
		if (read == DWARF_READ_DAMAGED)
			return good && cursor->at == cursor->end && !cursor->cut;
		dwarf_scopes_end(&reader->scopes, context, levels[depth].opened, entry.offset);
		if (depth-- == 0)
			return good;
	}
}
