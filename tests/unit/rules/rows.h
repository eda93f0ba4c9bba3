/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RULES_ROWS_H
#define TESTS_UNIT_RULES_ROWS_H

#include "tests/unit/rules/columns.h"

/** Tables of unwind rules made in a test, and their rows as text. */

static struct policy policy;

/** Fill the tables of a module for a range of code, without a function that limits it. */
static inline void
fill(const struct rule_module *module, uint64_t first, uint64_t last)
{
	rule_tables_init(&tables, &arena, module->arch, first, last);
	rule_tables_add_all(&tables, module);
}

/** "1001-1003 :3 *rsp+16 c-8 .", or the kind and message of a row without rules. */
static inline const char *
row_text(const struct rule_table *table, size_t index)
{
	static char text[400];
	const struct rule_row *row = &table->rows[index];
	char cell[64];
	int length = snprintf(text, sizeof(text), "%llx-%llx", (unsigned long long)row->address, (unsigned long long)row->last);

	if (row->record.input != NULL)
		length += snprintf(text + length, sizeof(text) - (size_t)length, " :%u", row->record.line);
	for (size_t i = 0; row->cells != NULL && i < tables.column_count; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, " %s%s%s",
				   row->cells[i].changed ? "*" : "", row->cells[i].differs ? "!" : "",
				   rule_cell_format(&tables, row, i, cell, sizeof(cell)));
	if (row->kind == RULE_ROW_NOTHING)
		length += snprintf(text + length, sizeof(text) - (size_t)length, " nothing");
	if (row->message != NULL)
		snprintf(text + length, sizeof(text) - (size_t)length, " (%s)", row->message);
	return text;
}

static inline void
rows_are(size_t number, const char *source, const char *const *expected, size_t count)
{
	const struct rule_table *table = &tables.tables[number];

	if (!ok(number < tables.count && strcmp(table->source, source) == 0, "a table of %s is made", source))
		return;
	ok(table->count == count, "the table of %s has %zu rows", source, count);
	for (size_t i = 0; i < count && i < table->count; i++)
		is_str(row_text(table, i), expected[i], "row %zu of %s is right", i, source);
}

#define ROWS(number, source, ...) \
	do { \
		static const char *const rows[] = { __VA_ARGS__ }; \
		rows_are(number, source, rows, ARRAY_COUNT(rows)); \
	} while (0)

#endif
