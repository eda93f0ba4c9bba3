/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/sorted.h"
#include "lint/lint_internal.h"

/*
 * Checks FUNC records with their lines and inlined calls: the levels of calls, and whether each
 * range lies within its call or function. Most records are in order of address and are only
 * compared with the previous record. The others are sorted when their function ends.
 */

void
lint_func(struct lint_reading *reading)
{
	struct lint_function *function = &reading->function;
	const struct text text = reading->record;
	struct symbol_record record;

	lint_end_function(reading);
	reading->part.function_begun = true;
	if (!lint_fields(reading, SYMBOL_FUNC, &record))
		return;
	const uint64_t address = record.fields[FUNC_ADDRESS].value;
	const uint64_t size = record.fields[FUNC_SIZE].value;
	if (reading->part.first_function.line == 0) {
		reading->part.first_function.address = address;
		reading->part.first_function.offset = reading->offset;
		reading->part.first_function.line = reading->line;
	}
	function->open = true;
	function->offset = reading->offset;
	function->line = reading->line;
	function->first = address;
	function->last = address + (size - 1);
	function->empty = !lint_add_range(reading, &reading->covered.functions, address, size);
	if (!function->empty && reading->covered.functions.count > 0)
		reading->covered.functions.list[reading->covered.functions.count - 1].level =
			(uint16_t)record.fields[FUNC_PARAMETERS].value;
	if (function->empty)
		lint_report_record(reading, size == 0 ? LINT_FUNC_SIZE_ZERO : LINT_FUNC_WRAPS,
				   address);
	if (address < reading->part.last_function)
		lint_about(lint_report(reading, LINT_FUNC_UNSORTED, 0, text.length,
				       "0x%" PRIx64 " after 0x%" PRIx64, address,
				       reading->part.last_function), address, 0);
	reading->part.last_function = address;
}

/* Notes a line after its function; several such lines may be the rest of a lost function. */
static void
add_beyond(struct lint_reading *reading, uint64_t address, uint64_t last)
{
	struct lint_function *function = &reading->function;
	struct lint_stray *beyond = &function->beyond;

	if (beyond->count++ == 0)
		*beyond = (struct lint_stray){
			.first = address, .last = last, .offset = reading->offset,
			.function = function->offset, .line = reading->line,
			.function_line = function->line, .skip = (uint32_t)reading->record.length,
			.level = function->empty, .count = 1 };
	else if (last > beyond->last)
		beyond->last = last;
}

static void
add_line(struct lint_reading *reading, uint64_t address, uint64_t size)
{
	struct lint_function *function = &reading->function;
	const uint64_t last = address + (size - 1);
	const size_t length = reading->record.length;
	char hint[LINT_HINT];

	if (function->empty || address > function->last) {
		add_beyond(reading, address, last);
		return;
	}
	if (function->lines.count > 0 && address <= function->lines_end)
		function->lines_unsorted = true;
	if (address != (function->lines.count > 0 ? function->lines_end + 1 : function->first))
		function->lines_apart = true;
	if (last > function->lines_end || function->lines.count == 0)
		function->lines_end = last;
	lint_append_range(reading, &function->lines, address, size);
	if (address < function->first)
		lint_about(lint_report(reading, LINT_LINE_BEFORE, 0, length,
				       "0x%" PRIx64 " is before the function at 0x%" PRIx64,
				       address, function->first), address, function->line);
	if (last > function->last)
		lint_about(lint_report(reading, LINT_LINE_OUTSIDE, 0, length,
				       "0x%" PRIx64 " is past the function's end at 0x%" PRIx64
				       "%s", last, function->last,
				       lint_if_decimal(hint, address, size, function->last + 1)),
			   address, function->line);
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
	/* At least one space was skipped after the last field. */
	const size_t extra = (size_t)(record.rest.at - text.start) - 1;
	if (text.start[text.length - 1] == ' ' || record.rest.at < record.rest.end)
		lint_report(reading, LINT_EXTRA_FIELD, extra, text.length - extra, "%s",
			    record.rest.at < record.rest.end ? "" : "a space");
	if (!reading->function.open) {
		reading->part.unsure |= !reading->part.function_begun;
		lint_report_record(reading, LINT_LINE_WITHOUT_FUNC, address);
		lint_bad_record(reading);
		return;
	}
	if (reading->whole != SYMBOL_FUNC)
		lint_interleaved(reading, SYMBOL_FUNC);
	lint_use(reading, LINT_FILES, record.fields[LINE_FILE].value,
		 record_skip(&record, LINE_FILE));
	if (size == 0)
		lint_report_record(reading, LINT_LINE_SIZE_ZERO, address);
	else if (size - 1 > UINT64_MAX - address)
		lint_report_record(reading, LINT_LINE_WRAPS, address);
	else
		add_line(reading, address, size);
}

