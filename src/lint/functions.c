/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "lint/lint_internal.h"

/*
 * FUNC records with the lines and inlined calls behind them. What comes in the order of addresses, as
 * almost all of it does, is compared with the record before alone; the rest is sorted when its
 * function ends.
 */

enum { MOST_RANGES = (LIMIT_INLINE_FIELDS - 4) / 2 };

static struct lint_part *
add_part(struct lint_reading *reading, struct lint_parts *parts, uint64_t address, uint64_t size)
{
	struct lint_part *list = parts->list;

	if (parts->count == parts->capacity)
		list = arena_grow(reading->scratch, list, parts->count, &parts->capacity,
				  sizeof(*list));
	if (list == NULL) {
		reading->memory_ended = true;
		return NULL;
	}
	parts->list = list;
	list[parts->count] = (struct lint_part){ .first = address, .last = address + (size - 1),
						 .offset = reading->offset,
						 .line = reading->line };
	return &list[parts->count++];
}

static const struct lint_numbers *
outer_files(const struct lint_reading *reading)
{
	return reading->outer != NULL ? &reading->outer->files : NULL;
}

static const struct lint_numbers *
outer_origins(const struct lint_reading *reading)
{
	return reading->outer != NULL ? &reading->outer->origins : NULL;
}

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
	add_part(reading, &function->lines, address, size);
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

void
lint_line(struct lint_reading *reading)
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
	lint_use(reading, &reading->files, outer_files(reading),
			 &reading->file_uses, (uint64_t)file, skip);
	if (size == 0)
		lint_about(lint_report(reading, LINT_LINE_SIZE_ZERO, 0, reading->record.length,
				       "%s", ""), address, 0);
	else if (size - 1 > UINT64_MAX - address)
		lint_about(lint_report(reading, LINT_LINE_WRAPS, 0, reading->record.length,
				       "%s", ""), address, 0);
	else
		add_line(reading, address, size);
}

/* Whether addresses lie within the ranges of the call around, taken together. */
static bool
is_within(const struct lint_parts *parts, size_t start, size_t count, uint64_t first,
	  uint64_t last)
{
	uint64_t reached = first;

	/* Each round finds one more range that goes on where the one before ended. */
	for (size_t round = 0; round < count; round++) {
		bool more = false;

		for (size_t i = start; i < start + count; i++) {
			const struct lint_part *part = &parts->list[i];

			if (part->first > reached || part->last < reached)
				continue;
			if (part->last >= last)
				return true;
			reached = part->last + 1;
			more = true;
		}
		if (!more)
			return false;
	}
	return false;
}

/* Returns whether the range lies where it should. */
static bool
add_inline(struct lint_reading *reading, uint32_t level, uint64_t address, uint64_t size)
{
	struct lint_function *function = &reading->function;
	const uint64_t last = address + (size - 1);
	struct lint_part *part = add_part(reading, &function->inlines, address, size);

	if (part == NULL)
		return true;
	part->level = level;
	part->record = function->records;
	if (function->levels[level].used && address <= function->levels[level].end)
		function->inlines_unsorted = true;
	if (!function->levels[level].used || last > function->levels[level].end)
		function->levels[level].end = last;
	function->levels[level].used = true;
	if (level == 0)
		return !function->empty && address >= function->first && last <= function->last;
	return is_within(&function->inlines, function->levels[level - 1].start,
			 function->levels[level - 1].count, address, last);
}

/* What is wrong with the ranges of one record: the first one, and how many. */
struct strays {
	size_t outside, empty;
	uint64_t outside_address, empty_address;
	size_t outside_skip, empty_skip;
};

static void
report_strays(struct lint_reading *reading, const struct strays *strays, uint32_t level,
	      size_t count)
{
	if (strays->empty > 0)
		lint_about(lint_report(reading, LINT_INLINE_SIZE_ZERO, strays->empty_skip, 1,
				       "%zu of %zu ranges", strays->empty, count),
			   strays->empty_address, 0);
	if (strays->outside > 0)
		lint_about(lint_report(reading, LINT_INLINE_OUTSIDE, strays->outside_skip, 1,
				       "%zu of %zu ranges are not within the %s", strays->outside,
				       count, level == 0 ? "function" : "call of the level above"),
			   strays->outside_address, 0);
}

