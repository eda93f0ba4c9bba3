/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "symbols/containment.h"

#include <stdlib.h>

/* The state of the slow path. Each range has a rank by start and a rank by end. */
struct selection {
	struct span *spans;		/* sorted by span_before */
	size_t count;
	uint64_t *lasts;		/* end of each range, by rank among starts */
	struct span *by_last;		/* sorted by end; index is the rank among starts */
	uint64_t *starts;		/* complement of each start, by rank among ends */
	uint32_t *last_rank;		/* rank of a range among ends, by its rank among starts */
	struct peaks highest;		/* greatest end of all ranges that start in an interval */
	struct peaks lowest;		/* least start of all ranges that end in an interval */
	uint32_t *twin;			/* first rank of an equal range, by rank */
	/* Whether a range is stored, by rank; equal ranges share the lowest rank */
	bool *stored;
};

/* Whether all ranges can be stored, as in nearly every file. `open` has room for `count` ranks. */
static bool
all_fit(const struct span *spans, size_t count, enum containment_rule rule, uint32_t *open)
{
	size_t depth = 0;

	for (size_t rank = 0; rank < count; rank++) {
		const struct span *span = &spans[rank];

		while (depth > 0 && spans[open[depth - 1]].last < span->first)
			depth--;
		if (depth > 0) {
			const struct span *outer = &spans[open[depth - 1]];

			if (rule == CONTAINMENT_EXCLUSIVE || rule == CONTAINMENT_BY_START ||
			    span->last > outer->last)
				return false;
			if (rule == CONTAINMENT_NESTED && span->first == outer->first &&
			    span->last == outer->last)
				return false;
		}
		open[depth++] = (uint32_t)rank;
	}
	return true;
}

/* The first rank by end of a range that ends at or above `address`. */
static size_t
rank_of_last(const struct selection *selection, uint64_t address)
{
	return sorted_below(SORTED(selection->by_last, selection->count, first), address);
}

static size_t
rank_behind_start(const struct selection *selection, uint64_t address)
{
	return sorted_upto(SORTED(selection->spans, selection->count, first), address);
}

/* The rank of a stored range that conflicts with range `which`, or SPAN_NONE. */
static uint32_t
barred_by(const struct selection *selection, uint32_t which, enum containment_rule rule)
{
	const struct span *span = &selection->spans[which];
	const uint32_t twin = selection->twin[which];
	const bool exclusive = rule == CONTAINMENT_EXCLUSIVE;

	if (rule == CONTAINMENT_NESTED && selection->stored[twin])
		return twin;
	uint32_t rank = peaks_between(&selection->highest,
				      exclusive ? 0 : rank_behind_start(selection, span->first),
				      rank_behind_start(selection, span->last));
	if (exclusive)
		return rank != SPAN_NONE && selection->lasts[rank] >= span->first ? rank
										  : SPAN_NONE;
	/* Nested ranges do not conflict; ranges that cross the end of another range do. */
	if (rank != SPAN_NONE && selection->lasts[rank] > span->last)
		return rank;
	rank = peaks_between(&selection->lowest, rank_of_last(selection, span->first),
			     rank_of_last(selection, span->last));
	return rank != SPAN_NONE && ~selection->starts[rank] < span->first
		       ? selection->by_last[rank].index : SPAN_NONE;
}

static bool
selection_create(struct selection *selection, struct span *spans, size_t count)
{
	*selection = (struct selection){
		.spans = spans,
		.count = count,
		.lasts = malloc(count * sizeof(uint64_t)),
		.by_last = malloc(count * sizeof(struct span)),
		.starts = malloc(count * sizeof(uint64_t)),
		.last_rank = malloc(count * sizeof(uint32_t)),
		.twin = malloc(count * sizeof(uint32_t)),
		.stored = calloc(count, sizeof(bool)),
	};
	if (selection->lasts == NULL || selection->by_last == NULL ||
	    selection->starts == NULL || selection->last_rank == NULL ||
	    selection->twin == NULL || selection->stored == NULL)
		return false;
	for (size_t rank = 0; rank < count; rank++) {
		const struct span *span = &spans[rank];
		bool same = rank > 0 && span->first == spans[rank - 1].first &&
			    span->last == spans[rank - 1].last;

		selection->lasts[rank] = span->last;
		selection->twin[rank] = same ? selection->twin[rank - 1] : (uint32_t)rank;
		selection->by_last[rank] = (struct span){ span->last, 0, (uint32_t)rank };
	}
	span_sort(selection->by_last, count);
	for (size_t rank = 0; rank < count; rank++) {
		uint32_t start_rank = selection->by_last[rank].index;

		selection->starts[rank] = ~spans[start_rank].first;
		selection->last_rank[start_rank] = (uint32_t)rank;
	}
	return peaks_create(&selection->highest, selection->lasts, count) &&
	       peaks_create(&selection->lowest, selection->starts, count);
}

