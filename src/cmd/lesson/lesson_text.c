/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/lesson/lesson.h"
#include "document/row.h"
#include "lesson/answers.h"
#include "lesson/lesson_lint.h"
#include "lesson/progress.h"
#include "report/glossary.h"
#include "system/new_file.h"

/* A lesson in plain text: cards, questions, and answers from standard input or a file. */

enum { COLUMNS = 78, OPTION_COLUMN = 25 };

struct answer_reader {
	struct lesson_run *run;
	struct arena arena;		/* holds the path of the progress, and the views */
	const char **rows;		/* the views of each card; NULL: not made yet */
	const char *progress;		/* path; NULL: not saved */
	bool terminal;
	bool exam;			/* one try for each task, without a reply */
};

static void
print_text(const char *filled)
{
	struct text line;

	for (size_t i = 0; operand_filled_line(filled, COLUMNS, i, &line); i++)
		cmd_print("%.*s", (int)line.length, line.start);
}

/* Print a word of a choice and its meaning, which has a column of its own. */
static void
print_option(struct lesson_run *run, const struct lesson_option *option)
{
	const char *meaning = lesson_run_fill(run, &option->meaning), *word = option->word.text;
	struct text line;

	for (size_t i = 0; operand_filled_line(meaning, COLUMNS - OPTION_COLUMN, i, &line); i++)
		cmd_print("  %-*s %.*s", OPTION_COLUMN - 3, i == 0 ? word : "", (int)line.length,
			line.start);
}

static void
print_card(struct answer_reader *reader)
{
	const struct lesson_run *run = reader->run;
	const struct lesson_card *card = lesson_run_card(run);
	struct lesson_piece piece;
	bool any = false;

	cmd_print("%s", "");
	if (card->task.text[0] != '\0')
		cmd_print("task %s (thread %zu, frame %zu)", card->task.text, run->scene->thread,
			  run->scene->frame);
	print_text(lesson_run_fill(reader->run, &card->say));
	/* The words of the card that `help` explains. */
	for (struct lesson_text rest = card->say; lesson_next_piece(&rest, &piece);) {
		if (piece.kind != LESSON_WORD)
			continue;
		output_plain(&cmd_output, any ? ", " : "(help: ");
		output_text(&cmd_output, piece.text);
		any = true;
	}
	output_plain(&cmd_output, any ? ")\n" : "");
	for (size_t i = 0; i < card->option_count; i++)
		print_option(reader->run, &card->options[i]);
	if (card->task.text[0] != '\0')
		cmd_print("Answer: %s.", lesson_run_how(reader->run));
	for (size_t i = 0; i < lesson_run_state(run)->hints; i++)
		print_text(lesson_run_fill(reader->run, &card->hints[i]));
}

/* Save the last answer or hint. */
static void
keep(struct answer_reader *reader, bool passed)
{
	struct error error = { 0 };

	if (reader->progress == NULL ||
		progress_add(reader->progress, reader->run, passed, &error) == ERROR_NONE)
		return;
	cmd_print_error(&error, reader->progress);
	reader->progress = NULL;
}

static void
answer(struct answer_reader *reader, const char *line)
{
	struct lesson_run *run = reader->run;
	const bool before = lesson_run_state(run)->passed;
	const struct lesson_reply reply = lesson_run_answer(run, text_of(line));

	if (reader->exam) {
		cmd_print(reply.result <= CHECK_WRONG ? "Noted." : "Not understood: %s",
			  reply.sentence);
		if (reply.result <= CHECK_WRONG)
			lesson_run_go(run, run->card + 1);
		return;
	}
	const bool passed = !before && lesson_run_state(run)->passed;
	/* A right answer changes the views, so their rows must be made again. */
	reader->rows = passed ? NULL : reader->rows;
	print_text(lesson_run_say(run, &reply, "'hint' gives a hint."));
	if (reply.result <= CHECK_WRONG)
		keep(reader, passed);
	if (reply.result == CHECK_RIGHT)
		lesson_run_go(run, run->card + 1);
}

