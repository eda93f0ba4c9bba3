/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/explore.h"
#include "cmd/lesson/lesson.h"
#include "lesson/answers.h"
#include "lesson/lesson_lint.h"
#include "lesson/progress.h"
#include "system/directory.h"
#include "system/new_file.h"
#include "ui/explorer.h"

/* A command that opens a lesson's crash, with the options of all commands that show a crash. */
static const struct cmd_command opening = {
	.name = "lesson", .arguments = "", .help = "", .least = 1,
	.needs = CMD_NEEDS_SURROUNDINGS,
	.groups = CMD_GROUP_THREAD | CMD_GROUP_INPUT | CMD_GROUP_METHODS,
};

struct cmd_options *
cmd_lesson_options(const struct lesson *lesson, const char *explores)
{
	const struct cmd_command *command = explores != NULL ? &cmd_explore : &opening;
	const size_t count = 2 * lesson->option_count + lesson->path_count + 3;
	const char **arguments = calloc(count, sizeof(*arguments));
	struct cmd_options *options = NULL;
	size_t used = 0;

	if (arguments == NULL) {
		cmd_out_of_memory();
		return NULL;
	}
	if (explores != NULL) {
		arguments[used++] = "--no-state";
		arguments[used++] = "--lesson";
		arguments[used++] = explores;
	}
	for (size_t i = 0; i < lesson->option_count; i++) {
		if (explores == NULL && strcmp(lesson->options[i].name, "--against") == 0)
			continue;
		arguments[used++] = lesson->options[i].name;
		arguments[used++] = lesson->options[i].value;
	}
	for (size_t i = 0; i < lesson->path_count; i++)
		arguments[used++] = lesson->paths[i];
	options = cmd_parse(command, used, arguments);
	free(arguments);
	if (options == NULL)
		return NULL;
	/* The crash must look the same on every machine; paths in its files are the author's. */
	options->no_system_binaries = options->no_cache = options->no_comp_dir = true;
	/* This command has entered the sandbox already, unless its own options forbid it. */
	options->sandbox = "off";
	return options;
}

void
cmd_lesson_close(struct open_lesson *open)
{
	lesson_scene_close(&open->scene);
	cmd_input_close(&open->input);
	cmd_options_free(open->options);
	lesson_free(&open->lesson);
}

enum cmd_status
cmd_lesson_open(struct open_lesson *open, const char *directory)
{
	struct error error = { 0 };

	*open = (struct open_lesson){ 0 };
	if (lesson_read(&open->lesson, directory, &error) != ERROR_NONE)
		return cmd_print_error(&error, directory);
	open->options = cmd_lesson_options(&open->lesson, NULL);
	if (open->options == NULL)
		return CMD_UNREADABLE;
	const enum cmd_status status = cmd_input_open_whole(&open->input, open->options);
	if (status != CMD_DONE)
		return status;
	if (open->input.walk == NULL) {
		cmd_say("%s: the dump has no thread to walk", open->lesson.name);
		return CMD_UNREADABLE;
	}
	return lesson_scene_open(&open->scene, open->input.around, &open->options->policy,
				 open->input.walk->thread)
		       ? CMD_DONE : cmd_out_of_memory();
}

bool
cmd_course_open(struct course *course, const char *directory)
{
	struct error error = { 0 };
	const enum error_code code = directory != NULL ? course_read(course, directory, &error)
						       : course_read_installed(course, &error);

	if (code != ERROR_NONE)
		cmd_print_error(
			&error, course->input.name != NULL ? course->input.name : "lessons");
	return code == ERROR_NONE;
}

/*
 * The directory of a lesson: `word` is the directory, or the lesson's word in the course. NULL
 * after a message. With --html, `word` may be a new directory for all lessons; returns "".
 */
static const char *
directory_of(const char *word, const struct lesson_options *own, struct course *course)
{
	struct error error = { 0 };
	char file[PATH_MAX];

	*course = (struct course){ 0 };
	snprintf(file, sizeof(file), "%s/lesson", word);
	if (directory_exists(word) && (!own->html || access(file, F_OK) == 0))
		return word;
	if (!cmd_course_open(course, own->course))
		return NULL;
	const struct course_lesson *found = strchr(word, '/') != NULL && own->html
		? NULL : course_find(course, word, &error);
	if (found != NULL)
		return found->directory;
	if (own->html && error.code != ERROR_FORMAT)
		return "";
	cmd_say("%s", error.text);
	return NULL;
}

