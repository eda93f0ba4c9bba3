/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint_internal.h"

/* Definitions and uses of the numbers of FILE and INLINE_ORIGIN records. */

/* Consecutive numbers, as writers give them, are neighbours in the table. */
static size_t
slot_of(uint64_t number, size_t room)
{
	return (size_t)(number + (number >> 20) * UINT64_C(0x9e3779b97f4a7c15)) & (room - 1);
}

static struct lint_number *
find_slot(struct lint_number *table, size_t room, uint64_t number)
{
	size_t slot = slot_of(number, room);

	while (table[slot].line != 0 && table[slot].number != number)
		slot = (slot + 1) & (room - 1);
	return &table[slot];
}

/* Enlarges the table, which is kept half empty. */
static bool
make_room(struct lint_reading *reading, struct lint_numbers *numbers)
{
	const size_t room = numbers->room != 0 ? 4 * numbers->room : 1024;

	struct lint_number *table = arena_array(reading->scratch, room, sizeof(*table));
	if (table == NULL) {
		reading->memory_ended = true;
		return false;
	}
	for (size_t i = 0; i < numbers->room; i++)
		if (numbers->table[i].line != 0)
			*find_slot(table, room, numbers->table[i].number) = numbers->table[i];
	numbers->table = table;
	numbers->room = room;
	return true;
}

static uint32_t
line_of(const struct lint_numbers *numbers, uint64_t number)
{
	return numbers->room != 0 ? find_slot(numbers->table, numbers->room, number)->line : 0;
}

/* Defines a number, unless it is defined; returns the line of the definition before, or 0. */
static uint32_t
define(struct lint_reading *reading, struct lint_numbers *numbers, uint64_t number, uint32_t line)
{
	if (2 * (numbers->count + 1) >= numbers->room && !make_room(reading, numbers))
		return 0;
	struct lint_number *slot = find_slot(numbers->table, numbers->room, number);
	if (slot->line != 0)
		return slot->line;
	if (numbers->count++ == 0)
		numbers->first = number;
	*slot = (struct lint_number){ number, line };
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

/* Notes the use of a number that is not defined yet. */
static void
use_undefined(struct lint_reading *reading, struct lint_uses *uses, uint64_t number, size_t skip)
{
	uint32_t position = line_of(&uses->index, number);

	if (position != 0) {
		uses->list[position - 1].times++;
		return;
	}
	struct lint_use *list = lint_grow(reading, uses->list, uses->count,
					   &uses->capacity, sizeof(*list));
	if (list == NULL)
		return;
	uses->list = list;
	list[uses->count++] = (struct lint_use){ .number = number, .offset = reading->offset,
						 .times = 1, .line = reading->line,
						 .column = (uint32_t)skip + 1 };
	define(reading, &uses->index, number, (uint32_t)uses->count);
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
	    (reading->outer == NULL || line_of(&reading->outer->numbers[set], number) == 0))
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
