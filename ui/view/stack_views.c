/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "report/memory/thread_block_report.h"
#include "report/stack/summary.h"
#include "report/stack/stack.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/* The stack, its summary, a register's history through the frames, two walks compared. */

static struct listing
stack_views_make_stack(struct session *session, struct session_view *view)
{
	struct listing listing = stack_listing(&session->look.stack, &view->arena);

	view->row = stack_row(&listing, session->look.stack.thread, session->look.stack.frame,
			      session->look.call);
	return listing;
}

static bool
select_stack(struct session *session, size_t row)
{
	const struct listing *listing = &session->look.views[LAYOUT_STACK].listing;
	const struct target target = listing_target(listing, row);

	if (target.kind != TARGET_FRAME && target.kind != TARGET_FOLD)
		return false;
	const struct walk *walk = session->look.stack.walks[target.thread];
	if (target.thread != session->look.stack.thread)
		session_select_thread(session, target.thread);
	if (target.kind == TARGET_FOLD) {
		/* The row of a folded recursion selects the first frame of the recursion. */
		const bool run = target.frame != STACK_GROUP &&
				 stack_state_in_folded_run(&session->look.stack, target.thread,
							   target.frame);

		if (run)
			session_select_frame(session, stack_state_run_first(&session->look.stack,
						target.thread, target.frame), 0);
		return run;
	}
	if (target.frame < walk->count && target.call != STACK_END) {
		session_select_frame(session, target.frame, target.call);
		return true;
	}
	if (!walk->complete)
		session_select_frame(session, target.frame, 0);
	return !walk->complete;
}

static void
title_stack(struct session *session, struct row *row)
{
	const struct overlay *overlay = edits_overlay(session);
	const struct stack_state *stack = &session->look.stack;

	if (overlay != NULL && session->kept.edits.shown == NULL)
		row_add(row, ROLE_CHANGED, "ORIGINAL  ");
	else if (overlay != NULL)
		row_add(row, ROLE_CHANGED, "EDITED: %zu edit%s  ", overlay->count,
			plural(overlay->count));
	row_add(row, ROLE_NORMAL, "%zu thread%s  %zu walked", session->open.crash->thread_count,
		plural(session->open.crash->thread_count), stack->walked);
	if (stack->different < stack->walked)
		row_add(row, ROLE_NORMAL, "  %zu different", stack->different);
	if (stack->order == STACK_BY_STATE)
		row_add(row, ROLE_NORMAL, "  by state");
}

/* Rows change when walks grow, frames are folded, or a frame inside a recursion is selected. */
static uint64_t
stamp_stack(struct session *session, const struct listing *listing)
{
	uint64_t stamp = views_mix(views_mix(listing->count, session->look.stack.expand_inlined),
				   session->look.stack.order);

	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		stamp = views_mix(stamp, session->look.stack.walks[i] == NULL
						 ? SIZE_MAX
						 : session->look.stack.walks[i]->count);
	if (stack_state_in_folded_run(&session->look.stack, session->look.stack.thread,
				      session->look.stack.frame))
		stamp = views_mix(views_mix(stamp, session->look.stack.thread),
				  session->look.stack.frame);
	return stamp;
}

static const char *
fold_stack(struct session *session, size_t row)
{
	struct stack_state *stack = &session->look.stack;
	struct session_view *view = session_view(session, LAYOUT_STACK);
	const struct target target = listing_target(&view->listing, row);
	const bool group = target.frame == STACK_GROUP;

	if (target.kind == TARGET_THREAD && stack->walks[target.thread] == NULL)
		session_select_thread(session, target.thread);
	else if (target.kind == TARGET_THREAD)
		stack->open[target.thread] = !stack->open[target.thread];
	else if (target.kind == TARGET_FOLD && group)
		stack_state_toggle_group(stack, target.thread);
	else if (target.kind == TARGET_FRAME &&
		 stack_state_toggle(stack, target.thread, target.frame))
		session->look.call = 0;
	else if (stack_state_toggle_run(stack, target.thread, target.frame))
		session_select_frame(session,
				     stack_state_run_first(stack, target.thread, target.frame), 0);
	else
		return "nothing folds here: one call, not part of a recursion";
	session_refresh(session);
	/* Keep the row of the thread selected, although the session's place is a frame. */
	if (target.kind == TARGET_THREAD || group) {
		view = session_view(session, LAYOUT_STACK);
		view->selected = session_shown_row(view, stack_row_of_target(&view->listing,
									     &target));
	}
	return NULL;
}

