/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_PROGRESS_H
#define LESSON_PROGRESS_H

#include "lesson/lesson_run.h"

/**
 * A learner's progress: a file to which lines are only appended, so that several programs may write
 * at once without loss.
 *
 *	LESSON TASK passed tries=3 hints=1 DIGEST
 *	LESSON * reset
 *	* * reset
 *
 * The digest identifies the version of the lesson that was passed. Unknown lines are ignored.
 */
struct progress_line {
	const char *lesson, *task;	/* "*": all */
	bool passed;			/* else reset */
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

/** Read the file; a missing one is empty. Free the arena in any case. */
enum error_code
progress_read(struct progress *progress, const char *path, struct error *error);

/** The last success at a task; NULL: none, or none since a reset. */
const struct progress_line *
progress_of(const struct progress *progress, const char *lesson, const char *task);

/** Record that the current task was passed. */
enum error_code
progress_add(const char *path, const struct lesson_run *run, struct error *error);

/** Record that a lesson starts over ("*": all lessons). */
enum error_code
progress_reset(const char *path, const char *lesson, struct error *error);

#endif
