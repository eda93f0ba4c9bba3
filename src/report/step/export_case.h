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
 *	DIR/symbols/		for those modules the MODULE line, the names of both functions and
 *				the records that were used, with what-if edits applied
 *	DIR/README.md		the purpose, the expected result and the contents of the case
 *
 * In a redacted crash, words that scans refused are 0, because they may hold data of the program.
 *
 * The frame is frame 0 of the case, at the address used to look up its rules. The case is walked
 * again before it is reported as complete.
 */
struct case_export {
	bool over;			/* overwrite an existing case, as the user requested */
	struct new_files *made;		/* receives the new files; may be NULL */
	bool same;			/* the case gives the same caller */
	char found[200];		/* the case's result in words, if it differs */
	size_t words;
	size_t records;			/* number of lines of symbol files */
};

/**
 * Write the step from frame `frame` to its caller into a new directory. With `over`, the files of
 * an existing case are overwritten; any other existing directory is refused. On failure, all new
 * files are removed.
 */
enum error_code
case_export(struct walk *walk, size_t frame, const char *directory, struct case_export *result,
	    struct error *error);

#endif