static enum cmd_status
lint(struct open_lesson *open)
{
	struct lesson_findings findings;

	lesson_lint(&open->lesson, &open->scene, explorer_permits, &findings);
	struct arena arena = { 0 };
	const char **rows;
	struct cmd_options *options = cmd_lesson_options(&open->lesson, open->lesson.directory);
	struct answers solution;
	answers_read_solution(&solution, &open->lesson, NULL);
	const enum cmd_status status = options == NULL
		? CMD_UNREADABLE
		: cmd_lesson_rows(options, &open->lesson, &solution, true, &arena, &rows,
			  &findings);
	arena_free(&solution.arena);
	if (status == CMD_DONE)
		lesson_lint_rows(&open->lesson, &open->scene, rows, &findings);
	arena_free(&arena);
	cmd_options_free(options);
	for (size_t i = 0; i < findings.count; i++)
		cmd_print("%s: %s", place_format(&findings.items[i].place).text,
			findings.items[i].text);
	const bool found = findings.count > 0;
	arena_free(&findings.arena);
	return status != CMD_DONE ? status : found ? CMD_FINDINGS : CMD_DONE;
}

/* Replace the lesson's file by one with sealed answers, and print the answers. */
static enum cmd_status
seal(struct open_lesson *open)
{
	const struct lesson *lesson = &open->lesson;
	struct arena arena = { 0 };
	struct new_file file;
	struct error error = { 0 };
	struct seal_notes notes = { .arena = &arena };

	notes.list = arena_array(&arena, lesson->card_count, sizeof(*notes.list));
	enum error_code code = notes.list == NULL ? error_memory(&error)
						  : new_file_open(&file, lesson->input.name,
								  true, &error);
	if (code == ERROR_NONE) {
		const struct output output = new_file_output(&file);

		code = seal_lesson(lesson, &open->scene, &output, &notes, &error);
		const enum error_code closed =
			new_file_close(&file, code == ERROR_NONE && notes.count > 0, &error);
		code = code == ERROR_NONE ? closed : code;
	}
	for (size_t i = 0; i < notes.count && code == ERROR_NONE; i++) {
		cmd_print("%s is sealed; its truth:", notes.list[i].task);
		for (const char *line = notes.list[i].truth; *line != '\0';) {
			const size_t length = strcspn(line, "\n");

			cmd_print("  %.*s", (int)length, line);
			line += length + (line[length] != '\0');
		}
	}
	if (code == ERROR_NONE && notes.count == 0)
		cmd_print("no answer needs to be sealed");
	if (code != ERROR_NONE)
		cmd_print_error(&error, lesson->input.name);
	arena_free(&arena);
	return code == ERROR_NONE ? CMD_DONE : CMD_UNREADABLE;
}

/* Create a lesson from one step of a dump; the arguments are its symbols. */
static enum cmd_status
make(const struct lesson_options *own)
{
	const struct cmd_options *options = &own->common;
	const char **paths = calloc(options->path_count + 1, sizeof(*paths));
	struct cmd_options with = *options;
	struct cmd_input input = { 0 };
	struct error error = { 0 };
	size_t frame = 0;

	if (paths == NULL)
		return cmd_out_of_memory();
	if (own->from == NULL) {
		free(paths);
		return cmd_usage(options, "'--from DUMP' is missing");
	}
	paths[0] = own->from;
	memcpy(paths + 1, options->paths, options->path_count * sizeof(*paths));
	with.command = &opening;
	with.paths = paths;
	with.path_count++;
	enum cmd_status status = cmd_input_open_whole(&input, &with);
	if (status == CMD_DONE && (input.walk == NULL ||
				   !cmd_find_frame(input.walk, options, &frame)))
		status = CMD_USAGE;
	if (status == CMD_DONE &&
	    lesson_make(input.walk, frame, own->whole, own->make, &error) != ERROR_NONE) {
		status = cmd_print_error(&error, own->make);
	} else if (status == CMD_DONE) {
		cmd_print("%s/lesson: edit it, then 'unspool lesson --lint %s'", own->make,
			  own->make);
	}
	cmd_input_close(&input);
	free(paths);
	return status;
}

static enum lesson_reader
reader_of(const struct lesson_options *own)
{
	return own->teacher ? LESSON_FOR_TEACHERS
		: own->student ? LESSON_FOR_STUDENTS : LESSON_FOR_ALL;
}

