/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sorted.h"
#include "rules/show_rows.h"

/* Most bytes of one expression: a register, a number, two operators. */
#define EXPRESSION 64

/* The rules of one row while they are written. */
struct rule_writer {
	struct arena *arena;
	const struct arch *arch;
	struct rule_part parts[4];	/* CFA, return address, stack and frame pointer */
	size_t count;
	const char *problem;
};

static const char *
name_of(struct rule_writer *writer, int dwarf)
{
	const int reg = arch_dwarf_register(writer->arch, dwarf);
	const char *name = reg >= 0 ? writer->arch->registers[reg].name : NULL;

	if (name == NULL)
		writer->problem = "a rule names a register that the architecture does not have";
	return name != NULL ? name : "";
}

static void
add(struct rule_writer *writer, const char *name, const char *expression, struct place place)
{
	char *copy = arena_copy(writer->arena, expression, strlen(expression));

	if (copy == NULL) {
		writer->problem = OUT_OF_MEMORY;
		return;
	}
	writer->parts[writer->count++] = (struct rule_part){
		.name = text_of(name), .expression = text_of(copy), .record = place };
}

/* "base offset + ^", or the parts of it that the rule has. */
static void
add_rule(struct rule_writer *writer, const char *name, const struct sframe_rule *rule)
{
	const char *base = rule->base == SFRAME_CFA ? ".cfa" : name_of(writer, rule->base);
	char expression[EXPRESSION];

	if (rule->kind == SFRAME_IN_REGISTER)
		snprintf(expression, sizeof(expression), "%s", base);
	else
		snprintf(expression, sizeof(expression), "%s %" PRId64 " +%s", base, rule->offset,
			 rule->dereference ? " ^" : "");
	add(writer, name, expression, rule->place);
}

const struct rule_set *
rule_set_sframe(struct arena *arena, const struct arch *arch,
		const struct sframe_function *function, const struct sframe_row *row)
{
	const struct sframe_registers *numbers = sframe_registers(function->table->abi);
	struct rule_writer writer = { .arena = arena, .arch = arch };
	char expression[EXPRESSION];

	add_rule(&writer, ".cfa", &row->cfa);
	if (!sframe_is_unsaved(&row->ra))
		add_rule(&writer, ".ra", &row->ra);
	else if (arch->lr == ARCH_NO_REGISTER)
		writer.problem = "the row has no rule for the return address";
	else
		add(&writer, ".ra", arch->registers[arch->lr].name, row->place);
	snprintf(expression, sizeof(expression), ".cfa %" PRId64 " +", numbers->cfa_to_sp);
	add(&writer, name_of(&writer, numbers->sp), numbers->cfa_to_sp != 0 ? expression : ".cfa",
	    row->cfa.place);
	if (!sframe_is_unsaved(&row->fp))
		add_rule(&writer, name_of(&writer, numbers->fp), &row->fp);
	struct rule_set *set = rule_set_parts(arena, arch, writer.parts, writer.count);
	if (set == NULL)
		return NULL;
	set->record = row->place;
	set->problem = writer.problem;
	return set;
}

/* Rows ----------------------------------------------------------------------------------------- */

bool
sframe_covers(const struct unwind_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function function;

	if (!sframe_find(sframe, address + bias, &function))
		return false;
	*first = function.address - bias;
	*last = *first + function.size - 1;
	return true;
}

static void
fill_row(struct rule_tables *tables, const struct sframe_function *function,
	const struct sframe_row *row, uint64_t address)
{
	if (row->problem != NULL) {
		rule_tables_defect(tables, address, row->place, row->problem);
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
}

/* One run of the rows (PLT-like functions have several); false if it is broken. */
static bool
add_rows(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	 uint64_t end)
{
	struct sframe_cursor cursor;
	struct sframe_row row;

	sframe_rows(function, &cursor);
	while (rule_tables_more(tables) && sframe_next_row(&cursor, &row)) {
		const uint64_t address = start + row.offset;

		if (row.offset > end - start || address > tables->last)
			break;
		fill_row(tables, function, &row, address);
	}
	if (cursor.problem == NULL)
		return true;
	rule_tables_record(tables, start + cursor.previous, cursor.place, cursor.problem);
	return false;
}

static void
add_function(struct rule_tables *tables, const struct sframe_function *function, uint64_t start,
	     uint64_t last)
{
	uint64_t at = start;

	if (function->problem != NULL) {
		rule_tables_defect(tables, at, function->place, function->problem);
		return;
	}
	const uint64_t block = function->masked ? function->repeat : function->size;
	if (tables->first > start)
		at += (tables->first - start) / block * block;
	for (; at <= last && at <= tables->last && rule_tables_more(tables); at += block)
		if (!add_rows(tables, function, at, last - at < block ? last : at + block - 1))
			break;
}

/* The first function that begins above `address`, in the order of addresses. */
static bool
next_function(const struct unwind_source *source, uint64_t address,
	      struct sframe_function *function)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	size_t at;

	BISECT(at, sframe->function_count,
	       sframe_ordered(sframe, at, function) && function->address - bias <= address);
	return sframe_ordered(sframe, at, function);
}

void
sframe_show(const struct unwind_source *source, struct rule_tables *tables)
{
	const struct sframe *sframe = source->module->sframe;
	const uint64_t bias = source->module->sframe_bias;
	struct sframe_function function, next;
	uint64_t at = tables->first;

	while (rule_tables_more(tables)) {
		if (sframe_find(sframe, at + bias, &function)) {
			const uint64_t start = function.address - bias;
			uint64_t last = start + function.size - 1;

			/* If functions overlap, the later one wins. */
			if (next_function(source, at, &next) &&
			    next.address - bias <= last)
				last = next.address - bias - 1;
			add_function(tables, &function, start, last);
			if (last >= tables->last)
				break;
			at = last + 1;
			continue;
		}
		rule_tables_nothing(tables, at);
		if (!next_function(source, at, &function) ||
		    function.address - bias > tables->last)
			break;
		at = function.address - bias;
	}
}
