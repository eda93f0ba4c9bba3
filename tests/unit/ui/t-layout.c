/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "ui/view/layout.h"

enum { WIDEST = 300, TALLEST = 100 };

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

	for (int columns = 1; columns <= WIDEST; columns += columns < 45 ? 1 : 3)
		for (int rows = 1; rows <= TALLEST; rows += rows < 40 ? 1 : 7) {
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

/* The slots in reading order: the shown view, the number of views, x,y and columns x rows. */
static const char *
slots_of(const struct layout *layout)
{
	static char text[800];
	size_t used = 0;

	for (unsigned i = 0; i < layout->slot_count; i++) {
		const struct layout_slot *slot = &layout->slots[i];
		const struct layout_rectangle *r = &slot->rectangle;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s/%u %d,%d %dx%d",
					 i > 0 ? "; " : "", layout_view_name(slot->shown),
					 slot->view_count, r->x, r->y, r->columns, r->rows);
	}
	return text;
}

/*
 * The plans give their shares at 260x60, 200x50, 120x40 and 80x24. At other sizes a slot ends at
 * the sum of shares up to it, times the length, over the sum of all, rounded down.
 */
static void
test_slots(void)
{
	enum { THREE = 1, CODE = 4, UNWIND = 5, SINGLE = 7 };	/* numbers of plans */
	static const struct {
		int columns, rows;
		struct layout_choice choice;
		const char *slots;
	} cases[] = {
		{ 260, 60, { 0 }, "summary/3 0,1 90x15; stack/1 0,16 90x24; modules/3 0,40 90x18; "
		  "source/1 91,1 74x22; disassembly/1 91,23 74x18; raw/3 91,41 74x17; "
		  "evidence/2 166,1 94x11; eval/2 166,12 94x14; frame/2 166,26 94x13; "
		  "registers/2 166,39 94x8; memory/3 166,47 94x11" },
		{ 240, 50, { 0 }, "summary/3 0,1 83x12; stack/1 0,13 83x20; modules/3 0,33 83x15; "
		  "source/1 84,1 68x18; disassembly/1 84,19 68x14; raw/3 84,33 68x15; "
		  "evidence/2 153,1 87x9; eval/2 153,10 87x11; frame/2 153,21 87x11; "
		  "registers/2 153,32 87x6; memory/3 153,38 87x10" },
		{ 200, 50, { 0 }, "summary/3 0,1 92x14; stack/1 0,15 92x17; source/8 0,32 92x16; "
		  "evidence/2 93,1 107x9; eval/2 93,10 107x11; frame/2 93,21 107x11; "
		  "registers/2 93,32 107x6; memory/3 93,38 107x10" },
		{ 160, 44, { 0 }, "summary/3 0,1 73x12; stack/1 0,13 73x15; source/8 0,28 73x14; "
		  "evidence/2 74,1 86x7; eval/2 74,8 86x10; frame/2 74,18 86x10; "
		  "registers/2 74,28 86x5; memory/3 74,33 86x9" },
		{ 120, 40, { 0 }, "stack/1 0,1 120x10; summary/14 0,11 120x12; source/6 0,23 120x9; "
		  "frame/2 0,32 120x6" },
		{ 110, 32, { 0 }, "stack/1 0,1 110x7; summary/14 0,8 110x10; source/6 0,18 110x7; "
		  "frame/2 0,25 110x5" },
		{ 159, 50, { 0 }, "stack/1 0,1 159x12; summary/14 0,13 159x15; "
		  "source/6 0,28 159x12; frame/2 0,40 159x8" },
		{ 109, 32, { 0 }, "stack/1 0,1 109x12; summary/22 0,13 109x17" },
		{ 110, 31, { 0 }, "stack/1 0,1 110x12; summary/22 0,13 110x16" },
		{ 80, 24, { 0 }, "stack/1 0,1 80x9; summary/22 0,10 80x12" },
		{ 79, 24, { 0 }, "stack/23 0,1 79x21" }, { 80, 23, { 0 }, "stack/23 0,1 80x20" }, { 40, 6, { 0 }, "stack/23 0,1 40x3" },
		{ 200, 50, { .zoom = true }, "stack/23 0,1 200x47" }, { 260, 60, { .plan = SINGLE }, "stack/23 0,1 260x57" },
		{ 120, 40, { .plan = CODE }, "stack/2 0,1 50x19; registers/2 0,20 50x18; "
		  "source/1 51,1 69x19; disassembly/18 51,20 69x18" },
		{ 120, 40, { .plan = CODE, .used = { [LAYOUT_EVIDENCE] = 1 } },
		  "stack/2 0,1 50x19; registers/2 0,20 50x18; source/1 51,1 69x19; evidence/18 51,20 69x18" },
		{ 120, 40, { .plan = UNWIND }, "stack/2 0,1 50x12; memory/2 0,13 50x14; "
		  "registers/2 0,27 50x11; evidence/14 51,1 69x18; eval/3 51,19 69x19" },
		{ 80, 24, { .plan = THREE }, "stack/1 0,1 80x9; summary/22 0,10 80x12" },
		{ 120, 40, { .lesson = true }, "stack/1 0,1 80x15; summary/22 0,16 80x22; "
		  "lesson/1 81,1 39x37" },
		{ 119, 31, { .lesson = true }, "stack/1 0,1 119x9; summary/22 0,10 119x12; "
		  "lesson/1 0,22 119x7" },
		{ 80, 24, { .lesson = true }, "stack/23 0,1 80x14; lesson/1 0,15 80x7" },
		{ 80, 17, { .lesson = true }, "stack/23 0,1 80x7; lesson/1 0,8 80x7" },
		{ 80, 16, { .lesson = true }, "stack/23 0,1 80x13" },
		{ 80, 24, { .lesson = true, .hidden = 1u << LAYOUT_LESSON }, "stack/1 0,1 80x9; summary/22 0,10 80x12" },
		{ 80, 24, { .focus = LAYOUT_LESSON, .hidden = 1u << LAYOUT_LESSON }, "summary/23 0,1 80x14; lesson/1 0,15 80x7" },
		{ 80, 16, { .focus = LAYOUT_LESSON }, "lesson/1 0,1 80x13" },
		{ 120, 40, { .focus = LAYOUT_LESSON, .zoom = true }, "lesson/1 0,1 120x37" },
		{ 120, 40, { .focus = LAYOUT_SOURCE, .hidden = 1u << LAYOUT_STACK },
		  "summary/14 0,1 120x16; source/6 0,17 120x12; frame/2 0,29 120x9" },
		{ 120, 40, { .focus = LAYOUT_STACK, .hidden = 1u << LAYOUT_STACK },
		  "stack/1 0,1 120x10; summary/14 0,11 120x12; source/6 0,23 120x9; frame/2 0,32 120x6" },
		{ 120, 40, { .plan = CODE, .used = { [LAYOUT_SUMMARY] = 1, [LAYOUT_FRAME] = 2 } },
		  "stack/2 0,1 50x19; registers/2 0,20 50x18; source/1 51,1 69x19; frame/18 51,20 69x18" },
		{ 80, 17, { .focus = LAYOUT_LESSON }, "summary/23 0,1 80x7; lesson/1 0,8 80x7" },
		{ 80, 24, { .stack_rows = 6 }, "stack/1 0,1 80x6; summary/22 0,7 80x15" },
		{ 80, 24, { .stack_rows = 5 }, "stack/1 0,1 80x5; summary/22 0,6 80x16" },
		{ 80, 24, { .stack_rows = 1 }, "stack/1 0,1 80x5; summary/22 0,6 80x16" },
		{ 80, 24, { .stack_rows = 100 }, "stack/1 0,1 80x9; summary/22 0,10 80x12" },
		{ 200, 50, { .stack_rows = 8 }, "summary/3 0,1 92x14; stack/1 0,15 92x8; "
		  "source/8 0,23 92x25; evidence/2 93,1 107x9; eval/2 93,10 107x11; "
		  "frame/2 93,21 107x11; registers/2 93,32 107x6; memory/3 93,38 107x10" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct layout_choice choice = cases[i].choice;

		choice.focus = choice.focus == 0 ? LAYOUT_STACK : choice.focus;
		const struct layout layout = layout_compute(cases[i].columns, cases[i].rows, &choice);
		is_str(slots_of(&layout), cases[i].slots, "the slots of row %zu at %dx%d", i, cases[i].columns, cases[i].rows);
		ok(layout.status_row == cases[i].rows - 2 && layout.footer_row == cases[i].rows - 1,
		   "the status line of row %zu is above the last row", i);
	}
}

/* The views to which `step` leads from the stack, until it comes back. */
static const char *
cycle(const struct layout *layout, int step)
{
	static char text[400];
	enum layout_view at = LAYOUT_STACK;
	size_t used = 0;

	do {
		at = layout_next(layout, at, step);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? " " : "", layout_view_name(at));
	} while (at != LAYOUT_STACK && used < 300);
	return text;
}

