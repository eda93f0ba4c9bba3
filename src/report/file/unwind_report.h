/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_UNWIND_REPORT_H
#define REPORT_FILE_UNWIND_REPORT_H

#include "base/policy.h"
#include "document/facts.h"
#include "unwind_check/code_check.h"
#include "unwind_check/findings.h"
#include "unwind_check/padding.h"
#include "walk/walk.h"

/**
 * What the sources of a module's unwind rules disagree about, for people, scripts and code
 * scanners.
 */
struct unwind_report {
	const char *path;		/* of the module, as it was given */
	const struct rule_module *module;
	struct unwind_source *sources;
	size_t source_count;
	/* Why the symbol file is not of the module (symbol_fit.h); or NULL */
	const char *misfit;
	struct unwind_totals totals;
	/* Whose module it is: what only fills its code is not compared; NULL: it is */
	const struct crash *whose;
	struct unwind_padding *padding;	/* for that; while the report is made */
	const struct crash *crash;	/* whose code is asked as well; NULL: it is not */
	struct unwind_code_totals code[UNWIND_SOURCES];	/* what it says of each source's rows */
	struct unwind_findings findings;
	/* What lint finds in the records of these addresses; or NULL */
	const struct lint *lint;
	const struct policy *policy;	/* of names */
	uint64_t first, last;		/* addresses to compare; `last` 0: all */
	void (*progress)(void *watcher, size_t done, size_t total);	/* NULL: nothing is told */
	void *watcher;
	/* True ends the comparison, of which the report says so; NULL */
	bool (*stop)(void);
};

/** Compare the sources of a report that has everything but totals and findings. */
void
unwind_report_make(struct unwind_report *report);

/** Frames of a walk whose functions are compared: a recursion repeats few. */
#define UNWIND_REPORT_FRAMES 64u

/**
 * Compare the sources of each function that the frames of a walk stand in, and lint its records;
 * `tell` gets each report, which is made, has one function or one module that does not fit, and
 * in which anything was found. The modules' own files are opened if need be; of symbol files
 * those that are loaded count. Returns how many functions were compared.
 */
size_t
unwind_report_frames(struct walk *walk,
		     void (*tell)(void *context, const struct unwind_report *report),
		     void *context);

/** Add a message for each finding of unwind_report_frames. */
void
unwind_report_walk(struct walk *walk, struct message_list *messages);

/** How findings are listed. */
struct unwind_report_style {
	bool brief;			/* a line for each place */
	bool all;			/* every place, not the first ones */
	bool no_counts;			/* no line with the counts */
};

/** Each finding as lint writes its own, then a line with the counts. */
void
unwind_report_text(const struct unwind_report *report, const struct unwind_report_style *style,
		   const struct output *output);

FACTS_DECLARE(unwind_report, const struct unwind_report *report);

/** A SARIF 2.1.0 log: begin it, add the findings of modules, end it with sarif_end. */
void
unwind_report_sarif_begin(struct json *json, const char *version);

void
unwind_report_sarif(const struct unwind_report *report, struct json *json);

#endif
