/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Which rows of the tables are found, and in which order. The order of the file decides
 * who wins; nothing is sorted where the file is in order already.
 */

/* A view that is being built. */
struct build {
	struct symfile *symfile;
	struct symfile_view *view;
	bool report;			/* messages, the first time only */
	uint64_t *repeats;		/* offsets of PUBLIC records that repeat an address */
	size_t repeat_count;
};

struct range_row {
	uint64_t address, size;
};

/* One range table on its way into an index. */
struct range_build {
	struct build *build;
	enum table_kind table;
	const char *what;
	struct span *dropped;		/* NULL: they are not asked for */
	size_t dropped_count;
};

static const char repeated_public[] = "another PUBLIC at the address";

/* Which of the records with one address or number counts. */
enum point_rule { FIRST_COUNTS, LAST_COUNTS };

static uint32_t
line_of(const struct symfile *symfile, uint64_t where)
{
	return symfile_place(symfile, where_offset(where), 0).line;
}

static struct range_row
row_of_range(const struct range_build *range, size_t row)
{
	const struct symfile *symfile = range->build->symfile;

	return (struct range_row){ row_address(symfile, range->table, row),
				   row_size(symfile, range->table, row) };
}

static void
report_overlap(struct range_build *range, uint32_t refused, uint32_t stored)
{
	struct symfile *symfile = range->build->symfile;
	const struct range_row row = row_of_range(range, refused);
	const struct range_row other = row_of_range(range, stored);
	bool same = row.address == other.address && row.size == other.size;
	uint32_t line = 0;

	if (!range->build->report)
		return;
	if (symfile->messages.seen[MESSAGE_SYMBOL_OVERLAP] < LIMIT_MESSAGES_PER_KIND)
		line = line_of(symfile, row_where(symfile, range->table, stored));
	symfile_report(symfile, &symfile->messages, MESSAGE_SYMBOL_OVERLAP,
		       row_where(symfile, range->table, refused),
		       "%s %" PRIx64 "+%" PRIx64 " %s %" PRIx64 "+%" PRIx64 " of line %" PRIu32
		       "\nskipped, the first in the file is used", range->what, row.address,
		       row.size, same ? "repeats" : "overlaps", other.address, other.size, line);
}

static void
refuse(void *context, uint32_t refused, uint32_t stored)
{
	struct range_build *range = context;
	const struct range_row row = row_of_range(range, refused);

	report_overlap(range, refused, stored);
	if (range->dropped != NULL)
		span_of(row.address, row.size, refused, &range->dropped[range->dropped_count++]);
}

static void
report_empty(struct range_build *range, size_t index)
{
	struct symfile *symfile = range->build->symfile;
	const struct range_row row = row_of_range(range, index);

	if (range->build->report)
		symfile_report(symfile, &symfile->messages, MESSAGE_SYMBOL_EMPTY,
			       row_where(symfile, range->table, index),
			       "%s %" PRIx64 "+%" PRIx64 " %s\nleft out", range->what,
			       row.address, row.size,
			       row.size == 0 ? "is empty" : "ends past the last address");
}

/* The spans of the first `count` rows that have one. NULL when out of memory. */
static struct span *
spans_of(struct range_build *range, size_t count, size_t *span_count)
{
	struct span *spans = malloc((count + 1) * sizeof(*spans));

	*span_count = 0;
	for (size_t row = 0; spans != NULL && row < count; row++) {
		const struct range_row record = row_of_range(range, row);

		if (span_of(record.address, record.size, (uint32_t)row, &spans[*span_count]))
			(*span_count)++;
		else
			report_empty(range, row);
	}
	return spans;
}

/* The first rows by address, those of one address as they stand; NULL where memory ends. */
static uint32_t *
sorted_rows(const struct table *table, size_t count)
{
	struct span *spans = malloc((count + 1) * sizeof(*spans));
	uint32_t *rows = malloc((count + 1) * sizeof(*rows));

	for (size_t row = 0; spans != NULL && row < count; row++)
		spans[row] = (struct span){ table_address(table, row), 0, (uint32_t)row };
	if (spans == NULL || rows == NULL || !span_sort(spans, count)) {
		free(spans);
		free(rows);
		return NULL;
	}
	for (size_t rank = 0; rank < count; rank++)
		rows[rank] = spans[rank].index;
	free(spans);
	return rows;
}

/* Whether no row is empty or overlaps another one; `order` is by address, NULL: as they stand. */
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

