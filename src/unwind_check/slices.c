/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/slices.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Slices of one module at a time, and bytes of the symbol file that make one worth a thread. */
#define MOST_SLICES 8u
#define SLICE_BYTES (UINT64_C(1) << 21)

struct unwind_slice {
	struct unwind_source sources[UNWIND_SOURCES];
	size_t count;
	struct unwind_check check;
	struct unwind_totals totals;
	struct arena arena;
	struct unwind_difference *differences;
	size_t difference_count, capacity;
	pthread_t thread;
	bool started;
};

static bool
keep(void *context, const struct unwind_difference *difference)
{
	struct unwind_slice *slice = context;
	struct unwind_difference *added = ARENA_PUSH(&slice->arena, slice->differences,
						     slice->difference_count, slice->capacity);

	if (added != NULL)
		*added = *difference;
	return added != NULL;
}

static void *
run(void *context)
{
	struct unwind_slice *slice = context;

	unwind_check_run(&slice->check, &slice->totals);
	return NULL;
}

/* How many slices a module is worth. */
static unsigned
slices_for(const struct rule_module *module)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t bytes =
		module->symfile != NULL ? symfile_file(module->symfile)->size : 0;
	uint64_t slices = 1 + bytes / SLICE_BYTES;

	if (slices > (uint64_t)(processors > 1 ? processors : 1))
		slices = (uint64_t)(processors > 1 ? processors : 1);
	return (unsigned)(slices < MOST_SLICES ? slices : MOST_SLICES);
}

/* Where the first entry at or above an address begins; UINT64_MAX: none does. */
static uint64_t
boundary(struct unwind_source *source, uint64_t address)
{
	source->kind->reader->seek(source, address);
	while (source->kind->reader->next(source))
		if (source->row.first >= address && source->row.first == source->row.begins)
			return source->row.first;
	return UINT64_MAX;
}

/* The address behind the last instruction of a module's file; 0: not known. */
static uint64_t
end_of_code(const struct rule_module *module)
{
	const struct binary *binary =
		binaries_load(module->binaries, module->number, BINARIES_IMAGE);
	uint64_t end = 0;

	for (size_t i = 0; binary != NULL && i < binary->segment_count; i++)
		if (binary->segments[i].executable)
			end = binary->segments[i].address + binary->segments[i].size;
	return end;
}

static void
add_totals(struct unwind_totals *sum, const struct unwind_totals *totals)
{
	for (unsigned i = 0; i < UNWIND_SOURCES; i++) {
		sum->rows[i] += totals->rows[i];
		sum->bytes[i] += totals->bytes[i];
	}
	sum->compared += totals->compared;
	sum->bytes_compared += totals->bytes_compared;
}

/* Give each slice its sources and its addresses, which begin where an entry does. */
static void
lay_out(struct unwind_slice *slices, unsigned count, const struct unwind_check *check)
{
	const struct unwind_source *source = &check->sources[0];
	const uint64_t end = end_of_code(source->module);
	uint64_t first = check->first;

	for (unsigned i = 0; i < count; i++) {
		struct unwind_slice *slice = &slices[i];

		slice->count = unwind_sources_open(source->module, source->windows, slice->sources);
		uint64_t last = check->last;
		if (i + 1 < count && slice->count > 0)
			last = boundary(&slice->sources[0], end / count * (i + 1)) - 1;
		last = last < first || last > check->last - 1 ? check->last : last;
		slice->check = *check;
		slice->check.sources = slice->sources;
		slice->check.count = slice->count;
		slice->check.first = first;
		slice->check.last = last;
		slice->check.tell = keep;
		slice->check.context = slice;
		if (last == check->last)
			return;
		first = last + 1;
	}
}

bool
unwind_check_slices(const struct unwind_check *check, struct unwind_totals *totals)
{
	const bool all = check->count > 0 && check->first == 0 && check->last == UINT64_MAX;
	const unsigned count = all ? slices_for(check->sources[0].module) : 1;
	struct unwind_slice *slices = count > 1 ? calloc(count, sizeof(*slices)) : NULL;
	bool whole = true;

	if (slices == NULL)
		return unwind_check_run(check, totals);
	*totals = (struct unwind_totals){ 0 };
	lay_out(slices, count, check);
	for (unsigned i = 1; i < count; i++)
		slices[i].started = slices[i].check.count > 0 &&
				    pthread_create(&slices[i].thread, NULL, run, &slices[i]) == 0;
	for (unsigned i = 0; i < count; i++) {
		struct unwind_slice *slice = &slices[i];

		if (slice->started)
			pthread_join(slice->thread, NULL);
		else if (slice->check.count > 0)
			run(slice);
		add_totals(totals, &slice->totals);
		for (size_t j = 0; whole && j < slice->difference_count; j++)
			whole = check->tell(check->context, &slice->differences[j]);
		unwind_sources_close(slice->sources, slice->count);
		arena_free(&slice->arena);
	}
	free(slices);
	return whole;
}
