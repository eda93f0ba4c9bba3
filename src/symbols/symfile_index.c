/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "symbols/records.h"

/*
 * Selects and orders the rows that lookups find. The order of the file decides between duplicates;
 * a table that is already in order is not sorted.
 */

struct build {
	struct symfile *symfile;
	struct symfile_view *view;
	bool report;			/* report messages: only the first time */
	uint64_t *repeats;		/* offsets of PUBLIC records that repeat an address */
	size_t repeat_count;
};

struct range_build {
	struct build *build;
	enum table_kind table;
	const char *what;
};

static uint32_t
line_of(const struct symfile *symfile, uint64_t where)
{
	return symfile_place(symfile, where_offset(where), where_length(where)).line;
}

static void
refuse(void *context, uint32_t refused, uint32_t stored)
{
	const struct range_build *range = context;
	struct symfile *symfile = range->build->symfile;
	struct symfile_view *view = range->build->view;
	const uint64_t address = row_address(symfile, range->table, refused);
	const uint64_t size = row_size(symfile, range->table, refused);
	const uint64_t other = row_address(symfile, range->table, stored);
	const uint64_t other_size = row_size(symfile, range->table, stored);
	uint32_t line = 0;

	if (range->table == TABLE_FUNC)
		span_of(address, size, refused, &view->dropped[view->dropped_count++]);
	if (!range->build->report)
		return;
	if (symfile->messages.seen[MESSAGE_SYMBOL_OVERLAP] < LIMIT_MESSAGES_PER_KIND)
		line = line_of(symfile, row_where(symfile, range->table, stored));
	symfile_report(symfile, MESSAGE_SYMBOL_OVERLAP, row_where(symfile, range->table, refused),
		       "%s %#" PRIx64 "+%#" PRIx64 " %s %#" PRIx64 "+%#" PRIx64 " of line %" PRIu32
		       "\nskipped, the first in the file is used",
		       range->what, address, size,
		       address == other && size == other_size ? "repeats" : "overlaps", other,
		       other_size, line);
}

/* The spans of the first `count` rows, except rows without a span. NULL when out of memory. */
static struct span *
spans_of(const struct range_build *range, size_t count, size_t *span_count)
{
	struct symfile *symfile = range->build->symfile;
	struct span *spans = malloc((count + 1) * sizeof(*spans));

	*span_count = 0;
	for (size_t row = 0; spans != NULL && row < count; row++) {
		const uint64_t address = row_address(symfile, range->table, row);
		const uint64_t size = row_size(symfile, range->table, row);

		if (span_of(address, size, (uint32_t)row, &spans[*span_count]))
			(*span_count)++;
		else if (range->build->report)
			symfile_report(symfile, MESSAGE_SYMBOL_EMPTY,
				       row_where(symfile, range->table, row),
				       "%s %#" PRIx64 "+%#" PRIx64 " %s\nleft out", range->what,
				       address, size,
				       size == 0 ? "is empty" : "ends past the last address");
	}
	return spans;
}

/* The end of the run that begins at `start`. Addresses ascend within a run. */
static size_t
end_of_run(const struct table *table, const uint32_t *rows, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && table_address(table, rows[end]) >=
				      table_address(table, rows[end - 1]))
		end++;
	return end;
}

/* Merge neighbouring runs in pairs; false if there is only one run. */
static bool
merge_pass(const struct table *table, const uint32_t *from, uint32_t *to, size_t count)
{
	for (size_t out = 0; out < count;) {
		const size_t middle = end_of_run(table, from, out, count);
		const size_t end = middle == count ? count
						   : end_of_run(table, from, middle, count);
		size_t left = out, right = middle;

		if (out == 0 && middle == count)
			return false;
		while (out < end) {
			const bool take_right =
				left == middle ||
				(right < end && table_address(table, from[right]) <
							table_address(table, from[left]));

			to[out++] = take_right ? from[right++] : from[left++];
		}
	}
	return true;
}

/*
 * The first `count` rows, sorted by address and then by row; NULL when out of memory. Rows are
 * sorted, not spans, because spans of a 1 GB file would take most of the memory of a walk.
 */
