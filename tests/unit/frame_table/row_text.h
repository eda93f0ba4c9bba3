/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_FRAME_TABLE_ROW_TEXT_H
#define TESTS_UNIT_FRAME_TABLE_ROW_TEXT_H

#include "frame_table/frame_tables_internal.h"

/* ROW_ARCH is defined before: the processor of the rows. */

/** The expression of a column of a row; NULL: it has none. */
static inline const char *
expression_of(const struct unwind_row *row, unsigned column, struct arena *arena)
{
	const char *cannot;

	return unwind_row_expression(row, arch_by_id(ROW_ARCH), column, arena, &cannot);
}

/** "rbp=EXPRESSION;" of every register of a row. */
static inline const char *
registers_of(const struct unwind_row *row, struct arena *arena)
{
	const struct arch *arch = arch_by_id(ROW_ARCH);
	const char *text = "";

	for (unsigned i = CLAIM_REGISTER; i < claim_columns(arch); i++)
		if (row->claims[i].kind != CLAIM_SILENT)
			text = arena_format(arena, "%s%s=%s;", text, arch->registers[i - CLAIM_REGISTER].label,
					    expression_of(row, i, arena));
	return text;
}

#endif
