/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "inspect/surroundings.h"
#include "lesson/course.h"
#include "lesson/lesson_lint.h"

struct lesson_options {
	struct cmd_options common;
	bool lint, list;
};

/* How the crash of a lesson is opened: as commands that look at one do it. */
static const struct cmd_command opening = {
	.name = "lesson", .arguments = "", .help = "", .least = 1,
	.needs = CMD_NEEDS_SURROUNDINGS,
	.groups = CMD_GROUP_THREAD | CMD_GROUP_INPUT | CMD_GROUP_METHODS,
};

/* The options that open the crash of a lesson; NULL after a message. */
static struct cmd_options *
options_of(const struct lesson *lesson)
{
	const size_t count = 2 * lesson->option_count + lesson->path_count;
	char **arguments = calloc(count + 1, sizeof(*arguments));
	struct cmd_options *options = NULL;
	int used = 0;

	/* cmd_parse only looks at them. */
	for (size_t i = 0; arguments != NULL && i < lesson->option_count; i++) {
		if (strcmp(lesson->options[i].name, "--against") == 0)
			continue;
		arguments[used++] = (char *)(uintptr_t)lesson->options[i].name;
		arguments[used++] = (char *)(uintptr_t)lesson->options[i].value;
	}
	for (size_t i = 0; arguments != NULL && i < lesson->path_count; i++)
		arguments[used++] = (char *)(uintptr_t)lesson->paths[i];
	if (arguments != NULL)
		options = cmd_parse(&opening, used, arguments);
	free(arguments);
	/* The crash is what the lesson's files say, on every machine. */
	if (options != NULL)
		options->no_system_binaries = options->no_cache = true;
	return options;
}

static void
print_finding(struct place place, const char *text)
{
	char where[512];

	cmd_print("%s: %s", place_format(&place, where, sizeof(where)), text);
}

/* A lesson that is open, with its crash. */
struct open_lesson {
	struct lesson lesson;
	struct cmd_options *options;
	struct cmd_input input;
	struct lesson_scene scene;
};

static void
close_lesson(struct open_lesson *open)
{
	if (open->options != NULL) {
		cmd_input_close(&open->input);
		cmd_options_free(open->options);
	}
	lesson_free(&open->lesson);
}

/* Read a lesson and open its crash. close_lesson is due in any case. */
static enum cmd_status
open_lesson(struct open_lesson *open, const char *directory)
{
	struct error error = { 0 };

	*open = (struct open_lesson){ 0 };
	if (lesson_read(&open->lesson, directory, &error) != ERROR_NONE) {
		cmd_print_error(&error, directory);
		return CMD_UNREADABLE;
	}
	open->options = options_of(&open->lesson);
	if (open->options == NULL)
		return CMD_UNREADABLE;
	const enum cmd_status status = cmd_input_open_whole(&open->input, open->options);
	if (status == CMD_DONE)
		open->scene = (struct lesson_scene){
			.crash = &open->input.crash, .symbols = open->input.symbols,
			.binaries = open->input.binaries, .around = open->input.around,
			.walk = open->input.walk };
	return status;
}

/* A directory with a lesson, or the word for one of the course; NULL after a message. */
static const char *
directory_of(const char *word, struct course *course)
{
	struct error error = { 0 };
	struct stat status;

	*course = (struct course){ 0 };
	if (stat(word, &status) == 0 && S_ISDIR(status.st_mode))
		return word;
	if (course_read_installed(course, &error) != ERROR_NONE) {
		cmd_print_error(&error, "lessons");
		return NULL;
	}
	const struct course_lesson *found = course_find(course, word);
	if (found == NULL)
		cmd_say("no lesson is called '%s'; 'unspool lesson --list' lists them", word);
	return found != NULL ? found->directory : NULL;
}

static enum cmd_status
lint(const char *directory)
{
	struct open_lesson open;
	struct lesson_findings findings;

	enum cmd_status status = open_lesson(&open, directory);
	if (status == CMD_DONE) {
		lesson_lint(&open.lesson, &open.scene, &findings);
		for (size_t i = 0; i < findings.count; i++)
			print_finding(findings.items[i].place, findings.items[i].text);
		status = findings.count > 0 ? CMD_FINDINGS : CMD_DONE;
		lesson_lint_free(&findings);
	}
	close_lesson(&open);
	return status;
}

static enum cmd_status
list(void)
{
	struct course course;
	struct error error = { 0 };
	enum cmd_status status = CMD_DONE;

	if (course_read_installed(&course, &error) != ERROR_NONE) {
		cmd_print_error(&error, "lessons");
		status = CMD_UNREADABLE;
	}
	for (size_t i = 0; i < course.lesson_count && status == CMD_DONE; i++) {
		const struct course_lesson *one = &course.lessons[i];
		struct lesson lesson;

		if (i == 0 || one->track != one[-1].track)
			cmd_print("%s: %s", course.tracks[one->track].name,
				  course.tracks[one->track].title);
		if (lesson_read(&lesson, one->directory, &error) == ERROR_NONE)
			cmd_print("%3zu  %-28s %s", i + 1, one->name, lesson.title.text);
		else
			cmd_print_error(&error, one->directory);
		lesson_free(&lesson);
	}
	course_free(&course);
	return status;
}

static enum cmd_status
run(const struct cmd_options *options)
{
	const struct lesson_options *own = (const struct lesson_options *)options;
	enum cmd_status status = CMD_USAGE;
	struct course course;

	/* No server is asked: what a learner sees depends on the lesson's files alone. */
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("UNSPOOL_SYMBOLS_URL");
	if (own->list || options->path_count == 0)
		return list();
	const char *directory = directory_of(options->paths[0], &course);
	if (directory != NULL)
		status = lint(directory);
	course_free(&course);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--list", 0, NULL, "list the lessons", CMD_STORE(FLAG, lesson_options, list) },
	{ "--lint", 0, NULL, "what would not work in a lesson of your own",
	  CMD_STORE(FLAG, lesson_options, lint) },
};

const struct cmd_command cmd_lesson = {
	.name = "lesson", .arguments = "[LESSON]",
	.help = "learn how a stack is unwound, with a crash and tasks",
	.most = 1, CMD_OWN(own_options, lesson_options), .run_alone = run,
};