SORTED_BY_ALL(compare_parts, struct lint_range, SORTED_UP(level) SORTED_UP(first) SORTED_UP(offset))

/* Reports overlapping parts of one level, each with the earlier part that reaches furthest. */
static void
report_overlaps(struct lint_reading *reading, struct lint_ranges *parts, enum lint_code code)
{
	const struct lint_range *widest = NULL;

	SORT(parts->list, parts->count, compare_parts);
	for (size_t i = 0; i < parts->count; i++) {
		const struct lint_range *part = &parts->list[i];

		if (widest != NULL && widest->level == part->level &&
		    part->first <= widest->last)
			lint_report_pair(reading, code, widest, part);
		if (widest == NULL || widest->level != part->level || part->last > widest->last)
			widest = part;
	}
}

/* Notes addresses without a line in the current function, whose lines are sorted. */
static void
add_holes(struct lint_reading *reading)
{
	const struct lint_function *function = &reading->function;
	uint64_t next = function->first;

	for (size_t i = 0; i <= function->lines.count; i++) {
		const bool end = i == function->lines.count;
		const uint64_t at = end ? function->last + 1 : function->lines.list[i].first;

		if (at > next)
			lint_add_stray(reading, &reading->covered.holes, (struct lint_stray){
				.first = next, .last = at - 1, .offset = function->offset,
				.line = function->line });
		if (!end && function->lines.list[i].last >= next)
			next = function->lines.list[i].last + 1;
	}
}

/* Joins ranges of one level that touch; they are sorted by level and address. */
static void
unite_levels(struct lint_ranges *parts)
{
	size_t left = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct lint_range *part = &parts->list[i];
		struct lint_range *last = left > 0 ? &parts->list[left - 1] : NULL;

		if (last == NULL || last->level != part->level ||
		    (part->first > last->last && part->first - last->last > 1))
			parts->list[left++] = *part;
		else if (part->last > last->last)
			last->last = part->last;
	}
	parts->count = left;
}

static void
report_level(struct lint_reading *reading, const struct lint_stray *first, size_t lost)
{
	struct lint_finding *finding;
	const bool jump = first->level > first->above;

	if (jump)
		finding = lint_report_at(reading, LINT_INLINE_LEVEL, first->offset, first->line,
					 first->above == 0
					 ? "the first call of a function must have level 0, not %"
					 PRIu32 : "level %" PRIu32 " after level %" PRIu32,
					 first->level, first->above - 1);
	else
		finding = lint_report_at(reading, LINT_INLINE_OUTSIDE, first->offset, first->line,
					 "%zu of %" PRIu32
					 " ranges are not within the call of the level above",
					 lost, first->count);
	if (finding == NULL)
		return;
	lint_about(finding, first->first, 0);
	finding->name = lint_name_at(reading, first->function);
	finding->place.offset += jump ? 7 : first->skip;
	finding->place.column = (jump ? 7 : first->skip) + 1;
	finding->place.length = 1;
}

