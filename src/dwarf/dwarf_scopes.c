/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_scopes.h"

#include "dwarf/grown.h"

/* Compilers nest entries less deeply. */
#define MOST_LEVELS 1024u

bool
dwarf_scopes_begin(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		   const struct dwarf_entry *entry, uint32_t parent, uint32_t *number)
{
	const uint64_t start = entry->offset - unit->unit->start;

	*number = DWARF_NO_SCOPE;
	if (start > UINT32_MAX - 1)
		return true;
	struct dwarf_scope *added = GROWN_PUSH(*scopes);
	if (added == NULL)
		return false;
	*added = (struct dwarf_scope){ (uint32_t)start, UINT32_MAX, parent };
	*number = (uint32_t)(scopes->count - 1);
	return true;
}

void
dwarf_scopes_end(struct dwarf_scopes *scopes, const struct dwarf_context *unit, uint32_t number,
		 uint64_t offset)
{
	if (number != DWARF_NO_SCOPE)
		scopes->items[number].end = (uint32_t)(offset - unit->unit->start);
}

bool
dwarf_scopes_read(struct dwarf_scopes *scopes, const struct dwarf_context *unit,
		  dwarf_scopes_function *function, void *context)
{
	struct {
		uint32_t scope, opened;	/* of the level's entries; the one that ends with it */
	} levels[MOST_LEVELS] = { { DWARF_NO_SCOPE, DWARF_NO_SCOPE } };
	const struct dwarf_unit *header = unit->unit;
	struct dwarf_cursor cursor = dwarf_file_at(unit->file, header->section, header->entries);
	struct dwarf_entry entry;
	size_t depth = 0;

	cursor.end -= unit->file->sections[header->section].size - header->end;
	for (;;) {
		switch (dwarf_entry_read(unit, &cursor, &entry)) {
		case DWARF_READ_DAMAGED:
			return cursor.at == cursor.end && !cursor.cut;
		case DWARF_READ_END:
			if (depth == 0)
				return true;
			dwarf_scopes_end(scopes, unit, levels[depth--].opened, entry.offset);
			break;
		case DWARF_READ_ENTRY:
			if (entry.abbrev->kind == DWARF_FUNCTION && function != NULL &&
			    !function(context, &entry))
				return false;
			if (!entry.abbrev->children)
				break;
			if (depth + 1 == MOST_LEVELS)
				return false;
			levels[depth + 1].scope = levels[depth].scope;
			levels[++depth].opened = DWARF_NO_SCOPE;
			if (!dwarf_scopes_has(&entry))
				break;
			if (!dwarf_scopes_begin(scopes, unit, &entry, levels[depth].scope,
						&levels[depth].opened))
				return false;
			if (levels[depth].opened != DWARF_NO_SCOPE)
				levels[depth].scope = levels[depth].opened;
		}
	}
}

uint32_t
dwarf_scopes_around(const struct dwarf_scopes *scopes, uint32_t offset)
{
	size_t low = 0, high = scopes->count;

	while (low < high) {
		const size_t at = low + (high - low) / 2;

		if (scopes->items[at].start < offset)
			low = at + 1;
		else
			high = at;
	}
	uint32_t scope = low > 0 ? (uint32_t)low - 1 : DWARF_NO_SCOPE;
	while (scope != DWARF_NO_SCOPE && scopes->items[scope].end <= offset)
		scope = scopes->items[scope].parent;
	return scope;
}
