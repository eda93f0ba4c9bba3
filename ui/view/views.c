/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "system/config.h"
#include "report/memory/memory.h"
#include "report/file/messages.h"
#include "report/step/methods_compared.h"
#include "report/step/naming.h"
#include "report/file/raw_dump.h"
#include "report/file/raw_symbols.h"
#include "report/stack/summary.h"
#include "report/stack/way.h"
#include "ui/view/details.h"
#include "ui/view/modules_view.h"
#include "ui/view/rules_view.h"

static struct listing
make_stack(struct session *session, struct arena *arena, size_t *row)
{
	struct listing listing = stack_listing(&session->stack, arena);

	*row = stack_row(&listing, session->thread, session->frame, session->call);
	return listing;
}

/*
 * A folded recursion stands for its first frame, also where the row is what lies behind the
 * selected frame: so one row further is behind all of it.
 */
static bool
select_run(struct session *session, const struct target *target)
{
	if (target->frame == STACK_GROUP ||
	    !stack_state_in_folded_run(&session->stack, target->thread, target->frame))
		return false;
	session_select_frame(session, stack_state_run_first(&session->stack, target->thread,
							    target->frame), 0);
	return true;
}

static bool
selected_stack(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_STACK];
	struct target target = view->listing.target(&view->listing, row);

	if (target.kind != TARGET_FRAME && target.kind != TARGET_FOLD)
		return false;
	const struct walk *walk = session->stack.walks[target.thread];
	if (target.thread != session->thread)
		session_select_thread(session, target.thread);
	if (target.kind == TARGET_FOLD)
		return select_run(session, &target);
	if (target.frame < walk->count && target.call != STACK_END) {
		session_select_frame(session, target.frame, target.call);
		return true;
	}
	if (!walk->complete)
		session_select_frame(session, target.frame, 0);
	return !walk->complete;
}

const char *
views_why_nothing(const struct session *session)
{
	if (session->crash->thread_count == 0)
		return "the dump has no threads: see the messages";
	if (session->crash->threads[session->thread].wrote_dump)
		return "this thread wrote the dump and is not walked";
	const struct walk *walk = session_walk(session);
	return walk != NULL && walk->complete ? walk->end.text : "this thread has no frames";
}

/* The walk of the thread that crashed, as far as it is there. */
static struct walk *
crashed_walk(const struct session *session)
{
	const int thread = session->crash->requesting_thread;

	return thread < 0 ? NULL : session->stack.walks[thread];
}

static struct listing
make_summary(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = crashed_walk(session);

	(void)row;
	if (session->analysis == NULL)
		session->analysis = analysis_create(session->crash, walk,
						    session->binaries);
	if (session->analysis == NULL)
		return listing_out_of_memory();
	return summary_listing(session->analysis, walk, session->views[LAYOUT_SUMMARY].columns,
			       arena);
}

static struct listing
make_source(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = session_walk(session);

	if (walk == NULL || session->frame >= walk->count)
		return listing_message(views_why_nothing(session));
	return source_listing(&session->source, walk, session->frame, session->call, arena, row);
}

static struct listing
make_disassembly(struct session *session, struct arena *arena, size_t *row)
{
	return look_disassembly(session, arena, row);
}

static struct listing
make_found(struct session *session, struct arena *arena, size_t *row)
{
	(void)row;
	return look_found(session, arena);
}

static struct listing
make_bytes(struct session *session, struct arena *arena, size_t *row)
{
	const struct memory_bytes_options options = {
		.around = &session->look.around,
		.address = session->memory_address,
		.unit = session->look.unit,
	};
	const struct listing listing = memory_bytes_listing(&options, arena);

	*row = memory_bytes_row(&listing, session->memory_address);
	return listing;
}

static struct listing
make_whatis(struct session *session, struct arena *arena, size_t *row)
{
	(void)arena;
	(void)row;
	return look_whatis(session);
}