static void
fold_all_stack(struct session *session, bool fold)
{
	stack_state_fold_all(&session->look.stack, fold);
	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		if (session->look.stack.walks[i] != NULL)
			session->look.stack.open[i] = !fold || i == session->look.stack.thread;
	session->look.call = 0;
	session_refresh(session);
}

bool
stack_views_show_maker(struct session *session)
{
	struct walk *walk = session_walk(session);
	const size_t frame = session->look.stack.frame;
	struct arena arena = { 0 };

	if (session->look.choice.focus != LAYOUT_STACK || walk == NULL || frame == 0 ||
	    frame >= walk->count)
		return false;
	const enum trust trust = walk->frames[frame].trust;
	const bool doubted = trust_table[trust].certainty == CERTAINTY_GUESSED ||
			     frame_contradicted(walk, frame, &arena, NULL) != NULL;
	arena_free(&arena);
	if (!doubted)
		return false;
	session_select_frame(session, frame - 1, 0);
	session_focus(session, LAYOUT_EVIDENCE);
	session_say(session, "frame %zu is in doubt: this step, from frame %zu, found it", frame,
		    frame - 1);
	return true;
}

/* If the frame of a row is guessed or contradicted, go to the step that found the frame. */
static bool
open_stack(struct session *session, size_t row)
{
	const struct session_view *view = session_view(session, LAYOUT_STACK);

	return listing_target(&view->listing, row).kind == TARGET_FRAME &&
	       stack_views_show_maker(session);
}

const struct view_ops view_STACK = {
	.make = stack_views_make_stack, .title = title_stack, .select = select_stack,
	.stamp = stamp_stack, .fold = fold_stack, .fold_all = fold_all_stack, .open = open_stack,
};

static struct listing
make_summary(struct session *session, struct session_view *view)
{
	/* Use the walk of the crashed thread, even if it is incomplete. */
	const int thread = session->open.crash->requesting_thread;
	struct walk *walk = thread < 0 ? NULL : session->look.stack.walks[thread];

	const struct analysis *analysis = session_analysis(session);

	return analysis != NULL ? summary_listing(analysis, walk, view->columns, &view->arena)
				: listing_out_of_memory();
}

/* The legend is empty, so that the title has room for the count of rows below. */
const struct view_ops view_SUMMARY = {
	.make = make_summary, .legend = "", .wraps = true, .reveals = BLIND_RULE,
};

static int
history_register(const struct session *session)
{
	const struct arch *arch = session_walk(session)->arch;

	/* Threads of one dump may have different processors. */
	if (session->look.history_register > 0 &&
	    session->look.history_register <= arch->register_count)
		return session->look.history_register - 1;
	return arch->fp != ARCH_NO_REGISTER ? arch->fp : arch->sp;
}

static struct listing
make_history(struct session *session, struct session_view *view)
{
	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	view->row = session->look.stack.frame;
	return register_history_listing(session_walk(session), history_register(session),
					&view->arena);
}

static bool
select_history(struct session *session, size_t row)
{
	if (!session->step.exists || row == session->look.stack.frame)
		return session->step.exists;
	session_select_frame(session, row, 0);
	return true;
}

static void
title_history(struct session *session, struct row *row)
{
	if (!session->step.exists)
		return;
	const struct arch *arch = session_walk(session)->arch;
	const int reg = history_register(session);
	const bool kept = arch->registers[reg].callee_saved || reg == arch->pc || reg == arch->sp;
	row_add(row, ROLE_NORMAL, "%s  * changed  = kept  %s  . never known",
		arch->registers[reg].label, kept ? "? lost" : "- not kept");
}