static uint32_t *
sorted_rows(const struct table *table, size_t count)
{
	uint32_t *rows = malloc((count + 1) * sizeof(*rows));
	uint32_t *other = malloc((count + 1) * sizeof(*other));
	const bool fits = rows != NULL && other != NULL;

	for (size_t row = 0; fits && row < count; row++)
		rows[row] = (uint32_t)row;
	while (fits && merge_pass(table, rows, other, count)) {
		uint32_t *merged = other;

		other = rows;
		rows = merged;
	}
	free(other);
	if (!fits) {
		free(rows);
		rows = NULL;
	}
	return rows;
}

/* Whether no row is empty and no two overlap. `order`: rows by address; NULL: table order. */
static bool
ranges_apart(const struct table *table, const uint32_t *order, size_t count)
{
	uint64_t next = 0;

	for (size_t rank = 0; rank < count; rank++) {
		const size_t row = order != NULL ? order[rank] : rank;
		const uint64_t address = table_address(table, row);
		struct span span;

		if (address < next || (next == 0 && rank > 0) ||
		    !span_of(address, table_size(table, row), 0, &span))
			return false;
		next = span.last + 1;
	}
	return true;
}

bool
symfile_view_finish(struct symfile_view *view)
{
	const size_t count = view->dropped_count;

	if (count == 0)
		return true;
	view->dropped_lasts = malloc(count * sizeof(*view->dropped_lasts));
	if (view->dropped_lasts == NULL)
		return false;
	span_sort(view->dropped, count);
	for (size_t rank = 0; rank < count; rank++)
		view->dropped_lasts[rank] = view->dropped[rank].last;
	if (!peaks_create(&view->dropped_peaks, view->dropped_lasts, count))
		return false;
	for (size_t rank = 0; rank < count; rank++)
		peaks_add(&view->dropped_peaks, (uint32_t)rank);
	return true;
}

/* Index ranges that must not overlap. */
static bool
index_ranges(struct build *build, enum table_kind kind, const char *what)
{
	struct range_build range = { .build = build, .table = kind, .what = what };
	struct symfile_view *view = build->view;
	struct row_index *index = &view->rows[kind];
	const struct table *table = &build->symfile->tables[kind];
	size_t rows = symfile_rows_before(build->symfile, kind, view->end), count;

	index->count = rows;
	if (ranges_apart(table, NULL, rows))
		return true;
	index->order = sorted_rows(table, rows);
	if (index->order == NULL || ranges_apart(table, index->order, rows))
		return index->order != NULL;
	struct span *spans = spans_of(&range, rows, &count);
	if (kind == TABLE_FUNC)
		view->dropped = malloc((count + 1) * sizeof(*view->dropped));
	const bool fits = spans != NULL && (kind != TABLE_FUNC || view->dropped != NULL) &&
			  containment_select(spans, &count, build->symfile->strict
								    ? CONTAINMENT_BY_START
								    : CONTAINMENT_EXCLUSIVE,
					     refuse, &range);
	index->count = fits ? count : 0;
	for (size_t rank = 0; rank < index->count; rank++)
		index->order[rank] = spans[rank].index;
	free(spans);
	return fits && (kind != TABLE_FUNC || symfile_view_finish(view));
}

static void
report_repeat(struct build *build, enum table_kind kind, uint32_t loser, uint32_t winner,
	      const char *what)
{
	struct symfile *symfile = build->symfile;
	uint32_t line = 0;

	if (!build->report)
		return;
	if (symfile->messages.seen[MESSAGE_SYMBOL_SHADOWED] < LIMIT_MESSAGES_PER_KIND)
		line = line_of(symfile, row_where(symfile, kind, winner));
	symfile_report(symfile, MESSAGE_SYMBOL_SHADOWED, row_where(symfile, kind, loser),
		       "%s is on line %" PRIu32 "\nskipped, the %s in the file is used", what, line,
		       loser < winner ? "last" : "first");
	if (build->repeats != NULL && row_address(symfile, kind, loser) != 0)
		build->repeats[build->repeat_count++] =
			table_offset(&symfile->tables[kind], loser);
}

