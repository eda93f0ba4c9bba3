/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/view/view.h"

/* Moves between rows and between views; the arrangement of views on the screen. */

static void
move(struct explorer *explorer, size_t rows, bool up)
{
	const size_t from = requests_view(explorer)->selected;

	requests_select(explorer, !up ? from + rows : from > rows ? from - rows : 0);
}

/* The visible rows of the focused view without its head. */
static size_t
view_height(const struct explorer *explorer, const struct session_view *view)
{
	const struct layout_slot *slot =
		layout_slot_of(&explorer->layout, explorer->session.look.choice.focus);
	const int room = explorer->help.shown ? explorer->rows - 4
			 : slot != NULL	      ? slot->rectangle.rows - 1
					      : 1;
	const int rows = room - (view->listing.head != NULL);

	return rows > 1 ? (size_t)rows : 1;
}

/* Moves the window by a page, so that the selection keeps its place in it. */
static void
turn_page(struct explorer *explorer, bool down)
{
	struct session_view *view = requests_view(explorer);
	const size_t height = view_height(explorer, view), rows = session_rows(view);
	const size_t last = rows > height ? rows - height : 0;

	/* In a script, the view may not have been painted since the selection moved. */
	session_keep_visible(view, height);
	if (down)
		view->top = view->top + height < last ? view->top + height : last;
	else
		view->top -= view->top < height ? view->top : height;
}

void
request_move(const struct request_call *call)
{
	const size_t rows = view_height(call->explorer, requests_view(call->explorer));
	const size_t lengths[] = { [MOVE_ROW] = 1, [MOVE_HALF] = (rows + 1) / 2,
				   [MOVE_PAGE] = rows, [MOVE_ALL] = LONG_MAX };
	const int length = abs(call->value);
	const bool up = call->value != length;

	if (!call->explorer->help.shown && length == MOVE_PAGE)
		turn_page(call->explorer, !up);
	move(call->explorer, lengths[length], up);
}

/* Scroll by a row; the selection moves only to stay visible. */
void
request_move_line(const struct request_call *call)
{
	struct session_view *view = requests_view(call->explorer);
	const size_t height = view_height(call->explorer, view), rows = session_rows(view);
	const size_t margin = height > 4 ? 1 : 0;
	const bool up = call->value == -1;

	session_keep_visible(view, height);
	if (up ? view->top == 0 : view->top + height >= rows)
		return;
	view->top = up ? view->top - 1 : view->top + 1;
	const size_t top = view->top, last = top + height - 1 - margin;
	if (view->selected < top + margin)
		requests_select(call->explorer, top + margin);
	else if (view->selected > last)
		requests_select(call->explorer, last);
}

void
request_row(const struct request_call *call)
{
	uint64_t number;
	const size_t rows = session_rows(requests_view(call->explorer));

	if (!text_number(text_of(call->text), 10, &number) || number == 0 || number > rows)
		session_fail(call->session, rows > 0 ? "no row '%s'; expected 1 to %zu"
			     : "no row '%s'; no row matches the filter", call->text, rows);
	else
		requests_select(call->explorer, (size_t)number - 1);
}

void
request_scroll(const struct request_call *call)
{
	struct session_view *view = requests_view(call->explorer);
	const struct view_ops *ops = views_ops(call->session->look.choice.focus);
	const size_t by = 8;

	if (!call->explorer->help.shown && ops->scroll != NULL)
		ops->scroll(call->session, call->value);
	else if (call->value == 1)
		view->left += by;
	else
		view->left = view->left > by ? view->left - by : 0;
}

/* Move row by row until another message is selected. False: no other message follows. */
static bool
leave_message(struct explorer *explorer, bool up)
{
	const struct session_view *view = requests_view(explorer);
	const struct place from = session_selected_target(view).place;
	size_t row = SIZE_MAX;
	struct place at = from;

	while (row != view->selected && at.input == from.input && at.offset == from.offset) {
		row = view->selected;
		move(explorer, 1, up);
		at = session_selected_target(view).place;
	}
	return row != view->selected;
}

void
request_problem(const struct request_call *call)
{
	const bool there = call->session->look.choice.focus == LAYOUT_MESSAGES;
	const bool up = call->value == -1;

	session_focus(call->session, LAYOUT_MESSAGES);
	/* A long message has several rows. Go to the first row of another message. */
	if (there && leave_message(call->explorer, up) && up &&
	    leave_message(call->explorer, true))
		move(call->explorer, 1, false);
	const struct target target = session_selected_target(requests_view(call->explorer));
	if (target.kind == TARGET_PLACE && views_show_place(call->session, target.place.input))
		session_say(call->session, "Enter goes to the place of the message");
	else if (listing_is_message(&requests_view(call->explorer)->listing))
		session_say(call->session, "no message is shown");
}

