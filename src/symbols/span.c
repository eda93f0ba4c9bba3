/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/span.h"

#include <stdlib.h>

#include "base/sorted.h"

bool
span_of(uint64_t address, uint64_t size, uint32_t index, struct span *span)
{
	if (size == 0 || size - 1 > UINT64_MAX - address)
		return false;
	*span = (struct span){ address, address + (size - 1), index };
	return true;
}

SORTED_BY_ALL(compare_spans, struct span, SORTED_UP(first) SORTED_DOWN(last) SORTED_UP(index))

bool
span_before(const struct span *a, const struct span *b)
{
	return compare_spans(a, b) < 0;
}

void
span_sort(struct span *spans, size_t count)
{
	size_t sorted = 1;

	while (sorted < count && span_before(&spans[sorted - 1], &spans[sorted]))
		sorted++;
	if (sorted < count)
		qsort(spans, count, sizeof(*spans), compare_spans);
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
