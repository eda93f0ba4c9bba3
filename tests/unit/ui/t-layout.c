/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/lib/tap.h"
#include "ui/view/layout.h"

enum { WIDEST = 300, TALLEST = 100 };

/* The number of lines between columns, and the column of the first line. */
static unsigned
lines_of(const struct layout *layout)
{
	unsigned count = 0;

	for (unsigned i = 0; i < layout->border_count; i++)
		count += layout->borders[i].at.columns == 1;
	return count;
}

static int
line_of(const struct layout *layout)
{
	for (unsigned i = 0; i < layout->border_count; i++)
		if (layout->borders[i].at.columns == 1)
			return layout->borders[i].at.x;
	return -1;
}

static unsigned
overlaps(const struct layout *layout)
{
	static unsigned char cells[TALLEST][WIDEST];
	unsigned bad = 0;

	memset(cells, 0, sizeof(cells));
	for (unsigned i = 0; i < layout->slot_count; i++) {
		const struct layout_rectangle *r = &layout->slots[i].rectangle;

		if (r->x < 0 || r->y < 1 || r->columns < 1 || r->rows < 2 ||
		    r->x + r->columns > layout->columns || r->y + r->rows > layout->status_row)
			return 1;
		for (int y = r->y; y < r->y + r->rows; y++)
			for (int x = r->x; x < r->x + r->columns; x++)
				bad += cells[y][x]++ != 0;
	}
	for (unsigned i = 0; i < layout->border_count; i++) {
		const struct layout_rectangle *r = &layout->borders[i].at;

		for (int y = r->y; r->columns == 1 && y < r->y + r->rows; y++)
			bad += cells[y][r->x]++ != 0;
	}
	for (int y = 1; y < layout->status_row; y++)
		for (int x = 0; x < layout->columns; x++)
			bad += cells[y][x] != 1;
	return bad;
}

/*
 * Every view has exactly one slot, and the focused one is shown. The slot of a lesson exists only
 * with a lesson; it is the only one if it is zoomed or if there is no room for others.
 */
static bool
views_are_placed(const struct layout *layout, const struct layout_choice *choice)
{
	const enum layout_view focus = choice->focus;
	const bool lesson = focus == LAYOUT_LESSON || (choice->lesson && layout->rows >= 17);
	unsigned seen[LAYOUT_VIEW_COUNT] = { 0 };

	if (focus == LAYOUT_LESSON && (choice->zoom || layout->rows < 17))
		return layout->slot_count == 1 && layout->slots[0].shown == focus;

	for (unsigned i = 0; i < layout->slot_count; i++)
		for (unsigned j = 0; j < layout->slots[i].view_count; j++)
			seen[layout->slots[i].views[j]]++;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (seen[i] != (i != LAYOUT_LESSON || lesson))
			return false;
	return layout_slot_of(layout, focus)->shown == focus;
}

/* Move the borders to random places. */
static void
scatter(struct layout_choice *choice, unsigned seed)
{
	for (unsigned i = 0; i < LAYOUT_PLAN_COUNT; i++)
		for (unsigned j = 0; j < LAYOUT_COLUMN_COUNT; j++) {
			choice->moves[i].columns[j] = (short)(seed * 7 % 401 - 200);
			for (unsigned k = 0; k < LAYOUT_SLOT_COUNT; k++) {
				seed = seed * 1103515245 + 12345;
				choice->moves[i].rows[j][k] = (short)(seed >> 16 & 127) - 64;
			}
		}
}

static void
test_every_size(void)
{
	unsigned bad_cells = 0, bad_views = 0, bad_notices = 0;

	for (int columns = 1; columns <= WIDEST; columns++)
		for (int rows = 1; rows <= TALLEST; rows++) {
			struct layout_choice choice = { .focus = LAYOUT_STACK };
			int view = (columns + rows) % LAYOUT_VIEW_COUNT;

			layout_focus(&choice, (enum layout_view)view);
			choice.zoom = columns % 5 == 0;
			choice.lesson = rows % 3 == 0;
			choice.plan = (unsigned)(columns + 3 * rows) % (LAYOUT_PLAN_COUNT + 1);
			scatter(&choice, (unsigned)(columns * TALLEST + rows));
			struct layout layout = layout_compute(columns, rows, &choice);

			if (layout.notice != (columns < 40 || rows < 6))
				bad_notices++;
			if (layout.notice)
				continue;
			bad_cells += overlaps(&layout);
			bad_views += !views_are_placed(&layout, &choice);
		}
	is_u64(bad_notices, 0, "a screen below 40x6 shows a notice, any other does not");
	is_u64(bad_cells, 0, "slots and lines fill the body of every screen without overlap");
	is_u64(bad_views, 0, "every view has a place, and the focused one is shown");
}

