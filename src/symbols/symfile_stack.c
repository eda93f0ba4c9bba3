/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include "symbols/records.h"

bool
symfile_stack_win(const struct symfile *symfile, const struct symbols_policy *policy,
		  unsigned type, uint64_t address, struct stack_win *record)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	if (type >= STACK_WIN_TYPES)
		return false;
	uint32_t row = segments_find(&view->win[type], address);
	if (row == SPAN_NONE)
		return false;
	uint64_t where = symfile->win[type].rows[row].where;
	if (!record_stack_win(symfile_text(symfile, where), record))
		return false;
	record->offset = where_offset(where);
	record->length = where_length(where);
	return true;
}

static bool
fill_cfi(const struct symfile *symfile, uint64_t where, struct stack_cfi *cfi)
{
	if (!record_stack_cfi(symfile_text(symfile, where), cfi))
		return false;
	cfi->offset = where_offset(where);
	cfi->length = where_length(where);
	return true;
}

/* The deltas from the start of the INIT record to the address, whatever INIT they follow. */
static bool
fill_deltas(const struct symfile *symfile, const struct symfile_view *view, uint64_t start,
	    uint64_t address, struct arena *arena, struct stack_cfi **deltas, size_t *count)
{
	size_t from = start == 0 ? 0 : point_rank(&symfile->deltas, &view->deltas, start - 1);
	size_t to = point_rank(&symfile->deltas, &view->deltas, address);

	if (from == to)
		return true;
	*deltas = arena_array(arena, to - from, sizeof(**deltas));
	if (*deltas == NULL)
		return false;
	for (size_t rank = from; rank < to; rank++) {
		uint32_t row = point_row(&view->deltas, rank);

		if (fill_cfi(symfile, symfile->deltas.rows[row].where, &(*deltas)[*count]))
			(*count)++;
	}
	return true;
}

bool
symfile_stack_cfi(const struct symfile *symfile, const struct symbols_policy *policy,
		  uint64_t address, struct arena *arena, struct stack_cfi *init,
		  struct stack_cfi **deltas, size_t *delta_count)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = range_find(&symfile->inits, &view->inits, address);

	*deltas = NULL;
	*delta_count = 0;
	return row != SPAN_NONE && fill_cfi(symfile, symfile->inits.rows[row].where, init) &&
	       fill_deltas(symfile, view, init->address, address, arena, deltas, delta_count);
}

static void
offer(uint64_t address, uint64_t candidate, uint64_t *change)
{
	if (candidate > address && candidate < *change)
		*change = candidate;
}

bool
symfile_stack_cfi_change(const struct symfile *symfile, const struct symbols_policy *policy,
			 uint64_t address, uint64_t *change)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	const uint32_t here = range_below(&symfile->inits, &view->inits, address);
	const uint32_t next = range_above(&symfile->inits, &view->inits, address);
	const size_t rank = point_rank(&symfile->deltas, &view->deltas, address);

	*change = UINT64_MAX;
	if (here != SPAN_NONE) {
		const struct range_row *row = &symfile->inits.rows[here];

		offer(address, row->address + row->size, change);
	}
	if (next != SPAN_NONE)
		offer(address, symfile->inits.rows[next].address, change);
	if (rank < view->deltas.count)
		offer(address, symfile->deltas.rows[point_row(&view->deltas, rank)].address,
		      change);
	return *change != UINT64_MAX;
}
