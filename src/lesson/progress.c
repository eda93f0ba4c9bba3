/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "system/directory.h"
#include "system/file.h"

const char *
progress_path(struct arena *arena)
{
	return directory_of_user(arena, DIRECTORY_STATE, "unspool/lessons");
}

static const char *const kinds[] = {
	[PROGRESS_ANSWER] = "answer",
	[PROGRESS_HINT] = "hint",
	[PROGRESS_PASSED] = "passed",
	[PROGRESS_RESET] = "reset",
};

static void
read_line(struct progress *progress, struct text line)
{
	const struct text lesson = lesson_word(&line), task = lesson_word(&line);
	const struct text what = lesson_word(&line);
	struct progress_line one = { .kind = PROGRESS_ANSWER };
	char rest[80];

	while (one.kind < ARRAY_COUNT(kinds) && !text_is(what, kinds[one.kind]))
		one.kind++;
	snprintf(rest, sizeof(rest), "%.*s", TEXT_UPTO(line, 79));
	if (one.kind == ARRAY_COUNT(kinds) ||
		(one.kind == PROGRESS_PASSED &&
			sscanf(rest, " tries=%u hints=%u %" SCNx64, &one.tries, &one.hints,
				&one.digest) != 3))
		return;
	line = text_trimmed(line);
	if (one.kind <= PROGRESS_HINT)
		text_take_number(&line, 16, &one.digest);
	line = text_trimmed(line);
	one.answer = text_copy(&progress->arena, line);
	one.lesson = text_copy(&progress->arena, lesson);
	one.task = text_copy(&progress->arena, task);
	if (one.lesson == NULL || one.task == NULL || one.answer == NULL)
		return;
	ARENA_ADD(&progress->arena, progress->lines, progress->count, progress->capacity, &one);
}

enum error_code
progress_read(struct progress *progress, const char *path, struct error *error)
{
	struct file file;

	*progress = (struct progress){ 0 };
	if (access(path, F_OK) != 0)
		return ERROR_NONE;
	if (!file_is_plain(path))
		return error_plain(error, ERROR_IO, "not a regular file");
	enum error_code code = file_open_head(&file, path, LIMIT_LESSON_ANSWERS + 1, error);
	if (code != ERROR_NONE)
		return code;
	/* The last lines determine the progress; they are missing if the file is too large. */
	if (file.size > LIMIT_LESSON_ANSWERS)
		code = error_plain(error, ERROR_FORMAT,
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

		if (line->kind >= PROGRESS_PASSED && names(line->lesson, lesson) &&
			names(line->task, task))
			return line->kind == PROGRESS_PASSED ? line : NULL;
	}
	return NULL;
}

const char *
progress_summary(const struct progress *progress, const struct lesson *lesson, struct arena *arena)
{
	const size_t tasks = lesson_task_count(lesson);
	bool older = false;
	size_t passed = 0;

	for (size_t i = 0; i < lesson->card_count; i++) {
		const char *task = lesson->cards[i].task.text;
		const struct progress_line *line =
			task[0] != '\0' ? progress_of(progress, lesson->name, task) : NULL;

		passed += line != NULL;
		older |= line != NULL && line->digest != lesson->digest;
	}
	if (passed == 0)
		return "";
	return passed < tasks ? text_or_empty(arena_format(arena, "  (%zu of %zu)", passed, tasks))
		: older	      ? "  (passed, older version)"
			      : "  (passed)";
}

/* Append the line with one write, so that it does not mix with lines of other programs. */
static enum error_code
append(const char *path, const char *line, struct error *error)
{
	directory_make_above(path, 0700);
	/* O_NONBLOCK: opening a pipe must not wait for a reader. */
	const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	const size_t length = strlen(line);

	/* A partial write does not set errno. */
	if (file >= 0)
		errno = ENOSPC;
	const bool written = file >= 0 && write(file, line, length) == (ssize_t)length;
	const int why = errno;

	if (file >= 0 && close(file) == 0 && written)
		return ERROR_NONE;
	return error_plain(error, ERROR_IO, "cannot write the progress: %s", strerror(why));
}

enum error_code
progress_add(const char *path, const struct lesson_run *run, bool passed, struct error *error)
{
	if (run->entry_count == 0)
		return error_memory(error);
	const struct lesson_entry *entry = &run->entries[run->entry_count - 1];
	const struct lesson_state *state = lesson_run_state(run);
	const char *name = run->lesson->name, *task = lesson_run_card(run)->task.text;
	const uint64_t digest = run->lesson->digest;
	struct arena arena = { 0 };

	const char *answer =
		text_or_empty(text_printable_copy(&arena, text_of(text_or_empty(entry->answer))));
	const char *line = arena_format(&arena, "%s %s %s %016" PRIx64 "%s%s\n", name, task,
		kinds[entry->answer == NULL ? PROGRESS_HINT : PROGRESS_ANSWER], digest,
		answer[0] != '\0' ? " " : "", answer);
	if (passed && line != NULL)
		line = arena_format(&arena, "%s%s %s passed tries=%u hints=%u %016" PRIx64 "\n",
			line, name, task, state->tries, state->hints, digest);
	const enum error_code code = line != NULL ? append(path, line, error) : error_memory(error);
	arena_free(&arena);
	return code;
}

/* The line after the last reset of a lesson. */
static size_t
first_line(const struct progress *progress, const char *lesson)
{
	size_t first = progress->count;

	while (first > 0 &&
		!(progress->lines[first - 1].kind == PROGRESS_RESET &&
			names(progress->lines[first - 1].lesson, lesson)))
		first--;
	return first;
}

void
progress_resume(const char *path, struct lesson_run *run)
{
	const struct lesson *lesson = run->lesson;
	struct progress progress;
	struct error error = { 0 };
	size_t card = 0, open = 0;

	if (progress_read(&progress, path, &error) == ERROR_NONE)
		for (size_t i = first_line(&progress, lesson->name); i < progress.count; i++) {
			const struct progress_line *line = &progress.lines[i];
			const struct lesson_card *task = lesson_task(lesson, text_of(line->task));

			if (strcmp(line->lesson, lesson->name) == 0 && task != NULL &&
				line->digest == lesson->digest)
				lesson_run_recall(run, (size_t)(task - lesson->cards),
					line->kind == PROGRESS_ANSWER ? line->answer : NULL,
					line->kind == PROGRESS_PASSED);
		}
	for (; open < lesson->card_count; open++) {
		if (lesson->cards[open].task.text[0] == '\0')
			continue;
		if (!run->states[open].passed)
			break;
		card = open + 1;
	}
	lesson_run_go(run, open < lesson->card_count ? card : 0);
	arena_free(&progress.arena);
}

enum error_code
progress_reset(const char *path, const char *lesson, struct error *error)
{
	char line[512];

	snprintf(line, sizeof(line), "%.400s * reset\n", lesson);
	return append(path, line, error);
}
