/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_PROGRESS_H
#define LESSON_PROGRESS_H

#include "lesson/lesson_run.h"

/**
 * What a learner has passed: a file to which lines are only added, so that several programs may
 * write at once and nothing is lost.
 *
 *	LESSON TASK passed tries=3 hints=1 DIGEST
 *	LESSON * reset
 *	* * reset
 *
 * The digest is the lesson's: another one means that another version was passed. Lines that are
 * not understood are left alone.
 */
struct progress_line {
	const char *lesson, *task;	/* "*": all of them */
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

/** Read the file; one that is not there is empty. progress_free is due in any case. */
enum error_code
progress_read(struct progress *progress, const char *path, struct error *error);

void
progress_free(struct progress *progress);

/** How a task was passed last; NULL: not, or that was reset. */
const struct progress_line *
progress_of(const struct progress *progress, const char *lesson, const char *task);

/** Add that the task at hand was passed. */
enum error_code
progress_add(const char *path, const struct lesson_run *run, struct error *error);

/** Add that a lesson begins anew ("*": all of them). */
enum error_code
progress_reset(const char *path, const char *lesson, struct error *error);

#endif
