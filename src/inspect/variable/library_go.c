/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/text.h"
#include "inspect/variable/library_internal.h"

/*
 * Members of Go's types. Maps are tables of buckets (runtime/map.go) up to Go 1.23, and of groups
 * (internal/runtime/maps) since then. The linker describes both with the types of keys and values.
 */

/* The compiler of Go describes the members of a string and of a slice. */
bool
library_take_go_string(const struct typed_value *value, struct arena *arena,
		       struct library_value *found)
{
	return library_number(value, "len", arena, &found->count) &&
	       found->count < LIBRARY_PLAUSIBLE &&
	       library_pointer(value, "str", arena, &found->address);
}

bool
library_take_go_slice(const struct typed_value *value, struct arena *arena,
		      struct library_value *found)
{
	const struct debug_type *pointer =
		library_pointer(value, "array", arena, &found->address);

	if (pointer == NULL || !library_number(value, "len", arena, &found->count) ||
	    !library_number(value, "cap", arena, &found->capacity) ||
	    found->count > found->capacity || found->capacity >= LIBRARY_PLAUSIBLE)
		return false;
	const uint64_t capacity = found->capacity;
	if (!library_entitle_vector(debug_type_target(pointer, arena), "slice", arena, found))
		return false;
	found->capacity = capacity;
	return true;
}

/* Entries of a bucket or group; the least mark of a bucket's entry in use. */
enum { ENTRIES = 8, LEAST_MARK = 5 };
/* Maximum number of buckets or groups that are searched, and that number for one wanted element. */
#define MOST_GROUPS (1u << 16)
#define MOST_FOR_ONE 16u
/* The flag of a map that grows without becoming larger. */
#define SAME_SIZE 8u

/* The layout of a bucket or group, and the search for entries. */
struct go_entries {
	uint64_t marks, keys, values;	/* offsets of the marks, and of entry 0 */
	uint64_t key_step, value_step;	/* bytes from an entry to the next one */
	const struct debug_type *key, *value;
	bool group;
	size_t key_count, key_capacity, searched;
};

/* Whether the search for entries goes on. */
static bool
is_searched(const struct go_entries *entries, const struct library_value *found)
{
	return found->cut == NULL && found->item_count < found->count &&
	       found->item_count < found->most && entries->searched < MOST_GROUPS &&
	       entries->searched < MOST_FOR_ONE * found->most;
}

/* Adds the entries in use of the bucket or group at an address. */
static void
take_entries(const struct typed_value *map, struct go_entries *entries, uint64_t address,
	     struct arena *arena, struct library_value *found)
{
	uint8_t marks[ENTRIES];

	entries->searched++;
	if (value_read(map->frame, address + entries->marks, marks, ENTRIES) < ENTRIES)
		found->cut = value_unread(address, arena);
	for (unsigned i = 0; i < ENTRIES && is_searched(entries, found); i++) {
		if (entries->group ? marks[i] >= 0x80 : marks[i] < LEAST_MARK)
			continue;
		struct typed_value *key = ARENA_PUSH(arena, found->keys, entries->key_count,
						     entries->key_capacity);
		if (key == NULL ||
		    library_add(map, entries->value,
				address + entries->values + i * entries->value_step, arena,
				found) == NULL)
			return;
		*key = (struct typed_value){
			.type = entries->key, .frame = map->frame, .in_memory = true,
			.address = address + entries->keys + i * entries->key_step };
	}
}

