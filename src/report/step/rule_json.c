/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/rule_listing.h"
#include "report/stack/walk_json_internal.h"

/* Tables of unwind rules as JSON. */

static void
write_cell(struct json *json, const struct rule_tables *tables, const struct rule_row *row,
	   size_t column)
{
	static const char *const kinds[] = {
		[RULE_CELL_KEPT] = "kept", [RULE_CELL_LOST] = "lost", [RULE_CELL_SAME] = "same",
		[RULE_CELL_UNDEFINED] = "undefined", [RULE_CELL_RULE] = "rule",
	};
	const struct rule_cell *cell = &row->cells[column];
	char buffer[128];

	if (cell->kind == RULE_CELL_KEPT || cell->kind == RULE_CELL_LOST)
		return;
	json_object(json, NULL);
	json_text(json, "register", tables->columns[column].name);
	json_string(json, "kind", kinds[cell->kind]);
	json_string(json, "short", rule_cell_format(tables, row, column, buffer, sizeof(buffer)));
	json_text(json, "expression", cell->text);
	json_bool(json, "changed", cell->changed);
	json_bool(json, "differs", cell->differs);
	walk_json_place(json, "place", cell->place);
	walk_json_place(json, "record", cell->record);
	json_object_end(json);
}

static void
write_row(struct json *json, const struct rule_view *view, size_t table,
	  const struct rule_row *row)
{
	static const char *const kinds[] = {
		[RULE_ROW_RULES] = "rules", [RULE_ROW_NOTHING] = "nothing",
		[RULE_ROW_RECORD] = "record",
	};
	const bool in_force = row->label == NULL && view->marked && row->kind != RULE_ROW_RECORD &&
			      row->address <= view->address && view->address <= row->last;

	json_object(json, NULL);
	json_string(json, "kind", kinds[row->kind]);
	if (row->label != NULL)
		json_string(json, "method", row->label);
	json_hex(json, "from", row->address + view->bias, 1);
	json_hex(json, "to", row->last + view->bias, 1);
	json_bool(json, "in_force", in_force);
	json_bool(json, "obeyed", in_force && view->in_force == table);
	json_bool(json, "broken", row->broken);
	json_string(json, "message", row->message);
	walk_json_place(json, "record", row->record);
	json_array(json, "cells");
	for (size_t i = 0; row->cells != NULL && i < view->tables->column_count; i++)
		write_cell(json, view->tables, row, i);
	json_array_end(json);
	json_object_end(json);
}

static void
write_table(struct json *json, const struct rule_view *view, size_t number)
{
	const struct rule_table *table = &view->tables->tables[number];

	json_object(json, NULL);
	json_string(json, "source", table->source);
	json_string(json, "note", table->note);
	json_bool(json, "complete", !table->full);
	json_array(json, "rows");
	for (size_t i = 0; i < table->count; i++)
		write_row(json, view, number, &table->rows[i]);
	json_array_end(json);
	json_object_end(json);
}

void
rule_tables_json_sources(struct json *json, const struct rule_view *view)
{
	json_string(json, "architecture", view->tables->arch->name);
	json_array(json, "columns");
	for (size_t i = 0; i < view->tables->column_count; i++)
		json_text(json, NULL, view->tables->columns[i].name);
	json_array_end(json);
	json_array(json, "sources");
	for (size_t i = 0; i < view->tables->count; i++)
		write_table(json, view, i);
	json_array_end(json);
}

void
rule_tables_json(struct json *json, const struct rule_view *view)
{
	const struct rule_run *run = view->run;

	if (run->named)
		json_text(json, "function", run->function.name);
	else
		json_null(json, "function");
	json_hex(json, "from", run->first + view->bias, 1);
	json_hex(json, "to", run->last + view->bias, 1);
	rule_tables_json_sources(json, view);
}