static const char commands[] =
	"type an answer, or a command: hint, skip, back, again, show VIEW, help WORD, ?, quit";

/* Make the rows of the explorer's views at each card, after the answers of the passed tasks. */
static bool
make_rows(struct answer_reader *reader)
{
	const struct lesson *lesson = reader->run->lesson;
	struct lesson_findings findings = { 0 };
	struct cmd_options *options = cmd_lesson_options(lesson, lesson->directory);
	struct answers given = { 0 };

	for (size_t i = 0; i < lesson->card_count; i++) {
		const char *answer = lesson_run_passing(reader->run, i);

		if (answer != NULL)
			ARENA_ADD(&given.arena, given.lines, given.count, given.capacity,
				  &(struct answers_line){ .task = lesson->cards[i].task.text,
							  .answer = answer });
	}
	if (options != NULL && cmd_lesson_rows(options, lesson, &given, false, &reader->arena,
				       &reader->rows, &findings) != CMD_DONE)
		reader->rows = NULL;
	arena_free(&given.arena);
	arena_free(&findings.arena);
	cmd_options_free(options);
	return reader->rows != NULL;
}

/* The name of the view in a title line, "[memory] > now"; empty: not a title. */
static struct text
view_of_title(struct text line)
{
	struct text name = { line.start + 1, 0 };

	if (line.length == 0 || line.start[0] != '[')
		return (struct text){ "", 0 };
	while (name.length + 1 < line.length && islower((unsigned char)name.start[name.length]))
		name.length++;
	return (struct text){ name.start, name.start[name.length] == ']' ? name.length : 0 };
}

/* Rows of a view before and after its cursor. */
enum { BEFORE = 8, AFTER = 40 };

/* Whether a row is a word of memory that is 0 and has no mark. */
static bool
is_zero(struct text row)
{
	const bool plain = text_drop_prefix(&row, "  ");
	const struct text address = lesson_word(&row), word = lesson_word(&row);
	const struct text reading = lesson_word(&row);
	uint64_t number, value;

	return plain && address.length >= 8 && word.length == address.length &&
	       text_number(address, 16, &number) && text_number(word, 16, &value) && value == 0 &&
	       text_is(reading, "0") && text_trimmed(row).length == 0;
}

/* Print a row. On a terminal, a long row continues after one of its blanks. */
static void
print_row(struct text row)
{
	size_t lines, columns = SIZE_MAX;

	if (isatty(STDOUT_FILENO))
		cmd_terminal_size(&lines, &columns);
	for (size_t i = 0; i < row_wrap_count(row, columns); i++) {
		const struct text line = row_wrap_line(row, columns, i);

		cmd_print("%.*s", (int)line.length, line.start);
	}
}

/* Print rows. Adjacent words of 0 become one row, unless `all`. */
static void
print_rows(const struct text *rows, size_t from, size_t to, bool all)
{
	for (size_t i = from, zeros; i < to; i += zeros > 2 ? zeros : 1) {
		for (zeros = 0; i + zeros < to && !all && is_zero(rows[i + zeros]);)
			zeros++;
		if (zeros > 2)
			cmd_print("    +               ...                   %zu words of 0",
				zeros);
		else
			print_row(rows[i]);
	}
}

static void
print_names(struct answer_reader *reader)
{
	struct text rest, line;

	if (reader->rows == NULL && !make_rows(reader))
		return;
	output_plain(&cmd_output, "show one of:");
	for (rest = text_of(reader->rows[reader->run->card]); text_take_line(&rest, &line);)
		if (view_of_title(line).length > 0)
			output_format(&cmd_output, " %.*s", TEXT_UPTO(view_of_title(line), 40));
	output_plain(&cmd_output, "; 'show VIEW all' has all rows of a view\n");
}

/*
 * Print the named view of the explorer: its rows near the cursor or, with "all", all of them.
 * Empty name: the card's view; unknown name: all names.
 */
