/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/lesson/lesson.h"
#include "lesson/answers.h"
#include "lesson/progress.h"

/* Marks: the passed tasks, from the progress or from files of answers, which are checked again. */
struct marks_task {
	const char *name;
	bool passed, older;
	unsigned tries, hints;
	const char **answers;		/* all given answers, in their order; only from a file */
	size_t answer_count, answer_capacity;
};

struct marks_lesson {
	const char *name, *title;
	struct marks_task *tasks;
	size_t count, passed;
};

struct marks {
	const char *file;		/* path; NULL: the progress */
	/* Name given in the file, else the file's name; NULL: marks of the progress */
	const char *student;
	struct marks_lesson *lessons;
	size_t count, capacity;
	struct arena arena;
};

#define FACTS "cmd/facts/lesson_facts.def"
#include "document/describe_facts.h"

/* Add a lesson with all its tasks, none of them passed. */
static struct marks_lesson *
add_lesson(struct marks *marks, const struct lesson *lesson)
{
	struct arena *arena = &marks->arena;
	struct marks_lesson *one =
		ARENA_PUSH(arena, marks->lessons, marks->count, marks->capacity);

	if (one == NULL)
		return NULL;
	one->name = text_or_empty(arena_string(arena, lesson->name));
	one->title = text_or_empty(arena_string(arena, lesson->title.text));
	one->tasks = arena_array(arena, lesson->card_count + 1, sizeof(*one->tasks));
	for (size_t i = 0; one->tasks != NULL && i < lesson->card_count; i++) {
		const char *task = lesson->cards[i].task.text;

		if (task[0] != '\0')
			one->tasks[one->count++].name = text_or_empty(arena_string(arena, task));
	}
	return one->tasks != NULL ? one : NULL;
}

/* Print a row for each lesson, then one for each task that was tried. */
static void
print_marks(const struct marks *marks)
{
	if (marks->file != NULL)
		cmd_print("%s", marks->file);
	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_lesson *lesson = &marks->lessons[i];
		bool older = false;

		for (size_t k = 0; k < lesson->count; k++)
			older |= lesson->tasks[k].older;
		cmd_print("%-28s %zu of %zu passed%s", lesson->name, lesson->passed, lesson->count,
			  older ? ", of an older version" : "");
		for (size_t k = 0; k < lesson->count; k++) {
			const struct marks_task *task = &lesson->tasks[k];

			if (task->tries > 0 || task->hints > 0)
				cmd_print("  %c %-24s %u tr%s, %u hint%s%s%s",
					  task->passed ? '+' : '-', task->name, task->tries,
					  task->tries == 1 ? "y" : "ies", task->hints,
					  plural(task->hints), task->answer_count > 0 ? ": " : "",
					  task->answer_count > 0
						  ? task->answers[task->answer_count - 1] : "");
		}
	}
}

/* Print a field of CSV (RFC 4180). A spreadsheet must not run a name as a formula. */
static void
print_field(const char *text, const char *end)
{
	output_plain(&cmd_output, "\"");
	if (*text != '\0' && strchr("=+-@", *text) != NULL)
		output_plain(&cmd_output, "'");
	for (size_t length; *text != '\0'; text += length + (text[length] == '"')) {
		length = strcspn(text, "\"");
		output_text(&cmd_output, (struct text){ text, length });
		output_plain(&cmd_output, text[length] == '"' ? "\"\"" : "");
	}
	output_format(&cmd_output, "\"%s", end);
}

/* Print a row for each lesson of a student. */
static void
print_csv(const struct marks *marks)
{
	for (size_t i = 0; i < marks->count; i++) {
		const struct marks_lesson *lesson = &marks->lessons[i];
		unsigned tries = 0, hints = 0;
		bool older = false;

		print_field(marks->student, ",");
		print_field(lesson->name, "");
		for (size_t k = 0; k < lesson->count; k++) {
			tries += lesson->tasks[k].tries;
			hints += lesson->tasks[k].hints;
			older |= lesson->tasks[k].older;
		}
		output_format(&cmd_output, ",%zu,%zu,%u,%u,%s,\"", lesson->passed, lesson->count,
			      tries, hints, older ? "older" : "same");
		const char *between = "";
		for (size_t k = 0; k < lesson->count; k++)
			if (!lesson->tasks[k].passed) {
				output_format(&cmd_output, "%s%s", between, lesson->tasks[k].name);
				between = " ";
			}
		output_plain(&cmd_output, "\"\n");
	}
}