static enum cmd_status
list(const struct course *course)
{
	struct progress progress = { 0 };
	struct error error = { 0 };
	struct arena arena = { 0 };
	enum cmd_status status = CMD_DONE;

	const char *path = progress_path(&arena);
	if (path != NULL && progress_read(&progress, path, &error) != ERROR_NONE)
		cmd_print_error(&error, path);
	for (size_t i = 0; i < course->lesson_count; i++) {
		const struct course_lesson *one = &course->lessons[i];
		struct lesson lesson;

		if (i == 0 || one->track != one[-1].track)
			cmd_print("%s: %s", course->tracks[one->track].name,
				  course->tracks[one->track].title);
		const bool good = lesson_read(&lesson, one->directory, &error) == ERROR_NONE;
		cmd_print("%3zu  %-24s %s%s", i + 1, one->name,
			  good ? lesson.title.text : "(cannot be read)",
			  progress_summary(&progress, &lesson, &arena));
		if (!good)
			status = cmd_print_error(&error, one->directory);
		lesson_free(&lesson);
	}
	cmd_print("Begin with 'unspool lesson 1'. A lesson continues at its first open task.");
	arena_free(&progress.arena);
	arena_free(&arena);
	return status;
}

/* Reset the progress of a lesson, or of all lessons. */
static enum cmd_status
reset(const char *directory)
{
	struct arena arena = { 0 };
	struct error error = { 0 };
	enum cmd_status status = CMD_DONE;

	const char *path = progress_path(&arena);
	if (path == NULL) {
		cmd_say("no progress is kept: neither XDG_STATE_HOME nor HOME names a directory");
		status = CMD_UNREADABLE;
	} else if (progress_reset(path, directory != NULL ? place_base_name(directory) : "*",
				  &error) != ERROR_NONE) {
		status = cmd_print_error(&error, path);
	}
	arena_free(&arena);
	return status;
}

/* Open a lesson in the explorer on a terminal, and then each lesson that the learner chooses. */
static enum cmd_status
explore(const char *directory)
{
	char next[PATH_MAX];
	enum cmd_status status = CMD_DONE;

	snprintf(next, sizeof(next), "%s", directory);
	while (status == CMD_DONE && next[0] != '\0') {
		struct lesson lesson;
		struct error error = { 0 };
		struct cmd_options *options = NULL;

		status = CMD_UNREADABLE;
		if (lesson_read(&lesson, next, &error) != ERROR_NONE)
			cmd_print_error(&error, next);
		else
			options = cmd_lesson_options(&lesson, lesson.directory);
		next[0] = '\0';
		if (options != NULL) {
			struct explorer_options *explorer =
				&((struct explore_options *)options)->explorer;

			explorer->next_lesson = next;
			explorer->next_lesson_size = sizeof(next);
			status = cmd_explore.run_alone(options);
			cmd_options_free(options);
		}
		lesson_free(&lesson);
	}
	return status;
}

static enum cmd_status
run_lesson(const struct lesson_options *own, const char *directory)
{
	struct open_lesson open;

	if (own->reset)
		return reset(directory);
	if (!own->text && !own->exam && !own->html && !own->lint && !own->seal &&
	    own->answers == NULL && own->hand_in == NULL && isatty(STDIN_FILENO) &&
	    isatty(STDOUT_FILENO))
		return explore(directory);
	enum cmd_status status = cmd_lesson_open(&open, directory);
	if (status == CMD_DONE && own->html)
		lesson_page(&cmd_output, &open.lesson, &open.scene, reader_of(own), NULL);
	else if (status == CMD_DONE)
		status = own->lint   ? lint(&open)
			 : own->seal ? seal(&open)
				     : cmd_lesson_text(own, &open);
	cmd_lesson_close(&open);
	return status;
}

