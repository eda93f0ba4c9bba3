/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/memory.h"
#include "report/messages.h"
#include "report/modules.h"
#include "report/naming.h"
#include "report/raw_dump.h"
#include "report/raw_symbols.h"

static struct listing
make_stack(struct session *session, struct arena *arena, size_t *row)
{
	struct listing listing = stack_listing(&session->stack, arena);

	*row = stack_row(&listing, session->thread, session->frame, session->call);
	return listing;
}

static void
selected_stack(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_STACK];
	struct target target = view->listing.target(&view->listing, row);
	struct walk *walk;

	if (target.kind != TARGET_FRAME)
		return;
	walk = session->stack.walks[target.thread];
	if (target.thread != session->thread)
		session_select_thread(session, target.thread);
	if (target.frame < walk->count && target.call != STACK_END)
		session_select_frame(session, target.frame, target.call);
	else if (!walk->complete)
		session_select_frame(session, target.frame, 0);
}

const char *
views_why_nothing(const struct session *session)
{
	if (session_is_loading(session))
		return "symbols are being read; C-c goes on without them";
	if (session->crash->thread_count == 0)
		return "the dump has no threads: see the messages";
	if (session->crash->threads[session->thread].wrote_dump)
		return "this thread wrote the dump and is not walked";
	const struct walk *walk = session_walk(session);
	return walk != NULL && walk->complete ? walk->end.text : "this thread has no frames";
}

static struct listing
make_source(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = session_walk(session);

	if (walk == NULL || session->frame >= walk->count || session_is_loading(session))
		return listing_message(views_why_nothing(session));
	return source_listing(&session->source, walk, session->frame, session->call, arena, row);
}

static struct listing
make_evidence(struct session *session, struct arena *arena, size_t *row)
{
	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	struct listing listing = step_view_evidence(&session->step, arena);
	*row = step_view_evidence_row(&listing, session->step.cursor);
	return listing;
}

static void
selected_evidence(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_EVIDENCE];
	uint32_t event = step_view_event_of_row(&view->listing, row);

	/* The attempts come first; choosing one moves the cursor to it. */
	if (event != TRACE_NONE && session->step.trace.events[event].kind == EVENT_ATTEMPT)
		session_select_event(session, event);
}

static struct listing
make_tape(struct session *session, struct arena *arena, size_t *row)
{
	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	struct listing listing = step_view_tape(&session->step, arena);
	*row = step_view_tape_row(&listing, session->step.cursor);
	return listing;
}

static void
selected_tape(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_TAPE];
	uint32_t event = step_view_event_of_row(&view->listing, row);

	if (event != TRACE_NONE)
		session_select_event(session, event);
}

static struct listing
make_registers(struct session *session, struct arena *arena, size_t *row)
{
	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	struct listing listing = step_view_registers(&session->step, arena);
	const struct event *at = &session->step.trace.events[session->step.cursor];
	if (at->kind == EVENT_SET)
		*row = step_view_register_row(&listing, at->reg);
	else if (session->step.cursor == 0)
		*row = 0;
	return listing;
}

static struct listing
make_memory(struct session *session, struct arena *arena, size_t *row)
{
	const struct memory_options options = {
		.crash = session->crash,
		.memory = &session->memory,
		.walk = session_walk(session),
		.step = session->has_step ? &session->step : NULL,
		.address = session->memory_address,
		.base = session->base,
	};
	struct listing listing = memory_listing(&options, arena);

	*row = memory_row(&listing, session->memory_address);
	return listing;
}

/* The symbol file that a place is in, among those that are loaded. */
static const struct symfile *
symfile_of(const struct session *session, const struct input *input)
{
	for (size_t i = 0; i < session->crash->module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(session->symbols, i, &state);

		if (symfile != NULL && &symfile_file(symfile)->input == input)
			return symfile;
	}
	return NULL;
}

static struct listing
make_raw(struct session *session, struct arena *arena, size_t *row)
{
	const struct place place = session->raw;
	const struct symfile *symfile =
		place.input != NULL ? symfile_of(session, place.input) : NULL;
	struct listing listing;

	if (symfile == NULL) {
		struct place none = { 0 };
		bool ours = place.input == &session->crash->file.input;

		listing = raw_dump_listing(session->crash, ours ? place : none, arena);
		*row = raw_dump_row(&listing, ours ? place.offset : 0);
		return listing;
	}
	listing = raw_symbols_listing(symfile, place, arena);
	*row = raw_symbols_row(&listing, place.line);
	return listing;
}

