/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_ANSWERS_H
#define LESSON_ANSWERS_H

#include "base/output.h"
#include "lesson/lesson_run.h"

/**
 * A file of answers: what a learner hands in, and the `solution` and `wrong` of a lesson.
 *
 *	lesson NAME DIGEST
 *	answer TASK TEXT
 *	hint TASK
 *
 * Answers belong to the lesson before them. Empty lines and lines that begin with '#' say nothing.
 * A mark is never in such a file: answers are checked again (answers_replay).
 */
struct answers_line {
	const char *lesson;		/* "": the file names none */
	uint64_t digest;		/* of that lesson; 0: not said */
	const char *task;
	const char *answer;		/* NULL: a hint was taken */
	struct place place;
};

struct answers {
	struct arena arena;
	struct input input;
	struct answers_line *lines;
	size_t count, capacity;
};

/** Read a file. answers_free is due in any case; the error's place lives until then. */
enum error_code
answers_read(struct answers *answers, const char *path, struct error *error);

void
answers_free(struct answers *answers);

/** Write what was done in a run. */
void
answers_write(const struct output *output, const struct lesson_run *run);

/**
 * Hand the lines of `lesson` (NULL: all) to a run, and each reply to `tell` (may be NULL); a task
 * that the lesson does not have is told with a reply of CHECK_BROKEN.
 */
void
answers_replay(const struct answers *answers, const char *lesson, struct lesson_run *run,
	       void (*tell)(void *context, const struct answers_line *line,
			    const struct lesson_reply *reply),
	       void *context);

#endif
