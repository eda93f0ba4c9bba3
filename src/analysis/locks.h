/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_LOCKS_H
#define ANALYSIS_LOCKS_H

#include "crash/memory.h"

/**
 * The locks that threads of a process wait for, and their owners.
 *
 * On Linux a thread in the system call futex has the address of a lock's word and the awaited value
 * in its registers. The owner is in the lock: pthread_mutex_t and pthread_rwlock_t of glibc 2.25
 * and later (bits/struct_mutex.h, bits/struct_rwlock.h), words of futex(2) with the owner's id, and
 * a joined thread's word. On Windows a thread in ntdll has the address of a RTL_CRITICAL_SECTION in
 * a register or in the first words of its stack. The registers, the words of the lock and the
 * dump's threads must agree; names of functions are not needed. If a lock counts its waiters,
 * as pthread_cond_t, sem_t and critical sections do, that many waiting threads must be found.
 */
enum lock_kind {
	LOCK_MUTEX,
	LOCK_RWLOCK,
	LOCK_THREAD,			/* the wait is for the end of a thread (pthread_join) */
	LOCK_CONDITION,			/* a condition variable, which has no owner */
	LOCK_SECTION,			/* a critical section of Windows */
	LOCK_SEMAPHORE,			/* sem_t, which has no owner */
	LOCK_KINDS
};

/** Flags of a futex's operation: PRIVATE and CLOCK_REALTIME. */
#define FUTEX_FLAGS 0x180u

/** "mutex", "rwlock", "thread", "condition variable", "critical section", "semaphore". */
extern const char *const lock_kind_names[LOCK_KINDS];

struct lock_wait {
	size_t thread, owner;		/* indices in crash->threads; equal: a self-deadlock */
	bool has_owner;			/* false: no owner, or an rwlock held by readers */
	uint32_t readers;		/* number of threads that hold an rwlock for reading */
	enum lock_kind kind;
	uint64_t address;		/* address of the lock; for LOCK_THREAD, of its word */
	size_t cycle;			/* number of the cycle of waits, from 1 on; 0: none */
	const char *name;		/* the variable with the lock, "pool->lock"; or NULL */
	const char *type;		/* type of the object with the lock; or NULL */
	const char *function;		/* function of `frame`, or NULL if no variable was found */
	size_t frame;			/* a frame of the waiting thread */
	const char *text;		/* "thread 1, id 7151 (0x1bef), waits for ..."; or NULL */
};

struct lock_waits {
	struct lock_wait *items;	/* sorted by thread */
	size_t count, capacity;
	size_t *of;			/* by thread: 1 + index of its wait in `items`; 0: none */
	size_t thread_count, cycles;
};

/** Find the waits of all threads; they live in `arena`. None when out of memory. */
void
lock_waits_find(struct lock_waits *waits, const struct crash *crash,
		const struct memory_view *memory, struct arena *arena);

#endif
