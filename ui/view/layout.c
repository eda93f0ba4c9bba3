/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/layout.h"

#include <stddef.h>

#include "base/compiler.h"

#define VIEW(id) (1u << LAYOUT_##id)
/* A slot with this bit takes all views that the plan places nowhere else. */
#define REST (1u << LAYOUT_VIEW_COUNT)

/* The slot of a lesson: at the right from LESSON_BESIDE columns on, else at the bottom. */
enum { LESSON_COLUMNS = 39, LESSON_ROWS = 7, LESSON_BESIDE = 120, LESSON_LEAST = 17 };

/* A slot of a column. The slots share the column's rows in proportion to their weights. */
struct layout_plan_slot {
	unsigned views;
	int weight;		/* 0: no slot */
};

struct layout_plan_column {
	int weight;		/* share of the columns; 0: no column */
	struct layout_plan_slot slots[LAYOUT_SLOT_COUNT];
};

static const struct layout_plan {
	const char *name;
	int least_columns, least_rows;
	bool by_size;		/* may be used if the user has chosen no plan */
	struct layout_plan_column columns[LAYOUT_COLUMN_COUNT];
} plans[LAYOUT_PLAN_COUNT] = {
#include "ui/view/layout_plan.def"
};

/* Minimum rows (with the title) and columns of a slot, and the lowest limit on the stack's rows. */
enum { SLOT_ROWS = 2, SLOT_COLUMNS = 16, STACK_ROWS = 5 };

const char *
layout_view_name(enum layout_view view)
{
	static const char *const names[] = {
#define V(id, name, command, keys, handler, help) [LAYOUT_##id] = name,
#include "ui/view/view.def"
	};

	return names[view];
}

bool
layout_view_named(struct text name, enum layout_view *view)
{
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		*view = (enum layout_view)i;
		if (text_is(name, layout_view_name(*view)))
			return true;
	}
	return false;
}

const char *
layout_plan_name(unsigned number)
{
	if (number == 0)
		return "auto";
	return number <= LAYOUT_PLAN_COUNT ? plans[number - 1].name : NULL;
}

bool
layout_plan_fits(unsigned number, int columns, int rows)
{
	return number == 0 || (columns >= plans[number - 1].least_columns &&
			       rows >= plans[number - 1].least_rows);
}

void
layout_focus(struct layout_choice *choice, enum layout_view view)
{
	choice->focus = view;
	choice->used[view] = ++choice->clock;
}

/* Adjacent parts of a length, and the distance that each part's end is moved. */
struct parts {
	unsigned count;
	unsigned index[LAYOUT_SLOT_COUNT];	/* index in the plan */
	int weight[LAYOUT_SLOT_COUNT], move[LAYOUT_SLOT_COUNT];
	/* maximum length, unless the end was moved; 0: no limit */
	int most[LAYOUT_SLOT_COUNT];
	int end[LAYOUT_SLOT_COUNT], unmoved[LAYOUT_SLOT_COUNT];
};

static void
add_part(struct parts *parts, unsigned index, int weight, int move)
{
	parts->index[parts->count] = index;
	parts->weight[parts->count] = weight;
	parts->move[parts->count++] = move;
}

/*
 * Share `length` in proportion to the weights, then move the ends; each part keeps `least`, for
 * which a plan's least size has room. The last part gets rounding errors and what others leave.
 */
static void
measure(struct parts *parts, int length, int least)
{
	int weights = 0, passed = 0, from = 0;

	for (unsigned i = 0; i < parts->count; i++)
		weights += parts->weight[i];
	for (unsigned i = 0; i < parts->count; i++) {
		passed += parts->weight[i];
		parts->unmoved[i] = length * passed / weights;
		parts->end[i] = parts->unmoved[i];
	}
	for (unsigned i = 0; i + 1 < parts->count; i++) {
		const int most = length - least * (int)(parts->count - i - 1);
		int end = parts->unmoved[i] + parts->move[i];

		if (parts->most[i] > 0 && parts->move[i] == 0 && end > from + parts->most[i])
			end = from + parts->most[i];
		end = end < from + least ? from + least : end;
		parts->end[i] = end > most ? most : end;
		from = parts->end[i];
	}
}