static struct listing
make_evidence(struct session *session, struct arena *arena, size_t *row)
{
	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	struct listing listing = step_view_evidence(
		&session->step, session->views[LAYOUT_EVIDENCE].columns, arena);
	*row = step_view_evidence_row(&listing, session->step.cursor);
	return listing;
}

static bool
selected_evidence(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_EVIDENCE];
	uint32_t event = step_view_event_of_row(&view->listing, row);

	/* The attempts come first; choosing one moves the cursor to it. */
	if (event != TRACE_NONE && session->step.trace.events[event].kind == EVENT_ATTEMPT)
		session_select_event(session, event);
	return false;
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

static bool
selected_tape(struct session *session, size_t row)
{
	struct session_view *view = &session->views[LAYOUT_TAPE];
	uint32_t event = step_view_event_of_row(&view->listing, row);

	if (event != TRACE_NONE)
		session_select_event(session, event);
	return false;
}

static struct listing
make_registers(struct session *session, struct arena *arena, size_t *row)
{
	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	const struct registers_options options = {
		.step = &session->step,
		.memory = &session->memory,
		.binaries = session->binaries,
		.state = &session->registers,
	};
	struct listing listing = registers_listing(&options, arena);
	const struct event *at = &session->step.trace.events[session->step.cursor];
	if (at->kind == EVENT_SET)
		*row = registers_row(&listing, at->reg);
	else if (session->step.cursor == 0)
		*row = 0;
	return listing;
}

static struct listing
make_way(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = session_walk(session);

	if (!session->has_step)
		return listing_message(views_why_nothing(session));
	*row = session->frame;
	return way_listing(walk, session_way_register(session), arena);
}

/* The frames of its rows are the session's. */
static bool
selected_way(struct session *session, size_t row)
{
	if (!session->has_step || row == session->frame)
		return session->has_step;
	session_select_frame(session, row, 0);
	return true;
}

static struct listing
make_telescope(struct session *session, struct arena *arena)
{
	const struct telescope_options options = {
		.crash = session->crash,
		.memory = &session->memory,
		.binaries = session->binaries,
		.walk = session_walk(session),
		.step = &session->step,
		.state = &session->telescope,
		.base = session->base,
	};

	return telescope_listing(&options, arena);
}

/* The stack of the selected thread is told word by word, other memory as its bytes stand. */
static struct listing
make_memory(struct session *session, struct arena *arena, size_t *row)
{
	const struct memory_options options = {
		.crash = session->crash,
		.memory = &session->memory,
		.binaries = session->binaries,
		.walk = session_walk(session),
		.step = session->has_step ? &session->step : NULL,
		.kept = &session->pointers,
		.address = session->memory_address,
		.base = session->base,
	};

	if (session->look.unit != 0)
		return make_bytes(session, arena, row);
	if (session->has_step &&
	    telescope_holds(&session->memory, session_walk(session), session->memory_address)) {
		struct listing stack = make_telescope(session, arena);

		*row = telescope_row(&stack, session->memory_address);
		return stack;
	}
	struct listing listing = memory_listing(&options, arena);
	*row = memory_row(&listing, session->memory_address);
	return listing;
}

/* The symbol file that a place is in, among those that are loaded. */
static const struct symfile *
symfile_of(const struct session *session, const struct input *input)
{
	for (size_t i = 0; input != NULL && i < session->crash->module_count; i++) {
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
		const struct raw_file file = session_raw_file(session);
		const struct place none = { 0 };
		const bool ours = place.input == file.input;

		listing = raw_dump_listing(&file, ours ? place : none, arena);
		*row = raw_dump_row(&listing, ours ? place.offset : 0);
		return listing;
	}
	listing = raw_symbols_explained(symfile, place, session->raw_open, arena);
	*row = raw_symbols_row(&listing, place.line);
	return listing;
}

static struct listing
make_details(struct session *session, struct arena *arena, size_t *row)
{
	(void)row;
	return details_listing(session, arena);
}