static void
show_view(struct answer_reader *reader, struct text wanted)
{
	const size_t card = reader->run->card;
	const bool all = text_is(wanted, "all") || text_drop_suffix(&wanted, " all");
	struct text rest, line, *rows = NULL;
	size_t count = 0, capacity = 0, cursor = 0;
	struct arena arena = { 0 };
	bool inside = false, top;

	if (reader->rows == NULL && !make_rows(reader))
		return;
	const struct text opened = lesson_view(reader->run->lesson, card, &top);
	if (wanted.length == 0 || text_is(wanted, "all"))
		wanted = opened;
	top &= text_equal(wanted, opened);
	for (rest = text_of(reader->rows[card]); text_take_line(&rest, &line);) {
		const struct text view = view_of_title(line);

		if (view.length > 0 || line.length == 0)
			inside = view.length > 0 && text_equal(view, wanted);
		if (!inside)
			continue;
		if (!top && cursor == 0 && line.length > 0 && line.start[0] == '>')
			cursor = count;
		ARENA_ADD(&arena, rows, count, capacity, &line);
	}
	const size_t from = all || cursor <= BEFORE ? 1 : cursor - BEFORE;
	const size_t to = all || count - from <= BEFORE + AFTER ? count : from + BEFORE + AFTER;
	if (count > 0) {
		print_rows(rows, 0, 1, true);
		print_rows(rows, from, to, all);
	} else {
		print_names(reader);
	}
	if (from > 1 || to < count)
		cmd_print("(%zu of %zu rows; 'show %.*s all' has all)", to - from, count - 1,
			TEXT_UPTO(wanted, 40));
	arena_free(&arena);
}

/* Run a command word. True if the card must be shown again. */
static bool
obey(struct answer_reader *reader, const char *line, bool *left)
{
	struct lesson_run *run = reader->run;
	const struct glossary_entry *entry;
	struct arena arena = { 0 };
	const char *hint;
	if (strcmp(line, "quit") == 0) {
		*left = true;
	} else if (strcmp(line, "skip") == 0) {
		lesson_run_go(run, run->card + 1);
		return true;
	} else if (reader->exam && (strcmp(line, "back") == 0 || strcmp(line, "hint") == 0)) {
		cmd_print("an exam has no hints, and no way back");
	} else if (strcmp(line, "back") == 0) {
		lesson_run_go(run, run->card > 0 ? run->card - 1 : 0);
		return true;
	} else if (strcmp(line, "again") == 0) {
		return true;
	} else if (strcmp(line, "?") == 0 || strcmp(line, "help") == 0) {
		cmd_print("%s", commands);
		print_names(reader);
	} else if (strcmp(line, "show") == 0 || strncmp(line, "show ", 5) == 0) {
		show_view(reader, text_trimmed(text_of(line + 4)));
	} else if (strncmp(line, "help ", 5) == 0) {
		entry = glossary_explain(text_of(line + 5), &arena);
		if (entry == NULL)
			cmd_print("the glossary has no '%s'; 'unspool help' lists all terms",
				  line + 5);
		else
			print_text(entry->text);
		arena_free(&arena);
	} else if (strcmp(line, "hint") == 0) {
		hint = lesson_run_hint(run);
		print_text(hint != NULL ? hint : "There are no more hints.");
		if (hint != NULL)
			keep(reader, false);
	} else {
		const size_t card = run->card;

		answer(reader, line);
		return run->card != card;
	}
	return false;
}

/* Read lines until the lesson is over. A card without a task waits only on a terminal. */
static void
read_answers(struct answer_reader *reader)
{
	struct lesson_run *run = reader->run;
	const struct lesson_card *card;
	bool show = true, left = false;
	char *line = NULL;
	size_t size = 0;

	while (!left && (card = lesson_run_card(run)) != NULL) {
		const bool task = card->task.text[0] != '\0';

		if (show)
			print_card(reader);
		show = !task && !reader->terminal;
		if (show) {
			lesson_run_go(run, run->card + 1);
			continue;
		}
		if (reader->terminal)
			output_format(&cmd_output, task ? "> " : "[Enter] ");
		fflush(stdout);
		if (getline(&line, &size, stdin) < 0)
			break;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] == '\0' && !task)
			lesson_run_go(run, run->card + 1);
		show = line[0] == '\0' ? !task : obey(reader, line, &left);
	}
	free(line);
}

