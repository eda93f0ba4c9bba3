/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_TITLE_H
#define UI_VIEW_TITLE_H

#include <stdbool.h>
#include <stddef.h>

#include "document/row.h"

/**
 * The line over a view: the tabs of its slot, a line, and information at the right.
 *
 *	- 2 source -[4 eval]- 5 registers  V 12 more ----------------token 8 of 30-
 */
struct title_tab {
	struct text key;	/* key that shows the view; empty: none */
	const char *name;
	bool shown;		/* the view under the line */
};

/* Results of title_tab_at that are not a tab. */
enum {
	TITLE_NONE = -1,
	TITLE_MORE = -2,	/* the count of tabs that do not fit */
};

/**
 * Make the line, `columns` wide, drawn with the character `line`. The shown tab is in brackets if
 * focused, else in parentheses if there are other tabs. If the line is too long, the last tabs but
 * never the shown one become a count with the key `more`, then the count goes, then `info`. Returns
 * how many of the first tabs fit, or -1 if the count does not.
 */
int
title_make(struct row *row, size_t columns, const struct title_tab *tabs, unsigned tab_count,
	   struct text more, bool focused, const struct row *info, const char *line);

/**
 * The tab at `column` of the line for which title_make returned `titled`, or TITLE_NONE or
 * TITLE_MORE. `row` is scratch space.
 */
int
title_tab_at(struct row *row, const struct title_tab *tabs, unsigned tab_count, int titled,
	     struct text more, size_t column);

#endif