/* The views of a slot as bits. A slot with REST also has the views that the plan does not place. */
static unsigned
views_of_slot(const struct layout_plan *plan, const struct layout_plan_slot *slot)
{
	unsigned others = REST - 1 - VIEW(LESSON);

	if ((slot->views & REST) == 0)
		return slot->views;
	for (size_t i = 0; i < ARRAY_COUNT(plan->columns); i++)
		for (size_t j = 0; j < ARRAY_COUNT(plan->columns[i].slots); j++)
			others &= ~plan->columns[i].slots[j].views;
	return (slot->views & ~REST) | others;
}

/* The slots of a column without those whose views are all hidden. */
static struct parts
slots_of(const struct layout_plan *plan, const struct layout_choice *choice, unsigned column)
{
	const short *moves = choice->moves[plan - plans].rows[column];
	const struct layout_plan_slot *slots = plan->columns[column].slots;
	struct parts parts = { 0 };

	for (unsigned i = 0; i < LAYOUT_SLOT_COUNT && slots[i].weight != 0; i++) {
		const unsigned views = views_of_slot(plan, &slots[i]);

		if ((views & ~choice->hidden) == 0 && (views & 1u << choice->focus) == 0)
			continue;
		add_part(&parts, i, slots[i].weight, moves[i]);
		if (views == VIEW(STACK) && choice->stack_rows > 0)
			parts.most[parts.count - 1] = choice->stack_rows > STACK_ROWS
							      ? choice->stack_rows : STACK_ROWS;
	}
	return parts;
}

static void
add_slot(struct layout *layout, const struct layout_plan_slot *planned,
	 struct layout_rectangle rectangle, const struct layout_choice *choice)
{
	const unsigned views = views_of_slot(&plans[layout->plan], planned);
	/* Until the user chooses a view, prefer the views that the plan names for this slot. */
	const unsigned first = (planned->views & views) != 0 ? planned->views & views : views;
	struct layout_slot *slot = &layout->slots[layout->slot_count++];

	slot->rectangle = rectangle;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (views & 1u << i)
			slot->views[slot->view_count++] = (enum layout_view)i;
	while ((first & 1u << slot->shown) == 0)
		slot->shown++;
	for (unsigned i = 0; i < slot->view_count; i++)
		if (choice->used[slot->views[i]] > choice->used[slot->shown])
			slot->shown = slot->views[i];
	if (views & 1u << choice->focus)
		slot->shown = choice->focus;
}

static void
add_border(struct layout *layout, struct layout_rectangle at, unsigned column, unsigned row,
	   int unmoved)
{
	layout->borders[layout->border_count++] =
		(struct layout_border){ at, column, row, unmoved };
}

static void
add_column(struct layout *layout, unsigned column, struct layout_rectangle rectangle,
	   const struct layout_choice *choice)
{
	const struct layout_plan *plan = &plans[layout->plan];
	struct parts slots = slots_of(plan, choice, column);
	int above = 0;

	measure(&slots, rectangle.rows, SLOT_ROWS);
	for (unsigned i = 0; i < slots.count; i++) {
		const unsigned row = slots.index[i];
		const int below = slots.end[i], y = rectangle.y;

		add_slot(layout, &plan->columns[column].slots[row],
			 (struct layout_rectangle){ rectangle.x, y + above, rectangle.columns,
						    below - above }, choice);
		if (i + 1 < slots.count)
			add_border(layout, (struct layout_rectangle){ rectangle.x, y + below,
								      rectangle.columns, 1 },
				   column, row, y + slots.unmoved[i]);
		above = below;
	}
}

/* Add the slot of the lesson in the area that the other slots leave. */
static void
add_lesson(struct layout *layout, const struct layout_choice *choice, bool beside, bool alone)
{
	struct layout_rectangle at = { 0, 1, layout->columns, layout->rows - 3 };

	if (!alone && beside) {
		at.x = layout->columns - LESSON_COLUMNS;
		at.columns = LESSON_COLUMNS;
		/* No plan has a border after its last column, so that border's number is free. */
		add_border(layout, (struct layout_rectangle){ at.x - 1, 1, 1, at.rows },
			   LAYOUT_COLUMN_COUNT - 1, 0, at.x - 1);
	} else if (!alone) {
		at.y = layout->rows - 2 - LESSON_ROWS;
		at.rows = LESSON_ROWS;
	}
	add_slot(layout, &(struct layout_plan_slot){ .views = VIEW(LESSON) }, at, choice);
}

