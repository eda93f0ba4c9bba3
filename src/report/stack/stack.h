/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_STACK_H
#define REPORT_STACK_STACK_H

#include "document/listing.h"
#include "inspect/walk_changes.h"

/**
 * The threads of a crash and the frames of their walks.
 *
 * Frames have the numbers of the walk; inlined calls are lettered rows of their frame, the
 * innermost one first, the physical function last. Threads are numbered and ordered as
 * Breakpad does (walk_text.h); those that it leaves out follow with the next numbers.
 *
 * A recursion (fold.h) is one row until it is opened; the selected frame always has its own,
 * between what comes before and behind it. Walked threads with the same calls are one thread,
 * the first of them, until they are opened; the selected thread is always there.
 */
struct stack_calls;

/** The order of threads: Breakpad's, or that of their states (thread_state_rank). */
enum stack_order {
	STACK_BY_NUMBER,
	STACK_BY_STATE
};

/** What a stack listing shows. Begin with the first members set and all others 0. */
struct stack_state {
	const struct crash *crash;
	struct walk **walks;	/* one a thread of the crash; NULL: not walked yet; borrowed */
	bool *open;		/* one a thread: its frames are shown; borrowed */
	bool expand_inlined;	/* inlined calls have rows of their own; single frames may differ */
	bool expand_runs;	/* the same of recursions */
	bool expand_groups;	/* the same of threads with the same calls */
	unsigned order;		/* of threads: enum stack_order */
	size_t thread, frame;	/* the selected ones */
	const struct walk_changes *changes;	/* one a thread: what it says of frames; or NULL */
	struct stack_calls *calls;	/* private: calls of each frame, which are folded */
};

/** Free what the state owns, which is neither walks nor `open`. */
void
stack_state_free(struct stack_state *state);

/**
 * Fold the inlined calls of a frame, or unfold them. False where it has none; a frame that was
 * never shown stays as it is.
 */
bool
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame);

/** Open or fold the recursion that holds a frame. False where none does. */
bool
stack_state_toggle_run(struct stack_state *state, size_t thread, size_t frame);

/** Whether a frame lies in a recursion that is folded. */
bool
stack_state_in_folded_run(struct stack_state *state, size_t thread, size_t frame);

/** The first frame of the recursion that holds a frame; the frame itself where none does. */
size_t
stack_state_run_first(struct stack_state *state, size_t thread, size_t frame);

/** Open or fold the threads with the same calls as `thread`, which is the first of them. */
void
stack_state_toggle_group(struct stack_state *state, size_t thread);

/** Whether a thread has no rows in the last listing, because another one stands for it. */
bool
stack_state_is_hidden(struct stack_state *state, size_t thread);

/**
 * How many different stacks the walked threads have; `*walked` is set to the number of those
 * threads.
 */
size_t
stack_state_different(struct stack_state *state, size_t *walked);

/** Open or fold everything: inlined calls, recursions, threads with the same calls. */
void
stack_state_fold_all(struct stack_state *state, bool fold);

/** Show or fold the inlined calls of all frames. */
void
stack_state_expand_all(struct stack_state *state, bool expand);

/** Look at the frames of a thread that are new, as its listing does: it is sooner made then. */
void
stack_state_count(struct stack_state *state, size_t thread);

/** Forget what is known of a thread: its walk is about to be replaced. */
void
stack_state_forget(struct stack_state *state, size_t thread);

/** `call` of the row that says how a walk ended, and `frame` of a row about several threads. */
#define STACK_END SIZE_MAX
#define STACK_GROUP SIZE_MAX

/**
 * The listing. A sign before a frame's number says what changed when it was walked again. It looks
 * up every frame that it has not seen in an earlier listing of the same state once, in all others
 * it costs a few nanoseconds a frame. A frame row's target is its frame and call; that of the end
 * its last frame and STACK_END; where a walk goes on, that of its last row is the frame that is not
 * there yet. A row that stands for a recursion has TARGET_FOLD with its first frame, one for
 * several threads with STACK_GROUP.
 */
struct listing
stack_listing(struct stack_state *state, struct arena *arena);

/**
 * The row of a call of a frame: that of the frame where its calls are folded, of the thread, or
 * of the one that stands for it, where its frames are not shown, of the end for a frame behind
 * the last one. 0 where there is no such thread.
 */
size_t
stack_row(const struct listing *stack, size_t thread, size_t frame, size_t call);

/** The row with the same target in another listing of the same state; the thread's row else. */
size_t
stack_row_of_target(const struct listing *stack, const struct target *target);

#endif
