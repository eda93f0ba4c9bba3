/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_COURSE_H
#define LESSON_COURSE_H

#include "lesson/lesson.h"

/**
 * The lessons of a directory, in the order of its file `course`.
 *
 *	track NAME TITLE
 *	lesson DIRECTORY
 *
 * Lessons belong to the track before them. Empty lines and lines that begin with '#' are ignored.
 */
struct course_track {
	const char *name, *title;
};

struct course_lesson {
	const char *name;		/* name of its directory */
	const char *directory;
	size_t track;
};

struct course {
	struct arena arena;
	struct input input;
	struct course_track *tracks;
	size_t track_count, track_capacity;
	struct course_lesson *lessons;
	size_t lesson_count, lesson_capacity;
};

/** Read DIRECTORY/course. Free the arena in any case; the error's place is valid until then. */
enum error_code
course_read(struct course *course, const char *directory, struct error *error);

/** Read the course installed with the program; ERROR_NOT_FOUND: there is none. */
enum error_code
course_read_installed(struct course *course, struct error *error);

/**
 * Find a lesson by its number in the course (from 1), its directory name or a unique part of the
 * name. A track's name finds the track's first lesson. NULL: no match, or several (ERROR_FORMAT).
 */
const struct course_lesson *
course_find(const struct course *course, const char *word, struct error *error);

#endif