static struct listing
make_modules(struct session *session, struct arena *arena, size_t *row)
{
	struct listing listing = modules_listing(session->crash, session->symbols, arena);
	struct walk *walk = session_walk(session);

	if (walk != NULL && session->frame < walk->count &&
	    walk->frames[session->frame].module != MODULE_NONE)
		*row = modules_row(&listing, (size_t)walk->frames[session->frame].module);
	return listing;
}

static struct listing
make_messages(struct session *session, struct arena *arena, size_t *row)
{
	const struct messages_sources sources = { .crash = session->crash,
						  .symbols = session->loader != NULL
								     ? NULL
								     : session->symbols };

	(void)row;
	return messages_listing(&sources, 0, arena);
}

static const struct view_row {
	const char *name;
	struct listing (*make)(struct session *session, struct arena *arena, size_t *row);
	void (*selected)(struct session *session, size_t row);
	bool centered;
} views[LAYOUT_VIEW_COUNT] = {
	[LAYOUT_STACK] = { "stack", make_stack, selected_stack, false },
	[LAYOUT_SOURCE] = { "source", make_source, NULL, true },
	[LAYOUT_EVIDENCE] = { "evidence", make_evidence, selected_evidence, false },
	[LAYOUT_TAPE] = { "tape", make_tape, selected_tape, false },
	[LAYOUT_REGISTERS] = { "registers", make_registers, NULL, false },
	[LAYOUT_MEMORY] = { "memory", make_memory, NULL, true },
	[LAYOUT_RAW] = { "raw", make_raw, NULL, true },
	[LAYOUT_MODULES] = { "modules", make_modules, NULL, false },
	[LAYOUT_MESSAGES] = { "messages", make_messages, NULL, false },
};

struct listing
views_make(struct session *session, enum layout_view view, struct arena *arena, size_t *row)
{
	return views[view].make(session, arena, row);
}

bool
views_is_centered(enum layout_view view)
{
	return views[view].centered;
}

void
views_selected(struct session *session, enum layout_view view, size_t row)
{
	if (views[view].selected != NULL)
		views[view].selected(session, row);
}

const char *
views_name(enum layout_view view)
{
	return views[view].name;
}

bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line)
{
	const struct session_view *view = session_view(session, LAYOUT_SOURCE);
	const char *found = source_path(&view->listing);

	*line = source_line_number(&view->listing);
	return found != NULL && (size_t)snprintf(path, size, "%s", found) < size;
}

static void
title_raw(const struct session *session, struct row *row)
{
	char text[300], place[300];

	if (session->raw.input == &session->crash->file.input || session->raw.input == NULL)
		row_add_text(row, ROLE_NORMAL,
			     text_of(crash_describe_offset(session->crash, session->raw.offset,
							   text, sizeof(text))));
	else
		row_add_text(row, ROLE_NORMAL,
			     text_of(place_format(&session->raw, place, sizeof(place))));
}

void
views_title(struct session *session, enum layout_view view, const struct session_view *shown,
	    struct row *row)
{
	switch (view) {
	case LAYOUT_SOURCE:
		if (source_line_number(&shown->listing) != 0)
			row_add(row, ROLE_NORMAL, "line %" PRIu32,
				source_line_number(&shown->listing));
		break;
	case LAYOUT_MEMORY:
		row_add(row, ROLE_NORMAL, "words, %s",
			session->base == 16   ? "hexadecimal"
			: session->base == 10 ? "decimal"
					      : "text");
		break;
	case LAYOUT_RAW:
		title_raw(session, row);
		break;
	case LAYOUT_MODULES:
		row_add(row, ROLE_NORMAL, "%zu", session->crash->module_count);
		break;
	case LAYOUT_MESSAGES:
		row_add(row, ROLE_NORMAL, "%" PRIu64, message_total(&session->crash->messages));
		break;
	default:
		break;
	}
}
