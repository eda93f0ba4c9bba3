/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/title.h"

/*
 * Write the tabs and the line around them. Returns the tab that covers column `x`. A line joins
 * brackets to their neighbours, as in "- 3 raw -[4 eval]- 5 registers -".
 */
static int
add_tabs(struct row *row, const struct title_tab *tabs, unsigned count, int titled,
	 struct text more, bool focused, const char *line, size_t x)
{
	bool joins = true;
	int found = TITLE_NONE;
	unsigned missing = 0;

	row_clear(row);
	for (unsigned i = 0; i < count; i++) {
		const char *around = !tabs[i].shown ? "  "
				     : focused	     ? "[]"
				     : count > 1     ? "()"
						     : "  ";

		if (!tabs[i].shown && (int)i >= titled) {
			missing++;
			continue;
		}
		if (joins || around[0] != ' ')
			row_add(row, ROLE_NORMAL, "%s", line);
		size_t begin = row->width;
		const enum role role = tabs[i].shown ? ROLE_TITLE : ROLE_NORMAL;
		row_add(row, role, "%c", around[0]);
		row_add_text(row, role, tabs[i].key);
		row_add(row, role, "%s%s%c", tabs[i].key.length != 0 ? " " : "", tabs[i].name,
			around[1]);
		if (x >= begin && x < row->width)
			found = (int)i;
		joins = around[0] != ' ';
	}
	if (missing != 0 && titled >= 0) {
		size_t begin = row->width;

		row_add(row, ROLE_NORMAL, "%s ", joins ? line : "");
		row_add_text(row, ROLE_NORMAL, more);
		row_add(row, ROLE_NORMAL, "%s%u more ", more.length != 0 ? " " : "", missing);
		if (x > begin && x < row->width)
			found = TITLE_MORE;
	}
	row_add(row, ROLE_NORMAL, "%s", line);
	return found;
}

/* Draw the line up to a column. */
static void
draw_to(struct row *row, size_t column, const char *line)
{
	size_t before = column;

	/* A row that is out of memory does not grow. */
	for (; row->width < column && row->width != before; row_add(row, ROLE_NORMAL, "%s", line))
		before = row->width;
}

int
title_make(struct row *row, size_t columns, const struct title_tab *tabs, unsigned tab_count,
	   struct text more, bool focused, const struct row *info, const char *line)
{
	size_t wanted = info->width == 0 ? 0 : info->width + 1;
	int titled = (int)tab_count;

	for (;;) {
		add_tabs(row, tabs, tab_count, titled, more, focused, line, 0);
		if (row->width + wanted <= columns || titled < 0)
			break;
		titled--;
	}
	if (row->width + wanted > columns)
		wanted = 0;
	if (wanted != 0)
		draw_to(row, columns - info->width - 1, line);
	for (size_t i = 0; wanted != 0 && i < info->span_count; i++)
		row_add_text(row, info->spans[i].role, row_span_text(info, i));
	draw_to(row, columns, line);
	row_cut(row, columns);
	return titled;
}

int
title_tab_at(struct row *row, const struct title_tab *tabs, unsigned tab_count, int titled,
	     struct text more, size_t column)
{
	/* Brackets are as wide as the blanks of an unfocused title. */
	return add_tabs(row, tabs, tab_count, titled, more, true, "-", column);
}
