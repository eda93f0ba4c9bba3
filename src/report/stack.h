/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_H
#define REPORT_STACK_H

#include "report/listing.h"

/**
 * The threads of a crash and the frames of their walks.
 *
 * Frames have the numbers of the walk; inlined calls are lettered rows of their frame, the
 * innermost one first, the physical function last. Threads are numbered and ordered as
 * Breakpad does (walk_text.h); those that it leaves out follow with the next numbers.
 */
struct stack_calls;

/** What a stack listing shows. Begin with the first members set and all others 0. */
struct stack_state {
	const struct crash *crash;
	struct walk **walks;	/* one a thread of the crash; NULL: not walked yet; borrowed */
	bool *open;		/* one a thread: its frames are shown; borrowed */
	bool expand_inlined;	/* inlined calls have rows of their own; single frames may differ */
	struct stack_calls *calls;	/* private: calls of each frame, which are folded */
};

/** Free what the state owns, which is neither walks nor `open`. */
void
stack_state_free(struct stack_state *state);

/** Fold the inlined calls of a frame, or unfold them. A frame that was never shown stays. */
void
stack_state_toggle(struct stack_state *state, size_t thread, size_t frame);

/** Show or fold the inlined calls of all frames. */
void
stack_state_expand_all(struct stack_state *state, bool expand);

/** Forget what is known of a thread: its walk is about to be replaced. */
void
stack_state_forget(struct stack_state *state, size_t thread);

/** `call` of the row that says how a walk ended. */
#define STACK_END SIZE_MAX

/**
 * The listing. It looks up every frame that it has not seen in an earlier listing of the
 * same state once, in all others it costs a few nanoseconds a frame. A frame row's target
 * is its frame and call; that of the end its last frame and STACK_END; where a walk goes on,
 * that of its last row is the frame that is not there yet.
 */
struct listing
stack_listing(struct stack_state *state, struct arena *arena);

/**
 * The row of a call of a frame: that of the frame where its calls are folded, of the thread
 * where its frames are not shown, of the end for a frame behind the last one. 0 where there
 * is no such thread.
 */
size_t
stack_row(const struct listing *stack, size_t thread, size_t frame, size_t call);

#endif
