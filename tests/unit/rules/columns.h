/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_RULES_COLUMNS_H
#define TESTS_UNIT_RULES_COLUMNS_H

#include "rules/unwind_source.h"
#include "tests/lib/tap.h"

/** Tables of unwind rules made in a test, and the names of their columns. */

static struct arena arena;
static struct rule_tables tables;

static inline void
columns_are(const char *expected, const char *title)
{
	char names[200] = "";

	for (size_t i = 0; i < tables.column_count; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.*s",
			 i > 0 ? " " : "", (int)tables.columns[i].name.length, tables.columns[i].name.start);
	is_str(names, expected, "%s", title);
}

#endif
