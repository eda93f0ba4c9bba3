/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_STACK_H
#define REPORT_STACK_STACK_H

#include "document/listing.h"
#include "inspect/walk_changes.h"
#include "document/facts.h"
#include "report/step/step_view.h"

/**
 * The threads of a crash and the frames of their walks.
 *
 * Frames have the numbers of the walk. Inlined calls are lettered rows of their frame, the
 * innermost first, the physical function last. Threads are numbered and ordered as in Breakpad
 * (walk_text.h). Threads that Breakpad omits have the next numbers.
 *
 * A recursion (fold.h) is one row until it is opened. The selected frame always has its own row,
 * between rows for the frames before and after it. Walked threads with the same calls are a group,
 * which is shown as its first thread until it is opened. The selected thread always has a row.
 */
struct stack_calls;

/** The order of threads: by Breakpad's numbers, or by state (thread_state_rank). */
enum stack_order {
	STACK_BY_NUMBER,
	STACK_BY_STATE
};

/** The contents of a stack listing. Begin with `crash`, `walks` and `open` set, all others 0. */
struct stack_state {
	const struct crash *crash;
	struct walk **walks;	/* one for each thread; NULL: not walked yet; borrowed */
	bool *open;		/* true: the thread's frames are shown; borrowed */
	bool expand_inlined;	/* inlined calls have rows; single frames may differ */
	bool expand_runs;	/* recursions are open; single ones may differ */
	bool expand_groups;	/* groups of threads are open; single ones may differ */
	unsigned order;		/* enum stack_order */
	size_t thread, frame;	/* selected thread and frame */
	const struct walk_changes *changes;	/* changes of frames, for each thread; or NULL */
	struct stack_calls *calls;	/* private: calls of each frame, and folds */
	size_t walked, different;	/* walked threads, and their different stacks */
};

/** Free the memory that the state owns; the caller keeps the walks and `open`. */
void
stack_state_free(struct stack_state *state);

/**
 * Fold the inlined calls of a frame, or unfold them. False if the frame has none. A frame that was
 * never shown stays as it is.
 */
bool
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame);

/** Open or fold the recursion that contains a frame. False: no recursion contains it. */
bool
stack_state_toggle_run(struct stack_state *state, size_t thread, size_t frame);

/** Whether a frame is in a folded recursion. */
bool
stack_state_in_folded_run(struct stack_state *state, size_t thread, size_t frame);

/** The first frame of the recursion that contains a frame; without one, the frame itself. */
size_t
stack_state_run_first(struct stack_state *state, size_t thread, size_t frame);

/** Open or fold a group: threads with the same calls. `thread` is the group's first thread. */
void
stack_state_toggle_group(struct stack_state *state, size_t thread);

/** Open or fold everything: inlined calls, recursions, threads with the same calls. */
void
stack_state_fold_all(struct stack_state *state, bool fold);

/** Show or fold the inlined calls of all frames. */
void
stack_state_expand_all(struct stack_state *state, bool expand);

/** Count the calls of a thread's new frames now instead of in its next listing. */
void
stack_state_count(struct stack_state *state, size_t thread);

/** Count the calls of all walked threads, and group the threads with the same calls. */
void
stack_state_count_all(struct stack_state *state);

/** Drop the state of a thread before its walk is replaced. */
void
stack_state_forget(struct stack_state *state, size_t thread);

/** `call` of the row that ends a walk, and `frame` of the row of a group. */
#define STACK_END SIZE_MAX
#define STACK_GROUP SIZE_MAX

/**
 * The listing. A mark before a frame's number shows how a repeated walk changed the frame. A frame
 * is looked up when a state first lists it. In later listings, the frame costs a few nanoseconds. A
 * frame row's target is its frame and call. The end's target is the last frame and STACK_END or, if
 * the walk continues, the next frame. The target of a folded recursion or of a group is
 * TARGET_FOLD, with the recursion's first frame or with STACK_GROUP.
 */
struct listing
stack_listing(struct stack_state *state, struct arena *arena);

/**
 * The row of a frame's call; the frame's row if its calls are folded; the row of the thread or its
 * group if the frames are not shown; the end's row for a frame after the last frame. 0: no such
 * thread.
 */
size_t
stack_row(const struct listing *stack, size_t thread, size_t frame, size_t call);

/**
 * The thread after `thread` in the listing (`forward`), or the thread before it. The first thread
 * follows the last.
 */
size_t
stack_thread_next(const struct listing *stack, size_t thread, bool forward);

/** The row with the same target in another listing of the same state; else the thread's row. */
size_t
stack_row_of_target(const struct listing *stack, const struct target *target);

/**
 * A register's history: a row for each frame has the register's value in the frame, and a mark that
 * compares this value with the value in the callee.
 *
 *	=	kept
 *	*	changed: the word where it was saved, and the source
 *	+	found, but unknown in the callee
 *	?	lost, with the reason; '-' if calls do not keep the register
 *	.	unknown in all frames so far
 *
 * Filling a row repeats one step of the unwinder; making the listing costs nothing.
 */
struct listing
register_history_listing(struct walk *walk, int reg, struct arena *arena);

/** The history as an object; empty for any other listing. */
FACTS_DECLARE(register_history, const struct listing *listing);

#endif
