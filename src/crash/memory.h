/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_MEMORY_H
#define CRASH_MEMORY_H

#include "crash/crash.h"
#include "base/hash.h"

/**
 * The process's memory as one walker reads it.
 *
 * A view is an ordered set of disjoint runs of bytes. The runs of a crash are made once, when the
 * dump is opened: `crash->runs` has every address once, from the largest region that contains it.
 * Breakpad's walks see only the thread's own stack; other walks see all runs. A read returns the
 * complete value or nothing.
 */
struct memory_run {
	uint64_t base;
	uint64_t size;			/* bytes in the file */
	const uint8_t *data;
	const struct memory_region *region;
};

/** The stack that a dump gives for a thread. */
struct thread_stack {
	uint64_t base, size;
	size_t thread;			/* index in crash->threads */
};

/** Uses of a view's bytes; each value includes the earlier values. */
enum memory_use {
	MEMORY_UNUSED,
	MEMORY_PRESENT,		/* tested for presence */
	MEMORY_REFUSED,		/* tested by a scan: not a code address */
	MEMORY_READ,		/* a result depends on the bytes */
};

/** Receives all uses of a view's memory; it is the first member of the receiver's structure. */
struct memory_log {
	void (*note)(struct memory_log *log, uint64_t address, uint64_t size,
		     enum memory_use use);
};

struct memory_view {
	const struct crash *crash;
	const struct input *input;
	bool big_endian;
	const struct memory_run *runs;	/* sorted by base */
	size_t count;
	const struct memory_run *stack;	/* run with the thread's stack; NULL: none */
	struct memory_log *log;		/* receives all uses; or NULL */
};

/** Selects the memory in a thread's view. */
struct memory_scope {
	bool stack_only;	/* only the stack, of at most LIMIT_STACK_REGION bytes (Breakpad) */
	bool by_descriptor;	/* the stack is the descriptor's, even if sp is elsewhere */
};

/**
 * The view of thread `thread` of a crash. The runs live in `arena` or in the crash; when out of
 * memory the view is empty.
 */
void
memory_view_thread(struct memory_view *view, const struct crash *crash, size_t thread,
		   struct memory_scope scope, struct arena *arena);

/** Make the runs of a finished crash, which all its views share, and the list of its stacks. */
void
memory_index(struct crash *crash);

/** The view of all regions of a crash, for use without a thread. */
void
memory_view_all(struct memory_view *view, const struct crash *crash, struct arena *arena);

/** The run that contains `address`, or NULL. */
const struct memory_run *
memory_run_of(const struct memory_view *view, uint64_t address);

/** The bytes from an address up to the end of its run; none if no run contains the address. */
struct reader
memory_rest(const struct memory_view *view, uint64_t address);

/** The place of `size` bytes in the dump, cut at the end of their run; no input: not in a run. */
struct place
memory_place(const struct memory_view *view, uint64_t address, uint64_t size);

/**
 * Copy up to `size` bytes at an address and return the number of bytes copied. Sets `*place` (may
 * be NULL) to the place of the first bytes.
 */
size_t
memory_copy(const struct memory_view *view, uint64_t address, uint8_t *bytes, size_t size,
	    struct place *place);

/** The run nearest to an address outside all runs; NULL: no runs. */
const struct memory_run *
memory_nearest(const struct memory_view *view, uint64_t address);

/**
 * Read `size` (1 to 8) bytes at `address` as one value in the dump's byte order. False if any is
 * missing. `place` (may be NULL) is set to the bytes' place in the dump.
 */
bool
memory_read(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place);

/** Like memory_read, but without logging: the caller notes the use of the value. */
bool
memory_peek(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place);

/** If the view has a log, note in it the use of bytes that were read without logging. */
static inline void
memory_note(const struct memory_view *view, uint64_t address, uint64_t size, enum memory_use use)
{
	if (view->log != NULL)
		view->log->note(view->log, address, size, use);
}

/**
 * The uses of every byte of a crash's memory, collected by a log. Takes a page of memory for each
 * used page.
 */
struct memory_used {
	struct memory_log log;
	struct arena *arena;
	struct hash pages;		/* freed by the owner */
	/* Page numbers, sorted by memory_used_sort */
	uint64_t *numbers;
	size_t count, capacity;
	bool failed;			/* out of memory: uses are missing */
};

/** Consecutive bytes with the same use. */
struct memory_used_range {
	uint64_t address, size;
	enum memory_use use;
};

void
memory_used_init(struct memory_used *used, struct arena *arena);

/** Sort the collected pages; required before memory_used_next. */
void
memory_used_sort(struct memory_used *used);

/**
 * The first range of used bytes at or above `address` that begins before `end`, cut to these
 * limits. False: none.
 */
bool
memory_used_next(const struct memory_used *used, uint64_t address, uint64_t end,
		 struct memory_used_range *range);

#endif
