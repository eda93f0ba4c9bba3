/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <string.h>

#include "ui/view/view.h"

/* Columns of "-[4 eval]-" and the end of the line without the name; columns of "V 12 more". */
#define TAB_COLUMNS 8u
#define MORE_COLUMNS 12u
/* A title shows at least this many tabs before it shows a count of rows. */
#define TABS_LEAST 5
/* A view shows its foot only if more than this many rows follow the title. */
#define FOOT_FROM 5
/* Limit on rows of a notice. */
#define MOST_LINES 4u

/* Buffers that are reused while a screen is painted. */
struct brush {
	struct explorer *explorer;
	struct arena arena;
	struct row row, title;
	char more_keys[64];
	struct text more;	/* key that lists the views */
};

static void
paint_matches(const struct brush *brush, int x, int y, int columns, size_t left, bool selected)
{
	const struct text text = text_of(row_text(&brush->row));
	const struct pattern *pattern = &brush->explorer->search.found.pattern;
	size_t at = 0, length;

	for (size_t from = 0; pattern_in(pattern, text, from, &at, &length);
	     from = at + length) {
		size_t column = text_width((struct text){ text.start, at });

		if (column < left || column - left >= (size_t)columns)
			continue;
		int into = (int)(column - left);
		/* On the selected row, which is reversed, a match is not reversed. */
		term_put(x + into, y, columns - into, (struct text){ text.start + at, length },
			 selected ? ROLE_TITLE : ROLE_NORMAL, selected ? ROLE_NORMAL : ROLE_MATCH);
	}
}

static void
paint_row(struct brush *brush, const struct session_view *view, size_t index, const char *gutter,
	  struct layout_rectangle at, bool focused)
{
	const bool selected = index == view->selected;
	const enum role over = selected && focused ? ROLE_SELECTED : ROLE_NORMAL;

	const size_t room = view->left > 0 ? 0 : (size_t)at.columns - 1;
	session_fill_row(view, index, room, &brush->row);
	if (!brush->explorer->help.shown)
		notes_add(&brush->explorer->session, view, index, room, &brush->row);
	term_put(at.x, at.y, 1, text_of(selected ? term_glyph(THEME_GLYPH_CURSOR) : gutter),
		 ROLE_NORMAL, over);
	int used = term_put_row(at.x + 1, at.y, at.columns - 1, &brush->row, view->left, over);
	for (; over == ROLE_SELECTED && used < at.columns - 1; used++)
		term_put(at.x + 1 + used, at.y, 1, text_of(" "), ROLE_NORMAL, over);
	if (focused)
		paint_matches(brush, at.x + 1, at.y, at.columns - 1, view->left, selected);
	if (selected && focused)
		term_cursor(at.x, at.y);
}

/* Whether the last row of a view shows the foot of its listing. */
static bool
has_foot(const struct listing *listing, int rows)
{
	return listing->foot != NULL && rows > FOOT_FROM;
}

/* Rows of a view that fit between its head and its foot. */
static size_t
height_of(const struct session_view *view, int rows)
{
	const int edges = (view->listing.head != NULL && rows > 1) +
			  has_foot(&view->listing, rows);

	return rows > edges ? (size_t)(rows - edges) : 0;
}

static size_t
rows_below(const struct session_view *view, int rows)
{
	const size_t count = session_rows(view), end = view->top + height_of(view, rows);

	return count > end ? count - end : 0;
}

static void
paint_rows(struct brush *brush, struct session_view *view, struct layout_rectangle at,
	   bool focused)
{
	const bool foot = has_foot(&view->listing, at.rows);
	int head = view->listing.head != NULL && at.rows > 1;
	const size_t rows = session_rows(view), below = rows_below(view, at.rows);

	if (head) {
		row_clear(&brush->row);
		listing_head(&view->listing, (size_t)at.columns - 1, &brush->row);
		term_put_row(at.x + 1, at.y, at.columns - 1, &brush->row, view->left, ROLE_NORMAL);
		at.y++;
		at.rows--;
	}
	if (foot) {
		row_clear(&brush->row);
		view->listing.foot(&view->listing, &brush->row);
		row_cut(&brush->row, (size_t)at.columns - 1);
		term_put_row(at.x + 1, at.y + --at.rows, at.columns - 1, &brush->row, 0,
			     ROLE_NORMAL);
	}
	for (size_t i = 0; i < (size_t)at.rows && view->top + i < rows; i++) {
		const bool last = i + 1 == (size_t)at.rows;
		const struct layout_rectangle row = { .x = at.x, .y = at.y + (int)i,
						      .columns = at.columns, .rows = 1 };
		const char *gutter = last && below > 0	    ? term_glyph(THEME_GLYPH_BELOW)
				     : i == 0 && view->top > 0 ? term_glyph(THEME_GLYPH_ABOVE)
							       : " ";

		paint_row(brush, view, view->top + i, gutter, row, focused);
	}
	if (rows == 0)
		term_put(at.x + 1, at.y, at.columns - 1, text_of("no row matches the filter"),
			 ROLE_DIM, ROLE_NORMAL);
}

