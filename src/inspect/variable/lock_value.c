/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/lock_value.h"

#include "inspect/variable/library_internal.h"

/* pthread_rwlock_t.__readers: three flags, then the readers (nptl/pthread_rwlock_common.c). */
#define READERS_SHIFT 3u

static bool
read_mutex(const struct typed_value *data, struct arena *arena, struct lock_value *lock)
{
	uint64_t word;

	if (!library_number(data, "__lock", arena, &word) ||
	    !library_number(data, "__owner", arena, &lock->owner))
		return false;
	lock->use = word == 0 ? LOCK_FREE : LOCK_HELD;
	lock->has_owner = lock->owner != 0;
	/* The owner is stored after the lock is taken, and cleared before it is released. */
	return word != 0 || lock->owner == 0;
}

static bool
read_rwlock(const struct typed_value *data, struct arena *arena, struct lock_value *lock)
{
	uint64_t readers;

	if (!library_number(data, "__readers", arena, &readers) ||
	    !library_number(data, "__cur_writer", arena, &lock->owner))
		return false;
	lock->readers = (uint32_t)readers >> READERS_SHIFT;
	lock->has_owner = lock->owner != 0;
	lock->use = lock->has_owner ? LOCK_WRITTEN : lock->readers > 0 ? LOCK_READ : LOCK_FREE;
	return true;
}

static bool
read_critical_section(const struct typed_value *section, struct arena *arena,
		      struct lock_value *lock)
{
	uint64_t count;

	if (library_pointer(section, "OwningThread", arena, &lock->owner) == NULL ||
	    !library_number(section, "RecursionCount", arena, &count))
		return false;
	lock->has_owner = lock->owner != 0;
	lock->use = lock->has_owner ? LOCK_HELD : LOCK_FREE;
	return lock->has_owner == ((int32_t)count > 0);
}

/* Rust's word is 0, 1 if locked, and 2 if threads wait (std, sys/sync/mutex/futex.rs). */
static bool
read_rust(const struct typed_value *mutex, struct arena *arena, struct lock_value *lock)
{
	uint64_t word;

	if (!library_number(mutex, "inner.futex.v.value|inner.futex.value.value", arena, &word) ||
	    word > 2)
		return false;
	lock->use = word == 0 ? LOCK_FREE : LOCK_HELD;
	return true;
}

bool
lock_value_of(const struct typed_value *value, struct arena *arena, struct lock_value *lock)
{
	struct typed_value object = *value, data = *value;

	*lock = (struct lock_value){ .use = LOCK_FREE };
	/* std::shared_lock, std::unique_lock and std::lock_guard lead to a lock. */
	for (int i = 0; i < 2; i++) {
		if (data.why != NULL)
			return false;
		object = data;
		if (data.type->kind == DEBUG_TYPE_POINTER ||
		    data.type->kind == DEBUG_TYPE_REFERENCE) {
			const struct debug_type *target = debug_type_target(data.type, arena);

			if (target == NULL)
				return false;
			object = value_pointed(&data, target, arena);
		}
		if (object.type->kind != DEBUG_TYPE_STRUCTURE &&
		    object.type->kind != DEBUG_TYPE_UNION)
			return false;
		if (!library_follow(&object, "_M_pm|_M_device|__m_", arena, &data))
			break;
	}
	if (library_follow(&object, "__data|_M_mutex.__data|__m_.__data|_M_impl._M_rwlock.__data|"
			   "_M_rwlock.__data", arena, &data))
		return read_mutex(&data, arena, lock) || read_rwlock(&data, arena, lock);
	return read_critical_section(&object, arena, lock) || read_rust(&object, arena, lock);
}
