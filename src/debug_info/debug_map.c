/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"
#include "debug_info/mach_symbols.h"

/* n_type of the debugger symbols for object files, and for addresses and sizes of functions. */
#define STAB_OBJECT 0x66u
#define STAB_FUNCTION 0x24u
/* Longest path of an object file that is searched (PATH_MAX). */
#define MOST_PATH 4096u

struct map_function {
	uint64_t address, size;		/* as linked; size 0: not given by the linker */
	const char *name;
	size_t object;
};

struct map_object {
	const struct binary *program;
	const char *path;
	uint64_t modified;		/* file time at the link (seconds since 1970); 0: unknown */
	bool asked;
	const struct binary *binary;	/* NULL: missing */
	struct debug_dwarf *dwarf;
	struct mach_names names;
	struct hash defined;		/* first symbol with each name, by its hash */
};

struct debug_map {
	const struct binary *binary;
	struct binaries *binaries;
	size_t module;
	struct arena arena;
	struct map_function *functions;	/* sorted by address */
	size_t function_count, function_capacity;
	struct map_object *objects;	/* in the order of the map */
	size_t object_count, object_capacity;
};

SORTED_BY(compare_functions, struct map_function, address)

/* Read the map: each object file, then its functions, each followed by a symbol with its size. */
static void
read_map(struct debug_map *map)
{
	const unsigned word = map->binary->word_size;
	struct mach_names names;
	uint64_t value;

	if (!mach_names_open(map->binary, &names))
		return;
	const struct reader *table = &names.symbols;
	for (uint64_t i = 0, at = 0; reader_unsigned(table, at + 8, word, &value);
	     i++, at += names.entry) {
		const uint8_t type = table->data[at + 4];
		const char *name = type == STAB_OBJECT ? mach_names_whole(&names, i)
				   : type == STAB_FUNCTION ? mach_names_at(&names, i) : NULL;
		struct map_function *last =
			map->function_count > 0 ? &map->functions[map->function_count - 1] : NULL;

		if (type == STAB_OBJECT && name != NULL) {
			struct map_object *object = ARENA_PUSH(&map->arena, map->objects,
							       map->object_count,
							       map->object_capacity);
			if (object == NULL)
				return;
			*object = (struct map_object){ .program = map->binary, .path = name,
						       .modified = value };
		} else if (type == STAB_FUNCTION && name != NULL && map->object_count > 0) {
			if (!ARENA_ADD(&map->arena, map->functions, map->function_count,
				       map->function_capacity,
				       &(struct map_function){ .address = value,
							       .name = name,
							       .object = map->object_count - 1 }))
				return;
		} else if (type == STAB_FUNCTION && last != NULL && last->size == 0) {
			last->size = value;
		}
	}
	SORT(map->functions, map->function_count, compare_functions);
}

struct debug_map *
debug_map_open(const struct binary *binary, struct binaries *binaries, size_t module)
{
	struct debug_map *map = binary->format == BINARY_MACH ? calloc(1, sizeof(*map)) : NULL;

	if (map == NULL)
		return NULL;
	*map = (struct debug_map){ .binary = binary, .binaries = binaries, .module = module };
	arena_init(&map->arena, 0);
	read_map(map);
	if (map->function_count > 0)
		return map;
	debug_map_close(map);
	return NULL;
}

void
debug_map_close(struct debug_map *map)
{
	if (map == NULL)
		return;
	for (size_t i = 0; i < map->object_count; i++) {
		debug_dwarf_close(map->objects[i].dwarf);
		hash_free(&map->objects[i].defined);
	}
	arena_free(&map->arena);
	free(map);
}

/*
 * Whether a file is unchanged since the link. If the linker did not record the file's time, the
 * file must not be newer than the program.
 */
static bool
is_linked(const struct map_object *object, const struct binary *file)
{
	const struct timespec own = file->file.modified, then = object->program->file.modified;

	return object->modified != 0 ? (uint64_t)own.tv_sec == object->modified
	       : own.tv_sec != then.tv_sec ? own.tv_sec < then.tv_sec
					   : own.tv_nsec <= then.tv_nsec;
}