/* How a title shows the number of rows below: in words if the most important tabs still fit. */
enum count { COUNT_NONE, COUNT_SHORT, COUNT_WORDS };

/* Make the right part of a slot's title: the number of rows below, the view's text, the filter. */
static void
make_info(struct brush *brush, const struct layout_slot *slot, enum count count)
{
	struct session *session = &brush->explorer->session;
	const struct session_view *view = session_view(session, slot->shown);
	const size_t below = rows_below(view, slot->rectangle.rows - 1);
	const char *line = term_glyph(THEME_GLYPH_LINE);

	row_clear(&brush->row);
	if (below > 0 && count == COUNT_SHORT)
		row_add(&brush->row, ROLE_NORMAL, "%s%zu%s", term_glyph(THEME_GLYPH_BELOW), below,
			line);
	else if (below > 0 && count == COUNT_WORDS)
		row_add(&brush->row, ROLE_NORMAL, "%zu row%s below%s%s", below,
			plural(below), line, line);
	views_title(session, slot->shown, &brush->row);
	if (view->filter[0] != '\0') {
		row_add(&brush->row, ROLE_CHANGED, "  filter: ");
		row_add_text(&brush->row, ROLE_CHANGED, text_of(view->filter));
		if (session_is_filtering(view))
			row_add(&brush->row, ROLE_CHANGED, " %zu%%",
				view->shown.looked_at / (view->listing.count / 100 + 1));
	}
}

/* Make the title. Returns the result of title_make, or -2 if the right part does not fit. */
static int
write_title(struct brush *brush, const struct layout_slot *slot, const struct title *title,
	    enum count count)
{
	const size_t columns = (size_t)slot->rectangle.columns;
	/* The shown tab and the count of other tabs have precedence over the view's text. */
	const size_t tab = strlen(layout_view_name(slot->shown)) + TAB_COLUMNS +
			   (slot->view_count > 1 ? MORE_COLUMNS : 0);
	const size_t room = columns > 2 * tab ? columns - tab : columns / 2;

	make_info(brush, slot, count);
	if (count != COUNT_NONE && brush->row.width > room)
		return -2;
	row_cut(&brush->row, room);
	row_clear(&brush->title);
	return title_make(&brush->title, columns, title);
}

/* Store the parts of a slot's title in `title` and `tabs`, and make the title. */
static int
make_title(struct brush *brush, const struct layout_slot *slot, struct title_tab *tabs,
	   struct title *title)
{
	const struct session *session = &brush->explorer->session;
	const struct session_view *view = session_view(&brush->explorer->session, slot->shown);

	*title = (struct title){ .tabs = tabs, .count = slot->view_count, .more = brush->more,
				 .focused = slot->shown == session->look.choice.focus,
				 .line = term_glyph(THEME_GLYPH_LINE), .info = &brush->row };
	for (unsigned i = 0; i < slot->view_count; i++)
		tabs[i] = (struct title_tab){ .key = keymap_view_key(slot->views[i]),
					      .name = layout_view_name(slot->views[i]),
					      .shown = slot->views[i] == slot->shown };
	int titled = write_title(brush, slot, title, COUNT_NONE);
	if (rows_below(view, slot->rectangle.rows - 1) == 0)
		return titled;
	const int least = titled < TABS_LEAST ? titled : TABS_LEAST;
	for (enum count count = COUNT_WORDS; count != COUNT_NONE; count--) {
		titled = write_title(brush, slot, title, count);
		if (titled >= least)
			return titled;
	}
	return write_title(brush, slot, title, COUNT_NONE);
}

