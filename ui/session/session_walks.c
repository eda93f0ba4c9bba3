/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * Walks are made in slices between keys, with the symbols loaded so far. When more are loaded, the
 * walks that missed them are made again and replace the old ones.
 */

/* Milliseconds of a slice. */
#define SLICE 2
/* Frames between two checks of the clock and of the keyboard. */
#define SLICE_FRAMES 16u
/* Milliseconds that a walk waits for symbols; less would make the screen flicker. */
#define PATIENCE 40u

bool
session_has_time(const struct session *session, int64_t end)
{
	return clock_milliseconds() < end &&
	       (session->open.work.waits == NULL || !session->open.work.waits());
}

struct walk *
session_create_walk(const struct session *session, size_t thread, const struct overlay *overlay)
{
	struct walk *walk =
		walk_create_edited(session->open.crash, session->open.symbols,
				   session->open.binaries, thread, &session->policy, overlay);

	if (walk == NULL)
		return NULL;
	walk_freeze_symbols(walk);
	walk->horizon = session->open.threads[thread].horizon;
	walk->horizon.blind = (enum blind)session->blind;
	/* The events of an edited step may reveal values of the original step: hide them all. */
	if (overlay != NULL)
		walk->horizon.event = 0;
	return walk;
}

/* Load the first symbols that a walk missed. True if they are loaded. */
static bool
ask_for_symbols(struct session *session, const struct walk *walk)
{
	const int module = walk_missing_symbols(walk);

	if (module == MODULE_NONE)
		return false;
	if (symbols_settled(session->open.symbols, (size_t)module))
		return true;
	loader_ask(session->open.loader, (size_t)module, false);
	return false;
}

/* Update the stack view after it grew. The selected row stays selected. */
static void
stack_grew(struct session *session)
{
	struct session_view *view = &session->look.views[LAYOUT_STACK];

	if (view->fresh) {
		view->kept = session_selected_target(view);
		view->keep = true;
	}
	view->fresh = false;
	session->look.views[LAYOUT_HISTORY].fresh = false;
	session->look.views[LAYOUT_MESSAGES].fresh = false;
}

static void
forget_analysis(struct session *session)
{
	analysis_free(session->open.analysis);
	session->open.analysis = NULL;
	session->look.views[LAYOUT_SUMMARY].fresh = false;
}

const struct analysis *
session_analysis(struct session *session)
{
	const int thread = session->open.crash->requesting_thread;

	struct walk *walk = thread < 0 ? NULL : session->look.stack.walks[thread];
	const size_t count = walk != NULL ? walk->count : 0;

	if (session->open.analysis == NULL)
		session->open.analysis =
			analysis_create(session->open.crash, walk, session->open.binaries,
					session->open.options->signature_rules);
	/* The stack may have been drawn before the walk grew. */
	if (walk != NULL && walk->count != count)
		session->open.work.grown = true;
	return session->open.analysis;
}

void
session_redact(struct session *session, bool redact)
{
	const struct explorer_options *options = session->open.options;

	crash_redact(options->crash, redact);
	if (options->other != NULL)
		crash_redact(options->other->crash, redact);
	forget_analysis(session);
	telescope_state_forget(&session->look.memory.telescope);
	other_dump_forget(session);
	addresses_forget(session);
	if (session->step.of_variable)
		session_look_at_variable(session, session->step.variable);
	session_refresh(session);
	session->notice[0] = '\0';
}

struct walk *
session_exchange_walk(struct session *session, size_t thread, struct walk *walk)
{
	struct walk *before = session->look.stack.walks[thread];

	if (session->step.view.walk == session->look.stack.walks[thread])
		session_drop_step(session);
	/* Drop the data made from the old walk, which may be freed. */
	if ((int)thread == session->open.crash->requesting_thread)
		forget_analysis(session);
	if (before != NULL || thread == session->look.stack.thread) {
		telescope_state_forget(&session->look.memory.telescope);
		session->look.contradictions.walk = NULL;
		other_dump_forget(session);
	}
	session->open.threads[thread].outdated = false;
	walk_digest_free(&session->open.threads[thread].digest);
	walk_changes_free(&session->open.work.changes[thread]);
	session->look.stack.walks[thread] = walk;
	stack_state_forget(&session->look.stack, thread);
	/* New rows may have the same key as the old ones. */
	for (size_t i = 0; i < ARRAY_COUNT(session->look.views); i++)
		session->look.views[i].shown.key = 0;
	return before;
}

