/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "inspect/blind.h"
#include "locate/fetch.h"
#include "report/stack/walk_text.h"
#include "ui/view/view.h"

struct walk *
session_walk(const struct session *session)
{
	const struct stack_state *stack = &session->look.stack;

	return session->open.crash->thread_count == 0 ? NULL : stack->walks[stack->thread];
}

const struct frame *
session_frame(const struct session *session)
{
	const struct walk *walk = session_walk(session);

	return walk != NULL && session->look.stack.frame < walk->count
		       ? &walk->frames[session->look.stack.frame] : NULL;
}

void
session_say(struct session *session, const char *format, ...)
{
	TEXT_FORMAT(session->notice, format);
}

void
session_say_more(struct session *session, const char *format, ...)
{
	char text[sizeof(session->notice)];
	const size_t used = strlen(session->notice);

	TEXT_FORMAT(text, format);
	snprintf(session->notice + used, sizeof(session->notice) - used, "%s", text);
}

void
session_fail(struct session *session, const char *format, ...)
{
	TEXT_FORMAT(session->notice, format);
	session->failed = true;
}

void
session_refresh(struct session *session)
{
	for (size_t i = 0; i < ARRAY_COUNT(session->look.views); i++)
		session->look.views[i].fresh = session->look.views[i].keep = false;
}

void
session_focus(struct session *session, enum layout_view view)
{
	layout_focus(&session->look.choice, view);
	session->look.views[view].fresh = false;
}

void
session_drop_step(struct session *session)
{
	if (session->step.exists)
		step_view_free(&session->step.view);
	step_view_free(&session->step.of_frame);
	session->step.exists = false;
}

/* Let the raw view follow the cursor again after a request named another place. */
static void
aim_raw(struct session *session)
{
	const struct trace *trace = &session->step.view.trace;
	const uint32_t cursor = session->step.view.cursor;

	if (!session->step.exists)
		return;
	/* The last word read up to the cursor, or else the top of the stack. */
	const struct walk *walk = session->step.view.walk;
	const uint32_t read =
		step_view_is_whole(&session->step.view)
			? TRACE_NONE
			: trace_previous(trace, step_view_now(&session->step.view) + 1, EVENT_READ);
	const struct registers *registers = &walk->frames[session->look.stack.frame].registers;
	session->look.memory.address = read != TRACE_NONE ? trace->events[read].address
							  : registers->value[walk->arch->sp];
	const struct event *at = &trace->events[cursor];
	if (at->place.input == NULL)
		for (uint32_t i = step_view_attempt(&session->step.view);
		     i < trace->count && at->place.input == NULL; i++)
			at = &trace->events[i];
	if (at->place.input != NULL)
		session->look.raw.place = at->place;
}

static void
take_step(struct session *session)
{
	struct walk *walk = session_walk(session);
	const size_t frame = session->look.stack.frame;

	session_drop_step(session);
	if (session_frame(session) == NULL)
		return;
	session->step.exists = true;
	if (session->step.of_variable &&
	    !variable_step_make(&session->step.view, walk, &session->look.memory.view, frame,
				session->step.variable)) {
		session->step.of_variable = false;
		step_view_free(&session->step.view);
	}
	step_view_make_by(session->step.of_variable ? &session->step.of_frame : &session->step.view,
			  walk, frame, session->step.by);
	/* In a lesson, P answers the lesson's task, not a prediction. */
	if (session->lesson != NULL)
		session->step.view.asks = "hidden";
	/* When out of memory, the trace is empty and the cursor has no event. */
	if (session->step.view.trace.count == 0)
		session_drop_step(session);
	aim_raw(session);
}

bool
session_is_place(const struct session *session, const struct target *target)
{
	return target->kind == TARGET_FRAME && target->thread == session->look.stack.thread &&
	       target->frame == session->look.stack.frame && target->call == session->look.call;
}

