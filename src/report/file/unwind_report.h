/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_UNWIND_REPORT_H
#define REPORT_FILE_UNWIND_REPORT_H

#include "base/policy.h"
#include "document/facts.h"
#include "unwind_check/code_check.h"
#include "unwind_check/findings.h"
#include "unwind_check/harmless.h"
#include "walk/walk.h"

/**
 * Differences between the sources of a module's unwind rules, for people, scripts and code
 * scanners.
 */
struct unwind_report {
	const char *path;		/* path of the module, as given */
	const struct rule_module *module;
	struct unwind_source *sources;
	size_t source_count;
	/* Reason why the symbol file does not belong to the module (symbol_fit.h); NULL: it does */
	const char *misfit;
	struct unwind_totals totals;
	/* crash of the module, to skip padding in its code; NULL: padding is compared, too */
	const struct crash *whose;
	struct unwind_harmless *harmless;	/* code of `whose`, while the report is made */
	const struct crash *crash;	/* crash whose code is compared too; NULL: none */
	struct unwind_code_totals code[UNWIND_SOURCES];	/* the code's verdicts on each source */
	struct unwind_findings findings;
	const struct lint_baseline *baseline;	/* findings to leave out; NULL: none */
	size_t known;			/* number of findings left out */
	/* Lint findings about the records of the compared addresses; or NULL */
	const struct lint *lint;
	const struct policy *policy;	/* policy for the names of functions */
	uint64_t first, last;		/* addresses to compare; `last` 0: all */
	/* Receives the progress; may be NULL */
	bool (*progress)(void *watcher, uint64_t done, uint64_t total);
	void *watcher;
	/* Returns true to stop the comparison; the report then says so. May be NULL */
	bool (*stop)(void);
};

/** Compare the sources, and set totals and findings. The caller sets the other members. */
void
unwind_report_make(struct unwind_report *report);

/** Limit of frames whose functions are compared: deeper stacks are recursions. */
#define UNWIND_REPORT_FRAMES 64u

/**
 * Compare the sources of each function of a walk's frames, and lint its records. `tell` receives
 * each report with a finding. A report is about one function, or about one module whose symbol file
 * does not match. The modules' own files are opened if needed, but symbol files are used only if
 * they are already loaded. Returns the number of functions compared.
 */
size_t
unwind_report_frames(struct walk *walk,
		     void (*tell)(void *context, const struct unwind_report *report),
		     void *context);

/** Add a message for each finding to `context`, a struct message_list. */
void
unwind_report_messages(void *context, const struct unwind_report *report);

struct unwind_report_style {
	bool brief;			/* print one line for each place */
	bool all;			/* show all places of each finding */
	bool no_counts;			/* leave out the line with the counts */
};

/** Write each finding in lint's layout, then a line with the counts. */
void
unwind_report_text(const struct unwind_report *report, const struct unwind_report_style *style,
		   const struct output *output);

/** Write the meaning of a code such as "rule-differs" (NULL: of all codes). False: unknown name. */
bool
unwind_report_code(const char *name, const struct output *output);

/** Write the first place of each finding, or all places, as lint_report_github does. */
void
unwind_report_github(const struct unwind_report *report, bool all, const struct output *output);

FACTS_DECLARE(unwind_report, const struct unwind_report *report);

/** A SARIF 2.1.0 log: begin it, add the findings of modules, end it with sarif_end. */
void
unwind_report_sarif_begin(struct json *json, const char *version);

void
unwind_report_sarif(const struct unwind_report *report, struct json *json);

#endif
