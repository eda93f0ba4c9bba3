/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_FOLD_H
#define WALK_FOLD_H

#include "walk/walk.h"

/**
 * What a stack says more than once: cycles of frames, and threads with the same calls.
 *
 * Two frames are the same to a cycle where they are in the same function with the same inlined
 * calls; without a function, where they have the same address. The context frame is never
 * folded: it is what crashed. Finding costs a step for each frame and length of a cycle.
 */
#define FOLD_CYCLE_MAX 64u	/* frames of the longest cycle that is looked for */
#define FOLD_LEAST_TIMES 3u
#define FOLD_LEAST_FRAMES 8u	/* of a whole run: folding less would hide more than it saves */

/** A cycle of `length` frames that stands `times` times from frame `first` on. */
struct fold_run {
	size_t first, length, times;
	uint32_t trusts[TRUST_COUNT];	/* frames of each trust */
};

struct fold_frame {
	uint64_t key;			/* what makes it the same as others */
	uint16_t calls;			/* inlined ones included; at least 1 */
	uint16_t marks;			/* of the caller; 0 at first */
};

/** A call on the path of a thread: its function, and the line or address in it. */
struct fold_call {
	uint64_t function, place;
};

/** What is known of a walk's frames so far. Begin with all members 0. */
struct fold {
	struct arena arena;
	struct fold_frame *frames;
	size_t count, capacity;
	struct fold_run *runs;		/* by first frame, without overlap */
	size_t run_count, run_capacity;
	size_t settled, settled_runs;	/* frames, and their runs, that stay when the walk grows */
	/*
	 * All calls, inlined ones too, from the innermost one up. Of functions that come again and
	 * again only the first turn is here, however many there are.
	 */
	struct fold_call *path;
	size_t path_count, path_capacity;
	uint64_t hash;			/* of it, of a walk that is complete; else 0 */
};

/**
 * Look at the frames that a walk has got since the last call. A walk only grows; for another one
 * the fold is freed first. False when out of memory: what is known then is right, but not all.
 */
bool
fold_update(struct fold *fold, const struct walk *walk);

/** Free what a fold owns, and make it empty. */
void
fold_free(struct fold *fold);

/** The run that holds a frame, or NULL. */
const struct fold_run *
fold_run_of(const struct fold *fold, size_t frame);

/** How many frames a run has. */
size_t
fold_run_frames(const struct fold_run *run);

/** A thread among others. */
struct fold_thread {
	const struct walk *walk;	/* NULL: not walked, and like no other */
	const struct fold *fold;	/* of the walk */
	uint64_t state;			/* threads in other states are others */
	size_t leader;			/* filled: the first thread with its calls, or itself */
};

/**
 * Find the threads with the same calls: the same functions at the same lines (where they are not
 * known: addresses), found in the same ways, however deep their recursions are and whatever is
 * inlined. A walk that is not complete or has no frames is like no other. `arena` is for the work;
 * when out of memory every thread leads itself.
 */
void
fold_threads(struct fold_thread *threads, size_t count, struct arena *arena);

#endif
