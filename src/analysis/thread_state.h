/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_THREAD_STATE_H
#define ANALYSIS_THREAD_STATE_H

#include "walk/location.h"

/**
 * The activity of a thread: the state that follows from its first frames, and the call to read
 * first.
 *
 * walk/system_call.def lists the functions in which threads wait. A name alone is a guess. A system
 * call is certain if the code before the thread's pc makes one. It is also certain if a register of
 * the processor or of the system shows it, or if the pc is in the kernel's page. Without names,
 * only code and registers are used.
 */
enum thread_state_kind {
	THREAD_STATE_CRASHED,
	THREAD_STATE_REQUESTED,		/* requested the dump; nothing crashed */
	THREAD_STATE_RUNNING,
	THREAD_STATE_UNKNOWN,
	THREAD_STATE_SYSTEM_CALL,	/* in a system call that is no known wait */
	THREAD_STATE_WAITING,
	THREAD_STATE_NOT_WALKED,
	THREAD_STATE_WROTE_DUMP,
	THREAD_STATE_COUNT
};

enum thread_wait {
#define W(id, word, help) THREAD_WAIT_##id,
#include "analysis/wait.def"
	THREAD_WAIT_PART,		/* private: part of a wait */
	THREAD_WAIT_NONE,
};

/** Names of the states and waits, with the text after "waiting". */
extern const char *const thread_state_words[THREAD_STATE_COUNT];

extern const struct thread_wait_words {
	const char *name, *help;
} thread_wait_words[THREAD_WAIT_PART];

#define THREAD_STATE_FRAMES 64u	/* maximum number of frames used: waits are less deep */

struct thread_state {
	enum thread_state_kind kind;
	enum thread_wait wait;		/* for THREAD_STATE_WAITING; else THREAD_WAIT_NONE */
	bool certain;			/* it is certain whether the thread is in a system call */
	const char *evidence;		/* reason for `certain`; NULL: not certain */
	/* The first call that does not wait. If all wait, `frame` is the walk's count. */
	size_t frame, call;
	size_t waits_frame, waits_call;	/* last waiting call, for THREAD_STATE_WAITING */
};

/** The state of a thread; `walk` is the thread's, or NULL if it is not walked. */
struct thread_state
thread_state_of(const struct crash *crash, size_t thread, struct walk *walk);

/** Whether the state follows from the thread's frames. */
bool
thread_state_tells(const struct thread_state *state);

/** "waiting for a lock?" in `arena`; '?' marks a guess. */
const char *
thread_state_text(const struct thread_state *state, struct arena *arena);

/** A state in a column's width of at most 31 bytes, "waiting: lock?". */
struct short_text
thread_state_short(const struct thread_state *state);

/** A sort key: equal for the same state, smaller for states to read first. */
uint64_t
thread_state_rank(const struct thread_state *state);

#endif
