/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_LINT_REPORT_H
#define REPORT_FILE_LINT_REPORT_H

#include "base/policy.h"
#include "lint/lint.h"
#include "document/facts.h"

/**
 * Findings of lint for people, scripts and code scanners.
 *
 * The policy decides how names of functions are shown; JSON also has the name in the file. Lines
 * and columns refer to the unmodified file.
 */

/**
 * Write findings as `FILE:LINE:COLUMN: SEVERITY: TEXT [CODE]` with line and caret. The first
 * finding of a code is followed by its effect on a walk, the behaviour of other walkers, and a
 * hint. `brief`: only one line for each finding. The last line has the counts.
 */
void
lint_report_text(const struct lint *lint, const char *path, bool brief,
		 const struct policy *policy, const struct output *output);

/** Write a workflow command of GitHub for a finding; a place in a binary has no line. */
void
lint_write_github(const struct output *output, const char *severity, const char *path,
		  struct place place, const char *code, const char *text);

/**
 * Write each finding as a workflow command. GitHub shows the finding at its line of the file
 * (GitHub documentation, "Workflow commands").
 */
void
lint_report_github(const struct lint *lint, const char *path, const struct output *output);

/**
 * Write a file's findings as a JUnit test suite. The caller writes the element testsuites around
 * it. Findings of severity `least` or higher are failures; other findings pass and keep their text.
 * A file without findings is one test that passes.
 */
void
lint_report_junit(const struct lint *lint, const char *path, enum lint_severity least,
		  const struct output *output);

/** Write the first line of a finding; `at` is its place as text. */
void
lint_write_head(const struct output *output, const struct lint_finding *finding, const char *at);

/** Write the part of a line around a place in it, with marks under the place. */
void
lint_write_line(const struct output *output, struct text line, struct place place);

/** A file's findings as an object. */
FACTS_DECLARE(lint_report, const struct lint *lint, const char *path,
	      const struct policy *policy);

struct lint_totals {
	size_t files, clean, unreadable;	/* `unreadable` includes files of other kinds */
	size_t counts[LINT_CODE_COUNT], files_with[LINT_CODE_COUNT];
	size_t left_out;		/* findings accepted by the user or in the baseline */
	uint64_t lines;
	bool partial;			/* some findings were counted, but not listed */
};

/** Count one more file with its findings. */
void
lint_totals_add(struct lint_totals *totals, const struct lint *lint);

/** Write the totals in a line, and a table of findings, files and code. */
void
lint_report_totals(const struct lint_totals *totals, const struct output *output);

/** Begin a SARIF 2.1.0 log: the tool with all its rules. Results follow, then sarif_end(). */
void
lint_report_sarif_begin(struct json *json, const char *version);

/** Write a file's findings as results; `compared`: each has baselineState "new". */
void
lint_report_sarif(const struct lint *lint, const char *path, bool compared,
		  const struct policy *policy, struct json *json);

/** Write the full meaning of a code. */
void
lint_report_code(enum lint_code code, const struct output *output);

/** The number of findings of at least a severity. */
size_t
lint_report_count(const struct lint *lint, enum lint_severity least);

#endif
