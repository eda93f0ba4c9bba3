/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/contradicted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/call.h"
#include "code/instruction.h"
#include "walk/frame_rules.h"
#include "walk/location.h"

/* Instructions of a function that are looked at for a jump out of it. */
#define INSTRUCTIONS 4096u

/* Where a cell finds the caller's value: an address, or a value itself. False: not known. */
static bool
evaluate(const struct rule_row *row, size_t column, const struct registers *registers,
	 uint64_t *value)
{
	const struct linear *linear = &row->cells[column].linear;
	uint64_t base = 0;

	if (row->cells[column].kind != RULE_CELL_RULE || !linear->known || linear->parameters)
		return false;
	if (linear->base == LINEAR_CFA && column > 0 && row->cells[0].linear.base != LINEAR_CFA) {
		if (row->cells[0].linear.dereference || !evaluate(row, 0, registers, &base))
			return false;
	} else if (linear->base < 0 || !registers_known(registers, linear->base)) {
		return false;
	} else {
		base = registers->value[linear->base];
	}
	*value = base + (uint64_t)linear->offset;
	return true;
}

/* Whether two rows lead to another value of a column in this frame. */
static bool
differs_here(const struct rule_tables *tables, const struct rule_row *one,
	     const struct rule_row *other, size_t column, const struct registers *registers)
{
	uint64_t values[2];

	if (tables->columns[column].kind == RULE_COLUMN_OTHER ||
	    !rule_rows_differ(tables, one, other, column))
		return false;
	return !evaluate(one, column, registers, &values[0]) ||
	       !evaluate(other, column, registers, &values[1]) || values[0] != values[1] ||
	       one->cells[column].linear.dereference != other->cells[column].linear.dereference;
}

/* "STACK CFI, line 172, says rsp+9032". */
static const char *
say(const struct rule_tables *tables, const struct rule_table *table, const struct rule_row *row,
    size_t column, struct arena *arena)
{
	const struct rule_cell *cell = &row->cells[column];
	const struct place *place = cell->record.input != NULL ? &cell->record : &row->record;
	char value[128], line[32] = "";

	if (place->line != 0)
		snprintf(line, sizeof(line), " (line %" PRIu32 ")", place->line);
	if (cell->kind == RULE_CELL_KEPT || cell->kind == RULE_CELL_LOST)
		return arena_format(arena, "%s%s says nothing of it", table->source, line);
	return arena_format(arena, "%s%s says %s", table->source, line,
			    rule_cell_format(tables, row, column, value, sizeof(value)));
}

/* Whether a walk has asked a table first, and refused what it says. */
static bool
was_refused(const struct walk *walk, size_t table, size_t in_force)
{
	return table < in_force && walk->policy.method_count == 0;
}

/* What another table says at the address of frame `number`, whose rules led to its caller. */
static const char *
by_rules(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	const struct frame *frame = &walk->frames[number];
	struct frame_rules rules;

	frame_rules_here(&rules, walk, number, arena);
	const struct rule_tables *tables = &rules.tables;
	if (tables->failed || rules.in_force == SIZE_MAX || tables->column_count == 0 ||
	    tables->columns[0].kind != RULE_COLUMN_CFA)
		return NULL;
	const struct rule_table *table = &tables->tables[rules.in_force];
	const struct rule_row *row = rule_table_at(table, rules.address);
	for (size_t i = 0; i < tables->count && row != NULL && row->cells != NULL; i++) {
		const struct rule_table *against = &tables->tables[i];
		const struct rule_row *other = rule_table_at(against, rules.address);

		/* Of STACK WIN records the first that says anything counts, the others are rougher. */
		if (i == rules.in_force || was_refused(walk, i, rules.in_force) || other == NULL || other->kind != RULE_ROW_RULES ||
		    other->cells == NULL || other->broken ||
		    (row->partial && other->partial && walk->arch->stack_win))
			continue;
		for (size_t column = 0; column < tables->column_count; column++) {
			if (!differs_here(tables, row, other, column, &frame->registers))
				continue;
			const char *name = text_printable_copy(arena, tables->columns[column].name);
			const char *one = say(tables, table, row, column, arena);
			const char *two = say(tables, against, other, column, arena);
			*place = row->cells[column].record.input != NULL
					 ? row->cells[column].record : row->record;
			return arena_format(arena, "%s: %s, %s", text_or_empty(name),
					    text_or_empty(one), text_or_empty(two));
		}
	}
	return NULL;
}

/* Whether a function can be left by a jump, as before a call at its end; also if not known. */
static bool
may_jump_out(const struct walk *walk, uint64_t first, uint64_t end)
{
	struct instruction at;
	unsigned count = 0;

	for (uint64_t address = first; address < end; address += at.length) {
		if (count++ == INSTRUCTIONS ||
		    !instruction_at(&at, walk->arch, &walk->memory, walk->binaries, false, address))
			return true;
		if ((at.kinds & INSTRUCTION_JUMP) != 0 &&
		    (!at.has_target || at.target < first || at.target >= end))
			return true;
	}
	return false;
}

/* The FUNC or the sized symbol around an address of a module; false: none. */
static bool
find_function(const struct walk *walk, uint64_t address, struct arena *arena, uint64_t *first,
	      uint64_t *end, struct text *name)
{
	struct location location;

	location_of(walk, address, arena, NULL, &location);
	const struct function *function = &location.symbol.function;
	if (location.module == NULL || location.module->unloaded || !location.symbol.found ||
	    function->kind != SYMBOL_FUNC ||
	    address - location.module->base - function->address >= function->size)
		return false;
	*first = location.module->base + function->address;
	*end = *first + function->size;
	*name = function->name;
	return true;
}

/* What the call before the return address says: it calls another function, which cannot have jumped
 * to the callee. */
static const char *
by_call(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	const struct frame *callee = &walk->frames[number], *caller = callee + 1;
	uint64_t first, end, callee_first, callee_end;
	struct text called, name;

	if (caller->interrupted)
		return NULL;
	const struct call_site site = call_find(walk->arch, &walk->memory, walk->binaries,
						caller->registers.value[walk->arch->pc]);
	if (site.answer != CALL_YES || !site.direct ||
	    !find_function(walk, callee->lookup, arena, &callee_first, &callee_end, &name) ||
	    !find_function(walk, site.target, arena, &first, &end, &called) ||
	    first == callee_first || site.target != first || may_jump_out(walk, first, end))
		return NULL;
	*place = site.place;
	const char *one = text_printable_copy(arena, called);
	const char *two = text_printable_copy(arena, name);
	return arena_format(arena, "the call at 0x%" PRIx64 ", before its return address, calls %s, "
				   "not %s", site.address, text_or_empty(one), text_or_empty(two));
}

const char *
frame_contradicted(struct walk *walk, size_t number, struct arena *arena, struct place *place)
{
	const struct frame *frame = &walk->frames[number];
	struct place unused;

	if (number == 0 || number >= CONTRADICTED_FRAMES ||
	    trust_table[frame->trust].certainty == CERTAINTY_GUESSED)
		return NULL;
	place = place != NULL ? place : &unused;
	*place = (struct place){ 0 };
	const char *text = frame_by_record(frame) ? by_rules(walk, number - 1, arena, place) : NULL;
	return text != NULL ? text : by_call(walk, number - 1, arena, place);
}
