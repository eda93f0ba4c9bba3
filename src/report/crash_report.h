/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CRASH_REPORT_H
#define REPORT_CRASH_REPORT_H

#include "analysis/analysis.h"
#include "document/page.h"
#include "inspect/surroundings.h"
#include "locate/source_file.h"

/**
 * A crash for a reader without the dump and without this program: what happened, in which files,
 * the thread with its source, registers, code and stack words, and what the other threads did.
 */
struct crash_report {
	/* Crash, symbols and walks; only the walk of `thread` must exist */
	struct surroundings *around;
	const struct analysis *analysis;
	const struct source_options *source;
	size_t thread;			/* index in crash->threads */
	const char *shown_at;		/* argument of the explorer's --at; NULL: none */
	bool edited;			/* walks have what-if edits, which the report names */
};

/** Write the report. It depends only on its input and the version of the program. */
void
crash_report_write(const struct crash_report *report, enum page_form form,
		   const struct output *output);

#endif