/* Reports the function's strays that are in no call; the ranges of calls are sorted. */
static void
settle_strays(struct lint_reading *reading)
{
	struct lint_strays *strays = &reading->function.strays;

	if (strays->count > 0)
		unite_levels(&reading->function.inlines);
	for (size_t i = 0, next; i < strays->count; i = next) {
		const struct lint_stray *first = NULL;
		size_t lost = 0;

		for (next = i; next < strays->count &&
			       strays->list[next].offset == strays->list[i].offset; next++) {
			const struct lint_stray *stray = &strays->list[next];
			const struct lint_range *list = reading->function.inlines.list;
			size_t at;

			/* Whether joined ranges of the next outer level contain the stray. */
			BISECT(at, reading->function.inlines.count,
			       list[at].level + 1u < stray->level ||
				       (list[at].level + 1u == stray->level &&
					list[at].first <= stray->first));
			if ((at == 0 || list[at - 1].level + 1u != stray->level ||
			     list[at - 1].last < stray->last) && lost++ == 0)
				first = stray;
		}
		if (first != NULL)
			report_level(reading, first, lost);
	}
	strays->count = 0;
}

void
lint_end_function(struct lint_reading *reading)
{
	struct lint_function *function = &reading->function;

	if (function->lines_unsorted)
		report_overlaps(reading, &function->lines, LINT_LINE_OVERLAP);
	if (function->lines.count > 0 &&
	    (function->lines_apart || function->lines_end < function->last))
		add_holes(reading);
	if (function->beyond.count > 0)
		lint_add_stray(reading, &reading->covered.beyond, function->beyond);
	if (function->inlines_unsorted || function->strays.count > 0)
		report_overlaps(reading, &function->inlines, LINT_INLINE_OVERLAP);
	settle_strays(reading);
	function->open = function->empty = false;
	function->lines.count = function->inlines.count = 0;
	function->lines_unsorted = function->inlines_unsorted = function->lines_apart = false;
	function->beyond.count = 0;
	if (function->calls)
		memset(function->levels, 0,
		       (function->deepest_level + 1) * sizeof(function->levels[0]));
	function->calls = false;
	function->deepest_level = 0;
}

