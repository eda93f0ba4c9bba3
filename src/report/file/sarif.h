/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_SARIF_H
#define REPORT_FILE_SARIF_H

#include "base/place.h"
#include "base/policy.h"
#include "base/text.h"
#include "document/json.h"

/**
 * The common parts of logs for code scanners (OASIS, SARIF 2.1.0): a run of one tool, its rules,
 * places of findings in symbol files, and the outcome of the run.
 */

/** Begin a log. The rules follow. */
void
sarif_begin(struct json *json, const char *tool, const char *version);

/** Write a rule; `level` is "note", "warning" or "error". */
void
sarif_rule(struct json *json, const char *name, const char *wrong, const char *help,
	   const char *level);

/** End the rules: results follow. */
void
sarif_results(struct json *json);

/** Begin a result: name and number of its rule, level and message. The object stays open. */
void
sarif_result(struct json *json, const char *name, size_t number, const char *level,
	     const char *text);

/**
 * Write the location of a place in the file at `path`: its line (bytes if it has no line), and its
 * function if the name is not empty.
 */
void
sarif_location(struct json *json, const char *path, struct text line, struct place place,
	       struct text function, const struct policy *policy);

/** Write the fingerprint that identifies a result in later runs. */
void
sarif_fingerprint(struct json *json, uint64_t fingerprint);

/** End the log with the directory of the run (an absolute path) and the exit status. */
void
sarif_end(struct json *json, bool successful, const char *directory, int status, bool complete);

#endif