void
lint_add_stray(struct lint_reading *reading, struct lint_stray stray)
{
	struct lint_strays *strays = &reading->strays;
	struct lint_stray *list = arena_grow(reading->scratch, strays->list, strays->count,
					     &strays->capacity, sizeof(*list));

	if (list == NULL) {
		reading->memory_ended = true;
		return;
	}
	strays->list = list;
	list[strays->count++] = stray;
}

/* A range outside of its function: it may be in another part of it, which is known at the end. */
static void
add_stray(struct lint_reading *reading, uint64_t address, uint64_t size, size_t skip)
{
	const struct lint_function *function = &reading->function;

	lint_add_stray(reading, (struct lint_stray){
		.first = address, .last = address + (size - 1), .offset = reading->offset,
		.function = function->offset, .line = reading->line,
		.function_line = function->line, .skip = (uint32_t)skip });
}

static void
read_ranges(struct lint_reading *reading, struct lint_cursor *cursor, uint32_t level)
{
	struct lint_function *function = &reading->function;
	const size_t start = function->inlines.count, first_stray = reading->strays.count;
	struct strays strays = { 0 };
	size_t count = 0;

	function->records++;
	while (cursor->at < cursor->end) {
		const size_t skip = (size_t)(cursor->at - reading->record.start);
		uint64_t address = lint_hex(reading, cursor, "the address of a range");
		uint64_t size = lint_size(reading, cursor, "the size of a range");

		if (cursor->bad)
			break;
		if (++count == MOST_RANGES + 1)
			lint_report(reading, LINT_INLINE_TOO_LONG, skip, 1, "%s", "");
		if (size == 0 || size - 1 > UINT64_MAX - address) {
			if (strays.empty++ == 0)
				strays.empty_skip = skip;
			strays.empty_address = strays.empty == 1 ? address : strays.empty_address;
		} else if (!add_inline(reading, level, address, size)) {
			if (level == 0 && !function->empty)
				add_stray(reading, address, size, skip);
			else if (strays.outside++ == 0)
				strays.outside_skip = skip;
			strays.outside_address = strays.outside == 1 ? address
								     : strays.outside_address;
		}
	}
	for (size_t i = first_stray; i < reading->strays.count; i++)
		reading->strays.list[i].count = (uint32_t)count;
	if (count == 0 && !cursor->bad)
		lint_report(reading, LINT_MALFORMED_RECORD, reading->record.length, 1,
			    "there is no range behind field %u", cursor->field - 1);
	report_strays(reading, &strays, level, count);
	if (level > function->deepest_level)
		function->deepest_level = level;
	function->levels[level].start = start;
	function->levels[level].count = function->inlines.count - start;
}

/* How many bytes of a record are spaces with something else behind them, eight at a time. */
static size_t
count_fields(struct text record)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	size_t count = 0, at = 0;
	uint64_t word;

	for (; at + sizeof(word) < record.length; at += sizeof(word)) {
		memcpy(&word, record.start + at, sizeof(word));
		word ^= ones * ' ';
		/* The high bit of each byte that is zero; exact, unlike the shorter trick. */
		word = ~(((word & ~high) + ~high) | word) & high;
		/* Two spaces in a row: most files have no such thing. */
		if ((word & word << 8) != 0 || (record.start[at + sizeof(word) - 1] == ' ' &&
						record.start[at + sizeof(word)] == ' '))
			break;
		count += (size_t)((word >> 7) * ones >> 56);
	}
	for (; at + 1 < record.length; at++)
		count += record.start[at] == ' ' && record.start[at + 1] != ' ';
	return count;
}

