/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/limits.h"

static int
compare_regions(const void *left, const void *right)
{
	const struct memory_region *a = *(const struct memory_region *const *)left;
	const struct memory_region *b = *(const struct memory_region *const *)right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	if (a->available != b->available)
		return a->available > b->available ? -1 : 1;
	return 0;
}

/* The bytes of sorted regions, each address once: the region that begins first has it. */
static size_t
flatten(const struct memory_region *const *regions, size_t count, struct memory_run *runs)
{
	size_t used = 0;
	uint64_t reached = 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct memory_region *region = regions[i];
		uint64_t skip = 0;

		if (region->available == 0 || region->available - 1 > UINT64_MAX - region->base)
			continue;
		uint64_t last = region->base + region->available - 1;
		if (any && last <= reached)
			continue;
		if (any && region->base <= reached)
			skip = reached + 1 - region->base;
		runs[used++] = (struct memory_run){
			.base = region->base + skip,
			.size = region->available - skip,
			.data = region->data + skip,
			.offset = region->offset + skip,
			.region = region,
		};
		reached = last;
		any = true;
	}
	return used;
}

static void
view_of(struct memory_view *view, const struct crash *crash,
	const struct memory_region **regions, size_t count, struct arena *arena)
{
	struct memory_run *runs = arena_array(arena, count, sizeof(*runs));

	*view = (struct memory_view){
		.input = &crash->file.input,
		.big_endian = crash->reader.big_endian,
	};
	if (runs == NULL)
		return;
	qsort(regions, count, sizeof(regions[0]), compare_regions);
	view->runs = runs;
	view->count = flatten(regions, count, runs);
}

void
memory_view_all(struct memory_view *view, const struct crash *crash, struct arena *arena)
{
	size_t room = crash->region_count + crash->thread_count;
	const struct memory_region **regions = arena_array(arena, room, sizeof(*regions));
	size_t count = 0;

	for (size_t i = 0; regions != NULL && i < crash->region_count; i++)
		regions[count++] = &crash->regions[i];
	for (size_t i = 0; regions != NULL && i < crash->thread_count; i++)
		if (crash->threads[i].stack != NULL)
			regions[count++] = crash->threads[i].stack;
	view_of(view, crash, regions, count, arena);
}

void
memory_view_thread(struct memory_view *view, const struct crash *crash, size_t thread,
		   bool stack_only, struct arena *arena)
{
	const struct memory_region *stack = crash->threads[thread].stack;

	if (!stack_only) {
		memory_view_all(view, crash, arena);
	} else {
		const struct memory_region **one = arena_array(arena, 1, sizeof(*one));

		/* Breakpad reads a region whole or not at all, and knows no Memory64List. */
		bool usable = one != NULL && stack != NULL && !stack->memory64 &&
			      stack->size <= LIMIT_STACK_REGION && stack->available == stack->size;
		if (usable)
			one[0] = stack;
		view_of(view, crash, one, usable ? 1 : 0, arena);
	}
	if (stack != NULL)
		view->stack = memory_run_of(view, stack->base);
}

const struct memory_run *
memory_run_of(const struct memory_view *view, uint64_t address)
{
	size_t low = 0, high = view->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct memory_run *run = &view->runs[middle];

		if (checked_contains(run->base, run->size, address))
			return run;
		if (run->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool
read_across(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + (view->big_endian ? i : size - 1 - i);
		const struct memory_run *run = memory_run_of(view, at);

		if (at < address || run == NULL)
			return false;
		result = result << 8 | run->data[at - run->base];
	}
	*value = result;
	return true;
}

bool
memory_read(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place)
{
	const struct memory_run *run = view->stack;

	if (run == NULL || !checked_contains(run->base, run->size, address))
		run = memory_run_of(view, address);
	if (run == NULL)
		return false;
	uint64_t skip = address - run->base;
	if (place != NULL)
		*place = (struct place){ .input = view->input, .offset = run->offset + skip,
					 .length = size };
	if (!checked_within(skip, size, run->size))
		return read_across(view, address, size, value);
	const struct reader reader = { .data = run->data, .size = run->size,
				       .big_endian = view->big_endian };
	return reader_unsigned(&reader, skip, size, value);
}
