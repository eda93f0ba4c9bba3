/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/layout.h"

#include <stddef.h>

#include "base/compiler.h"

#define VIEW(id) (1u << LAYOUT_##id)
#define EVERY_VIEW ((1u << LAYOUT_VIEW_COUNT) - 1)
/* The views that stand nowhere else in the plan. */
#define REST (1u << LAYOUT_VIEW_COUNT)

/* Slots of one column, from above; they share its rows in proportion to their weights. */
struct plan_slot {
	unsigned views;
	int weight;
};

struct plan_column {
	int weight;		/* share of the columns */
	struct plan_slot slots[4];
};

struct plan {
	int least_columns, least_rows;
	struct plan_column columns[LAYOUT_COLUMN_COUNT];
};

/* The largest first. Weights are the rows and columns at 200x50, 120x40 and 80x24. */
static const struct plan plans[] = {
	{ 180, 44, {
		{ 64, { { VIEW(STACK), 12 }, { VIEW(MEMORY), 17 },
			{ VIEW(SUMMARY) | VIEW(MODULES) | REST, 18 } } },
		{ 70, { { VIEW(SOURCE), 16 }, { VIEW(RAW), 12 }, { VIEW(REGISTERS), 19 } } },
		{ 64, { { VIEW(EVIDENCE), 17 }, { VIEW(TAPE), 22 }, { VIEW(MESSAGES), 8 } } },
	} },
	{ 110, 32, {
		{ 58, { { VIEW(STACK), 9 }, { VIEW(SOURCE) | VIEW(MODULES) | REST, 10 },
			{ VIEW(MEMORY), 11 }, { VIEW(REGISTERS), 7 } } },
		{ 61, { { VIEW(SUMMARY) | VIEW(EVIDENCE) | VIEW(MESSAGES), 18 }, { VIEW(TAPE) | VIEW(RAW), 19 } } },
	} },
	{ 80, 24, {
		{ 80, { { VIEW(STACK), 9 }, { REST, 12 } } },
	} },
	{ 0, 0, {
		{ 1, { { REST, 1 } } },
	} },
};

const char *
layout_view_name(enum layout_view view)
{
	static const char *const names[] = {
#define V(id, name) [LAYOUT_##id] = name,
#include "ui/view.def"
#undef V
	};

	return names[view];
}

void
layout_focus(struct layout_choice *choice, enum layout_view view)
{
	choice->focus = view;
	choice->used[view] = ++choice->clock;
}

static const struct plan *
choose_plan(int columns, int rows, bool zoom)
{
	size_t i = zoom ? ARRAY_COUNT(plans) - 1 : 0;

	while (columns < plans[i].least_columns || rows < plans[i].least_rows)
		i++;
	return &plans[i];
}

/* What no slot of the plan names. */
static unsigned
other_views(const struct plan *plan)
{
	unsigned views = EVERY_VIEW;

	for (size_t i = 0; i < ARRAY_COUNT(plan->columns); i++)
		for (size_t j = 0; j < ARRAY_COUNT(plan->columns[i].slots); j++)
			views &= ~plan->columns[i].slots[j].views;
	return views;
}

static void
add_slot(struct layout *layout, unsigned views, struct layout_rectangle rectangle,
	 const struct layout_choice *choice)
{
	struct layout_slot *slot = &layout->slots[layout->slot_count++];

	slot->rectangle = rectangle;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (views & 1u << i)
			slot->views[slot->view_count++] = (enum layout_view)i;
	slot->shown = slot->views[0];
	for (unsigned i = 1; i < slot->view_count; i++)
		if (choice->used[slot->views[i]] > choice->used[slot->shown])
			slot->shown = slot->views[i];
	if (views & 1u << choice->focus)
		slot->shown = choice->focus;
}

static unsigned
slot_views(unsigned views, unsigned others)
{
	return views & REST ? (views & EVERY_VIEW) | others : views;
}

/* Fill one column of the screen with slots. Rounding errors wander downwards. */
static void
add_column(struct layout *layout, const struct plan_column *column, unsigned others,
	   struct layout_rectangle rectangle, const struct layout_choice *choice)
{
	int weights = 0, passed = 0;

	for (size_t i = 0; i < ARRAY_COUNT(column->slots); i++)
		weights += column->slots[i].weight;
	for (size_t i = 0; i < ARRAY_COUNT(column->slots) && column->slots[i].weight != 0; i++) {
		int above = rectangle.rows * passed / weights;

		passed += column->slots[i].weight;
		int below = rectangle.rows * passed / weights;
		add_slot(layout, slot_views(column->slots[i].views, others),
			 (struct layout_rectangle){ rectangle.x, rectangle.y + above,
						    rectangle.columns, below - above }, choice);
	}
}

struct layout
layout_compute(int columns, int rows, const struct layout_choice *choice)
{
	struct layout layout = { .columns = columns, .rows = rows };
	const struct plan *plan = choose_plan(columns, rows, choice->zoom);
	int weights = 0, passed = 0, count = 0;

	if (columns < LAYOUT_LEAST_COLUMNS || rows < LAYOUT_LEAST_ROWS) {
		layout.notice = true;
		return layout;
	}
	layout.status_row = rows - 2;
	layout.footer_row = rows - 1;
	for (; count < LAYOUT_COLUMN_COUNT && plan->columns[count].weight != 0; count++)
		weights += plan->columns[count].weight;
	int shared = columns - (count - 1);
	for (int i = 0; i < count; i++) {
		int left = shared * passed / weights + i;

		passed += plan->columns[i].weight;
		int right = shared * passed / weights + i;
		add_column(&layout, &plan->columns[i], other_views(plan),
			   (struct layout_rectangle){ left, 1, right - left, rows - 3 }, choice);
		if (i + 1 < count)
			layout.bars[layout.bar_count++] = right;
	}
	return layout;
}

enum layout_view
layout_next(const struct layout *layout, enum layout_view focus, int step)
{
	unsigned order[LAYOUT_VIEW_COUNT], count = 0, at = 0;

	for (unsigned i = 0; i < layout->slot_count; i++)
		for (unsigned j = 0; j < layout->slots[i].view_count; j++) {
			/* Of several slots each gives what it shows; one slot alone, its tabs. */
			enum layout_view view = layout->slots[i].views[j];

			if (layout->slot_count > 1 && view != layout->slots[i].shown)
				continue;
			if (view == focus)
				at = count;
			order[count++] = view;
		}
	if (count == 0)
		return focus;
	return (enum layout_view)order[(at + count + (step < 0 ? count - 1 : 1)) % count];
}

const struct layout_slot *
layout_slot_of(const struct layout *layout, enum layout_view view)
{
	for (unsigned i = 0; i < layout->slot_count; i++)
		for (unsigned j = 0; j < layout->slots[i].view_count; j++)
			if (layout->slots[i].views[j] == view)
				return &layout->slots[i];
	return NULL;
}

const struct layout_slot *
layout_slot_at(const struct layout *layout, int x, int y)
{
	for (unsigned i = 0; i < layout->slot_count; i++) {
		const struct layout_rectangle *r = &layout->slots[i].rectangle;

		if (x >= r->x && x < r->x + r->columns && y >= r->y && y < r->y + r->rows)
			return &layout->slots[i];
	}
	return NULL;
}
