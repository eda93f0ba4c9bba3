/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lint/lint_internal.h"

/*
 * FUNC records with the lines behind them. What comes in the order of addresses, as almost all of it
 * does, is compared with the record before alone; the rest is sorted when its function ends.
 */

void
lint_func(struct lint_reading *reading)
{
	struct lint_function *function = &reading->function;
	const struct text record = reading->record;
	const bool multiple = record.length > 7 && memcmp(record.start + 5, "m ", 2) == 0;
	struct lint_cursor cursor = lint_cursor(reading, multiple ? 7 : 5, multiple ? 3 : 2);

	lint_end_function(reading);
	uint64_t address = lint_hex(reading, &cursor, "the address");
	uint64_t size = lint_size(reading, &cursor, "the size");
	lint_size(reading, &cursor, "the size of the parameters");
	lint_rest(reading, &cursor, "the name");
	if (!reading->first_function.seen) {
		reading->first_function.seen = true;
		reading->first_function.address = cursor.bad ? UINT64_MAX : address;
		reading->first_function.offset = reading->offset;
		reading->first_function.line = reading->line;
	}
	if (cursor.bad)
		return;
	function->open = true;
	function->offset = reading->offset;
	function->line = reading->line;
	function->first = address;
	function->last = address + (size - 1);
	function->empty = !lint_add_range(reading, &reading->functions, address, size);
	if (function->empty)
		lint_about(lint_report(reading, size == 0 ? LINT_FUNC_SIZE_ZERO : LINT_FUNC_WRAPS,
				       0, record.length, "%s", ""), address, 0);
	if (address < reading->last_function)
		lint_about(lint_report(reading, LINT_FUNC_UNSORTED, 0, record.length,
				       "0x%" PRIx64 " behind 0x%" PRIx64, address,
				       reading->last_function), address, 0);
	reading->last_function = address;
}

/* Where a part of a function begins or ends outside of it. */
static void
check_bounds(struct lint_reading *reading, uint64_t first, uint64_t last, size_t skip,
	     enum lint_code before, enum lint_code behind)
{
	const struct lint_function *function = &reading->function;

	if (function->empty) {
		lint_about(lint_report(reading, behind, skip, reading->record.length - skip,
				       "the function on line %" PRIu32 " covers nothing",
				       function->line), first, function->line);
		return;
	}
	if (first < function->first)
		lint_about(lint_report(reading, before, skip, reading->record.length - skip,
				       "0x%" PRIx64 " is before the function at 0x%" PRIx64, first,
				       function->first), first, function->line);
	if (last > function->last)
		lint_about(lint_report(reading, behind, skip, reading->record.length - skip,
				       "0x%" PRIx64 " is behind the function's end at 0x%" PRIx64,
				       last, function->last), first, function->line);
}

static void
add_line(struct lint_reading *reading, uint64_t address, uint64_t size)
{
	struct lint_function *function = &reading->function;
	const uint64_t last = address + (size - 1);

	if (function->lines.count > 0 && address <= function->lines_end)
		function->lines_unsorted = true;
	if (last > function->lines_end || function->lines.count == 0)
		function->lines_end = last;
	lint_add_part(reading, &function->lines, address, size);
	if (address < function->first || last > function->last || function->empty)
		check_bounds(reading, address, last, 0, LINT_LINE_BEFORE, LINT_LINE_OUTSIDE);
}

/* What stands behind the last field: a space at least, which has been stepped over. */
static void
report_extra(struct lint_reading *reading, const struct lint_cursor *cursor)
{
	const size_t skip = (size_t)(cursor->at - reading->record.start) - 1;

	lint_report(reading, LINT_EXTRA_FIELD, skip, reading->record.length - skip, "%s",
		    cursor->at < cursor->end ? "" : "a space");
}

static void
take_line(struct lint_reading *reading, uint64_t address, uint64_t size, uint64_t file, size_t skip)
{
	lint_use(reading, &reading->files, lint_outer_files(reading), &reading->file_uses, file,
		 skip);
	if (size == 0)
		lint_about(lint_report(reading, LINT_LINE_SIZE_ZERO, 0, reading->record.length,
				       "%s", ""), address, 0);
	else if (size - 1 > UINT64_MAX - address)
		lint_about(lint_report(reading, LINT_LINE_WRAPS, 0, reading->record.length,
				       "%s", ""), address, 0);
	else
		add_line(reading, address, size);
}