/* Replace the walk of a thread and drop all data made from the old one. */
static void
put_walk(struct session *session, size_t thread, struct walk *walk)
{
	walk_free(session_exchange_walk(session, thread, walk));
}

/* The user's place in a walk, to be restored in another walk of the thread. */
struct walk_position {
	struct session_spot spot;
	uint64_t pc, sp;
	size_t call_count;
	size_t events;			/* events of the step; 0: no step */
};

size_t
session_call_count(const struct walk *walk, size_t frame)
{
	struct location location;
	struct arena arena = { 0 };

	location_of(walk, walk->frames[frame].lookup, &arena, &location);
	const size_t count = location.call_count;
	arena_free(&arena);
	return count;
}

static struct walk_position
position_of(const struct session *session)
{
	const struct walk *walk = session_walk(session);
	const struct frame *frame = session_frame(session);
	struct walk_position hold = { .spot = session_here(session) };

	if (frame == NULL)
		return hold;
	hold.pc = frame->registers.value[walk->arch->pc];
	hold.sp = frame->registers.value[walk->arch->sp];
	hold.call_count = session_call_count(walk, session->look.stack.frame);
	hold.events = session->step.exists ? session->step.view.trace.count : 0;
	return hold;
}

/* No step needs the symbols of the last frame, but the views of that frame do. */
static void
look_at_last(const struct walk *walk)
{
	if (walk->complete && walk->count > 0)
		session_call_count(walk, walk->count - 1);
}

/*
 * Restore the same frame or, if that is gone, the frame number. Restore the position within the
 * step only if the step is unchanged. `reload`: places in symbol files are invalid.
 */
static void
restore_position(struct session *session, const struct walk_position *hold, bool reload)
{
	const struct walk *walk = session_walk(session);
	size_t frame = 0;

	if (walk == NULL || walk->count == 0)
		return;
	while (frame < walk->count &&
	       (walk->frames[frame].registers.value[walk->arch->sp] != hold->sp ||
		walk->frames[frame].registers.value[walk->arch->pc] != hold->pc))
		frame++;
	if (frame == walk->count)
		frame = hold->spot.frame < walk->count ? hold->spot.frame : walk->count - 1;
	const bool same = hold->call_count == session_call_count(walk, frame);
	session_select_frame(session, frame, same ? hold->spot.call : 0);
	if (!session->step.exists || hold->events != session->step.view.trace.count)
		return;
	session_select_event(session, hold->spot.cursor);
	session->look.memory.address = hold->spot.memory;
	if (!reload)
		session->look.raw.place = hold->spot.raw;
}

/* Replace the walk of the selected thread; the place stays. */
static void
swap_walk(struct session *session, struct walk *walk, bool reload)
{
	const struct walk_position hold = position_of(session);
	struct session_view *view = session_view(session, LAYOUT_STACK);
	const struct layout_choice choice = session->look.choice;
	const struct target target = session_selected_target(view);
	/* The selected row may be a thread or the end of a stack. */
	const bool elsewhere = !session_is_place(session, &target);

	put_walk(session, session->look.stack.thread, walk);
	restore_position(session, &hold, reload);
	session->look.choice = choice;
	if (elsewhere) {
		view->kept = target;
		view->keep = true;
	}
	if (session->look.choice.clock == session->look.opened)
		session_choose_first_view(session);
}

void
session_renew_walk(struct session *session)
{
	struct walk *walk =
		session_create_walk(session, session->look.stack.thread, session->kept.edits.shown);

	if (walk == NULL)
		return;
	walk_run(walk, session->look.stack.frame + SESSION_MORE_FRAMES);
	session_drop_redone(session);
	edits_forget_other(session);
	swap_walk(session, walk, false);
}

/* The next thread whose walk missed symbols that are loaded now. Tries the selected one first. */
static size_t
next_outdated(struct session *session)
{
	const size_t count = session->open.crash->thread_count;

	for (size_t i = 0; i < count; i++) {
		const size_t thread = (session->look.stack.thread + i) % count;
		const struct walk *walk = session->look.stack.walks[thread];

		if (walk != NULL &&
		    (session->open.threads[thread].outdated || ask_for_symbols(session, walk)))
			return thread;
	}
	return count;
}

static void
say_walked(struct session *session)
{
	struct stack_state *stack = &session->look.stack;

	stack_state_count_all(stack);
	session_say(session, "%zu thread%s walked, %zu different stack%s", stack->walked,
		    plural(stack->walked), stack->different, plural(stack->different));
}