/* Whether the later of two records with the same address or number is used. */
static bool
is_later_better(const struct symfile *symfile, enum table_kind kind, uint32_t later, uint32_t row)
{
	struct function a = { 0 }, b = { 0 };

	if (!symfile->strict || kind != TABLE_PUBLIC)
		return symfile->strict || kind == TABLE_DELTA;
	/* rust-minidump sorts such records by name and parameter size. */
	record_function(symfile_text(symfile, row_where(symfile, kind, later)), true, &a);
	record_function(symfile_text(symfile, row_where(symfile, kind, row)), true, &b);
	const int order = text_order(a.name, b.name);
	return order > 0 || (order == 0 && a.parameter_size > b.parameter_size);
}

/* Index one row for each address or number. is_later_better() decides between duplicates. */
static bool
index_points(struct build *build, enum table_kind kind, const char *what)
{
	const struct table *table = &build->symfile->tables[kind];
	struct row_index *index = &build->view->rows[kind];
	const size_t count = symfile_rows_before(build->symfile, kind, build->view->end);
	size_t sorted = count > 0;

	while (sorted < count && table_address(table, sorted) > table_address(table, sorted - 1))
		sorted++;
	index->count = sorted;
	if (sorted == count)
		return true;
	index->order = sorted_rows(table, count);
	const bool fits = index->order != NULL;
	index->count = 0;
	for (size_t rank = 0; fits && rank < count; rank++) {
		uint32_t *last = &index->order[index->count - (index->count > 0)];
		uint32_t row = index->order[rank], loser = row;

		if (index->count == 0 ||
		    table_address(table, *last) != table_address(table, row)) {
			index->order[index->count++] = row;
			continue;
		}
		if (is_later_better(build->symfile, kind, row, *last)) {
			loser = *last;
			*last = row;
		}
		report_repeat(build, kind, loser, *last, what);
	}
	return fits;
}

/*
 * Compute STACK WIN ranges as rust-minidump does. A record that begins inside the previous record
 * ends the previous record. Of other overlapping records, only an equal one is kept.
 */
static bool
index_win_strict(const struct range_build *range, struct segments *segments)
{
	size_t count, left = 0;
	struct span *spans =
		spans_of(range, range->build->symfile->tables[range->table].count, &count);

	for (size_t i = 0; spans != NULL && i < count; i++) {
		struct span *last = &spans[left - (left > 0)];
		const struct span span = spans[i];
		const bool meets = left > 0 && last->first <= span.last && span.first <= last->last;

		if (meets && span.first > last->first)
			last->last = span.first - 1;
		else if (meets && (span.first != last->first || span.last != last->last))
			continue;
		spans[left++] = span;
	}
	const bool fits = spans != NULL &&
			  containment_select(spans, &left, CONTAINMENT_BY_START, NULL, NULL) &&
			  segments_build(segments, spans, left);

	free(spans);
	return fits;
}

static bool
index_win(struct build *build, enum table_kind kind, const char *what)
{
	struct range_build range = { .build = build, .table = kind, .what = what };
	struct segments *segments = &build->view->win[kind - TABLE_WIN];
	const struct symfile *symfile = build->symfile;
	size_t count;

	if (symfile->strict)
		return index_win_strict(&range, segments);
	struct span *spans = spans_of(
		&range, symfile_rows_before(symfile, kind, build->view->end), &count);
	const bool fits = spans != NULL &&
			  containment_select(spans, &count, CONTAINMENT_NESTED, refuse, &range) &&
			  segments_build(segments, spans, count);

	free(spans);
	return fits;
}

static const struct {
	bool (*index)(struct build *build, enum table_kind kind, const char *what);
	const char *what;	/* name of its records, for messages */
} indexes[TABLE_COUNT] = {
	[TABLE_FUNC] = { index_ranges, "FUNC" },
	[TABLE_INIT] = { index_ranges, "STACK CFI INIT" },
	[TABLE_WIN] = { index_win, "STACK WIN" },
	[TABLE_WIN + 1] = { index_win, "STACK WIN" },
	[TABLE_WIN + 2] = { index_win, "STACK WIN" },
	[TABLE_WIN + 3] = { index_win, "STACK WIN" },
	[TABLE_WIN_LAST] = { index_win, "STACK WIN" },
	[TABLE_PUBLIC] = { index_points, "another PUBLIC for this address" },
	[TABLE_FILE] = { index_points, "another FILE with this number" },
	[TABLE_ORIGIN] = { index_points, "another INLINE_ORIGIN with this number" },
	[TABLE_DELTA] = { index_points, "another STACK CFI for this address" },
};

