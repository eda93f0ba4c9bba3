/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_run.h"

#include <string.h>

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
	return choices != NULL ? choices : check_how(card, run->scene, &run->texts);
}

/* Add an answer (NULL: a hint) to the entries of a card, and count it. */
static void
add_entry(struct lesson_run *run, size_t card, const char *answer)
{
	struct lesson_state *state = &run->states[card];

	ARENA_ADD(&run->arena, run->entries, run->entry_count, run->entry_capacity,
		  &(struct lesson_entry){
			  card, answer != NULL ? text_or_empty(arena_string(&run->arena, answer))
					       : NULL });
	state->hints += answer == NULL;
	state->tries += answer != NULL && !state->passed;
}

void
lesson_run_recall(struct lesson_run *run, size_t card, const char *answer, bool passed)
{
	if (passed)
		run->states[card].passed = true;
	else if (answer != NULL || run->states[card].hints < run->lesson->cards[card].hint_count)
		add_entry(run, card, answer);
}

const char *
lesson_run_passing(const struct lesson_run *run, size_t card)
{
	size_t tries = run->states[card].passed ? run->states[card].tries : 0;

	for (size_t i = 0; i < run->entry_count && tries > 0; i++)
		if (run->entries[i].card == card && run->entries[i].answer != NULL && --tries == 0)
			return run->entries[i].answer;
	return NULL;
}

const char *
lesson_run_hint(struct lesson_run *run)
{
	const struct lesson_card *card = lesson_run_card(run);
	struct lesson_state *state = &run->states[run->card];

	if (card == NULL || state->hints >= card->hint_count)
		return NULL;
	add_entry(run, run->card, NULL);
	return lesson_run_fill(run, &card->hints[state->hints - 1]);
}

/* Sentences for results that have no sentence in the lesson. */
static const char *const plain_sentences[] = {
	[CHECK_RIGHT] = "",
	[CHECK_WRONG] = "",
	[CHECK_NO_ANSWER] = "this cannot be understood",
	[CHECK_BROKEN] = "the lesson cannot check this task; 'unspool lesson --lint' says why",
};

const char *
lesson_run_say(struct lesson_run *run, const struct lesson_reply *reply, const char *hint)
{
	const struct lesson_card *card = lesson_run_card(run);
	const char *read = text_or_empty(reply->read);
	const bool hints = card != NULL && lesson_run_state(run)->hints < card->hint_count;

	if (reply->result == CHECK_RIGHT)
		return text_or_empty(
			arena_format(&run->texts, "Right%s%s.%s%s", read[0] != '\0' ? ": " : "",
				read, reply->sentence[0] != '\0' ? " " : "", reply->sentence));
	if (reply->result != CHECK_WRONG)
		return reply->sentence;
	return text_or_empty(arena_format(&run->texts, "No%s%s%s%s",
		reply->own			     ? ". "
			: reply->sentence[0] != '\0' ? ": "
						     : "",
		reply->sentence,
		reply->own	? ""
			: hints ? ". "
				: ".",
		!reply->own && hints ? hint : ""));
}

struct lesson_reply
lesson_run_answer(struct lesson_run *run, struct text answer)
{
	struct check_try try = { .lesson = run->lesson, .card = lesson_run_card(run),
				 .scene = run->scene, .answer = answer, .arena = &run->texts };
	struct lesson_reply reply = { .result = CHECK_NO_ANSWER,
				      .sentence = "there is no task here" };

	if (try.card == NULL || try.card->task.text[0] == '\0')
		return reply;
	reply.result = check_answer(&try);
	reply.read = try.read;
	reply.own = try.own;
	reply.valued = try.valued;
	reply.value = try.value;
	reply.sentence = reply.result == CHECK_RIGHT ? lesson_run_fill(run, &try.card->right)
		: try.sentence != NULL		     ? try.sentence
						     : plain_sentences[reply.result];
	if (reply.result != CHECK_RIGHT && reply.result != CHECK_WRONG)
		return reply;
	add_entry(run, run->card, text_or_empty(text_copy(&run->texts, answer)));
	run->states[run->card].passed |= reply.result == CHECK_RIGHT;
	return reply;
}

void
lesson_run_go(struct lesson_run *run, size_t card)
{
	run->card = card < run->lesson->card_count ? card : run->lesson->card_count;
	arena_reset(&run->texts);
	/* The place of a card is set by the last `at` up to that card. */
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
