/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/containment.h"
#include "tests/lib/tap.h"

/* Compared with the rules in Breakpad's headers, which are tried on each pair of ranges. */

#define MOST 64u

struct refusals {
	uint32_t refused[MOST];
	size_t count;
};

static uint64_t seed = 1;

static uint64_t
next_random(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static void
note(void *context, uint32_t refused, uint32_t stored)
{
	struct refusals *refusals = context;

	if (stored >= refused)
		tap_diag("range %u is refused for a later one", refused);
	else
		refusals->refused[refusals->count++] = refused;
}

static bool
compatible(const struct span *a, const struct span *b, enum containment_rule rule)
{
	bool apart = a->last < b->first || b->last < a->first;
	bool nested = (a->first >= b->first && a->last <= b->last) || (b->first >= a->first && b->last <= a->last);
	bool equal = a->first == b->first && a->last == b->last;

	if (rule == CONTAINMENT_EXCLUSIVE)
		return apart;
	return apart || (nested && (!equal || rule == CONTAINMENT_NESTED_EQUAL));
}

/* Indexes of the stored ranges in the order of the file; returns their number. */
static size_t
naive(const struct span *spans, size_t count, enum containment_rule rule, bool *stored)
{
	size_t kept = 0;

	for (size_t index = 0; index < count; index++) {
		stored[index] = true;
		for (size_t other = 0; other < index; other++)
			if (stored[other] && !compatible(&spans[index], &spans[other], rule))
				stored[index] = false;
		kept += stored[index];
	}
	return kept;
}

/* The innermost stored range around an address: the last of the smallest. */
static uint32_t
naive_find(const struct span *spans, size_t count, const bool *stored, uint64_t address)
{
	uint32_t best = SPAN_NONE;

	for (uint32_t index = 0; index < count; index++) {
		const struct span *span = &spans[index];
		if (!stored[index] || address < span->first || address > span->last)
			continue;
		if (best == SPAN_NONE || span->last - span->first <= spans[best].last - spans[best].first)
			best = index;
	}
	return best;
}

static bool
agrees(enum containment_rule rule, size_t count, uint64_t space)
{
	struct span offered[MOST], spans[MOST];
	bool stored[MOST], same = true;
	struct refusals refusals = { .count = 0 };
	struct segments segments;
	size_t kept = count;

	for (uint32_t index = 0; index < count; index++) {
		uint64_t first = next_random(space), size = 1 + next_random(space / 2);
		offered[index] = (struct span){ first, first + size - 1, index };
		spans[index] = offered[index];
	}
	size_t want = naive(offered, count, rule, stored);
	if (!containment_select(spans, &kept, rule, note, &refusals) || !segments_build(&segments, spans, kept))
		return false;
	same = kept == want && refusals.count == count - want;
	for (size_t rank = 0; same && rank < kept; rank++)
		same = stored[spans[rank].index] && (rank == 0 || span_before(&spans[rank - 1], &spans[rank]));
	for (size_t rank = 1; same && rank < refusals.count; rank++)
		same = refusals.refused[rank - 1] < refusals.refused[rank];
	for (uint64_t address = 0; same && address < space * 2; address++)
		same = segments_find(&segments, address) == naive_find(offered, count, stored, address);
	segments_free(&segments);
	return same;
}

static void
test_random(enum containment_rule rule, const char *name)
{
	size_t bad = 0;

	for (size_t round = 0; round < 3000; round++)
		bad += !agrees(rule, (size_t)(1 + next_random(round % 2 ? MOST : 8)), 4 + next_random(120));
	is_u64(bad, 0, "3000 random sets of ranges agree with the rule of %s", name);
}

TEST(ends)
{
	struct span spans[3], span;
	struct segments segments;
	size_t count = 3;

	ok(!span_of(5, 0, 0, &span), "an empty range is refused");
	ok(!span_of(UINT64_MAX, 2, 0, &span), "a range past the last address is refused");
	ok(span_of(UINT64_MAX - 1, 2, 0, &spans[0]) && span_of(0, UINT64_MAX, 1, &spans[1]) &&
	   span_of(UINT64_MAX, 1, 2, &spans[2]), "a range may end at the last address");
	ok(containment_select(spans, &count, CONTAINMENT_NESTED, NULL, NULL), "the ranges are sorted");
	is_u64(count, 2, "the range that crosses is refused, the one inside is stored");
	ok(segments_build(&segments, spans, count), "the ranges are flattened");
	is_u64(segments_find(&segments, UINT64_MAX), 2, "the last address is in the inner range");
	is_u64(segments_find(&segments, UINT64_MAX - 1), 0, "the address before it is in the outer range");
	is_u64(segments_find(&segments, 0), SPAN_NONE, "the first address is in no range");
	segments_free(&segments);
}

/* The range number `index` of a hostile order. */
typedef void hostile_range(uint32_t index, uint32_t count, struct span *span);

static void
descending(uint32_t index, uint32_t count, struct span *span)
{
	span_of((uint64_t)(count - index) * 4, 2, index, span);
}

static void
nested_outwards(uint32_t index, uint32_t count, struct span *span)
{
	span_of(count - index, (uint64_t)index * 2 + 1, index, span);
}

static void
nested_inwards(uint32_t index, uint32_t count, struct span *span)
{
	span_of(index, (uint64_t)(count - index) * 2, index, span);
}

static void
crossing(uint32_t index, uint32_t count, struct span *span)
{
	span_of(index * UINT64_C(7919) % count, count / 2, index, span);
}

static void
test_hostile(hostile_range *range, const char *name, size_t want)
{
	const uint32_t count = 300000;
	struct span *spans = malloc(count * sizeof(*spans));
	struct segments segments = { 0 };
	size_t kept = count;

	if (spans == NULL) {
		skip(2, "no memory for %u ranges", count);
		return;
	}
	tap_bound_work(120);
	for (uint32_t index = 0; index < count; index++)
		range(index, count, &spans[index]);
	ok(containment_select(spans, &kept, CONTAINMENT_NESTED, NULL, NULL) &&
	   segments_build(&segments, spans, kept), "%u ranges are selected and flattened: %s", count, name);
	if (want != 0)
		is_u64(kept, want, "the rule keeps the expected number of ranges: %s", name);
	else
		ok(kept >= 1 && kept < count, "some of the ranges are refused: %s", name);
	segments_free(&segments);
	free(spans);
}

int
main(void)
{
	test_random(CONTAINMENT_EXCLUSIVE, "functions");
	test_random(CONTAINMENT_NESTED, "STACK WIN records");
	test_random(CONTAINMENT_NESTED_EQUAL, "inlined calls");
	test_hostile(descending, "from the end to the start", 300000);
	test_hostile(nested_outwards, "each around all before", 300000);
	test_hostile(nested_inwards, "each inside all before", 300000);
	test_hostile(crossing, "each crossing others", 0);
	run_tests();
	return done_testing();
}