static void
place_views(struct layout *layout, int columns, int rows, const struct layout_choice *choice)
{
	struct parts parts = { 0 };
	int left = 0;

	if (choice->zoom)
		layout->plan = LAYOUT_PLAN_COUNT - 1;
	else if (choice->plan != 0 && layout_plan_fits(choice->plan, columns, rows))
		layout->plan = choice->plan - 1;
	else
		while (!plans[layout->plan].by_size ||
		       !layout_plan_fits(layout->plan + 1, columns, rows))
			layout->plan++;
	const struct layout_plan *plan = &plans[layout->plan];
	for (unsigned i = 0; i < LAYOUT_COLUMN_COUNT && plan->columns[i].weight != 0; i++)
		if (slots_of(plan, choice, i).count > 0)
			add_part(&parts, i, plan->columns[i].weight,
				 choice->moves[layout->plan].columns[i]);
	measure(&parts, columns - (int)(parts.count - 1), SLOT_COLUMNS);
	for (unsigned i = 0; i < parts.count; i++) {
		/* Each column but the first has a line at its left. */
		const int right = parts.end[i] + (int)i;

		add_column(layout, parts.index[i],
			   (struct layout_rectangle){ left, 1, right - left, rows - 3 }, choice);
		if (i + 1 < parts.count)
			add_border(layout, (struct layout_rectangle){ right, 1, 1, rows - 3 },
				   parts.index[i], 0, parts.unmoved[i] + (int)i);
		left = right + 1;
	}
}

struct layout
layout_compute(int columns, int rows, const struct layout_choice *choice)
{
	struct layout layout = { .columns = columns, .rows = rows };
	const bool beside = columns >= LESSON_BESIDE;
	const bool focused = choice->focus == LAYOUT_LESSON;
	const bool shown = focused || (choice->lesson && (choice->hidden & VIEW(LESSON)) == 0);
	const bool alone = focused && (choice->zoom || rows < LESSON_LEAST);
	const bool lesson = shown && rows >= LESSON_LEAST;

	if (columns < LAYOUT_LEAST_COLUMNS || rows < LAYOUT_LEAST_ROWS) {
		layout.notice = true;
		return layout;
	}
	layout.status_row = rows - 2;
	layout.footer_row = rows - 1;
	if (!alone)
		place_views(&layout, columns - (lesson && beside ? LESSON_COLUMNS + 1 : 0),
			    rows - (lesson && !beside ? LESSON_ROWS : 0), choice);
	if (alone || lesson)
		add_lesson(&layout, choice, beside, alone);
	return layout;
}

static unsigned
views_of(const struct layout_slot *slot)
{
	unsigned views = 0;

	for (unsigned i = 0; slot != NULL && i < slot->view_count; i++)
		views |= 1u << slot->views[i];
	return views;
}

bool
layout_hide(struct layout_choice *choice, const struct layout *layout)
{
	const struct layout_slot *slot = layout_slot_of(layout, choice->focus);

	if (layout->slot_count < 2 || slot == NULL)
		return false;
	choice->hidden |= views_of(slot);
	layout_focus(choice, layout_next(layout, choice->focus, 1));
	return true;
}

void
layout_reveal(struct layout_choice *choice, const struct layout *layout)
{
	const unsigned views = views_of(layout_slot_of(layout, choice->focus));

	if ((views & ~choice->hidden) == 0)
		choice->hidden &= ~views;
}

void
layout_move(struct layout_choice *choice, const struct layout *layout,
	    const struct layout_border *border, int to)
{
	struct layout_moves *moves = &choice->moves[layout->plan];
	const bool upright = border->at.columns == 1;
	const int most = upright ? layout->columns : layout->rows;

	to = to < 0 ? 0 : to > most ? most : to;
	*(upright ? &moves->columns[border->column] : &moves->rows[border->column][border->row]) =
		(short)(to - border->unmoved);
}

/* The border after a slot (`*sign` is 1), else the border before it (`*sign` is -1), or NULL. */
static const struct layout_border *
border_of(const struct layout *layout, const struct layout_slot *slot, bool upright, int *sign)
{
	const struct layout_rectangle *r = &slot->rectangle;
	const struct layout_border *before = NULL;

	for (unsigned i = 0; i < layout->border_count; i++) {
		const struct layout_border *at = &layout->borders[i];

		if ((at->at.columns == 1) != upright || (!upright && at->at.x != r->x))
			continue;
		*sign = 1;
		if (upright ? at->at.x == r->x + r->columns : at->at.y == r->y + r->rows)
			return at;
		if (upright ? at->at.x == r->x - 1 : at->at.y == r->y)
			before = at;
	}
	*sign = -1;
	return before;
}