static void
paint_slot(struct brush *brush, const struct layout_slot *slot)
{
	struct session *session = &brush->explorer->session;
	struct layout_rectangle at = slot->rectangle;
	struct title_tab tabs[LAYOUT_VIEW_COUNT];
	struct title title;
	struct session_view *view = session_view(session, slot->shown);

	make_title(brush, slot, tabs, &title);
	term_put_row(at.x, at.y, at.columns, &brush->title, 0, ROLE_NORMAL);
	at.y++;
	at.rows--;
	if (at.rows > 0)
		paint_rows(brush, view, at, slot->shown == session->look.choice.focus);
}

/* The area of the help with its title. */
static struct layout_rectangle
help_place(const struct explorer *explorer)
{
	return (struct layout_rectangle){ 0, 1, explorer->columns, explorer->rows - 3 };
}

static void
paint_help(struct brush *brush)
{
	struct explorer *explorer = brush->explorer;
	struct layout_rectangle at = help_place(explorer);

	term_line(0, at.y, at.columns, false, THEME_GLYPH_LINE);
	term_put(1, at.y, at.columns - 1, text_of("[help]"), ROLE_TITLE, ROLE_NORMAL);
	at.y++;
	at.rows--;
	paint_rows(brush, &explorer->help.view, at, true);
}

/* Paint the notice in as many rows as it needs; the upper ones cover the views. */
static void
paint_notice(struct brush *brush, size_t columns)
{
	const struct text said = { brush->row.text, brush->row.length };
	const size_t count = row_wrap_count(said, columns);
	const size_t lines = count < MOST_LINES ? count : MOST_LINES;
	const int y = brush->explorer->layout.status_row + 1 - (int)lines;

	for (size_t i = 0; i + 1 < lines; i++) {
		row_clear(&brush->title);
		row_add_text(&brush->title, ROLE_NOTE, row_wrap_line(said, columns, i));
		row_pad(&brush->title, columns);
		term_put_row(0, y + (int)i, (int)columns, &brush->title, 0, ROLE_NORMAL);
	}
	row_clear(&brush->title);
	row_add_text(&brush->title, ROLE_NOTE, row_wrap_line(said, columns, lines - 1));
	row_clear(&brush->row);
	row_add_text(&brush->row, ROLE_NOTE, text_of(row_text(&brush->title)));
}

/* Make the status line. Cut a sentence that is too long, and show the key that shows all of it. */
static void
make_status(struct brush *brush, size_t columns)
{
	struct session *session = &brush->explorer->session;
	char keys[64];

	row_clear(&brush->row);
	if (brush->explorer->help.shown && session->notice[0] == '\0')
		return;
	session_status(session, &brush->row);
	if (brush->row.width <= columns)
		return;
	if (session->notice[0] != '\0') {
		paint_notice(brush, columns);
		return;
	}
	binding_keys(REQUEST_WORDS, keys, sizeof(keys));
	keys[strcspn(keys, " ")] = '\0';
	const size_t hint = keys[0] != '\0' ? strlen(keys) + 1 : 0;
	row_cut_sentence(&brush->row, columns > hint ? columns - hint : columns);
	row_add_right(&brush->row, ROLE_KEY, columns, "%s", keys);
}

static void
paint_edges(struct brush *brush)
{
	struct explorer *explorer = brush->explorer;
	const size_t columns = (size_t)explorer->columns;
	size_t at, count;
	bool whole;

	row_clear(&brush->row);
	session_header(&explorer->session, columns, &brush->row);
	term_put_row(0, 0, explorer->columns, &brush->row, 0, ROLE_NORMAL);
	make_status(brush, columns);
	/* Progress of a search, at the right end of the status line. */
	if (row_search_count(explorer, &at, &count, &whole)) {
		if (count > 0 || !whole)
			row_add_right(&brush->row, ROLE_DIM, columns, "%zu of %zu%s", at, count,
				      whole ? "" : "+");
		else if (explorer->prompt.open)
			row_add_right(&brush->row, ROLE_DIM, columns, "not found");
	}
	term_put_row(0, explorer->layout.status_row, explorer->columns, &brush->row, 0,
		     ROLE_NORMAL);
	if (prompt_is_open()) {
		prompt_paint(explorer->layout.footer_row, explorer->columns);
		return;
	}
	row_clear(&brush->row);
	keymap_footer(requests_context(explorer), columns, &brush->row, SIZE_MAX);
	term_put_row(0, explorer->layout.footer_row, explorer->columns, &brush->row, 0,
		     ROLE_NORMAL);
}

