/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/module_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/policy_rows.h"
#include "base/sorted.h"

/* The ranges of a crash's modules, the same for all policies. */
struct module_order {
	struct module_range *loaded, *unloaded;
	size_t loaded_count, unloaded_count;
	bool bad;		/* a loaded module has no valid range */
	bool overlap;		/* some ranges partly overlap */
};

SORTED_BY_ALL(compare_ranges, struct module_range,
	      SORTED_UP(base) SORTED_UP(last) SORTED_UP(module))

/* The range of a module; false if it is invalid. */
static bool
range_of(const struct module *modules, size_t index, struct module_range *range)
{
	const struct module *module = &modules[index];

	*range = (struct module_range){ .base = module->base, .module = (uint32_t)index,
					.last = module->base + module->size - 1 };
	return module->size != 0 && module->size - 1 <= UINT64_MAX - module->base;
}

/* Collects all modules with a valid range, by address. */
static size_t
collect(const struct module *modules, size_t count, struct module_range *ranges)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += range_of(modules, i, &ranges[used]);
	SORT(ranges, used, compare_ranges);
	for (size_t i = 0; i < used; i++)
		ranges[i].reach = i > 0 && ranges[i - 1].reach > ranges[i].last
					  ? ranges[i - 1].reach
					  : ranges[i].last;
	return used;
}

/* Cuts each range before the next range that begins inside it, and drops exact repeats. */
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
 * Inserts a range into disjoint ranges as Breakpad does with the modules of microdumps: if two
 * ranges overlap, the range that ends higher loses its lower part. Returns the number of ranges.
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

/* The order of a crash's modules, in `arena`; lists are empty when out of memory. */
static struct module_order
order_modules(const struct crash *crash, struct arena *arena)
{
	struct module_order order = {
		.loaded = arena_array(arena, crash->module_count, sizeof(*order.loaded)),
		.unloaded = arena_array(arena, crash->unloaded_count, sizeof(*order.unloaded)),
	};

	if (order.loaded != NULL) {
		const size_t count = collect(crash->modules, crash->module_count, order.loaded);

		order.bad = count < crash->module_count;
		order.loaded_count = resolve_overlaps(order.loaded, count, &order.overlap);
	}
	if (order.unloaded != NULL)
		order.unloaded_count = collect(crash->unloaded, crash->unloaded_count,
					       order.unloaded);
	return order;
}

void
module_map_index(struct crash *crash)
{
	struct module_order *order = arena_alloc(&crash->arena, sizeof(*order));

	if (order == NULL)
		return;
	*order = order_modules(crash, &crash->arena);
	if (order->loaded != NULL && order->unloaded != NULL)
		crash->module_order = order;
}

void
module_map_build(struct module_map *map, const struct crash *crash, const struct policy *policy,
		 struct arena *arena)
{
	const struct module_order order = crash->module_order != NULL
						  ? *crash->module_order
						  : order_modules(crash, arena);
	const uint32_t limit = policy->value[POLICY_MODULE_LIMIT];
	const bool strict = policy->value[POLICY_MODULE_LIST_STRICT] != 0;
	/* Insertion in file order takes quadratic time, so it requires a limited count. */
	const bool shrinks = crash->microdump && strict && limit != 0;
	const bool cuts = crash->system.os == CRASH_OS_LINUX ||
			  crash->system.os == CRASH_OS_ANDROID;
	struct module_range range;

	*map = (struct module_map){ .unloaded = order.unloaded,
				    .unloaded_count = order.unloaded_count };
	if (order.loaded == NULL || (limit != 0 && crash->module_count > limit))
		return;
	map->loaded = order.loaded;
	map->loaded_count = order.loaded_count;
	if (shrinks) {
		struct module_range *loaded =
			arena_array(arena, crash->module_count, sizeof(*loaded));

		map->loaded = loaded;
		map->loaded_count = 0;
		for (size_t i = 0; loaded != NULL && i < crash->module_count; i++)
			if (range_of(crash->modules, i, &range))
				map->loaded_count = insert_shrunk(loaded, map->loaded_count, range);
	} else if (strict && (crash->modules_misfit || order.bad || (order.overlap && !cuts))) {
		map->loaded_count = 0;
	}
}

int
module_map_find(const struct module_map *map, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(map->loaded, map->loaded_count, base), address);
	const struct module_range *range = upto > 0 ? &map->loaded[upto - 1] : NULL;

	return range != NULL && address <= range->last ? (int)range->module : MODULE_NONE;
}

int
module_map_find_unloaded(const struct module_map *map, uint64_t address)
{
	/*
	 * Unloaded ranges may overlap and repeat. A range whose `reach` is below the address cannot
	 * contain the address, nor can any range before it.
	 */
	size_t low = sorted_below(SORTED(map->unloaded, map->unloaded_count, reach), address);

	if (low == map->unloaded_count || map->unloaded[low].base > address)
		return MODULE_NONE;
	return (int)map->unloaded[low].module;
}
