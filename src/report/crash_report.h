/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_CRASH_REPORT_H
#define REPORT_CRASH_REPORT_H

#include "analysis/analysis.h"
#include "document/page.h"
#include "inspect/surroundings.h"
#include "locate/source_file.h"
#include "report/stack/walk_text.h"

/**
 * A crash report for readers who have neither the dump nor unspool. It has the crash, its files,
 * and the activity of all threads. For the crashed thread it also has source, registers, code and
 * stack words.
 */
struct crash_report {
	/* Crash, symbols and walks; only the walk of `thread` must exist */
	struct surroundings *around;
	const struct analysis *analysis;
	const struct source_options *source;
	size_t thread;			/* index in crash->threads */
	const char *shown_at;		/* argument of the explorer's --at; NULL: none */
	const struct listing *notes;	/* notes of the session; NULL or empty: none */
	bool edited;			/* walks have what-if edits, which the report names */
};

/** Write the report. It depends only on its input and the version of the program. */
void
crash_report_write(const struct crash_report *report, enum page_form form,
		   const struct output *output);

/* Parts of other documents about a crash ------------------------------------------------------- */

/** The title of a document about a crash: "SIGSEGV / SEGV_MAPERR in main"; NULL: out of memory. */
const char *
crash_report_title(const struct analysis *analysis, struct arena *arena);

/** Write the crash as a table. `walk` is the crashing thread's; NULL: none. */
void
crash_report_summary(struct page *page, const struct analysis *analysis, struct walk *walk);

/**
 * Write a thread's name, frames, trust and end. Reading names may parse more of its symbols.
 * `stack` is a listing of all frames and calls, or NULL. If it is set, frames have evidence, long
 * names are cut, and repeated frames are listed once. `*named` is the page's counter for
 * location_of_frame (walk/location.h).
 */
void
crash_report_thread(struct page *page, struct walk *walk, const struct walk_text_thread *thread,
		    const struct listing *stack, size_t *named);

/** Write the modules as a table, with the state of their symbols. */
void
crash_report_modules(struct page *page, const struct crash *crash, const struct symbols *symbols,
		     const struct binaries *binaries);

#endif
