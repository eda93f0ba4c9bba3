/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"

/* A name as it is in the file, and as it is shown; empty where that is the same. */
struct demangled {
	struct text name, shown;
};

struct demangle_memo {
	struct arena arena;
	struct hash names;		/* struct demangled, by hash and length of the name */
};

struct demangle_memo *
demangle_memo_create(void)
{
	struct demangle_memo *memo = calloc(1, sizeof(*memo));

	if (memo != NULL)
		arena_init(&memo->arena, LIMIT_DEMANGLED);
	return memo;
}

void
demangle_memo_free(struct demangle_memo *memo)
{
	if (memo == NULL)
		return;
	arena_free(&memo->arena);
	hash_free(&memo->names);
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

struct text
demangle_memo_shown(struct demangle_memo *memo, const struct policy *policy, struct text name)
{
	if (memo == NULL || policy->value[POLICY_DEMANGLE] == 0 || !demangle_looks_mangled(name))
		return name;
	const uint64_t key = hash_of(name);
	const struct demangled *known = hash_find(&memo->names, key, name.length);
	if (known != NULL && text_equal(known->name, name))
		return known->shown.length > 0 ? known->shown : name;
	struct demangled *kept = arena_alloc(&memo->arena, sizeof(*kept));
	/* Whose names these are may go before the memo does, so it has its own. */
	const char *copy = kept != NULL ? arena_copy(&memo->arena, name.start, name.length) : NULL;
	if (copy == NULL)
		return name;
	const struct text shown = demangle(name, &memo->arena);
	*kept = (struct demangled){ .name = { copy, name.length } };
	if (shown.start != name.start)
		kept->shown = shown;
	hash_put(&memo->names, key, name.length, kept);
	return shown;
}
