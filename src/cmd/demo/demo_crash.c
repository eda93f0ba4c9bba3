/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/demo/demo.h"
#include "cmd/lesson/lesson.h"
#include "system/directory.h"
#include "system/file.h"
#include "system/new_file.h"

/* Time limits of a compiler and of a program, in seconds. */
#define COMPILE_SECONDS 60u
#define RUN_SECONDS 10u
/* Limit on the numbered directory names that are tried. */
#define MOST_DIRECTORIES 1000

/* Limit on words of a compiler's command line. */
#define DEMO_WORDS 64u

/*
 * A source with build instructions. A comment in it has the compiler's options and the other files,
 * for all machines or for one:
 *
 *	build: -O1 -fno-omit-frame-pointer
 *	build x86_64: -mno-red-zone help.S
 */
struct demo_source {
	const char *directory;
	const char *program;		/* the source's name without extension */
	const char *title;		/* its first comment; "": none */
	const char *files[DEMO_WORDS];	/* the source first; base names */
	const char *options[DEMO_WORDS];
	size_t file_count, option_count;
	bool said;			/* the source has build instructions */
	bool here;			/* it has build instructions for this machine */
};

struct demo_options {
	struct cmd_options common;
	const char *output, *lessons;
};

struct demo {
	const struct demo_options *options;
	struct arena arena;
	char machine[65];
	struct demo_source source;
	const char *directory;
};

/* Sources -------------------------------------------------------------------------------------- */

/* Limit on the bytes of a source; those of lessons have two thousand. */
#define MOST_SOURCE (UINT64_C(1) << 20)

static const char mark[] = "/* build";

/* Add the words of one comment. False: too many, or a file outside of the directory. */
static bool
take_words(struct demo_source *source, const char *words, struct arena *arena)
{
	for (;;) {
		words += strspn(words, " \t\r\n*");
		const size_t length = strcspn(words, " \t\r\n*");
		if (length == 0 || *words == '/')
			return *words == '\0' || *words == '/';
		const char *word = arena_copy(arena, words, length);
		const bool option = word != NULL && *word == '-';
		size_t *count = option ? &source->option_count : &source->file_count;

		if (word == NULL || *count == DEMO_WORDS / 2 ||
		    (!option && (*word == '.' || strchr(word, '/') != NULL)))
			return false;
		(option ? source->options : source->files)[(*count)++] = word;
		words += length;
	}
}

/* Read the build instructions in the comments of a source. */
static bool
take_comments(struct demo_source *source, const char *text, const char *machine,
	      struct arena *arena)
{
	const char *at = text;
	bool good = true;

	while (good && (at = strstr(at, mark)) != NULL) {
		const char *words = at + sizeof(mark) - 1;
		const char *end = strstr(words, "*/");
		const size_t name = strspn(words, " ");
		const size_t length = strcspn(words + name, ": \n");
		const bool ours = strlen(machine) == length &&
				  strncmp(words + name, machine, length) == 0;

		at = words;
		if (end == NULL || words[name + length] != ':' || (length == 0) != (name == 0))
			continue;
		source->said = true;
		if (length > 0 && !ours)
			continue;
		source->here = true;
		const char *copy = arena_copy(arena, words + name + length + 1,
					      (size_t)(end - (words + name + length + 1)));
		good = copy != NULL && take_words(source, copy, arena);
	}
	return good;
}

/* Read a source. Texts live in `arena`. */
static enum error_code
demo_source_read(struct demo_source *source, const char *path, const char *machine,
		 struct arena *arena, struct error *error)
{
	const char *name = place_base_name(path), *dot = strrchr(name, '.');
	struct file file;
	const enum error_code code = file_open(&file, path, error);