/* Answer questions about refused functions, which are sorted. */
static bool
find_peaks(struct range_index *index)
{
	index->dropped_lasts = malloc(index->dropped_count * sizeof(*index->dropped_lasts));
	if (index->dropped_lasts == NULL)
		return false;
	for (size_t rank = 0; rank < index->dropped_count; rank++)
		index->dropped_lasts[rank] = index->dropped[rank].last;
	if (!peaks_create(&index->dropped_peaks, index->dropped_lasts, index->dropped_count))
		return false;
	for (size_t rank = 0; rank < index->dropped_count; rank++)
		peaks_add(&index->dropped_peaks, (uint32_t)rank);
	return true;
}

/* Make the refused functions findable by address. */
static bool
keep_dropped(struct range_index *index, struct range_build *range)
{
	index->dropped = range->dropped;
	index->dropped_count = range->dropped_count;
	return index->dropped_count == 0 || (span_sort(index->dropped, index->dropped_count) &&
					     find_peaks(index));
}

static bool
take_order(struct range_index *index, const struct span *spans, size_t count)
{
	index->order = malloc((count + 1) * sizeof(*index->order));
	if (index->order == NULL)
		return false;
	for (size_t rank = 0; rank < count; rank++)
		index->order[rank] = spans[rank].index;
	index->count = count;
	return true;
}

/* Index ranges that must not overlap. */
static bool
index_ranges(struct build *build, enum table_kind kind, const char *what,
	     bool want_dropped, struct range_index *index)
{
	struct range_build range = { .build = build, .table = kind, .what = what };
	const struct table *table = &build->symfile->tables[kind];
	size_t rows = table_rows_before(table, build->view->end), count;

	if (ranges_apart(table, NULL, rows)) {
		index->count = rows;
		return true;
	}
	index->order = sorted_rows(table, rows);
	if (index->order != NULL && ranges_apart(table, index->order, rows)) {
		index->count = rows;
		return true;
	}
	free(index->order);
	index->order = NULL;
	struct span *spans = spans_of(&range, rows, &count);
	if (want_dropped)
		range.dropped = malloc((count + 1) * sizeof(*range.dropped));
	bool fits = spans != NULL && (range.dropped != NULL || !want_dropped) &&
		    containment_select(spans, &count, CONTAINMENT_EXCLUSIVE, refuse, &range) &&
		    take_order(index, spans, count);
	free(spans);
	return keep_dropped(index, &range) && fits;
}

static bool
index_win(struct build *build, enum table_kind kind, struct segments *segments)
{
	struct range_build range = { .build = build, .table = kind, .what = "STACK WIN" };
	const struct table *table = &build->symfile->tables[kind];
	size_t count;
	struct span *spans = spans_of(&range, table_rows_before(table, build->view->end), &count);
	bool fits = spans != NULL &&
		    containment_select(spans, &count, CONTAINMENT_NESTED, refuse, &range) &&
		    segments_build(segments, spans, count);

	free(spans);
	return fits;
}

static void
report_repeat(struct build *build, const struct table *table, uint32_t loser, uint32_t winner,
	      const char *what)
{
	struct symfile *symfile = build->symfile;
	const enum table_kind kind = (enum table_kind)(table - symfile->tables);
	uint32_t line = 0;

	if (!build->report)
		return;
	if (symfile->messages.seen[MESSAGE_SYMBOL_SHADOWED] < LIMIT_MESSAGES_PER_KIND)
		line = line_of(symfile, row_where(symfile, kind, winner));
	symfile_report(symfile, &symfile->messages, MESSAGE_SYMBOL_SHADOWED,
		       row_where(symfile, kind, loser),
		       "%s is on line %" PRIu32 "\nskipped, the %s in the file is used",
		       what, line, loser < winner ? "last" : "first");
	if (build->repeats != NULL && table_address(table, loser) != 0)
		build->repeats[build->repeat_count++] = table_offset(table, loser);
}

static bool
points_in_order(const struct table *table, size_t count)
{
	for (size_t row = 1; row < count; row++)
		if (table_address(table, row) <= table_address(table, row - 1))
			return false;
	return true;
}

/* Index records of which one counts for each address or number. */
static bool
index_points(struct build *build, enum table_kind kind, enum point_rule rule,
	     const char *what, struct point_index *index)
{
	const struct table *table = &build->symfile->tables[kind];
	size_t count = table_rows_before(table, build->view->end);

	index->count = count;
	if (points_in_order(table, count))
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
		if (rule == LAST_COUNTS) {
			loser = *last;
			*last = row;
		}
		report_repeat(build, table, loser, *last, what);
	}
	return fits;
}

