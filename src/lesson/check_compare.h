/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_CHECK_COMPARE_H
#define LESSON_CHECK_COMPARE_H

#include "inspect/expression.h"
#include "lesson/check_answer.h"

/**
 * Comparisons of an answer, one for each kind of check. Private to the checks.
 *
 * An answer is compared with the truth and then with each misconception (`other`) of the task.
 * CHECK_RIGHT means that both are equal.
 */
struct checking {
	struct check_try *try;
	struct check_truth truth;
	const struct lesson_text *other;	/* NULL: the truth itself */
	struct error *error;			/* reason why an answer or a check is unusable */
};

#define CHECK_KIND(id, word, form, comparison, ...) \
	enum check_result check_compare_##comparison(struct checking *checking);
#include "lesson/check_kind.def"

/**
 * The normal forms of a rule that is a sum: "rsp+30^" is the word at rsp + 0x30, and ".cfa+8^"
 * the word at the CFA + 8. Returns their number.
 */
size_t
check_normal_rule(struct checking *checking, const char **forms);

/**
 * Whether an answer has the right value only by chance: it reads another word than the truth.
 * Stores the sentence.
 */
bool
check_reads_other(struct checking *checking, struct text answer);

/**
 * Store the sentence for a wrong value or place. The sentence names a slip that any task can have,
 * or says that the value is wrong. Returns CHECK_WRONG.
 */
enum check_result
check_slip_value(struct checking *checking, const struct expression *typed, uint64_t truth);

enum check_result
check_slip_place(struct checking *checking, const struct expression *typed);

/**
 * Whether an answer is an expression from the cards at this place instead of its value.
 * `literally`: the question must contain the expression as typed.
 */
bool
check_is_shown(const struct check_try *try, bool literally);

/** Returns CHECK_NO_ANSWER and stores the reason in checking->error. */
enum check_result
check_misread(struct checking *checking, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

#endif
