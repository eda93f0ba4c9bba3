/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_lint.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "lesson/answers.h"
#include "report/glossary.h"

/* Smaller answers are numbers that occur in many texts. */
#define LEAST_TELLING 256u

struct linting {
	const struct lesson *lesson;
	struct lesson_scene scene;
	bool (*permits)(const char *line);
	struct lesson_findings *findings;
	struct input *files;		/* `wrong` and `solution` */
	struct arena arena;		/* holds texts of a card */
};

static void ATTRIBUTE_PRINTF(3, 4)
find(struct linting *linting, struct place place, const char *format, ...)
{
	struct lesson_findings *findings = linting->findings;
	struct lesson_finding *finding = ARENA_PUSH(&findings->arena, findings->items,
						    findings->count, findings->capacity);
	char text[400];

	TEXT_FORMAT(text, format);
	if (finding != NULL)
		*finding = (struct lesson_finding){
			place, text_or_empty(arena_copy(&findings->arena, text, strlen(text))) };
}

/* Texts ----------------------------------------------------------------------------------------*/

static void
lint_pieces(struct linting *linting, const struct lesson_text *text)
{
	struct lesson_piece piece;

	for (size_t at = 0; lesson_next_piece(text->text, &at, &piece);) {
		const struct place place = lesson_place_in(text, piece.start + 2);
		struct query_answer answer;
		struct error error = { 0 };

		if (piece.kind == LESSON_WORD &&
		    glossary_explain(piece.text, &linting->arena) == NULL)
			find(linting, place, "the glossary has no '%.*s'", (int)piece.text.length,
			     piece.text.start);
		if (piece.kind != LESSON_QUERY)
			continue;
		const struct lesson_text query = {
			text_or_empty(arena_copy(&linting->arena, piece.text.start,
						 piece.text.length)), place };
		if (operand_of(&query, &linting->scene, &linting->arena, &answer, &error) !=
		    ERROR_NONE)
			find(linting, place, "no answer: %s", error.text);
	}
}

static void
lint_size(struct linting *linting, const struct lesson_text *text, const char *filled)
{
	static const size_t sizes[][2] = {
		{ LESSON_SIDE_COLUMNS, LESSON_SIDE_ROWS },
		{ LESSON_BELOW_COLUMNS, LESSON_BELOW_ROWS },
	};

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct text line;
		size_t lines = 0;

		while (operand_filled_line(filled, sizes[i][0], lines, &line))
			lines++;
		if (lines > sizes[i][1])
			find(linting, text->place, "%zu lines of %zu columns, %zu fit", lines,
			     sizes[i][0], sizes[i][1]);
	}
}

/* Check a text and fill it in. */
static const char *
lint_text(struct linting *linting, const struct lesson_text *text)
{
	lint_pieces(linting, text);
	const char *filled = operand_fill(text, &linting->scene, &linting->arena);
	lint_size(linting, text, text_or_empty(filled));
	return text_or_empty(filled);
}

/* Answers --------------------------------------------------------------------------------------*/

/* Whether a text contains the number as a word, in hexadecimal or decimal. */
static bool
tells_number(const char *text, uint64_t value)
{
	while (*text != '\0' && value >= LEAST_TELLING) {
		size_t length = 0;
		uint64_t number;

		while (isalnum((unsigned char)text[length]))
			length++;
		for (unsigned base = 10; base <= 16; base += 6)
			if (text_number((struct text){ text, length }, base, &number) &&
			    number == value)
				return true;
		text += length > 0 ? length : 1;
	}
	return false;
}

static void
lint_telling(struct linting *linting, const struct lesson_text *text, const char *filled,
	     const struct query_answer *truth, const struct check_truth *check)
{
	const bool words = check->operand.asks && !truth->valued && strlen(truth->text) > 3;

	if ((truth->valued && tells_number(filled, truth->value)) ||
	    (words && strstr(filled, truth->text) != NULL))
		find(linting, text->place, "the answer can be read here: %s", truth->text);
}

/* Check that a task's answer exists and that no text before it reveals the answer. */
static void
lint_check(struct linting *linting, size_t index, const char *const *filled)
{
	const struct lesson_card *card = &linting->lesson->cards[index];
	struct query_answer truth = { .text = "" };
	struct check_truth check;
	struct error error = { 0 };

	if (check_read(&card->check, &check, &error) != ERROR_NONE)
		return;
	if (check.open)
		find(linting, card->check.what.place,
		     "the truth can be read in the file; 'unspool lesson --seal' hides it");
	if ((check.operand.asks || check.operand.rest.length > 0) &&
	    operand_value(&check.operand, &linting->scene, &linting->arena, &truth, &error) !=
		    ERROR_NONE) {
		find(linting, card->check.what.place, "no answer: %s", error.text);
		return;
	}
	/* Only the cards since the last task are read shortly before. */
	for (size_t i = index + 1; i-- > 0;) {
		if (i < index && linting->lesson->cards[i].task.text[0] != '\0')
			break;
		lint_telling(linting, &linting->lesson->cards[i].say, filled[i], &truth, &check);
	}
	for (size_t i = 0; i < card->hint_count; i++) {
		const char *hint =
			operand_fill(&card->hints[i], &linting->scene, &linting->arena);

		lint_telling(linting, &card->hints[i], text_or_empty(hint), &truth, &check);
	}
}