/* Whether addresses are within the joined ranges of the call around them. */
static bool
is_within(const struct lint_ranges *parts, size_t start, size_t count, uint64_t first,
	  uint64_t last)
{
	uint64_t reached = first;

	/* Each round finds a range that continues the previous one. */
	for (size_t round = 0; round < count; round++) {
		bool more = false;

		for (size_t i = start; i < start + count; i++) {
			const struct lint_range *part = &parts->list[i];

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

/* Adds a range; false if it is outside its function or the call around it. */
static bool
add_inline(struct lint_reading *reading, uint32_t level, uint64_t address, uint64_t size)
{
	struct lint_function *function = &reading->function;
	const uint64_t last = address + (size - 1);
	struct lint_range *part =
		lint_append_range(reading, &function->inlines, address, size);

	if (part == NULL)
		return true;
	part->level = (uint16_t)level;
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

/* Misplaced ranges of one record: for each kind, their number and the first range. */
struct strays {
	size_t outside, empty;
	uint64_t outside_address, empty_address;
	size_t outside_skip, empty_skip;
};

void
lint_add_stray(struct lint_reading *reading, struct lint_strays *strays,
	       struct lint_stray stray)
{
	reading->memory_ended |= !ARENA_ADD(reading->scratch, strays->list, strays->count,
					    strays->capacity, &stray);
}

/* Checks the range at `skip` in the current record. */
static void
take_range(struct lint_reading *reading, struct strays *strays, uint32_t level, uint64_t address,
	   uint64_t size, size_t skip)
{
	struct lint_function *function = &reading->function;

	if (size == 0 || size - 1 > UINT64_MAX - address) {
		if (strays->empty++ > 0)
			return;
		strays->empty_skip = skip;
		strays->empty_address = address;
	} else if (!add_inline(reading, level, address, size)) {
		/*
		 * The range may be in another part of its function, or in calls other than the
		 * previous call; this is decided at the end.
		 */
		if (level > 0 || !function->empty) {
			lint_add_stray(
				reading, level > 0 ? &function->strays : &reading->covered.strays,
				(struct lint_stray){
					.first = address,
					.last = address + (size - 1),
					.offset = reading->offset,
					.function = function->offset,
					.line = reading->line,
					.function_line = function->line,
					.skip = (uint32_t)skip,
					.level = level,
					.above = (uint32_t)(function->calls
								    ? function->last_level + 1
								    : 0) });
		} else if (strays->outside++ == 0) {
			strays->outside_skip = skip;
			strays->outside_address = address;
		}
	}
}

/* Ends the current record: its ranges begin at `start`, its strays at `first_stray`. */
static void
end_ranges(struct lint_reading *reading, const struct strays *strays, uint32_t level, size_t count,
	   size_t start, size_t first_stray)
{
	struct lint_function *function = &reading->function;
	struct lint_strays *kept = level > 0 ? &function->strays : &reading->covered.strays;

	for (size_t i = first_stray; i < kept->count; i++)
		kept->list[i].count = (uint32_t)count;
	if (strays->empty > 0)
		lint_about(lint_report(reading, LINT_INLINE_SIZE_ZERO, strays->empty_skip, 1,
				       "%zu of %zu ranges", strays->empty, count),
			   strays->empty_address, 0);
	if (strays->outside > 0)
		lint_about(lint_report(reading, LINT_INLINE_OUTSIDE, strays->outside_skip, 1,
				       "%zu of %zu ranges are not within the function",
				       strays->outside, count),
			   strays->outside_address, 0);
	if (level > function->deepest_level)
		function->deepest_level = level;
	function->levels[level].start = start;
	function->levels[level].count = function->inlines.count - start;
	function->last_level = level;
	function->calls = true;
}

static void
read_ranges(struct lint_reading *reading, struct symbol_record *record, uint32_t level)
{
	const struct field_form *forms = &record_forms[SYMBOL_INLINE].fields[CALL_ADDRESS];
	struct lint_function *function = &reading->function;
	const size_t start = function->inlines.count;
	const size_t first_stray =
		level > 0 ? function->strays.count : reading->covered.strays.count;
	struct strays strays = { 0 };
	const struct symbol_field *range = &record->fields[CALL_ADDRESS];
	size_t count = 0;

	while (record_has_range(record)) {
		const bool good = record_range(record);

		if ((range[0].state | range[1].state) != 0) {
			const unsigned number = lint_field_number(record, CALL_ADDRESS + 2 * count);

			if (!lint_field(reading, number, &forms[0], &range[0]) ||
			    !lint_field(reading, number + 1, &forms[1], &range[1]))
				break;
		}
		const size_t skip = (size_t)(range[0].text.start - reading->record.start);
		if (++count == RECORD_INLINE_RANGES + 1)
			lint_report(reading, LINT_INLINE_TOO_LONG, skip, 1, "%s", "");
		if (good)
			take_range(reading, &strays, level, range[0].value, range[1].value, skip);
	}
	if (count == 0 && !record_has_range(record))
		lint_report(reading, LINT_MALFORMED_RECORD, reading->record.length, 1,
			    "no range after field %u",
			    lint_field_number(record, CALL_ADDRESS) - 1);
	end_ranges(reading, &strays, level, count, start, first_stray);
}

void
lint_inline(struct lint_reading *reading)
{
	const struct text text = reading->record;
	struct symbol_record record;

	if (!lint_fields(reading, SYMBOL_INLINE, &record))
		return;
	const struct symbol_field *fields = record.fields;
	const bool old = fields[CALL_FILE].state == FIELD_ABSENT;
	if (old && reading->module.call_files) {
		lint_report(reading, LINT_MALFORMED_RECORD, 0, text.length,
			    "an odd number of addresses and sizes; the file's other calls have "
			    "'%s'", record_forms[SYMBOL_INLINE].text);
		return;
	}
	if (old)
		lint_report(reading, LINT_INLINE_OLD_FORM, 0, text.length, "%s", "");
	if (!reading->function.open) {
		reading->part.unsure |= !reading->part.function_begun;
		lint_report(reading, LINT_INLINE_WITHOUT_FUNC, 0, text.length, "%s", "");
		return;
	}
	if (reading->whole != SYMBOL_FUNC)
		lint_interleaved(reading, SYMBOL_FUNC);
	const uint64_t said = fields[CALL_LEVEL].value;
	const uint32_t level = said < LINT_LEVELS ? (uint32_t)said : LINT_LEVELS - 1;
	if (!old && (int64_t)fields[CALL_FILE].value >= 0)
		lint_use(reading, LINT_FILES, fields[CALL_FILE].value,
			 record_skip(&record, CALL_FILE));
	lint_use(reading, LINT_ORIGINS, fields[CALL_ORIGIN].value,
		 record_skip(&record, CALL_ORIGIN));
	if (text.start[text.length - 1] == ' ')
		lint_report(reading, LINT_EXTRA_FIELD, text.length - 1, 1, "a space");
	read_ranges(reading, &record, level);
}

static void
report_stray(struct lint_reading *reading, const struct lint_stray *strays, size_t count)
{
	const struct lint_stray *first = strays;
	size_t lost = 0;

	for (size_t i = 0; i < count; i++) {
		const struct lint_stray *stray = &strays[i];
		const struct lint_range *part =
			lint_covering(&reading->covered.functions, stray->first);

		/* A function of the same name is another part of the split function. */
		if ((part == NULL || stray->last > part->last ||
		     !text_equal(lint_name_at(reading, part->offset),
				 lint_name_at(reading, stray->function))) && lost++ == 0)
			first = stray;
	}
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
	const struct lint_strays *strays = &reading->covered.strays;

	for (size_t i = 0, next; i < strays->count; i = next) {
		next = i + 1;
		while (next < strays->count && strays->list[next].offset == strays->list[i].offset)
			next++;
		report_stray(reading, &strays->list[i], next - i);
	}
}

static void
report_beyond(struct lint_reading *reading, const struct lint_stray *lines)
{
	const struct lint_range *other = lint_covering(&reading->covered.functions, lines->first);
	const bool lost = lines->count > 1 && other == NULL && lines->level == 0;
	struct lint_finding *finding = lint_report_at(
		reading, lost ? LINT_FUNC_LOST : LINT_LINE_OUTSIDE, lines->offset, lines->line,
		lines->level != 0 ? "%" PRIu32 " line%s from 0x%" PRIx64 " to 0x%" PRIx64
				    "; the function on line %" PRIu32 " covers no address"
				  : "%" PRIu32 " line%s from 0x%" PRIx64 " to 0x%" PRIx64
				    ", past the end of the function on line %" PRIu32,
		lines->count, plural(lines->count), lines->first, lines->last,
		lines->function_line);

	lint_about(finding, lines->first, other != NULL ? other->line : lines->function_line);
	if (finding != NULL)
		finding->name = lint_name_at(reading, lines->function);
}

/* Whether another FUNC record covers a hole, and so may have lines for it. */
static bool
is_of_other(const struct lint_ranges *functions, const struct lint_stray *hole)
{
	size_t at = sorted_upto(SORTED(functions->list, functions->count, first), hole->first);

	/* If two functions overlap, one may begin between the other's start and the hole. */
	for (unsigned tries = 0; at > 0 && tries < 2; tries++)
		if (functions->list[--at].offset != hole->offset &&
		    functions->list[at].last >= hole->last)
			return true;
	return false;
}

/* Reports the holes of each function together. */
static void
report_holes(struct lint_reading *reading)
{
	const struct lint_strays *holes = &reading->covered.holes;

	for (size_t i = 0, next; i < holes->count; i = next) {
		const struct lint_stray *first = NULL, *hole = &holes->list[i];
		uint64_t bytes = 0;

		for (next = i; next < holes->count && holes->list[next].offset == hole->offset;
		     next++) {
			if (is_of_other(&reading->covered.functions, &holes->list[next]))
				continue;
			first = first != NULL ? first : &holes->list[next];
			bytes += holes->list[next].last - holes->list[next].first + 1;
		}
		if (first != NULL)
			lint_about(lint_report_at(reading, LINT_LINE_HOLE, hole->offset, hole->line,
						  "%" PRIu64 " byte%s, from 0x%" PRIx64 " on",
						  bytes, plural(bytes), first->first),
				   first->first, 0);
	}
}

void
lint_finish_lines(struct lint_reading *reading)
{
	report_holes(reading);
	for (size_t i = 0; i < reading->covered.beyond.count; i++)
		report_beyond(reading, &reading->covered.beyond.list[i]);
}