/* Up to Go 1.23: 2^B buckets, each with a list of further ones; a growing map has the old ones. */
static bool
take_buckets(const struct typed_value *map, struct arena *arena, struct library_value *found)
{
	struct go_entries entries = { 0 };
	struct typed_value bucket, marks, keys, values, link;
	uint64_t bits, old, flags;

	if (!library_number(map, "B", arena, &bits) || bits > 40 ||
	    !library_number(map, "flags", arena, &flags) ||
	    !library_pointer(map, "oldbuckets", arena, &old) ||
	    !library_object(map, "buckets", arena, &bucket) ||
	    !library_follow(&bucket, "tophash", arena, &marks) ||
	    !library_follow(&bucket, "keys", arena, &keys) ||
	    !library_follow(&bucket, "values", arena, &values) ||
	    !library_follow(&bucket, "overflow", arena, &link))
		return false;
	entries.key = debug_type_target(keys.type, arena);
	entries.value = debug_type_target(values.type, arena);
	if (entries.key == NULL || entries.value == NULL)
		return false;
	entries.marks = marks.address - bucket.address;
	entries.keys = keys.address - bucket.address;
	entries.values = values.address - bucket.address;
	entries.key_step = entries.key->size;
	entries.value_step = entries.value->size;
	for (unsigned table = 0; table < 2; table++) {
		const uint64_t first = table == 0 ? bucket.address : old;
		const bool smaller = table > 0 && (flags & SAME_SIZE) == 0 && bits > 0;
		const uint64_t count = first != 0 ? UINT64_C(1) << (bits - smaller) : 0;

		for (uint64_t i = 0; i < count && is_searched(&entries, found); i++) {
			uint64_t at = first + i * bucket.type->size;

			while (at != 0 && is_searched(&entries, found)) {
				take_entries(map, &entries, at, arena, found);
				library_read_pointer(map, at + link.address - bucket.address, arena,
						     found, &at);
			}
		}
	}
	return true;
}

/* Since Go 1.24: a group, or a directory of tables of groups; a table may be listed repeatedly. */
static bool
take_groups(const struct typed_value *map, struct arena *arena, struct library_value *found)
{
	struct typed_value table = *map, group = *map, slot = *map, part, ends[2];
	struct go_entries entries = { .group = true };
	uint64_t count, directory, mask, previous = 0;
	const struct debug_type *type = library_pointer(map, "dirPtr", arena, &directory);

	type = type != NULL ? debug_type_target(type, arena) : NULL;
	table.type = type != NULL ? debug_type_target(type, arena) : NULL;
	if (table.type == NULL || !library_number(map, "dirLen", arena, &count) ||
	    !library_follow(&table, "groups.data", arena, &part) ||
	    (group.type = debug_type_target(part.type, arena)) == NULL ||
	    !library_follow(&group, "ctrl", arena, &part))
		return false;
	entries.marks = part.address - group.address;
	if (!library_follow(&group, "slots", arena, &part) ||
	    (slot.type = debug_type_target(part.type, arena)) == NULL)
		return false;
	slot.address = part.address;
	if (!library_follow(&slot, "key", arena, &ends[0]) ||
	    !library_follow(&slot, "elem", arena, &ends[1]))
		return false;
	entries.keys = ends[0].address - group.address;
	entries.values = ends[1].address - group.address;
	entries.key_step = entries.value_step = slot.type->size;
	entries.key = ends[0].type;
	entries.value = ends[1].type;
	if (count == 0 && directory != 0)
		take_entries(map, &entries, directory, arena, found);
	for (uint64_t i = 0; i < count && is_searched(&entries, found); i++) {
		if (!library_read_pointer(map, directory + i * library_word(map), arena, found,
					  &table.address))
			break;
		entries.searched++;
		if (table.address == previous)
			continue;
		previous = table.address;
		if (!library_pointer(&table, "groups.data", arena, &group.address) ||
		    !library_number(&table, "groups.lengthMask", arena, &mask))
			found->cut = value_unread(table.address, arena);
		for (uint64_t j = 0; is_searched(&entries, found) && j <= mask; j++)
			take_entries(map, &entries, group.address + j * group.type->size, arena,
				     found);
	}
	return true;
}

/* A map is a pointer to its header; nil has no elements. */
bool
library_take_go_map(const struct typed_value *value, struct arena *arena,
		    struct library_value *found)
{
	const struct debug_type *header = debug_type_target(value->type, arena);
	struct typed_value map;
	uint64_t address;

	if (header == NULL || header->kind != DEBUG_TYPE_STRUCTURE ||
	    !library_address(value, &address))
		return false;
	map = value_pointed(value, header, arena);
	if (address != 0 && (!library_number(&map, "count|used", arena, &found->count) ||
			     found->count > LIBRARY_PLAUSIBLE))
		return false;
	if (found->count > 0 && !take_buckets(&map, arena, found) &&
	    !take_groups(&map, arena, found))
		return false;
	if (found->cut == NULL && found->item_count < found->count &&
	    found->item_count < found->most)
		found->cut = "the other elements were not found";
	found->title = arena_format(arena, "%s with %" PRIu64 " element%s%s", value->type->name,
				    found->count, plural(found->count),
				    address == 0 ? " (nil)" : "");
	return found->title != NULL;
}