	*source = (struct demo_source){ .title = "" };
	if (code != ERROR_NONE)
		return code;
	const bool small = file.size <= MOST_SOURCE;
	const char *text = small ? arena_copy(arena, (const char *)file.data, (size_t)file.size)
				 : NULL;
	file_close(&file);
	if (!small || dot == NULL || dot == name || *name == '-')
		return error_plain(error, ERROR_FORMAT, "not the source of a small program");
	source->directory = name > path ? arena_copy(arena, path, (size_t)(name - path)) : "./";
	source->program = arena_copy(arena, name, (size_t)(dot - name));
	source->files[source->file_count++] = arena_string(arena, name);
	if (text == NULL || source->directory == NULL || source->program == NULL ||
	    source->files[0] == NULL)
		return error_memory(error);
	/* The title is the first line of a comment at the beginning. */
	if (strncmp(text, "/* ", 3) == 0) {
		size_t length = strcspn(text + 3, "\n*");

		while (length > 0 && isspace((unsigned char)text[3 + length - 1]))
			length--;
		source->title = text_or_empty(arena_copy(arena, text + 3, length));
	}
	if (!take_comments(source, text, machine, arena))
		return error_plain(error, ERROR_FORMAT,
				   "its comment 'build:' may only have options of the compiler and "
				   "names of files in its directory");
	return ERROR_NONE;
}

static int
is_source(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot != NULL && (strcmp(dot, ".c") == 0 || strcmp(dot, ".cc") == 0);
}

/* Find a source of a lesson with build instructions. False if no source has them. */
static bool
source_of_lesson(struct demo *demo, const char *directory)
{
	const char *folder = arena_format(&demo->arena, "%s/source", directory);
	struct dirent **entries = NULL;
	const int count = folder != NULL ? scandir(folder, &entries, is_source, alphasort) : -1;
	bool found = false;

	for (int i = 0; i < count; i++) {
		const char *path = arena_format(&demo->arena, "%s/%s", folder, entries[i]->d_name);

		found = found || (path != NULL &&
				  demo_source_read(&demo->source, path, demo->machine,
						   &demo->arena, NULL) == ERROR_NONE &&
				  demo->source.said);
		free(entries[i]);
	}
	free(entries);
	return found;
}