/* Begin the next missing walk. False: all are done. */
static bool
begin_next(struct session *session)
{
	const struct crash *crash = session->open.crash;
	const size_t count = crash->thread_count;
	size_t thread = session->open.work.arrived ? next_outdated(session) : count;

	if (thread == count) {
		if (session->open.work.arrived)
			session_say_reloaded(session);
		session->open.work.arrived = false;
		if (!session->open.work.walking_all)
			return false;
		for (thread = 0; thread < count && (session->look.stack.walks[thread] != NULL ||
						    crash->threads[thread].wrote_dump);)
			thread++;
	}
	if (thread == count) {
		session->open.work.walking_all = false;
		if (session->open.work.asked_all)
			say_walked(session);
		session->open.work.asked_all = false;
		return false;
	}
	session->open.work.redone = session_create_walk(session, thread, session->kept.edits.shown);
	session->open.work.redone_thread = thread;
	session->open.work.redone_since = clock_milliseconds();
	/* When out of memory for a walk, do not try again. */
	if (session->open.work.redone == NULL)
		session->open.work.arrived = session->open.work.walking_all = false;
	return session->open.work.redone != NULL;
}

/* Whether a walk is at least as long as the one it replaces, up to a limit. */
static bool
is_long_enough(const struct session *session, const struct walk *walk)
{
	const size_t thread = session->open.work.redone_thread;
	const struct walk *old = session->look.stack.walks[thread];

	if (walk->complete || old == NULL)
		return walk->complete;
	if (thread == session->look.stack.thread && walk->count <= session->look.stack.frame)
		return false;
	return walk->count >= old->count || walk->count >= SESSION_MORE_FRAMES;
}

void
session_drop_redone(struct session *session)
{
	walk_free(session->open.work.redone);
	session->open.work.redone = NULL;
}

static void
put_redone(struct session *session)
{
	struct walk *walk = session->open.work.redone;
	const size_t thread = session->open.work.redone_thread;
	const struct walk *old = session->look.stack.walks[thread];
	struct walk_digest *before = &session->open.threads[thread].digest;
	const bool outdated = session->open.threads[thread].outdated;
	struct walk_changes changes = { 0 };
	struct walk_digest after = { 0 };

	session->open.work.redone = NULL;
	/* Frames after the digest of the old walk, or after an unfinished end, are unknown. */
	if (!walk->complete && before->count > walk->count)
		before->count = walk->count;
	if (outdated && walk_digest_update(&after, walk,
					   old->complete && walk->complete &&
						   before->count == old->count
						   ? SIZE_MAX : before->count))
		walk_changes_find(&changes, before, &after);
	walk_digest_free(&after);
	if (thread == session->look.stack.thread && old != NULL) {
		swap_walk(session, walk, outdated);
	} else {
		/* The rows of the stack may refer to the old walk. */
		stack_grew(session);
		put_walk(session, thread, walk);
	}
	session->open.work.changes[thread] = changes;
	/* Count now, or the next key waits for the counts of all threads walked by then. */
	stack_state_count(&session->look.stack, thread);
}

/*
 * Continue the current walk until `end`. If symbols are missing, wait a little: either they arrive
 * soon or a walk without them is useful. A walk that will be compared waits without limit.
 * True if there is more to do at once.
 */
static bool
work_redone(struct session *session, int64_t end)
{
	struct walk *walk = session->open.work.redone;
	const size_t thread = session->open.work.redone_thread;
	const bool whole = session->look.stack.walks[thread] == NULL ||
			   session->open.threads[thread].outdated;

	/* Always do one slice, even if the time is over. */
	do {
		look_at_last(walk);
		if (ask_for_symbols(session, walk)) {
			session_drop_redone(session);
			session->open.work.arrived = true;
			return true;
		}
		if (walk_missing_symbols(walk) != MODULE_NONE && !session->open.work.stopped &&
		    (whole || clock_milliseconds() - session->open.work.redone_since < PATIENCE))
			return false;
		if (is_long_enough(session, walk)) {
			put_redone(session);
			return true;
		}
		walk_run(walk, walk->count + SLICE_FRAMES);
	} while (session_has_time(session, end));
	return true;
}

/* The walk of the selected thread if it is incomplete and not stopped. */
static struct walk *
growing(const struct session *session)
{
	struct walk *walk = session_walk(session);

	return walk == NULL || walk->complete || session->open.work.halted ? NULL : walk;
}