const struct view_ops view_HISTORY = {
	.make = make_history, .title = title_history, .select = select_history,
};

/* The thread blocks (TEB) of the selected thread. */
static struct listing
make_teb(struct session *session, struct session_view *view)
{
	const struct walk *walk = session_walk(session);

	if (walk == NULL)
		return listing_message(views_why_nothing(session));
	struct thread_report *report = thread_report_make(&session->look.addresses.around,
							  walk->thread, walk, &view->arena);
	return report != NULL ? thread_report_listing(report, view->columns)
			      : listing_out_of_memory();
}

const struct view_ops view_TEB = {
	.make = make_teb, .legend = "", .wraps = true, .reveals = BLIND_TOKEN,
};

/* Get both walks of the selected thread, the original first. Begin a missing walk. */
static void
both_sides(struct session *session, struct versus_side sides[VERSUS_SIDES])
{
	struct edits *edits = &session->kept.edits;
	const bool original = edits->shown == NULL;
	const size_t thread = session->look.stack.thread;
	struct walk **other = &session->open.threads[thread].other;

	if (*other == NULL)
		*other = session_create_walk(session, thread, edits->other_of);
	sides[original ? 0 : 1] = (struct versus_side){ .walk = session_walk(session) };
	sides[original ? 1 : 0] = (struct versus_side){ .walk = *other };
	sides[0].name = "original";
	sides[1].name = "edited";
	sides[0].why = sides[1].why = "no walk";
}

static struct listing
make_walks(struct session *session, struct session_view *view)
{
	struct versus_side sides[VERSUS_SIDES];

	if (session_walk(session) == NULL)
		return listing_message(views_why_nothing(session));
	if (edits_overlay(session) == NULL)
		return listing_message("no edits to compare; = or :walk METHOD makes one");
	both_sides(session, sides);
	const struct versus *versus = versus_compare(&sides[0], &sides[1], &view->arena);
	if (versus == NULL)
		return listing_out_of_memory();
	struct listing listing = versus_listing(versus, &view->arena);
	view->row = versus_row_of(&listing, session->look.stack.frame);
	return listing;
}

static void
title_walks(struct session *session, struct row *row)
{
	const struct alignment *frames = versus_frames(&session->look.views[LAYOUT_WALKS].listing);

	if (frames == NULL)
		return;
	if (frames->different == 0)
		row_add(row, ROLE_NORMAL, "%zu frames, all the same", frames->count);
	else
		row_add(row, ROLE_NORMAL, "%zu different, %zu the same", frames->different,
			frames->count - frames->different);
}

const struct view_ops view_WALKS = { .make = make_walks, .title = title_walks };

void
request_register_history(const struct request_call *call)
{
	struct session *session = call->session;
	const struct row_subject subject = views_subject(session);
	int reg = ARCH_NO_REGISTER;

	if (!session->step.exists) {
		session_say(session, "%s", views_why_nothing(session));
		return;
	}
	const struct arch *arch = session_walk(session)->arch;
	/* The selected register, or the one that the step sets at the cursor. */
	const struct event *at = &session->step.view.trace.events[session->step.view.cursor];
	if (call->text[0] != '\0')
		reg = arch_register(arch, text_of(call->text), ARCH_NAMES_ALIASES);
	else if (subject.kind == SUBJECT_REGISTER)
		reg = subject.reg;
	else if (at->kind == EVENT_SET)
		reg = at->reg;
	if (reg == ARCH_NO_REGISTER && call->text[0] != '\0') {
		session_fail(session, "%s has no register '%s'", arch->name, call->text);
		return;
	}
	if (reg != ARCH_NO_REGISTER)
		session->look.history_register = reg + 1;
	session_focus(session, LAYOUT_HISTORY);
}
