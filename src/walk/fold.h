/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_FOLD_H
#define WALK_FOLD_H

#include "walk/walk.h"

/**
 * Repetitions on stacks: cycles of frames, and threads with the same calls.
 *
 * For a cycle, two frames are equal if they are in the same function with the same inlined calls;
 * without a function, if they have the same address. The context frame is never folded, because it
 * crashed. A search takes one step for each frame and length of a cycle.
 */
#define FOLD_CYCLE_MAX 64u	/* frames of the longest cycle searched for */
#define FOLD_LEAST_TIMES 3u
#define FOLD_LEAST_FRAMES 8u	/* fewest frames of a run: a shorter one is not worth folding */

/** A cycle of `length` frames that repeats `times` times from frame `first` on. */
struct fold_run {
	size_t first, length, times;
	uint32_t trusts[TRUST_COUNT];	/* number of frames of each trust */
};

struct fold_frame {
	uint64_t key;			/* equal for equal frames */
	uint16_t calls;			/* calls of the frame, with inlined ones; at least 1 */
	uint16_t marks;			/* marks for use by views; 0 at first */
};

/** A call on a thread's path: its function, and its line or address. */
struct fold_call {
	uint64_t function, place;
};

/** The folds of a walk's frames so far. Begin with all members 0. */
struct fold {
	struct arena arena;
	struct fold_frame *frames;
	size_t count, capacity;
	struct fold_run *runs;		/* sorted by first frame, disjoint */
	size_t run_count, run_capacity;
	/* Numbers of frames and runs that further frames cannot change */
	size_t settled, settled_runs;
	/*
	 * all calls, with inlined ones, from the innermost outwards; if a sequence of functions
	 * repeats, only its first turn is kept
	 */
	struct fold_call *path;
	size_t path_count, path_capacity;
	uint64_t hash;			/* hash of the path of a complete walk; else 0 */
};

/**
 * Process the frames that a walk has got since the last call. A walk only grows; free the fold
 * before using it for another walk. False when out of memory: results are right, but incomplete.
 */
bool
fold_update(struct fold *fold, const struct walk *walk);

/** Free the memory of a fold, and make it empty. */
void
fold_free(struct fold *fold);

/** The run that contains a frame, or NULL. */
const struct fold_run *
fold_run_of(const struct fold *fold, size_t frame);

size_t
fold_run_frames(const struct fold_run *run);

struct fold_thread {
	const struct walk *walk;	/* NULL: not walked, so not grouped */
	const struct fold *fold;
	uint64_t state;			/* threads in other states are not grouped */
	size_t leader;			/* result: the first thread with its calls, or itself */
};

/**
 * Group threads with the same calls: the same functions at the same lines (or addresses, if lines
 * are unknown), found in the same ways. Depths of recursion and inlined calls may differ. A walk
 * that is incomplete or has no frames is not grouped. `arena` is for temporary data; when out of
 * memory every thread is its own leader.
 */
void
fold_threads(struct fold_thread *threads, size_t count, struct arena *arena);

#endif
