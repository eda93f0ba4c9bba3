/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_LOCKS_H
#define ANALYSIS_LOCKS_H

#include "crash/memory.h"

/**
 * The locks that threads of a Linux process wait for, and their owners.
 *
 * A thread in the system call futex has the address of a lock's word and the awaited value in its
 * registers. The owner is in the lock: pthread_mutex_t and pthread_rwlock_t of glibc 2.25 and later
 * (bits/struct_mutex.h, bits/struct_rwlock.h), words of futex(2) with the owner's id, and a joined
 * thread's word. The registers, the words of the lock and the dump's threads must
 * agree; names of functions are not needed.
 */
enum lock_kind {
	LOCK_MUTEX,
	LOCK_RWLOCK,			/* a writer owns it */
	LOCK_THREAD,			/* the wait is for the end of a thread (pthread_join) */
	LOCK_KINDS
};

/** Flags of a futex's operation: PRIVATE and CLOCK_REALTIME. */
#define FUTEX_FLAGS 0x180u

/** "mutex", "rwlock", "thread". */
extern const char *const lock_kind_names[LOCK_KINDS];

struct lock_wait {
	size_t thread, owner;		/* indices in crash->threads; equal: its own lock */
	enum lock_kind kind;
	uint64_t address;		/* the address of the lock, of LOCK_THREAD the word's */
	size_t cycle;			/* number of the cycle of waits, from 1 on; 0: none */
	const char *name;		/* the variable with the lock, "b + 0x8"; or NULL */
	const char *text;		/* "thread 1, id 7151 (0x1bef), waits for ..."; or NULL */
};

struct lock_waits {
	struct lock_wait *items;	/* by thread */
	size_t count, capacity;
	size_t *of;			/* for each thread: its index in items + 1; 0: none */
	size_t thread_count, cycles;
};

/** Find the waits of all threads; they live in `arena`. None when out of memory. */
void
lock_waits_find(struct lock_waits *waits, const struct crash *crash,
		const struct memory_view *memory, struct arena *arena);

#endif
