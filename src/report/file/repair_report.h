/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_REPAIR_REPORT_H
#define REPORT_FILE_REPAIR_REPORT_H

#include "document/facts.h"
#include "repair/repair.h"
#include "walk/walk.h"

/**
 * What a repair changes and why, and the patch that does so.
 */

/** A thread whose frames are others with the repaired records. */
struct repair_stack {
	const char *dump;
	size_t thread;
	const char *const *before, *const *after;	/* names of the frames */
	size_t before_count, after_count;
	size_t first;			/* frame that differs */
};

struct repair_report {
	const struct repair *repair;
	const char *binary;		/* path of what the records were compared with */
	struct arena arena;
	struct repair_stack *stacks;
	size_t stack_count, stack_capacity;
	size_t threads;			/* that were walked both ways */
};

/**
 * Walk a thread of a crash with the file as it is and as it would be, and note it if that
 * differs. `dump` is its path. False when out of memory.
 */
bool
repair_report_walk(struct repair_report *report, const char *dump, const struct crash *crash,
		   struct symbols *symbols, struct binaries *binaries, size_t thread,
		   const struct policy *policy);

/** What is changed and why, what is not, and how stacks change. */
void
repair_report_text(const struct repair_report *report, const struct output *output);

/** The report and a unified diff that `patch -p1` applies; `name` is what the patch is called. */
void
repair_report_patch(struct repair_report *report, const char *name,
		    const struct output *output);

FACTS_DECLARE(repair_report, const struct repair_report *report);

#endif
