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
	if (row >= symfile->tables[TABLE_WIN + type].count)
		return false;
	uint64_t where = row_where(symfile, (enum table_kind)(TABLE_WIN + type), row);
	if (!record_stack_win(symfile_text(symfile, where), record))
		return false;
	record->offset = where_offset(where);
	record->length = where_length(where);
	return true;
}

bool
symfile_stack_win_change(const struct symfile *symfile, const struct symbols_policy *policy,
			 unsigned type, uint64_t address, uint64_t *change)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	return type < STACK_WIN_TYPES && segments_above(&view->win[type], address, change);
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

/* What deltas to look for, and where they go. */
struct delta_list {
	const struct symfile *symfile;
	const struct symfile_view *view;
	struct arena *arena;
	struct stack_cfi **deltas;
	size_t *count, capacity;
	bool failed;
};

static void
add_delta(struct delta_list *list, const struct stack_cfi *delta)
{
	struct stack_cfi *larger = arena_grow(list->arena, *list->deltas, *list->count,
					      &list->capacity, sizeof(*larger));

	list->failed = larger == NULL;
	if (larger == NULL)
		return;
	*list->deltas = larger;
	larger[(*list->count)++] = *delta;
}

/* The deltas from the start of the INIT record to the address, whatever INIT they follow. */
static void
find_scattered(struct delta_list *list, uint64_t start, uint64_t address)
{
	const struct table *deltas = &list->symfile->tables[TABLE_DELTA];
	const struct point_index *index = &list->view->deltas;
	size_t from = start == 0 ? 0 : point_rank(deltas, index, start - 1);
	size_t to = point_rank(deltas, index, address);

	for (size_t rank = from; !list->failed && rank < to; rank++) {
		const uint64_t where =
			row_where(list->symfile, TABLE_DELTA, point_row(index, rank));
		struct stack_cfi delta;

		if (fill_cfi(list->symfile, where, &delta))
			add_delta(list, &delta);
	}
}

/* Whether the next line is a delta of the run. */
static bool
next_delta(const struct symfile *symfile, const struct symfile_view *view,
	   struct line_finder *finder, struct stack_cfi *delta)
{
	uint64_t start, length;

	return line_next(finder, &start, &length) && start < view->end &&
	       fill_cfi(symfile, where_of(start, length), delta) && !delta->init;
}

/* Where the lines behind an INIT record begin. */
static struct line_finder
behind_init(const struct symfile *symfile, uint64_t offset)
{
	struct line_finder finder = line_finder_at(symfile, offset);
	uint64_t start, length;

	line_next(&finder, &start, &length);
	return finder;
}

/* The same where they follow the INIT record in ascending order. */
static void
find_following(struct delta_list *list, uint64_t offset, uint64_t address)
{
	struct line_finder finder = behind_init(list->symfile, offset);
	struct stack_cfi delta;

	while (!list->failed && next_delta(list->symfile, list->view, &finder, &delta) &&
	       delta.address <= address)
		add_delta(list, &delta);
}

bool
symfile_stack_cfi(const struct symfile *symfile, const struct symbols_policy *policy,
		  uint64_t address, struct arena *arena, struct stack_cfi *init,
		  struct stack_cfi **deltas, size_t *delta_count)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = range_find(&symfile->tables[TABLE_INIT], &view->inits, address);

	*deltas = NULL;
	*delta_count = 0;
	struct delta_list list = { .symfile = symfile, .view = view, .arena = arena,
				   .deltas = deltas, .count = delta_count };
	if (row == SPAN_NONE || !fill_cfi(symfile, row_where(symfile, TABLE_INIT, row), init))
		return false;
	if (symfile->scattered)
		find_scattered(&list, init->address, address);
	else
		find_following(&list, init->offset, address);
	return !list.failed;
}

/* The first delta of the run of the INIT record in `row` that is above `address`. */
static uint64_t
following_above(const struct symfile *symfile, const struct symfile_view *view, uint32_t row,
		uint64_t address)
{
	struct line_finder finder =
		behind_init(symfile, table_offset(&symfile->tables[TABLE_INIT], row));
	struct stack_cfi delta;

	while (next_delta(symfile, view, &finder, &delta))
		if (delta.address > address)
			return delta.address;
	return UINT64_MAX;
}

static uint64_t
scattered_above(const struct symfile *symfile, const struct symfile_view *view, uint64_t address)
{
	const struct table *deltas = &symfile->tables[TABLE_DELTA];
	const size_t rank = point_rank(deltas, &view->deltas, address);

	return rank < view->deltas.count ? table_address(deltas, point_row(&view->deltas, rank))
					 : UINT64_MAX;
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
	const uint32_t here = range_below(&symfile->tables[TABLE_INIT], &view->inits, address);
	const uint32_t next = range_above(&symfile->tables[TABLE_INIT], &view->inits, address);

	*change = UINT64_MAX;
	if (here != SPAN_NONE) {
		offer(address, row_address(symfile, TABLE_INIT, here) +
			       row_size(symfile, TABLE_INIT, here), change);
		if (!symfile->scattered)
			offer(address, following_above(symfile, view, here, address), change);
	}
	if (next != SPAN_NONE)
		offer(address, row_address(symfile, TABLE_INIT, next), change);
	if (symfile->scattered)
		offer(address, scattered_above(symfile, view, address), change);
	return *change != UINT64_MAX;
}
