/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_MEMORY_MARKS_H
#define INSPECT_MEMORY_MARKS_H

#include "crash/memory.h"
#include "inspect/recorded_step.h"

/** An address that is the stack or frame pointer of a frame. */
struct memory_pointer {
	uint64_t address;
	size_t frame;
};

/** Stack and frame pointers, sorted by address. */
struct memory_pointer_list {
	struct memory_pointer *items;
	size_t count;
};

/**
 * A cache of a walk's stack and frame pointers that point into one run of memory. Begin with all
 * members 0 except the arena, which must be initialised. Set `walk` to NULL before the walk is
 * freed.
 */
struct memory_pointers {
	struct arena arena;
	const struct walk *walk;
	size_t frames;
	uint64_t base, size;
	struct memory_pointer_list sp, fp;
};

/**
 * Marks on the words of a run of memory: stack and frame pointers of frames, and reads of the
 * current step. Each list is sorted by address.
 */
struct memory_read_mark {
	uint64_t address;
	uint32_t event;
	size_t token;		/* token number in the attempt; 0: not by a token */
};

struct memory_marks {
	const struct walk *walk;		/* NULL: none */
	const struct step_view *step;		/* NULL: none */
	const struct memory_run *run;
	struct memory_pointer_list sp, fp;
	struct memory_read_mark *reads;
	size_t read_count;
};

/*
 * Find the marks of a run; `walk`, `step` and `kept` may be NULL. When out of memory, marks are
 * missing.
 */
void
memory_marks_find(struct memory_marks *marks, const struct memory_run *run,
		  const struct walk *walk, const struct step_view *step,
		  struct memory_pointers *kept, struct arena *arena);

/* The frame whose range, from its sp to its caller's sp, contains an address; SIZE_MAX: none. */
size_t
memory_marks_owner(const struct memory_marks *marks, uint64_t address);

/* The innermost frame with this pointer; SIZE_MAX: none. */
size_t
memory_marks_youngest(const struct memory_pointer_list *pointers, uint64_t address);

/* The reads at an address; `*count` is their number. */
const struct memory_read_mark *
memory_marks_reads(const struct memory_marks *marks, uint64_t address, size_t *count);

#endif