static struct listing
make_messages(struct session *session, struct arena *arena, size_t *row)
{
	/* Whoever reads symbols adds to their messages. */
	const bool reading = loader_is_busy(session->loader);
	const struct message_list *config =
		session->options->config != NULL ? &session->options->config->messages : NULL;
	const struct messages_sources sources = {
		.crash = session->crash,
		.symbols = reading ? NULL : session->symbols,
		.binaries = reading ? NULL : session->binaries,
		.more = &config,
		.more_count = config != NULL ? 1 : 0,
	};

	(void)row;
	return messages_listing(&sources, session->views[LAYOUT_MESSAGES].columns, arena);
}

static void
title_summary(struct session *session, struct row *row)
{
	const struct analysis *analysis = session->analysis;

	if (analysis != NULL && analysis->finding_count > 0)
		row_add(row, ROLE_NORMAL, "%zu finding%s", analysis->finding_count,
			analysis->finding_count == 1 ? "" : "s");
}

static struct listing
make_methods(struct session *session, struct arena *arena, size_t *row)
{
	struct walk *walk = session_walk(session);
	enum method_id method = session->by;

	if (walk == NULL || session->frame >= walk->count)
		return listing_message(views_why_nothing(session));
	struct listing listing = methods_listing(methods_compare(walk, session->frame, arena));
	*row = methods_row_taken(&listing);
	for (size_t i = 0; method != METHOD_COUNT && i < listing.count; i++)
		if (methods_of_row(&listing, i) == method)
			*row = i;
	return listing;
}

static struct listing
make_versus(struct session *session, struct arena *arena, size_t *row)
{
	return beside_listing(session, arena, row);
}

static void
title_versus(struct session *session, struct row *row)
{
	const struct versus *versus = session->beside.made;

	if (versus != NULL)
		row_add(row, ROLE_NORMAL, "%zu together", versus->same);
}

static struct listing
make_walks(struct session *session, struct arena *arena, size_t *row)
{
	struct walks_side left, right;

	if (session_walk(session) == NULL)
		return listing_message(views_why_nothing(session));
	if (edits_overlay(session) == NULL)
		return listing_message("there are no edits to compare with; = makes one, and so "
				       "does :walk METHOD");
	edits_sides(session, &left, &right);
	struct listing listing = walks_listing(&left, &right, arena);
	*row = walks_row(&listing, session->frame);
	return listing;
}

static struct listing
make_edits(struct session *session, struct arena *arena, size_t *row)
{
	(void)row;
	return edits_listing(session, arena);
}

static void
title_edited(struct session *session, struct row *row)
{
	const struct overlay *overlay = edits_overlay(session);

	if (overlay == NULL)
		return;
	if (session->edits.shown == NULL)
		row_add(row, ROLE_CHANGED, "ORIGINAL  ");
	else
		row_add(row, ROLE_CHANGED, "EDITED: %zu edit%s  ", overlay->count,
			overlay->count == 1 ? "" : "s");
}

static void
title_stack(struct session *session, struct row *row)
{
	size_t walked, different = stack_state_different(&session->stack, &walked);

	title_edited(session, row);
	row_add(row, ROLE_NORMAL, "%zu thread%s  %zu walked", session->crash->thread_count,
		session->crash->thread_count == 1 ? "" : "s", walked);
	if (different < walked)
		row_add(row, ROLE_NORMAL, "  %zu different", different);
}

static void
title_source(struct session *session, struct row *row)
{
	uint32_t line = source_line_number(&session->views[LAYOUT_SOURCE].listing);

	if (line != 0)
		row_add(row, ROLE_NORMAL, "line %" PRIu32, line);
}

static void
title_disassembly(struct session *session, struct row *row)
{
	const struct look *look = &session->look;

	if (look->disassembly != NULL && look->elsewhere)
		row_add(row, ROLE_NORMAL, "at %" PRIx64, look->code);
	else if (session->has_step)
		row_add(row, ROLE_NORMAL, "frame %zu", session->frame);
}