static void
test_lesson(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK, .lesson = true };
	struct layout layout = layout_compute(80, 24, &choice);
	const struct layout_rectangle *pane = &layout_slot_of(&layout, LAYOUT_LESSON)->rectangle;

	is_u64((unsigned)pane->rows, 7, "a lesson has seven rows at 80x24");
	is_u64((unsigned)(pane->y + pane->rows), 22, "the lesson is above the status line");
	layout = layout_compute(120, 40, &choice);
	pane = &layout_slot_of(&layout, LAYOUT_LESSON)->rectangle;
	is_u64((unsigned)pane->columns, 39, "a lesson has 39 columns at 120x40");
	is_u64((unsigned)(pane->x + pane->columns), 120, "the lesson is at the right edge");
	is_u64((unsigned)layout.slots[0].rectangle.columns, 80,
	       "the lesson leaves 80 columns for the other panes");
}

static void
test_tabs(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };

	layout_focus(&choice, LAYOUT_EVALUATION);
	layout_focus(&choice, LAYOUT_STACK);
	struct layout layout = layout_compute(80, 24, &choice);
	is_u64(layout.slot_count, 2, "80x24 has two slots");
	is_u64((unsigned)layout.slots[0].rectangle.rows, 9, "the stack has 9 rows");
	is_u64((unsigned)layout.slots[1].rectangle.y, 10, "the other slot begins below the stack");
	is_u64((unsigned)layout.slots[1].rectangle.rows, 12,
	       "the other slot goes down to the status line");
	ok(layout.slots[1].shown == LAYOUT_EVALUATION, "the lower slot remembers its tab");
	ok(layout_slot_at(&layout, 5, 12) == &layout.slots[1], "a cell has its slot");
	ok(layout_slot_at(&layout, 5, 0) == NULL, "the header is in none");
	ok(layout_next(&layout, LAYOUT_STACK, 1) == LAYOUT_EVALUATION,
	   "Tab goes to the shown view");
	ok(layout_next(&layout, LAYOUT_STACK, -1) == LAYOUT_EVALUATION,
	   "Shift-Tab goes to the shown view, around the end");

	layout = layout_compute(60, 20, &choice);
	is_u64(layout.slot_count, 1, "a narrow screen has one slot");
	ok(layout_next(&layout, LAYOUT_STACK, 1) == LAYOUT_SOURCE,
	   "Tab goes through the tabs of one slot");
	ok(layout_next(&layout, LAYOUT_SOURCE, -1) == LAYOUT_STACK,
	   "Shift-Tab goes through the tabs of one slot backwards");
	choice.zoom = true;
	layout = layout_compute(200, 50, &choice);
	is_u64(layout.slot_count, 1, "a zoomed screen of any size has one slot");
}

static const struct layout_rectangle *
place_of(const struct layout *layout, enum layout_view view)
{
	return &layout_slot_of(layout, view)->rectangle;
}

/* A stack of few rows leaves the other rows to the next pane, unless the user moved its border. */
static void
test_short_stack(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK, .stack_rows = 6 };
	struct layout layout = layout_compute(80, 24, &choice);

	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 6, "a short stack has its rows");
	is_u64((unsigned)place_of(&layout, LAYOUT_SUMMARY)->rows, 15,
	       "the pane below has the other rows");
	ok(layout_grow(&choice, &layout, 0, 4), "the border of a short stack can be moved");
	layout = layout_compute(80, 24, &choice);
	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 10,
	       "the border moves from where it was");
	choice = (struct layout_choice){ .focus = LAYOUT_STACK, .stack_rows = 2 };
	layout = layout_compute(80, 24, &choice);
	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 5,
	       "a thread and its end have a few");
	choice.stack_rows = 100;
	layout = layout_compute(80, 24, &choice);
	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 9,
	       "a long one has no more than before");
}

