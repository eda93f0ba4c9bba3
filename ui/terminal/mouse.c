/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/paint.h"

#include <stdio.h>

#include "ui/terminal/prompt.h"
#include "ui/view/title.h"

enum {
	DOUBLE_CLICK = 400,	/* most ms between the two clicks of a double click */
	WHEEL_ROWS = 3,
};

static bool
is_double(struct explorer *explorer, const struct term_event *event)
{
	const struct term_event *before = &explorer->clicked;
	const bool same = before->key == TERM_KEY_CLICK && before->x == event->x &&
			  before->y == event->y && event->time - before->time <= DOUBLE_CLICK;

	explorer->clicked = *event;
	/* A third click starts another pair. */
	if (same)
		explorer->clicked.key = TERM_KEY_NONE;
	return same;
}

/* Focus a view by its command, so that it is recorded. */
static void
go_to(struct explorer *explorer, enum layout_view view)
{
	char command[64];

	snprintf(command, sizeof(command), "view %s", layout_view_name(view));
	requests_command(explorer, command);
}

/* Click on a row of a view whose first row is screen row `first`. */
static void
click_row(struct explorer *explorer, int first, const struct term_event *event)
{
	struct session_view *view = requests_view(explorer);
	const int row = event->y - first - (view->listing.head != NULL);
	const size_t index = view->top + (size_t)(row < 0 ? 0 : row);
	char number[24];

	if (row < 0 || index >= session_rows(view))
		return;
	if (is_double(explorer, event) && index == view->selected) {
		requests_do(explorer, REQUEST_OPEN, "");
		return;
	}
	snprintf(number, sizeof(number), "%zu", index + 1);
	requests_do(explorer, REQUEST_ROW, number);
}

static void
press(struct explorer *explorer, const struct term_event *event)
{
	const struct layout *layout = &explorer->layout;
	const struct layout_slot *slot = layout_slot_at(layout, event->x, event->y);
	const struct layout_border *border = layout_border_at(layout, event->x, event->y);

	if (event->y == layout->footer_row) {
		struct arena arena = { 0 };
		struct row row = ROW_IN(&arena);
		const enum request request =
			keymap_footer(requests_context(explorer), (size_t)explorer->columns, &row,
				      (size_t)event->x);

		arena_free(&arena);

		if (request != REQUEST_NONE)
			requests_do(explorer, request, "");
		return;
	}
	if (explorer->help) {
		click_row(explorer, 2, event);
		return;
	}
	explorer->grabbing = border != NULL;
	if (border != NULL)
		explorer->grabbed = *border;
	if (slot == NULL)
		return;
	if (event->y == slot->rectangle.y) {
		const int tab = paint_tab_at(explorer, slot, event->x);

		explorer->clicked = *event;
		if (tab == TITLE_MORE)
			requests_do(explorer, REQUEST_VIEW_NAMED, "");
		else
			go_to(explorer, tab >= 0 ? slot->views[tab] : slot->shown);
		return;
	}
	if (slot->shown != explorer->session.choice.focus)
		go_to(explorer, slot->shown);
	const struct layout_rectangle *at = &slot->rectangle;
	if (event->y < at->y + at->rows - 1 ||
	    !paint_has_foot(&requests_view(explorer)->listing, at->rows - 1))
		click_row(explorer, at->y + 1, event);
}

/* Focus and scroll the pane at the pointer, because only a focused pane has a selection. */
static void
wheel(struct explorer *explorer, const struct term_event *event, enum request request)
{
	const struct layout_slot *slot = layout_slot_at(&explorer->layout, event->x, event->y);

	if (!explorer->help && slot == NULL)
		return;
	if (!explorer->help && slot->shown != explorer->session.choice.focus)
		go_to(explorer, slot->shown);
	for (int i = 0; i < WHEEL_ROWS; i++)
		requests_do(explorer, request, "");
}

void
mouse_event(struct explorer *explorer, const struct term_event *event)
{
	const struct layout_border *border = &explorer->grabbed;
	const int x = event->x, y = event->y;

	/* While a prompt is open, a click moves only its cursor. */
	if (explorer->prompting && event->key == TERM_KEY_CLICK)
		prompt_click(x, y);
	if (explorer->prompting || explorer->layout.notice)
		return;
	/* Cancel a pending question or the first key of a pair. */
	explorer->prefix = REQUEST_NONE;
	explorer->pair = 0;
	explorer->session.notice[0] = '\0';
	explorer->session.stepped = false;
	if (event->key == TERM_KEY_CLICK) {
		press(explorer, event);
	} else if (event->key == TERM_KEY_RELEASE) {
		const bool upright = border->at.columns == 1;

		if (explorer->grabbing && (upright ? x != border->at.x : y != border->at.y))
			layout_move(&explorer->session.choice, &explorer->layout, border,
				    upright ? x : y);
		explorer->grabbing = false;
	} else {
		wheel(explorer, event,
		      event->key == TERM_KEY_WHEEL_UP ? REQUEST_UP : REQUEST_DOWN);
	}
}
