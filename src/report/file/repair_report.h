/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_REPAIR_REPORT_H
#define REPORT_FILE_REPAIR_REPORT_H

#include "document/facts.h"
#include "repair/repair.h"
#include "walk/walk.h"

/** The changes of a repair with their reasons, and the patch that makes them. */

/** A thread whose frames differ with the repaired records. */
struct repair_stack {
	const char *dump;
	size_t thread;
	const char *const *before, *const *after;	/* function names of the frames */
	size_t before_count, after_count;
	size_t first;			/* first frame that differs */
};

struct repair_report {
	const struct repair *repair;
	const char *binary;		/* path of the file that the records were compared with */
	struct arena arena;
	struct repair_stack *stacks;
	size_t stack_count, stack_capacity;
	size_t threads;			/* number of threads walked both ways */
};

/**
 * Complete `before` (the walk with the unrepaired file), walk its thread with the repaired file,
 * and note the thread if the frames differ. `dump` is the crash's path. False when out of memory.
 */
bool
repair_report_walk(struct repair_report *report, const char *dump, struct walk *before);

/** Write the changes and their reasons, the records left alone, and the stacks that change. */
void
repair_report_text(const struct repair_report *report, const struct output *output);

/** Write the report and a unified diff for `patch -p1`; `name` is the title of the patch. */
void
repair_report_patch(struct repair_report *report, const char *name,
		    const struct output *output);

FACTS_DECLARE(repair_report, const struct repair_report *report);

#endif
