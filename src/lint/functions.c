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
	const struct text text = reading->record;
	struct symbol_record record;

	lint_end_function(reading);
	const bool good = lint_fields(reading, SYMBOL_FUNC, &record);
	const uint64_t address = good ? record.fields[FUNC_ADDRESS].value : UINT64_MAX;
	const uint64_t size = good ? record.fields[FUNC_SIZE].value : 0;
	if (!reading->first_function.seen) {
		reading->first_function.seen = true;
		reading->first_function.address = address;
		reading->first_function.offset = reading->offset;
		reading->first_function.line = reading->line;
	}
	if (!good)
		return;
	function->open = true;
	function->offset = reading->offset;
	function->line = reading->line;
	function->first = address;
	function->last = address + (size - 1);
	function->empty = !lint_add_range(reading, &reading->functions, address, size);
	if (function->empty)
		lint_about(lint_report(reading, size == 0 ? LINT_FUNC_SIZE_ZERO : LINT_FUNC_WRAPS,
				       0, text.length, "%s", ""), address, 0);
	if (address < reading->last_function)
		lint_about(lint_report(reading, LINT_FUNC_UNSORTED, 0, text.length,
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
				       "the function on line %" PRIu32 " covers no address",
				       function->line), first, function->line);
		return;
	}
	if (first < function->first)
		lint_about(lint_report(reading, before, skip, reading->record.length - skip,
				       "0x%" PRIx64 " is before the function at 0x%" PRIx64, first,
				       function->first), first, function->line);
	if (last > function->last)
		lint_about(lint_report(reading, behind, skip, reading->record.length - skip,
				       "0x%" PRIx64 " is past the function's end at 0x%" PRIx64,
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
report_extra(struct lint_reading *reading, const struct field_cursor *rest)
{
	const size_t skip = (size_t)(rest->at - reading->record.start) - 1;

	lint_report(reading, LINT_EXTRA_FIELD, skip, reading->record.length - skip, "%s",
		    rest->at < rest->end ? "" : "a space");
}

void
lint_line(struct lint_reading *reading)
{
	struct symbol_record record;
	const struct text text = reading->record;

	if (!lint_fields(reading, SYMBOL_LINE, &record))
		return;
	const uint64_t address = record.fields[LINE_ADDRESS].value;
	const uint64_t size = record.fields[LINE_SIZE].value;
	if (text.start[text.length - 1] == ' ' || record.rest.at < record.rest.end)
		report_extra(reading, &record.rest);
	if (!reading->function.open) {
		reading->unsure |= !reading->first_function.seen;
		lint_about(lint_report(reading, LINT_LINE_WITHOUT_FUNC, 0, text.length, "%s", ""),
			   address, 0);
		lint_bad_record(reading);
		return;
	}
	lint_use(reading, LINT_FILES, record.fields[LINE_FILE].value,
		 record_skip(&record, LINE_FILE));
	if (size == 0)
		lint_about(lint_report(reading, LINT_LINE_SIZE_ZERO, 0, text.length, "%s", ""),
			   address, 0);
	else if (size - 1 > UINT64_MAX - address)
		lint_about(lint_report(reading, LINT_LINE_WRAPS, 0, text.length, "%s", ""),
			   address, 0);
	else
		add_line(reading, address, size);
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
