/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_TEXT_H
#define REPORT_STACK_WALK_TEXT_H

#include "base/output.h"
#include "walk/walk.h"

/**
 * A crash and its walks in the two layouts of Breakpad's minidump_stackwalk.
 *
 * Both number threads and frames as Breakpad does: threads by position without the one
 * that wrote the dump, the requesting thread first; inlined calls are frames of their
 * own. Source: google/breakpad src/processor/stackwalk_common.cc.
 */

/** What is printed around the frames, and how. */
struct walk_text_options {
	bool machine;		/* fields between bars, without registers and trust */
	bool breakpad;		/* only what Breakpad would print: no reason for the end */
	bool rust;		/* as rust-minidump prints: offsets from the call, not behind it */
	bool brief;		/* human: no modules */
	bool backtrace;		/* human: a line for each frame of the thread and nothing else */
	bool stack;		/* human: each frame's part of the stack */
	bool fold;		/* human: the turns of a cycle once, with their number */
	/* An element for each loaded module: walk_text_thread notes the modules that frames lie
	 * in, walk_text_tail says which of them have no good symbols. */
	bool *walked;
	size_t *named;		/* counts bytes of long names (location.h); NULL: all are whole */
};

/** The threads of a crash in the order in which they are printed. */
struct walk_text_thread {
	size_t index;		/* in crash->threads */
	size_t number;		/* as Breakpad counts */
	bool requesting;
	const char *same;	/* all threads that have its calls, "3, 5-60"; NULL: it is alone */
	size_t same_count;
};

/**
 * List the threads to print in `*threads` (in `arena`), the requesting one first.
 * Returns how many there are; 0 also when out of memory.
 */
size_t
walk_text_threads(const struct crash *crash, struct arena *arena,
		  struct walk_text_thread **threads);

/**
 * Keep one of the threads with the same calls (fold.h), with the names of all. `walks` has one
 * for each thread of the crash, or NULL. Returns how many are kept.
 */
size_t
walk_text_fold(const struct crash *crash, struct walk_text_thread *threads,
	       struct walk *const *walks, size_t count, struct arena *arena);

/** What comes before the first thread: system, reason, in machine form the modules. */
void
walk_text_head(const struct output *output, const struct crash *crash,
	       const struct policy *policy, const struct walk_text_options *options);

/** One thread with all frames of its walk; its symbols may be asked for more. */
void
walk_text_thread(const struct output *output, struct walk *walk,
		 const struct walk_text_thread *thread, const struct walk_text_options *options);

/** All frames of a walk; walk_text_thread says more of the thread. */
void
walk_text_frames(const struct output *output, struct walk *walk, size_t thread,
		 const struct walk_text_options *options);

/** What comes behind the last thread: in human form the modules. */
void
walk_text_tail(const struct output *output, const struct crash *crash,
	       const struct symbols *symbols, const struct policy *policy,
	       const struct walk_text_options *options);

#endif