static void
test_tabs(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };

	layout_focus(&choice, LAYOUT_EVALUATION);
	layout_focus(&choice, LAYOUT_STACK);
	struct layout layout = layout_compute(80, 24, &choice);
	ok(layout.slots[1].shown == LAYOUT_EVALUATION, "the lower slot remembers its tab");
	ok(layout_slot_at(&layout, 5, 0) == NULL, "the header is in no slot");
	is_str(cycle(&layout, 1), "eval stack", "Tab goes to the shown view");
	is_str(cycle(&layout, -1), "eval stack", "Shift-Tab goes to the shown view, around the end");
	layout = layout_compute(60, 20, &choice);
	is_str(cycle(&layout, 1), "source frame evidence eval registers memory drawing raw modules messages dump"
	       " disassembly history methods walks edits identify teb table found versus summary stack",
	       "Tab goes through the tabs of one slot");
	layout = layout_compute(200, 50, &choice);
	is_str(cycle(&layout, 1), "source evidence eval frame registers memory summary stack", "Tab goes through the panes");
	is_str(cycle(&layout, -1), "summary memory registers frame eval evidence source stack", "Shift-Tab goes backwards");
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		const enum layout_view view = (enum layout_view)i;
		enum layout_view found = LAYOUT_VIEW_COUNT;

		layout = layout_compute(200, 50, &(struct layout_choice){ .focus = view });
		ok(layout_shows(&layout, view) && layout_view_named(text_of(layout_view_name(view)), &found) &&
		   found == view, "'%s' is shown if it has the focus", layout_view_name(view));
		layout = layout_compute(60, 20, &(struct layout_choice){ .focus = LAYOUT_STACK });
		ok(layout_shows(&layout, view) == (view == LAYOUT_STACK), "one view is shown on a small screen");
		ok(!layout_view_named(text_of(layout_view_name(view) + 1), &found), "a view has its whole name");
	}
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

	ok(layout_grow(&choice, &layout, 0, 4), "the border of a short stack can be moved");
	layout = layout_compute(80, 24, &choice);
	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 10, "the border moves from where it was");
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
	is_u64((unsigned)narrowest, 68, "each pane of a screen from 80x24 on has 68 columns or more");
	is_u64((unsigned)evaluation, 80, "the evaluation has 80 columns on each screen");
}

