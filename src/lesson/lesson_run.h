/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_RUN_H
#define LESSON_LESSON_RUN_H

#include "lesson/check_answer.h"

/**
 * A learner's run of a lesson: the current card, tries, hints and answers.
 *
 * The view of a lesson (a terminal or a pane) gets texts here and passes answers. The crash is
 * walked without edits (scene.h), so that edits and blind mode do not change the truth.
 */
struct lesson_state {
	unsigned tries;			/* number of answers that were understood */
	unsigned hints;
	bool passed;
};

/** An answer or hint, for a file of answers (answers.h). */
struct lesson_entry {
	size_t card;
	const char *answer;		/* NULL: a hint was used */
};

struct lesson_run {
	const struct lesson *lesson;
	struct lesson_scene *scene;
	size_t card;			/* index of the card; card_count: the lesson is over */
	struct lesson_state *states;	/* a state for each card */
	struct lesson_entry *entries;
	size_t entry_count, entry_capacity;
	struct arena arena;		/* holds states and entries */
	struct arena texts;		/* holds texts of the current card */
};

/** The reply to an answer; texts are valid until the next card. */
struct lesson_reply {
	enum check_result result;
	const char *read;	/* the value in a normal form: "rsp 0x7ff0 + 0x8"; or NULL */
	const char *sentence; /* why the answer is right, or what is wrong; "": nothing */
	/* The sentence comes from the lesson, for a misconception */
	bool own;
	bool valued;
	uint64_t value;			/* the value of a right answer */
};

/** Begin at the first card; arguments are borrowed. False when out of memory; close it anyway. */
bool
lesson_run_open(struct lesson_run *run, const struct lesson *lesson, struct lesson_scene *scene);

void
lesson_run_close(struct lesson_run *run);

/** The current card; NULL: the lesson is over. */
const struct lesson_card *
lesson_run_card(const struct lesson_run *run);

/** The state of the current task. */
const struct lesson_state *
lesson_run_state(const struct lesson_run *run);

/**
 * A text of the current card with the engine's answers; an empty line ends a paragraph.
 */
const char *
lesson_run_fill(struct lesson_run *run, const struct lesson_text *text);

/** The form of an answer, or the words to choose from. */
const char *
lesson_run_how(struct lesson_run *run);

/** The next hint of the task; NULL: none is left. */
const char *
lesson_run_hint(struct lesson_run *run);

/** Check an answer to the current task. */
struct lesson_reply
lesson_run_answer(struct lesson_run *run, struct text answer);

/**
 * A reply in words: "Right: 0x7ff8. The CFA is ...", "No: 0x10 is another value. ; gives a hint".
 * `hint` ends the reply while the task has hints left. Valid until the next card.
 */
const char *
lesson_run_say(struct lesson_run *run, const struct lesson_reply *reply, const char *hint);

/** The answer that passed a card's task; NULL: the task was not passed by an answer. */
const char *
lesson_run_passing(const struct lesson_run *run, size_t card);

/** Add an unchecked answer (NULL: a hint) of a run; `passed`: only mark the task as passed. */
void
lesson_run_recall(struct lesson_run *run, size_t card, const char *answer, bool passed);

/** Go to a card; the current task may be left unsolved. */
void
lesson_run_go(struct lesson_run *run, size_t card);

/** The number of passed tasks. */
size_t
lesson_run_passed(const struct lesson_run *run);

enum lesson_reader {
	LESSON_FOR_ALL,			/* hints and drawings, folded */
	LESSON_FOR_STUDENTS,		/* no hints or drawings: an exercise on paper */
	LESSON_FOR_TEACHERS,		/* also the answers and misconceptions, open */
};

/** The place of a lesson's page among the pages of a course. */
struct lesson_site {
	const char *const *rows;	/* for each card: the explorer's views, as "[memory] ..." */
	const char *before, *after;	/* names of the neighbours in the course; NULL: none */
};

/**
 * Write a lesson as one page of HTML: its cards and questions, and the parts for its reader. In
 * print, each card begins a new page. Without `site`, the page is for slides and paper and needs no
 * other file. With `site`, the reader goes from card to card, next to their views; the page checks
 * the answers and links to the pages of its steps (lesson_step_page).
 */
void
lesson_page(const struct output *output, const struct lesson *lesson, struct lesson_scene *scene,
	    enum lesson_reader reader, const struct lesson_site *site);

/** The file name of the page for the step at the scene's place, in `arena`; NULL: no step. */
const char *
lesson_step_page(const struct lesson *lesson, struct lesson_scene *scene, struct arena *arena);

/**
 * Create a lesson: the dump, the files of the modules on the stack, and the files `lesson` and
 * `solution`. The tasks are about the step from `frame` (`whole`: about each step of the stack).
 * The engine computes the answers in `solution`. The lesson can be used at once, or edited first.
 */
enum error_code
lesson_make(struct walk *walk, size_t frame, bool whole, const char *directory,
	    struct error *error);

#endif
