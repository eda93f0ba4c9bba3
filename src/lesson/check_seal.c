/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "lesson/answers.h"
#include "system/file.h"

/* Sealing: the truths of a lesson's file are replaced by their digests. */

struct sealing {
	const struct lesson *lesson;
	struct lesson_scene *scene;
	const struct answers *solution;
	struct arena *arena;
	struct error *error;
};

/* The part of a check's text that is replaced, from `seal` on. */
static struct text
replaced(const struct lesson_card *card)
{
	const struct text what = text_of(card->check.what.text);
	struct text rest = what, word;

	lesson_word(&rest);
	/*
	 * The words of a set or choice extend to the end of the text; the truth of a walk has no
	 * words.
	 */
	if (card->check.kind == LESSON_CHECK_WALK)
		return (struct text){ what.start, what.length - rest.length };
	word = text_trimmed(rest);
	return (struct text){ what.start, (size_t)(word.start + word.length - what.start) };
}

/*
 * The text whose digest seals a task's truth: words of the file, or frames of the walk with the
 * edits of the answer. NULL, with an error, if there is nothing to seal.
 */
static const char *
sealed_text(struct check_try *try, struct error *error)
{
	const char *forms[CHECK_FORMS];

	if (try->card->check.kind == LESSON_CHECK_WALK)
		return check_walk_answer(try, error);
	return check_normal(try, NULL, forms) > 0 ? forms[0] : NULL;
}

static enum error_code
seal_card(const struct sealing *sealing, const struct lesson_card *card, struct seal_note *note)
{
	struct check_try try = { .lesson = sealing->lesson, .card = card, .scene = sealing->scene,
				 .arena = sealing->arena,
				 .answer = text_of(answers_last(sealing->solution,
							    card->task.text)) };

	if (card->check.kind == LESSON_CHECK_WALK && try.answer.length == 0)
		return error_set(sealing->error, ERROR_NOT_FOUND, card->check.what.place,
				 "'solution' has no answer to '%s': the truth is not known",
				 card->task.text);
	note->task = card->task.text;
	note->truth = sealed_text(&try, sealing->error);
	if (note->truth != NULL)
		return ERROR_NONE;
	sealing->error->place = card->check.what.place;
	return sealing->error->code != ERROR_NONE ? sealing->error->code
						  : error_memory(sealing->error);
}

/* Copy the file, with each unsealed truth replaced. */
static enum error_code
write_sealed(const struct sealing *sealing, struct text bytes, const struct output *output,
	     struct seal_notes *notes)
{
	const struct lesson *lesson = sealing->lesson;
	size_t at = 0;

	notes->count = 0;
	for (size_t i = 0; i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];
		struct seal_note *note = &notes->list[notes->count];
		struct check_truth truth;

		lesson_scene_go(sealing->scene, card);
		if (card->task.text[0] == '\0' ||
		    check_read(&card->check, &truth, sealing->error) != ERROR_NONE || !truth.open)
			continue;
		const enum error_code code = seal_card(sealing, card, note);
		if (code != ERROR_NONE)
			return code;
		const size_t start = (size_t)card->check.what.place.offset;
		output->write(output->context, bytes.start + at, start - at);
		output_format(output, "sealed %016" PRIx64, check_digest(card, note->truth));
		at = start + replaced(card).length;
		notes->count++;
	}
	output->write(output->context, bytes.start + at, bytes.length - at);
	return ERROR_NONE;
}

enum error_code
seal_lesson(const struct lesson *lesson, struct lesson_scene *scene, const struct output *output,
	    struct seal_notes *notes, struct error *error)
{
	struct answers solution = { 0 };
	struct file file;

	enum error_code code = answers_read_solution(&solution, lesson, error);
	if (code == ERROR_NONE)
		code = file_open_head(&file, lesson->input.name, LIMIT_LESSON_BYTES + 1, error);
	if (code == ERROR_NONE) {
		const struct sealing sealing = { lesson, scene, &solution, notes->arena,
						 error };
		const struct text bytes = { (const char *)file.data, (size_t)file.size };

		code = write_sealed(&sealing, bytes, output, notes);
		file_close(&file);
	}
	arena_free(&solution.arena);
	return code;
}