/* The place of the focused slot after it was asked to grow. */
static const char *
grown(enum layout_view focus, int columns, int rows)
{
	struct layout_choice choice = { .focus = focus };
	struct layout layout = layout_compute(260, 60, &choice);
	static char text[80];

	if (!layout_grow(&choice, &layout, columns, rows))
		return "no border";
	layout = layout_compute(260, 60, &choice);
	const struct layout_rectangle *r = place_of(&layout, focus);
	snprintf(text, sizeof(text), "%d,%d %dx%d", r->x, r->y, r->columns, r->rows);
	return text;
}

/* A slot moves the border after it, the last one that before it; 16 columns and 2 rows are left. */
static void
test_growing(void)
{
	static const struct {
		enum layout_view focus;
		int columns, rows;
		const char *place;
	} cases[] = {
		{ LAYOUT_SUMMARY, 4, 3, "0,1 94x18" }, { LAYOUT_MODULES, 4, 3, "0,37 94x21" }, { LAYOUT_SOURCE, 4, 3, "91,1 78x25" },
		{ LAYOUT_RAW, 4, 3, "91,38 78x20" }, { LAYOUT_EVIDENCE, 4, 3, "162,1 98x14" }, { LAYOUT_MEMORY, -4, -3, "170,50 90x8" },
		{ LAYOUT_SOURCE, -4, 0, "91,1 70x22" }, { LAYOUT_SOURCE, 0, -3, "91,1 74x19" }, { LAYOUT_SOURCE, 0, 0, "no border" },
		{ LAYOUT_SOURCE, 1000000, 1000000, "91,1 152x53" }, { LAYOUT_SOURCE, -1000000, -1000000, "91,1 16x2" },
	};
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(60, 20, &choice);

	ok(!layout_grow(&choice, &layout, 1, 1), "a pane that is alone does not grow");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(grown(cases[i].focus, cases[i].columns, cases[i].rows), cases[i].place,
		       "the place of '%s' that grows by %d columns and %d rows",
		       layout_view_name(cases[i].focus), cases[i].columns, cases[i].rows);
	layout = layout_compute(120, 40, &choice);
	layout_grow(&choice, &layout, 0, 100);
	layout = layout_compute(120, 40, &choice);
	layout_grow(&choice, &layout, 0, -21);
	layout = layout_compute(120, 40, &choice);
	is_u64((unsigned)place_of(&layout, LAYOUT_STACK)->rows, 10, "a pane that grew to its limit shrinks at once");
}

