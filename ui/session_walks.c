/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "analysis/analysis.h"
#include "ui/session.h"
#include "ui/views.h"

/* How walks are made: in the background, in slices, one thread or all of them. */

bool
session_is_loading(const struct session *session)
{
	return session->loader != NULL && !session->abandoned;
}

static void
replace_walk(struct session *session, size_t thread, struct walk *walk)
{
	if (session->step.walk == session->stack.walks[thread])
		session_drop_step(session);
	analysis_free(session->analysis);
	session->analysis = NULL;
	session->pointers.walk = NULL;
	telescope_state_forget(&session->telescope);
	walk_free(session->stack.walks[thread]);
	session->stack.walks[thread] = walk;
	stack_state_forget(&session->stack, thread);
}

/*
 * The stack has got rows. Whatever its user has selected stays selected, for nobody went anywhere.
 */
static void
stack_grew(struct session *session)
{
	struct session_view *view = &session->views[LAYOUT_STACK];

	if (view->fresh && session_rows(view) > 0) {
		view->kept = view->listing.target(&view->listing,
						  session_listing_row(view, view->selected));
		view->keep = true;
	}
	view->fresh = false;
}

static bool
poll_one(struct session *session)
{
	if (session->loader == NULL || !loader_wait(session->loader, 0))
		return false;
	struct walk *walk = loader_take(session->loader);
	size_t thread = session->loading_thread;
	session->loader = NULL;
	if (session->abandoned) {
		/* Nobody waited for this one, but what it read serves the next. */
		session->abandoned = false;
		walk_free(walk);
		session_say(session, "the symbols have been read; other threads use them");
		return false;
	}
	replace_walk(session, thread, walk);
	if (session->thread == thread)
		session_select_frame(session, session->frame, session->call);
	session_refresh(session);
	if (session->choice.clock == session->opened)
		session_choose_first_view(session);
	return true;
}

/* The first thread that nobody has walked yet; the number of threads where all are. */
static size_t
next_unwalked(const struct session *session, size_t from)
{
	const struct crash *crash = session->crash;

	while (from < crash->thread_count &&
	       (session->stack.walks[from] != NULL || crash->threads[from].wrote_dump))
		from++;
	return from;
}

static void
say_walked(struct session *session)
{
	size_t walked, different = stack_state_different(&session->stack, &walked);

	session_say(session, "%zu thread%s walked, %zu different stack%s", walked,
		    walked == 1 ? "" : "s", different, different == 1 ? "" : "s");
}

/* Let the crew walk the next thread. It walks to the end: only whole stacks can be compared. */
static void
next_crew(struct session *session, size_t from)
{
	const struct loader_job job = {
		.crash = session->crash,
		.symbols = session->symbols,
		.binaries = session->options->binaries,
		.policy = &session->policy,
		.thread = next_unwalked(session, from),
		.finished = session->wake,
		.context = session->wake_context,
	};

	session->crew_thread = job.thread;
	session->crew = job.thread < session->crash->thread_count ? loader_start(&job) : NULL;
	if (session->crew == NULL) {
		session->walking_all = false;
		say_walked(session);
	}
}

/* Take what the crew has walked, unless its user has walked that thread meanwhile. */
static bool
poll_crew(struct session *session)
{
	if (session->crew == NULL || !loader_wait(session->crew, 0))
		return false;
	struct walk *walk = loader_take(session->crew);
	size_t thread = session->crew_thread;
	session->crew = NULL;
	if (session->stack.walks[thread] == NULL && session->walking_all) {
		session->stack.walks[thread] = walk;
		stack_grew(session);
	} else {
		walk_free(walk);
	}
	if (session->walking_all)
		next_crew(session, thread + 1);
	return true;
}

bool
session_poll(struct session *session)
{
	bool walked = poll_one(session);

	/* Short walks need no trip through the loop each. */
	for (unsigned i = 0; i < 64 && poll_crew(session); i++) {
		walked = true;
		if (session->crew == NULL || !loader_wait(session->crew, 1))
			break;
	}
	return walked;
}

