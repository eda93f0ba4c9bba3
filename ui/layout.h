/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include <stdbool.h>

/**
 * Where the views stand on a screen of a given size: a pure function.
 *
 *	columns x rows	what there is
 *	< 40 x 6	a notice
 *	< 80 or < 24	one slot with every view as a tab
 *	80 x 24 and up	the stack over one slot with the others as tabs
 *	110 x 32 and up	two columns of slots
 *	180 x 44 and up	three columns of slots
 *
 * A slot holds one or more views and shows one of them: the one that had the
 * focus last. A view that no plan of layout.c names is a tab of the slot that takes the rest:
 * whoever adds one (view.def says how) need not place it. Zooming makes one slot of every view at any size. Row 0 is the
 * header, the last but one the status line, the last the footer or the prompt.
 */
enum layout_view {
#define V(id, name) LAYOUT_##id,
#include "ui/view.def"
#undef V
	LAYOUT_VIEW_COUNT
};

enum {
	LAYOUT_LEAST_COLUMNS = 40,
	LAYOUT_LEAST_ROWS = 6,
	LAYOUT_COLUMN_COUNT = 3,	/* at most */
};

/** What the user chose; the sizes are not part of it. */
struct layout_choice {
	enum layout_view focus;
	bool zoom;
	unsigned clock;
	unsigned used[LAYOUT_VIEW_COUNT];	/* when each view had the focus last; 0: never */
};

struct layout_rectangle {
	int x, y, columns, rows;
};

/** A title line and the rows below it, for one view at a time. */
struct layout_slot {
	struct layout_rectangle rectangle;	/* with its title line */
	enum layout_view views[LAYOUT_VIEW_COUNT];
	unsigned view_count;
	enum layout_view shown;
};

struct layout {
	bool notice;		/* too small: nothing but a notice, no slots */
	int columns, rows;
	int status_row, footer_row;	/* the header is row 0 */
	struct layout_slot slots[LAYOUT_VIEW_COUNT];	/* in reading order */
	unsigned slot_count;
	int bars[LAYOUT_COLUMN_COUNT - 1];	/* columns of the vertical lines */
	unsigned bar_count;
};

/** The name of a view in titles and commands. */
const char *
layout_view_name(enum layout_view view);

/** Give a view the focus. */
void
layout_focus(struct layout_choice *choice, enum layout_view view);

/** Place every view for a screen of `columns` x `rows`. */
struct layout
layout_compute(int columns, int rows, const struct layout_choice *choice);

/** The view that gets the focus after the one that has it (`step` 1) or before it (-1). */
enum layout_view
layout_next(const struct layout *layout, enum layout_view focus, int step);

/** The slot that holds `view`; NULL in a notice. */
const struct layout_slot *
layout_slot_of(const struct layout *layout, enum layout_view view);

/** The slot at a cell of the screen, or NULL. */
const struct layout_slot *
layout_slot_at(const struct layout *layout, int x, int y);

#endif