/* The other walk of a comparison, if it is begun and incomplete; else NULL. */
static struct walk *
other_growing(const struct session *session)
{
	struct walk *other = session->open.threads[session->look.stack.thread].other;

	return other == NULL || other->complete || edits_overlay(session) == NULL ? NULL : other;
}

/*
 * When the crashed thread is walked to its end and the user has not done anything yet, select the
 * frame to blame. True if a frame was selected.
 */
static bool
choose_frame(struct session *session)
{
	const struct walk *walk = session_walk(session);

	if (!session->open.work.fresh || walk == NULL || !walk->complete ||
	    walk_missing_symbols(walk) != MODULE_NONE)
		return false;
	session->open.work.fresh = false;
	if ((int)session->look.stack.thread != session->open.crash->requesting_thread ||
	    session->blind != BLIND_OFF)
		return false;
	const struct analysis *analysis = session_analysis(session);
	if (analysis == NULL || analysis->blamed_frame == 0)
		return false;
	const size_t frame = analysis->blamed_frame;
	/* The summary was not read yet, so its view stays. */
	const unsigned summary = session->look.choice.used[LAYOUT_SUMMARY];
	session_select_frame(session, frame, 0);
	session->look.choice.used[LAYOUT_SUMMARY] = summary;
	/* This frame may have source, whereas the innermost frame had only code. */
	if (session->look.choice.clock == session->look.opened) {
		session_choose_first_view(session);
		session_refresh(session);
	}
	session_say(session, "frame %zu is selected, because the summary names it", frame);
	return true;
}

bool
session_work(struct session *session)
{
	const int64_t end = clock_milliseconds() + SLICE;

	if (session_walk(session) != NULL && ask_for_symbols(session, session_walk(session)))
		session->open.work.arrived = true;
	if (session->open.work.source_asked && !loader_is_busy(session->open.loader)) {
		session->open.work.source_asked = false;
		session->look.views[LAYOUT_SOURCE].fresh = false;
	}
	if (session->open.work.grown) {
		session->open.work.grown = false;
		stack_state_count(&session->look.stack, session->look.stack.thread);
		stack_grew(session);
		return true;
	}
	/* Memory after the frames of a growing walk is searched once the walk has reached it. */
	if (growing(session) == NULL && memory_work(session, end))
		return true;
	if ((session->open.work.redone != NULL || begin_next(session)) && work_redone(session, end))
		return true;
	if (choose_frame(session))
		return true;
	struct walk *walk = growing(session);
	const bool selected = walk != NULL;
	if (!selected && (addresses_work(session) || other_dump_work(session, end)))
		return true;
	/* Continue the other walk of a comparison, too. */
	if (!selected)
		walk = other_growing(session);
	if (walk == NULL)
		return false;
	do {
		walk_run(walk, walk->count + SLICE_FRAMES);
		/* Count now: the next key must not wait for the count. */
		if (selected)
			stack_state_count(&session->look.stack, session->look.stack.thread);
	} while (!walk->complete && session_has_time(session, end));
	if (selected)
		stack_grew(session);
	/* Make the analysis anew, because it must cover the whole stack. */
	if (selected && walk->complete &&
	    (int)session->look.stack.thread == session->open.crash->requesting_thread)
		forget_analysis(session);
	session->look.views[LAYOUT_WALKS].fresh = false;
	return selected || !walk->complete;
}

void
session_poll(struct session *session)
{
	session->open.work.arrived = true;
	session->look.views[LAYOUT_MODULES].fresh = false;
	session->look.contradictions.walk = NULL;
	/* Drop other walks that lacked symbols: the symbols may be loaded now. */
	for (size_t i = 0; i < session->open.crash->thread_count; i++) {
		struct walk **other = &session->open.threads[i].other;

		if (*other == NULL || walk_missing_symbols(*other) == MODULE_NONE)
			continue;
		walk_free(*other);
		*other = NULL;
		session->look.views[LAYOUT_WALKS].fresh = false;
	}
	if (!session->open.reload.under_way)
		edits_forget_made(session);
	/* The selected thread takes precedence. */
	if (session->open.work.redone != NULL &&
	    session->look.stack.walks[session->open.work.redone_thread] == NULL)
		session_drop_redone(session);
}

