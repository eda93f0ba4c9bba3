/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_SHOW_ROWS_H
#define RULES_SHOW_ROWS_H

#include "rules/unwind_source.h"

/** Functions of struct unwind_reader for frame tables in modules' own files. */

bool
frame_table_exists(const struct unwind_source *source);

bool
frame_table_covers(const struct unwind_source *source, uint64_t address, uint64_t *first,
		   uint64_t *last);

void
frame_table_show(const struct unwind_source *source, struct rule_tables *tables);

#endif
