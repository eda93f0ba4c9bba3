/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* Lines of a function that are listed. */
#define MOST_LINES ((size_t)1 << 20)

/* Libdw leaves some paths without the directory that the compiler ran in. */
const char *
debug_dwarf_path(struct debug_dwarf *dwarf, const struct unit *unit, size_t number)
{
	if (unit->paths == NULL || number >= unit->file_count)
		return "";
	if (unit->paths[number] != NULL)
		return unit->paths[number];
	const char *path = dwarf_filesrc(unit->files, number, NULL, NULL);
	const char *whole = path;
	if (path != NULL && path[0] != '/' && unit->directory != NULL)
		whole = arena_format(&dwarf->arena, "%s/%s", unit->directory, path);
	unit->paths[number] = whole != NULL ? whole : "";
	return unit->paths[number];
}

/* How many rows are at or before an address. */
static size_t
rows_until(const struct unit *unit, uint64_t address)
{
	return sorted_upto(SORTED(unit->rows, unit->row_count, address), address);
}

/* Row `index`, up to the one behind it; false where it is no line. */
static bool
line_of(struct debug_dwarf *dwarf, const struct unit *unit, size_t index, struct debug_line *line)
{
	const struct line_row *row = &unit->rows[index];

	if (index + 1 >= unit->row_count || row->line == 0)
		return false;
	*line = (struct debug_line){
		.address = row->address - dwarf->binary->linked_base,
		.size = row[1].address - row->address,
		.file = debug_dwarf_path(dwarf, unit, row->file),
		.line = row->line,
		.offset = debug_dwarf_offset(dwarf->binary, ".debug_line", row->offset) };
	return true;
}

/* The last row at or before an address: an earlier one at the same address covers no code. */
void
debug_dwarf_line(struct debug_dwarf *dwarf, const struct unit *unit, uint64_t address,
		 struct debug_line *line)
{
	const size_t count = rows_until(unit, address);

	if (count > 0)
		line_of(dwarf, unit, count - 1, line);
}

/* Leave of a line what is in a function. */
static bool
clip(struct debug_line *line, uint64_t low, uint64_t high)
{
	const uint64_t end = line->address + line->size;

	if (line->address < low)
		line->address = low;
	line->size = (end < high ? end : high) - line->address;
	return end > line->address && line->address < high;
}

void
debug_dwarf_lines(struct debug_dwarf *dwarf, const struct unit *unit, const struct pc_range *range,
		  struct arena *arena, struct debug_body *body)
{
	const size_t first = rows_until(unit, range->low);
	const size_t last = rows_until(unit, range->high - 1);
	const size_t count = last - (first > 0 ? first - 1 : 0);
	const uint64_t low = range->low - dwarf->binary->linked_base;

	if (count > MOST_LINES)
		return;
	body->lines = arena_array(arena, count, sizeof(*body->lines));
	for (size_t i = last - count; body->lines != NULL && i < last; i++) {
		struct debug_line *line = &body->lines[body->line_count];

		if (line_of(dwarf, unit, i, line) &&
		    clip(line, low, low + (range->high - range->low)))
			body->line_count++;
	}
}

#endif