void
session_select_event(struct session *session, uint32_t event)
{
	struct session_view *stack = &session->look.views[LAYOUT_STACK];

	if (!session->step.exists || event >= session->step.view.trace.count)
		return;
	const enum event_kind kind = session->step.view.trace.events[event].kind;
	/* The cursor cannot move to a value that must be predicted first. */
	if (event > session->step.view.reach && kind != EVENT_ATTEMPT && kind != EVENT_RULE)
		return;
	session->step.view.cursor = event;
	aim_raw(session);
	/* Unless frames are hidden, the rows of the stack are the same at each event. */
	const struct target target =
		stack->fresh ? session_selected_target(stack) : TARGET(TARGET_NONE);
	session_refresh(session);
	stack->fresh = session->blind == BLIND_OFF && session_is_place(session, &target);
}

void
session_select_frame(struct session *session, size_t frame, size_t call)
{
	struct walk *walk = session_walk(session);

	if (walk == NULL)
		return;
	if (frame >= walk->count)
		walk_run(walk, frame + SESSION_MORE_FRAMES);
	if (frame >= walk->count)
		frame = walk->count > 0 ? walk->count - 1 : 0;
	bool other = frame != session->look.stack.frame || !session->step.exists ||
		     session->step.view.walk != walk || session->step.by != METHOD_COUNT ||
		     session->step.of_variable;
	/*
	 * When the user goes to another frame, the summary has been read, so another view of its
	 * slot replaces the summary. A summary that the user opened stays.
	 */
	if ((other || call != session->look.call) &&
	    session->look.choice.used[LAYOUT_SUMMARY] < session->look.opened)
		session->look.choice.used[LAYOUT_SUMMARY] = 0;
	session->look.stack.frame = frame;
	session->look.call = call != STACK_END ? call : 0;
	session->step.by = METHOD_COUNT;
	session->step.of_variable = false;
	if (other) {
		session->look.addresses.elsewhere = session->look.rules.elsewhere = false;
		take_step(session);
	}
	session_refresh(session);
}

void
session_look_at_method(struct session *session, enum method_id method)
{
	session->step.by = method;
	session->step.of_variable = false;
	take_step(session);
	session_refresh(session);
}

void
session_look_at_variable(struct session *session, struct variable_place place)
{
	session->step.by = METHOD_COUNT;
	session->step.of_variable = true;
	session->step.variable = place;
	take_step(session);
	session_refresh(session);
}

bool
session_look_at_variable_named(struct session *session, const char *name)
{
	struct variable_place place;
	struct arena arena = { 0 };
	struct value_frame *variables =
		session_frame(session) == NULL ? NULL
		: frame_variables_of(session_walk(session), &session->look.memory.view,
				     session->look.stack.frame, &arena);
	const bool found =
		variables != NULL && variables->why == NULL &&
		variable_place_named(variables, text_of(name), session->look.call, &arena, &place);

	if (found && session->blind != BLIND_OFF)
		session_fail(session, "the variable is " BLIND_WORDS);
	else if (found)
		session_look_at_variable(session, place);
	else if (variables == NULL)
		session_fail(session, "%s", views_why_nothing(session));
	else
		session_fail(session, "frame %zu has no variable '%.64s'%s%s",
			     session->look.stack.frame, name, variables->why != NULL ? ": " : "",
			     text_or_empty(variables->why));
	arena_free(&arena);
	return found && session->step.of_variable;
}

const struct step_view *
session_frame_step(const struct session *session)
{
	return session->step.of_variable ? &session->step.of_frame : &session->step.view;
}

void
session_choose_first_view(struct session *session)
{
	layout_focus(&session->look.choice, LAYOUT_EVIDENCE);
	if (source_shown(&session_view(session, LAYOUT_SOURCE)->listing).path != NULL)
		layout_focus(&session->look.choice, LAYOUT_SOURCE);
	else if (session_rows(session_view(session, LAYOUT_DISASSEMBLY)) > 1)
		layout_focus(&session->look.choice, LAYOUT_DISASSEMBLY);
	layout_focus(&session->look.choice, LAYOUT_SUMMARY);
	layout_focus(&session->look.choice, session->look.first);
	session->look.opened = session->look.choice.clock;
}

