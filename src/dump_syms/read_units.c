/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "dump_syms/dump_syms_internal.h"

/* Threads that read units, and the merging of their results. */

struct reading_thread {
	struct dump_syms_parts *parts;
	struct unit_reader *reader;
	pthread_t thread;
	bool started;
};

static void *
read_units(void *context)
{
	const struct reading_thread *self = context;
	struct dump_syms_parts *parts = self->parts;
	size_t number;

	while ((number = atomic_fetch_add(&parts->next, 1)) < parts->file.unit_count) {
		unit_reader_read(self->reader, number);
		const size_t done = atomic_fetch_add(&parts->done, 1) + 1;
		if (self->reader == parts->readers && parts->options.progress != NULL)
			parts->options.progress(parts->options.context, done,
						parts->file.unit_count);
	}
	return NULL;
}

SORTED_BY_ALL(compare, struct found_function, SORTED_UP(low) SORTED_UP(order))

/* All functions by address; if several begin at one place, the first unit's. */
static void
merge(struct dump_syms_parts *parts)
{
	struct found_functions *all = &parts->functions;
	size_t kept = 0;

	for (size_t i = 0; i < parts->reader_count; i++) {
		struct found_functions *found = &parts->readers[i].found.functions;
		void *items = grown_room(all->items, all->count, found->count, &all->capacity,
					 sizeof(*all->items));

		if (items == NULL) {
			parts->readers[i].out_of_memory = true;
			return;
		}
		all->items = items;
		for (size_t at = 0; at < found->count; at++) {
			all->items[all->count] = found->items[at];
			all->items[all->count++].reader = (uint32_t)i;
		}
		free(found->items);
		*found = (struct found_functions){ 0 };
	}
	if (all->count > 0)
		qsort(all->items, all->count, sizeof(*all->items), compare);
	for (size_t i = 0; i < all->count; i++)
		if (kept == 0 || all->items[kept - 1].low != all->items[i].low)
			all->items[kept++] = all->items[i];
	all->count = kept;
}

void
dump_syms_read_units(struct dump_syms_parts *parts, unsigned threads)
{
	const struct unit_source source = { .file = &parts->file, .code = &parts->code,
					    .split = &parts->split,
					    .mangled = parts->options.mangled,
					    .calls = !parts->options.no_calls,
					    .most_names = parts->names_written.most };
	struct reading_thread *all = calloc(threads, sizeof(*all));

	parts->readers = calloc(threads, sizeof(*parts->readers));
	if (all == NULL || parts->readers == NULL) {
		free(all);
		return;
	}
	for (unsigned i = 0; i < threads; i++) {
		all[i] = (struct reading_thread){ .parts = parts, .reader = &parts->readers[i] };
		if (!unit_reader_init(&parts->readers[i], &source))
			break;
		parts->reader_count++;
		if (i > 0)
			all[i].started = pthread_create(&all[i].thread, NULL, read_units,
							&all[i]) == 0;
	}
	if (parts->reader_count > 0)
		read_units(&all[0]);
	for (unsigned i = 1; i < parts->reader_count; i++)
		if (all[i].started)
			pthread_join(all[i].thread, NULL);
	for (size_t i = 0; i < parts->reader_count; i++)
		unit_reader_done(&parts->readers[i]);
	free(all);
	merge(parts);
}