static enum cmd_status
list(struct demo *demo)
{
	struct course course;
	const bool good = cmd_course_open(&course, demo->options->lessons);

	for (size_t i = 0; good && i < course.lesson_count; i++) {
		const struct course_lesson *lesson = &course.lessons[i];

		if (source_of_lesson(demo, lesson->directory))
			cmd_print("%-24s %s%s", lesson->name, demo->source.title,
				  demo->source.here ? "" : " (not for this machine)");
	}
	arena_free(&course.arena);
	return good ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
find_source(struct demo *demo, const char *word)
{
	struct error error = { 0 };
	struct course course = { 0 };
	bool found = false;

	if (access(word, F_OK) == 0 && !directory_exists(word)) {
		if (demo_source_read(&demo->source, word, demo->machine, &demo->arena, &error) ==
		    ERROR_NONE)
			return CMD_DONE;
		return cmd_print_error(&error, word);
	}
	if (directory_exists(word)) {
		found = source_of_lesson(demo, word);
	} else if (cmd_course_open(&course, demo->options->lessons)) {
		const struct course_lesson *lesson = course_find(&course, word, &error);

		found = lesson != NULL && source_of_lesson(demo, lesson->directory);
	}
	arena_free(&course.arena);
	if (!found)
		cmd_say("'%s' is neither a lesson with a program of its own nor a C source; "
			"'unspool demo-crash' lists such lessons", word);
	return found ? CMD_DONE : CMD_UNREADABLE;
}

/* The directory -------------------------------------------------------------------------------- */

static enum cmd_status
make_directory(struct demo *demo)
{
	const char *wanted = demo->options->output;

	for (int i = 1; i < MOST_DIRECTORIES; i++) {
		const char *path = wanted;

		if (path == NULL && i == 1)
			path = arena_format(&demo->arena, "demo-%s", demo->source.program);
		else if (path == NULL)
			path = arena_format(&demo->arena, "demo-%s-%d", demo->source.program, i);
		if (path == NULL)
			return cmd_out_of_memory();
		if (mkdir(path, 0777) == 0) {
			demo->directory = path;
			return CMD_DONE;
		}
		if (wanted != NULL || errno != EEXIST) {
			cmd_say("cannot make the directory '%s': %s", path, strerror(errno));
			return CMD_UNREADABLE;
		}
	}
	cmd_say("there are too many directories demo-%s", demo->source.program);
	return CMD_UNREADABLE;
}

static const char *
inside(struct demo *demo, const char *name)
{
	return arena_format(&demo->arena, "%s/%s", demo->directory, name);
}

static enum cmd_status
copy_file(struct demo *demo, const char *name)
{
	const char *from = arena_format(&demo->arena, "%s%s", demo->source.directory, name);
	const char *to = inside(demo, name);
	struct error error = { 0 };
	struct new_file copy;
	struct file file;

	if (from == NULL || to == NULL)
		return cmd_out_of_memory();
	if (file_open(&file, from, &error) != ERROR_NONE)
		return cmd_print_error(&error, from);
	if (new_file_open(&copy, to, false, &error) == ERROR_NONE) {
		const struct output output = new_file_output(&copy);

		output.write(output.context, (const char *)file.data, (size_t)file.size);
		new_file_close(&copy, true, &error);
	}
	file_close(&file);
	if (error.text[0] == '\0')
		return CMD_DONE;
	return cmd_print_error(&error, to);
}

/* Compiling and running ------------------------------------------------------------------------ */

static void
print_command(const char *head, const char *const *words)
{
	output_text(&cmd_output, text_of(text_or_empty(head)));
	for (; *words != NULL; words++) {
		output_plain(&cmd_output, " ");
		output_text(&cmd_output, text_of(*words));
	}
	output_plain(&cmd_output, "\n");
	fflush(stdout);
}

/* Compile with a compiler's command. Sets `*found` if the compiler could be started. */
static bool
compile_with(struct demo *demo, const char *compiler, bool *found)
{
	const struct demo_source *source = &demo->source;
	const char *words[2 * DEMO_WORDS + 16];
	char *copy = arena_string(&demo->arena, compiler), *rest = NULL;
	size_t count = 0;

	for (char *word = copy != NULL ? strtok_r(copy, " ", &rest) : NULL;
	     word != NULL && count < 8; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	if (count == 0)
		return false;
	for (size_t i = 0; i < source->option_count; i++)
		words[count++] = source->options[i];
	words[count++] = "-g";
	words[count++] = "-Wl,--build-id=sha1";
	words[count++] = "-o";
	words[count++] = source->program;
	for (size_t i = 0; i < source->file_count; i++)
		words[count++] = source->files[i];
	words[count] = NULL;
	print_command(arena_format(&demo->arena, "$ cd %s &&", demo->directory), words);
	const struct demo_end end = demo_run(words, demo->directory, COMPILE_SECONDS);
	*found = end.started;
	if (!end.started)
		cmd_print("(there is no %s)", words[0]);
	else if (end.status != 0)
		cmd_say(end.late ? "the compiler took more than a minute and was ended"
				 : "the compiler found errors");
	return end.status == 0;
}

static enum cmd_status
compile(struct demo *demo)
{
	const char *const compilers[] = { getenv("CC"), "cc", "gcc", "clang" };
	bool found = false, good = false;

	if (demo->source.said && !demo->source.here) {
		cmd_say("%s cannot be built for %s", demo->source.files[0], demo->machine);
		return CMD_UNREADABLE;
	}
	for (size_t i = 0; i < ARRAY_COUNT(compilers) && !found; i++)
		good = compilers[i] != NULL && compile_with(demo, compilers[i], &found);
	if (!found)
		cmd_say("no compiler was found: neither $CC nor cc, gcc or clang; install one");
	return good ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
run_program(struct demo *demo)
{
	const char *program = arena_format(&demo->arena, "./%s", demo->source.program);
	const char *core = inside(demo, "core");
	const char *const words[] = { program, NULL };
	struct error error = { 0 };

	if (program == NULL || core == NULL)
		return cmd_out_of_memory();
	print_command(arena_format(&demo->arena, "$ cd %s &&", demo->directory), words);
	const struct demo_end end =
		demo_run_to_crash(program, demo->directory, core, RUN_SECONDS, &error);
	if (!end.traced)
		cmd_say("the system forbids ptrace, so the program's memory cannot be read; in a "
			"container "
			"--cap-add=SYS_PTRACE helps");
	else if (!end.started)
		cmd_say("the program cannot be run");
	else if (end.late)
		cmd_say("the program did not crash in %u seconds and was ended", RUN_SECONDS);
	else if (end.signal == 0 && end.status >= 0)
		cmd_say("the program ended with status %d: no crash, no dump", end.status);
	else if (end.signal == 0)
		cmd_say("a signal that is not a crash ended the program");
	else if (error.text[0] != '\0')
		cmd_print_error(&error, core);
	if (end.signal == 0)
		return end.started ? CMD_FINDINGS : CMD_UNREADABLE;
	cmd_print("%s crashed: %s", demo->source.program, strsignal(end.signal));
	return error.text[0] == '\0' ? CMD_DONE : CMD_UNREADABLE;
}

static enum cmd_status
run_command(const struct cmd_command *command, const char **words)
{
	char head[64];
	size_t count = 0;

	snprintf(head, sizeof(head), "$ unspool %s", command->name);
	print_command(head, words);
	while (words[count] != NULL)
		count++;
	struct cmd_options *options = cmd_parse(command, count, words);
	if (options == NULL)
		return CMD_USAGE;
	/* No sandbox is needed: all files belong to the program that was compiled here. */
	options->sandbox = "off";
	const enum cmd_status status = cmd_run(options);
	cmd_options_free(options);
	return status;
}

/* Write the dump and symbols, and print the stack. */
static enum cmd_status
write_dump(struct demo *demo)
{
	const char *core = inside(demo, "core"), *dump = inside(demo, "crash.dmp");
	const char *program = inside(demo, demo->source.program);
	const char *symbols = inside(demo, "symbols");
	const char *export[] = { core, "-o", dump, NULL };
	const char *make[] = { "--store", symbols, program, NULL };
	const char *walk[] = { "--backtrace", "--fold", dump, symbols, NULL };

	if (core == NULL || dump == NULL || program == NULL || symbols == NULL)
		return cmd_out_of_memory();
	enum cmd_status status = run_command(&cmd_export_minidump, export);
	if (status == CMD_DONE)
		status = run_command(&cmd_dump_syms, make);
	if (status == CMD_DONE)
		status = run_command(&cmd_walk, walk);
	if (status != CMD_DONE)
		return status;
	cmd_print("Look at it:      unspool %s %s", dump, symbols);
	cmd_print("Another walker:  minidump_stackwalk %s %s", dump, symbols);
	cmd_print("Change it:       edit %s, then unspool demo-crash %s",
		  inside(demo, demo->source.files[0]), inside(demo, demo->source.files[0]));
	return status;
}

static enum cmd_status
run_demo(struct demo *demo, const char *word)
{
	enum cmd_status status = find_source(demo, word);

	if (status == CMD_DONE)
		status = make_directory(demo);
	for (size_t i = 0; status == CMD_DONE && i < demo->source.file_count; i++)
		status = copy_file(demo, demo->source.files[i]);
	if (status != CMD_DONE)
		return status;
	cmd_print("All files are written to %s.", demo->directory);
	status = compile(demo);
	if (status == CMD_DONE)
		status = run_program(demo);
	return status == CMD_DONE ? write_dump(demo) : status;
}

static enum cmd_status
demo_crash_run(const struct cmd_options *options)
{
	struct demo demo = { .options = (const struct demo_options *)options };
	struct utsname system;

	if (uname(&system) == 0)
		snprintf(demo.machine, sizeof(demo.machine), "%s", system.machine);
	const enum cmd_status status =
		options->path_count == 0 ? list(&demo) : run_demo(&demo, options->paths[0]);
	arena_free(&demo.arena);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--output", 'o', "DIR", "the directory to make (default: demo-NAME)",
	  CMD_STORE(OUTPUT, demo_options, output) },
	{ "--lessons", 0, "DIR", "the lessons of DIR, not the installed ones",
	  CMD_STORE(TEXT, demo_options, lessons) },
};

const struct cmd_command cmd_demo_crash = {
	.name = "demo-crash", .arguments = "[LESSON|SOURCE]",
	.help = "compile a lesson's program and dump its crash",
	.most = 1, CMD_OWN(own_options, demo_options), .guard = CMD_GUARD_OWN,
	.run_alone = demo_crash_run, .interactive = true,
};
