/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_MEMORY_H
#define CRASH_MEMORY_H

#include "crash/crash.h"

/**
 * The process's memory as one walker reads it.
 *
 * A view is an ordered set of runs of bytes without overlap. The runs of a crash are made once,
 * when the dump is opened: `crash->runs` has every address once, from the largest region that
 * contains it. Breakpad's walks see the thread's own stack only; others see all runs. A read
 * returns the whole value or nothing, never a part of a value.
 */
struct memory_run {
	uint64_t base;
	uint64_t size;			/* bytes that are in the file */
	const uint8_t *data;
	const struct memory_region *region;
};

/** What was done with bytes of a view; a later value of the list implies the earlier ones. */
enum memory_use {
	MEMORY_UNUSED,
	MEMORY_PRESENT,		/* asked whether they are there */
	MEMORY_REFUSED,		/* a scan looked at the word, which is no address of code */
	MEMORY_READ,		/* an answer rests on them */
};

/** Who is told of all uses of a view's memory: the first member of a structure of its own. */
struct memory_log {
	void (*note)(struct memory_log *log, uint64_t address, uint64_t size,
		     enum memory_use use);
};

struct memory_view {
	const struct crash *crash;
	const struct input *input;
	bool big_endian;
	const struct memory_run *runs;	/* by base */
	size_t count;
	const struct memory_run *stack;	/* the run with the thread's stack; NULL: none */
	struct memory_log *log;		/* told of all uses; NULL: none is */
};

/** What a thread's view has, beside the thread's stack. */
struct memory_scope {
	bool stack_only;	/* nothing, nor a stack above LIMIT_STACK_REGION (Breakpad) */
	bool by_descriptor;	/* the stack is what the descriptor says, wherever sp points */
};

/**
 * The view of thread `thread` of a crash. The runs live in `arena` or in the crash; an empty
 * view is what is left when out of memory.
 */
void
memory_view_thread(struct memory_view *view, const struct crash *crash, size_t thread,
		   struct memory_scope scope, struct arena *arena);

/** Put the memory of a finished crash into its runs, which all its views share. */
void
memory_index(struct crash *crash);

/** The view of all regions of a crash, no thread's in particular. */
void
memory_view_all(struct memory_view *view, const struct crash *crash, struct arena *arena);

/** The run that holds `address`, or NULL. */
const struct memory_run *
memory_run_of(const struct memory_view *view, uint64_t address);

/** The run that is the nearest to an address that none holds; NULL: there is none. */
const struct memory_run *
memory_nearest(const struct memory_view *view, uint64_t address);

/**
 * Read `size` (1 to 8) bytes at `address` as one value in the dump's byte order. False
 * where any of them is absent. `place` (may be NULL) gets the bytes' place in the dump.
 */
bool
memory_read(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place);

/** memory_read without a word to the log; the caller notes what it made of the value. */
bool
memory_peek(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place);

/** Tell the view's log, if there is one, of a use of bytes that were found through a run. */
void
memory_note(const struct memory_view *view, uint64_t address, uint64_t size, enum memory_use use);

#endif
