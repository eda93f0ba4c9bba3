/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_LINT_REPORT_H
#define REPORT_FILE_LINT_REPORT_H

#include "base/policy.h"
#include "lint/lint.h"
#include "document/facts.h"

/**
 * Findings of lint as people, scripts and code scanners want them.
 *
 * Functions are named as the policy shows them; for programs the name of the file stands beside it.
 * Lines and columns are those of the file as it is.
 */

/**
 * Each finding as `FILE:LINE:COLUMN: SEVERITY: TEXT [CODE]` with its line and a caret, the first
 * of a code with what it does to a walk, what other walkers do and a hint; `brief`: a line each.
 * Then a line with the counts.
 */
void
lint_report_text(const struct lint *lint, const char *path, bool brief,
		 const struct policy *policy, const struct output *output);

/** The part of a line around a place in it, and marks below it. */
void
lint_write_line(const struct output *output, struct text line, struct place place);

/** A file's findings as an object. */
FACTS_DECLARE(lint_report, const struct lint *lint, const char *path,
	      const struct policy *policy);

/** What several files have together. */
struct lint_totals {
	size_t files, clean, unreadable;	/* unreadable: or not symbol files */
	size_t counts[LINT_CODE_COUNT], files_with[LINT_CODE_COUNT];
	size_t left_out;		/* accepted, or in the baseline */
	uint64_t lines;
	bool partial;			/* findings were counted, but not listed */
};

/** Count one more file with its findings. */
void
lint_totals_add(struct lint_totals *totals, const struct lint *lint);

/** The totals in a line, and a table of findings, files and code. */
void
lint_report_totals(const struct lint_totals *totals, const struct output *output);

/** Begin a SARIF 2.1.0 log: the tool with all its rules. Results follow. */
void
lint_report_sarif_begin(struct json *json, const char *version);

/** A file's findings as results; `compared`: those of a baseline are left out. */
void
lint_report_sarif(const struct lint *lint, const char *path, bool compared,
		  const struct policy *policy, struct json *json);

/** End it: the run in `directory`, an absolute path, and its exit status. */
void
lint_report_sarif_end(struct json *json, const struct lint_totals *totals, const char *directory,
		      int status);

/** What a code means, in full. */
void
lint_report_code(enum lint_code code, const struct output *output);

/** Findings of at least a severity. */
size_t
lint_report_count(const struct lint *lint, enum lint_severity least);

#endif
