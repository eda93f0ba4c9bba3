/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_EXPORT_CASE_H
#define REPORT_STEP_EXPORT_CASE_H

#include "base/error.h"
#include "walk/walk.h"

struct new_files;

/**
 * One step of the unwinder as a minimal reproduction, for a report to the makers of the symbols.
 *
 *	DIR/crash.dmp		the frame's registers as a thread's context, the words of memory
 *				that the step read, and the modules of the frame and its caller
 *	DIR/symbols/		of those modules the MODULE line, the names of both functions and
 *				the records that were used; what-if edits of them are as they were
 *				made
 *	DIR/README.md		what this is, what it must give, and what is in it
 *
 * Of a redacted crash words that scans refused are 0: they have whatever the program kept there.
 *
 * The frame stands as frame 0 of the case, at the address that its rules were looked up by. The
 * case is walked once more before it is said to be one.
 */
struct case_export {
	bool same;			/* the case gives the same caller */
	char found[200];		/* what it gives else, in words */
	size_t words;			/* of memory */
	size_t records;			/* lines of symbol files */
};

/**
 * Write the step from frame `frame` to its caller into a new directory. With `over` the files of a
 * case that the directory has are overwritten; another directory is refused. Where that fails, all
 * that was made is removed again; else `made` (NULL: not asked for) gets it.
 */
enum error_code
case_export(struct walk *walk, size_t frame, const char *directory, bool over,
	    struct new_files *made, struct case_export *result, struct error *error);

#endif