static void
paint_play(struct brush *brush, int rows)
{
	struct explorer *explorer = brush->explorer;
	const int top = explorer->layout.status_row - rows, columns = explorer->columns;

	if (rows > 0)
		term_line(0, top, columns, false, THEME_GLYPH_LINE);
	for (int i = 0; i < rows; i++) {
		row_clear(&brush->row);
		play_fill(explorer, (size_t)i, (size_t)columns - 2, &brush->row);
		term_put_row(1, top + i, columns - 1, &brush->row, 0, ROLE_NORMAL);
	}
}

static void
start_brush(struct brush *brush)
{
	row_init(&brush->row, &brush->arena);
	row_init(&brush->title, &brush->arena);
	brush->row.names = brush->title.names = brush->explorer->session.open.crash->names;
	binding_keys(REQUEST_VIEW_NAMED, brush->more_keys, sizeof(brush->more_keys));
	brush->more = (struct text){ brush->more_keys, strcspn(brush->more_keys, " ") };
	brush->row.cut_mark = brush->title.cut_mark = term_glyph(THEME_GLYPH_CUT);
}

/*
 * The tab at screen column `x` of the title: an index in slot->views, TITLE_NONE or TITLE_MORE.
 */
static int
tab_at(struct explorer *explorer, const struct layout_slot *slot, int x)
{
	struct brush brush = { .explorer = explorer };
	struct title_tab tabs[LAYOUT_VIEW_COUNT];
	struct title title;

	start_brush(&brush);
	const int titled = make_title(&brush, slot, tabs, &title);
	const int found = title_tab_at(&brush.row, &title, titled,
				       (size_t)(x - slot->rectangle.x));
	arena_free(&brush.arena);
	return found;
}

/* Place the views. A short stack leaves rows to others; it does not shrink during the walk. */
static void
arrange(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	int *rows = &session->look.choice.stack_rows;

	explorer->layout = layout_compute(explorer->columns, explorer->rows, &session->look.choice);
	const struct layout_slot *slot = layout_slot_of(&explorer->layout, LAYOUT_STACK);
	if (slot == NULL || slot->view_count > 1)
		return;
	const size_t count = session_view(session, LAYOUT_STACK)->listing.count;
	const int needed = count < (size_t)explorer->rows ? (int)count + 1 : explorer->rows;
	if (needed == *rows || ((*rows == 0 || needed < *rows) && session_is_working(session)))
		return;
	*rows = needed;
	explorer->layout = layout_compute(explorer->columns, explorer->rows, &session->look.choice);
}

/* Keep the selected rows visible. */
static void
fit_views(struct explorer *explorer)
{
	struct session *session = &explorer->session;

	for (unsigned i = 0; !explorer->help.shown && i < explorer->layout.slot_count; i++) {
		const struct layout_slot *slot = &explorer->layout.slots[i];
		struct session_view *view = &session->look.views[slot->shown];
		const size_t columns = (size_t)slot->rectangle.columns - 1;

		/* A wrapped listing is made anew for another width. */
		if (view->columns != columns &&
		    (views_ops(slot->shown)->wraps || listing_is_message(&view->listing)))
			view->fresh = false;
		view->columns = columns;
		session_view(session, slot->shown);
		session_keep_visible(view, height_of(view, slot->rectangle.rows - 1));
	}
	if (explorer->help.shown) {
		struct session_view *view = requests_view(explorer);

		session_keep_visible(view, height_of(view, help_place(explorer).rows - 1));
	}
}

/* Arrange the panes. Returns the number of rows that the play takes after the views. */
static int
arrange_all(struct explorer *explorer)
{
	term_size(&explorer->columns, &explorer->rows);
	const int card = play_rows(explorer, explorer->columns, explorer->rows);
	explorer->rows -= card;
	arrange(explorer);
	explorer->stale = true;
	if (explorer->layout.notice)
		return card;
	explorer->layout.status_row += card;
	explorer->layout.footer_row += card;
	layout_reveal(&explorer->session.look.choice, &explorer->layout);
	fit_views(explorer);
	return card;
}

void
paint_arrange(struct explorer *explorer)
{
	arrange_all(explorer);
}

