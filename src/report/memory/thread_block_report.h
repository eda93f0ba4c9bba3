/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_THREAD_BLOCK_REPORT_H
#define REPORT_MEMORY_THREAD_BLOCK_REPORT_H

#include "document/facts.h"
#include "inspect/seh_chain.h"
#include "inspect/thread_block.h"
#include "report/lines.h"

/**
 * What Windows keeps of a thread and its process, for people and as JSON: the thread's block, on
 * 32 bits with the chain of exception handlers, the process's block and its parameters.
 */
struct thread_report {
	struct surroundings *around;
	size_t thread;
	const struct walk *walk;	/* of the thread, whose frames hold the handlers; or NULL */
	struct thread_block block;
	struct seh_chain chain;
	bool has_chain;
	struct arena *arena;
	struct lines lines;
};

/** Read what there is; all is borrowed, and lives in `arena`. NULL when out of memory. */
struct thread_report *
thread_report_make(struct surroundings *around, size_t thread, const struct walk *walk,
		   struct arena *arena);

/** Its rows. */
struct listing
thread_report_listing(struct thread_report *report, size_t columns);

FACTS_DECLARE(thread_block, const struct thread_report *report);

#endif