/* The number of slots that are not at their cells, or whose title is not a border below row 1. */
static unsigned
misplaced(const struct layout *layout)
{
	unsigned bad = layout_border_at(layout, 0, 0) != NULL;

	for (unsigned i = 0; i < layout->slot_count; i++) {
		const struct layout_slot *slot = &layout->slots[i];
		const struct layout_rectangle r = slot->rectangle;
		const int right = r.x + r.columns, below = r.y + r.rows;
		const struct layout_border *title = layout_border_at(layout, r.x, r.y);

		bad += (title != NULL) != (r.y > 1);
		bad += title != NULL && (title->at.x != r.x || title->at.columns != r.columns ||
			title->at.y != r.y || title->at.rows != 1 || title->unmoved != r.y);
		bad += layout_border_at(layout, r.x, r.y + 1) != NULL;
		bad += layout_slot_at(layout, r.x, r.y) != slot;
		bad += layout_slot_at(layout, right - 1, below - 1) != slot;
		bad += layout_slot_at(layout, right, r.y) == slot;
		bad += layout_slot_at(layout, r.x, below) == slot;
		bad += layout_slot_at(layout, r.x, r.y - 1) == slot;
		bad += right < layout->columns && layout_border_at(layout, right, below - 1)->at.rows != layout->rows - 3;
	}
	return bad;
}

/* The number of borders that do not go to their neighbouring place alone. */
static unsigned
immovable(const struct layout *layout, const struct layout_choice *choice, int by)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < layout->border_count; i++) {
		const struct layout_border *border = &layout->borders[i];
		struct layout_choice moved = *choice;

		layout_move(&moved, layout, border, (border->at.columns == 1 ? border->at.x : border->at.y) + by);
		const struct layout after = layout_compute(layout->columns, layout->rows, &moved);
		for (unsigned j = 0; j < layout->border_count; j++) {
			const struct layout_rectangle old = layout->borders[j].at, new = after.borders[j].at;
			const int step = old.columns == 1 ? new.x - old.x : new.y - old.y;

			bad += step != (i == j ? by : 0);
		}
	}
	return bad;
}

