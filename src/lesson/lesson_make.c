/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "inspect/query.h"
#include "report/stack/walk_text.h"
#include "system/new_file.h"

/*
 * Possible tasks about a step. In a query, `%s` is the register of `of`, and '#' is the frame's
 * number in the lesson. Tasks without a truth, and misconceptions equal to the truth, are left out.
 */
enum subject { OF_NONE, OF_SP, OF_PC, OF_FP };

static const struct {
	const char *task, *ask, *truth;
	enum subject of;
	struct {
		const char *query, *sentence;
		enum subject of;
	} wrongs[2];
	const char *hint, *right;
} tasks[] = {
	{ "cfa",
		"The rule of the [[CFA]] of frame # is {{frame # rule .cfa text}}. Which number is "
		"it?",
		"rule .cfa", OF_NONE,
		{ { "register %s", "That is the stack pointer, where the frame begins.", OF_SP },
			{ "rule .ra", "That is the return address, a word of the frame.",
				OF_NONE } },
		"Numbers in rules are decimal.", "It is where frame # ends." },
	{ "where", "At which address does the [[return address]] lie?", "set %s address", OF_PC,
		{ { "set %s", "That is the return address itself.", OF_PC },
			{ "rule .cfa", "That is the CFA; the return address lies below it.",
				OF_NONE } },
		"It is a word of frame #, near its end.",
		"The rule of the return address reads this word." },
	{ "return-address", "Which number is the [[return address]]?", "set %s", OF_PC,
		{ { "set %s address", "That is where it lies: read the word there.", OF_PC },
			{ "register %s", "That is the pc of frame #.", OF_PC } },
		"The caller goes on at this address.", "The word below the CFA has it." },
	{ "stack-pointer", "Which stack pointer does the caller have, once frame # has returned?",
		"set %s", OF_SP,
		{ { "register %s", "That is the stack pointer of frame #.", OF_SP },
			{ "set %s address", "That is where the return address lies.", OF_PC } },
		"The return takes the return address from the stack, too.",
		"The caller's stack begins where frame # ends." },
	{ "frame-pointer", "Which value does the caller's frame pointer have?", "set %s", OF_FP,
		{ { "register %s", "That is the frame pointer of frame #.", OF_FP },
			{ "set %s address", "That is where it was saved: read the word there.",
				OF_FP } },
		"If frame # has saved it, a rule says where.",
		"The function of frame # gives it back when it returns." },
};

struct lesson_making {
	struct walk *walk;
	size_t frame;
	bool whole;			/* the tasks are about the whole stack */
	const char *files;		/* the lesson's symbol files, for `open` */
	struct arena arena;
	const struct output *lesson, *solution;
	/* truths of the tasks written so far */
	uint64_t asked[LIMIT_LESSON_MADE_FRAMES * ARRAY_COUNT(tasks)];
	size_t count;
};

/* Write a line of the lesson with the frame's number. */
static void
write_line(struct lesson_making *making, const char *head, const char *text)
{
	output_plain(making->lesson, head);
	for (; *text != '\0'; text++) {
		if (*text == '#')
			output_format(making->lesson, "%zu", making->frame);
		else
			output_format(making->lesson, "%c", *text);
	}
	output_plain(making->lesson, "\n");
}

/* Fill in a query's register. */
static const char *
query_text(struct lesson_making *making, const char *query, enum subject of)
{
	const struct arch *arch = making->walk->arch;
	const int reg = of == OF_SP ? arch->sp : of == OF_PC ? arch->pc : arch->fp;
	const char *at = strstr(query, "%s");

	if (at == NULL)
		return query;
	return text_or_empty(arena_format(&making->arena, "%.*s%s%s", (int)(at - query), query,
					  reg >= 0 ? arch->registers[reg].label : "", at + 2));
}

/* The value of a query in the step. False if it has none. */
static bool
value_of(struct lesson_making *making, const char *text, uint64_t *value)
{
	const char *whole = arena_format(&making->arena, "frame %zu %s", making->frame, text);
	struct query_answer answer;
	struct query query;
	struct error error = { 0 };

	if (whole == NULL || query_parse(text_of(whole), &query, &error) != ERROR_NONE ||
	    query_ask(&query, making->walk, &making->arena, &answer, &error) != ERROR_NONE)
		return false;
	*value = answer.value;
	return answer.valued;
}

