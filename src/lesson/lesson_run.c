/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_run.h"

#include "base/error.h"

bool
lesson_run_open(struct lesson_run *run, const struct lesson *lesson, struct lesson_scene *scene)
{
	*run = (struct lesson_run){ .lesson = lesson, .scene = scene };
	run->states = arena_array(&run->arena, lesson->card_count + 1, sizeof(*run->states));
	if (run->states != NULL)
		lesson_run_go(run, 0);
	return run->states != NULL;
}

void
lesson_run_close(struct lesson_run *run)
{
	arena_free(&run->arena);
	arena_free(&run->texts);
}

const struct lesson_card *
lesson_run_card(const struct lesson_run *run)
{
	return run->card < run->lesson->card_count ? &run->lesson->cards[run->card] : NULL;
}

const struct lesson_state *
lesson_run_state(const struct lesson_run *run)
{
	return &run->states[run->card];
}

const char *
lesson_run_fill(struct lesson_run *run, const struct lesson_text *text)
{
	const char *shown = operand_fill(text, run->scene, &run->texts);

	return shown != NULL ? shown : OUT_OF_MEMORY;
}

const char *
lesson_run_how(struct lesson_run *run)
{
	const struct lesson_card *card = lesson_run_card(run);

	if (card == NULL || card->task.text[0] == '\0')
		return "";
	const char *choices = check_choices(card, run->scene, &run->texts);
	return choices != NULL ? choices : check_how(card->check.kind);
}

static struct lesson_entry *
add_entry(struct lesson_run *run)
{
	struct lesson_entry *entry =
		ARENA_PUSH(&run->arena, run->entries, run->entry_count, run->entry_capacity);

	if (entry != NULL)
		entry->card = run->card;
	return entry;
}

const char *
lesson_run_hint(struct lesson_run *run)
{
	const struct lesson_card *card = lesson_run_card(run);
	struct lesson_state *state = &run->states[run->card];

	if (card == NULL || state->hints >= card->hint_count)
		return NULL;
	add_entry(run);
	return lesson_run_fill(run, &card->hints[state->hints++]);
}

static const char *
plain_sentence(enum check_result result)
{
	static const char *const sentences[] = {
		[CHECK_RIGHT] = "right",
		[CHECK_WRONG] = "no",
		[CHECK_NO_ANSWER] = "this cannot be understood",
		[CHECK_BROKEN] = ("the lesson cannot check this task; "
				  "'unspool lesson --lint' says why"),
	};

	return sentences[result];
}

struct lesson_reply
lesson_run_answer(struct lesson_run *run, struct text answer)
{
	struct check_try try = { .lesson = run->lesson, .card = lesson_run_card(run),
				 .scene = run->scene, .answer = answer, .arena = &run->texts };
	struct lesson_reply reply = { CHECK_NO_ANSWER, NULL, "there is no task here", false };

	if (try.card == NULL || try.card->task.text[0] == '\0')
		return reply;
	reply.result = check_answer(&try);
	reply.read = try.read;
	reply.own = try.own;
	reply.sentence = try.sentence != NULL ? try.sentence : plain_sentence(reply.result);
	if (reply.result != CHECK_RIGHT && reply.result != CHECK_WRONG)
		return reply;
	struct lesson_state *state = &run->states[run->card];
	struct lesson_entry *entry = add_entry(run);
	state->tries += !state->passed;
	state->passed |= reply.result == CHECK_RIGHT;
	if (entry != NULL)
		entry->answer = text_or_empty(
			arena_copy(&run->arena, answer.start, answer.length));
	return reply;
}

void
lesson_run_go(struct lesson_run *run, size_t card)
{
	run->card = card < run->lesson->card_count ? card : run->lesson->card_count;
	arena_reset(&run->texts);
	/* The place of a card is that of the last `at` up to it. */
	for (size_t i = 0; i <= run->card && i < run->lesson->card_count; i++)
		lesson_scene_go(run->scene, &run->lesson->cards[i]);
}

size_t
lesson_run_passed(const struct lesson_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->lesson->card_count; i++)
		count += run->states[i].passed;
	return count;
}
