/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint_internal.h"

/* Definitions and uses of the numbers of FILE and INLINE_ORIGIN records. */

static uint32_t
line_of(const struct lint_numbers *numbers, uint64_t number)
{
	uint32_t line = 0;

	number_map_find(&numbers->lines, number + 1, &line);
	return line;
}

/* Defines a number if it is undefined. Returns the line of an earlier definition, or 0. */
static uint32_t
define(struct lint_reading *reading, struct lint_numbers *numbers, uint64_t number, uint32_t line)
{
	const uint32_t before = line_of(numbers, number);

	if (before != 0)
		return before;
	if (!number_map_put(&numbers->lines, number + 1, line)) {
		reading->memory_ended = true;
		return 0;
	}
	if (numbers->lines.count == 1)
		numbers->first = number;
	if (number == numbers->first + numbers->run)
		while (line_of(numbers, numbers->first + numbers->run) != 0)
			numbers->run++;
	return 0;
}

uint32_t
lint_define(struct lint_reading *reading, enum lint_numbered set, uint64_t number)
{
	return define(reading, &reading->numbers[set], number, reading->line);
}

static void
use_undefined(struct lint_reading *reading, struct lint_uses *uses, uint64_t number, size_t skip)
{
	uint32_t position = line_of(&uses->index, number);

	if (position != 0) {
		uses->list[position - 1].times++;
		return;
	}
	const struct lint_use use = { .number = number, .offset = reading->offset, .times = 1,
				      .line = reading->line, .column = (uint32_t)skip + 1 };
	if (ARENA_ADD(reading->scratch, uses->list, uses->count, uses->capacity, &use))
		define(reading, &uses->index, number, (uint32_t)uses->count);
	else
		reading->memory_ended = true;
}

void
lint_take_uses(struct lint_reading *reading, enum lint_numbered set, const struct lint_uses *more)
{
	struct lint_uses *uses = &reading->uses[set];

	for (size_t i = 0; i < more->count; i++) {
		const struct lint_use *use = &more->list[i];
		const uint32_t position = line_of(&uses->index, use->number);

		if (position != 0) {
			uses->list[position - 1].times += use->times;
			continue;
		}
		reading->offset = use->offset;
		reading->line = use->line;
		use_undefined(reading, uses, use->number, use->column - 1);
		if (uses->count > 0)
			uses->list[uses->count - 1].times = use->times;
	}
}

void
lint_use_unknown(struct lint_reading *reading, enum lint_numbered set, uint64_t number,
		 size_t skip)
{
	if (line_of(&reading->numbers[set], number) == 0 &&
	    (reading->part.outer == NULL ||
	     line_of(&reading->part.outer->numbers[set], number) == 0))
		use_undefined(reading, &reading->uses[set], number, skip);
}

void
lint_finish_uses(struct lint_reading *reading, enum lint_numbered set, enum lint_code undefined,
		 enum lint_code late)
{
	const struct lint_uses *uses = &reading->uses[set];

	for (size_t i = 0; i < uses->count; i++) {
		const struct lint_use *use = &uses->list[i];
		uint32_t defined = line_of(&reading->numbers[set], use->number);
		struct lint_finding *finding = lint_report_at(
			reading, defined != 0 ? late : undefined, use->offset, use->line,
			"number %llu, used %llu time%s%s", (unsigned long long)use->number,
			(unsigned long long)use->times, plural(use->times),
			defined != 0 ? " before it" : "");

		if (finding == NULL)
			continue;
		finding->other = defined;
		finding->place.offset += use->column - 1;
		finding->place.column = use->column;
		finding->place.length = 1;
	}
}

void
lint_numbers_free(struct lint_reading *reading)
{
	for (unsigned set = 0; set < LINT_NUMBERED; set++) {
		number_map_free(&reading->numbers[set].lines);
		number_map_free(&reading->uses[set].index.lines);
	}
}