static void
test_borders(void)
{
	static const int sizes[][2] = { { 260, 60 }, { 200, 50 }, { 120, 40 }, { 120, 40 },
					{ 120, 40 }, { 80, 24 },  { 80, 24 } };

	for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
		const struct layout_choice choice = { .focus = LAYOUT_STACK, .plan = i + 1 };
		const struct layout layout = layout_compute(sizes[i][0], sizes[i][1], &choice);

		is_u64(misplaced(&layout), 0, "slots of '%s' and their borders are at their cells", layout_plan_name(i + 1));
		is_u64(immovable(&layout, &choice, 1) + immovable(&layout, &choice, -1), 0,
		       "each border of '%s' moves alone", layout_plan_name(i + 1));
		ok(layout_plan_fits(i + 1, sizes[i][0], sizes[i][1]), "'%s' fits its size", layout_plan_name(i + 1));
	}
	struct layout_choice choice = { .focus = LAYOUT_STACK, .lesson = true };
	struct layout layout = layout_compute(300, 60, &choice);
	const struct layout_border *last = &layout.borders[layout.border_count - 1];
	char before[800];

	snprintf(before, sizeof(before), "%s", slots_of(&layout));
	layout_move(&choice, &layout, last, last->at.x - 20);
	layout = layout_compute(300, 60, &choice);
	is_str(slots_of(&layout), before, "the line at the left of a lesson does not move");
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
	is_u64(choice.hidden, 1u << LAYOUT_REGISTERS | 1u << LAYOUT_HISTORY, "all views of the pane are hidden");
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) == NULL, "the views of the hidden pane have no place");
	is_u64(overlaps(&layout), 0, "the other panes have the rows of the hidden one");
	layout_focus(&choice, LAYOUT_REGISTERS);
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) != NULL, "the focus brings the hidden pane back");
	layout_reveal(&choice, &layout);
	layout_focus(&choice, LAYOUT_EVALUATION);
	layout = layout_compute(200, 50, &choice);
	ok(layout_slot_of(&layout, LAYOUT_REGISTERS) != NULL, "the pane that was brought back stays");
	choice.hidden = 1u << LAYOUT_REGISTERS;
	layout_focus(&choice, LAYOUT_HISTORY);
	layout_reveal(&choice, &layout);
	is_u64(choice.hidden, 1u << LAYOUT_REGISTERS, "a pane that shows one of its views stays as it is");
	choice.hidden = 0;
	layout = layout_compute(80, 24, &choice);
	while (layout_hide(&choice, &layout))
		layout = layout_compute(80, 24, &choice);
	is_u64(layout.slot_count, 1, "the last pane is not hidden");
	choice.hidden = 0;
	layout_focus(&choice, LAYOUT_EVIDENCE);
	for (unsigned i = 0; i < 5; i++) {
		layout = layout_compute(200, 50, &choice);
		layout_hide(&choice, &layout);
	}
	layout = layout_compute(200, 50, &choice);
	is_str(slots_of(&layout), "summary/3 0,1 200x14; stack/1 0,15 200x17; source/8 0,32 200x16",
	       "a column without panes has no place");
	is_u64(overlaps(&layout), 0, "the last pane has the whole screen");
}

static void
test_plans(void)
{
	unsigned number = 0;

	is_str(layout_plan_name(0), "auto", "the size of the screen chooses the plan");
	while (layout_plan_name(number + 1) != NULL)
		number++;
	is_u64(number, LAYOUT_PLAN_COUNT, "each plan has a name");
	ok(layout_plan_fits(0, 1, 1) && !layout_plan_fits(1, 239, 50) &&
		   !layout_plan_fits(1, 240, 49) && layout_plan_fits(1, 240, 50),
	   "a plan is checked against the screen size");
}

int
main(void)
{
	test_every_size();
	test_slots();
	test_tabs();
	test_short_stack();
	test_no_narrow_pane();
	test_growing();
	test_borders();
	test_hiding();
	test_plans();
	return done_testing();
}