static void
title_found(struct session *session, struct row *row)
{
	const struct memory_find *find = session->look.find;

	if (find == NULL || find->wrong != NULL)
		return;
	row_add(row, ROLE_NORMAL, "%zu found", find->count);
	if (!find->done)
		row_add(row, ROLE_NORMAL, ", %u%% searched",
			(unsigned)(find->looked / (find->total / 100 + 1)));
	else if (find->stopped)
		row_add(row, ROLE_CHANGED, ", stopped");
}

static void
title_whatis(struct session *session, struct row *row)
{
	if (session->look.whatis != NULL && session->look.whatis->expression.known)
		row_add(row, ROLE_NORMAL, "%" PRIx64, session->look.whatis->value);
}

static void
title_tape(struct session *session, struct row *row)
{
	const struct step_view *step = &session->step;
	size_t number = 0;

	if (!session->has_step)
		return;
	uint32_t attempt = step_view_attempt(step);
	size_t count = step_view_token_count(step, attempt);
	/* Between tokens the last one that happened counts. */
	for (uint32_t i = step->cursor + 1; i-- > 0 && i > attempt && number == 0;)
		number = step_view_token_number(step, i);
	if (trace_ancestor(&step->trace, step->cursor, EVENT_ATTEMPT) == TRACE_NONE)
		number = 0;
	row_add(row, ROLE_NORMAL, "token %zu of %zu", number, count);
}

static void
title_evidence(struct session *session, struct row *row)
{
	const struct step_view *step = &session->step;

	if (!session->has_step)
		return;
	size_t count = step_view_attempt_number(step, TRACE_NONE);
	if (session->by != METHOD_COUNT) {
		row_add(row, ROLE_CHANGED, "by %s alone", method_name(session->by));
		return;
	}
	row_add(row, ROLE_NORMAL, "attempt %zu of %zu",
		step_view_attempt_number(step, step_view_attempt(step)), count);
}

static void
title_registers(struct session *session, struct row *row)
{
	(void)session;
	row_add(row, ROLE_NORMAL, "* changed  = kept  ? lost  - not kept");
}

static void
title_way(struct session *session, struct row *row)
{
	const struct walk *walk = session_walk(session);

	if (session->has_step)
		row_add(row, ROLE_NORMAL, "%s  * changed  = kept  ? lost",
			walk->arch->registers[session_way_register(session)].label);
}

static void
title_memory(struct session *session, struct row *row)
{
	if (session->look.unit != 0) {
		row_add(row, ROLE_NORMAL, "%u byte%s a value", session->look.unit,
			session->look.unit == 1 ? "" : "s");
		return;
	}
	const bool stack = telescope_is(&session->views[LAYOUT_MEMORY].listing);

	const char *const base = session->base == 16   ? "hexadecimal"
				 : session->base == 10 ? "decimal"
						       : "text";

	if (stack)
		row_add(row, ROLE_NORMAL, "* read  + taken  ? refused  ! crash%s%s",
			session->base == 16 ? "" : "  ", session->base == 16 ? "" : base);
	else
		row_add(row, ROLE_NORMAL, "words, %s", base);
}

static void
title_raw(struct session *session, struct row *row)
{
	const struct raw_file file = session_raw_file(session);
	char text[300], place[300];

	if (session->raw.input == file.input || session->raw.input == NULL)
		row_add_text(row, ROLE_NORMAL,
			     text_of(raw_file_describe(&file, session->raw.offset,
						       session->raw.length, text, sizeof(text))));
	else
		row_add_text(row, ROLE_NORMAL,
			     text_of(place_format(&session->raw, place, sizeof(place))));
}

static void
title_details(struct session *session, struct row *row)
{
	details_title(session, row);
}

static void
title_modules(struct session *session, struct row *row)
{
	const size_t count = session->crash->module_count;

	row_add(row, ROLE_NORMAL, "%zu module%s", count, count == 1 ? "" : "s");
}

static void
title_messages(struct session *session, struct row *row)
{
	const uint64_t count = messages_total(&session->views[LAYOUT_MESSAGES].listing);

	row_add(row, ROLE_NORMAL, "%" PRIu64 " message%s", count, count == 1 ? "" : "s");
}

