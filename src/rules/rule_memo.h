/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_MEMO_H
#define RULES_RULE_MEMO_H

#include "rules/rule_set.h"

/**
 * Shared rules of STACK CFI records: of one text, and of a sequence of records.
 *
 * Both repeat from function to function. A walk that needs no places reads each text once and
 * shares the rules of a sequence of records among all addresses that have the same.
 */

/** An empty memo that lives in `arena`; NULL when out of memory. */
struct rule_memo *
rule_memo_create(struct arena *arena);

/** Free memory outside the arena. NULL is allowed. */
void
rule_memo_free(struct rule_memo *memo);

/**
 * The rules after an INIT record and its deltas, without any places, in the memo's arena. A memo is
 * for one architecture and one way to name registers. NULL if they must be built anew: a text with
 * an error, very many rules or deltas, out of memory.
 */
const struct rule_set *
rule_memo_set(struct rule_memo *memo, const struct arch *arch, enum arch_names names,
	      const struct stack_cfi *init, const struct stack_cfi *deltas, size_t count);

#endif