/* Select the row of a register, or else the next row with the text. */
static void
select_named(struct explorer *explorer, const char *text)
{
	struct session *session = &explorer->session;
	const struct session_view *view = session_view(session, session->look.choice.focus);
	const struct view_ops *ops = views_ops(session->look.choice.focus);
	const struct walk *walk = session_walk(session);
	const int reg = walk == NULL ? ARCH_NO_REGISTER
				     : arch_register(walk->arch, text_of(text + (*text == '$')),
						     ARCH_NAMES_ALIASES);

	for (size_t i = 0;
	     reg != ARCH_NO_REGISTER && ops->subject != NULL && i < session_rows(view); i++) {
		const struct row_subject subject =
			ops->subject(&view->listing, session_listing_row(view, i));

		if (subject.kind == SUBJECT_REGISTER && subject.reg == reg) {
			requests_select(explorer, i);
			return;
		}
	}
	requests_search(explorer, text);
}

void
request_view(const struct request_call *call)
{
	/* Only a key goes to the step that found the frame; a command shows the frame's step. */
	if (call->value == LAYOUT_EVIDENCE && call->explorer->keys.pressed &&
	    stack_views_show_maker(call->session))
		return;
	session_focus(call->session, (enum layout_view)call->value);
	if (call->text[0] != '\0')
		select_named(call->explorer, call->text);
}

void
request_locks(const struct request_call *call)
{
	const struct analysis *analysis = session_analysis(call->session);

	session_focus(call->session, LAYOUT_SUMMARY);
	if (analysis != NULL && analysis->locks.count == 0)
		session_say(call->session, "no thread is known to wait for a lock");
	else
		requests_search(call->explorer, "waits for ");
}

void
request_view_named(const struct request_call *call)
{
	const struct text name = { call->text, strcspn(call->text, " ") };
	enum layout_view view;

	if (name.length == 0)
		help_open(call->explorer, HELP_VIEWS);
	else if (!layout_view_named(name, &view))
		session_fail(call->session, "unknown view '%s'; V lists them", call->text);
	else
		session_focus(call->session, view);
}

void
request_focus(const struct request_call *call)
{
	struct session *session = call->session;

	session_focus(session, layout_next(&call->explorer->layout, session->look.choice.focus,
					   call->value));
}

void
request_zoom(const struct request_call *call)
{
	call->session->look.choice.zoom = !call->session->look.choice.zoom;
}

void
request_resize(const struct request_call *call)
{
	struct session *session = call->session;
	const int kind = abs(call->value);
	const bool rows = kind == RESIZE_ROWS;
	char *end;
	long count = strtol(call->text, &end, 10);

	if (end == call->text)
		count = rows ? 1 : 2;
	const int most = (int)(count < -1000 ? -1000 : count > 1000 ? 1000 : count);
	const int by = call->value == kind ? most : -most;
	if (session->look.choice.zoom)
		session_say(session, "the view has the whole screen; z shows all panes");
	else if (!layout_grow(&session->look.choice, &call->explorer->layout, rows ? 0 : by,
			      rows ? by : 0))
		session_say(session, "this pane has no border to move");
}

void
request_hide(const struct request_call *call)
{
	struct session *session = call->session;
	const char *name = layout_view_name(session->look.choice.focus);

	if (layout_hide(&session->look.choice, &call->explorer->layout))
		session_say(session, "'%s' is hidden; its key or :show brings it back", name);
	else
		session_say(session, "this is the only pane");
}

void
request_show(const struct request_call *call)
{
	struct session *session = call->session;

	session_say(session, session->look.choice.hidden != 0 ? "all panes are shown"
							      : "no pane is hidden");
	session->look.choice.hidden = 0;
}

bool
requests_layout(struct explorer *explorer, const char *name)
{
	struct layout_choice *choice = &explorer->session.look.choice;
	const struct text typed = { name, strcspn(name, " ") };
	unsigned number = 0;

	while (layout_plan_name(number) != NULL && !text_is(typed, layout_plan_name(number)))
		number++;
	if (layout_plan_name(number) == NULL)
		return false;
	choice->plan = number;
	choice->zoom = false;
	choice->hidden = 0;
	memset(choice->moves, 0, sizeof(choice->moves));
	memset(choice->used, 0, sizeof(choice->used));
	return true;
}

void
request_layout(const struct request_call *call)
{
	struct session *session = call->session;
	const struct layout *layout = &call->explorer->layout;
	const unsigned plan = session->look.choice.plan;
	if (call->text[0] == '\0') {
		session_say(session, "the layout is '%s'%s", layout_plan_name(layout->plan + 1),
			    plan == 0 ? ", by the screen's size" : "");
	} else if (!requests_layout(call->explorer, call->text)) {
		session_fail(session, "unknown layout '%.40s'", call->text);
	} else {
		if (!layout_plan_fits(session->look.choice.plan, layout->columns, layout->rows))
			session_say(session, "'%s' needs a larger screen; the layout that fits is "
				    "shown", layout_plan_name(session->look.choice.plan));
		return;
	}
	for (unsigned i = 0; layout_plan_name(i) != NULL; i++)
		session_say_more(session, "%s%s", i > 0 ? ", " : "; there are ",
				 layout_plan_name(i));
}