enum cmd_status
cmd_lesson_progress(const struct lesson_options *own, const struct course *course)
{
	struct marks marks = { 0 };
	struct progress progress = { 0 };
	struct error error = { 0 };
	enum cmd_status status = CMD_DONE, lessons = CMD_DONE;

	const char *path = progress_path(&marks.arena);
	if (path != NULL && progress_read(&progress, path, &error) != ERROR_NONE)
		status = cmd_print_error(&error, path);
	for (size_t i = 0; i < course->lesson_count && status == CMD_DONE; i++) {
		struct lesson lesson;

		const char *directory = course->lessons[i].directory;
		const bool read = lesson_read(&lesson, directory, &error) == ERROR_NONE;
		if (!read)
			lessons = cmd_print_error(&error, directory);
		struct marks_lesson *one = read ? add_lesson(&marks, &lesson) : NULL;
		for (size_t k = 0; one != NULL && k < one->count; k++) {
			struct marks_task *task = &one->tasks[k];
			const struct progress_line *line =
				progress_of(&progress, lesson.name, task->name);

			if (line == NULL)
				continue;
			*task = (struct marks_task){ .name = task->name, .passed = true,
						     .older = line->digest != lesson.digest,
						     .tries = line->tries, .hints = line->hints };
			one->passed++;
		}
		lesson_free(&lesson);
	}
	if (status == CMD_DONE && own->common.json) {
		struct json json;

		json_begin(&json, &cmd_output, own->common.pretty);
		json_array(&json, NULL);
		FACTS_WRITE(&json, NULL, lesson_marks, &marks);
		json_array_end(&json);
		json_finish(&json);
	} else if (status == CMD_DONE) {
		print_marks(&marks);
	}
	arena_free(&progress.arena);
	arena_free(&marks.arena);
	return status != CMD_DONE ? status : lessons;
}

/* Copy a run's answers to a card. */
static void
note_answers(struct marks *marks, struct marks_task *task, const struct lesson_run *run,
	     size_t card)
{
	for (size_t i = 0; i < run->entry_count; i++) {
		const char *answer = run->entries[i].answer;

		if (run->entries[i].card != card || answer == NULL)
			continue;
		ARENA_ADD(&marks->arena, task->answers, task->answer_count, task->answer_capacity,
			  &(const char *){ text_or_empty(arena_string(&marks->arena, answer)) });
	}
}

/* Whether the answer to a card obeys the rules of an exam: one try, no hint, no later return. */
static bool
keeps_exam(const struct lesson_run *run, size_t card)
{
	size_t own = 0;
	bool later = false;

	for (size_t i = 0; i < run->entry_count; i++) {
		later |= run->entries[i].card > card;
		if (run->entries[i].card == card &&
		    (later || own++ > 0 || run->entries[i].answer == NULL))
			return false;
	}
	return true;
}

