/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_CHECK_ANSWER_H
#define LESSON_CHECK_ANSWER_H

#include "lesson/operand.h"
#include "lint/lint.h"

/**
 * Whether an answer is right: the engine says so, never the text of the file.
 *
 * A check is read when the lesson is, so that a mistake in it is found there. A truth that would
 * show the answer to a reader of the file is written as a digest (`lesson --seal`).
 */

/** A check of a task as it is read. */
struct check_truth {
	struct lesson_operand operand;	/* value, predict, place; the query of a rule */
	struct text without;		/* a name that the answer may not use; empty: none */
	struct text words;		/* of a set or choice, as they are written */
	bool open;			/* `words`, or a walk, are still to be sealed */
	bool sealed;
	uint64_t digest;		/* where it is sealed */
	enum {
		CHECK_CHOICE_WORD,
		CHECK_CHOICE_METHOD,	/* that found the caller of `frame` */
		CHECK_CHOICE_CHECK,	/* that failed in the step from `frame` */
	} choice;
	size_t frame;
	size_t edits;			/* of a walk, at most; 0: any number */
	bool lints;			/* `lint` must be gone from the edited files */
	enum lint_code lint;
};

/** What became of an answer. */
enum check_result {
	CHECK_RIGHT,
	CHECK_WRONG,
	CHECK_NO_ANSWER,	/* it cannot be understood: no try is counted */
	CHECK_BROKEN,		/* the lesson asks for what its crash does not have */
};

/**
 * An answer as it was typed. What an explorer's cursor, marks or edits say is written as text
 * first, so that it can be kept and checked again: FILE:LINE for a record, 0x1234 for a word in
 * memory, "rbx r12" for a set, and for a walk the commands that made the edits:
 *
 *	frame 1; set-rule .cfa: $rsp 24 +; record app.sym:12 STACK CFI 1004 .cfa: $rsp 16 +
 */
struct check_try {
	const struct lesson *lesson;
	const struct lesson_card *card;
	const struct lesson_scene *scene;
	struct text answer;
	struct arena *arena;		/* of texts */
	const char *read;		/* how a value was read: "rsp 0x7ff0 + 8"; or NULL */
	const char *sentence;		/* what to say to it; NULL: nothing but right or wrong */
	bool own;			/* the sentence is the lesson's, for this misconception */
};

/** Decide about an answer, and find what to say to a wrong one. */
enum check_result
check_answer(struct check_try *try);

/**
 * The words among which a choice is made, in `arena`: the options of the task, the methods of the
 * walk or the checks of the step. NULL: the task is no choice, or any word will do.
 */
const char *
check_choices(const struct lesson_card *card, const struct lesson_scene *scene,
	      struct arena *arena);

/** What an answer to a kind of check looks like. */
const char *
check_how(enum lesson_check_kind kind);

/**
 * What the digest of a task's truth is made of: the words of the file, or the frames of the walk
 * with the edits of the answer. NULL with the error set where there is nothing to seal.
 */
const char *
check_sealed_text(struct check_try *try, struct error *error);

/** The digest of a truth of a task: other tasks have other digests of it. */
uint64_t
check_digest(const struct lesson_card *card, const char *truth);

/** The kind that a word names; false: none. */
bool
check_kind_named(struct text word, enum lesson_check_kind *kind);

/** Read what stands behind the kind's word; the error has its place. */
enum error_code
check_read(const struct lesson_check *check, struct check_truth *truth, struct error *error);

#endif
