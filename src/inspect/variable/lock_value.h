/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_LOCK_VALUE_H
#define INSPECT_LOCK_VALUE_H

#include "inspect/variable/frame_variables.h"

/**
 * The owner of a lock, by the members of its type: pthread_mutex_t and pthread_rwlock_t of glibc
 * 2.25 and later, C++ classes with one (std::shared_lock), CRITICAL_SECTION, and Mutex of Rust.
 */
struct lock_value {
	enum lock_use {
		LOCK_FREE,
		LOCK_HELD,
		LOCK_WRITTEN,			/* an rwlock with a writer */
		LOCK_READ,			/* an rwlock with readers */
	} use;
	bool has_owner;
	uint64_t owner;				/* id of the thread */
	uint64_t readers;			/* number of readers, for LOCK_READ */
};

/** The state of a lock, or of the lock that a pointer leads to; false: the value is no lock. */
bool
lock_value_of(const struct typed_value *value, struct arena *arena, struct lock_value *lock);

#endif
