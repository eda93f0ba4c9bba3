/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "inspect/blind.h"
#include "report/step/explain.h"
#include "report/step/rule_listing.h"
#include "ui/view/view.h"
#include "walk/frame_rules.h"

/* Columns of a name in a title. */
#define NAME_COLUMNS 24u

/* The current step: its evidence, tokens and registers; other methods; the function's rules. */

/* Write which frame the step starts from and which frame it finds. `more`: the title continues. */
static void
title_step(const struct session *session, bool more, struct row *row)
{
	const struct step_view *step = &session->step.view;
	const bool over = step_view_is_over(step);

	if (!session->step.exists || session->step.of_variable)
		return;
	if (!over && step->reach != TRACE_NONE)
		/* The frame that the step finds is hidden. */
		row_add(row, ROLE_NORMAL, "step from frame %zu", step->frame);
	else if (over && step->verdict.kind != VERDICT_TAKEN)
		row_add(row, ROLE_NORMAL, "no caller of frame %zu", step->frame);
	else
		row_add(row, ROLE_NORMAL, "frame %zu found from %zu", step->frame + 1,
			step->frame);
	if (more)
		row_add(row, ROLE_NORMAL, "  ");
}

static struct listing
make_evidence(struct session *session, struct session_view *view)
{
	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	struct listing listing =
		step_view_evidence(&session->step.view, view->columns, &view->arena);
	view->row = step_view_evidence_row(&listing, session->step.view.cursor);
	return listing;
}

static struct row_subject
event_of_row(const struct listing *listing, size_t row)
{
	return (struct row_subject){ .kind = SUBJECT_EVENT,
				 .event = step_view_event_of_row(listing, row) };
}

static bool
select_evidence(struct session *session, size_t row)
{
	const struct listing *listing = &session->look.views[LAYOUT_EVIDENCE].listing;
	uint32_t event = step_view_event_of_row(listing, row);

	/* The attempts come first; selecting one moves the cursor to it. */
	if (event != TRACE_NONE && session->step.view.trace.events[event].kind == EVENT_ATTEMPT)
		session_select_event(session, event);
	return false;
}

static void
title_evidence(struct session *session, struct row *row)
{
	const struct step_view *step = &session->step.view;
	const size_t attempts = step_view_attempt_number(step, TRACE_NONE);

	title_step(session, session->step.by != METHOD_COUNT || attempts > 1, row);
	if (session->step.exists && session->step.by != METHOD_COUNT)
		row_add(row, ROLE_CHANGED, "by %s alone", method_name(session->step.by));
	else if (session->step.of_variable)
		row_add_cut(row, ROLE_CHANGED, NAME_COLUMNS, false, text_of(step->variable->name));
	else if (session->step.exists && attempts > 1)
		row_add(row, ROLE_NORMAL, "attempt %zu of %zu",
			step_view_attempt_number(step, step_view_attempt(step)), attempts);
}

const struct view_ops view_EVIDENCE = {
	.make = make_evidence, .title = title_evidence, .select = select_evidence,
	.subject = event_of_row, .wraps = true,
};

static struct listing
make_evaluation(struct session *session, struct session_view *view)
{
	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	struct listing listing = step_view_evaluation(&session->step.view, &view->arena);
	view->row = step_view_evaluation_row(&listing, session->step.view.cursor);
	return listing;
}

static bool
select_evaluation(struct session *session, size_t row)
{
	uint32_t event =
		step_view_event_of_row(&session->look.views[LAYOUT_EVALUATION].listing, row);

	if (event == TRACE_NONE)
		return false;
	/* A rule's row goes to the event before the rule, but the raw view shows the rule. */
	const struct event *at = &session->step.view.trace.events[event];
	session_select_event(session, at->kind == EVENT_RULE ? event - 1 : event);
	if (at->kind == EVENT_RULE && at->place.input != NULL)
		session->look.raw.place = at->place;
	return false;
}

static void
title_evaluation(struct session *session, struct row *row)
{
	const struct step_view *step = &session->step.view;
	size_t number = 0;

	if (!session->step.exists)
		return;
	title_step(session, true, row);
	if (session->step.of_variable) {
		row_add_cut(row, ROLE_CHANGED, NAME_COLUMNS, false, text_of(step->variable->name));
		row_add(row, ROLE_NORMAL, "  ");
	}
	uint32_t attempt = step_view_attempt(step);
	size_t count = step_view_token_count(step, attempt);
	/* Between two tokens, show the number of the last token that ran. */
	for (uint32_t i = step->cursor + 1; i-- > 0 && i > attempt && number == 0;)
		number = step_view_token_number(step, i);
	if (step_view_is_whole(step))
		row_add(row, ROLE_NORMAL, "%zu token%s", count, plural(count));
	else
		row_add(row, ROLE_NORMAL, "token %zu of %zu", number, count);
}

const struct view_ops view_EVALUATION = {
	.make = make_evaluation, .title = title_evaluation, .select = select_evaluation,
	.subject = event_of_row, .centered = true,
};

