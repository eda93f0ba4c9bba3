/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/span.h"

#include <stdlib.h>
#include <string.h>

bool
span_of(uint64_t address, uint64_t size, uint32_t index, struct span *span)
{
	if (size == 0 || size - 1 > UINT64_MAX - address)
		return false;
	*span = (struct span){ address, address + (size - 1), index };
	return true;
}

bool
span_before(const struct span *a, const struct span *b)
{
	if (a->first != b->first)
		return a->first < b->first;
	if (a->last != b->last)
		return a->last > b->last;
	return a->index < b->index;
}

/* The end of the ascending run that begins at `start`; a descending run is reversed. */
static size_t
take_run(struct span *spans, size_t start, size_t count)
{
	size_t end = start + 1;

	if (end == count)
		return end;
	if (!span_before(&spans[end], &spans[start])) {
		while (end < count && !span_before(&spans[end], &spans[end - 1]))
			end++;
		return end;
	}
	while (end < count && span_before(&spans[end], &spans[end - 1]))
		end++;
	for (size_t low = start, high = end - 1; low < high; low++, high--) {
		struct span swap = spans[low];

		spans[low] = spans[high];
		spans[high] = swap;
	}
	return end;
}

static void
merge(const struct span *from, size_t low, size_t middle, size_t high, struct span *to)
{
	size_t left = low, right = middle;

	for (size_t out = low; out < high; out++) {
		bool take_right = left == middle ||
				  (right < high && span_before(&from[right], &from[left]));

		to[out] = take_right ? from[right++] : from[left++];
	}
}

/* Merge neighbouring runs until one is left; `ends` holds the end of each. */
static void
merge_runs(struct span *spans, struct span *spare, size_t count, size_t *ends, size_t runs)
{
	struct span *from = spans, *to = spare;

	while (runs > 1) {
		size_t low = 0, out = 0;

		for (size_t run = 0; run < runs; run += 2) {
			size_t middle = ends[run];
			size_t high = run + 1 < runs ? ends[run + 1] : middle;

			merge(from, low, middle, high, to);
			ends[out++] = high;
			low = high;
		}
		runs = out;
		struct span *swap = from;
		from = to;
		to = swap;
	}
	if (from != spans)
		memcpy(spans, from, count * sizeof(*spans));
}

bool
span_sort(struct span *spans, size_t count)
{
	if (count < 2 || take_run(spans, 0, count) == count)
		return true;
	size_t *ends = malloc((count / 2 + 1) * sizeof(*ends));
	struct span *spare = malloc(count * sizeof(*spare));
	bool fits = ends != NULL && spare != NULL;

	if (fits) {
		size_t runs = 0;

		for (size_t start = 0; start < count; start = ends[runs++])
			ends[runs] = take_run(spans, start, count);
		merge_runs(spans, spare, count, ends, runs);
	}
	free(spare);
	free(ends);
	return fits;
}

bool
peaks_create(struct peaks *peaks, const uint64_t *keys, size_t count)
{
	size_t leaves = 1;

	while (leaves < count)
		leaves *= 2;
	*peaks = (struct peaks){ .keys = keys, .leaves = leaves };
	peaks->nodes = malloc(2 * leaves * sizeof(*peaks->nodes));
	if (peaks->nodes == NULL)
		return false;
	for (size_t node = 0; node < 2 * leaves; node++)
		peaks->nodes[node] = SPAN_NONE;
	return true;
}

void
peaks_free(struct peaks *peaks)
{
	free(peaks->nodes);
	*peaks = (struct peaks){ 0 };
}

static uint32_t
higher(const struct peaks *peaks, uint32_t a, uint32_t b)
{
	if (a == SPAN_NONE)
		return b;
	if (b == SPAN_NONE)
		return a;
	return peaks->keys[b] > peaks->keys[a] ? b : a;
}

void
peaks_add(struct peaks *peaks, uint32_t position)
{
	size_t node = peaks->leaves + position;

	for (; node != 0; node /= 2)
		peaks->nodes[node] = higher(peaks, peaks->nodes[node], position);
}

uint32_t
peaks_between(const struct peaks *peaks, size_t low, size_t high)
{
	uint32_t best = SPAN_NONE;

	low += peaks->leaves;
	high += peaks->leaves;
	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			best = higher(peaks, best, peaks->nodes[low++]);
		if (high & 1)
			best = higher(peaks, best, peaks->nodes[--high]);
	}
	return best;
}
