/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <stdlib.h>

#include "symbols/records.h"

bool
symfile_stack_win(const struct symfile *symfile, const struct policy *policy,
		  unsigned type, uint64_t address, struct stack_win *record)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	if (type >= STACK_WIN_TYPES)
		return false;
	uint32_t row = segments_find(&view->win[type], address);
	if (row >= symfile->tables[TABLE_WIN + type].count)
		return false;
	uint64_t where = row_where(symfile, (enum table_kind)(TABLE_WIN + type), row);
	if (!record_stack_win(symfile_text(symfile, where), symfile->strict, record))
		return false;
	where = symfile_told(symfile, where);
	record->offset = where_offset(where);
	record->length = where_length(where);
	return true;
}

bool
symfile_stack_win_change(const struct symfile *symfile, const struct policy *policy,
			 unsigned type, uint64_t address, uint64_t *change)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	return type < STACK_WIN_TYPES && segments_above(&view->win[type], address, change);
}

static bool
fill_cfi(const struct symfile *symfile, uint64_t where, struct stack_cfi *cfi)
{
	if (!record_stack_cfi(symfile_text(symfile, where), symfile->strict, cfi))
		return false;
	where = symfile_told(symfile, where);
	cfi->offset = where_offset(where);
	cfi->length = where_length(where);
	return true;
}

/* Whether the next line is a delta of the run. */
static bool
next_delta(const struct symfile *symfile, const struct symfile_view *view,
	   struct line_finder *finder, struct stack_cfi *delta)
{
	uint64_t start, length;
	bool found;

	/* In a strict reading a line may end with several carriage returns. */
	do
		found = line_next(finder, &start, &length);
	while (found && ((length == 0 && symfile->strict) || symfile_left_out(symfile, start)));
	return found && symfile_origin(symfile, start) < view->end &&
	       fill_cfi(symfile, where_of(start, length), delta) && !delta->init;
}

static struct line_finder
behind_init(const struct symfile *symfile, uint64_t offset)
{
	struct line_finder finder = line_finder_at(symfile, offset);
	uint64_t start, length;

	line_next(&finder, &start, &length);
	return finder;
}

/* rust-minidump sorts deltas by address and text, and uses all deltas of an address. */
static int
compare_deltas(const void *left, const void *right)
{
	const struct stack_cfi *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return text_order(a->rules, b->rules);
}

bool
symfile_stack_cfi_init(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       struct stack_cfi *init)
{
	const uint32_t row =
		rows_covering(symfile, symfile_view(symfile, policy), TABLE_INIT, address);

	return row != SPAN_NONE && fill_cfi(symfile, row_where(symfile, TABLE_INIT, row), init);
}

struct stack_cfi_reader {
	const struct symfile *symfile;
	const struct symfile_view *view;
	uint64_t last;
	struct line_finder finder;
	size_t rank, to;		/* rows of deltas, if the records are scattered */
	uint64_t read;			/* bytes of these rows */
	struct stack_cfi_records sorted;	/* deltas of a strict reading */
	size_t at;
};

/* Find the INIT record that covers an address, and its deltas up to `last`. */
static bool
find_deltas(struct stack_cfi_reader *reader, const struct symfile *symfile,
	    const struct policy *policy, uint64_t address, uint64_t last, struct stack_cfi *init)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	const uint32_t row = rows_covering(symfile, view, TABLE_INIT, address);

	*reader = (struct stack_cfi_reader){ .symfile = symfile, .view = view, .last = last };
	if (row == SPAN_NONE || !fill_cfi(symfile, row_where(symfile, TABLE_INIT, row), init))
		return false;
	if (!symfile->found.scattered) {
		reader->finder =
			behind_init(symfile, table_offset(&symfile->tables[TABLE_INIT], row));
		return true;
	}
	/* Deltas from the INIT record's start to the address, even those of other INIT records. */
	if (init->address > 0)
		reader->rank = rows_rank(symfile, view, TABLE_DELTA, init->address - 1);
	reader->to = rows_rank(symfile, view, TABLE_DELTA, last);
	return true;
}

/* The next delta in the order of the file; false: the last one was read. */
static bool
read_delta(struct stack_cfi_reader *reader, struct stack_cfi *delta)
{
	const struct symfile *symfile = reader->symfile;

	while (!symfile->found.scattered &&
	       next_delta(symfile, reader->view, &reader->finder, delta))
		if (delta->address <= reader->last || !symfile->strict)
			return delta->address <= reader->last;
	while (reader->rank < reader->to) {
		const uint32_t row = rows_at(symfile, reader->view, TABLE_DELTA, reader->rank++);
		const uint64_t where = row_where(symfile, TABLE_DELTA, row);

		reader->read += where_length(where);
		/* In a forged index file several rows may share a record. */
		if (reader->read > symfile->found.size)
			return false;
		if (fill_cfi(symfile, where, delta))
			return true;
	}
	return false;
}

