/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_TEXT_H
#define REPORT_STACK_WALK_TEXT_H

#include "base/output.h"
#include "walk/walk.h"

/**
 * A crash and its walks in the two layouts of Breakpad's minidump_stackwalk.
 *
 * Both layouts number threads and frames as Breakpad does. A thread's number is its position, not
 * counting the thread that wrote the dump. The requesting thread is printed first.
 * Inlined calls are frames of their own. Source: google/breakpad src/processor/stackwalk_common.cc.
 */

/** The parts to print in addition to the frames, and their form. */
struct walk_text_options {
	bool machine;		/* fields separated by bars, no registers and no trust */
	bool breakpad;		/* print only Breakpad's output: no reason for the end */
	bool rust;		/* as rust-minidump: offsets from the call, not from its end */
	bool brief;		/* human: leave out the modules */
	bool backtrace;		/* human: only a line for each frame of the thread */
	bool stack;		/* human: add each frame's part of the stack */
	bool fold;		/* human: write a cycle once, with its number of turns */
	/*
	 * Flags of loaded modules. walk_text_thread sets the flags of modules with frames;
	 * walk_text_tail reports which of these lack good symbols.
	 */
	bool *walked;
	/* unspool's layout: modules whose debug files count as symbols; NULL: none */
	const struct binaries *binaries;
	size_t *named;		/* counts bytes of long names (location.h); NULL: no limit */
};

/** The threads of a crash in the order in which they are printed. */
struct walk_text_thread {
	size_t index;		/* index in crash->threads */
	size_t number;		/* number in Breakpad's count */
	bool requesting;
	const char *same;	/* numbers of all threads with its calls, "3, 5-60"; NULL: none */
	size_t same_count;
};

/**
 * List the threads to print in `*threads` (in `arena`), the requesting thread first.
 * Returns their number; 0 also when out of memory.
 */
size_t
walk_text_threads(const struct crash *crash, struct arena *arena,
		  struct walk_text_thread **threads);

/**
 * Keep one thread of each group with the same calls (fold.h), with the numbers of all its threads.
 * `walks` has a walk or NULL for each thread of the crash. Returns the number of kept threads.
 */
size_t
walk_text_threads_fold(const struct crash *crash, struct walk_text_thread *threads,
		       struct walk *const *walks, size_t count, struct arena *arena);

/** Write the part before the first thread: system, reason and, in machine form, the modules. */
void
walk_text_head(const struct output *output, const struct crash *crash,
	       const struct policy *policy, const struct walk_text_options *options);

/** Write one thread with all frames of its walk; reading names may parse more of its symbols. */
void
walk_text_thread(const struct output *output, struct walk *walk,
		 const struct walk_text_thread *thread, const struct walk_text_options *options);

/** Write the part after the last thread: in human form, the modules. */
void
walk_text_tail(const struct output *output, const struct crash *crash,
	       const struct symbols *symbols, const struct policy *policy,
	       const struct walk_text_options *options);

#endif
