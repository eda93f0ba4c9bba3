/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/beside.h"

#include "base/clock.h"
#include "report/stack/walk_text.h"
#include "ui/view/view.h"

/* Frames between two looks at the clock. */
#define SLICE_FRAMES 64u

bool
beside_open(struct session *session, void (*wake)(void *context), void *context)
{
	const struct explorer_other *other = session->options->other;
	struct beside *beside = &session->beside;

	arena_init(&beside->arena, 0);
	beside->thread_of = SIZE_MAX;
	if (other == NULL)
		return true;
	beside->binaries = other->binaries;
	beside->loader =
		loader_create(other->symbols, NULL, other->crash->module_count, wake, context);
	return beside->loader != NULL;
}

bool
beside_stop(struct session *session, unsigned milliseconds)
{
	struct loader *loader = session->beside.loader;

	if (loader == NULL)
		return true;
	loader_stop(loader);
	return loader_wait(loader, milliseconds);
}

void
beside_forget(struct session *session)
{
	struct beside *beside = &session->beside;

	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		analysis_free(beside->analyses[side]);
		beside->analyses[side] = NULL;
	}
	arena_reset(&beside->arena);
	beside->made = NULL;
}

static void
drop_walk(struct session *session)
{
	beside_forget(session);
	walk_free(session->beside.walk);
	session->beside.walk = NULL;
}

void
beside_close(struct session *session)
{
	drop_walk(session);
	loader_free(session->beside.loader);
	arena_free(&session->beside.arena);
}

void
beside_walk_again(struct session *session)
{
	if (session->beside.loader == NULL)
		return;
	loader_resume(session->beside.loader);
	drop_walk(session);
	session->views[LAYOUT_VERSUS].fresh = false;
}

/* Its view was shown, or will be with the next painting. */
static bool
is_wanted(const struct session *session)
{
	return session->beside.wanted || session->choice.focus == LAYOUT_VERSUS;
}

/* The thread that goes with the selected one, unless the user has said which. */
static void
find_thread(struct session *session)
{
	const struct explorer_other *other = session->options->other;
	struct beside *beside = &session->beside;

	if (beside->thread_of == session->stack.thread || session->crash->thread_count == 0)
		return;
	beside->thread_of = session->stack.thread;
	if (beside->chosen)
		return;
	drop_walk(session);
	beside->found = versus_thread(session->crash, session->stack.thread, other->crash,
				      &beside->thread);
}

static bool
is_known(const struct session *session, int module)
{
	enum symbols_state state;

	symbols_peek(session->options->other->symbols, (size_t)module, &state);
	return state == SYMBOLS_LOADED || state == SYMBOLS_ABSENT;
}

static bool
is_long_enough(const struct walk *walk)
{
	return walk->complete || walk->count > VERSUS_MOST_FRAMES;
}

static struct walk *
create_walk(const struct session *session)
{
	const struct explorer_other *other = session->options->other;
	struct walk *walk = walk_create(other->crash, other->symbols, session->beside.binaries,
					session->beside.thread, &session->policy);

	if (walk != NULL)
		walk_freeze_symbols(walk);
	return walk;
}

bool
beside_work(struct session *session, int64_t end)
{
	struct beside *beside = &session->beside;

	if (beside->loader == NULL || !is_wanted(session))
		return false;
	find_thread(session);
	if (!beside->found)
		return false;
	if (beside->walk == NULL)
		beside->walk = create_walk(session);
	struct walk *walk = beside->walk;
	if (walk == NULL)
		return false;
	while (!is_long_enough(walk) && walk_missing_symbols(walk) == MODULE_NONE &&
	       clock_milliseconds() < end)
		walk_run(walk, walk->count + SLICE_FRAMES);
	const int missing = walk_missing_symbols(walk);
	session->views[LAYOUT_VERSUS].fresh = false;
	if (missing == MODULE_NONE)
		return !is_long_enough(walk);
	if (is_known(session, missing)) {
		drop_walk(session);
		return true;
	}
	if (!session->work.stopped)
		loader_ask(beside->loader, (size_t)missing);
	else if (!is_long_enough(walk))
		walk_run(walk, walk->count + SLICE_FRAMES);
	return session->work.stopped && !is_long_enough(walk);
}