/* Check a file's answers to one lesson again. */
static enum cmd_status
grade_lesson(struct marks *marks, const struct answers *answers, const struct answers_line *line,
	     const char *directory, bool exam)
{
	struct open_lesson open;
	struct lesson_run run = { 0 };

	enum cmd_status status = cmd_lesson_open(&open, directory);
	if (status == CMD_DONE && !lesson_run_open(&run, &open.lesson, &open.scene))
		status = cmd_out_of_memory();
	if (status == CMD_DONE) {
		struct marks_lesson *one = add_lesson(marks, &open.lesson);
		size_t at = 0;

		answers_replay(answers, line->lesson, &run, NULL, NULL);
		for (size_t i = 0; one != NULL && i < open.lesson.card_count; i++) {
			const struct lesson_state *state = &run.states[i];

			if (open.lesson.cards[i].task.text[0] == '\0')
				continue;
			struct marks_task *task = &one->tasks[at++];
			task->passed = state->passed && (!exam || keeps_exam(&run, i));
			task->tries = state->tries;
			task->hints = state->hints;
			task->older = line->digest != 0 && line->digest != open.lesson.digest;
			note_answers(marks, task, &run, i);
			one->passed += task->passed;
		}
	}
	lesson_run_close(&run);
	cmd_lesson_close(&open);
	return status;
}

/* The lesson with exactly this name: a part of the name could mean another lesson. */
static const struct course_lesson *
lesson_named(const struct course *course, const char *name)
{
	for (size_t i = 0; i < course->lesson_count; i++)
		if (strcmp(course->lessons[i].name, name) == 0)
			return &course->lessons[i];
	return NULL;
}

static enum cmd_status
grade_file(struct marks *marks, const struct answers *answers, const struct course *course,
	   bool exam)
{
	enum cmd_status status = CMD_DONE;

	for (size_t i = 0; i < answers->count && status == CMD_DONE; i++) {
		const struct answers_line *line = &answers->lines[i];
		const struct course_lesson *lesson = lesson_named(course, line->lesson);
		bool done = false;

		for (size_t k = 0; k < marks->count; k++)
			done |= strcmp(marks->lessons[k].name, line->lesson) == 0;
		if (done)
			continue;
		if (lesson == NULL) {
			cmd_say("%s: the course has no lesson '%s'; --lessons DIR is the course "
				"of a lesson of your own",
				answers->input.name, line->lesson);
			status = CMD_UNREADABLE;
		} else {
			status = grade_lesson(marks, answers, line, lesson->directory, exam);
		}
	}
	return status;
}

/* The student's name: from a line `student`, or else the file's name without its ending. */
static const char *
student_of(struct marks *marks, const struct answers *answers)
{
	const char *name = place_base_name(marks->file), *dot = strrchr(name, '.');

	if (answers->student != NULL)
		return text_or_empty(arena_string(&marks->arena, answers->student));
	return text_or_empty(arena_copy(&marks->arena, name,
					dot != NULL && dot > name ? (size_t)(dot - name)
								  : strlen(name)));
}

enum cmd_status
cmd_lesson_grade(const struct lesson_options *own, const struct course *course)
{
	const struct cmd_options *options = &own->common;
	enum cmd_status status = CMD_DONE;
	struct json json;

	if (options->json) {
		json_begin(&json, &cmd_output, options->pretty);
		json_array(&json, NULL);
	}
	if (own->csv)
		cmd_print("student,lesson,passed,tasks,tries,hints,version,open");
	for (size_t i = 0; i < options->path_count; i++) {
		struct marks marks = { .file = options->paths[i] };
		struct answers answers;
		struct error error = { 0 };
		enum cmd_status one = CMD_UNREADABLE;

		if (answers_read(&answers, marks.file, &error) != ERROR_NONE)
			cmd_print_error(&error, marks.file);
		else
			one = grade_file(&marks, &answers, course, own->exam);
		marks.student = student_of(&marks, &answers);
		if (one == CMD_DONE && options->json)
			FACTS_WRITE(&json, NULL, lesson_marks, &marks);
		else if (one == CMD_DONE && own->csv)
			print_csv(&marks);
		else if (one == CMD_DONE)
			print_marks(&marks);
		for (size_t k = 0; k < marks.count && one == CMD_DONE; k++)
			if (marks.lessons[k].passed < marks.lessons[k].count)
				one = CMD_FINDINGS;
		status = one > status ? one : status;
		arena_free(&answers.arena);
		arena_free(&marks.arena);
	}
	if (options->json) {
		json_array_end(&json);
		json_finish(&json);
	}
	return status;
}