static void
write_task(struct lesson_making *making, size_t index)
{
	const char *truth = query_text(making, tasks[index].truth, tasks[index].of);
	uint64_t value, other, before = 0;

	if (!value_of(making, truth, &value))
		return;
	/* A task must not ask for a value that an earlier task has shown. */
	for (size_t i = 0; i < making->count; i++)
		if (making->asked[i] == value)
			return;
	making->asked[making->count++] = value;
	const char *name = tasks[index].task;
	if (making->whole)
		name = text_or_empty(arena_format(&making->arena, "%s-%zu", name, making->frame));
	output_format(making->lesson, "\ntask   %s\n", name);
	write_line(making, "  ask    ", tasks[index].ask);
	output_format(making->lesson, "  check  value frame %zu %s\n", making->frame, truth);
	write_line(making, "  right  ", tasks[index].right);
	for (size_t i = 0; i < ARRAY_COUNT(tasks[index].wrongs); i++) {
		const char *wrong = query_text(making, tasks[index].wrongs[i].query,
					       tasks[index].wrongs[i].of);

		if (!value_of(making, wrong, &other) || other == value ||
		    (i > 0 && other == before))
			continue;
		output_format(making->lesson, "  wrong  frame %zu %s : ", making->frame, wrong);
		write_line(making, "", tasks[index].wrongs[i].sentence);
		before = other;
	}
	write_line(making, "  hint   ", tasks[index].hint);
	output_format(making->solution, "answer %s 0x%" PRIx64 "\n", name, value);
}

/* Write the lesson: tasks about the step from each frame that has a caller, or from one frame. */
static void
write_lesson(struct lesson_making *making)
{
	const struct walk *walk = making->walk;
	const size_t first = making->frame;
	const size_t most = making->whole ? LIMIT_LESSON_MADE_FRAMES : first + 1;
	struct walk_text_thread *threads;
	size_t number = 0;

	for (size_t i = walk_text_threads(walk->crash, &making->arena, &threads); i-- > 0;)
		number = threads[i].index == walk->thread ? threads[i].number : number;
	output_plain(making->lesson,
		"# Made by 'unspool lesson --new': edit it, then run 'unspool lesson --lint'.\n");
	if (making->whole)
		output_plain(making->lesson, "title  A whole stack, frame by frame\n");
	else
		output_format(making->lesson, "title  The caller of frame %zu\n", first);
	output_format(making->lesson,
		"open   crash.dmp%s\n\n"
		"at     thread %zu; frame %zu; set blind walk\n"
		"say    A call leaves its [[return address]] on the stack, and above it lies "
		"the [[frame]] of the\n"
		"       caller. Find %s from the frame before.\n",
		making->files, number, first, making->whole ? "each caller" : "the caller");
	for (size_t i = first; i + 1 < walk->count && i < most; i++) {
		making->frame = i;
		output_format(making->lesson, "\nat     frame %zu; view memory; set blind step\n",
			      i);
		for (size_t k = 0; k < ARRAY_COUNT(tasks); k++)
			write_task(making, k);
	}
}

/* Whether a frame of the stack is in a module. */
static bool
is_used(const struct walk *walk, size_t module)
{
	bool used = false;

	for (size_t k = 0; k < walk->count; k++)
		used |= walk->frames[k].module == (int)module;
	return used;
}

/* Copy the images of the modules on the stack, if found, because rules can come from them. */
static enum error_code
copy_binaries(struct lesson_making *making, const char *directory, struct new_files *made,
	struct error *error)
{
	const struct walk *walk = making->walk;
	struct arena *arena = &making->arena;
	const char *folder = arena_format(arena, "%s/binaries", directory);
	enum error_code code = folder == NULL ? error_memory(error) : ERROR_NONE;
	bool any = false;