bool
layout_grow(struct layout_choice *choice, const struct layout *layout, int columns, int rows)
{
	const struct layout_slot *slot = layout_slot_of(layout, choice->focus);
	bool moved = false;

	for (unsigned upright = 0; slot != NULL && upright < 2; upright++) {
		const int by = upright ? columns : rows;
		int sign;
		const struct layout_border *border =
			by != 0 ? border_of(layout, slot, upright, &sign) : NULL;

		if (border == NULL)
			continue;
		layout_move(choice, layout, border,
			    (upright ? border->at.x : border->at.y) + sign * by);
		moved = true;
	}
	return moved;
}

enum layout_view
layout_next(const struct layout *layout, enum layout_view focus, int step)
{
	unsigned order[LAYOUT_VIEW_COUNT], count = 0, at = 0;

	for (unsigned i = 0; i < layout->slot_count; i++)
		for (unsigned j = 0; j < layout->slots[i].view_count; j++) {
			/*
			 * Each of several slots contributes its shown view; a single slot
			 * contributes all its tabs.
			 */
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

bool
layout_shows(const struct layout *layout, enum layout_view view)
{
	const struct layout_slot *slot = layout_slot_of(layout, view);

	return slot != NULL && slot->shown == view;
}

static bool
holds(const struct layout_rectangle *r, int x, int y)
{
	return x >= r->x && x < r->x + r->columns && y >= r->y && y < r->y + r->rows;
}

const struct layout_slot *
layout_slot_at(const struct layout *layout, int x, int y)
{
	for (unsigned i = 0; i < layout->slot_count; i++)
		if (holds(&layout->slots[i].rectangle, x, y))
			return &layout->slots[i];
	return NULL;
}

const struct layout_border *
layout_border_at(const struct layout *layout, int x, int y)
{
	for (unsigned i = 0; i < layout->border_count; i++)
		if (holds(&layout->borders[i].at, x, y))
			return &layout->borders[i];
	return NULL;
}

/* Titles --------------------------------------------------------------------------------------- */

/*
 * Write the tabs and the line around them. Returns the tab that covers column `x`. A line joins
 * brackets to their neighbours, as in "- 3 raw -[4 eval]- 5 registers -".
 */
static int
add_tabs(struct row *row, const struct title *title, int titled, size_t x)
{
	const struct title_tab *tabs = title->tabs;
	bool joins = true;
	int found = TITLE_NONE;
	unsigned missing = 0;

	row_clear(row);
	for (unsigned i = 0; i < title->count; i++) {
		const char *around = !tabs[i].shown    ? "  "
				     : title->focused   ? "[]"
				     : title->count > 1 ? "()"
							: "  ";

		if (!tabs[i].shown && (int)i >= titled) {
			missing++;
			continue;
		}
		if (joins || around[0] != ' ')
			row_add(row, ROLE_NORMAL, "%s", title->line);
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

		row_add(row, ROLE_NORMAL, "%s ", joins ? title->line : "");
		row_add_text(row, ROLE_NORMAL, title->more);
		row_add(row, ROLE_NORMAL, "%s%u more ", title->more.length != 0 ? " " : "",
			missing);
		if (x > begin && x < row->width)
			found = TITLE_MORE;
	}
	row_add(row, ROLE_NORMAL, "%s", title->line);
	return found;
}

static void
draw_to(struct row *row, size_t column, const char *line)
{
	size_t before = column;

	/* Stop if the row no longer grows (out of memory). */
	for (; row->width < column && row->width != before; row_add(row, ROLE_NORMAL, "%s", line))
		before = row->width;
}

int
title_make(struct row *row, size_t columns, const struct title *title)
{
	const struct row *info = title->info;
	size_t wanted = info->width == 0 ? 0 : info->width + 1;
	int titled = (int)title->count;

	for (;;) {
		add_tabs(row, title, titled, 0);
		if (row->width + wanted <= columns || titled < 0)
			break;
		titled--;
	}
	if (row->width + wanted > columns)
		wanted = 0;
	if (wanted != 0)
		draw_to(row, columns - info->width - 1, title->line);
	for (size_t i = 0; wanted != 0 && i < info->span_count; i++)
		row_add_text(row, info->spans[i].role, row_span_text(info, i));
	draw_to(row, columns, title->line);
	row_cut(row, columns);
	return titled;
}

int
title_tab_at(struct row *row, const struct title *title, int titled, size_t column)
{
	return add_tabs(row, title, titled, column);
}
