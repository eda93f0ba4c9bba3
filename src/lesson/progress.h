/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_PROGRESS_H
#define LESSON_PROGRESS_H

#include "lesson/lesson_run.h"

/**
 * A learner's progress: a file to which lines are only appended, so that several programs may write
 * at once without loss.
 *
 *	LESSON TASK answer DIGEST TEXT
 *	LESSON TASK hint DIGEST
 *	LESSON TASK passed tries=3 hints=1 DIGEST
 *	LESSON * reset
 *	* * reset
 *
 * The digest identifies the version of the lesson. Unknown lines are ignored.
 */
enum progress_kind { PROGRESS_ANSWER, PROGRESS_HINT, PROGRESS_PASSED, PROGRESS_RESET };

struct progress_line {
	enum progress_kind kind;
	const char *lesson, *task;	/* "*": all */
	const char *answer; /* the learner's text; only for PROGRESS_ANSWER */
	unsigned tries, hints;
	uint64_t digest;
};

struct progress {
	struct arena arena;
	struct progress_line *lines;
	size_t count, capacity;
};

/** `$XDG_STATE_HOME/unspool/lessons`, in `arena`; NULL: the environment names no directory. */
const char *
progress_path(struct arena *arena);

/** Read the file; a missing file is empty. Free the arena in any case. */
enum error_code
progress_read(struct progress *progress, const char *path, struct error *error);

/** The last success at a task; NULL: none, or none since a reset. */
const struct progress_line *
progress_of(const struct progress *progress, const char *lesson, const char *task);

/** Progress to show after a lesson's title: "  (passed)", "  (2 of 5)" or "", in `arena`. */
const char *
progress_summary(const struct progress *progress, const struct lesson *lesson, struct arena *arena);

/** Record the last answer or hint of a run; `passed`: the current task was passed. */
enum error_code
progress_add(const char *path, const struct lesson_run *run, bool passed, struct error *error);

/**
 * Restore the answers, hints and passed tasks of earlier runs of this version of the lesson from
 * the file at `path`. The run continues after the task that precedes the first open task. If all
 * tasks are passed, it begins at the first card. An unreadable file restores nothing.
 */
void
progress_resume(const char *path, struct lesson_run *run);

/** Record that a lesson starts over ("*": all lessons). */
enum error_code
progress_reset(const char *path, const char *lesson, struct error *error);

#endif