/* Make the table of the deltas where they need one: those of a refused INIT record count too. */
static bool
index_deltas(struct build *build)
{
	struct symfile *symfile = build->symfile;
	struct table *deltas = &symfile->tables[TABLE_DELTA];

	if (build->report) {
		if (build->view->inits.count < symfile->tables[TABLE_INIT].count)
			symfile->scattered = true;
		if (symfile->delta_count == 0)
			symfile->scattered = false;
		if (symfile->scattered && !symfile_scan_deltas(symfile, deltas))
			return false;
		table_trim(deltas);
	}
	return index_points(build, TABLE_DELTA, LAST_COUNTS, "another STACK CFI for the address",
			    &build->view->deltas);
}

static bool
build_view(struct build *build)
{
	struct symfile_view *view = build->view;
	bool fits = index_ranges(build, TABLE_FUNC, "FUNC", true, &view->functions) &&
		    index_ranges(build, TABLE_INIT, "STACK CFI INIT", false, &view->inits) &&
		    index_deltas(build) &&
		    index_points(build, TABLE_FILE, FIRST_COUNTS,
				 "another FILE of the number", &view->files) &&
		    index_points(build, TABLE_ORIGIN, FIRST_COUNTS,
				 "another INLINE_ORIGIN of the number", &view->origins);

	for (size_t type = 0; fits && type < STACK_WIN_TYPES; type++)
		fits = index_win(build, (enum table_kind)(TABLE_WIN + type), &view->win[type]);
	return fits;
}

SORTED_VALUES(compare_offsets, uint64_t)

/* The start of the line with the first byte 0xff, where Breakpad's reading of files ends. */
static uint64_t
start_of_cut_line(const struct symfile *symfile)
{
	if (symfile->first_ff == symfile->size)
		return symfile->size;
	return symfile_line_start(symfile, symfile->first_ff);
}

/* Where Breakpad stops: at the 101st bad record, those that repeat a PUBLIC among them. */
static uint64_t
find_end(struct build *build)
{
	struct symfile *symfile = build->symfile;
	uint64_t end = start_of_cut_line(symfile);
	size_t bad = 0, repeat = 0, errors = 0;

	if (build->repeat_count != 0)
		qsort(build->repeats, build->repeat_count, sizeof(*build->repeats),
		      compare_offsets);
	while (bad < symfile->bad_count || repeat < build->repeat_count) {
		bool take_repeat = bad == symfile->bad_count ||
				   (repeat < build->repeat_count &&
				    build->repeats[repeat] < symfile->bad[bad]);
		uint64_t offset = take_repeat ? build->repeats[repeat++] : symfile->bad[bad++];

		if (offset >= end)
			break;
		symfile->corrupt = true;
		if (++errors > LIMIT_SYMBOL_ERRORS)
			return offset;
	}
	return end;
}

static void
report_end(struct symfile *symfile, uint64_t end)
{
	bool byte = end == start_of_cut_line(symfile);

	symfile_report(symfile, &symfile->messages, MESSAGE_SYMBOL_STOP, where_of(end, 0),
		       "breakpad stops reading here, at %s", byte ? "a byte 0xff"
		       : "its 101st bad record");
}

/* The publics first, since the repeated ones among them decide where Breakpad stops. */
static bool
build_whole(struct build *build)
{
	struct symfile *symfile = build->symfile;

	build->repeats =
		malloc((symfile->tables[TABLE_PUBLIC].count + 1) * sizeof(*build->repeats));
	bool fits = build->repeats != NULL &&
		    index_points(build, TABLE_PUBLIC, FIRST_COUNTS, repeated_public,
				 &symfile->whole.publics);
	if (fits)
		symfile->part.end = find_end(build);
	free(build->repeats);
	build->repeats = NULL;
	return fits && build_view(build);
}

bool
symfile_index(struct symfile *symfile)
{
	struct build whole = { .symfile = symfile, .view = &symfile->whole, .report = true };
	struct build part = { .symfile = symfile, .view = &symfile->part };

	symfile->whole.end = symfile->size;
	if (!build_whole(&whole))
		return false;
	if (symfile->part.end >= symfile->size)
		return true;
	symfile->stops = true;
	report_end(symfile, symfile->part.end);
	return index_points(&part, TABLE_PUBLIC, FIRST_COUNTS, repeated_public,
			    &symfile->part.publics) && build_view(&part);
}

bool
symfile_view_finish(struct symfile_view *view)
{
	return view->functions.dropped_count == 0 || find_peaks(&view->functions);
}

