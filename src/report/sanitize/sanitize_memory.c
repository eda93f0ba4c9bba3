/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "report/sanitize/sanitize_internal.h"

/* Larger stacks are cut at both ends where nothing was read: cores have complete ones. */
#define LARGE_STACK UINT64_C(65536)
#define PAGE UINT64_C(4096)
/* Gap in bytes between used ones that is cheaper to copy than another entry of a list. */
#define GAP 16u

/* An address in a thread's stack. */
struct stack_mark {
	uint64_t address;
	size_t thread;
	bool pointer;			/* the stack pointer, not the base in its descriptor */
};

struct memory_maker {
	struct sanitizing *sanitizing;
	struct stack_mark *marks;	/* marks by address */
	size_t mark_count;
	struct memory_run *runs;
	size_t count, capacity;
	struct module_map modules;
	bool failed;
};

SORTED_BY(compare_marks, struct stack_mark, address)

static bool
find_stacks(struct memory_maker *maker)
{
	struct sanitizing *sanitizing = maker->sanitizing;
	const struct crash *crash = sanitizing->out->crash;

	maker->marks = arena_array(&sanitizing->out->arena, 2 * crash->thread_count + 1,
				   sizeof(*maker->marks));
	for (size_t i = 0; maker->marks != NULL && i < crash->thread_count; i++) {
		const struct crash_context *context = crash_thread_context(crash, i);
		const struct memory_region *stack = crash->threads[i].stack;

		if (context->present)
			maker->marks[maker->mark_count++] = (struct stack_mark){
				context->registers.value[context->arch->sp], i, true };
		if (stack != NULL && stack->available > 0)
			maker->marks[maker->mark_count++] = (struct stack_mark){ stack->base, i,
								     false };
	}
	if (maker->mark_count > 1)
		qsort(maker->marks, maker->mark_count, sizeof(*maker->marks), compare_marks);
	return maker->marks != NULL;
}

/* The first mark in a run, or NULL: the run is not a stack. */
static const struct stack_mark *
mark_in(const struct memory_maker *maker, const struct memory_run *run)
{
	const size_t at = sorted_below(SORTED(maker->marks, maker->mark_count, address),
				       run->base);

	return at < maker->mark_count && maker->marks[at].address - run->base < run->size
		       ? &maker->marks[at] : NULL;
}

static bool
keeps(const struct memory_maker *maker, enum copy_part part)
{
	return (maker->sanitizing->out->parts >> part & 1) != 0;
}

/* Adds bytes of a run, with their values if they were read, else 0. */
static void
add_bytes(struct memory_maker *maker, const struct memory_run *run, uint64_t low, uint64_t end,
	  bool whole)
{
	struct arena *arena = &maker->sanitizing->out->arena;
	struct memory_run *added = ARENA_PUSH(arena, maker->runs, maker->count, maker->capacity);
	uint8_t *bytes = whole ? NULL : arena_array(arena, (size_t)(end - low), 1);
	struct memory_used_range range;

	if (added == NULL || (bytes == NULL && !whole)) {
		maker->failed = true;
		return;
	}
	*added = (struct memory_run){ .base = low, .size = end - low, .region = run->region,
				      .data = whole ? run->data + (low - run->base) : bytes };
	for (uint64_t at = low;
	     !whole && memory_used_next(&maker->sanitizing->used, at, end, &range);
	     at = range.address + range.size)
		if (range.use == MEMORY_READ ||
		    (range.use == MEMORY_REFUSED && keeps(maker, COPY_SCANNED)))
			memcpy(bytes + (range.address - low),
			       run->data + (range.address - run->base), (size_t)range.size);
}

/*
 * Adds the used pieces of a run. If the stack continues for `tail` bytes after a piece, so does the
 * copy: a scan that stopped there must not reach an end of memory.
 */
static void
add_pieces(struct memory_maker *maker, const struct memory_run *run, uint64_t tail)
{
	const struct memory_used *used = &maker->sanitizing->used;
	const uint64_t end = run->base + run->size;
	struct memory_used_range range;
	uint64_t low = 0, high = 0;

	for (uint64_t at = run->base; memory_used_next(used, at, end, &range);
	     at = range.address + range.size) {
		if (high > 0 && range.address > high && range.address - high > GAP) {
			add_bytes(maker, run, low, high, false);
			high = 0;
		}
		low = high > 0 ? low : range.address;
		high = range.address + range.size;
		high += tail < end - high ? tail : end - high;
	}
	if (high > 0)
		add_bytes(maker, run, low, high, false);
}

