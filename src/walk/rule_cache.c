/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/rule_cache.h"

#include <stdlib.h>
#include <string.h>

#include "rules/rule_memo.h"

/* Texts of tables have no module; rows of frame tables are kept beside records of the same one. */
#define NO_MODULE (-2)
#define TABLE_OF(module) (-3 - (int)(module))

struct kept_set {
	const struct rule_set *set;
	const struct frame_table_answer *answer;	/* of a frame table; `set` counts else */
	uint64_t key;
	int module;
	bool used, placed;
};

struct rule_cache {
	struct arena arena, scratch;
	struct rule_memo *memo;			/* in `arena`; NULL: none yet */
	const struct record_edits *edits;	/* NULL: none */
	struct kept_set *entries;	/* open addressing; the size is a power of two */
	size_t size, count;
};

struct rule_cache *
rule_cache_create(const struct record_edits *edits)
{
	struct rule_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->edits = edits;
	arena_init(&cache->arena, 0);
	arena_init(&cache->scratch, 0);
	cache->size = 64;
	cache->entries = calloc(cache->size, sizeof(*cache->entries));
	if (cache->entries == NULL) {
		free(cache);
		return NULL;
	}
	return cache;
}

void
rule_cache_free(struct rule_cache *cache)
{
	if (cache == NULL)
		return;
	arena_free(&cache->arena);
	arena_free(&cache->scratch);
	free(cache->entries);
	free(cache);
}

static struct kept_set *
find(struct kept_set *entries, size_t size, int module, uint64_t key)
{
	uint64_t hash = (key ^ (uint64_t)(unsigned)module << 48) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (size - 1);

	while (entries[at].used && (entries[at].key != key || entries[at].module != module))
		at = (at + 1) & (size - 1);
	return &entries[at];
}

static bool
grow(struct rule_cache *cache)
{
	size_t size = cache->size * 2;
	struct kept_set *entries = calloc(size, sizeof(*entries));

	if (entries == NULL)
		return false;
	for (size_t i = 0; i < cache->size; i++) {
		const struct kept_set *old = &cache->entries[i];

		if (old->used)
			*find(entries, size, old->module, old->key) = *old;
	}
	free(cache->entries);
	cache->entries = entries;
	cache->size = size;
	return true;
}

/* Bytes of rule sets that are kept: real walks need a few MiB, a hostile record 30 for one set. */
#define MOST_BYTES ((size_t)64 << 20)

static void
forget_too_much(struct rule_cache *cache)
{
	if (cache->arena.used < MOST_BYTES)
		return;
	arena_reset(&cache->arena);
	cache->memo = NULL;
	memset(cache->entries, 0, cache->size * sizeof(*cache->entries));
	cache->count = 0;
}

/* Keep an entry where there is room; without room it is only made again next time. */
static void
keep(struct rule_cache *cache, struct kept_set kept)
{
	if (cache->count >= cache->size / 2 && !grow(cache))
		return;
	struct kept_set *entry = find(cache->entries, cache->size, kept.module, kept.key);
	cache->count += !entry->used;
	*entry = kept;
	entry->used = true;
}

static const struct rule_set *
make_set(struct rule_cache *cache, const struct arch *arch, const struct policy *policy,
	 const struct symfile *symfile, uint64_t relative, bool placed)
{
	if (!placed && cache->memo == NULL)
		cache->memo = rule_memo_create(&cache->arena);
	const struct rule_set_options options = { .edits = cache->edits,
						  .memo = placed ? NULL : cache->memo };
	const struct rule_set *set =
		rule_set_stack_cfi_with(&cache->arena, &cache->scratch, arch, policy, symfile,
					relative, &options);

	arena_reset(&cache->scratch);
	return set;
}

const struct rule_set *
rule_cache_stack_cfi(struct rule_cache *cache, const struct arch *arch,
		     const struct policy *policy, const struct symfile *symfile, int module,
		     uint64_t relative, bool placed)
{
	forget_too_much(cache);
	const struct kept_set *entry = find(cache->entries, cache->size, module, relative);
	if (entry->used && (entry->placed || !placed))
		return entry->set;
	const struct rule_set *set = make_set(cache, arch, policy, symfile, relative, placed);
	keep(cache, (struct kept_set){ .set = set, .key = relative, .module = module,
				    .placed = placed });
	return set;
}

const struct rule_set *
rule_cache_text(struct rule_cache *cache, const struct arch *arch, const char *text)
{
	uint64_t key = (uint64_t)(uintptr_t)text;

	forget_too_much(cache);
	const struct kept_set *entry = find(cache->entries, cache->size, NO_MODULE, key);
	if (entry->used)
		return entry->set;
	const struct rule_set *set =
		rule_set_text(&cache->arena, arch, text_of(text), (struct place){ 0 });
	keep(cache, (struct kept_set){ .set = set, .key = key, .module = NO_MODULE,
				       .placed = true });
	return set;
}

struct frame_table_answer
frame_table_answer(struct frame_tables *tables, const struct arch *arch,
		   const struct frame_table_question *question, struct arena *arena)
{
	struct frame_table_answer answer = { .row = NULL };

	answer.row = frame_tables_find(tables, question, arena, &answer.problem);
	if (answer.row != NULL && !answer.row->outermost)
		answer.set = rule_set_frame_table(arena, arch, answer.row);
	return answer;
}

struct frame_table_answer
rule_cache_frame_table(struct rule_cache *cache, const struct arch *arch,
		       struct frame_tables *tables, const struct frame_table_question *question)
{
	const int module = TABLE_OF(question->module);
	/* Addresses that are exact are others: a walk has few. */
	if (question->exact)
		return frame_table_answer(tables, arch, question, &cache->arena);
	forget_too_much(cache);
	const struct kept_set *entry =
		find(cache->entries, cache->size, module, question->relative);
	if (entry->used)
		return *entry->answer;
	struct frame_table_answer *answer = arena_alloc(&cache->arena, sizeof(*answer));
	const struct frame_table_answer made =
		frame_table_answer(tables, arch, question, &cache->arena);
	if (answer != NULL) {
		*answer = made;
		keep(cache, (struct kept_set){ .answer = answer, .key = question->relative,
					    .module = module });
	}
	return made;
}
