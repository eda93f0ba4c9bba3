/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_TITLE_H
#define UI_VIEW_TITLE_H

#include <stdbool.h>
#include <stddef.h>

#include "document/row.h"

/**
 * The line above a view: the tabs of its slot, a line, what there is to say at its right.
 *
 *	- 2 source -[4 eval]- 5 registers  V 12 more ----------------token 8 of 30-
 */
struct title_tab {
	struct text key;	/* shows it; empty: none does */
	const char *name;
	bool shown;		/* the one below the line */
};

/* What title_tab_at finds that is no tab. */
enum {
	TITLE_NONE = -1,
	TITLE_MORE = -2,	/* the count of the tabs that have no room */
};

/**
 * Make the line, `columns` wide. The shown tab stands in brackets with the focus; without it,
 * in parentheses where there are other tabs. Where all is too wide, the last tabs become
 * a count with the key `more` that lists them, but the shown one stays; then the count goes; then
 * `info` goes. `line` is the
 * character to draw with. Returns how many of the first tabs have room, -1 where there is none
 * for the count.
 */
int
title_make(struct row *row, size_t columns, const struct title_tab *tabs, unsigned tab_count,
	   struct text more, bool focused, const struct row *info, const char *line);

/**
 * The tab that stands at `column` of the line that title_make returned `titled` for, TITLE_NONE or
 * TITLE_MORE. `row` is for the work.
 */
int
title_tab_at(struct row *row, const struct title_tab *tabs, unsigned tab_count, int titled,
	     struct text more, size_t column);

#endif