void
session_select_thread(struct session *session, size_t thread)
{
	if (thread >= session->open.crash->thread_count)
		return;
	if (session->look.stack.walks[thread] == NULL &&
	    !session->open.crash->threads[thread].wrote_dump)
		session_start_walk(session, thread);
	session_drop_step(session);
	session->look.stack.thread = thread;
	session->open.work.halted = false;
	session->look.stack.open[thread] = true;
	session_select_frame(session, 0, 0);
	session_refresh(session);
}

size_t
session_thread_named(const struct session *session, const char *name)
{
	const struct crash *crash = session->open.crash;
	struct text rest = text_of(name);
	uint64_t number = 0;
	const bool is_number = text_take_number(&rest, 0, &number) &&
			       (rest.length == 0 || *rest.start == ' ' || *rest.start == 's');
	const bool is_decimal = is_number && strncmp(name, "0x", 2) != 0;

	if (is_decimal && number < crash->thread_count)
		return (size_t)number;
	for (size_t i = 0; i < crash->thread_count; i++)
		if (is_number ? crash->threads[i].id == number
			      : crash->threads[i].name != NULL &&
					strcmp(crash->threads[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

bool
session_step(struct session *session, enum event_kind kind, bool back)
{
	if (!session->step.exists)
		return false;
	const struct trace *trace = &session->step.view.trace;
	uint32_t event = kind == EVENT_SET ? step_view_next_register(&session->step.view, back)
			 : back		   ? trace_previous(trace, session->step.view.cursor, kind)
					   : trace_next(trace, session->step.view.cursor, kind);
	const uint32_t cursor = session->step.view.cursor;
	const bool found = event != TRACE_NONE || (back && cursor != 0);
	/* After the last token the step is complete; before the first one nothing is known yet. */
	if (event == TRACE_NONE && !back) {
		event = step_view_is_whole(&session->step.view) ? cursor
								: (uint32_t)trace->count - 1;
	} else if (event == TRACE_NONE) {
		const bool token = kind == EVENT_TOKEN && trace->events[cursor].kind == kind;
		const uint32_t rule = trace_ancestor(trace, cursor, EVENT_RULE);

		event = !token ? 0 : (rule != TRACE_NONE ? rule : cursor) - 1;
	}
	if (!session_blind_pass(session, event))
		return false;
	session_select_event(session, event);
	return found;
}

bool
session_open(struct session *session, const struct explorer_options *options,
	     void (*wake)(void *context), void *context)
{
	const struct crash *crash = options->crash;
	struct walk_text_thread *threads;

	*session = (struct session){ .open.options = options, .open.crash = crash,
				     .open.symbols = options->symbols,
				     .open.binaries = options->binaries, .look.first = LAYOUT_STACK,
				     .policy = options->policy, .step.by = METHOD_COUNT,
				     .look.details = { SIZE_MAX, SIZE_MAX, NULL } };
	for (size_t i = 0; i < ARRAY_COUNT(session->look.views); i++)
		session->look.views[i].names = crash->names;
	session->look.stack = (struct stack_state){ .crash = crash, .expand_inlined = true };
	session->look.stack.walks = arena_array(&session->arena, crash->thread_count,
						sizeof(*session->look.stack.walks));
	session->look.stack.open = arena_array(&session->arena, crash->thread_count, sizeof(bool));
	session->open.threads = arena_array(&session->arena, crash->thread_count + 1,
					    sizeof(*session->open.threads));
	session->open.work.changes = arena_array(&session->arena, crash->thread_count,
				       sizeof(*session->open.work.changes));
	session->look.stack.changes = session->open.work.changes;
	const bool other = other_dump_open(session, wake, context);
	session->open.loader =
		loader_create(session->open.symbols, options->binaries, crash->module_count, wake,
			      context);
	if (session->look.stack.walks == NULL || session->look.stack.open == NULL ||
	    session->open.threads == NULL || session->open.loader == NULL ||
	    session->open.work.changes == NULL || !other || !edits_open(session) ||
	    !modules_state_init(&session->look.modules.state, crash))
		return false;
	session->open.source = (struct source_options){
		.maps = options->source_maps, .map_count = options->source_map_count,
		.dump = crash->file.input.name, .time = crash->time,
		.symbols = session->open.symbols, .enclosed = options->lesson != NULL };
	memory_view_all(&session->look.memory.view, crash, &session->arena);
	if (!surroundings_init(&session->look.addresses.around, crash, session->open.symbols,
			       session->open.binaries, &session->policy, session->look.stack.walks))
		return false;
	session->open.work.walking_all = true;
	if (crash->thread_count > 0)
		session_select_thread(
			session, walk_text_threads(crash, &session->arena, &threads) > 0
					 ? threads[0].index : 0);
	session_choose_first_view(session);
	return true;
}

/* Milliseconds that session_close waits for a file that is being read. */
#define LAST_WAIT 100u

bool
session_close(struct session *session)
{
	struct loader *loaders[] = { session->open.loader, session->open.other.loader };

	for (size_t i = 0; i < ARRAY_COUNT(loaders); i++) {
		if (loaders[i] == NULL)
			continue;
		loader_stop(loaders[i]);
		if (!loader_wait(loaders[i], LAST_WAIT))
			return false;
	}
	other_dump_close(session);
	loader_free(session->open.loader);
	session_drop_step(session);
	addresses_forget(session);
	surroundings_free(&session->look.addresses.around);
	analysis_free(session->open.analysis);
	walk_free(session->open.work.redone);
	const bool tables = session->look.stack.walks != NULL && session->open.threads != NULL &&
			    session->open.work.changes != NULL;
	for (size_t i = 0; tables && i < session->open.crash->thread_count; i++) {
		walk_digest_free(&session->open.threads[i].digest);
		walk_changes_free(&session->open.work.changes[i]);
		walk_free(session->look.stack.walks[i]);
	}
	for (size_t i = 0; i < ARRAY_COUNT(session->look.views); i++)
		session_free_view(&session->look.views[i]);
	modules_state_free(&session->look.modules.state);
	edits_forget_other(session);
	arena_free(&session->look.contradictions.arena);
	arena_free(&session->kept.edits.arena);
	stack_state_free(&session->look.stack);
	telescope_state_free(&session->look.memory.telescope);
	locals_state_free(&session->look.memory.locals);
	for (struct session_opened *at = session->open.opened; at != NULL; at = at->next) {
		binaries_free(at->binaries);
		fetch_free(at->fetcher);
	}
	arena_free(&session->arena);
	return true;
}

struct session_view *
session_view(struct session *session, enum layout_view which)
{
	struct session_view *view = &session->look.views[which];

	if (!view->fresh) {
		const struct view_ops *ops = views_ops(which);

		arena_reset(&view->arena);
		view->row = SIZE_MAX;
		view->listing =
			listing_wrapped(ops->reveals != BLIND_OFF && session->blind >= ops->reveals
						? listing_message(BLIND_WORDS)
						: ops->make(session, view),
					view->columns);
		view->fresh = true;
		view->made++;
		if (view->filter[0] != '\0')
			session_filter_rows(view, views_stamp(session, which, &view->listing));
		if (view->keep)
			view->row = stack_row_of_target(&view->listing, &view->kept);
		view->keep = false;
		if (view->row != SIZE_MAX) {
			view->selected = session_shown_row(view, view->row);
			view->center = ops->centered;
		}
	}
	size_t rows = session_rows(view);
	if (view->selected >= rows)
		view->selected = rows > 0 ? rows - 1 : 0;
	return view;
}

void
session_select_row(struct session *session, enum layout_view which, size_t index)
{
	struct session_view *view = session_view(session, which);
	size_t rows = session_rows(view);

	if (rows == 0)
		return;
	index = index < rows ? index : rows - 1;
	view->selected = index;
	const bool is_place = views_ops(which)->select != NULL &&
			      views_ops(which)->select(session, session_listing_row(view, index));
	view = session_view(session, which);
	/* Rows that are not a place, such as the end of a stack, can be selected too. */
	if (!is_place)
		view->selected = index;
}

void
session_filter(struct session *session, enum layout_view which, const char *text)
{
	session_set_filter(session_view(session, which), text, session->look.regex);
	session_view(session, which);
}

/* Texts at the edges of the screen ------------------------------------------------------------ */

/* Bytes from which sizes are given in megabytes. */
#define LEAST_MEGABYTES 10000000u
/* Minimum columns of the file's name in the header. */
#define LEAST_FILE 12u

static void
add_os(const struct crash *crash, size_t columns, struct row *row)
{
	static const char zeros[] = "0.0.0 Linux ";
	const struct crash_system *system = &crash->system;
	char version[64];

	row_add_text(row, ROLE_NORMAL, text_of(system->os_name));
	if (system->os == CRASH_OS_WINDOWS || columns >= 110) {
		const char *text = system->os_version;

		/* On Linux this is the kernel's version, after zeros and the system's name. */
		if (strncmp(text, zeros, sizeof(zeros) - 1) == 0)
			text += sizeof(zeros) - 1;
		size_t fit = columns >= 180 ? 48 : columns >= 110 ? 24 : strspn(text, "0123456789");
		if (columns < 110 && text[fit] == '.')
			fit += 1 + strspn(text + fit + 1, "0123456789");
		text_cut(version, sizeof(version), text_of(text), fit, false,
			 columns < 110 ? "" : row->cut_mark);
		row_add(row, ROLE_NORMAL, "%s", version[0] != '\0' ? " " : "");
		row_add_text(row, ROLE_NORMAL, text_of(version));
	}
	row_add(row, ROLE_NORMAL, "  ");
}

/* Take `wanted` columns if `least` others are left. False if not. */
static bool
takes(size_t *left, size_t wanted, size_t least)
{
	const bool fits = *left >= wanted + least;

	*left -= fits ? wanted : 0;
	return fits;
}

/* The crash and its place are never cut; the rest shares the columns left. */
void
session_header(struct session *session, size_t columns, struct row *row)
{
	static const char prefix[] = "EXCEPTION_";
	const struct crash *crash = session->open.crash;
	const char *reason = crash->invented != NULL ? crash->invented
			     : crash->cause.text != NULL ? crash->cause.text
			     : analysis_reason_lost(crash) ? "damaged dump" : "no crash";
	const struct walk *walk = session_walk(session);
	const struct text file = text_of(place_base_name(crash->file.input.name));
	const size_t frame = session->look.stack.frame, most = columns != 0 ? columns : SIZE_MAX;
	const bool ends = session->step.exists &&
			  session_frame_step(session)->verdict.kind != VERDICT_TAKEN;
	char where[80] = "", frames[64] = "";
	struct arena arena = { 0 };
	struct row cpu = ROW_IN(&arena), os = ROW_IN(&arena);

	/* The prefix carries no information; it is dropped on narrow screens. */
	if (columns < 110 && strncmp(reason, prefix, sizeof(prefix) - 1) == 0)
		reason += sizeof(prefix) - 1;
	/* The analysis decides whether a process sent the signal. */
	const struct analysis *analysis =
		crash->cause.may_be_sent ? session_analysis(session) : NULL;
	if (crash->reason != NULL && crash->cause.address == CRASH_ADDRESS_MEMORY &&
	    (analysis == NULL || analysis->has_address))
		snprintf(where, sizeof(where), " at 0x%" PRIx64, crash->reason_address);
	else if (crash->cause.has_sender && crash->cause.sender_is_self)
		snprintf(where, sizeof(where), " by itself");
	else if (crash->cause.has_sender)
		snprintf(where, sizeof(where), " by process %" PRIu32, crash->cause.sender_process);
	if (crash->redacted)
		strcat(where, "  redacted");
	if (walk != NULL && walk->count > 0 && ends)
		snprintf(frames, sizeof(frames), "frame %zu -> the end", frame);
	else if (walk != NULL && walk->count > 0)
		snprintf(frames, sizeof(frames), "frame %zu -> %zu", frame, frame + 1);
	row_add(&cpu, ROLE_NORMAL, "%s  ", crash->system.cpu_name);
	add_os(crash, columns, &os);
	const size_t said = text_width(text_of(reason)) + strlen(where);
	const size_t least = text_width(file) < LEAST_FILE ? text_width(file) + 2 : LEAST_FILE + 2;
	size_t left = most > said ? most - said : 0;
	const bool has_frames = takes(&left, strlen(frames) + 1, least);
	const bool has_cpu = takes(&left, cpu.width, least), has_os = takes(&left, os.width, least);
	if (left >= least) {
		left = left < columns / 3 + 2 ? left : columns / 3 + 2;
		row_add_cut(row, ROLE_TITLE, columns != 0 ? left - 2 : 0, true, file);
		row_add(row, ROLE_NORMAL, "  %s%s", has_cpu ? row_text(&cpu) : "",
			has_os ? row_text(&os) : "");
	}
	arena_free(&arena);
	left = most > row->width + strlen(where) ? most - row->width - strlen(where) : 1;
	row_add_cut(row, ROLE_TITLE, left, false, text_of(reason));
	row_add(row, ROLE_TITLE, "%s", where);
	if (has_frames && frames[0] != '\0')
		row_add_right(row, ROLE_NORMAL, columns, "%s", frames);
}

void
session_symbols_name(const struct session *session, size_t module, char *buffer, size_t size)
{
	const char *file = session->open.crash->modules[module].debug_file;

	text_printable(buffer, size, text_of(place_base_name(file)));
}

/* Describe the current reads and downloads with amount and speed. False if nothing is read. */
static bool
add_progress(const struct session *session, struct row *row)
{
	struct symbols_reading readings[8];
	size_t count = symbols_reading(session->open.symbols, readings, ARRAY_COUNT(readings));
	uint64_t bytes = 0, total = 0, speed = 0;
	char name[64];

	if (count == 0)
		return false;
	for (size_t i = 0; i < count && i < ARRAY_COUNT(readings); i++) {
		bytes += readings[i].bytes;
		total += readings[i].total;
		if (readings[i].milliseconds > 0)
			speed += readings[i].bytes / readings[i].milliseconds;
	}
	session_symbols_name(session, readings[0].module, name, sizeof(name));
	row_add(row, ROLE_NOTE, "%s %s", readings[0].host != NULL ? "fetching" : "reading", name);
	if (readings[0].host != NULL)
		row_add(row, ROLE_NOTE, " from %s", readings[0].host);
	if (count > 1)
		row_add(row, ROLE_NOTE, " and %zu more", count - 1);
	const bool large = bytes >= LEAST_MEGABYTES || total >= LEAST_MEGABYTES;
	const uint64_t unit = large ? 1000000 : 1000;
	const char *amount = large ? "MB" : "kB";
	row_add(row, ROLE_NOTE, ": %" PRIu64, bytes / unit);
	/* The speed is in bytes per millisecond, which is kB/s. */
	if (total != 0)
		row_add(row, ROLE_NOTE, " of %" PRIu64 " %s, %" PRIu64 " %s/s; Esc stops it",
			total / unit, amount, large ? speed / 1000 : speed, amount);
	else
		row_add(row, ROLE_NOTE, " %s; Esc stops it", amount);
	return true;
}

void
session_explain(struct session *session, enum layout_view which, struct row *row)
{
	const struct session_view *view = session_view(session, which);
	size_t selected;

	if (!session->stepped && session_selected(view, &selected))
		listing_explain(&view->listing, selected, row);
	if (row->width == 0 && session->step.exists)
		step_view_explain(&session->step.view, session->step.view.cursor, row);
}

void
session_status(struct session *session, struct row *row)
{
	const char *said = session->notice;

	if (said[0] == '\0' && !add_progress(session, row))
		said = session->open.reload.offer;
	if (said[0] != '\0')
		row_add_text(row, ROLE_NOTE, text_of(said));
	else if (row->width == 0)
		session_explain(session, session->look.choice.focus, row);
}
