/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "system/directory.h"
#include "system/file.h"

const char *
progress_path(struct arena *arena)
{
	return directory_of_user(arena, DIRECTORY_STATE, "unspool/lessons");
}

static void
read_line(struct progress *progress, struct text line)
{
	const struct text lesson = lesson_word(&line), task = lesson_word(&line);
	const struct text what = lesson_word(&line);
	const bool passed = text_equal(what, text_of("passed"));
	struct progress_line one = { .passed = passed };
	char rest[80];

	snprintf(rest, sizeof(rest), "%.*s", TEXT_UPTO(line, 79));
	if (passed ? sscanf(rest, " tries=%u hints=%u %" SCNx64, &one.tries, &one.hints,
			    &one.digest) != 3
		   : !text_equal(what, text_of("reset")))
		return;
	one.lesson = arena_copy(&progress->arena, lesson.start, lesson.length);
	one.task = arena_copy(&progress->arena, task.start, task.length);
	struct progress_line *kept = ARENA_PUSH(&progress->arena, progress->lines,
						progress->count, progress->capacity);
	if (kept != NULL && one.lesson != NULL && one.task != NULL)
		*kept = one;
	else if (kept != NULL)
		progress->count--;
}

enum error_code
progress_read(struct progress *progress, const char *path, struct error *error)
{
	struct file file;

	*progress = (struct progress){ 0 };
	if (access(path, F_OK) != 0)
		return ERROR_NONE;
	if (!file_is_plain(path))
		return error_set(error, ERROR_IO, (struct place){ 0 }, "not a regular file");
	enum error_code code = file_open_head(&file, path, LIMIT_LESSON_ANSWERS + 1, error);
	if (code != ERROR_NONE)
		return code;
	/* If the file is too large, its last lines are missing, and they decide about progress. */
	if (file.size > LIMIT_LESSON_ANSWERS)
		code = error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "the file has more than %u MB; its progress is not shown",
				 LIMIT_LESSON_ANSWERS >> 20);
	struct text rest = { (const char *)file.data, (size_t)file.size }, line;
	while (code == ERROR_NONE && text_take_line(&rest, &line))
		read_line(progress, line);
	file_close(&file);
	return code;
}

static bool
names(const char *pattern, const char *name)
{
	return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

const struct progress_line *
progress_of(const struct progress *progress, const char *lesson, const char *task)
{
	for (size_t i = progress->count; i-- > 0;) {
		const struct progress_line *line = &progress->lines[i];

		if (names(line->lesson, lesson) && names(line->task, task))
			return line->passed ? line : NULL;
	}
	return NULL;
}

/* Append with one write, so that lines of other programs do not mix with it. */
static enum error_code
append(const char *path, const char *line, struct error *error)
{
	directory_make_above(path, 0700);
	/* O_NONBLOCK: a pipe must not wait for its reader. */
	const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	const size_t length = strlen(line);

	/* A partial write does not set errno. */
	if (file >= 0)
		errno = ENOSPC;
	const bool written = file >= 0 && write(file, line, length) == (ssize_t)length;
	const int why = errno;

	if (file >= 0 && close(file) == 0 && written)
		return ERROR_NONE;
	return error_set(error, ERROR_IO, (struct place){ 0 }, "cannot write the progress: %s",
			 strerror(why));
}

enum error_code
progress_add(const char *path, const struct lesson_run *run, struct error *error)
{
	const struct lesson_card *card = lesson_run_card(run);
	const struct lesson_state *state = lesson_run_state(run);
	char line[512];

	snprintf(line, sizeof(line), "%.200s %.200s passed tries=%u hints=%u %016" PRIx64 "\n",
		 run->lesson->name, card->task.text, state->tries, state->hints,
		 run->lesson->digest);
	return append(path, line, error);
}

enum error_code
progress_reset(const char *path, const char *lesson, struct error *error)
{
	char line[512];

	snprintf(line, sizeof(line), "%.400s * reset\n", lesson);
	return append(path, line, error);
}
