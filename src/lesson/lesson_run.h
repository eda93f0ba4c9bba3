/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_RUN_H
#define LESSON_LESSON_RUN_H

#include "lesson/check_answer.h"

/**
 * A learner's way through a lesson: the card at hand, tries, hints, and what was answered.
 *
 * What shows the lesson, a terminal or a pane, asks here for texts and hands answers over. The
 * crash is walked without edits (scene.h), so that the truth stays what it is whatever is edited
 * or hidden on the screen.
 */
struct lesson_state {
	unsigned tries;			/* answers that were understood */
	unsigned hints;			/* that were given */
	bool passed;
};

/** What was done in a task, for a file of answers (answers.h). */
struct lesson_entry {
	size_t card;
	const char *answer;		/* NULL: a hint was taken */
};

struct lesson_run {
	const struct lesson *lesson;
	struct lesson_scene *scene;
	size_t card;			/* behind the last one: the lesson is over */
	struct lesson_state *states;	/* a card each */
	struct lesson_entry *entries;
	size_t entry_count, entry_capacity;
	struct arena arena;		/* of states and entries */
	struct arena texts;		/* of the card at hand */
};

/** What to say to an answer; texts are good until the next card. */
struct lesson_reply {
	enum check_result result;
	const char *read;		/* how it was read: "rsp 0x7ff0 + 0x8"; or NULL */
	const char *sentence;		/* never NULL */
	bool own;			/* the sentence is the lesson's, for this misconception */
};

/** Begin at the first card; both are borrowed. False when out of memory; closing is due anyway. */
bool
lesson_run_open(struct lesson_run *run, const struct lesson *lesson, struct lesson_scene *scene);

void
lesson_run_close(struct lesson_run *run);

/** The card at hand; NULL: the lesson is over. */
const struct lesson_card *
lesson_run_card(const struct lesson_run *run);

/** What the learner did in the task at hand. */
const struct lesson_state *
lesson_run_state(const struct lesson_run *run);

/** Its text with the engine's answers: paragraphs are parted by empty lines. */
const char *
lesson_run_text(struct lesson_run *run);

/** Another text of the card, such as what an option means. */
const char *
lesson_run_fill(struct lesson_run *run, const struct lesson_text *text);

/** What an answer looks like, or the words to choose from. */
const char *
lesson_run_how(struct lesson_run *run);

/** The next hint of the task; NULL: there are no more. */
const char *
lesson_run_hint(struct lesson_run *run);

/** Hand over an answer to the task at hand. */
struct lesson_reply
lesson_run_answer(struct lesson_run *run, struct text answer);

/** Go to a card: a task that is not passed is left behind. */
void
lesson_run_go(struct lesson_run *run, size_t card);

/** How many tasks were passed. */
size_t
lesson_run_passed(const struct lesson_run *run);

#endif