static bool
select_in_order(struct span *spans, size_t *count, enum containment_rule rule,
		containment_refusal *refuse, void *context)
{
	struct selection selection;
	size_t left = 0;
	bool *kept = calloc(*count, sizeof(*kept));
	/* The ranks in the order of the file: spans sorted by their index. */
	struct span *order = malloc(*count * sizeof(*order));
	bool fits = selection_create(&selection, spans, *count) && kept != NULL && order != NULL;

	for (size_t rank = 0; fits && rank < *count; rank++)
		order[rank] = (struct span){ spans[rank].index, 0, (uint32_t)rank };
	if (fits)
		span_sort(order, *count);
	for (size_t turn = 0; fits && turn < *count; turn++) {
		const uint32_t rank = order[turn].index;
		const uint32_t bar = barred_by(&selection, rank, rule);

		if (bar == SPAN_NONE) {
			kept[rank] = true;
			selection.stored[selection.twin[rank]] = true;
			peaks_add(&selection.highest, rank);
			peaks_add(&selection.lowest, selection.last_rank[rank]);
		} else if (refuse != NULL) {
			refuse(context, spans[rank].index, spans[bar].index);
		}
	}
	for (size_t rank = 0; fits && rank < *count; rank++)
		if (kept[rank])
			spans[left++] = spans[rank];
	if (fits)
		*count = left;
	peaks_free(&selection.highest);
	peaks_free(&selection.lowest);
	free(selection.lasts);
	free(selection.by_last);
	free(selection.starts);
	free(selection.last_rank);
	free(selection.twin);
	free(selection.stored);
	free(order);
	free(kept);
	return fits;
}

/* Select from sorted ranges; of ranges with the same start the longest is first. */
static bool
select_by_start(struct span *spans, size_t *count, containment_refusal *refuse, void *context)
{
	size_t left = 0;

	for (size_t rank = 0, next; rank < *count; rank = next) {
		size_t best = rank;

		for (next = rank + 1; next < *count && spans[next].first == spans[rank].first;
		     next++)
			if (spans[next].last < spans[best].last)
				best = next;
		const bool kept = left == 0 || spans[best].first > spans[left - 1].last;
		const struct span stored = kept ? spans[best] : spans[left - 1];
		for (size_t i = rank; refuse != NULL && i < next; i++)
			if (!kept || i != best)
				refuse(context, spans[i].index, stored.index);
		if (kept)
			spans[left++] = stored;
	}
	*count = left;
	return true;
}

bool
containment_select(struct span *spans, size_t *count, enum containment_rule rule,
		   containment_refusal *refuse, void *context)
{
	if (*count == 0)
		return true;
	uint32_t *open = malloc(*count * sizeof(*open));

	if (open == NULL)
		return false;
	span_sort(spans, *count);
	bool fit = all_fit(spans, *count, rule, open);
	free(open);
	return fit || (rule == CONTAINMENT_BY_START
			       ? select_by_start(spans, count, refuse, context)
			       : select_in_order(spans, count, rule, refuse, context));
}

static void
segment_put(struct segments *segments, uint64_t start, uint32_t index)
{
	if (segments->count > 0 && segments->list[segments->count - 1].start == start)
		segments->count--;
	segments->list[segments->count++] = (struct segment){ start, index };
}

/* Close the innermost of `*depth` open spans; the span around it continues after its end. */
static void
segment_close(struct segments *segments, const struct span *spans, const uint32_t *open,
	      size_t *depth)
{
	uint64_t last = spans[open[--*depth]].last;

	if (last != UINT64_MAX)
		segment_put(segments, last + 1,
			    *depth > 0 ? spans[open[*depth - 1]].index : SPAN_NONE);
}

bool
segments_build(struct segments *segments, const struct span *spans, size_t count)
{
	*segments = (struct segments){ 0 };
	if (count == 0)
		return true;
	uint32_t *open = malloc(count * sizeof(*open));
	size_t depth = 0;

	segments->list = malloc(count * 2 * sizeof(*segments->list));
	if (open == NULL || segments->list == NULL) {
		free(open);
		segments_free(segments);
		return false;
	}
	for (size_t rank = 0; rank < count; rank++) {
		while (depth > 0 && spans[open[depth - 1]].last < spans[rank].first)
			segment_close(segments, spans, open, &depth);
		segment_put(segments, spans[rank].first, spans[rank].index);
		open[depth++] = (uint32_t)rank;
	}
	while (depth > 0)
		segment_close(segments, spans, open, &depth);
	free(open);
	return true;
}

void
segments_free(struct segments *segments)
{
	free(segments->list);
	*segments = (struct segments){ 0 };
}

uint32_t
segments_find(const struct segments *segments, uint64_t address)
{
	const size_t rank = sorted_upto(SORTED(segments->list, segments->count, start), address);

	return rank == 0 ? SPAN_NONE : segments->list[rank - 1].index;
}

bool
segments_above(const struct segments *segments, uint64_t address, uint64_t *start)
{
	const size_t rank = sorted_upto(SORTED(segments->list, segments->count, start), address);

	if (rank == segments->count)
		return false;
	*start = segments->list[rank].start;
	return true;
}