static void
tell_reply(void *context, const struct answers_line *line, const struct lesson_reply *reply)
{
	static const char *const words[] = { "right", "wrong", "not understood", "broken" };

	(void)context;
	cmd_print("%s: %s: %s%s%s", place_format(&line->place).text, line->task,
		words[reply->result],
		reply->result == CHECK_RIGHT || reply->sentence[0] == '\0' ? "" : ": ",
		reply->result == CHECK_RIGHT ? "" : reply->sentence);
}

static enum cmd_status
write_hand_in(const struct lesson_run *run, const char *path)
{
	struct new_file file;
	struct error error = { 0 };

	enum error_code code = new_file_open(&file, path, false, &error);
	if (code == ERROR_NONE) {
		const struct output output = new_file_output(&file);

		answers_write(&output, run);
		code = new_file_close(&file, true, &error);
	}
	if (code == ERROR_NONE)
		return CMD_DONE;
	return cmd_print_error(&error, path);
}

static void
print_head(const struct lesson *lesson)
{
	cmd_print("%s: %s", lesson->name, lesson->title.text);
	output_plain(&cmd_output, "The crash: unspool");
	for (size_t i = 0; i < lesson->option_count; i++)
		output_format(&cmd_output, " %s %s", lesson->options[i].name,
			      lesson->options[i].value);
	for (size_t i = 0; i < lesson->path_count; i++) {
		output_plain(&cmd_output, " ");
		output_text(&cmd_output, text_of(lesson->paths[i]));
	}
	output_plain(&cmd_output, "\n");
	for (size_t i = 0; i < lesson->need_count; i++)
		cmd_print("Comes after: %s", lesson->needs[i].text);
	cmd_print("%s", commands);
}

enum cmd_status
cmd_lesson_text(const struct lesson_options *own, struct open_lesson *open)
{
	struct lesson_run run;
	struct answer_reader reader = { .run = &run, .terminal = isatty(STDIN_FILENO) };
	enum cmd_status status = CMD_DONE;

	open->scene.place = LESSON_IN_TEXT;
	if (!lesson_run_open(&run, &open->lesson, &open->scene)) {
		lesson_run_close(&run);
		return cmd_out_of_memory();
	}
	if (own->answers != NULL) {
		struct answers answers;
		struct error error = { 0 };

		if (answers_read(&answers, own->answers, &error) != ERROR_NONE)
			status = cmd_print_error(&error, own->answers);
		else
			answers_replay(&answers, NULL, &run, tell_reply, NULL);
		arena_free(&answers.arena);
	} else {
		reader.exam = own->exam;
		reader.progress = own->exam ? NULL : progress_path(&reader.arena);
		print_head(&open->lesson);
		if (reader.progress != NULL)
			progress_resume(reader.progress, &run);
		if (lesson_run_passed(&run) > 0)
			cmd_print("%zu of %zu tasks passed before; 'back' shows the cards before, "
				  "'unspool lesson --reset %s' begins anew",
				lesson_run_passed(&run), lesson_task_count(&open->lesson),
				open->lesson.name);
		read_answers(&reader);
	}
	const size_t tasks = lesson_task_count(&open->lesson);
	if (status == CMD_DONE && !own->exam)
		cmd_print("%zu of %zu tasks passed", lesson_run_passed(&run), tasks);
	if (status == CMD_DONE && own->hand_in != NULL)
		status = write_hand_in(&run, own->hand_in);
	else if (status == CMD_DONE && own->answers != NULL && lesson_run_passed(&run) < tasks)
		status = CMD_FINDINGS;
	lesson_run_close(&run);
	arena_free(&reader.arena);
	return status;
}