	for (size_t i = 0; i < walk->crash->module_count && code == ERROR_NONE; i++) {
		const struct binary *image =
			walk->binaries != NULL && is_used(walk, i)
				? binaries_load(walk->binaries, i, LOCATE_IMAGE) : NULL;

		if (image == NULL)
			continue;
		if (!any)
			code = new_files_directory(made, folder, false, error);
		any = true;
		const char *path = arena_format(arena, "%s/%s", folder,
						place_base_name(image->plain_name));
		if (code == ERROR_NONE)
			code = path == NULL ? error_memory(error)
				: new_files_write(made, path, image->file.data,
					(size_t)image->file.size, false, error);
	}
	if (any)
		making->files = text_or_empty(
			arena_format(arena, "%s --binaries binaries", making->files));
	return code;
}

/* Copy the dump, and the symbol files of the modules on the stack. */
static enum error_code
copy_crash(struct lesson_making *making, const char *directory, struct new_files *made,
	   struct error *error)
{
	const struct walk *walk = making->walk;
	const struct crash *crash = walk->crash;
	struct arena *arena = &making->arena;
	const char *path = arena_format(arena, "%s/crash.dmp", directory);
	const char *symbols = arena_format(arena, "%s/symbols", directory);

	if (path == NULL || symbols == NULL)
		return error_memory(error);
	enum error_code code = new_files_directory(made, directory, true, error);
	if (code == ERROR_NONE)
		code = new_files_write(made, path, crash->file.data, (size_t)crash->file.size,
				       false, error);
	if (code == ERROR_NONE)
		code = new_files_directory(made, symbols, false, error);
	for (size_t i = 0; i < crash->module_count && code == ERROR_NONE; i++) {
		const struct symfile *symfile = walk_symfile(walk, (int)i);

		if (!is_used(walk, i) || symfile == NULL)
			continue;
		/* A file in the directory belongs to the module that its first record names. */
		path = arena_format(arena, "%s/%zu.sym", symbols, i);
		const struct file *file = symfile_file(symfile);
		code = path == NULL ? error_memory(error)
				    : new_files_write(made, path, file->data, (size_t)file->size,
						      false, error);
		making->files = path == NULL ? making->files
			: arena_format(arena, "%s symbols/%zu.sym", making->files, i);
	}
	return code == ERROR_NONE ? copy_binaries(making, directory, made, error) : code;
}

enum error_code
lesson_make(struct walk *walk, size_t frame, bool whole, const char *directory,
	    struct error *error)
{
	static const char *const names[] = { "lesson", "solution" };
	struct lesson_making making = {
		.walk = walk, .frame = whole ? 0 : frame, .whole = whole, .files = ""
	};
	struct new_file files[2] = { 0 };
	struct new_files made = { 0 };

	walk_run(walk, SIZE_MAX);
	if (making.frame + 1 >= walk->count)
		return error_set(error, ERROR_NOT_FOUND, (struct place){ 0 },
			"frame %zu has no caller to ask for", making.frame);
	enum error_code code = copy_crash(&making, directory, &made, error);
	size_t open = 0;
	for (; code == ERROR_NONE && open < ARRAY_COUNT(files); open++) {
		const char *path = arena_format(&making.arena, "%s/%s", directory, names[open]);

		code = path == NULL ? error_memory(error)
				    : new_file_open(&files[open], path, false, error);
		if (code != ERROR_NONE)
			break;
	}
	if (code == ERROR_NONE) {
		const struct output lesson = new_file_output(&files[0]);
		const struct output solution = new_file_output(&files[1]);

		making.lesson = &lesson;
		making.solution = &solution;
		write_lesson(&making);
	}
	for (size_t i = 0; i < open; i++) {
		struct error closing = { 0 };
		const enum error_code closed =
			new_file_close(&files[i], code == ERROR_NONE, &closing);

		if (code == ERROR_NONE && closed != ERROR_NONE) {
			code = closed;
			*error = closing;
		} else if (code == ERROR_NONE) {
			new_files_note(&made, files[i].path);
		}
	}
	if (code != ERROR_NONE)
		new_files_remove(&made);
	new_files_free(&made);
	arena_free(&making.arena);
	return code;
}
