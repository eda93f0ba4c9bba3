/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_text.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/* Frames walked between two checks of the clock. */
#define SLICE_FRAMES 64u

bool
other_dump_open(struct session *session, void (*wake)(void *context), void *context)
{
	const struct explorer_other *other = session->open.options->other;
	struct other_dump *dump = &session->open.other;

	dump->thread_of = SIZE_MAX;
	if (other == NULL)
		return true;
	dump->binaries = other->binaries;
	dump->loader =
		loader_create(other->symbols, NULL, other->crash->module_count, wake, context);
	return dump->loader != NULL;
}

void
other_dump_forget(struct session *session)
{
	struct other_dump *dump = &session->open.other;

	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		analysis_free(dump->analyses[side]);
		dump->analyses[side] = NULL;
	}
	arena_reset(&dump->arena);
	dump->made = NULL;
}

static void
drop_walk(struct session *session)
{
	other_dump_forget(session);
	walk_free(session->open.other.walk);
	session->open.other.walk = NULL;
}

void
other_dump_close(struct session *session)
{
	drop_walk(session);
	loader_free(session->open.other.loader);
	arena_free(&session->open.other.arena);
}

void
other_dump_walk_again(struct session *session)
{
	if (session->open.other.loader == NULL)
		return;
	loader_resume(session->open.other.loader);
	drop_walk(session);
	session->look.views[LAYOUT_VERSUS].fresh = false;
}

/* Whether to walk the other dump: its view was shown, or is about to be. */
static bool
is_wanted(const struct session *session)
{
	return session->open.other.wanted || session->look.choice.focus == LAYOUT_VERSUS;
}

static bool
is_long_enough(const struct walk *walk)
{
	return walk->complete || walk->count > VERSUS_MOST_FRAMES;
}

bool
other_dump_work(struct session *session, int64_t end)
{
	const struct explorer_other *other = session->open.options->other;
	struct other_dump *dump = &session->open.other;

	if (dump->loader == NULL || !is_wanted(session))
		return false;
	/* Follow the selected thread, unless the user has chosen a thread of the other dump. */
	if (dump->thread_of != session->look.stack.thread &&
	    session->open.crash->thread_count > 0) {
		dump->thread_of = session->look.stack.thread;
		if (!dump->chosen) {
			drop_walk(session);
			dump->found = versus_thread(session->open.crash, session->look.stack.thread,
						    other->crash, &dump->thread);
		}
	}
	if (!dump->found)
		return false;
	if (dump->walk == NULL) {
		dump->walk = walk_create(other->crash, other->symbols, dump->binaries,
					 dump->thread, &session->policy);
		if (dump->walk == NULL)
			return false;
		walk_freeze_symbols(dump->walk);
	}
	struct walk *walk = dump->walk;
	while (!is_long_enough(walk) && walk_missing_symbols(walk) == MODULE_NONE) {
		walk_run(walk, walk->count + SLICE_FRAMES);
		if (!session_has_time(session, end))
			break;
	}
	const int missing = walk_missing_symbols(walk);
	session->look.views[LAYOUT_VERSUS].fresh = false;
	if (missing == MODULE_NONE)
		return !is_long_enough(walk);
	if (symbols_settled(other->symbols, (size_t)missing)) {
		drop_walk(session);
		return true;
	}
	if (!session->open.work.stopped)
		loader_ask(dump->loader, (size_t)missing, false);
	else if (!is_long_enough(walk))
		walk_run(walk, walk->count + SLICE_FRAMES);
	return session->open.work.stopped && !is_long_enough(walk);
}

bool
other_dump_is_working(const struct session *session)
{
	const struct other_dump *dump = &session->open.other;

	if (dump->loader == NULL || !is_wanted(session))
		return false;
	if (loader_is_busy(dump->loader) || dump->thread_of != session->look.stack.thread)
		return true;
	if (!dump->found)
		return false;
	if (dump->walk == NULL || !is_long_enough(dump->walk))
		return true;
	const int missing = walk_missing_symbols(dump->walk);
	return missing != MODULE_NONE &&
	       (!session->open.work.stopped ||
		symbols_settled(session->open.options->other->symbols, (size_t)missing));
}