/* The level that a call belongs on: that of the record, or the deepest that has a parent. */
static uint32_t
check_level(struct lint_reading *reading, int64_t level)
{
	const struct lint_function *function = &reading->function;
	const uint32_t most = function->records == 0 ? 0 : function->last_level + 1;

	if (level > most)
		lint_report(reading, LINT_INLINE_LEVEL, 7, 1,
			    function->records == 0
				    ? "the first call of a function is of level 0, not %lld"
				    : "level %lld behind level %" PRIu32,
			    (long long)level, function->last_level);
	return level > most ? most : (uint32_t)level;
}

void
lint_inline(struct lint_reading *reading)
{
	struct lint_function *function = &reading->function;
	/* The old form has an odd number of fields behind the word. */
	const bool old = count_fields(reading->record) % 2 != 0;
	struct lint_cursor cursor = lint_cursor(reading, 7, 2);
	int64_t level = lint_decimal(reading, &cursor, 0, "the level"), file = -1;

	lint_decimal(reading, &cursor, 0, "the line");
	const size_t file_skip = (size_t)(cursor.at - reading->record.start);
	if (old)
		lint_report(reading, LINT_INLINE_OLD_FORM, 0, reading->record.length, "%s", "");
	else
		file = lint_decimal(reading, &cursor, -1, "the file");
	const size_t origin_skip = (size_t)(cursor.at - reading->record.start);
	int64_t origin = lint_decimal(reading, &cursor, 0, "the origin");
	if (cursor.bad)
		return;
	if (!function->open) {
		reading->unsure |= !reading->first_function.seen;
		lint_report(reading, LINT_INLINE_WITHOUT_FUNC, 0, reading->record.length, "%s", "");
		return;
	}
	if (file >= 0)
		lint_use(reading, &reading->files, outer_files(reading),
			 &reading->file_uses, (uint64_t)file, file_skip);
	lint_use(reading, &reading->origins, outer_origins(reading),
			 &reading->origin_uses, (uint64_t)origin, origin_skip);
	if (cursor.end[-1] == ' ')
		lint_report(reading, LINT_EXTRA_FIELD, reading->record.length - 1, 1, "a space");
	uint32_t depth = check_level(reading, level);
	if (depth >= LINT_LEVELS)
		depth = LINT_LEVELS - 1;
	read_ranges(reading, &cursor, depth);
	function->last_level = depth;
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

/* Whether an address range is in another function of the same name: the rest of a split one. */
static bool
is_in_other_part(const struct lint_reading *reading, const struct lint_stray *stray)
{
	const struct lint_range *part = lint_covering(&reading->functions, stray->first);

	return part != NULL && stray->last <= part->last &&
	       text_equal(lint_name_at(reading, part->offset),
			  lint_name_at(reading, stray->function));
}

/* The strays of one record, of which there are `count`. */
static void
report_stray(struct lint_reading *reading, const struct lint_stray *strays, size_t count)
{
	const struct lint_stray *first = strays;
	size_t lost = 0;

	for (size_t i = 0; i < count; i++)
		if (!is_in_other_part(reading, &strays[i]) && lost++ == 0)
			first = &strays[i];
	struct lint_finding *finding =
		lint_report_at(reading, lost > 0 ? LINT_INLINE_OUTSIDE : LINT_INLINE_SPLIT,
			       first->offset, first->line,
			       "%zu of %" PRIu32 " ranges are not within the function",
			       lost > 0 ? lost : count, first->count);

	if (finding == NULL)
		return;
	lint_about(finding, first->first, first->function_line);
	finding->name = lint_name_at(reading, first->function);
	finding->place.offset += first->skip;
	finding->place.column = first->skip + 1;
	finding->place.length = 1;
}

void
lint_finish_inlines(struct lint_reading *reading)
{
	const struct lint_strays *strays = &reading->strays;

	for (size_t i = 0, next; i < strays->count; i = next) {
		next = i + 1;
		while (next < strays->count && strays->list[next].offset == strays->list[i].offset)
			next++;
		report_stray(reading, &strays->list[i], next - i);
	}
}
