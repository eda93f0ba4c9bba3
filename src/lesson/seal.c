/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/seal.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "lesson/answers.h"
#include "system/file.h"

struct sealing {
	const struct lesson *lesson;
	struct lesson_scene *scene;
	const struct answers *solution;
	struct arena *arena;
	struct error *error;
};

/* The last answer to a task in `solution`; empty: none. */
static struct text
solution_of(const struct sealing *sealing, const struct lesson_card *card)
{
	struct text answer = { "", 0 };

	for (size_t i = 0; i < sealing->solution->count; i++) {
		const struct answers_line *line = &sealing->solution->lines[i];

		if (line->answer != NULL && strcmp(line->task, card->task.text) == 0)
			answer = text_of(line->answer);
	}
	return answer;
}

/* The part of a check's text that is replaced, from `seal` on. */
static struct text
replaced(const struct lesson_card *card)
{
	const struct text what = text_of(card->check.what.text);
	struct text rest = what, word;

	lesson_word(&rest);
	/* The words of a set or choice extend to the end; a walk has none. */
	if (card->check.kind == LESSON_CHECK_WALK)
		return (struct text){ what.start, what.length - rest.length };
	word = text_trimmed(rest);
	return (struct text){ what.start, (size_t)(word.start + word.length - what.start) };
}

static enum error_code
seal_card(const struct sealing *sealing, const struct lesson_card *card, struct seal_note *note)
{
	struct check_try try = { .lesson = sealing->lesson, .card = card, .scene = sealing->scene,
				 .arena = sealing->arena,
				 .answer = solution_of(sealing, card) };

	if (card->check.kind == LESSON_CHECK_WALK && try.answer.length == 0)
		return error_set(sealing->error, ERROR_NOT_FOUND, card->check.what.place,
				 "'solution' has no answer to '%s': the truth is not known",
				 card->task.text);
	note->task = card->task.text;
	note->truth = check_sealed_text(&try, sealing->error);
	if (note->truth != NULL)
		return ERROR_NONE;
	sealing->error->place = card->check.what.place;
	return sealing->error->code != ERROR_NONE ? sealing->error->code
						  : error_memory(sealing->error);
}

/* Copy the file, with each open truth replaced. */
static enum error_code
write_sealed(const struct sealing *sealing, struct text bytes, const struct output *output,
	     struct seal_note *notes, size_t *count)
{
	const struct lesson *lesson = sealing->lesson;
	size_t at = 0;

	*count = 0;
	for (size_t i = 0; i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];
		struct check_truth truth;

		lesson_scene_go(sealing->scene, card);
		if (card->task.text[0] == '\0' ||
		    check_read(&card->check, &truth, sealing->error) != ERROR_NONE || !truth.open)
			continue;
		const enum error_code code = seal_card(sealing, card, &notes[*count]);
		if (code != ERROR_NONE)
			return code;
		const size_t start = (size_t)card->check.what.place.offset;
		output->write(output->context, bytes.start + at, start - at);
		output_format(output, "sealed %016" PRIx64,
			      check_digest(card, notes[*count].truth));
		at = start + replaced(card).length;
		(*count)++;
	}
	output->write(output->context, bytes.start + at, bytes.length - at);
	return ERROR_NONE;
}

enum error_code
seal_lesson(const struct lesson *lesson, struct lesson_scene *scene, const struct output *output,
	    struct arena *arena, struct seal_note *notes, size_t *count, struct error *error)
{
	struct answers solution = { 0 };
	enum error_code code = ERROR_NONE;
	struct file file;

	const char *path = arena_format(arena, "%s/solution", lesson->directory);
	if (path != NULL && access(path, F_OK) == 0)
		code = answers_read(&solution, path, error);
	if (code == ERROR_NONE)
		code = file_open_head(&file, lesson->input.name, LIMIT_LESSON_BYTES + 1, error);
	if (code == ERROR_NONE) {
		const struct sealing sealing = { lesson, scene, &solution, arena, error };
		const struct text bytes = { (const char *)file.data, (size_t)file.size };

		code = write_sealed(&sealing, bytes, output, notes, count);
		file_close(&file);
	}
	answers_free(&solution);
	return code;
}
