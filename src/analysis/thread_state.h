/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_THREAD_STATE_H
#define ANALYSIS_THREAD_STATE_H

#include "walk/location.h"

/**
 * What a thread was doing: the state that its first frames tell, and the call that is worth
 * reading first.
 *
 * The functions in which threads wait are a table (walk/system_call.def). A name alone is a guess.
 * It is certain that a thread was in a system call if the code before its pc makes one, if a
 * register of the processor or of the system says so, or if the pc is in the kernel's page.
 * Without names nothing is said but what code and registers say.
 */
enum thread_state_kind {
	THREAD_STATE_CRASHED,
	THREAD_STATE_REQUESTED,		/* the dump; nothing crashed */
	THREAD_STATE_RUNNING,
	THREAD_STATE_UNKNOWN,
	THREAD_STATE_SYSTEM_CALL,	/* the functions are not known */
	THREAD_STATE_WAITING,
	THREAD_STATE_NOT_WALKED,
	THREAD_STATE_WROTE_DUMP,
	THREAD_STATE_COUNT
};

enum thread_wait {
#define W(id, word, help) THREAD_WAIT_##id,
#include "analysis/wait.def"
	THREAD_WAIT_PART,		/* private: no wait by itself */
	THREAD_WAIT_NONE,
};

/** Words of the states, and of what threads wait for with what stands behind "waiting". */
extern const struct thread_state_words {
	const char *name;
} thread_state_words[THREAD_STATE_COUNT];

extern const struct thread_wait_words {
	const char *name, *help;
} thread_wait_words[THREAD_WAIT_PART];

#define THREAD_STATE_FRAMES 64u	/* that are looked at: waits are less deep */

struct thread_state {
	enum thread_state_kind kind;
	enum thread_wait wait;		/* of THREAD_STATE_WAITING; else THREAD_WAIT_NONE */
	bool certain;			/* that it is in a system call, or is not */
	const char *evidence;		/* what makes it certain; NULL: names alone, or nothing */
	/* The first call that does not wait; `frame` is the walk's count where all do. */
	size_t frame, call;
	size_t waits_frame, waits_call;	/* the last one that waits, of THREAD_STATE_WAITING */
};

/** The state of a thread; `walk` is that of the thread, or NULL where it has not been walked. */
struct thread_state
thread_state_of(const struct crash *crash, size_t thread, struct walk *walk);

/** Whether the frames of a thread told its state. */
bool
thread_state_tells(const struct thread_state *state);

/** "waiting for a lock?", with '?' where that is a guess, in `arena`. */
const char *
thread_state_text(const struct thread_state *state, struct arena *arena);

#define THREAD_STATE_SHORT 32u	/* bytes of that at most */

/** A state as short as a column, "waiting: lock?"; empty if it is unknown. */
const char *
thread_state_short(const struct thread_state *state, char *buffer, size_t size);

/** A number of the state: equal ones are the same, those that are to be read first are less. */
uint64_t
thread_state_rank(const struct thread_state *state);

#endif
