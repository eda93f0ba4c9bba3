/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_body.h"

#include <stdlib.h>

#include "base/sorted.h"

SORTED_BY_ALL(compare_rows, struct pdb_row, SORTED_UP(address) SORTED_UP(offset))

static uint64_t
end_of(const struct pdb_row *row)
{
	return (uint64_t)row->address + row->size;
}

/* Cut rows that overlap the next one; drop rows without bytes. */
static size_t
settle(struct pdb_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && end_of(&rows[i]) > rows[i + 1].address)
			rows[i].size = rows[i + 1].address - rows[i].address;
		if (rows[i].size > 0)
			rows[kept++] = rows[i];
	}
	return kept;
}

/* Replace the rows by others, by address and without overlap, where those are. */
static bool
overlay(struct pdb_body *body, const struct pdb_row *over, size_t over_count, struct arena *arena)
{
	struct pdb_row *rows = arena_array(arena, body->row_count + 2 * over_count + 1,
					   sizeof(*rows));
	size_t count = 0, next = 0;

	if (rows == NULL)
		return false;
	for (size_t i = 0; i < body->row_count; i++) {
		struct pdb_row row = body->rows[i];
		const uint64_t end = end_of(&row);
		uint64_t at = row.address;

		while (next < over_count && end_of(&over[next]) <= at)
			next++;
		for (size_t j = next; j < over_count && over[j].address < end; j++) {
			row.address = (uint32_t)at;
			row.size = over[j].address > at ? over[j].address - row.address : 0;
			if (row.size > 0)
				rows[count++] = row;
			at = end_of(&over[j]) > at ? end_of(&over[j]) : at;
		}
		row.address = (uint32_t)at;
		row.size = at < end ? (uint32_t)(end - at) : 0;
		if (row.size > 0)
			rows[count++] = row;
	}
	for (size_t j = 0; j < over_count; j++)
		rows[count++] = over[j];
	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare_rows);
	body->rows = rows;
	body->row_count = count;
	return true;
}

/* The ranges of a call: its rows and those of the calls inside it, which follow it. */
static bool
add_ranges(const struct pdb_site *sites, size_t count, size_t number, struct arena *scratch,
	   struct arena *arena, struct pdb_call *call)
{
	size_t end = number, all = 0, used = 0;

	do
		all += sites[end++].row_count;
	while (end < count && sites[end].depth > sites[number].depth);
	struct pdb_row *rows = arena_array(scratch, all + 1, sizeof(*rows));
	if (rows == NULL)
		return false;
	for (size_t i = number; i < end; i++)
		for (size_t j = 0; j < sites[i].row_count; j++)
			rows[used++] = sites[i].rows[j];
	if (used > 0)
		qsort(rows, used, sizeof(*rows), compare_rows);
	call->ranges = arena_array(arena, used + 1, sizeof(*call->ranges));
	for (size_t i = 0; call->ranges != NULL && i < used; i++) {
		struct pdb_line_range *last =
			call->range_count > 0 ? &call->ranges[call->range_count - 1] : NULL;

		if (rows[i].size == 0)
			continue;
		if (last == NULL || rows[i].address > (uint64_t)last->address + last->size)
			call->ranges[call->range_count++] =
				(struct pdb_line_range){ rows[i].address, rows[i].size };
		else if (end_of(&rows[i]) > (uint64_t)last->address + last->size)
			last->size = (uint32_t)(end_of(&rows[i]) - last->address);
	}
	arena_reset(scratch);
	return call->ranges != NULL;
}

/* The row of a call: of its first range with a row, which mostly is the first range. */
static const struct pdb_row *
row_around(const struct pdb_body *body, const struct pdb_call *call)
{
	const struct pdb_row *row = NULL;

	for (size_t i = 0; row == NULL && i < call->range_count; i++)
		row = pdb_row_at(body->rows, body->row_count, call->ranges[i].address);
	return row;
}

/* Add the calls of one depth: the rows around them are the call sites, which their own replace. */
static bool
add_depth(const struct pdb_site *sites, size_t count, uint32_t depth, struct arena *arena,
	  struct pdb_body *body)
{
	size_t all = 0, used = 0;

	for (size_t i = 0; i < count; i++)
		all += sites[i].depth == depth ? sites[i].row_count : 0;
	struct pdb_row *rows = arena_array(arena, all + 1, sizeof(*rows));
	if (rows == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (sites[i].depth != depth)
			continue;
		const struct pdb_row *around = row_around(body, &body->calls[i]);

		if (around != NULL) {
			body->calls[i].line = around->line;
			body->calls[i].file = around->file;
		}
		for (size_t j = 0; j < sites[i].row_count; j++)
			rows[used++] = sites[i].rows[j];
	}
	if (used > 0)
		qsort(rows, used, sizeof(*rows), compare_rows);
	return overlay(body, rows, settle(rows, used), arena);
}

bool
pdb_body_read(const struct pdb_module *module, const struct pdb_procedure *procedure, bool calls,
	      struct arena *arena, struct pdb_body *body)
{
	struct arena scratch = { 0 };
	struct pdb_site *sites;
	size_t count = 0;
	uint32_t deepest = 0;

	*body = (struct pdb_body){ 0 };
	bool good = pdb_rows(module, procedure, arena, &body->rows, &body->row_count);
	body->row_count = settle(body->rows, body->row_count);
	if (!good || !calls || procedure->part)
		return good;
	good = pdb_sites(module, procedure, arena, &sites, &count);
	body->calls = arena_array(arena, count + 1, sizeof(*body->calls));
	for (size_t i = 0; good && body->calls != NULL && i < count; i++) {
		struct pdb_call *call = &body->calls[i];

		*call = (struct pdb_call){ .id = sites[i].id, .depth = sites[i].depth,
					   .file = UINT32_MAX, .offset = sites[i].offset };
		good = add_ranges(sites, count, i, &scratch, arena, call);
		deepest = call->depth > deepest ? call->depth : deepest;
		body->call_count++;
	}
	for (uint32_t depth = 0; good && body->call_count > 0 && depth <= deepest; depth++)
		good = add_depth(sites, count, depth, arena, body);
	arena_free(&scratch);
	return good && body->calls != NULL;
}