void
paint_screen(struct explorer *explorer)
{
	struct brush brush = { .explorer = explorer };
	const int card = arrange_all(explorer);

	explorer->stale = false;
	if (explorer->layout.notice) {
		char text[64];

		snprintf(text, sizeof(text), "%dx%d needed", LAYOUT_LEAST_COLUMNS,
			 LAYOUT_LEAST_ROWS);
		term_put(0, 0, explorer->columns, text_of(text), ROLE_NORMAL, ROLE_NORMAL);
		term_cursor(0, 0);
		return;
	}
	start_brush(&brush);
	for (unsigned i = 0; !explorer->help.shown && i < explorer->layout.slot_count; i++)
		paint_slot(&brush, &explorer->layout.slots[i]);
	for (unsigned i = 0; !explorer->help.shown && i < explorer->layout.border_count; i++) {
		const struct layout_rectangle *at = &explorer->layout.borders[i].at;

		if (at->columns == 1)
			term_line(at->x, at->y, at->rows, true, THEME_GLYPH_BAR);
	}
	if (explorer->help.shown)
		paint_help(&brush);
	paint_play(&brush, card);
	paint_edges(&brush);
	arena_free(&brush.arena);
}

void
paint_late(struct explorer *explorer)
{
	if (!explorer->stale)
		return;
	term_clear();
	paint_screen(explorer);
}

/* The mouse ------------------------------------------------------------------------------------ */

enum {
	DOUBLE_CLICK = 400,	/* maximum ms between the two clicks of a double click */
	WHEEL_ROWS = 3,
};

static bool
is_double(struct explorer *explorer, const struct term_event *event)
{
	const struct term_event *before = &explorer->keys.clicked;
	const bool same = before->key == TERM_KEY_CLICK && before->x == event->x &&
			  before->y == event->y && event->time - before->time <= DOUBLE_CLICK;

	explorer->keys.clicked = *event;
	/* A third click begins another double click. */
	if (same)
		explorer->keys.clicked.key = TERM_KEY_NONE;
	return same;
}

/* Focus a view by its command, so that the command is recorded. */
static void
focus_view(struct explorer *explorer, enum layout_view view)
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
press_button(struct explorer *explorer, const struct term_event *event)
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
	if (explorer->help.shown) {
		click_row(explorer, 2, event);
		return;
	}
	explorer->keys.grabbing = border != NULL;
	if (border != NULL)
		explorer->keys.grabbed = *border;
	if (slot == NULL)
		return;
	if (event->y == slot->rectangle.y) {
		const int tab = tab_at(explorer, slot, event->x);

		explorer->keys.clicked = *event;
		if (tab == TITLE_MORE)
			requests_do(explorer, REQUEST_VIEW_NAMED, "");
		else
			focus_view(explorer, tab >= 0 ? slot->views[tab] : slot->shown);
		return;
	}
	if (slot->shown != explorer->session.look.choice.focus)
		focus_view(explorer, slot->shown);
	const struct layout_rectangle *at = &slot->rectangle;
	if (event->y < at->y + at->rows - 1 ||
	    !has_foot(&requests_view(explorer)->listing, at->rows - 1))
		click_row(explorer, at->y + 1, event);
}

/* Scroll the pane at the pointer. Focus it first, because only a focused pane has a selection. */
static void
turn_wheel(struct explorer *explorer, const struct term_event *event, enum request request)
{
	const struct layout_slot *slot = layout_slot_at(&explorer->layout, event->x, event->y);

	if (!explorer->help.shown && slot == NULL)
		return;
	if (!explorer->help.shown && slot->shown != explorer->session.look.choice.focus)
		focus_view(explorer, slot->shown);
	for (int i = 0; i < WHEEL_ROWS; i++)
		requests_do(explorer, request, "");
}

void
mouse_event(struct explorer *explorer, const struct term_event *event)
{
	const struct layout_border *border = &explorer->keys.grabbed;
	const int x = event->x, y = event->y;

	/* While a prompt is open, a click moves only its cursor. */
	if (explorer->prompt.open && event->key == TERM_KEY_CLICK)
		prompt_click(x, y);
	if (explorer->prompt.open || explorer->layout.notice || explorer->print.plain)
		return;
	/* Cancel a pending question or the first key of a pair. */
	explorer->keys.prefix = REQUEST_NONE;
	explorer->keys.pair = 0;
	explorer->session.notice[0] = '\0';
	explorer->session.stepped = false;
	if (event->key == TERM_KEY_CLICK) {
		press_button(explorer, event);
	} else if (event->key == TERM_KEY_RELEASE) {
		const bool upright = border->at.columns == 1;

		if (explorer->keys.grabbing && (upright ? x != border->at.x : y != border->at.y))
			layout_move(&explorer->session.look.choice, &explorer->layout, border,
				    upright ? x : y);
		explorer->keys.grabbing = false;
	} else {
		turn_wheel(explorer, event,
		      event->key == TERM_KEY_WHEEL_UP ? REQUEST_UP : REQUEST_DOWN);
	}
}