static enum cmd_status
lesson_run(const struct cmd_options *options)
{
	const struct lesson_options *own = (const struct lesson_options *)options;
	enum cmd_status status = CMD_USAGE;
	struct course course = { 0 };

	/* Use no server: a learner must see the lesson's files only. */
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("UNSPOOL_SYMBOLS_URL");
	unsetenv("_NT_SYMBOL_PATH");
	unsetenv("_NT_ALT_SYMBOL_PATH");
	if (own->make != NULL)
		return make(own);
	if (options->path_count == 0 && (own->lint || own->seal || own->html || own->text ||
					 own->answers != NULL || own->hand_in != NULL))
		return cmd_usage(options, "the lesson is missing");
	if (own->exam && !own->grade && (own->hand_in == NULL || own->answers != NULL))
		return cmd_usage(options, "--exam needs --hand-in FILE, and no --answers");
	const bool one = options->path_count > 0 && !own->grade && !own->list && !own->progress;
	if (one && options->path_count > 1)
		return cmd_usage(options, "more than one lesson: '%s' and '%s'",
				 options->paths[0], options->paths[1]);
	if (one) {
		const char *directory = directory_of(options->paths[0], own, &course);

		status = directory == NULL ? CMD_USAGE
			: directory[0] != '\0'
				? run_lesson(own, directory)
				: cmd_lesson_site(&course, options->paths[0], reader_of(own));
	} else if (own->reset) {
		status = reset(NULL);
	} else if (!cmd_course_open(&course, own->course)) {
		status = CMD_UNREADABLE;
	} else {
		status = own->grade	 ? cmd_lesson_grade(own, &course)
			 : own->progress || options->json
				 ? cmd_lesson_progress(own, &course)
					 : list(&course);
	}
	arena_free(&course.arena);
	return status;
}

static const char *
write_paths(struct cmd_options *options, const char *value)
{
	(void)value;
	options->writes_paths = true;
	return NULL;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, lesson_options, member)
	{ "--list", 0, NULL, "list the lessons and your progress", STORE(FLAG, list) },
	{ "--progress", 0, NULL, "print what was passed, task by task", STORE(FLAG, progress) },
	{ "--reset", 0, NULL, "forget the progress in LESSON, or in all lessons",
	  STORE(FLAG, reset) },
	{ "--text", 0, NULL, "no explorer: cards and questions line by line",
	  STORE(FLAG, text) },
	{ "--answers", 0, "FILE", "check the answers in FILE instead of asking",
	  STORE(TEXT, answers) },
	{ "--hand-in", 0, "FILE", "write the answers to FILE, to be graded",
	  STORE(OUTPUT, hand_in) },
	{ "--grade", 0, NULL, "check the answers in hand-in files again (--json)",
	  STORE(FLAG, grade) },
	{ "--csv", 0, NULL, "with --grade: a row for each student and lesson", STORE(FLAG, csv) },
	{ "--lessons", 0, "DIR", "the lessons of DIR, not the installed ones",
	  STORE(TEXT, course) },
	{ "--html", 0, NULL, "print LESSON as a page, or make DIR with all pages",
	  CMD_FLAG, offsetof(struct lesson_options, html), write_paths },
	{ "--student", 0, NULL, "with --html: no hints and no drawings", STORE(FLAG, student) },
	{ "--teacher", 0, NULL, "with --html: also answers and misconceptions",
	  STORE(FLAG, teacher) },
	{ "--exam", 0, NULL, "one try for each task, no hints (with --hand-in)",
	  STORE(FLAG, exam) },
	{ "--new", 0, "DIR", "make DIR, a lesson about a step of a dump (--from)",
	  STORE(OUTPUT, make) },
	{ "--from", 0, "DUMP", "with --new: the dump that the lesson is about", STORE(TEXT, from) },
	{ "--frame", 'f', "N", "with --new: the tasks ask for the caller of frame N",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	/* Hidden, because the help must fit on a screen. */
	{ "--thread", 0, "N", "", CMD_STORE(NUMBER, cmd_options, thread) },
	{ "--stack", 0, NULL, "with --new: tasks for each frame of a stack",
	  STORE(FLAG, whole) },
	{ "--seal", 0, NULL, "hide the answers in the file of your own lesson",
	  CMD_FLAG, offsetof(struct lesson_options, seal), write_paths },
	{ "--lint", 0, NULL, "print what would not work in your own lesson", STORE(FLAG, lint) },
};

const struct cmd_command cmd_lesson = {
	.name = "lesson", .arguments = "[LESSON|FILE...]",
	.help = "learn how a stack is unwound, with a crash and tasks",
	CMD_OWN(own_options, lesson_options), .groups = CMD_GROUP_JSON,
	.document = lesson_marks_facts, .lists = true, .guard = CMD_GUARD_SESSION,
	.run_alone = lesson_run, .interactive = true,
};
