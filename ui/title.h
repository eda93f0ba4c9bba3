/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TITLE_H
#define UI_TITLE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/row.h"

/**
 * The line above a view: the tabs of its slot, a line, what there is to say at its right.
 *
 *	- 2 source -[4 tape]- 5 registers  6 memory -----------------token 8 of 30-
 */
struct title_tab {
	unsigned number;	/* its last digit is the key that shows it; 0: none */
	const char *name;
	bool shown;		/* the one below the line */
};

/**
 * Make the line, `columns` wide. The shown tab stands in brackets with the focus; without it,
 * in parentheses where there are other tabs. Where all is too wide, the last tabs become
 * numbers; then they go; then `info` goes. `line` is the character to draw with. Returns
 * how many tabs could keep their names, -1 where those that are not shown had to go.
 */
int
title_make(struct row *row, size_t columns, const struct title_tab *tabs, unsigned tab_count,
	   bool focused, const struct row *info, const char *line);

/**
 * The tab that stands at `column` of the line that title_make returned `titled` for; `tab_count`
 * where none does. `row` is for the work.
 */
unsigned
title_tab_at(struct row *row, const struct title_tab *tabs, unsigned tab_count, int titled,
	     size_t column);

#endif
