/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/sorted.h"

SORTED_POINTERS(compare_regions, struct memory_region, SORTED_UP(base) SORTED_DOWN(available))

/* Cuts runs of smaller regions that reach `base` or beyond; returns the number of runs left. */
static size_t
give_way(struct memory_run *runs, size_t used, uint64_t base, uint64_t size)
{
	while (used > 0) {
		struct memory_run *last = &runs[used - 1];

		if (last->base + (last->size - 1) < base || last->region->available >= size)
			break;
		if (last->base < base) {
			last->size = base - last->base;
			break;
		}
		used--;
	}
	return used;
}

/*
 * Makes runs of sorted regions, so that each address occurs once. If regions overlap, the largest
 * is used, or the first if their sizes are equal. A region inside a larger region is ignored.
 */
static size_t
flatten(const struct memory_region *const *regions, size_t count, struct memory_run *runs)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct memory_region *region = regions[i];
		uint64_t skip = 0;

		if (region->available == 0 || region->available - 1 > UINT64_MAX - region->base)
			continue;
		uint64_t last = region->base + region->available - 1;
		used = give_way(runs, used, region->base, region->available);
		if (used > 0) {
			uint64_t reached = runs[used - 1].base + (runs[used - 1].size - 1);

			if (last <= reached)
				continue;
			if (region->base <= reached)
				skip = reached + 1 - region->base;
		}
		runs[used++] = (struct memory_run){
			.base = region->base + skip,
			.size = region->available - skip,
			.data = region->data + skip,
			.region = region,
		};
	}
	return used;
}

static void
view_of(struct memory_view *view, const struct memory_region **regions, size_t count,
	struct arena *arena)
{
	struct memory_run *runs = arena_array(arena, count, sizeof(*runs));

	view->count = 0;
	view->runs = runs;
	if (runs == NULL || regions == NULL)
		return;
	SORT(regions, count, compare_regions);
	view->count = flatten(regions, count, runs);
}

static struct memory_view
empty_view(const struct crash *crash)
{
	return (struct memory_view){ .crash = crash, .input = &crash->file.input,
				     .big_endian = crash->reader.big_endian, .log = crash->log };
}

static void
view_regions(struct memory_view *view, const struct crash *crash, struct arena *arena)
{
	size_t room = crash->region_count + crash->thread_count;
	const struct memory_region **regions = arena_array(arena, room, sizeof(*regions));
	size_t count = 0;

	for (size_t i = 0; regions != NULL && i < crash->region_count; i++)
		regions[count++] = &crash->regions[i];
	for (size_t i = 0; regions != NULL && i < crash->thread_count; i++)
		if (crash->threads[i].stack != NULL)
			regions[count++] = crash->threads[i].stack;
	view_of(view, regions, count, arena);
}

/*
 * Drops runs that exceed the limit: regions that share bytes could add up to any multiple of the
 * file's size. The stack of the crashed thread is kept.
 */
static void
limit_shared(struct crash *crash)
{
	struct memory_run *runs = crash->runs;
	const uint64_t most = LIMIT_SHARED_MEMORY + 4 * crash->reader.size;
	const struct memory_region *stack = crash->requesting_thread >= 0 &&
							    (size_t)crash->requesting_thread <
								    crash->thread_count
						    ? crash->threads[crash->requesting_thread].stack
						    : NULL;
	const struct memory_region *cut = NULL;
	uint64_t left = most;
	size_t kept = 0;

	for (size_t i = 0; i < crash->run_count; i++) {
		const bool crashed = stack != NULL && runs[i].region->base == stack->base;

		if (!crashed && runs[i].size > left) {
			cut = cut != NULL ? cut : runs[i].region;
			continue;
		}
		left -= runs[i].size < left ? runs[i].size : left;
		runs[kept++] = runs[i];
	}
	crash->run_count = kept;
	if (cut != NULL)
		message_add(&crash->messages, MESSAGE_LIMIT, cut->place,
			    "memory regions share their bytes\nonly %" PRIu64
			    " bytes of memory are read", most);
}

SORTED_BY_ALL(compare_stacks, struct thread_stack, SORTED_UP(base) SORTED_UP(thread))

/* Memory with the stack pointers of several threads is not one thread's stack. */
static void
index_stacks(struct crash *crash)
{
	struct thread_stack *stacks =
		arena_array(&crash->arena, crash->thread_count, sizeof(*stacks));
	size_t count = 0;

	crash->stacks = stacks;
	for (size_t i = 0; stacks != NULL && i < crash->thread_count; i++)
		if (crash->threads[i].stack_size > 0)
			stacks[count++] = (struct thread_stack){ crash->threads[i].stack_start,
				crash->threads[i].stack_size, i };
	SORT(stacks, count, compare_stacks);
	for (size_t i = 0; i < count; i++)
		if ((i == 0 || stacks[i].base != stacks[i - 1].base) &&
		    (i + 1 == count || stacks[i].base != stacks[i + 1].base))
			stacks[crash->stack_count++] = stacks[i];
}