static bool
index_table(struct build *build, enum table_kind kind)
{
	return indexes[kind].index == NULL ||
	       indexes[kind].index(build, kind, indexes[kind].what);
}

static bool
build_view(struct build *build)
{
	struct symfile_view *view = build->view;
	struct symfile *symfile = build->symfile;
	struct symfile_found *found = &symfile->found;
	struct table *deltas = &symfile->tables[TABLE_DELTA];
	bool fits = index_table(build, TABLE_FUNC) && index_table(build, TABLE_INIT);

	if (fits && build->report) {
		/* Deltas of a refused INIT record are used too. */
		found->scattered |= view->rows[TABLE_INIT].count <
				    symfile->tables[TABLE_INIT].count;
		found->scattered &= found->delta_count != 0;
		fits = !found->scattered || symfile_scan_deltas(symfile, 0, deltas);
		table_trim(deltas);
	}
	fits = fits && index_table(build, TABLE_DELTA) && index_table(build, TABLE_FILE) &&
	       index_table(build, TABLE_ORIGIN);
	for (unsigned kind = TABLE_WIN; fits && kind <= TABLE_WIN_LAST; kind++)
		fits = index_table(build, (enum table_kind)kind);
	return fits;
}

bool
symfile_index_table(struct symfile *symfile, enum table_kind table)
{
	struct build whole = { .symfile = symfile, .view = &symfile->whole };
	struct build part = { .symfile = symfile, .view = &symfile->part };

	return index_table(&whole, table) && (!symfile->found.stops || index_table(&part, table));
}

SORTED_VALUES(compare_offsets, uint64_t)

/* The start of the line with the first byte 0xff, where Breakpad stops reading a file. */
static uint64_t
start_of_cut_line(const struct symfile *symfile)
{
	if (symfile->found.first_ff == symfile->found.size)
		return symfile->found.size;
	return symfile_line_start(symfile, symfile->found.first_ff);
}

/* Find where Breakpad stops: at a line with 0xff, or at the 101st bad record or repeated PUBLIC. */
static uint64_t
find_end(struct build *build)
{
	struct symfile *symfile = build->symfile;
	uint64_t end = start_of_cut_line(symfile);
	size_t bad = 0, repeat = 0, errors = 0;

	SORT(build->repeats, build->repeat_count, compare_offsets);
	while (bad < symfile->bad_count || repeat < build->repeat_count) {
		bool take_repeat = bad == symfile->bad_count ||
				   (repeat < build->repeat_count &&
				    build->repeats[repeat] < symfile->bad[bad]);
		uint64_t offset = take_repeat ? build->repeats[repeat++] : symfile->bad[bad++];

		if (offset >= end)
			break;
		symfile->found.corrupt = true;
		if (++errors > LIMIT_SYMBOL_ERRORS)
			return offset;
	}
	return end;
}

bool
symfile_index(struct symfile *symfile)
{
	struct build whole = { .symfile = symfile, .view = &symfile->whole, .report = true };
	struct build part = { .symfile = symfile, .view = &symfile->part };
	const uint64_t size = symfile->found.size;

	/* Publics come first, because repeated ones affect where Breakpad stops. */
	symfile->whole.end = size;
	if (symfile->strict) {
		whole.report = false;
		return index_table(&whole, TABLE_PUBLIC) && build_view(&whole);
	}
	whole.repeats = malloc((symfile->tables[TABLE_PUBLIC].count + 1) * sizeof(*whole.repeats));
	const bool fits = whole.repeats != NULL &&
			  index_table(&whole, TABLE_PUBLIC);
	const uint64_t end = fits ? find_end(&whole) : 0;
	symfile->part.end = end;
	free(whole.repeats);
	whole.repeats = NULL;
	if (!fits || !build_view(&whole))
		return false;
	if (end >= size)
		return true;
	symfile->found.stops = true;
	symfile_report(symfile, MESSAGE_SYMBOL_STOP, where_of(end, 0),
		       "breakpad stops reading here, at %s",
		       end == start_of_cut_line(symfile) ? "a byte 0xff" : "its 101st bad record");
	return index_table(&part, TABLE_PUBLIC) && build_view(&part);
}

