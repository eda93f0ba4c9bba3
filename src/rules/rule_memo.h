/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_MEMO_H
#define RULES_RULE_MEMO_H

#include "rules/rule_set.h"

/**
 * What texts of STACK CFI records say, and what is in force behind rows of them.
 *
 * Both repeat from function to function. A walk that needs no places reads each text once and
 * shares the rules of a row of records among all addresses that have the same.
 */

/** An empty memo that lives in `arena`; NULL when out of memory. */
struct rule_memo *
rule_memo_create(struct arena *arena);

/** Free what is not in the arena. NULL is allowed. */
void
rule_memo_free(struct rule_memo *memo);

/**
 * The rules behind an INIT record and its deltas, without any places, in the memo's arena. A memo
 * is for one architecture and one way to name registers. NULL where they have to be put together
 * anew: a text that is not good to its end, very many rules or deltas, no memory.
 */
const struct rule_set *
rule_memo_set(struct rule_memo *memo, const struct arch *arch, enum arch_names names,
	      const struct stack_cfi *init, const struct stack_cfi *deltas, size_t count);

#endif
