/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "cmd/explore.h"
#include "cmd/lesson/lesson.h"
#include "lesson/answers.h"
#include "lesson/lesson_lint.h"

/*
 * The rows and command results that a learner sees at each card. The explorer runs the lesson
 * without a screen, prints all rows of all views in full, and runs the commands of `shows`. This
 * also checks rows that a small screen leaves out.
 */

/* First byte of an output line that reports a failed command, and of no other line. */
#define FAILED '\1'

/* The output of the explorer: a global, because note_failure() has no context. */
static const struct output *screens_output;

static void
note_failure(const char *text)
{
	/* Drop the place ("standard input:12: ") of a line of the script that is made here. */
	const char *place = strchr(text, ':');
	const char *message = place != NULL ? strchr(place + 1, ':') : NULL;

	output_format(screens_output, "%c%s\n", FAILED, message != NULL ? message + 2 : text);
}

/* Hide the rows of views in the output. Rows of commands that only prepare are hidden. */
#define HIDE "set rows 1\n"

/*
 * Commands that show all views of each card and, if `shows`, run the card's `shows`. An answer in
 * `given` follows them, so that the views of the next cards show its result.
 */
static const char *
make_script(const struct lesson *lesson, const struct answers *given, bool shows,
	struct arena *arena)
{
	struct output_string script;
	const unsigned most = LIMIT_LESSON_ROWS / (unsigned)(lesson->card_count + 1);

	output_string_init(&script, arena);
	for (size_t i = 0; i < lesson->card_count; i++) {
		const char *view, *task = lesson->cards[i].task.text;

		/* Unfold all rows, because text has no keys to unfold them later. */
		output_format(&script.output,
			HIDE "try view memory\ntry unfold all\nview lesson\nset rows %u\n", most);
		for (size_t k = 0; (view = explorer_view_command(k)) != NULL; k++)
			/* Commands with an argument (in capitals) show no view of the card. */
			if (strpbrk(view, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL &&
				strcmp(view, "view lesson") != 0)
				output_format(&script.output, "try %s\n", view);
		/* Like all commands of a file, these may only move, show and edit in memory. */
		output_plain(&script.output, shows ? "lesson again\nlesson shows\n" : "");
		if (given != NULL && task[0] != '\0' && answers_last(given, task)[0] != '\0')
			output_format(&script.output, HIDE "try answer %s\nset rows %u\n",
				answers_last(given, task), most);
		output_plain(&script.output, "lesson skip\n");
	}
	return script.text;
}

/* The number of the card that has this title line, "[lesson] P answer  ; hint  4/7"; 0: none. */
static size_t
card_of_title(struct text line)
{
	uint64_t number;
	size_t at = line.length;

	if (!text_drop_prefix(&line, "[lesson] "))
		return 0;
	for (at = line.length; at > 0 && line.start[at - 1] != ' ';)
		at--;
	line = (struct text){ line.start + at, line.length - at };
	return text_take_number(&line, 10, &number) ? (size_t)number : 0;
}

/* Collect the rows of each card, and report failed commands and a view beyond the limit. */
static void
divide_rows(const struct lesson *lesson, struct text rest, struct output_string *cards,
	struct lesson_findings *findings)
{
	struct text line;
	size_t card = 0;
	/* The explorer prints few rows until the first limit is set (`begun`). */
	bool hidden = false, begun = false, cut = false;

	while (text_take_line(&rest, &line)) {
		const size_t title = card_of_title(line);

		card = title > 0 && title <= lesson->card_count ? title - 1 : card;
		if (line.length > 0 && line.start[0] == FAILED &&
			memmem(line.start, line.length, EXPLORER_REFUSAL,
				strlen(EXPLORER_REFUSAL)) == NULL)
			lesson_find(findings,
				lesson->cards[card].shows.text[0] != '\0'
					? lesson->cards[card].shows.place
					: lesson->cards[card].at.place,
				"a command fails: %.*s", (int)line.length - 1, line.start + 1);
		struct text number = line;
		const bool rows = text_drop_prefix(&number, "rows ");
		const bool some = memmem(line.start, line.length, " of ", 4) != NULL;
		if (rows && some && begun && !hidden && !cut) {
			cut = true;
			lesson_find(findings, lesson->cards[card].say.place,
				"a view has too many rows: answers are searched only in %.*s",
				(int)strcspn(line.start, ";\n"), line.start);
		} else if (rows && !some) {
			hidden = text_is(line, "rows 1");
			begun = true;
		}
		if (hidden || rows)
			continue;
		cards[card].output.write(cards[card].output.context, line.start, line.length);
		output_plain(&cards[card].output, "\n");
	}
}

enum cmd_status
cmd_lesson_rows(struct cmd_options *options, const struct lesson *lesson,
	const struct answers *given, bool shows, struct arena *arena, const char ***rows,
	struct lesson_findings *findings)
{
	struct explore_options *explore = (struct explore_options *)options;
	struct output_string all;
	struct output_string *cards = arena_array(arena, lesson->card_count, sizeof(*cards));

	*rows = arena_array(arena, lesson->card_count, sizeof(**rows));
	output_string_init(&all, arena);
	screens_output = &all.output;
	explore->no_config = true;
	explore->explorer.plain = true;
	explore->explorer.script_text = make_script(lesson, given, shows, arena);
	explore->explorer.output = &all.output;
	explore->explorer.complain = note_failure;
	enum cmd_status status =
		cards == NULL || *rows == NULL || explore->explorer.script_text == NULL
		? cmd_out_of_memory()
		: cmd_explore_with(explore);
	/* A failed command is a finding with its place. */
	if (status == CMD_FINDINGS)
		status = CMD_DONE;
	for (size_t i = 0; status == CMD_DONE && i < lesson->card_count; i++)
		output_string_init(&cards[i], arena);
	if (status == CMD_DONE)
		divide_rows(lesson, (struct text){ all.text, all.length }, cards, findings);
	for (size_t i = 0; status == CMD_DONE && i < lesson->card_count; i++)
		(*rows)[i] = text_or_empty(cards[i].text);
	return status;
}
