/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/rule_listing.h"

/* Tables of unwind rules as JSON. */

static const char *const rule_cell_words[] = {
	[RULE_CELL_SAME] = "same",
	[RULE_CELL_UNDEFINED] = "undefined",
	[RULE_CELL_RULE] = "rule",
};
static const struct fact_names rule_cell_kinds = FACT_NAMES(rule_cell_words);

static const char *const rule_row_words[] = {
	[RULE_ROW_RULES] = "rules",
	[RULE_ROW_NOTHING] = "nothing",
	[RULE_ROW_RECORD] = "record",
};
static const struct fact_names rule_row_kinds = FACT_NAMES(rule_row_words);

static bool
rule_cell_is_shown(const struct rule_cell *cell)
{
	return cell->kind != RULE_CELL_KEPT && cell->kind != RULE_CELL_LOST;
}

#define FACTS "report/step/rule_facts.def"
#include "document/describe_facts.h"