static void
test_columns(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(120, 40, &choice);

	is_u64(lines_of(&layout), 0, "each pane has all columns at 120x40");
	is_u64(layout.slot_count, 4, "120x40 has four panes");
	is_u64((unsigned)place_of(&layout, LAYOUT_EVALUATION)->rows, 12,
	       "the evaluation has 12 rows");
	ok(place_of(&layout, LAYOUT_STACK)->y < place_of(&layout, LAYOUT_SUMMARY)->y,
	   "the stack is over the summary");
	ok(place_of(&layout, LAYOUT_SUMMARY)->y < place_of(&layout, LAYOUT_SOURCE)->y,
	   "the summary is over the source");
	layout = layout_compute(200, 50, &choice);
	is_u64(lines_of(&layout), 1, "200x50 has two columns");
	is_u64((unsigned)line_of(&layout), 92, "divided after the 92nd column");
	is_u64((unsigned)place_of(&layout, LAYOUT_SUMMARY)->y, 1, "the summary is on top");
	is_u64((unsigned)place_of(&layout, LAYOUT_SUMMARY)->x, 0, "the summary is at the left");
	is_u64((unsigned)place_of(&layout, LAYOUT_EVALUATION)->columns, 107,
	       "the evaluation has the wider column");
	layout = layout_compute(159, 50, &choice);
	is_u64(lines_of(&layout), 0, "159 columns are too few for two");
	layout = layout_compute(300, 43, &choice);
	is_u64(lines_of(&layout), 0, "43 rows are too few for two");
	layout = layout_compute(109, 50, &choice);
	is_u64(layout.slot_count, 2, "109 columns have two panes");
	layout = layout_compute(300, 31, &choice);
	is_u64(layout.slot_count, 2, "31 rows have two panes");
}

/* Without moved borders each view of a wide screen has the columns for which its rows are made. */
static void
test_no_narrow_pane(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	int narrowest = WIDEST, evaluation = WIDEST;

	for (int columns = 80; columns <= WIDEST; columns++)
		for (int rows = 24; rows <= TALLEST; rows++) {
			const struct layout layout = layout_compute(columns, rows, &choice);
			const int width = place_of(&layout, LAYOUT_EVALUATION)->columns;

			evaluation = width < evaluation ? width : evaluation;
			for (unsigned i = 0; i < layout.slot_count; i++)
				if (layout.slots[i].rectangle.columns < narrowest)
					narrowest = layout.slots[i].rectangle.columns;
		}
	is_u64((unsigned)narrowest, 68,
	       "each pane of a screen from 80x24 on has 68 columns or more");
	is_u64((unsigned)evaluation, 80, "the evaluation has 80 columns on each screen");
}

static int
rows_of(const struct layout_choice *choice, enum layout_view view)
{
	const struct layout layout = layout_compute(120, 40, choice);

	return place_of(&layout, view)->rows;
}

static void
test_growing(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(120, 40, &choice);

	ok(layout_grow(&choice, &layout, 0, 3), "a pane grows");
	is_u64((unsigned)rows_of(&choice, LAYOUT_STACK), 13, "the pane has grown by three rows");
	is_u64((unsigned)rows_of(&choice, LAYOUT_SUMMARY), 9,
	       "the pane below it loses three rows");
	is_u64((unsigned)rows_of(&choice, LAYOUT_SOURCE), 9, "the other panes keep their rows");
	layout = layout_compute(120, 40, &choice);
	ok(layout_grow(&choice, &layout, 0, 100),
	   "a pane grows if less than the asked rows are left");
	is_u64((unsigned)rows_of(&choice, LAYOUT_FRAME), 2, "the last pane has a title and a row");
	is_u64((unsigned)rows_of(&choice, LAYOUT_STACK), 31,
	       "the grown pane takes all rows of the panes below it");
	layout = layout_compute(120, 40, &choice);
	layout_grow(&choice, &layout, 0, -21);
	is_u64((unsigned)rows_of(&choice, LAYOUT_STACK), 10,
	       "a pane that grew to its limit shrinks at once");
	layout_focus(&choice, LAYOUT_FRAME);
	layout = layout_compute(120, 40, &choice);
	ok(layout_grow(&choice, &layout, 0, 2), "the last pane grows");
	is_u64((unsigned)rows_of(&choice, LAYOUT_FRAME), 8, "the last pane grows upwards");
	layout_focus(&choice, LAYOUT_SOURCE);
	layout = layout_compute(200, 50, &choice);
	ok(layout_grow(&choice, &layout, 5, 0), "a column grows");
	layout = layout_compute(200, 50, &choice);
	is_u64((unsigned)line_of(&layout), 97, "the first column grows to the right");
	layout_focus(&choice, LAYOUT_EVALUATION);
	ok(layout_grow(&choice, &layout, 4, 0), "the last column grows");
	layout = layout_compute(200, 50, &choice);
	is_u64((unsigned)line_of(&layout), 93, "the last column grows to the left");
	layout = layout_compute(60, 20, &choice);
	ok(!layout_grow(&choice, &layout, 1, 1), "a pane that is alone does not grow");
}

