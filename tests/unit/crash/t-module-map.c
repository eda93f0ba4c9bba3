/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/module_map.h"

#include "tests/lib/tap.h"

static uint32_t
next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* The answer by definition: the first module with the address, by base, size and index. */
static int
search_unloaded(const struct module *modules, size_t count, uint64_t address)
{
	int best = MODULE_NONE;

	for (size_t i = 0; i < count; i++) {
		const struct module *module = &modules[i];
		if (module->size == 0 || address - module->base >= module->size)
			continue;
		if (best == MODULE_NONE || module->base < modules[best].base ||
		    (module->base == modules[best].base && module->size < modules[best].size))
			best = (int)i;
	}
	return best;
}

TEST(unloaded)
{
	struct module modules[60] = { 0 };
	struct policy policy = policy_column(POLICY_UNSPOOL);
	size_t wrong = 0, inside = 0;
	uint32_t state = 7;

	for (unsigned round = 0; round < 50; round++) {
		struct crash crash = { .unloaded = modules, .unloaded_count = ARRAY_COUNT(modules) };
		struct module_map map;
		struct arena arena = { 0 };

		for (size_t i = 0; i < ARRAY_COUNT(modules); i++)
			modules[i] = (struct module){ .base = next(&state) % 900, .size = next(&state) % (round + 2) };
		module_map_build(&map, &crash, &policy, &arena);
		for (uint64_t address = 0; address < 1000; address++) {
			int want = search_unloaded(modules, ARRAY_COUNT(modules), address);
			wrong += module_map_find_unloaded(&map, address) != want;
			inside += want != MODULE_NONE;
		}
		arena_free(&arena);
	}
	ok(inside > 10000 && inside < 49000, "many addresses lie in modules, many in none");
	is_u64(wrong, 0, "the module map finds the same unloaded modules as a loop over all");
}

static struct module
module_at(uint64_t base, uint64_t size)
{
	return (struct module){ .base = base, .size = size };
}

/* libLLVM.so and libsigchain.so of microdump-x86: Breakpad lists the higher end last. */
TEST(microdump)
{
	struct module modules[] = {
		module_at(0xf56da000, 0x1000), module_at(0xf40a2000, 0x1630000), module_at(0xf40a9000, 0x3000), module_at(0x1000, 0),
		module_at(0xf56db000, 0x1000), module_at(0xf56da800, 0x800),
	};
	struct crash crash = { .modules = modules, .module_count = ARRAY_COUNT(modules), .microdump = true, .system.os = CRASH_OS_ANDROID };
	struct policy policy = policy_column(POLICY_BREAKPAD);
	struct module_map map;
	struct arena arena = { 0 };

	module_map_build(&map, &crash, &policy, &arena);
	is_u64(map.loaded_count, 4, "Breakpad keeps modules of a microdump that overlap");
	is_u64(map.loaded[0].module, 2, "for Breakpad the module with the lower end keeps its range");
	ok(map.loaded[1].module == 1 && map.loaded[1].base == 0xf40ac000 && map.loaded[1].last == 0xf56d1fff,
	   "for Breakpad the other module begins after the first one");
	ok(module_map_find(&map, 0xf40a3000) == MODULE_NONE, "for Breakpad the lower part of the other module is in none");
	ok(module_map_find(&map, 0xf56da800) == 0, "of two modules with the same end the first counts");
	policy = policy_column(POLICY_UNSPOOL);
	module_map_build(&map, &crash, &policy, &arena);
	ok(module_map_find(&map, 0xf40a3000) == 1, "by default the lower part belongs to the module");
	ok(module_map_find(&map, 0xf40aa000) == 2, "by default a module within another one counts in its range");
	arena_free(&arena);
}

/* All maps of a crash share an order that is made once; maps made without it answer the same. */
TEST(order)
{
	struct module modules[] = { module_at(0x9000, 0x1000), module_at(0x1000, 0x3000), module_at(0x3000, 0x2000), module_at(0x7000, 0) };
	struct crash crash = { .modules = modules, .module_count = ARRAY_COUNT(modules), .unloaded = modules, .unloaded_count = 2,
			       .system.os = CRASH_OS_WINDOWS };
	const enum policy_column columns[] = { POLICY_UNSPOOL, POLICY_BREAKPAD };
	unsigned wrong = 0;
	struct arena arena = { 0 };

	arena_init(&crash.arena, 0);
	for (size_t i = 0; i < ARRAY_COUNT(columns); i++) {
		const struct policy policy = policy_column(columns[i]);
		struct module_map before, after;

		crash.module_order = NULL;
		module_map_build(&before, &crash, &policy, &arena);
		module_map_index(&crash);
		const size_t used = arena.used;
		module_map_build(&after, &crash, &policy, &arena);
		is_u64(arena.used, used, "a map of a crash in order takes no memory");
		for (uint64_t address = 0; address < 0xb000; address += 0x100)
			wrong += module_map_find(&before, address) != module_map_find(&after, address) ||
				 module_map_find_unloaded(&before, address) != module_map_find_unloaded(&after, address);
	}
	is_u64(wrong, 0, "maps with and without the order find the same modules");
	arena_free(&arena);
	arena_free(&crash.arena);
}