/* Cuts a stack at pages where nothing was read, but not above its lowest stack pointer. */
static void
trim_stack(const struct memory_maker *maker, const struct memory_run *run,
	   const struct stack_mark *mark, uint64_t *low, uint64_t *end)
{
	const struct memory_used *used = &maker->sanitizing->used;
	const struct stack_mark *behind = maker->marks + maker->mark_count;
	const uint64_t whole_end = *end;
	uint64_t first = whole_end - 1, last = *low;
	struct memory_used_range range;

	for (; mark < behind && mark->address - run->base < run->size; mark++)
		if (mark->pointer) {
			first = mark->address < first ? mark->address : first;
			last = mark->address;
		}
	for (uint64_t at = run->base; memory_used_next(used, at, whole_end, &range); at = last) {
		first = range.address < first ? range.address : first;
		last = range.address + range.size;
	}
	*low = (first & ~(PAGE - 1)) > *low ? first & ~(PAGE - 1) : *low;
	if (whole_end - last > LARGE_STACK)
		*end = (last | (PAGE - 1)) + 1;
}

/* Adds the part of a stack that the copy has; `mark` is its first one. */
static void
add_stack(struct memory_maker *maker, const struct memory_run *run, const struct stack_mark *mark)
{
	uint64_t low = run->base, end = run->base + run->size;

	if (maker->sanitizing->trims && run->size > LARGE_STACK)
		trim_stack(maker, run, mark, &low, &end);
	if (keeps(maker, COPY_STACKS))
		add_bytes(maker, run, low, end, true);
	else if (maker->sanitizing->out->absent || end - low > LIMIT_STACK_REGION)
		add_pieces(maker, run, GAP);
	else
		add_bytes(maker, run, low, end, false);
}

/* Adds a run to the list of ranges. */
static void
list_ranges(struct memory_maker *maker, const struct memory_run *run, int thread)
{
	struct sanitizing *sanitizing = maker->sanitizing;
	struct sanitized *out = sanitizing->out;
	const uint64_t end = run->base + run->size;
	struct memory_used_range range;

	for (uint64_t at = run->base; memory_used_next(&sanitizing->used, at, end, &range);
	     at = range.address + range.size) {
		if (range.use < MEMORY_REFUSED)
			continue;
		struct sanitized_range *added =
			ARENA_PUSH(&out->arena, out->ranges, out->range_count, out->range_capacity);

		maker->failed |= added == NULL;
		if (added == NULL)
			return;
		*added = (struct sanitized_range){
			range.address, range.size, range.use == MEMORY_REFUSED, thread,
			module_map_find(&maker->modules, range.address) };
		*(range.use == MEMORY_REFUSED ? &out->refused : &out->read) += range.size;
	}
}

bool
sanitize_memory(struct sanitizing *sanitizing, struct minidump_choice *choice)
{
	struct sanitized *out = sanitizing->out;
	const struct crash *crash = out->crash;
	struct memory_maker maker = { .sanitizing = sanitizing };

	out->range_count = 0;
	out->memory = out->read = out->refused = 0;
	module_map_build(&maker.modules, crash, &sanitizing->options->policy, &out->arena);
	maker.failed = !find_stacks(&maker);
	for (size_t i = 0; i < crash->run_count && !maker.failed; i++) {
		const struct memory_run *run = &crash->runs[i];
		const struct stack_mark *mark = mark_in(&maker, run);

		out->memory += run->size;
		list_ranges(&maker, run, mark != NULL ? (int)mark->thread : -1);
		if (keeps(&maker, COPY_MEMORY))
			add_bytes(&maker, run, run->base, run->base + run->size, true);
		else if (mark != NULL)
			add_stack(&maker, run, mark);
		else
			add_pieces(&maker, run, 0);
	}
	choice->runs = maker.runs;
	choice->run_count = maker.count;
	return !maker.failed;
}
