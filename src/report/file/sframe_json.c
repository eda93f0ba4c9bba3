/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/names.h"
#include "report/file/sframe_text.h"
#include "rules/rule_set.h"
#include "sframe/sframe_field.h"

/* The cells of a row as text, and its rules if they are asked for. */
struct sframe_row_texts {
	char buffers[3][32];
	const char *cfa, *fp, *ra;
	const struct rule_set *set;	/* NULL: none */
};

static void
write_row(struct json *json, const struct sframe_function *function, const struct sframe_row *row,
	  bool rules);

static void
write_functions(struct json *json, const struct sframe *sframe, const struct sframe_choice *choice);

#define FACTS "report/file/sframe_facts.def"
#include "document/describe_facts.h"

static void
write_row(struct json *json, const struct sframe_function *function, const struct sframe_row *row,
	  bool rules)
{
	const struct sframe_table *table = function->table;
	const bool good = !row->outermost && row->problem == NULL;
	struct sframe_row_texts texts = { .set = NULL };
	struct arena arena;

	arena_init(&arena, 0);
	if (good) {
		texts.cfa = sframe_cell(table, &row->cfa, SFRAME_COLUMN_CFA, texts.buffers[0],
				       sizeof(texts.buffers[0]));
		texts.fp = sframe_cell(table, &row->fp, SFRAME_COLUMN_FP, texts.buffers[1],
				       sizeof(texts.buffers[1]));
		texts.ra = sframe_cell(table, &row->ra, SFRAME_COLUMN_RA, texts.buffers[2],
				       sizeof(texts.buffers[2]));
	}
	if (good && rules)
		texts.set = rule_set_sframe(&arena, sframe_arch(table->abi), function, row);
	json_object(json, NULL);
	sframe_row_members(json, row, &texts, good, good && rules);
	json_object_end(json);
	arena_free(&arena);
}

static void
write_functions(struct json *json, const struct sframe *sframe, const struct sframe_choice *choice)
{
	struct sframe_function function;

	for (size_t i = 0; i < sframe->function_count; i++) {
		sframe_function(sframe, i, &function);
		if (choice->wanted != NULL && !choice->wanted(choice->context, &function))
			continue;
		json_object(json, NULL);
		sframe_function_members(json, &function,
					choice->name != NULL
						? choice->name(choice->context, &function)
						: NULL,
					choice->rules);
		json_object_end(json);
	}
}