static void
read_odd_line(struct lint_reading *reading)
{
	struct lint_cursor cursor = lint_cursor(reading, 0, 1);
	uint64_t address = lint_hex(reading, &cursor, "the address");
	uint64_t size = lint_size(reading, &cursor, "the size");

	lint_decimal(reading, &cursor, 0, "the line");
	const size_t skip = (size_t)(cursor.at - reading->record.start);
	int64_t file = lint_decimal(reading, &cursor, 0, "the file");
	if (cursor.bad)
		return;
	if (cursor.end[-1] == ' ' || cursor.at < cursor.end)
		report_extra(reading, &cursor);
	if (!reading->function.open) {
		reading->unsure |= !reading->first_function.seen;
		lint_about(lint_report(reading, LINT_LINE_WITHOUT_FUNC, 0, reading->record.length,
				       "%s", ""), address, 0);
		lint_bad_record(reading);
		return;
	}
	take_line(reading, address, size, (uint64_t)file, skip);
}

/* A line as nearly all are written; false, and nothing done, where anything is odd. */
static bool
take_plain_line(struct lint_reading *reading)
{
	const char *start = reading->record.start, *end = start + reading->record.length, *at;
	uint64_t address, size;
	uint32_t line, file = 0;

	at = lint_plain_hex(start, end, 15, &address);
	if (at == NULL || at == end || *at != ' ')
		return false;
	at = lint_plain_hex(at + 1, end, 8, &size);
	if (at == NULL || at == end || *at != ' ')
		return false;
	at = lint_plain_decimal(at + 1, end, &line);
	if (at == NULL || at == end || end - at > 9)
		return false;
	const size_t skip = (size_t)(at - start);
	for (; at < end && (unsigned)*at - '0' < 10; at++)
		file = file * 10 + ((unsigned)*at - '0');
	if (at < end)
		return false;
	take_line(reading, address, size, file, skip);
	return true;
}

void
lint_line(struct lint_reading *reading)
{
	if (!reading->function.open || !take_plain_line(reading))
		read_odd_line(reading);
}

static int
compare_parts(const void *a, const void *b)
{
	const struct lint_part *one = a, *other = b;

	if (one->level != other->level)
		return one->level < other->level ? -1 : 1;
	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* Parts of one level that overlap, each with the one that reaches furthest before it. */
static void
report_overlaps(struct lint_reading *reading, struct lint_parts *parts, enum lint_code code)
{
	const struct lint_part *widest = NULL;

	qsort(parts->list, parts->count, sizeof(*parts->list), compare_parts);
	for (size_t i = 0; i < parts->count; i++) {
		const struct lint_part *part = &parts->list[i];

		if (widest != NULL && widest->level == part->level &&
		    part->first <= widest->last) {
			const bool later = part->offset >= widest->offset;
			const struct lint_part *loser = later ? part : widest;
			const struct lint_part *winner = later ? widest : part;

			lint_about(lint_report_at(reading, code, loser->offset, loser->line,
						  "0x%" PRIx64 " to 0x%" PRIx64 " and 0x%" PRIx64
						  " to 0x%" PRIx64 " of line %" PRIu32,
						  loser->first, loser->last, winner->first,
						  winner->last, winner->line),
				   loser->first, winner->line);
		}
		if (widest == NULL || widest->level != part->level || part->last > widest->last)
			widest = part;
	}
}

void
lint_end_function(struct lint_reading *reading)
{
	struct lint_function *function = &reading->function;

	if (function->lines_unsorted)
		report_overlaps(reading, &function->lines, LINT_LINE_OVERLAP);
	if (function->inlines_unsorted)
		report_overlaps(reading, &function->inlines, LINT_INLINE_OVERLAP);
	function->open = function->empty = false;
	function->lines.count = function->inlines.count = 0;
	function->lines_unsorted = function->inlines_unsorted = false;
	function->lines_end = 0;
	if (function->records > 0)
		memset(function->levels, 0,
		       (function->deepest_level + 1) * sizeof(function->levels[0]));
	function->records = function->last_level = function->deepest_level = 0;
}
