/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/module_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static int
compare_ranges(const void *left, const void *right)
{
	const struct module_range *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

/* All modules with a real range, by address; `*bad` says whether one had none. */
static size_t
collect(const struct module *modules, size_t count, struct module_range *ranges, bool *bad)
{
	size_t used = 0;

	*bad = false;
	for (size_t i = 0; i < count; i++) {
		const struct module *module = &modules[i];

		if (module->size == 0 || module->size - 1 > UINT64_MAX - module->base) {
			*bad = true;
			continue;
		}
		ranges[used++] = (struct module_range){ module->base,
							module->base + module->size - 1, 0,
							(uint32_t)i };
	}
	qsort(ranges, used, sizeof(ranges[0]), compare_ranges);
	for (size_t i = 0; i < used; i++)
		ranges[i].reach = i > 0 && ranges[i - 1].reach > ranges[i].last
					  ? ranges[i - 1].reach
					  : ranges[i].last;
	return used;
}

/* Cut each range just before the next one that begins inside it; drop exact repeats. */
static size_t
resolve_overlaps(struct module_range *ranges, size_t count, bool *overlap)
{
	size_t used = 0;

	*overlap = false;
	for (size_t i = 0; i < count; i++) {
		if (used > 0 && ranges[used - 1].base == ranges[i].base) {
			if (ranges[used - 1].last != ranges[i].last)
				*overlap = true;
			continue;
		}
		if (used > 0 && ranges[used - 1].last >= ranges[i].base) {
			*overlap = true;
			ranges[used - 1].last = ranges[i].base - 1;
		}
		ranges[used++] = ranges[i];
	}
	return used;
}

/*
 * Put a range among disjoint ones as Breakpad does with the modules of microdumps: of two
 * that overlap the one that ends higher loses its lower part. Returns how many there are.
 */
static size_t
insert_shrunk(struct module_range *ranges, size_t count, struct module_range range)
{
	size_t at = 0;

	while (at < count && ranges[at].last < range.last) {
		if (ranges[at].last >= range.base)
			range.base = ranges[at].last + 1;
		at++;
	}
	if (at < count && ranges[at].base <= range.last) {
		if (ranges[at].last == range.last)
			return count;
		ranges[at].base = range.last + 1;
	}
	memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof(ranges[0]));
	ranges[at] = range;
	return count + 1;
}

static size_t
collect_shrunk(const struct module *modules, size_t count, struct module_range *ranges)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (modules[i].size != 0 && modules[i].size - 1 <= UINT64_MAX - modules[i].base)
			used = insert_shrunk(ranges, used, (struct module_range){
				.base = modules[i].base, .module = (uint32_t)i,
				.last = modules[i].base + modules[i].size - 1 });
	return used;
}

static bool
truncates_overlaps(const struct crash *crash)
{
	return crash->system.os == CRASH_OS_LINUX || crash->system.os == CRASH_OS_ANDROID;
}

void
module_map_build(struct module_map *map, const struct crash *crash, const struct policy *policy,
		 struct arena *arena)
{
	struct module_range *loaded =
		arena_array(arena, crash->module_count, sizeof(*loaded));
	struct module_range *unloaded =
		arena_array(arena, crash->unloaded_count, sizeof(*unloaded));
	uint32_t limit = policy->value[POLICY_MODULE_LIMIT];
	bool bad = false, overlap = false, ignored;

	*map = (struct module_map){ .crash = crash };
	/* Insertion in file order takes quadratic time: only where the count is limited. */
	bool shrinks = crash->microdump && policy->value[POLICY_MODULE_LIST_STRICT] && limit != 0;
	if (loaded != NULL && shrinks && crash->module_count <= limit) {
		map->loaded = loaded;
		map->loaded_count = collect_shrunk(crash->modules, crash->module_count, loaded);
	} else if (loaded != NULL && (limit == 0 || crash->module_count <= limit)) {
		size_t count = collect(crash->modules, crash->module_count, loaded, &bad);
		count = resolve_overlaps(loaded, count, &overlap);
		bool voids = policy->value[POLICY_MODULE_LIST_STRICT] &&
			     (bad || (overlap && !truncates_overlaps(crash)));
		map->loaded = loaded;
		map->loaded_count = voids ? 0 : count;
	}
	if (unloaded != NULL) {
		map->unloaded = unloaded;
		map->unloaded_count =
			collect(crash->unloaded, crash->unloaded_count, unloaded, &ignored);
	}
}

int
module_map_find(const struct module_map *map, uint64_t address)
{
	size_t low = 0, high = map->loaded_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct module_range *range = &map->loaded[middle];

		if (address < range->base)
			high = middle;
		else if (address > range->last)
			low = middle + 1;
		else
			return (int)range->module;
	}
	return MODULE_NONE;
}

int
module_map_find_unloaded(const struct module_map *map, uint64_t address)
{
	size_t low = 0, high = map->unloaded_count;

	/* An event log: ranges overlap and repeat. The first that reaches it raised `reach`. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->unloaded[middle].reach < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->unloaded_count || map->unloaded[low].base > address)
		return MODULE_NONE;
	return (int)map->unloaded[low].module;
}

uint64_t
module_map_end(const struct module_map *map)
{
	return map->loaded_count == 0 ? 0 : map->loaded[map->loaded_count - 1].last;
}