bool
beside_is_working(const struct session *session)
{
	const struct beside *beside = &session->beside;

	if (beside->loader == NULL || !is_wanted(session))
		return false;
	if (loader_is_busy(beside->loader) || beside->thread_of != session->stack.thread)
		return true;
	if (!beside->found)
		return false;
	if (beside->walk == NULL || !is_long_enough(beside->walk))
		return true;
	const int missing = walk_missing_symbols(beside->walk);
	return missing != MODULE_NONE && (!session->work.stopped || is_known(session, missing));
}

static struct versus_side
side_of(struct session *session, unsigned side, const struct walk *walk)
{
	struct beside *beside = &session->beside;

	beside->analyses[side] = analysis_create(
		walk->crash, (struct walk *)walk,
		side == 0 ? session->binaries : session->beside.binaries);
	return (struct versus_side){ walk, beside->analyses[side] != NULL
						   ? beside->analyses[side]->signature
						   : NULL };
}

/* Compared anew only where a walk has changed: every key makes the listing again. */
static const struct versus *
compare(struct session *session)
{
	struct beside *beside = &session->beside;
	struct walk *const walks[VERSUS_SIDES] = { session_walk(session), beside->walk };
	bool same = beside->made != NULL;

	for (unsigned side = 0; side < VERSUS_SIDES; side++)
		same = same && beside->made_of[side] == walks[side] &&
		       beside->made_frames[side] == walks[side]->count;
	if (same)
		return beside->made;
	beside_forget(session);
	struct versus_side sides[VERSUS_SIDES];
	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		sides[side] = side_of(session, side, walks[side]);
		beside->made_of[side] = walks[side];
		beside->made_frames[side] = walks[side]->count;
	}
	beside->made = versus_compare(&sides[0], &sides[1], &beside->arena);
	return beside->made;
}

static struct listing
make_versus(struct session *session, struct session_view *view)
{
	struct beside *beside = &session->beside;
	const struct walk *walk = session_walk(session);

	if (beside->loader == NULL)
		return listing_message("there is no other dump: unspool A.dmp --against B.dmp");
	beside->wanted = true;
	if (beside->thread_of == session->stack.thread && !beside->found)
		return listing_message("the other dump has no thread that goes with this one");
	if (walk == NULL || beside->walk == NULL || walk->count == 0)
		return listing_message("the other dump is being walked");
	const size_t frames = beside->made_frames[0];
	const bool old = beside->made != NULL && beside->made_of[0] == walk &&
			 frames == walk->count;
	const struct versus *versus = compare(session);
	if (versus == NULL)
		return listing_out_of_memory();
	struct listing listing = versus_listing(versus, &view->arena);
	if (!old)
		view->row = versus_row(&listing);
	return listing;
}

static void
title_versus(struct session *session, struct row *row)
{
	const struct versus *versus = session->beside.made;

	if (versus != NULL)
		row_add(row, ROLE_NORMAL, "%zu together", versus->same);
}

const struct view_ops view_VERSUS = {
	.make = make_versus, .title = title_versus, .centered = true,
};

bool
beside_choose(struct session *session, size_t number)
{
	struct beside *beside = &session->beside;
	struct walk_text_thread *threads;
	struct arena arena;
	bool found = false;

	if (beside->loader == NULL)
		return false;
	arena_init(&arena, 0);
	const size_t count =
		walk_text_threads(session->options->other->crash, &arena, &threads);
	for (size_t i = 0; i < count && !found; i++) {
		if (threads[i].number != number)
			continue;
		drop_walk(session);
		beside->thread = threads[i].index;
		beside->thread_of = session->stack.thread;
		beside->chosen = beside->found = found = true;
	}
	arena_free(&arena);
	session->views[LAYOUT_VERSUS].fresh = false;
	return found;
}
