/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_table.h"

/* The rows of SFrame function descriptors. */

static bool
covers(const struct rule_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct sframe_function function;

	if (!sframe_find(source->sframe, address + source->bias, &function))
		return false;
	*first = function.address - source->bias;
	*last = *first + function.size - 1;
	return true;
}

static void
add_row(struct rule_tables *tables, const struct sframe_function *function,
	const struct sframe_row *row, uint64_t address)
{
	if (row->problem != NULL) {
		struct rule_row *nothing = rule_tables_nothing(tables, address, row->problem);

		if (nothing != NULL)
			nothing->record = row->place, nothing->broken = true;
		return;
	}
	const struct rule_set none = { .cfa = -1, .return_address = -1 };
	const struct rule_set *set =
		row->outermost ? &none
			       : rule_set_sframe(tables->arena, tables->arch, function, row);
	tables->failed = tables->failed || set == NULL;
	if (set == NULL)
		return;
	struct rule_row *added = rule_tables_row(tables, address, row->place, set);
	if (row->outermost)
		rule_tables_outermost(tables, added);
	if (row->outermost && added != NULL)
		added->message = "outermost function: its return address is undefined";
}

/* One run of the rows, of which PLT-like functions have several; false where it is broken. */
static bool
add_rows(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	 uint64_t end)
{
	const struct rule_table *table = &tables->tables[tables->count - 1];
	struct sframe_cursor cursor;
	struct sframe_row row;

	sframe_rows(function, &cursor);
	while (!tables->failed && !table->full && sframe_next_row(&cursor, &row)) {
		const uint64_t address = start + row.offset;

		if (row.offset > end - start || address > tables->last)
			break;
		add_row(tables, function, &row, address);
	}
	if (cursor.problem == NULL)
		return true;
	rule_tables_record(tables, start + cursor.previous <= tables->last
					   ? start + cursor.previous : start,
			   cursor.place, cursor.problem);
	return false;
}

static void
add_function(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	     uint64_t last)
{
	const struct rule_table *table = &tables->tables[tables->count - 1];
	const uint64_t block = function->masked && function->repeat > 0 ? function->repeat
									: function->size;
	uint64_t at = start;

	if (function->problem != NULL) {
		struct rule_row *nothing = rule_tables_nothing(tables, at, function->problem);

		if (nothing != NULL)
			nothing->record = function->place, nothing->broken = true;
		return;
	}
	if (tables->first > start)
		at += (tables->first - start) / block * block;
	for (; at <= last && at <= tables->last && !table->full; at += block)
		if (!add_rows(tables, function, at, last - at < block ? last : at + block - 1))
			break;
}

/* The first function that begins above `address`, in the order of addresses. */
static bool
next_function(const struct rule_source *source, uint64_t address, struct sframe_function *function)
{
	size_t low = 0, high = source->sframe->function_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sframe_ordered(source->sframe, middle, function) &&
		    function->address - source->bias <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return sframe_ordered(source->sframe, low, function);
}

static void
fill(const struct rule_source *source, struct rule_tables *tables)
{
	const struct rule_table *table = &tables->tables[tables->count - 1];
	struct sframe_function function, next;
	uint64_t at = tables->first;

	while (!tables->failed && !table->full) {
		if (sframe_find(source->sframe, at + source->bias, &function)) {
			const uint64_t start = function.address - source->bias;
			uint64_t last = start + function.size - 1;

			/* Of functions that overlap the one that begins later counts. */
			if (next_function(source, at, &next) &&
			    next.address - source->bias <= last)
				last = next.address - source->bias - 1;
			add_function(tables, &function, start, last);
			if (last >= tables->last)
				break;
			at = last + 1;
			continue;
		}
		rule_tables_nothing(tables, at, NULL);
		if (!next_function(source, at, &function) ||
		    function.address - source->bias > tables->last)
			break;
		at = function.address - source->bias;
	}
}

struct rule_source
rule_source_sframe(const struct sframe *sframe, uint64_t bias)
{
	return (struct rule_source){ .name = "SFrame", .covers = covers, .fill = fill,
				     .sframe = sframe, .bias = bias };
}
