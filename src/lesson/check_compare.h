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

/** Returns CHECK_NO_ANSWER and stores the reason in checking->error. */
enum check_result
check_misread(struct checking *checking, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

#endif