bool
session_is_settled(const struct session *session)
{
	const struct session_work *work = &session->open.work;
	const struct walk *walk = session_walk(session);

	return walk == NULL ||
	       (!work->arrived &&
		(work->redone == NULL || work->redone_thread != session->look.stack.thread) &&
		(work->stopped || walk_missing_symbols(walk) == MODULE_NONE));
}

bool
session_is_working(const struct session *session)
{
	return session->open.work.arrived || session->open.work.redone != NULL ||
	       session->open.work.walking_all || addresses_is_searching(session) ||
	       growing(session) != NULL || other_growing(session) != NULL ||
	       loader_is_busy(session->open.loader) || other_dump_is_working(session);
}

/*
 * Walk at once as far as the first screen needs. Waits briefly for missing symbols; if they are
 * loaded later, the walk is made again.
 */
void
session_start_walk(struct session *session, size_t thread)
{
	const int64_t end = clock_milliseconds() + PATIENCE;

	for (;;) {
		struct walk *walk = session_create_walk(session, thread, session->kept.edits.shown);

		put_walk(session, thread, walk);
		while (walk != NULL && !walk->complete && walk->count < SESSION_MORE_FRAMES &&
		       walk_missing_symbols(walk) == MODULE_NONE && clock_milliseconds() < end)
			walk_run(walk, walk->count + SLICE_FRAMES);
		if (walk != NULL)
			look_at_last(walk);
		const int64_t left = end - clock_milliseconds();
		if (walk == NULL || walk_missing_symbols(walk) == MODULE_NONE)
			return;
		if (ask_for_symbols(session, walk))
			continue;
		if (session->open.work.stopped || left <= 0 ||
		    !loader_wait(session->open.loader, (unsigned)left))
			return;
	}
}

void
session_walk_again(struct session *session, const struct policy *policy)
{
	const size_t frame = session->look.stack.frame;

	session->policy = *policy;
	session_drop_step(session);
	session_drop_redone(session);
	edits_forget_other(session);
	session->open.work.walking_all = true;
	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		put_walk(session, i, NULL);
	session_select_thread(session, session->look.stack.thread);
	session_select_frame(session, frame, 0);
}

bool
session_stop_reading(struct session *session)
{
	struct symbols_reading reading;
	char name[64] = "symbols";

	if (!loader_is_busy(session->open.loader))
		return false;
	if (symbols_reading(session->open.symbols, &reading, 1) > 0)
		session_symbols_name(session, reading.module, name, sizeof(name));
	session->open.work.stopped = true;
	loader_stop(session->open.loader);
	session_refresh(session);
	session_say(session, "reading of %s cancelled; L continues", name);
	return true;
}

bool
session_halt(struct session *session)
{
	const struct walk *walk = growing(session);

	if (addresses_stop(session) || session_stop_reading(session))
		return true;
	if (session->open.work.walking_all) {
		session->open.work.walking_all = false;
		session_drop_redone(session);
		say_walked(session);
	} else if (walk != NULL) {
		session->open.work.halted = true;
		telescope_state_forget(&session->look.memory.telescope);
		session_say(session, "walk cancelled after frame %zu", walk->count - 1);
	} else {
		return false;
	}
	return true;
}

/* Walk only by the methods of a list ("sframe,stack-cfi"); "": by the methods set at the start. */
void
request_methods(const struct request_call *call)
{
	struct session *session = call->session;
	const struct policy *start = &session->open.options->policy;
	struct policy policy = session->policy;
	const char *problem = NULL;

	if (call->text[0] == '\0') {
		memcpy(policy.methods, start->methods, sizeof(policy.methods));
		policy.method_count = start->method_count;
	} else {
		problem = methods_choose(&policy, call->text);
	}
	if (problem != NULL) {
		/* `problem` is a sentence with one %s, for the list. */
		const char *argument = strstr(problem, "%s");

		session_fail(session, "%.*s%s%s", (int)(argument - problem), problem, call->text,
			     argument + 2);
		return;
	}
	session_walk_again(session, &policy);
	session_say(session, policy.method_count == 0 ? "walked by all methods" : "walked by ");
	for (size_t i = 0; i < policy.method_count; i++)
		session_say_more(session, "%s%s", i > 0 ? ", " : "",
				 method_name((enum method_id)policy.methods[i]));
	if (policy.method_count > 0)
		session_say_more(session, " alone");
}

void
request_walk_all(const struct request_call *call)
{
	call->session->open.work.walking_all = call->session->open.work.asked_all = true;
	session_focus(call->session, LAYOUT_STACK);
}
