/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_LAYOUT_H
#define UI_VIEW_LAYOUT_H

#include <stdbool.h>

#include "document/row.h"

/**
 * Place the views on a screen of a given size. The result depends only on the arguments.
 *
 *	columns x rows	layout
 *	< 40 x 6	a notice
 *	< 80 or < 24	one slot with every view as a tab
 *	80 x 24 and up	the stack over one slot with the others as tabs
 *	110 x 32 and up	the stack over three slots, all as wide as the screen
 *	160 x 44 and up	two columns of slots
 *	240 x 50 and up	three columns of slots
 *
 * A slot holds one or more views and shows the one that had the focus last. A view that no plan of
 * layout_plan.def names is a tab of the slot that takes the rest, so a new view needs no place.
 * Zooming makes one slot of all views at any size. A lesson takes a pane at the right, or at the
 * bottom if too few columns would be left. Row 0 is the header. The last row is the footer or the
 * prompt, and the row over it is the status line.
 */
enum layout_view {
#define V(id, name, command, keys, handler, help) LAYOUT_##id,
#include "ui/view/view.def"
	LAYOUT_VIEW_COUNT
};

enum {
	LAYOUT_LEAST_COLUMNS = 40,
	LAYOUT_LEAST_ROWS = 6,
	LAYOUT_COLUMN_COUNT = 3,	/* maximum number of columns */
	LAYOUT_SLOT_COUNT = 5,		/* maximum number of slots in one column */
	LAYOUT_PLAN_COUNT = 7,
	LAYOUT_BORDER_COUNT = LAYOUT_COLUMN_COUNT * LAYOUT_SLOT_COUNT + 1,
};

/** Columns and rows by which the user has moved the borders of a plan. */
struct layout_moves {
	short columns[LAYOUT_COLUMN_COUNT];			/* border right of each column */
	short rows[LAYOUT_COLUMN_COUNT][LAYOUT_SLOT_COUNT];	/* border below each slot */
};

/** The user's choices; they do not include the sizes of the screen. */
struct layout_choice {
	enum layout_view focus;
	bool zoom;
	bool lesson;		/* a lesson is open: it has a pane of its own */
	unsigned clock;
	unsigned used[LAYOUT_VIEW_COUNT]; /* value of `clock` at the view's last focus; 0: never */
	unsigned plan;		/* the number of a plan, from 1 on; 0: by the screen's size */
	/* Rows that the stack can fill, including its title; 0: any number */
	int stack_rows;
	unsigned hidden; /* bits of views; a slot with no other view is shown only while focused */
	struct layout_moves moves[LAYOUT_PLAN_COUNT];
};

struct layout_rectangle {
	int x, y, columns, rows;
};

/** A title line and the rows of one view after it. */
struct layout_slot {
	struct layout_rectangle rectangle;	/* rectangle including its title line */
	enum layout_view views[LAYOUT_VIEW_COUNT];
	unsigned view_count;
	enum layout_view shown;
};

/** A movable line: between two columns, or the title line of a slot below another slot. */
struct layout_border {
	struct layout_rectangle at;	/* one column of cells (to be drawn) or a title's row */
	unsigned column, row;	/* the plan's slot over the line, or the column left of it */
	int unmoved;			/* x or y of the line before it was moved */
};

struct layout {
	bool notice;		/* the screen is too small: a notice, no slots */
	int columns, rows;
	int status_row, footer_row;	/* the header is row 0 */
	unsigned plan;			/* index of the plan used */
	struct layout_slot slots[LAYOUT_BORDER_COUNT];	/* slots in reading order */
	unsigned slot_count;
	struct layout_border borders[LAYOUT_BORDER_COUNT];
	unsigned border_count;
};

/** The name of a view in titles and commands. */
const char *
layout_view_name(enum layout_view view);

/** Find a view by its name. False if no view has the name. */
bool
layout_view_named(struct text name, enum layout_view *view);

/** The name of plan choice `number`, "auto" for 0; NULL after the last. */
const char *
layout_plan_name(unsigned number);

/** Whether a choice's plan fits the screen; if not, layout_compute uses the largest that fits. */
bool
layout_plan_fits(unsigned number, int columns, int rows);

void
layout_focus(struct layout_choice *choice, enum layout_view view);

/** Place every view for a screen of `columns` x `rows`. */
struct layout
layout_compute(int columns, int rows, const struct layout_choice *choice);

/** Hide the focused slot and focus the next one. False if it is the only slot. */
bool
layout_hide(struct layout_choice *choice, const struct layout *layout);

/** Stop hiding the focused slot. */
void
layout_reveal(struct layout_choice *choice, const struct layout *layout);

/** Move a border to column or row `to`, or as far as its neighbours allow. */
void
layout_move(struct layout_choice *choice, const struct layout *layout,
	    const struct layout_border *border, int to);

/**
 * Enlarge the focused slot by `columns` and `rows`; negative numbers shrink it. False if the slot
 * has no border to move.
 */
bool
layout_grow(struct layout_choice *choice, const struct layout *layout, int columns, int rows);

/** The view that gets the focus after the focused one (`step` 1) or before it (-1). */
enum layout_view
layout_next(const struct layout *layout, enum layout_view focus, int step);

/** The slot that holds `view`; NULL in a notice or if the slot is hidden. */
const struct layout_slot *
layout_slot_of(const struct layout *layout, enum layout_view view);

/** Whether a view is visible; without a screen, whether it was printed last. */
bool
layout_shows(const struct layout *layout, enum layout_view view);

/** The slot at a cell of the screen, or NULL. */
const struct layout_slot *
layout_slot_at(const struct layout *layout, int x, int y);

/** The border at a cell of the screen, or NULL. */
const struct layout_border *
layout_border_at(const struct layout *layout, int x, int y);

/**
 * The line over a view: the tabs of its slot, a line, and information at the right.
 *
 *	- 2 source -[4 eval]- 5 registers  V 12 more ----------------token 8 of 30-
 */
struct title_tab {
	struct text key;	/* key that shows the view; empty: none */
	const char *name;
	bool shown;		/* the view is shown below the line */
};

struct title {
	const struct title_tab *tabs;
	unsigned count;
	bool focused;
	struct text more;	/* key that lists all views, for the count of missing tabs */
	const char *line;	/* character that the line is drawn with */
	const struct row *info;	/* text at the right; empty: none */
};

/* Results of title_tab_at that are not a tab. */
enum {
	TITLE_NONE = -1,
	TITLE_MORE = -2,	/* the count of tabs that do not fit */
};

/**
 * Make the line, `columns` wide. The shown tab is in brackets if the title is focused, else in
 * parentheses if there are other tabs. If the line is too long, a count replaces the last tabs
 * except the shown one. If that is still too long, the count and then `info` are omitted. Returns
 * the number of first tabs that fit, or -1 if the count does not fit.
 */
int
title_make(struct row *row, size_t columns, const struct title *title);

/**
 * The tab at `column` of the line for which title_make returned `titled`, or TITLE_NONE or
 * TITLE_MORE. `row` is scratch space.
 */
int
title_tab_at(struct row *row, const struct title *title, int titled, size_t column);

#endif
