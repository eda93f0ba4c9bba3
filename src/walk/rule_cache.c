/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/rule_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/*
 * Sets of constant texts and of made ones, and in `answers` those of frame tables and code, have
 * these keys in place of a module's index.
 */
#define NO_MODULE (-2)
#define MADE (-3)
#define TABLE_OF(module) (-3 - 2 * (int)(module))
#define CODE_OF(module) (-4 - 2 * (int)(module))
/* A set with at least this work gets a history; few functions have so many deltas. */
#define LEAST_WORK 16384u

struct kept_set {
	const struct rule_set *set;
	const char *text;		/* a made text */
	struct frame_table_answer answer;
	struct code_answer code;
	const struct rule_history *history;	/* history of an INIT record with many deltas */
	bool placed;
};

struct kept_sets {
	struct arena arena;
	struct hash sets;		/* struct kept_set, by module and address or text */
	struct hash texts;		/* texts of records */
};

struct rule_cache {
	struct kept_sets rules;		/* rules of records and of constant texts */
	struct kept_sets histories;	/* by module and address of the INIT record */
	struct kept_sets answers;	/* answers of frame tables and of code */
};

struct rule_cache *
rule_cache_create(void)
{
	return calloc(1, sizeof(struct rule_cache));
}

static void
forget(struct kept_sets *kept)
{
	arena_free(&kept->arena);
	hash_free(&kept->sets);
	hash_free(&kept->texts);
}

void
rule_cache_trim(struct rule_cache *cache)
{
	forget(&cache->rules);
	forget(&cache->histories);
}

void
rule_cache_free(struct rule_cache *cache)
{
	if (cache == NULL)
		return;
	rule_cache_trim(cache);
	forget(&cache->answers);
	free(cache);
}

static const struct kept_set *
find(const struct kept_sets *kept, int module, uint64_t key)
{
	return hash_find(&kept->sets, key, (uint64_t)(unsigned)module);
}

/* Limit of bytes of rule sets. Walks need a few MiB; one set of a hostile record takes 30 MiB. */
#define MOST_BYTES ((size_t)64 << 20)
/* Limit of bytes of histories, which take at most some 7 bytes per byte of their records. */
#define MOST_HISTORIES ((size_t)512 << 20)

static void
forget_too_much(struct rule_cache *cache)
{
	if (cache->histories.arena.used >= MOST_HISTORIES)
		rule_cache_trim(cache);
	if (cache->rules.arena.used + cache->answers.arena.used < MOST_BYTES)
		return;
	forget(&cache->rules);
	forget(&cache->answers);
}

/* Keeps an entry if there is memory; otherwise it will be made again. */
static void
keep(struct kept_sets *sets, int module, uint64_t key, struct kept_set made)
{
	struct kept_set *kept = arena_alloc(&sets->arena, sizeof(*kept));

	if (kept == NULL)
		return;
	*kept = made;
	hash_put(&sets->sets, key, (uint64_t)(unsigned)module, kept);
}

/*
 * The rules of an address. Without a history, a walk through all addresses of a record would apply
 * its many deltas again for each of them.
 */
static const struct rule_set *
make_stack_cfi(struct rule_cache *cache, struct rule_records *records, int module,
	       uint64_t relative)
{
	struct arena *arena = &cache->rules.arena;
	const struct rule_history *history = NULL;
	uint64_t first;

	if (!symfile_stack_cfi_extent(records->symfile, records->policy, relative, &first))
		return NULL;
	const struct kept_set *kept = find(&cache->histories, module, first);
	if (kept != NULL && (kept->placed || records->texts != NULL))
		history = kept->history;
	if (history != NULL)
		return rule_history_set(history, arena, records, relative);
	const struct rule_set *set = rule_set_stack_cfi(arena, records, relative);
	if (set == NULL || set->work < LEAST_WORK)
		return set;
	if (records->texts != NULL)
		records->texts = &cache->histories.texts;
	history = rule_history_make(&cache->histories.arena, records, relative);
	keep(&cache->histories, module, first,
	     (struct kept_set){ .history = history, .placed = records->texts == NULL });
	return set;
}

