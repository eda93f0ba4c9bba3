/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/rules_view.h"

#include "ui/view/views.h"
#include "walk/frame_rules.h"

/* Columns of the function's name in the title. */
#define NAME_COLUMNS 30u

struct listing
rules_view_listing(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = session_walk(session);
	struct session_rules *chosen = &session->rules;
	struct frame_rules *rules = arena_alloc(arena, sizeof(*rules));

	chosen->made = NULL;
	if (walk == NULL || session->frame >= walk->count)
		return listing_message(views_why_nothing(session));
	if (rules == NULL)
		return listing_out_of_memory();
	frame_rules_make(rules, walk, session->frame, arena);
	chosen->made = rules;
	if (chosen->column >= rules->tables.column_count)
		chosen->column = 0;
	const struct rule_view view = {
		.tables = &rules->tables, .run = &rules->run, .marked = true,
		.address = rules->address, .in_force = rules->in_force,
		.method = rules->method, .column = chosen->column,
		.form = (enum rule_form)chosen->form,
	};
	struct listing listing = rule_listing(&view, arena);
	*row = rule_listing_row(&listing);
	return listing;
}

void
rules_view_title(struct session *session, struct row *row)
{
	const struct frame_rules *rules = session->rules.made;

	if (rules == NULL)
		return;
	const size_t records = rule_listing_records(&rules->tables);
	if (rules->run.named) {
		row_add_cut(row, ROLE_NORMAL, NAME_COLUMNS, true, rules->run.function.name);
		row_add(row, ROLE_NORMAL, "  ");
	}
	row_add(row, ROLE_NORMAL, "%s  %zu row%s", rules->method != NULL ? rules->method : "none",
		records, records == 1 ? "" : "s");
}

/* Make the rows anew where another cell or form was chosen; the row stays. */
static void
show_again(struct session *session)
{
	const size_t selected = session->views[LAYOUT_TABLE].selected;

	session->views[LAYOUT_TABLE].fresh = false;
	struct session_view *view = session_view(session, LAYOUT_TABLE);
	if (selected < session_rows(view))
		view->selected = selected;
}

void
rules_view_move(struct session *session, int direction)
{
	struct session_rules *chosen = &session->rules;
	const size_t count = chosen->made != NULL ? chosen->made->tables.column_count : 0;

	session->views[LAYOUT_TABLE].left = 0;
	if (direction > 0 && chosen->column + 1 < count)
		chosen->column++;
	else if (direction < 0 && chosen->column > 0)
		chosen->column--;
	else
		session_say(session, "there is no cell further to the %s",
			    direction > 0 ? "right" : "left");
	show_again(session);
}

void
rules_view_form(struct session *session)
{
	static const char *const words[RULE_FORM_COUNT] = {
		[RULE_FORM_SHORT] = "cells as readelf -wF writes them",
		[RULE_FORM_POSTFIX] = "cells as postfix expressions",
		[RULE_FORM_RECORD] = "cells as the lines of the records that set them",
	};

	session->rules.form = (session->rules.form + 1) % RULE_FORM_COUNT;
	show_again(session);
	session_say(session, "%s", words[session->rules.form]);
}