/* The callback of struct binaries_split. */
static bool
fits(void *context, const struct binary *file)
{
	struct map_object *object = context;

	if (file->format != BINARY_MACH || file->use != BINARY_RELOCATABLE ||
	    !is_linked(object, file))
		return false;
	object->binary = file;
	return true;
}

static uint64_t
key_of(const char *name)
{
	return hash_words(HASH_START, name, strnlen(name, LIMIT_MANGLED_NAME));
}

/* All functions are looked up by their names, which may be many and long. */
static void
index_names(struct map_object *object)
{
	const struct reader *table = &object->names.symbols;
	uint64_t address;

	if (!mach_names_open(object->binary, &object->names))
		return;
	for (uint64_t i = 0, at = 0; reader_unsigned(table, at + 8, object->binary->word_size,
						     &address); i++, at += object->names.entry) {
		const char *name = mach_is_defined(table->data[at + 4])
					   ? mach_names_at(&object->names, i) : NULL;

		if (name != NULL && hash_find(&object->defined, key_of(name), 0) == NULL)
			hash_put(&object->defined, key_of(name), 0, table->data + at);
	}
}

/* Find and open an object file, once. */
static struct map_object *
open_object(struct debug_map *map, size_t number)
{
	struct map_object *object = &map->objects[number];
	const struct binaries_split wanted = { .name = object->path, .object = true, .fits = fits,
					       .context = object };
	struct elf_damage damage = { 0 };

	if (object->asked)
		return object;
	object->asked = true;
	if (strnlen(object->path, MOST_PATH) < MOST_PATH &&
	    binaries_find_split(map->binaries, map->module, map->binary, &wanted)) {
		index_names(object);
		object->dwarf = debug_dwarf_open(object->binary, NULL, map->binaries, map->module,
						 &damage);
		binaries_report_damage(map->binaries, &damage);
	}
	return object;
}

static bool
find_symbol(const struct map_object *object, const char *wanted, uint64_t *address)
{
	const struct reader *table = &object->names.symbols;
	const uint8_t *entry = hash_find(&object->defined, key_of(wanted), 0);
	const uint64_t at = entry != NULL ? (uint64_t)(entry - table->data) : 0;

	return entry != NULL &&
	       strcmp(mach_names_at(&object->names, at / object->names.entry), wanted) == 0 &&
	       reader_unsigned(table, at + 8, object->binary->word_size, address);
}

/* Whether the function of an object file that begins at `first` covers an address. */
static bool
covers(struct debug_dwarf *dwarf, uint64_t first, uint64_t address)
{
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	const struct pc_range *range = unit != NULL ? debug_dwarf_function(unit, address) : NULL;

	return range != NULL && range->low == first;
}

struct debug_dwarf *
debug_map_find(struct debug_map *map, uint64_t relative)
{
	const uint64_t base = map != NULL ? map->binary->linked_base : 0;
	const size_t low = map == NULL ? 0
		: sorted_upto(SORTED(map->functions, map->function_count, address),
			      base + relative);
	const struct map_function *function = low > 0 ? &map->functions[low - 1] : NULL;
	uint64_t address;

	if (function == NULL ||
	    (function->size > 0 &&
	     !checked_contains(function->address, function->size, base + relative)))
		return NULL;
	const struct map_object *object = open_object(map, function->object);
	if (object->dwarf == NULL || !find_symbol(object, function->name, &address) ||
	    (function->size == 0 && !covers(object->dwarf, address, base + relative -
					    function->address + address)))
		return NULL;
	/* The linker moves each function separately. */
	debug_dwarf_rebase(object->dwarf, address - (function->address - base));
	return object->dwarf;
}

size_t
debug_map_count(struct debug_map *map, size_t *missing)
{
	*missing = 0;
	for (size_t i = 0; map != NULL && i < map->object_count; i++)
		*missing += open_object(map, i)->binary == NULL;
	return map != NULL ? map->object_count : 0;
}

bool
debug_map_limited(const struct debug_map *map)
{
	for (size_t i = 0; map != NULL && i < map->object_count; i++)
		if (map->objects[i].dwarf != NULL && debug_dwarf_limited(map->objects[i].dwarf))
			return true;
	return false;
}
