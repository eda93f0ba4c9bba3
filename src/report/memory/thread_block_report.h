/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_THREAD_BLOCK_REPORT_H
#define REPORT_MEMORY_THREAD_BLOCK_REPORT_H

#include "document/facts.h"
#include "inspect/thread_block.h"
#include "report/lines.h"

/**
 * The records of Windows about a thread and its process, as text and as JSON: the thread's block
 * (on 32 bits with the chain of exception handlers), the process's block and its parameters.
 */
struct thread_report {
	struct surroundings *around;
	size_t thread;
	/* Walk of the thread, for the frames of handlers; or NULL */
	const struct walk *walk;
	struct thread_block block;
	struct seh_chain chain;
	bool has_chain;
	struct arena *arena;
	struct lines lines;
};

/** Read the blocks in the dump; borrows everything, lives in `arena`. NULL when out of memory. */
struct thread_report *
thread_report_make(struct surroundings *around, size_t thread, const struct walk *walk,
		   struct arena *arena);

struct listing
thread_report_listing(struct thread_report *report, size_t columns);

FACTS_DECLARE(thread_block, const struct thread_report *report);

#endif
