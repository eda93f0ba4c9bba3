/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_RULE_CACHE_H
#define WALK_RULE_CACHE_H

#include "rules/code_answer.h"

/**
 * Compiled rules of the addresses that a walk has seen.
 *
 * A memo, nothing more: an answer is the same whether it was there or is made now. It forgets
 * everything where it has grown too large, so a rule set is good until the next look-up.
 */
struct rule_cache;

/** An empty cache, or NULL when out of memory. */
struct rule_cache *
rule_cache_create(void);

void
rule_cache_free(struct rule_cache *cache);

/**
 * Free what is soon made again, rules of records and of constant texts. Answers of frame tables and
 * of code stay: files have a bound for all of them, so that the next ones may be others.
 */
void
rule_cache_trim(struct rule_cache *cache);

/**
 * The STACK CFI rules in force at `relative` of module `module`; NULL where none cover it. They
 * have places where `placed`, and may have them where not.
 */
const struct rule_set *
rule_cache_stack_cfi(struct rule_cache *cache, const struct arch *arch,
		     const struct policy *policy, const struct symfile *symfile, int module,
		     uint64_t relative, bool placed);

/** What a module's frame table says of a place. */
struct frame_table_answer {
	const struct frame_table_row *row;	/* NULL: nothing */
	const struct rule_set *set;	/* of the row; NULL: the outermost one, or out of memory */
	const char *problem;		/* why there is no row; may be NULL */
};

/** The row in force, made anew in `arena`. */
struct frame_table_answer
frame_table_answer(const struct binaries *binaries, const struct arch *arch,
		   const struct frame_table_question *question, struct arena *arena);

/** frame_table_answer, remembered. */
struct frame_table_answer
rule_cache_frame_table(struct rule_cache *cache, const struct arch *arch,
		       const struct binaries *binaries,
		       const struct frame_table_question *question);

/** code_answer, remembered. */
struct code_answer
rule_cache_code(struct rule_cache *cache, const struct code_source *source,
		const struct flow_question *question);

/** The compiled form of a constant text of a method's table, by the text's own address. */
const struct rule_set *
rule_cache_text(struct rule_cache *cache, const struct arch *arch, const char *text);

/**
 * The compiled form of a text that a method made, by its bytes. NULL: it is not kept, because there
 * are too many, or memory ran out; then the caller compiles it itself.
 */
const struct rule_set *
rule_cache_made_text(struct rule_cache *cache, const struct arch *arch, const char *text);

#endif
