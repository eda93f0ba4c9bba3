/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_scopes.h"

#include "base/sorted.h"
#include "dwarf/grown.h"

/* Compilers nest entries less deeply. */
#define MOST_LEVELS 1024u

/* Add a scope to the level of the entries in it; false when out of memory. */
static bool
open_scope(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
	   const struct dwarf_entry *entry, struct dwarf_scope_level *level)
{
	const uint64_t start = entry->offset - unit->unit->start;

	if (start > UINT32_MAX - 1)
		return true;
	struct dwarf_scope *added = GROWN_PUSH(*scopes);
	if (added == NULL)
		return false;
	*added = (struct dwarf_scope){ (uint32_t)start, UINT32_MAX, level->scope };
	level->scope = level->opened = (uint32_t)(scopes->count - 1);
	return true;
}

bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_visit *visit, void *context)
{
	struct dwarf_scope_level levels[MOST_LEVELS] = { { DWARF_NO_SCOPE, DWARF_NO_SCOPE,
							   DWARF_NO_SCOPE, 0 } };
	const struct dwarf_unit *header = unit->unit;
	struct dwarf_cursor cursor = dwarf_file_at(unit->file, header->section, header->entries);
	struct dwarf_entry entry;
	size_t depth = 0;
	bool good = true;

	cursor.end -= unit->file->sections[header->section].size - header->end;
	for (;;) {
		const enum dwarf_read read = dwarf_entry_read(unit, &cursor, &entry);

		if (read == DWARF_READ_DAMAGED)
			return good && cursor.at == cursor.end && !cursor.cut;
		if (read == DWARF_READ_END) {
			const uint32_t opened = levels[depth].opened;

			if (depth == 0)
				return good;
			if (opened != DWARF_NO_SCOPE)
				scopes->items[opened].end =
					(uint32_t)(entry.offset - header->start);
			/* The unit's own entry is at the level 0. */
			if (--depth == 0)
				return good;
			continue;
		}
		struct dwarf_scope_level level = levels[depth];
		const uint8_t kind = entry.abbrev->kind;
		level.opened = DWARF_NO_SCOPE;
		if (kind >= DWARF_NAMESPACE && visit != NULL)
			good &= visit(context, &entry, &level);
		if (!entry.abbrev->children)
			continue;
		if (kind >= DWARF_NAMESPACE && kind <= DWARF_FUNCTION)
			good &= open_scope(scopes, unit, &entry, &level);
		if (depth + 1 == MOST_LEVELS)
			return false;
		levels[++depth] = level;
	}
}

uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset)
{
	size_t low;

	BISECT(low, scopes->count, scopes->items[low].start < offset);
	uint32_t scope = low > 0 ? (uint32_t)low - 1 : DWARF_NO_SCOPE;
	while (scope != DWARF_NO_SCOPE && scopes->items[scope].end <= offset)
		scope = scopes->items[scope].parent;
	return scope;
}
