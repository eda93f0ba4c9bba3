/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_MODULE_MAP_H
#define CRASH_MODULE_MAP_H

#include "base/policy.h"
#include "crash/crash.h"

/**
 * The module of an address.
 *
 * The crash keeps every module in the dump. The map has the modules that the policy uses, sorted
 * by address and without overlap. A module is identified by its index in crash->modules, an
 * unloaded module by its index in crash->unloaded.
 */
struct module_range {
	uint64_t base;
	uint64_t last;			/* last address, so that a range may end at 2^64 */
	/* For unloaded modules: the highest `last` of this range and all earlier ranges */
	uint64_t reach;
	uint32_t module;		/* index in crash->modules or crash->unloaded */
};

struct module_map {
	const struct module_range *loaded;
	size_t loaded_count;
	const struct module_range *unloaded;
	size_t unloaded_count;
};

#define MODULE_NONE (-1)

/**
 * Sort the modules of a crash once, in its arena, for the maps of all its walks. When out of
 * memory, every call of module_map_build() sorts them again.
 */
void
module_map_index(struct crash *crash);

/** Build the map of a crash in `arena` (google/breakpad minidump.cc, range_map-inl.h). */
void
module_map_build(struct module_map *map, const struct crash *crash, const struct policy *policy,
		 struct arena *arena);

/** The index of the loaded module that contains `address`, or MODULE_NONE. */
int
module_map_find(const struct module_map *map, uint64_t address);

/** The index of an unloaded module that contained `address`, or MODULE_NONE. */
int
module_map_find_unloaded(const struct module_map *map, uint64_t address);

#endif