void
session_walk_all(struct session *session)
{
	if (session->walking_all)
		return;
	session->walking_all = true;
	/* A crew that was sent away and is still at work comes back by itself. */
	if (session->crew == NULL)
		next_crew(session, 0);
}

/* Milliseconds of a slice: a key that comes meanwhile waits no longer. */
#define SLICE 4
/* Frames between two looks at the clock. */
#define SLICE_FRAMES 64u

static int64_t
milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The selected thread's walk where it is not at its end and nobody has stopped it. */
static struct walk *
growing(const struct session *session)
{
	struct walk *walk = session_walk(session);

	return walk == NULL || walk->complete || session->halted ||
			       (session->loader != NULL &&
				session->loading_thread == session->thread)
		       ? NULL
		       : walk;
}

bool
session_is_working(const struct session *session)
{
	return session_is_loading(session) || session->walking_all || growing(session) != NULL;
}

bool
session_has_readers(const struct session *session)
{
	return (session->loader != NULL && !loader_wait(session->loader, 0)) ||
	       (session->crew != NULL && !loader_wait(session->crew, 0));
}

bool
session_work(struct session *session)
{
	struct walk *walk = growing(session);
	int64_t end = milliseconds() + SLICE;

	if (walk == NULL)
		return false;
	while (!walk->complete && milliseconds() < end)
		walk_run(walk, walk->count + SLICE_FRAMES);
	stack_grew(session);
	return !walk->complete;
}

bool
session_halt(struct session *session)
{
	struct walk *walk = growing(session);

	if (session_is_loading(session)) {
		session_give_up(session);
	} else if (session->walking_all) {
		session->walking_all = false;
		say_walked(session);
	} else if (walk != NULL) {
		session->halted = true;
		session_say(session, "the walk stopped behind frame %zu", walk->count - 1);
	} else {
		return false;
	}
	return true;
}

/* How long the first screen may wait for a walk: less and it would flicker for every crash. */
#define PATIENCE 60u

/*
 * Walk a thread in the background, for reading symbols may take long. Until that is done its
 * context frame stands for it, which needs none.
 */
void
session_start_walk(struct session *session, size_t thread)
{
	const struct loader_job job = {
		.crash = session->crash,
		.symbols = session->symbols,
		.binaries = session->options->binaries,
		.policy = &session->policy,
		.thread = thread,
		.frames = SESSION_MORE_FRAMES,
		.finished = session->wake,
		.context = session->wake_context,
	};

	session->loader = session->abandoned ? NULL : loader_start(&job);
	session->loading_thread = thread;
	if (session->loader != NULL && loader_wait(session->loader, PATIENCE)) {
		session->stack.walks[thread] = loader_take(session->loader);
		session->loader = NULL;
		return;
	}
	bool alone = session->loader == NULL;
	session->stack.walks[thread] =
		walk_create(session->crash, session->abandoned || !alone ? NULL : session->symbols,
			    session->options->binaries, thread, &session->policy);
	if (alone && session->stack.walks[thread] != NULL)
		walk_run(session->stack.walks[thread], SESSION_MORE_FRAMES);
}

bool
session_walk_again(struct session *session, const struct policy *policy)
{
	const size_t frame = session->frame;

	if (session->loader != NULL || session->crew != NULL)
		return false;
	session->policy = *policy;
	session_drop_step(session);
	for (size_t i = 0; i < session->crash->thread_count; i++)
		replace_walk(session, i, NULL);
	/* Other rows may come in the same number. */
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++)
		session->views[i].filtered = 0;
	session_select_thread(session, session->thread);
	session_select_frame(session, frame, 0);
	return true;
}

void
session_give_up(struct session *session)
{
	struct walk *walk = session->stack.walks[session->loading_thread];

	session->abandoned = true;
	if (walk != NULL)
		walk_run(walk, SESSION_MORE_FRAMES);
	stack_state_forget(&session->stack, session->loading_thread);
	session_select_frame(session, session->frame, 0);
	session_say(session, "going on without symbols");
}

