/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/findings.h"

#include <string.h>

#include "base/limits.h"

/*
 * The pattern by which differences are grouped. If two claims are sums over one register, the
 * pattern has their distance: a generator that is off by a word is off in every row.
 */
static uint64_t
pattern_of(const struct unwind_difference *difference)
{
	struct {
		uint64_t code, column, sources, guilty;
		struct claim claims[UNWIND_SOURCES];
	} pattern;
	const struct claim *base = NULL;

	memset(&pattern, 0, sizeof(pattern));
	pattern.code = (uint64_t)difference->code;
	pattern.column = difference->column;
	pattern.sources = difference->sources;
	pattern.guilty = difference->guilty;
	for (unsigned i = 0; i < UNWIND_SOURCES && difference->code <= UNWIND_NOT_SAVED; i++) {
		struct claim *claim = &pattern.claims[i];

		if ((difference->sources >> i & 1) == 0)
			continue;
		*claim = difference->claims[i];
		if (claim->kind != CLAIM_RULE)
			continue;
		if (base == NULL)
			base = &difference->claims[i];
		if (claim->base == base->base)
			claim->offset -= base->offset;
	}
	return hash_bytes(HASH_START, &pattern, sizeof(pattern));
}

/* Add a finding without places, which the caller adds; NULL: out of memory. */
static struct unwind_finding *
add_finding(struct unwind_findings *findings, uint64_t key, enum unwind_code code)
{
	size_t *number = arena_alloc(&findings->arena, sizeof(*number));
	struct unwind_finding *finding = ARENA_PUSH(&findings->arena, findings->items,
						    findings->count, findings->capacity);

	if (finding == NULL)
		return NULL;
	if (number != NULL)
		*number = findings->count - 1;
	if (number == NULL || !hash_put(&findings->patterns, key, code, number)) {
		findings->count--;
		return NULL;
	}
	finding->first = finding->last = SIZE_MAX;
	return finding;
}

bool
unwind_findings_add(void *context, const struct unwind_difference *difference)
{
	struct unwind_findings *findings = context;
	const uint64_t key = pattern_of(difference);
	const size_t *known = hash_find(&findings->patterns, key, difference->code);
	const uint64_t bytes = difference->last - difference->first + 1;

	findings->codes[difference->code]++;
	if (findings->place_count == LIMIT_UNWIND_PLACES) {
		findings->full = true;
		if (known != NULL) {
			findings->items[*known].count++;
			findings->items[*known].bytes += bytes;
		}
		return true;
	}
	/* Every finding needs a place, because its first place is reported. */
	struct unwind_place *place = ARENA_PUSH(&findings->arena, findings->places,
						findings->place_count, findings->place_capacity);
	if (place == NULL)
		return false;
	struct unwind_finding *finding = known != NULL
						 ? &findings->items[*known]
						 : add_finding(findings, key, difference->code);
	if (finding == NULL) {
		findings->place_count--;
		return false;
	}
	finding->count++;
	finding->bytes += bytes;
	*place = (struct unwind_place){ *difference, SIZE_MAX };
	const size_t number = findings->place_count - 1;
	const uint64_t function =
		findings->function(findings->context, difference->first);
	finding->functions += finding->last == SIZE_MAX || finding->function != function;
	finding->function = function;
	if (finding->last == SIZE_MAX)
		finding->first = number;
	else
		findings->places[finding->last].next = number;
	finding->last = number;
	return true;
}

size_t
unwind_findings_certain(const struct unwind_findings *findings)
{
	size_t count = 0;

	for (int code = 0; code <= UNWIND_CERTAIN; code++)
		count += findings->codes[code];
	return count;
}

void
unwind_findings_free(struct unwind_findings *findings)
{
	hash_free(&findings->patterns);
	arena_free(&findings->arena);
}
