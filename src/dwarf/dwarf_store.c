/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_store.h"

#include <stdlib.h>

#include "base/limits.h"

bool
dwarf_store_open(struct dwarf_store *store, const struct binary *binary,
		 const struct binary *supplement, struct binaries *binaries, size_t module)
{
	*store = (struct dwarf_store){ .split = { .binaries = binaries, .module = module,
						  .from = binary, .locations = true } };
	if (!dwarf_file_open(&store->file, binary, &store->damage))
		return false;
	if (supplement != NULL &&
	    dwarf_file_open(&store->supplement, supplement, &store->damage))
		store->file.supplement = &store->supplement;
	arena_init(&store->arena, LIMIT_DEBUG_MEMORY + 16 * (size_t)binary->file.size);
	return true;
}

void
dwarf_store_close(struct dwarf_store *store)
{
	for (size_t i = 0; i < store->tables.count; i++)
		dwarf_abbrevs_free(store->tables.items[i]);
	free(store->tables.items);
	free(store->contexts.items);
	free(store->types.items);
	number_map_free(&store->units);
	number_map_free(&store->table_numbers);
	number_map_free(&store->type_numbers);
	split_files_free(&store->split);
	dwarf_file_close(&store->file);
	dwarf_file_close(&store->supplement);
	arena_free(&store->arena);
}

void
dwarf_store_open_more(struct dwarf_store *store)
{
	dwarf_file_open_more(&store->file, &store->damage);
	dwarf_file_open_more(&store->supplement, &store->damage);
}

/*
 * Read a table of abbreviations once for all units that share it. Tables hardly ever overlap, so
 * their total size is limited to twice the size of their sections.
 */
static struct dwarf_abbrevs *
read_table(struct dwarf_store *store, const struct dwarf_file *file, const struct dwarf_unit *unit)
{
	const uint64_t key =
		(uint64_t)(uintptr_t)file->sections[DWARF_ABBREV].data + unit->abbrevs;
	uint32_t number;
	const bool known = number_map_find(&store->table_numbers, key, &number);

	if (known && dwarf_abbrevs_are_of(store->tables.items[number], file, unit))
		return store->tables.items[number];
	const uint64_t size = store->file.sections[DWARF_ABBREV].size +
			      store->supplement.sections[DWARF_ABBREV].size +
			      file->sections[DWARF_ABBREV].size;
	if (store->spent > LIMIT_ABBREVIATIONS + 2 * size) {
		store->limited = true;
		return NULL;
	}
	struct dwarf_abbrevs *table = arena_alloc(&store->arena, sizeof(*table));
	if (table == NULL || !GROWN_ADD(store->tables, &table))
		return NULL;
	const bool good = dwarf_abbrevs_read(table, file, unit, DWARF_ALL_CODES);
	store->spent += table->spent;
	store->limited = store->limited || table->exceeded;
	if (!known)
		number_map_put(&store->table_numbers, key, (uint32_t)store->tables.count - 1);
	return good ? table : NULL;
}

/* Read a unit; a split unit uses the addresses of its skeleton. */
static struct dwarf_context *
read_unit(struct dwarf_store *store, const struct dwarf_file *file, const struct dwarf_unit *unit,
	  const struct dwarf_context *skeleton)
{
	struct dwarf_context *context = arena_alloc(&store->arena, sizeof(*context));
	struct dwarf_cursor cursor;
	struct dwarf_entry root;

	if (context == NULL) {
		store->limited = true;
		return NULL;
	}
	*context = (struct dwarf_context){ .abbrevs = read_table(store, file, unit),
					   .store = store };
	if (context->abbrevs == NULL)
		return NULL;
	const bool good = skeleton != NULL
				  ? dwarf_context_split(context, skeleton, file, unit, &cursor,
							&root)
				  : dwarf_context_begin(context, file, unit, &cursor, &root);
	return good ? context : NULL;
}

/* The unit of a unit header. Each unit is read only once. */
static const struct dwarf_context *
keep_unit(struct dwarf_store *store, const struct dwarf_file *file, const struct dwarf_unit *unit,
	  const struct dwarf_context *skeleton)
{
	const uint64_t key = (uint64_t)(uintptr_t)unit;
	uint32_t number;

	if (number_map_find(&store->units, key, &number))
		return store->contexts.items[number];
	if (!GROWN_ADD(store->contexts, &(struct dwarf_context *){ NULL }))
		return NULL;
	number = (uint32_t)store->contexts.count - 1;
	number_map_put(&store->units, key, number);
	struct dwarf_context *context = read_unit(store, file, unit, skeleton);
	store->contexts.items[number] = context;
	return context;
}

const struct dwarf_context *
dwarf_store_unit(struct dwarf_store *store, const struct dwarf_file *file,
		 const struct dwarf_unit *unit)
{
	return keep_unit(store, file, unit, NULL);
}

const struct dwarf_context *
dwarf_store_unit_of(struct dwarf_store *store, const struct dwarf_file *file, uint64_t offset)
{
	const struct dwarf_unit *unit = dwarf_file_unit(file, offset);

	return unit != NULL ? keep_unit(store, file, unit, NULL) : NULL;
}

/* List type units. If several have the same signature, use the first of them. */
static void
list_types(struct dwarf_store *store, const struct dwarf_file *file,
	   const struct dwarf_unit *units, size_t count, const struct dwarf_context *skeleton)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t number;

		if (!units[i].types || number_map_find(&store->type_numbers, units[i].id, &number))
			continue;
		if (!GROWN_ADD(store->types,
			       &(struct dwarf_signature){ file, &units[i], skeleton }))
			return;
		number_map_put(&store->type_numbers, units[i].id,
			       (uint32_t)store->types.count - 1);
	}
}

const struct dwarf_context *
dwarf_store_split(struct dwarf_store *store, const struct dwarf_context *skeleton)
{
	struct split_part *part = arena_alloc(&store->arena, sizeof(*part));
	struct dwarf_entry root;

	if (part == NULL || !dwarf_entry_at(skeleton, skeleton->unit->entries, &root) ||
	    !split_files_find(&store->split, skeleton, &root, part))
		return NULL;
	if (part->whole != NULL) {
		const struct dwarf_file *whole = part->whole;

		list_types(store, whole, whole->units, whole->unit_count, skeleton);
		list_types(store, whole, whole->types, whole->type_count, skeleton);
	}
	return keep_unit(store, &part->file, &part->unit, skeleton);
}

bool
dwarf_store_type(struct dwarf_store *store, uint64_t signature, struct dwarf_die *die)
{
	const struct dwarf_file *file = &store->file;
	uint32_t number;

	if (!store->typed) {
		store->typed = true;
		dwarf_store_open_more(store);
		list_types(store, file, file->units, file->unit_count, NULL);
		list_types(store, file, file->types, file->type_count, NULL);
	}
	if (!number_map_find(&store->type_numbers, signature, &number))
		return false;
	const struct dwarf_signature *found = &store->types.items[number];
	const struct dwarf_context *unit =
		keep_unit(store, found->file, found->unit, found->skeleton);
	return unit != NULL && dwarf_die_at(unit, found->unit->start + found->unit->type, die);
}
