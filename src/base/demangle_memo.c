/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle.h"

#include <stdlib.h>

#include "base/limits.h"

struct entry {
	uint64_t hash;
	struct text name, shown;	/* name.start NULL: the entry is free */
};

struct demangle_memo {
	struct arena arena;
	struct entry *entries;		/* open addressing; the size is a power of two */
	size_t size, count;
};

struct demangle_memo *
demangle_memo_create(void)
{
	struct demangle_memo *memo = calloc(1, sizeof(*memo));

	if (memo == NULL)
		return NULL;
	arena_init(&memo->arena, LIMIT_DEMANGLED);
	memo->size = 64;
	memo->entries = calloc(memo->size, sizeof(*memo->entries));
	if (memo->entries == NULL) {
		free(memo);
		return NULL;
	}
	return memo;
}

void
demangle_memo_free(struct demangle_memo *memo)
{
	if (memo == NULL)
		return;
	arena_free(&memo->arena);
	free(memo->entries);
	free(memo);
}

static uint64_t
hash_of(struct text name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < name.length; i++)
		hash = (hash ^ (unsigned char)name.start[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static struct entry *
find(struct entry *entries, size_t size, uint64_t hash, struct text name)
{
	size_t at = (size_t)hash & (size - 1);

	while (entries[at].name.start != NULL &&
	       (entries[at].hash != hash || !text_equal(entries[at].name, name)))
		at = (at + 1) & (size - 1);
	return &entries[at];
}

static bool
grow(struct demangle_memo *memo)
{
	const size_t size = memo->size * 2;
	struct entry *entries = calloc(size, sizeof(*entries));

	if (entries == NULL)
		return false;
	for (size_t i = 0; i < memo->size; i++) {
		const struct entry *old = &memo->entries[i];

		if (old->name.start != NULL)
			*find(entries, size, old->hash, old->name) = *old;
	}
	free(memo->entries);
	memo->entries = entries;
	memo->size = size;
	return true;
}

struct text
demangle_memo_shown(struct demangle_memo *memo, const struct policy *policy, struct text name)
{
	if (memo == NULL || policy->value[POLICY_DEMANGLE] == 0 || !demangle_looks_mangled(name) ||
	    (memo->count >= memo->size / 2 && !grow(memo)))
		return name;
	const uint64_t hash = hash_of(name);
	struct entry *entry = find(memo->entries, memo->size, hash, name);
	if (entry->name.start != NULL)
		return entry->shown.length > 0 ? entry->shown : name;
	/* Whose names these are may go before the memo does, so it has its own. */
	const char *copy = arena_copy(&memo->arena, name.start, name.length);
	if (copy == NULL)
		return name;
	const struct text shown = demangle(name, &memo->arena);
	*entry = (struct entry){ .hash = hash, .name = { copy, name.length } };
	if (shown.start != name.start)
		entry->shown = shown;
	memo->count++;
	return shown;
}