static void
title_methods(struct session *session, struct row *row)
{
	(void)session;
	row_add(row, ROLE_NORMAL, "* taken  = same  ~ but fp  ! other");
}

static void
title_walks(struct session *session, struct row *row)
{
	const struct walks_counts counts = walks_counts(&session->views[LAYOUT_WALKS].listing);

	if (edits_overlay(session) == NULL)
		return;
	if (counts.different == 0)
		row_add(row, ROLE_NORMAL, "%zu frames, all the same", counts.same);
	else
		row_add(row, ROLE_NORMAL, "! first of %zu that differ, %zu the same",
			counts.different, counts.same);
}

static void
title_edits(struct session *session, struct row *row)
{
	const struct overlay *overlay = edits_overlay(session);

	if (overlay != NULL)
		row_add(row, ROLE_NORMAL, "%zu edit%s", overlay->count,
			overlay->count == 1 ? "" : "s");
}

static uint64_t
stamp_of(uint64_t stamp, uint64_t value)
{
	return (stamp ^ value) * UINT64_C(0x100000001b3) + 1;
}

/* Walks grow, what is folded changes the number of rows, and the selected frame stands out of its
 * recursion. */
static uint64_t
stamp_stack(struct session *session, const struct listing *listing)
{
	uint64_t stamp = stamp_of(listing->count, session->stack.expand_inlined);

	for (size_t i = 0; i < session->crash->thread_count; i++)
		stamp = stamp_of(stamp, session->stack.walks[i] == NULL
						? SIZE_MAX
						: session->stack.walks[i]->count);
	if (stack_state_in_folded_run(&session->stack, session->thread, session->frame))
		stamp = stamp_of(stamp_of(stamp, session->thread), session->frame);
	return stamp | 1;
}

static uint64_t
stamp_memory(struct session *session, const struct listing *listing)
{
	uint64_t stamp = stamp_of(listing->count, session->base + (session->look.unit << 8));

	stamp = stamp_of(stamp_of(stamp, session->thread), session->frame);
	return stamp_of(stamp, telescope_is(listing) ? telescope_address(listing, 0)
						     : memory_address(listing, 0)) | 1;
}

static uint64_t
stamp_raw(struct session *session, const struct listing *listing)
{
	uint64_t stamp = stamp_of(listing->count, (uintptr_t)session->raw.input);

	return stamp_of(stamp_of(stamp, session->raw.offset), session->raw.line) | 1;
}

static const struct view_row {
	struct listing (*make)(struct session *session, struct arena *arena, size_t *row);
	bool (*selected)(struct session *session, size_t row);	/* NULL: its rows are no places */
	void (*title)(struct session *session, struct row *row);
	uint64_t (*stamp)(struct session *session, const struct listing *listing);
	bool centered;
} views[LAYOUT_VIEW_COUNT] = {
	[LAYOUT_SUMMARY] = { make_summary, NULL, title_summary, NULL, false },
	[LAYOUT_STACK] = { make_stack, selected_stack, title_stack, stamp_stack, false },
	[LAYOUT_SOURCE] = { make_source, NULL, title_source, NULL, true },
	[LAYOUT_DISASSEMBLY] = { make_disassembly, NULL, title_disassembly, NULL, true },
	[LAYOUT_FOUND] = { make_found, NULL, title_found, NULL, false },
	[LAYOUT_WHATIS] = { make_whatis, NULL, title_whatis, NULL, false },
	[LAYOUT_EVIDENCE] = { make_evidence, selected_evidence, title_evidence, NULL, false },
	[LAYOUT_TAPE] = { make_tape, selected_tape, title_tape, NULL, false },
	[LAYOUT_REGISTERS] = { make_registers, NULL, title_registers, NULL, false },
	[LAYOUT_MEMORY] = { make_memory, NULL, title_memory, stamp_memory, true },
	[LAYOUT_RAW] = { make_raw, NULL, title_raw, stamp_raw, true },
	[LAYOUT_MODULES] = { modules_view_listing, modules_view_selected, title_modules, NULL,
			     false },
	[LAYOUT_MESSAGES] = { make_messages, NULL, title_messages, NULL, false },
	[LAYOUT_DETAILS] = { make_details, NULL, title_details, NULL, false },
	[LAYOUT_WAY] = { make_way, selected_way, title_way, NULL, false },
	[LAYOUT_METHODS] = { make_methods, NULL, title_methods, NULL, false },
	[LAYOUT_VERSUS] = { make_versus, NULL, title_versus, NULL, true },
	[LAYOUT_WALKS] = { make_walks, NULL, title_walks, NULL, false },
	[LAYOUT_EDITS] = { make_edits, NULL, title_edits, NULL, false },
	[LAYOUT_TABLE] = { rules_view_listing, NULL, rules_view_title, NULL, true },
};