static struct listing
make_methods(struct session *session, struct session_view *view)
{
	struct walk *walk = session_walk(session);
	const enum method_id method = session->step.by;

	if (session_frame(session) == NULL)
		return listing_message(views_why_nothing(session));
	struct listing listing =
		methods_listing(methods_compare(walk, session->look.stack.frame, &view->arena));
	view->row = listing.current;
	for (size_t i = 0; method != METHOD_COUNT && i < listing.count; i++)
		if (listing_target(&listing, i).method == method)
			view->row = i;
	return listing;
}

static struct row_subject
method_of_row(const struct listing *listing, size_t row)
{
	return (struct row_subject){ .kind = SUBJECT_METHOD,
				     .method = listing_target(listing, row).method };
}

static void
title_methods(struct session *session, struct row *row)
{
	title_step(session, true, row);
	row_add(row, ROLE_NORMAL, "= same  ~ regs differ  ! other");
}

const struct view_ops view_METHODS = {
	.make = make_methods, .title = title_methods, .reveals = BLIND_TOKEN,
	.subject = method_of_row,
};

static struct listing
make_table(struct session *session, struct session_view *view)
{
	struct walk *walk = session_walk(session);
	struct session_rules *chosen = &session->look.rules;
	struct frame_rules *rules = arena_alloc(&view->arena, sizeof(*rules));

	chosen->made = NULL;
	/* The rows would reveal how the CFA is computed, even that of other methods. */
	if (session->blind != BLIND_OFF)
		return listing_message(BLIND_WORDS);
	if (session_frame(session) == NULL)
		return listing_message(views_why_nothing(session));
	if (rules == NULL)
		return listing_out_of_memory();
	if (chosen->elsewhere)
		frame_rules_at(rules, walk, chosen->address, &view->arena);
	else
		frame_rules_make(rules, walk, session->look.stack.frame, &view->arena);
	chosen->made = rules;
	if (chosen->column >= rules->tables.column_count)
		chosen->column = 0;
	const struct rule_view shown = {
		.tables = &rules->tables, .run = &rules->run, .marked = true,
		.address = rules->address, .in_force = rules->in_force,
		.method = rules->method, .column = chosen->column,
		.form = (enum rule_form)chosen->form,
	};
	struct listing listing = rule_listing(&shown, &view->arena);
	view->row = listing.current;
	return listing;
}

static void
title_table(struct session *session, struct row *row)
{
	const struct frame_rules *rules = session->look.rules.made;

	if (rules == NULL)
		return;
	const size_t records = rule_listing_records(&rules->tables);

	if (!session->look.rules.elsewhere)
		title_step(session, true, row);
	if (rules->run.named) {
		row_add_name(row, ROLE_NORMAL, NAME_COLUMNS, rules->run.function.name);
		row_add(row, ROLE_NORMAL, "  ");
	}
	/* A table in force is marked in its own heading. */
	if (session->look.rules.elsewhere)
		row_add(row, ROLE_NORMAL, "not the frame's  ");
	else if (rules->in_force == SIZE_MAX)
		row_add(row, ROLE_NORMAL, "%s  ", rules->method != NULL ? rules->method : "none");
	row_add(row, ROLE_NORMAL, "%zu row%s", records, plural(records));
}

/* Make the rows anew for another column or form. The selected row stays. */
static void
show_table_again(struct session *session)
{
	const size_t selected = session->look.views[LAYOUT_TABLE].selected;

	session->look.views[LAYOUT_TABLE].fresh = false;
	struct session_view *view = session_view(session, LAYOUT_TABLE);
	if (selected < session_rows(view))
		view->selected = selected;
}

static void
scroll_table(struct session *session, int direction)
{
	struct session_rules *chosen = &session->look.rules;
	const size_t count = chosen->made != NULL ? chosen->made->tables.column_count : 0;

	if (direction > 0 && chosen->column + 1 < count)
		chosen->column++;
	else if (direction < 0 && chosen->column > 0)
		chosen->column--;
	else
		session_say(session, "no cell further to the %s",
			    direction > 0 ? "right" : "left");
	show_table_again(session);
}

static void
next_form(struct session *session)
{
	static const char *const words[RULE_FORM_COUNT] = {
		[RULE_FORM_SHORT] = "cells as in readelf -wF",
		[RULE_FORM_POSTFIX] = "cells as postfix expressions",
		[RULE_FORM_RECORD] = "cells as the lines of the records that set them",
	};

	session->look.rules.form = (session->look.rules.form + 1) % RULE_FORM_COUNT;
	show_table_again(session);
	session_say(session, "%s", words[session->look.rules.form]);
}

/* Offer to make the records agree with a contradicting row of another source. */
static bool
offer_row(struct session *session, char *line, size_t size)
{
	const struct session_view *view = session_view(session, LAYOUT_TABLE);
	const struct frame_rules *rules = session->look.rules.made;
	uint64_t address;
	size_t row;

	if (rules == NULL || rules->module == NULL || !session_selected(view, &row) ||
	    !rule_listing_contradicts(&view->listing, row, &address))
		return false;
	return snprintf(line, size, "take-row %" PRIx64, rules->module->base + address) > 0;
}

const struct view_ops view_TABLE = {
	.make = make_table, .title = title_table, .scroll = scroll_table, .next_form = next_form,
	.offer = offer_row,
	.centered = true,
};