const struct rule_set *
rule_cache_stack_cfi(struct rule_cache *cache, struct rule_records records, bool placed,
		     int module, uint64_t relative)
{
	forget_too_much(cache);
	const struct kept_set *kept = find(&cache->rules, module, relative);
	if (kept != NULL && (kept->placed || !placed))
		return kept->set;
	records.texts = placed ? NULL : &cache->rules.texts;
	const struct rule_set *set = make_stack_cfi(cache, &records, module, relative);
	keep(&cache->rules, module, relative, (struct kept_set){ .set = set, .placed = placed });
	return set;
}

const struct rule_set *
rule_cache_text(struct rule_cache *cache, const struct arch *arch, const char *text)
{
	uint64_t key = (uint64_t)(uintptr_t)text;

	const struct kept_set *kept = find(&cache->rules, NO_MODULE, key);
	if (kept != NULL)
		return kept->set;
	const struct rule_set *set =
		rule_set_text(&cache->rules.arena, arch, text_of(text), (struct place){ 0 });
	keep(&cache->rules, NO_MODULE, key, (struct kept_set){ .set = set });
	return set;
}

const struct rule_set *
rule_cache_made(struct rule_cache *cache, const struct arch *arch, const char *text)
{
	const size_t length = strlen(text);
	const uint64_t key = hash_words(HASH_START, text, length);

	forget_too_much(cache);
	const struct kept_set *kept = find(&cache->rules, MADE, key);
	if (kept != NULL && strcmp(kept->text, text) == 0)
		return kept->set;
	const char *copy = arena_string(&cache->rules.arena, text);
	if (copy == NULL)
		return NULL;
	const struct rule_set *set = rule_set_text(&cache->rules.arena, arch,
						   (struct text){ copy, length },
						   (struct place){ 0 });
	if (kept == NULL)
		keep(&cache->rules, MADE, key, (struct kept_set){ .set = set, .text = copy });
	return set;
}

struct frame_table_answer
frame_table_answer(const struct binaries *binaries, const struct arch *arch,
		   const struct frame_table_question *question, struct arena *arena)
{
	struct frame_table_answer answer = { .row = NULL };

	answer.row = frame_tables_find(binaries, question, arena, &answer.problem);
	if (answer.row != NULL && !unwind_row_outermost(answer.row))
		answer.set = rule_set_row(arena, arch, answer.row);
	return answer;
}

struct frame_table_answer
rule_cache_frame_table(struct rule_cache *cache, const struct arch *arch,
		       const struct binaries *binaries,
		       const struct frame_table_question *question)
{
	const int module = TABLE_OF(question->module);
	/* Exact addresses have other rows and are rare in a walk, so they are not cached. */
	if (question->exact)
		return frame_table_answer(binaries, arch, question, &cache->answers.arena);
	forget_too_much(cache);
	const struct kept_set *kept = find(&cache->answers, module, question->relative);
	if (kept != NULL)
		return kept->answer;
	const struct frame_table_answer made =
		frame_table_answer(binaries, arch, question, &cache->answers.arena);
	keep(&cache->answers, module, question->relative, (struct kept_set){ .answer = made });
	return made;
}

struct code_answer
rule_cache_code(struct rule_cache *cache, const struct code_source *source,
		const struct flow_question *question)
{
	const int module = CODE_OF(source->module);

	if (question->exact)
		return code_answer(source, question, &cache->answers.arena);
	forget_too_much(cache);
	const struct kept_set *kept = find(&cache->answers, module, question->address);
	if (kept != NULL)
		return kept->code;
	const struct code_answer made = code_answer(source, question, &cache->answers.arena);
	keep(&cache->answers, module, question->address, (struct kept_set){ .code = made });
	return made;
}