/* Compare again only if a walk has changed, because every key makes the listing anew. */
static const struct versus *
compare(struct session *session)
{
	struct other_dump *dump = &session->open.other;
	struct walk *const walks[VERSUS_SIDES] = { session_walk(session), dump->walk };
	bool same = dump->made != NULL;

	for (unsigned side = 0; side < VERSUS_SIDES; side++)
		same = same && dump->made_of[side] == walks[side] &&
		       dump->made_frames[side] == walks[side]->count;
	if (same)
		return dump->made;
	other_dump_forget(session);
	struct versus_side sides[VERSUS_SIDES];
	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		dump->analyses[side] = analysis_create(
			walks[side]->crash, walks[side],
			side == 0 ? session->open.binaries : dump->binaries,
			session->open.options->signature_rules);
		const struct analysis *analysis = dump->analyses[side];
		sides[side] = (struct versus_side){
			.walk = walks[side],
			.signature = analysis != NULL ? analysis->signature : NULL,
		};
		dump->made_of[side] = walks[side];
		dump->made_frames[side] = walks[side]->count;
	}
	dump->made = versus_compare(&sides[0], &sides[1], &dump->arena);
	return dump->made;
}

static struct listing
make_versus(struct session *session, struct session_view *view)
{
	struct other_dump *dump = &session->open.other;
	const struct walk *walk = session_walk(session);

	if (dump->loader == NULL)
		return listing_message("no second dump: start with 'unspool A.dmp --against "
				       "B.dmp'");
	dump->wanted = true;
	if (dump->thread_of == session->look.stack.thread && !dump->found)
		return listing_message("the other dump has no matching thread");
	if (walk == NULL || dump->walk == NULL || walk->count == 0)
		return listing_message("the other dump is being walked");
	const bool old = dump->made != NULL && dump->made_of[0] == walk &&
			 dump->made_frames[0] == walk->count;
	const struct versus *versus = compare(session);
	if (versus == NULL)
		return listing_out_of_memory();
	struct listing listing = versus_listing(versus, &view->arena);
	if (!old)
		view->row = listing.current;
	return listing;
}

static void
title_versus(struct session *session, struct row *row)
{
	const struct versus *versus = session->open.other.made;

	if (versus != NULL)
		row_add(row, ROLE_NORMAL, "%zu together", versus->frames.paired);
}

const struct view_ops view_VERSUS = {
	.make = make_versus, .title = title_versus, .centered = true, .reveals = BLIND_TOKEN,
};

void
request_versus(const struct request_call *call)
{
	struct session *session = call->session;
	struct other_dump *dump = &session->open.other;
	const bool any = call->text[0] == '\0';
	struct walk_text_thread *threads;
	struct arena arena = { 0 };
	bool found = false;
	uint64_t number;

	if (session->open.options->other == NULL) {
		session_fail(session, "no second dump: start with 'unspool A.dmp --against B.dmp'");
		return;
	}
	/* A thread of the other dump, by its number in that dump's walk. */
	const bool numbered = text_number(text_of(call->text), 10, &number);
	const size_t count =
		walk_text_threads(session->open.options->other->crash, &arena, &threads);
	for (size_t i = 0; numbered && i < count && !found; i++) {
		if (threads[i].number != number)
			continue;
		drop_walk(session);
		dump->thread = threads[i].index;
		dump->thread_of = session->look.stack.thread;
		dump->chosen = dump->found = found = true;
	}
	arena_free(&arena);
	if (any || found)
		session_focus(session, LAYOUT_VERSUS);
	else
		session_fail(session, "the other dump has no thread %s", call->text);
}