struct listing
views_make(struct session *session, enum layout_view view, struct arena *arena, size_t *row)
{
	return listing_wrapped(views[view].make(session, arena, row),
			       session->views[view].columns, arena);
}

bool
views_is_centered(enum layout_view view)
{
	return views[view].centered;
}

bool
views_selected(struct session *session, enum layout_view view, size_t row)
{
	return views[view].selected != NULL && views[view].selected(session, row);
}

bool
views_fold_raw(struct session *session)
{
	const struct session_view *view = session_view(session, LAYOUT_RAW);
	const struct symfile *symfile = symfile_of(session, session->raw.input);
	uint64_t offset;

	if (symfile == NULL || session_rows(view) == 0)
		return false;
	const uint32_t line = raw_symbols_line(&view->listing,
					       session_listing_row(view, view->selected));
	session->raw_open = line != session->raw.line || !session->raw_open;
	if (line != session->raw.line && symfile_line_offset(symfile, line, &offset))
		session->raw = symfile_place(symfile, offset, 0);
	session_refresh(session);
	return true;
}

const struct symfile *
views_symbol_place(struct session *session, struct place *place)
{
	const enum layout_view focus = session->choice.focus;
	const struct session_view *view = session_view(session, focus);
	struct target target;
	uint64_t offset;

	*place = (struct place){ 0 };
	if (session_rows(view) == 0)
		return NULL;
	const size_t row = session_listing_row(view, view->selected);
	target = view->listing.target(&view->listing, row);
	if (target.kind == TARGET_PLACE)
		*place = target.place;
	else if (target.kind == TARGET_EVENT && target.event < session->step.trace.count)
		*place = session->step.trace.events[target.event].place;
	if (focus == LAYOUT_RAW)
		*place = session->raw;
	const struct symfile *symfile = symfile_of(session, place->input);
	/* In the file itself it is the line one stands on, not where that leads. */
	if (focus == LAYOUT_RAW && symfile != NULL &&
	    symfile_line_offset(symfile, raw_symbols_line(&view->listing, row), &offset) &&
	    raw_symbols_line(&view->listing, row) != place->line)
		*place = symfile_place(symfile, offset, 0);
	return symfile != NULL && place->line != 0 ? symfile : NULL;
}

bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line)
{
	const struct session_view *view = session_view(session, LAYOUT_SOURCE);
	const char *found = source_path(&view->listing);

	*line = source_line_number(&view->listing);
	return found != NULL && (size_t)snprintf(path, size, "%s", found) < size;
}

void
views_title(struct session *session, enum layout_view view, struct row *row)
{
	views[view].title(session, row);
}

uint64_t
views_stamp(struct session *session, enum layout_view view, const struct listing *listing)
{
	return views[view].stamp != NULL ? views[view].stamp(session, listing) : 0;
}

void
views_fit(struct session *session, enum layout_view view, size_t columns)
{
	struct session_view *shown = &session->views[view];

	const bool wraps = view == LAYOUT_SUMMARY || view == LAYOUT_MESSAGES || view == LAYOUT_DETAILS ||
			   view == LAYOUT_EVIDENCE || view == LAYOUT_MODULES;

	if ((wraps || listing_is_message(&shown->listing)) && shown->columns != columns)
		shown->fresh = false;
	shown->columns = columns;
}
