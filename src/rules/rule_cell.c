/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "rules/rule_table.h"

/* How cells are written: short as readelf does, and in words. */

bool
rule_cell_distance(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		   int64_t *distance)
{
	const struct linear *linear = &row->cells[column].linear;
	/* The CFA's column comes first, if there is one. */
	const struct linear *cfa = &row->cells[0].linear;
	uint64_t offset = (uint64_t)linear->offset;

	if (tables->columns[0].kind != RULE_COLUMN_CFA || column == 0 || !linear->known)
		return false;
	if (linear->base != LINEAR_CFA) {
		if (row->cells[0].kind != RULE_CELL_RULE || !cfa->known || cfa->dereference ||
		    cfa->base != linear->base || cfa->base == LINEAR_NONE ||
		    cfa->parameters != linear->parameters)
			return false;
		offset -= (uint64_t)cfa->offset;
		if (tables->arch->word_size == 4)
			offset = (uint64_t)(int64_t)(int32_t)(uint32_t)offset;
	}
	*distance = (int64_t)offset;
	return linear->dereference;
}

/* "rbp+16+p": register, offset and the callee's parameters. */
static void
format_sum(const struct rule_tables *tables, const struct linear *linear, char *buffer, size_t size)
{
	const char *base = linear->base >= 0 ? tables->arch->registers[linear->base].label
			   : linear->base == LINEAR_CFA ? "cfa" : "";
	const char *parameters = linear->parameters ? "+p" : "";

	if (linear->offset == 0 && *base != '\0')
		snprintf(buffer, size, "%s%s", base, parameters);
	else if (*base != '\0')
		snprintf(buffer, size, "%s%+" PRId64 "%s", base, linear->offset, parameters);
	else
		snprintf(buffer, size, "%" PRId64 "%s", linear->offset, parameters);
}

static const char *
format_rule(const struct rule_tables *tables, const struct rule_row *row, size_t column,
	    char *buffer, size_t size)
{
	const struct linear *linear = &row->cells[column].linear;
	char sum[64];
	int64_t distance;

	if (!linear->known)
		snprintf(buffer, size, "exp");
	else if (rule_cell_distance(tables, row, column, &distance))
		snprintf(buffer, size, "c%+" PRId64, distance);
	else if (linear->base == LINEAR_CFA && !linear->dereference && column > 0)
		snprintf(buffer, size, "v%+" PRId64, linear->offset);
	else if (column == 0 && linear->base >= 0 && linear->offset == 0 && !linear->dereference)
		snprintf(buffer, size, "%s+0%s", tables->arch->registers[linear->base].label,
			 linear->parameters ? "+p" : "");
	else {
		format_sum(tables, linear, sum, sizeof(sum));
		snprintf(buffer, size, linear->dereference ? "[%s]" : "%s", sum);
	}
	return buffer;
}

const char *
rule_cell_format(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		 char *buffer, size_t size)
{
	static const char *const signs[] = {
		[RULE_CELL_KEPT] = ".", [RULE_CELL_LOST] = "-", [RULE_CELL_SAME] = "s",
		[RULE_CELL_UNDEFINED] = "u",
	};
	const enum rule_cell_kind kind = row->cells[column].kind;

	if (kind == RULE_CELL_RULE)
		return format_rule(tables, row, column, buffer, size);
	snprintf(buffer, size, "%s", signs[kind]);
	return buffer;
}

const char *
rule_cell_explain(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		  char *buffer, size_t size)
{
	static const char *const words[] = {
		[RULE_CELL_KEPT] = "unchanged: no record mentions it, and calls preserve it",
		[RULE_CELL_LOST] = "no value: no record mentions it",
		[RULE_CELL_SAME] = "unchanged by a record",
		[RULE_CELL_UNDEFINED] = "undefined: its rule is a name without a value",
	};
	const struct rule_cell *cell = &row->cells[column];
	char sum[64];
	int64_t distance;

	if (cell->kind != RULE_CELL_RULE) {
		snprintf(buffer, size, "%s", words[cell->kind]);
	} else if (!cell->linear.known) {
		snprintf(buffer, size, "a longer expression");
	} else if (rule_cell_distance(tables, row, column, &distance)) {
		snprintf(buffer, size, "the word at the CFA %s %" PRIu64,
			 distance < 0 ? "less" : "plus",
			 distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance);
	} else {
		format_sum(tables, &cell->linear, sum, sizeof(sum));
		snprintf(buffer, size, "%s%s%s", cell->linear.dereference ? "the word at " : "", sum,
			 cell->linear.parameters ? ", p the bytes of its callee's parameters" : "");
	}
	return buffer;
}