bool
symfile_stack_cfi(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		  struct arena *arena, struct stack_cfi_records *records)
{
	struct stack_cfi_reader reader;
	struct stack_cfi delta;
	size_t capacity = 0;

	*records = (struct stack_cfi_records){ 0 };
	if (!find_deltas(&reader, symfile, policy, address, address, &records->init))
		return false;
	const uint64_t begin = reader.finder.next;
	while (read_delta(&reader, &delta))
		if (!ARENA_ADD(arena, records->deltas, records->delta_count, capacity, &delta))
			return false;
	records->read = reader.read + (reader.finder.next - begin);
	if (symfile->strict && !symfile->found.scattered && records->delta_count > 1)
		qsort(records->deltas, records->delta_count, sizeof(delta), compare_deltas);
	return true;
}

struct stack_cfi_reader *
symfile_stack_cfi_open(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       uint64_t last, struct arena *arena, struct stack_cfi *init)
{
	struct stack_cfi_reader *reader = arena_alloc(arena, sizeof(*reader));

	if (reader == NULL || !find_deltas(reader, symfile, policy, address, last, init) ||
	    (symfile->strict && !symfile_stack_cfi(symfile, policy, last, arena, &reader->sorted)))
		return NULL;
	return reader;
}

bool
symfile_stack_cfi_next(struct stack_cfi_reader *reader, struct stack_cfi *delta)
{
	if (!reader->symfile->strict)
		return read_delta(reader, delta);
	if (reader->at == reader->sorted.delta_count)
		return false;
	*delta = reader->sorted.deltas[reader->at++];
	return true;
}

bool
symfile_stack_cfi_from(const struct symfile *symfile, const struct policy *policy, uint64_t address,
		       struct arena *arena, struct stack_cfi_records *records)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	uint32_t row = rows_covering(symfile, view, TABLE_INIT, address);

	if (row == SPAN_NONE) {
		const size_t rank = rows_rank(symfile, view, TABLE_INIT, address);

		if (rank >= view->rows[TABLE_INIT].count)
			return false;
		row = rows_at(symfile, view, TABLE_INIT, rank);
	}
	const uint64_t last = row_address(symfile, TABLE_INIT, row) +
			      (row_size(symfile, TABLE_INIT, row) - 1);
	return symfile_stack_cfi(symfile, policy, last, arena, records);
}

bool
symfile_inits_plain(const struct symfile *symfile, const struct policy *policy,
		    struct symfile_inits *inits)
{
	const struct symfile_view *view = symfile_view(symfile, policy);

	*inits = (struct symfile_inits){ symfile, symfile->data, symfile->found.size,
					 view->rows[TABLE_INIT].count };
	return view == &symfile->whole && symfile->base == NULL && !symfile->found.scattered;
}

void
symfile_inits_at(const struct symfile_inits *inits, size_t n, uint64_t *address, uint64_t *size,
		 uint64_t *offset)
{
	const struct symfile *symfile = inits->symfile;
	const uint32_t row = rows_at(symfile, &symfile->whole, TABLE_INIT, n);

	*address = row_address(symfile, TABLE_INIT, row);
	*size = row_size(symfile, TABLE_INIT, row);
	*offset = table_offset(&symfile->tables[TABLE_INIT], row);
}

bool
symfile_stack_cfi_extent(const struct symfile *symfile, const struct policy *policy,
			 uint64_t address, uint64_t *first)
{
	const uint32_t row =
		rows_below(symfile, symfile_view(symfile, policy), TABLE_INIT, address);

	*first = 0;
	if (row == SPAN_NONE)
		return false;
	const uint64_t start = row_address(symfile, TABLE_INIT, row);
	const uint64_t size = row_size(symfile, TABLE_INIT, row);
	*first = address - start < size ? start : start + size;
	return address - start < size;
}

static void
offer(uint64_t address, uint64_t candidate, uint64_t *change)
{
	if (candidate > address && candidate < *change)
		*change = candidate;
}

/* Report the first row at a higher address, if any. */
static void
offer_above(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	    uint64_t address, uint64_t *change)
{
	const size_t rank = rows_rank(symfile, view, table, address);

	if (rank < view->rows[table].count)
		offer(address, row_address(symfile, table, rows_at(symfile, view, table, rank)),
		      change);
}

bool
symfile_stack_cfi_change(const struct symfile *symfile, const struct policy *policy,
			 uint64_t address, uint64_t *change)
{
	const struct symfile_view *view = symfile_view(symfile, policy);
	const uint32_t here = rows_below(symfile, view, TABLE_INIT, address);

	*change = UINT64_MAX;
	if (here != SPAN_NONE)
		offer(address, row_address(symfile, TABLE_INIT, here) +
			       row_size(symfile, TABLE_INIT, here), change);
	if (here != SPAN_NONE && !symfile->found.scattered) {
		struct line_finder finder =
			behind_init(symfile, table_offset(&symfile->tables[TABLE_INIT], here));
		struct stack_cfi delta = { 0 };

		while ((symfile->strict || delta.address <= address) &&
		       next_delta(symfile, view, &finder, &delta))
			offer(address, delta.address, change);
	}
	offer_above(symfile, view, TABLE_INIT, address, change);
	offer_above(symfile, view, TABLE_DELTA, address, change);
	return *change != UINT64_MAX;
}
