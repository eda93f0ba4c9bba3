/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_LESSON_H
#define CMD_LESSON_H

#include "cmd/cmd.h"
#include "lesson/course.h"
#include "lesson/lesson_run.h"

/** Common parts of `unspool lesson`: opening lessons and their crashes, and marks. */
struct lesson_options {
	struct cmd_options common;
	bool text, lint, list, progress, reset, grade, csv, seal, html;
	bool student, teacher;		/* intended reader of --html */
	bool whole;			/* --new makes tasks for the whole stack */
	bool exam;			/* one try for each task, no hints, no replies */
	const char *answers;		/* file to replay; NULL: read standard input */
	const char *hand_in;		/* file to write; NULL: none */
	const char *course;		/* directory of a course; NULL: the installed one */
	const char *make;		/* directory for a new lesson; NULL: none */
	const char *from;		/* dump of the new lesson */
};

struct open_lesson {
	struct lesson lesson;
	struct cmd_options *options;
	struct cmd_input input;
	struct lesson_scene scene;
};

/** Open the course in a directory; NULL: the installed one. False after a message. */
bool
cmd_course_open(struct course *course, const char *directory);

/** Read a lesson and open its crash; prints errors. Close it in any case. */
enum cmd_status
cmd_lesson_open(struct open_lesson *open, const char *directory);

void
cmd_lesson_close(struct open_lesson *open);

/** Run a lesson in plain text: read answers, or replay those of --answers. */
enum cmd_status
cmd_lesson_text(const struct lesson_options *own, struct open_lesson *open);

struct answers;
struct lesson_findings;

/**
 * The options of a command that opens a lesson's crash. If `explores` is the lesson's directory,
 * the command is the explorer. NULL after a message.
 */
struct cmd_options *
cmd_lesson_options(const struct lesson *lesson, const char *explores);

/**
 * Make the rows of all views of the explorer at each card, in `arena`. `options` open the lesson in
 * the explorer. Tasks with an answer in `given` (or NULL) are passed with this answer. Failed
 * commands become findings. If `shows` is true, the commands of the cards' `shows` run, too.
 */
enum cmd_status
cmd_lesson_rows(struct cmd_options *options, const struct lesson *lesson,
	const struct answers *given, bool shows, struct arena *arena, const char ***rows,
	struct lesson_findings *findings);

/** Write a course as pages of HTML into the new directory `path`. */
enum cmd_status
cmd_lesson_site(const struct course *course, const char *path, enum lesson_reader reader);

/** Print the progress, or the marks of the files in the arguments. */
enum cmd_status
cmd_lesson_progress(const struct lesson_options *own, const struct course *course);

enum cmd_status
cmd_lesson_grade(const struct lesson_options *own, const struct course *course);

/** The document of --json. */
extern const struct fact lesson_marks_facts[];

#endif
