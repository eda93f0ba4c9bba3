/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "sframe/sframe_field.h"
#include "document/json.h"
#include "report/file/sframe_text.h"
#include "rules/rule_set.h"

static void
write_place(struct json *json, struct place place)
{
	json_number(json, "offset", place.offset);
	json_number(json, "length", place.length);
}

static void
write_tables(struct json *json, const struct sframe *sframe)
{
	json_array(json, "tables");
	for (size_t i = 0; i < sframe->table_count; i++) {
		const struct sframe_table *table = &sframe->tables[i];

		json_object(json, NULL);
		json_hex(json, "address", table->address, 1);
		json_number(json, "version", table->version);
		json_bool(json, "big_endian", table->reader.big_endian);
		json_string(json, "abi", sframe_abi_name(table->abi));
		json_hex(json, "flags", table->flags, 1);
		json_signed(json, "fixed_fp", table->fixed_fp);
		json_signed(json, "fixed_ra", table->fixed_ra);
		json_number(json, "auxiliary_size", table->auxiliary_size);
		json_number(json, "functions", table->function_count);
		json_number(json, "rows", table->row_count);
		json_number(json, "row_bytes", table->row_bytes);
		json_bool(json, "field_relative", table->field_relative);
		json_bool(json, "sorted", table->sorted);
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_rule_set(struct json *json, const struct sframe_function *function,
	       const struct sframe_row *row)
{
	struct arena arena;

	arena_init(&arena, 0);
	const struct rule_set *set =
		rule_set_sframe(&arena, sframe_arch(function->table->abi), function, row);
	json_array(json, "rules");
	for (size_t i = 0; set != NULL && i < set->count; i++) {
		json_object(json, NULL);
		json_text(json, "register", set->rules[i].name);
		json_text(json, "expression", set->rules[i].program->text);
		write_place(json, set->rules[i].record);
		json_object_end(json);
	}
	json_array_end(json);
	json_string(json, "problem", set != NULL ? set->problem : NULL);
	arena_free(&arena);
}

static void
write_row(struct json *json, const struct sframe_function *function, const struct sframe_row *row,
	  bool rules)
{
	const struct sframe_table *table = function->table;
	char buffer[32];

	json_object(json, NULL);
	json_number(json, "index", row->number);
	json_hex(json, "start", row->offset, 1);
	if (row->outermost) {
		json_bool(json, "outermost", true);
	} else if (row->problem != NULL) {
		json_string(json, "problem", row->problem);
	} else {
		json_string(json, "cfa", sframe_cell(table, &row->cfa, SFRAME_COLUMN_CFA, buffer,
						    sizeof(buffer)));
		json_string(json, "fp", sframe_cell(table, &row->fp, SFRAME_COLUMN_FP, buffer,
						   sizeof(buffer)));
		json_string(json, "ra", sframe_cell(table, &row->ra, SFRAME_COLUMN_RA, buffer,
						   sizeof(buffer)));
		json_bool(json, "signed", row->signed_ra);
		if (rules)
			write_rule_set(json, function, row);
	}
	write_place(json, row->place);
	json_object_end(json);
}

static void
write_function(struct json *json, const struct sframe_function *function, const char *name,
	       bool rules)
{
	struct sframe_cursor cursor;
	struct sframe_row row;

	json_object(json, NULL);
	json_number(json, "index", function->number);
	json_string(json, "name", name);
	json_hex(json, "address", function->address, 1);
	json_number(json, "size", function->size);
	json_bool(json, "masked", function->masked);
	json_number(json, "repeat", function->repeat);
	json_bool(json, "flexible", function->flexible);
	json_bool(json, "signal", function->signal);
	json_string(json, "key", function->key_b ? "B" : "A");
	write_place(json, function->place);
	json_array(json, "rows");
	sframe_rows(function, &cursor);
	while (sframe_next_row(&cursor, &row))
		write_row(json, function, &row, rules);
	json_array_end(json);
	json_string(json, "problem", cursor.problem);
	json_object_end(json);
}

void
sframe_json(const struct output *output, const struct sframe *sframe, const char *how,
	    const struct sframe_choice *choice)
{
	struct json json;
	struct sframe_function function;

	json_begin(&json, output, choice->pretty);
	json_object(&json, NULL);
	json_string(&json, "found", how);
	write_tables(&json, sframe);
	json_array(&json, "functions");
	for (size_t i = 0; i < sframe->function_count; i++) {
		sframe_function(sframe, i, &function);
		if (choice->wanted == NULL || choice->wanted(choice->context, &function))
			write_function(&json, &function,
				       choice->name != NULL
					       ? choice->name(choice->context, &function)
					       : NULL,
				       choice->rules);
	}
	json_array_end(&json);
	json_array(&json, "messages");
	for (size_t i = 0; i < sframe->messages.count; i++) {
		const struct message *message = &sframe->messages.messages[i];

		json_object(&json, NULL);
		json_string(&json, "kind", message_kind_name(message->kind));
		json_string(&json, "text", message->text);
		json_string(&json, "hint", message->hint);
		write_place(&json, message->place);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
}
