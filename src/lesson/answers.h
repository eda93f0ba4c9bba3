/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_ANSWERS_H
#define LESSON_ANSWERS_H

#include "base/output.h"
#include "lesson/lesson_run.h"

/**
 * A file of answers: a learner's work, or the `solution` and `wrong` of a lesson.
 *
 *	student NAME
 *	lesson NAME DIGEST
 *	answer TASK TEXT
 *	hint TASK
 *
 * Answers belong to the lesson before them. Empty lines and lines that begin with '#' are ignored.
 * The file has no results, because answers are checked again (answers_replay).
 */
struct answers_line {
	const char *lesson;		/* "": the file names no lesson */
	uint64_t digest;		/* version of that lesson; 0: none */
	const char *task;
	const char *answer;		/* NULL: a hint was used */
	struct place place;
};

struct answers {
	struct arena arena;
	struct input input;
	const char *student;		/* NULL: the file names none */
	struct answers_line *lines;
	size_t count, capacity;
};

/** Read a file. Free the arena in any case; the error's place is valid until then. */
enum error_code
answers_read(struct answers *answers, const char *path, struct error *error);

/** The last answer to a task; "": none. */
const char *
answers_last(const struct answers *answers, const char *task);

/** Read the file `solution` of a lesson; no error if it has none. */
enum error_code
answers_read_solution(struct answers *answers, const struct lesson *lesson, struct error *error);

/** Write the answers and hints of a run. */
void
answers_write(const struct output *output, const struct lesson_run *run);

/**
 * Replay the lines of `lesson` (NULL: all) in a run, and pass each reply to `tell` (may be NULL);
 * the reply for an unknown task is CHECK_BROKEN.
 */
void
answers_replay(const struct answers *answers, const char *lesson, struct lesson_run *run,
	       void (*tell)(void *context, const struct answers_line *line,
			    const struct lesson_reply *reply),
	       void *context);

#endif