/* The runs are made in a scratch arena, because their number is not known in advance. */
void
memory_index(struct crash *crash)
{
	struct memory_view view = empty_view(crash);
	struct arena scratch = { 0 };

	view_regions(&view, crash, &scratch);
	crash->runs = arena_array(&crash->arena, view.count, sizeof(*crash->runs));
	if (crash->runs != NULL && view.count != 0) {
		memcpy(crash->runs, view.runs, view.count * sizeof(*crash->runs));
		crash->run_count = view.count;
		limit_shared(crash);
	}
	arena_free(&scratch);
	index_stacks(crash);
}

void
memory_view_all(struct memory_view *view, const struct crash *crash, struct arena *arena)
{
	*view = empty_view(crash);
	view->runs = crash->runs;
	view->count = crash->run_count;
	if (view->runs == NULL)
		view_regions(view, crash, arena);
}

static const struct memory_run *
run_of(const struct memory_view *view, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(view->runs, view->count, base), address);
	const struct memory_run *run = upto > 0 ? &view->runs[upto - 1] : NULL;

	return run != NULL && checked_contains(run->base, run->size, address) ? run : NULL;
}

void
memory_view_thread(struct memory_view *view, const struct crash *crash, size_t thread,
		   struct memory_scope scope, struct arena *arena)
{
	const struct memory_region *stack = crash->threads[thread].stack;

	if (!scope.by_descriptor && crash->threads[thread].pointer_stack != NULL)
		stack = crash->threads[thread].pointer_stack;
	if (!scope.stack_only) {
		memory_view_all(view, crash, arena);
	} else {
		const struct memory_region **one = arena_array(arena, 1, sizeof(*one));

		/* Breakpad reads complete regions only, and ignores Memory64List. */
		bool usable = one != NULL && stack != NULL && !stack->memory64 &&
			      stack->size <= LIMIT_STACK_REGION && stack->available == stack->size;
		if (usable)
			one[0] = stack;
		*view = empty_view(crash);
		view_of(view, one, usable ? 1 : 0, arena);
	}
	if (stack != NULL)
		view->stack = run_of(view, stack->base);
}

const struct memory_run *
memory_run_of(const struct memory_view *view, uint64_t address)
{
	const struct memory_run *run = run_of(view, address);

	if (run != NULL)
		memory_note(view, address, 1, MEMORY_PRESENT);
	return run;
}

const struct memory_run *
memory_nearest(const struct memory_view *view, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(view->runs, view->count, base), address);
	const struct memory_run *below = upto > 0 ? &view->runs[upto - 1] : NULL;
	const struct memory_run *above = upto < view->count ? &view->runs[upto] : NULL;

	if (below == NULL || above == NULL)
		return below != NULL ? below : above;
	return above->base - address < address - (below->base + below->size - 1) ? above : below;
}

struct reader
memory_rest(const struct memory_view *view, uint64_t address)
{
	const struct memory_run *run = memory_run_of(view, address);

	if (run == NULL)
		return (struct reader){ 0 };
	return (struct reader){ .input = view->input, .data = run->data + (address - run->base),
				.size = run->size - (address - run->base),
				.big_endian = view->big_endian };
}

struct place
memory_place(const struct memory_view *view, uint64_t address, uint64_t size)
{
	const struct memory_run *run = memory_run_of(view, address);

	if (run == NULL)
		return (struct place){ 0 };
	const uint64_t left = run->size - (address - run->base), most = size < left ? size : left;
	return crash_memory_place(view->crash, run->region, address,
				  most < UINT32_MAX ? (uint32_t)most : UINT32_MAX);
}

/* Copies bytes from one run or from adjacent runs, up to the first missing byte. */
static size_t
copy(const struct memory_view *view, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct memory_run *run;
	size_t count = 0;

	while (count < size && count <= UINT64_MAX - address &&
	       (run = run_of(view, address + count)) != NULL) {
		const uint64_t skip = address + count - run->base, left = run->size - skip;
		const size_t part = left < size - count ? (size_t)left : size - count;

		memcpy(bytes + count, run->data + skip, part);
		count += part;
	}
	return count;
}

size_t
memory_copy(const struct memory_view *view, uint64_t address, uint8_t *bytes, size_t size,
	    struct place *place)
{
	const size_t count = copy(view, address, bytes, size);

	if (count > 0 && place != NULL)
		*place = memory_place(view, address, count);
	memory_note(view, address, count, MEMORY_READ);
	return count;
}

bool
memory_peek(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place)
{
	const struct memory_run *run = view->stack;

	if (run == NULL || !checked_contains(run->base, run->size, address))
		run = run_of(view, address);
	if (run == NULL)
		return false;
	const uint64_t skip = address - run->base;
	if (place != NULL)
		*place = crash_memory_place(view->crash, run->region, address, size);
	const uint8_t *from = run->data + skip;
	uint8_t bytes[8];
	if (!checked_within(skip, size, run->size)) {
		if (copy(view, address, bytes, size) < size)
			return false;
		from = bytes;
	}
	*value = reader_number(from, size, view->big_endian);
	return true;
}

bool
memory_read(const struct memory_view *view, uint64_t address, unsigned size, uint64_t *value,
	    struct place *place)
{
	if (!memory_peek(view, address, size, value, place))
		return false;
	memory_note(view, address, size, MEMORY_READ);
	return true;
}