static void
test_borders(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(200, 50, &choice);
	const struct layout_border *border = layout_border_at(&layout, 92, 20);

	ok(border != NULL && border->at.columns == 1, "the line between two columns is a border");
	layout_move(&choice, &layout, border, 70);
	layout = layout_compute(200, 50, &choice);
	is_u64((unsigned)line_of(&layout), 70,
	       "the line between two columns goes to its new place");
	layout = layout_compute(120, 40, &choice);
	border = layout_border_at(&layout, 10, 11);
	ok(border != NULL && border->at.rows == 1, "the title below another pane is a border");
	layout_move(&choice, &layout, border, 15);
	is_u64((unsigned)rows_of(&choice, LAYOUT_STACK), 14,
	       "the title below another pane goes to its new place");
	ok(layout_border_at(&layout, 10, 1) == NULL, "a title at the top is not a border");
	ok(layout_border_at(&layout, 10, 10) == NULL, "the inside of a pane is not a border");
}

static void
test_hiding(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout;

	layout_focus(&choice, LAYOUT_REGISTERS);
	layout = layout_compute(200, 50, &choice);
	ok(layout_hide(&choice, &layout), "a pane is hidden");
	is_u64(choice.focus, LAYOUT_MEMORY, "the focus goes to the next pane");
	is_u64(choice.hidden, 1u << LAYOUT_REGISTERS | 1u << LAYOUT_HISTORY,
	       "all views of the pane are hidden");
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) == NULL,
	   "the views of the hidden pane have no place");
	is_u64(overlaps(&layout), 0, "the other panes have the rows of the hidden one");
	layout_focus(&choice, LAYOUT_REGISTERS);
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) != NULL,
	   "the focus brings the hidden pane back");
	layout_reveal(&choice, &layout);
	layout_focus(&choice, LAYOUT_EVALUATION);
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) != NULL,
	   "the pane that was brought back stays");
	layout = layout_compute(80, 24, &choice);
	while (layout_hide(&choice, &layout))
		layout = layout_compute(80, 24, &choice);
	is_u64(layout.slot_count, 1, "the last pane is not hidden");
	is_u64(overlaps(&layout), 0, "the last pane has the whole screen");
}

static void
test_plans(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(250, 60, &choice);
	unsigned number = 0;

	is_u64(lines_of(&layout), 2, "250x60 has three columns");
	is_str(layout_plan_name(0), "auto", "the size of the screen chooses the plan");
	while (layout_plan_name(number + 1) != NULL)
		number++;
	is_u64(number, LAYOUT_PLAN_COUNT, "each plan has a name");
	is_str(layout_plan_name(number), "single", "the last plan fits anywhere");
	choice.plan = number;
	layout = layout_compute(250, 60, &choice);
	is_u64(layout.slot_count, 1, "a plan can be asked for");
	choice.plan = 1;
	layout = layout_compute(80, 24, &choice);
	is_u64(layout.slot_count, 2, "a plan that does not fit gives way to one that does");
	ok(!layout_plan_fits(1, 80, 24) && layout_plan_fits(0, 1, 1),
	   "a plan is checked against the screen size");
}

int
main(void)
{
	test_every_size();
	test_lesson();
	test_tabs();
	test_short_stack();
	test_columns();
	test_no_narrow_pane();
	test_growing();
	test_borders();
	test_hiding();
	test_plans();
	return done_testing();
}
