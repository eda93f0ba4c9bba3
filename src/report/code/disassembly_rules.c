/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "report/code/disassembly_internal.h"
#include "report/report.h"
#include "walk/frame_rules.h"

/* Where the unwind rules change: of the first source of the module that says anything here. */

void
disassembly_find_rules(struct disassembly *out)
{
	const struct walk *walk = out->options.walk;
	struct rule_module module = { .arch = out->around->arch, .policy = &out->around->policy,
				      .symfile = out->name.symfile };
	struct rule_source sources[RULE_SOURCES];

	if (out->name.module == MODULE_NONE || out->end <= out->start ||
	    out->start < out->name.base)
		return;
	if (walk != NULL && out->seen != NULL)
		module = frame_rules_module(walk, out->name.module);
	const size_t count = rule_sources(&module, sources);
	rule_tables_init(&out->rules, &out->arena, out->around->arch, out->start - out->name.base,
			 out->end - 1 - out->name.base);
	for (size_t i = 0; i < count; i++)
		rule_tables_add(&out->rules, &sources[i]);
	rule_tables_finish(&out->rules);
	for (size_t i = 0; i < out->rules.count && out->rule_table == NULL; i++)
		if (out->rules.tables[i].count > 0)
			out->rule_table = &out->rules.tables[i];
}

bool
disassembly_add_rules(struct disassembly *out, size_t *next, uint64_t address)
{
	const struct rule_table *table = out->rule_table;
	const size_t first = *next;

	if (table == NULL)
		return true;
	/* What begins within an instruction holds from the next one on; the last of them counts. */
	for (; *next < table->count && table->rows[*next].address + out->name.base <= address;
	     ++*next)
		continue;
	size_t at = *next;
	while (at > first && table->rows[at - 1].kind == RULE_ROW_RECORD)
		at--;
	return at == first ||
	       disassembly_add(out, DISASSEMBLY_RULES, address, 0, (uint32_t)(at - 1));
}

/* Rules that are new here; of the first row all rules. */
bool
disassembly_rule_is_new(const struct disassembly *out, const struct rule_row *rule, size_t column)
{
	const struct rule_cell *cell = &rule->cells[column];
	const bool said = cell->kind != RULE_CELL_KEPT && cell->kind != RULE_CELL_LOST;

	return rule == out->rule_table->rows ? said : cell->changed;
}

void
disassembly_fill_rules(const struct disassembly *out, const struct disassembly_row *at,
		       struct row *row)
{
	const struct rule_row *rule = &out->rule_table->rows[at->item];
	char cell[128];

	row_add(row, ROLE_DIM, "unwind ");
	if (rule->kind != RULE_ROW_RULES || rule->cells == NULL) {
		row_add(row, ROLE_DIM, "%s has no rules from here on", out->rule_table->source);
		return;
	}
	for (size_t i = 0; i < out->rules.column_count; i++) {
		if (!disassembly_rule_is_new(out, rule, i))
			continue;
		row_add_text(row, ROLE_TITLE, out->rules.columns[i].name);
		row_add(row, ROLE_NORMAL, " %s  ",
			rule_cell_format(&out->rules, rule, i, cell, sizeof(cell)));
	}
	row_add(row, ROLE_DIM, "%s", out->rule_table->source);
}

struct target
disassembly_rules_target(const struct disassembly *out, const struct disassembly_row *at)
{
	return report_place_target(out->rule_table->rows[at->item].record);
}
