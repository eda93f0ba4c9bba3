/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/slices.h"

#include <stdlib.h>

#include "system/crew.h"

/* Maximum number of threads and slices of one module; minimum bytes of code in a slice. */
#define MOST_THREADS 16u
#define MOST_SLICES 64u
#define SLICE_BYTES (UINT64_C(1) << 19)

/* A part of the module's addresses, and the differences in it. */
struct unwind_slice {
	uint64_t first, last;
	struct unwind_totals totals;
	struct arena arena;
	struct unwind_difference *differences;
	size_t difference_count, capacity;
	bool done;
};

/* Threads take the slices one by one, each with its own sources. */
struct unwind_slices {
	const struct unwind_check *check;
	struct unwind_slice slices[MOST_SLICES];
	size_t count;
	/* Sources of each thread except the calling thread */
	struct unwind_source (*sources)[UNWIND_SOURCES];
};

static bool
keep(void *context, const struct unwind_difference *difference)
{
	struct unwind_slice *slice = context;

	return ARENA_ADD(&slice->arena, slice->differences, slice->difference_count,
			 slice->capacity, difference);
}

static void
run_slice(void *context, size_t member, size_t item)
{
	struct unwind_slices *all = context;
	struct unwind_slice *slice = &all->slices[item];
	struct unwind_check check = *all->check;

	if (member > 0)
		check.sources = all->sources[member - 1];
	check.first = slice->first;
	check.last = slice->last;
	check.tell = keep;
	check.context = slice;
	slice->done = unwind_check_run(&check, &slice->totals);
}

/*
 * The last address before the first gap in the rows of all sources. Searches from `address` on.
 * Differences on either side of a gap are independent. UINT64_MAX: no row follows the gap.
 */
static uint64_t
before_gap(const struct unwind_check *check, uint64_t address)
{
	unsigned left = 0;

	for (unsigned i = 0; i < check->count; i++) {
		check->sources[i].kind->reader->seek(&check->sources[i], address);
		left |= (unsigned)check->sources[i].kind->reader->next(&check->sources[i]) << i;
	}
	for (bool more = true; more && left != 0;) {
		more = false;
		for (unsigned i = 0; i < check->count; i++) {
			struct unwind_source *source = &check->sources[i];

			while ((left >> i & 1) != 0 && source->row.first <= address + 1) {
				address = source->row.last > address ? source->row.last : address;
				left &= ~((unsigned)!source->kind->reader->next(source) << i);
				more = true;
			}
		}
	}
	return left != 0 ? address : UINT64_MAX;
}

/* Add a slice from the end of the previous slice up to `last` (UINT64_MAX for the last slice). */
static bool
add_slice(struct unwind_slices *all, uint64_t last)
{
	const uint64_t first = all->count > 0 ? all->slices[all->count - 1].last + 1 : 0;

	if (last < first)
		return true;
	all->slices[all->count].first = first;
	all->slices[all->count++].last = last;
	return last != UINT64_MAX;
}

/* Divide the module into slices; no difference crosses the border of a slice. */
static void
lay_out(struct unwind_slices *all)
{
	const struct unwind_check *check = all->check;
	const uint64_t end = unwind_code_end(check->sources[0].module);
	const uint64_t wanted = crew_size(MOST_THREADS) > 1 ? 1 + end / SLICE_BYTES : 1;
	const uint64_t count = wanted < MOST_SLICES ? wanted : MOST_SLICES;

	for (uint64_t i = 1; i < count; i++)
		if (!add_slice(all, before_gap(check, end / count * i)))
			return;
	add_slice(all, UINT64_MAX);
}

static void
add_totals(struct unwind_totals *sum, const struct unwind_totals *totals)
{
	for (unsigned i = 0; i < UNWIND_SOURCES; i++) {
		sum->rows[i] += totals->rows[i];
		sum->bytes[i] += totals->bytes[i];
	}
	sum->entries += totals->entries;
	sum->entry_count = totals->entry_count > sum->entry_count ? totals->entry_count
								  : sum->entry_count;
	sum->compared += totals->compared;
	sum->bytes_compared += totals->bytes_compared;
}

static void
run_slices(struct unwind_slices *all)
{
	const struct unwind_check *check = all->check;
	const unsigned most = all->count < MOST_THREADS ? (unsigned)all->count : MOST_THREADS;
	const size_t threads = crew_size(most);
	size_t opened = 0;

	all->sources = calloc(threads, sizeof(*all->sources));
	/* Share the sources before any thread reads them. */
	while (all->sources != NULL && opened + 1 < threads &&
	       unwind_sources_share(check->sources, check->count, all->sources[opened]))
		opened++;
	crew_run(1 + opened, all->count, run_slice, all);
	/* If sharing failed for a thread, some of its sources may be open: close them, too. */
	for (size_t i = 0; all->sources != NULL && i < threads; i++)
		unwind_sources_close(all->sources[i], check->count);
	free(all->sources);
}

bool
unwind_check_slices(const struct unwind_check *check, struct unwind_totals *totals)
{
	const bool all_addresses = check->count > 0 && check->first == 0 &&
				   check->last == UINT64_MAX;
	struct unwind_slices *all = all_addresses ? calloc(1, sizeof(*all)) : NULL;
	bool whole = true, wanted = true;

	if (all == NULL)
		return unwind_check_run(check, totals);
	all->check = check;
	lay_out(all);
	if (all->count == 1) {
		free(all);
		return unwind_check_run(check, totals);
	}
	run_slices(all);
	*totals = (struct unwind_totals){ 0 };
	for (size_t i = 0; i < all->count; i++) {
		struct unwind_slice *slice = &all->slices[i];

		add_totals(totals, &slice->totals);
		for (size_t j = 0; wanted && j < slice->difference_count; j++)
			wanted = check->tell(check->context, &slice->differences[j]);
		whole = whole && wanted && slice->done;
		arena_free(&slice->arena);
	}
	free(all);
	return whole;
}
