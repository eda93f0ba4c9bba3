/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_RULE_CACHE_H
#define WALK_RULE_CACHE_H

#include "rules/code_answer.h"

/**
 * Compiled rules of the addresses that a walk has seen.
 *
 * Only a memo: a kept answer equals one that is computed anew. When the memo is too large it is
 * emptied, so a rule set is valid until the next look-up.
 */
struct rule_cache;

/** An empty cache, or NULL when out of memory. */
struct rule_cache *
rule_cache_create(void);

void
rule_cache_free(struct rule_cache *cache);

/**
 * Free entries that are quick to make again: rules of records and of constant texts. Answers of
 * frame tables and of code stay: their total work is limited, so new answers might differ.
 */
void
rule_cache_trim(struct rule_cache *cache);

/**
 * The STACK CFI rules in force at address `relative` of a module; NULL if no record covers it. The
 * rules have places if `placed` is set, and may have places otherwise.
 */
const struct rule_set *
rule_cache_stack_cfi(struct rule_cache *cache, struct rule_records records, bool placed,
		     int module, uint64_t relative);

/** A module's frame table row for an address. */
struct frame_table_answer {
	const struct unwind_row *row;	/* NULL: none */
	const struct rule_set *set;	/* rules of the row; NULL: outermost, or out of memory */
	const char *problem;		/* why there is no row; may be NULL */
};

/** The row in force, made in `arena`. */
struct frame_table_answer
frame_table_answer(const struct binaries *binaries, const struct arch *arch,
		   const struct frame_table_question *question, struct arena *arena);

/** Cached frame_table_answer. */
struct frame_table_answer
rule_cache_frame_table(struct rule_cache *cache, const struct arch *arch,
		       const struct binaries *binaries,
		       const struct frame_table_question *question);

/** Cached code_answer. */
struct code_answer
rule_cache_code(struct rule_cache *cache, const struct code_source *source,
		const struct flow_question *question);

/** The compiled rules of a constant text, which the cache finds by the text's address. */
const struct rule_set *
rule_cache_text(struct rule_cache *cache, const struct arch *arch, const char *text);

/** The compiled rules of a text that was made for a step. NULL when out of memory. */
const struct rule_set *
rule_cache_made(struct rule_cache *cache, const struct arch *arch, const char *text);

#endif