static void
lint_task(struct linting *linting, size_t index, const char *const *filled)
{
	const struct lesson_card *card = &linting->lesson->cards[index];

	for (size_t i = 0; i < card->hint_count; i++)
		lint_text(linting, &card->hints[i]);
	for (size_t i = 0; i < card->option_count; i++)
		lint_pieces(linting, &card->options[i].meaning);
	for (size_t i = 0; i < card->wrong_count; i++) {
		const struct lesson_wrong *wrong = &card->wrongs[i];
		struct query_answer answer;
		struct error error = { 0 };

		lint_text(linting, &wrong->sentence);
		if (card->check.kind <= LESSON_CHECK_PREDICT &&
		    operand_of(&wrong->match, &linting->scene, &linting->arena, &answer, &error) !=
			    ERROR_NONE)
			find(linting, wrong->match.place, "no answer: %s", error.text);
	}
	lint_check(linting, index, filled);
}

/* A file of answers in the lesson's directory. */
struct lint_answers {
	struct linting *linting;
	bool must_pass;
};

static void
lint_reply(void *context, const struct answers_line *line, const struct lesson_reply *reply)
{
	const struct lint_answers *answers = context;
	struct linting *linting = answers->linting;
	const bool right = reply->result == CHECK_RIGHT;
	struct place place = line->place;

	place.input = &linting->files[answers->must_pass];
	if (answers->must_pass && !right)
		find(linting, place, "the answer to '%s' is not accepted: %s", line->task,
		     reply->sentence);
	else if (!answers->must_pass && right)
		find(linting, place, "the answer to '%s' is accepted", line->task);
	else if (!answers->must_pass && !reply->own)
		find(linting, place, "the answer to '%s' meets no sentence of its own: %s",
		     line->task, reply->sentence);
}

/* Replay `solution`, which must pass each task, or `wrong`, whose lines must get a sentence. */
static void
lint_answers_of(struct linting *linting, bool must_pass)
{
	struct input *input = &linting->files[must_pass];
	struct lint_answers context = { linting, must_pass };
	struct lesson_run run;
	struct answers answers;
	struct error error = { 0 };

	input->name = arena_format(&linting->findings->arena, "%s/%s", linting->lesson->directory,
				   must_pass ? "solution" : "wrong");
	if (input->name == NULL || access(input->name, F_OK) != 0)
		return;
	if (answers_read(&answers, input->name, &error) != ERROR_NONE) {
		error.place.input = input;
		find(linting, error.place, "%s", error.text);
	} else if (lesson_run_open(&run, linting->lesson, &linting->scene)) {
		answers_replay(&answers, NULL, &run, lint_reply, &context);
		for (size_t i = 0; must_pass && i < linting->lesson->card_count; i++)
			if (linting->lesson->cards[i].task.text[0] != '\0' &&
			    !run.states[i].passed)
				find(linting, linting->lesson->cards[i].task.place,
				     "'solution' does not pass it");
		lesson_run_close(&run);
	}
	arena_free(&answers.arena);
}

/* Check that the explorer permits the commands. */
static void
lint_commands(struct linting *linting, const struct lesson_text *text)
{
	const char *rest = text->text;
	struct text command;

	while ((command = lesson_next_command(&rest)).length > 0) {
		const char *line = text_or_empty(
			arena_copy(&linting->arena, command.start, command.length));

		if (!linting->permits(line))
			find(linting, text->place, "a lesson may not run '%s'", line);
	}
}

void
lesson_lint(const struct lesson *lesson, const struct lesson_scene *scene,
	    bool (*permits)(const char *line), struct lesson_findings *findings)
{
	struct linting linting = { .lesson = lesson, .scene = *scene, .permits = permits,
				   .findings = findings };
	struct arena texts = { 0 };

	*findings = (struct lesson_findings){ 0 };
	linting.files = findings->files;
	const char **filled = arena_array(&texts, lesson->card_count + 1, sizeof(*filled));
	for (size_t i = 0; filled != NULL && i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];

		if (!lesson_scene_go(&linting.scene, card))
			find(&linting, card->at.place, "the crash has no such thread or frame");
		lint_commands(&linting, &card->at);
		lint_commands(&linting, &card->after);
		const char *text = lint_text(&linting, &card->say);
		filled[i] = text_or_empty(arena_copy(&texts, text, strlen(text)));
		if (card->task.text[0] != '\0')
			lint_task(&linting, i, filled);
		arena_reset(&linting.arena);
	}
	lint_answers_of(&linting, true);
	lint_answers_of(&linting, false);
	arena_free(&texts);
	arena_free(&linting.arena);
}
