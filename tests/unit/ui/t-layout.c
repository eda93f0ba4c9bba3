/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/lib/tap.h"
#include "ui/layout.h"

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
	for (unsigned i = 0; i < layout->bar_count; i++)
		for (int y = 1; y < layout->status_row; y++)
			bad += cells[y][layout->bars[i]]++ != 0;
	for (int y = 1; y < layout->status_row; y++)
		for (int x = 0; x < layout->columns; x++)
			bad += cells[y][x] != 1;
	return bad;
}

/* Every view has exactly one slot, and the focused one is shown. */
static bool
views_are_placed(const struct layout *layout, enum layout_view focus)
{
	unsigned seen[LAYOUT_VIEW_COUNT] = { 0 };

	for (unsigned i = 0; i < layout->slot_count; i++)
		for (unsigned j = 0; j < layout->slots[i].view_count; j++)
			seen[layout->slots[i].views[j]]++;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (seen[i] != 1)
			return false;
	return layout_slot_of(layout, focus)->shown == focus;
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
			struct layout layout = layout_compute(columns, rows, &choice);

			if (layout.notice != (columns < 40 || rows < 6))
				bad_notices++;
			if (layout.notice)
				continue;
			bad_cells += overlaps(&layout);
			bad_views += !views_are_placed(&layout, choice.focus);
		}
	is_u64(bad_notices, 0, "a screen below 40x6 shows a notice, any other does not");
	is_u64(bad_cells, 0, "slots and lines fill the body of every screen without overlap");
	is_u64(bad_views, 0, "every view has a place, and the focused one is shown");
}

static void
test_tabs(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };

	layout_focus(&choice, LAYOUT_TAPE);
	layout_focus(&choice, LAYOUT_STACK);
	struct layout layout = layout_compute(80, 24, &choice);
	is_u64(layout.slot_count, 2, "80x24 has two slots");
	is_u64((unsigned)layout.slots[0].rectangle.rows, 9, "of which the stack has 9 rows");
	is_u64((unsigned)layout.slots[1].rectangle.y, 10, "and the other begins below it");
	is_u64((unsigned)layout.slots[1].rectangle.rows, 12, "and goes down to the status line");
	ok(layout.slots[1].shown == LAYOUT_TAPE, "the lower slot remembers its tab");
	ok(layout_slot_at(&layout, 5, 12) == &layout.slots[1], "a cell knows its slot");
	ok(layout_slot_at(&layout, 5, 0) == NULL, "the header is in none");
	ok(layout_next(&layout, LAYOUT_STACK, 1) == LAYOUT_TAPE, "Tab goes to the shown view");
	ok(layout_next(&layout, LAYOUT_STACK, -1) == LAYOUT_TAPE, "and around backwards");

	layout = layout_compute(60, 20, &choice);
	is_u64(layout.slot_count, 1, "a narrow screen has one slot");
	ok(layout_next(&layout, LAYOUT_STACK, 1) == LAYOUT_SOURCE, "where Tab goes through tabs");
	ok(layout_next(&layout, LAYOUT_SOURCE, -1) == LAYOUT_STACK, "in both directions");
	choice.zoom = true;
	layout = layout_compute(200, 50, &choice);
	is_u64(layout.slot_count, 1, "so has a zoomed one of any size");
}

static void
test_columns(void)
{
	struct layout_choice choice = { .focus = LAYOUT_STACK };
	struct layout layout = layout_compute(120, 40, &choice);

	is_u64(layout.bar_count, 1, "120x40 has two columns");
	is_u64((unsigned)layout.bars[0], 58, "divided behind the 58th");
	is_u64((unsigned)layout_slot_of(&layout, LAYOUT_MEMORY)->rectangle.y, 20,
	       "memory stands below the source");
	is_u64((unsigned)layout_slot_of(&layout, LAYOUT_REGISTERS)->rectangle.rows, 7,
	       "and over seven rows of registers");
	layout = layout_compute(200, 50, &choice);
	is_u64(layout.bar_count, 2, "200x50 has three columns");
	is_u64(layout.slot_count, 9, "with three slots each");
	is_u64((unsigned)layout.bars[0], 64, "the first is 64 wide");
	is_u64((unsigned)layout.bars[1], 135, "the second 70");
	layout = layout_compute(109, 50, &choice);
	is_u64(layout.bar_count, 0, "109 columns are too few for two");
	layout = layout_compute(300, 31, &choice);
	is_u64(layout.bar_count, 0, "31 rows are too few for two");
}

int
main(void)
{
	test_every_size();
	test_tabs();
	test_columns();
	return done_testing();
}
