/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_CHECK_ANSWER_H
#define LESSON_CHECK_ANSWER_H

#include "base/output.h"
#include "lesson/operand.h"
#include "lint/lint.h"
#include "walk/overlay.h"

/**
 * Checks of answers. The engine computes most truths, so that the file need not contain them.
 *
 * A check is parsed with its lesson, so that its errors are found then. A truth that the file would
 * reveal is written as a digest (`lesson --seal`).
 */

/** The parsed check of a task. */
struct check_truth {
	struct lesson_operand operand;	/* operand of value, predict and place; query of a rule */
	struct text without;		/* a name that the answer may not use; empty: none */
	struct text words;		/* words of a set or choice, as written */
	bool open;			/* `words` or the truth of a walk is not sealed yet */
	bool sealed;
	uint64_t digest;
	enum {
		CHECK_CHOICE_WORD,
		CHECK_CHOICE_METHOD,	/* the method that found the caller of `frame` */
		CHECK_CHOICE_CHECK,	/* the check that failed in the step from `frame` */
	} choice;
	size_t frame;
	size_t edits;			/* largest number of edits of a walk; 0: any */
	bool lints;			/* the edited files must not have the finding `lint` */
	enum lint_code lint;
};

enum check_result {
	CHECK_RIGHT,
	CHECK_WRONG,
	CHECK_NO_ANSWER,	/* the answer was not understood: it does not count as a try */
	CHECK_BROKEN,		/* the crash lacks something that the lesson needs */
};

/**
 * A typed answer. The explorer's cursor, marks and edits are first written as text, so that they
 * can be saved and checked again. A record is FILE:LINE, a word in memory 0x1234, a set "rbx r12".
 * A walk is the list of commands that edit it:
 *
 *	frame 1; set-rule .cfa: $rsp 24 +; set-record app.sym:12 STACK CFI 1004 .cfa: $rsp 16 +
 */
struct check_try {
	const struct lesson *lesson;
	const struct lesson_card *card;
	const struct lesson_scene *scene;
	struct text answer;
	struct arena *arena;
	const char *read;		/* the value in a normal form: "rsp 0x7ff0 + 8"; or NULL */
	bool valued;
	uint64_t value;			/* the value of a right answer */
	const char *sentence;		/* sentence about the answer; NULL: only right or wrong */
	/* The sentence comes from the lesson, for a misconception */
	bool own;
};

/** Check an answer, and find the sentence for a wrong one. */
enum check_result
check_answer(struct check_try *try);

/**
 * The words of a choice, in `arena`: options of the task, methods of the walk, or
 * checks of the step. NULL: the task is not a choice, or any word is allowed.
 */
const char *
check_choices(const struct lesson_card *card, const struct lesson_scene *scene,
	      struct arena *arena);

/** The form of an answer to a task, with a register of the crash as its example. In `arena`. */
const char *
check_how(const struct lesson_card *card, const struct lesson_scene *scene, struct arena *arena);

/**
 * The names, numbers and '^' in the cards at a card's place, in lower case with a blank before and
 * after each. An expression of them is no answer if a value is asked for. In `arena`.
 */
const char *
check_shown(const struct lesson *lesson, const struct lesson_card *card,
	    const struct lesson_scene *scene, struct arena *arena);

/** The digest of a task's truth; it differs between tasks. */
uint64_t
check_digest(const struct lesson_card *card, const char *truth);

/** Maximum number of normal forms of a truth: with and without the name `.cfa`. */
#define CHECK_FORMS 2

/**
 * Make the normal forms of a task's truth, or of the misconception `other`. A page compares their
 * digests with the digests of an answer (page_answers.c); one equal form suffices. `try->answer` is
 * the solution of a sealed task. Returns 0 if only the engine can check the answer.
 */
size_t
check_normal(const struct check_try *try, const struct lesson_text *other,
	     const char *forms[CHECK_FORMS]);

/**
 * Encrypt a sentence so that only a reader with the normal form `truth` can read it. Writes its
 * bytes XOR a sequence of digests, in hexadecimal.
 */
void
check_write_hidden(const struct lesson_card *card, const char *truth, const char *sentence,
		   const struct output *output);

/** The word of a kind in a lesson's file: "value". */
const char *
check_kind_word(enum lesson_check_kind kind);

/** The kind with this word. False if there is none. */
bool
check_kind_named(struct text word, enum lesson_check_kind *kind);

/** Parse the text after the kind's word; the error has its place. */
enum error_code
check_read(const struct lesson_check *check, struct check_truth *truth, struct error *error);

/**
 * Make `*walk` with the edits of an answer's commands; free it with walk_free(). The edits live in
 * `arena`. On failure the sentence is in `error`.
 */
enum error_code
check_walk_edited(const struct lesson_scene *scene, struct text answer, struct arena *arena,
		  struct walk **walk, const struct overlay **overlay, struct error *error);

/**
 * The frames of the walk with an answer's edits, as text without load addresses: code as module and
 * offset, the stack pointer as an offset, and calls by their names in symbol files. Lives in
 * try->arena; NULL with the error set.
 */
const char *
check_walk_answer(const struct check_try *try, struct error *error);

/** The commands of an overlay, as an answer: "frame 1; set-register rbp 7ffe10". In `arena`. */
const char *
check_walk_commands(const struct overlay *overlay, const struct walk *walk, struct arena *arena);

struct seal_notes {
	struct arena *arena;
	struct seal_note {
		const char *task;
		const char *truth;	/* the text of the digest */
	} *list;			/* has room for one per card */
	size_t count;
};

/**
 * Write the lesson's file with its readable truths replaced by digests: `check set seal 1 4`
 * becomes `check set sealed DIGEST`. The truth of a walk is the result of the answer in the file
 * `solution`. Stores all these truths in `notes`. If one cannot be sealed, the error has its place.
 */
enum error_code
seal_lesson(const struct lesson *lesson, struct lesson_scene *scene, const struct output *output,
	    struct seal_notes *notes, struct error *error);

#endif