void
symfile_view_free(struct symfile_view *view)
{
	free(view->dropped_lasts);
	peaks_free(&view->dropped_peaks);
	if (!(view->borrowed & 1u << TABLE_FUNC))
		free(view->dropped);
	for (size_t table = 0; table < TABLE_COUNT; table++) {
		if (view->borrowed & 1u << table)
			continue;
		free(view->rows[table].order);
		if (table >= TABLE_WIN && table <= TABLE_WIN_LAST)
			segments_free(&view->win[table - TABLE_WIN]);
	}
	*view = (struct symfile_view){ .end = 0 };
}

uint32_t
rows_at(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	size_t rank)
{
	const uint32_t *order = view->rows[table].order;
	const uint32_t row = order != NULL ? order[rank] : (uint32_t)rank;

	/* Checksums do not protect against a forged index file. */
	return row < symfile->tables[table].count ? row : 0;
}

size_t
rows_rank(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	  uint64_t address)
{
	size_t at;

	BISECT(at, view->rows[table].count,
	       row_address(symfile, table, rows_at(symfile, view, table, at)) <= address);
	return at;
}

uint32_t
rows_below(const struct symfile *symfile, const struct symfile_view *view, enum table_kind table,
	   uint64_t address)
{
	const size_t rank = rows_rank(symfile, view, table, address);

	return rank == 0 ? SPAN_NONE : rows_at(symfile, view, table, rank - 1);
}

uint32_t
rows_covering(const struct symfile *symfile, const struct symfile_view *view,
	      enum table_kind table, uint64_t address)
{
	const uint32_t row = rows_below(symfile, view, table, address);

	return row != SPAN_NONE && address - row_address(symfile, table, row) <
					   row_size(symfile, table, row) ? row : SPAN_NONE;
}

uint32_t
rows_numbered(const struct symfile *symfile, const struct symfile_view *view,
	      enum table_kind table, uint64_t number)
{
	const size_t count = view->rows[table].count;
	uint32_t row = count == 0 ? 0 : rows_at(symfile, view, table, 0);
	const uint64_t first = count == 0 ? 0 : row_address(symfile, table, row);

	/* Writers number without gaps from 0 or 1, so the row is probably at this index. */
	if (number >= first && number - first < count) {
		row = rows_at(symfile, view, table, (size_t)(number - first));
		if (row_address(symfile, table, row) == number)
			return row;
	}
	row = rows_below(symfile, view, table, number);
	return row != SPAN_NONE && row_address(symfile, table, row) == number ? row : SPAN_NONE;
}

size_t
symfile_dropped_around(const struct symfile_view *view, uint64_t address,
		       uint32_t rows[SHADOWED_MAX])
{
	struct {
		size_t low, high;
	} parts[SHADOWED_MAX + 1];	/* ranges still to be searched; each row found adds one */
	size_t depth = 0, count = 0;

	if (view->dropped_count == 0)
		return 0;
	parts[depth].low = 0;
	parts[depth++].high = sorted_upto(SORTED(view->dropped, view->dropped_count, first),
					  address);
	while (depth > 0 && count < SHADOWED_MAX) {
		size_t low = parts[--depth].low, high = parts[depth].high, at = count;
		uint32_t rank = peaks_between(&view->dropped_peaks, low, high);

		if (rank == SPAN_NONE || view->dropped_lasts[rank] < address)
			continue;
		for (; at > 0 && rows[at - 1] > view->dropped[rank].index; at--)
			rows[at] = rows[at - 1];
		rows[at] = view->dropped[rank].index;
		count++;
		parts[depth].low = low;
		parts[depth++].high = rank;
		parts[depth].low = rank + 1;
		parts[depth++].high = high;
	}
	return count;
}