static void
range_index_free(struct range_index *index, bool borrowed)
{
	free(index->dropped_lasts);
	peaks_free(&index->dropped_peaks);
	if (borrowed)
		return;
	free(index->order);
	free(index->dropped);
}

void
symfile_view_free(struct symfile_view *view)
{
	range_index_free(&view->functions, view->borrowed);
	range_index_free(&view->inits, view->borrowed);
	if (!view->borrowed) {
		free(view->publics.order);
		free(view->deltas.order);
		free(view->files.order);
		free(view->origins.order);
		for (size_t type = 0; type < STACK_WIN_TYPES; type++)
			segments_free(&view->win[type]);
	}
	*view = (struct symfile_view){ .end = 0 };
}

static uint32_t
row_of(const uint32_t *order, struct index_guard *guard, size_t rank)
{
	if (order == NULL)
		return (uint32_t)rank;
	index_guard_touch(guard, &order[rank]);
	return order[rank];
}

/* How many of `count` rows in an order are at or below `address`. */
static size_t
rank_of(const struct table *table, const uint32_t *order, struct index_guard *guard, size_t count,
	uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table_address(table, row_of(order, guard, middle)) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t
range_rank(const struct table *table, const struct range_index *index, uint64_t address)
{
	return rank_of(table, index->order, index->guard, index->count, address);
}

uint32_t
range_below(const struct table *table, const struct range_index *index, uint64_t address)
{
	size_t rank = range_rank(table, index, address);

	return rank == 0 ? SPAN_NONE : row_of(index->order, index->guard, rank - 1);
}

uint32_t
range_above(const struct table *table, const struct range_index *index, uint64_t address)
{
	size_t rank = range_rank(table, index, address);

	return rank == index->count ? SPAN_NONE : row_of(index->order, index->guard, rank);
}

uint32_t
range_find(const struct table *table, const struct range_index *index, uint64_t address)
{
	uint32_t row = range_below(table, index, address);

	if (row == SPAN_NONE || address - table_address(table, row) >= table_size(table, row))
		return SPAN_NONE;
	return row;
}

size_t
point_rank(const struct table *table, const struct point_index *index, uint64_t address)
{
	return rank_of(table, index->order, index->guard, index->count, address);
}

uint32_t
point_row(const struct point_index *index, size_t rank)
{
	return row_of(index->order, index->guard, rank);
}

/* Writers number from 0 or 1 on without gaps: then the row is where it would be. */
static uint32_t
point_guess(const struct table *table, const struct point_index *index, uint64_t number)
{
	const uint64_t first = index->count == 0 ? 0 : table_address(table, row_of(index->order, index->guard, 0));

	if (number < first || number - first >= index->count)
		return SPAN_NONE;
	const uint32_t row = row_of(index->order, index->guard, (size_t)(number - first));
	return table_address(table, row) == number ? row : SPAN_NONE;
}

uint32_t
point_find(const struct table *table, const struct point_index *index, uint64_t address)
{
	const uint32_t guess = point_guess(table, index, address);

	if (guess != SPAN_NONE)
		return guess;
	size_t rank = point_rank(table, index, address);

	if (rank == 0 || table_address(table, point_row(index, rank - 1)) != address)
		return SPAN_NONE;
	return point_row(index, rank - 1);
}

/* The first `rank` among refused ones whose start lies behind `address`. */
static size_t
dropped_behind(const struct range_index *index, uint64_t address)
{
	return sorted_upto(SORTED(index->dropped, index->dropped_count, first), address);
}

static void
insert_row(uint32_t *rows, size_t count, uint32_t row)
{
	for (; count > 0 && rows[count - 1] > row; count--)
		rows[count] = rows[count - 1];
	rows[count] = row;
}

size_t
symfile_dropped_around(const struct range_index *index, uint64_t address, uint32_t *rows,
		       size_t most)
{
	struct {
		size_t low, high;
	} parts[SHADOWED_MAX + 1];	/* still to be searched; each row found adds one */
	size_t depth = 0, count = 0;

	if (index->dropped_count == 0)
		return 0;
	parts[depth].low = 0;
	parts[depth++].high = dropped_behind(index, address);
	while (depth > 0 && count < most) {
		size_t low = parts[--depth].low, high = parts[depth].high;
		uint32_t rank = peaks_between(&index->dropped_peaks, low, high);

		if (rank == SPAN_NONE || index->dropped_lasts[rank] < address)
			continue;
		insert_row(rows, count++, index->dropped[rank].index);
		parts[depth].low = low;
		parts[depth++].high = rank;
		parts[depth].low = rank + 1;
		parts[depth++].high = high;
	}
	return count;
}
