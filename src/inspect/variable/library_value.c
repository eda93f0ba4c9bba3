/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/library_value_internal.h"

#include <string.h>

#include "base/compiler.h"

/* Characters that a string stores inline. */
enum { LOCAL_CHARACTERS = 15 };

bool
library_find_member(const struct typed_value *value, const char *name, enum debug_type_kind kind,
	    unsigned depth, struct arena *arena, struct typed_value *found)
{
	struct debug_member *members;
	const size_t count = value_members(value, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const struct debug_member *member = &members[i];
		const bool inside = member->base || *member->name == '\0';

		if (member->is_static)
			continue;
		const struct typed_value part = value_member(value, member, arena);
		if (inside && depth > 0 &&
		    library_find_member(&part, name, kind, depth - 1, arena, found))
			return true;
		if (!inside && strcmp(member->name, name) == 0 &&
		    (kind == DEBUG_TYPE_UNKNOWN || member->type->kind == kind)) {
			*found = part;
			return true;
		}
	}
	return false;
}

bool
library_follow(const struct typed_value *value, const char *const *names, size_t count,
       struct arena *arena, struct typed_value *found)
{
	*found = *value;
	for (size_t i = 0; i < count; i++) {
		const struct typed_value from = *found;

		if (!library_find_member(&from, names[i], DEBUG_TYPE_UNKNOWN, LIBRARY_NESTED, arena,
					 found))
			return false;
	}
	return true;
}

bool
library_address_in(const struct typed_value *value, uint64_t *address)
{
	return value->type->kind == DEBUG_TYPE_POINTER && value_number(value, address) == NULL;
}

static bool
take_string(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value data, length, local, capacity;

	if (!FOLLOW(value, arena, &data, "_M_dataplus", "_M_p") ||
	    !FOLLOW(value, arena, &length, "_M_string_length") ||
	    !FOLLOW(value, arena, &local, "_M_local_buf") ||
	    !FOLLOW(value, arena, &capacity, "_M_allocated_capacity") ||
	    !library_address_in(&data, &found->address) ||
	    value_number(&length, &found->count) != NULL)
		return false;
	found->element = debug_type_target(data.type, arena);
	if (found->element == NULL || found->element->kind != DEBUG_TYPE_CHARACTER ||
	    found->element->size != 1)
		return false;
	found->capacity = LOCAL_CHARACTERS;
	if (!local.in_memory || local.address != found->address) {
		if (value_number(&capacity, &found->capacity) != NULL ||
		    (local.in_memory && found->capacity <= LOCAL_CHARACTERS))
			return false;
	}
	return found->address != 0 && found->count <= found->capacity &&
	       found->capacity < UINT64_C(1) << 40;
}

static bool
take_view(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value data, length;

	return FOLLOW(value, arena, &data, "_M_str") && FOLLOW(value, arena, &length, "_M_len") &&
	       library_address_in(&data, &found->address) &&
	       value_number(&length, &found->count) == NULL && found->count < UINT64_C(1) << 40;
}

static bool
take_vector(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value start, finish, end;
	uint64_t last, limit;

	if (!FOLLOW(value, arena, &start, "_M_impl", "_M_start") ||
	    !FOLLOW(value, arena, &finish, "_M_impl", "_M_finish") ||
	    !FOLLOW(value, arena, &end, "_M_impl", "_M_end_of_storage") ||
	    !library_address_in(&start, &found->address) || !library_address_in(&finish, &last) ||
	    !library_address_in(&end, &limit))
		return false;
	found->element = debug_type_target(start.type, arena);
	if (found->element == NULL || found->element->size == 0 || last < found->address ||
	    limit < last || (last - found->address) % found->element->size != 0 ||
	    (limit - found->address) % found->element->size != 0)
		return false;
	found->count = (last - found->address) / found->element->size;
	found->capacity = (limit - found->address) / found->element->size;
	return found->address != 0 || limit == 0;
}

static bool
take_unique(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value tuple;
	uint64_t address;

	/* The deleter's member has the same name, but is only a pointer for a function. */
	return FOLLOW(value, arena, &tuple, "_M_t", "_M_t") &&
	       library_find_member(&tuple, "_M_head_impl", DEBUG_TYPE_POINTER, LIBRARY_NESTED,
				   arena, &found->inner) &&
	       library_address_in(&found->inner, &address);
}

static bool
take_shared(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value control, uses, weak;
	uint64_t address;

	if (!FOLLOW(value, arena, &found->inner, "_M_ptr") ||
	    !library_address_in(&found->inner, &address) ||
	    !FOLLOW(value, arena, &control, "_M_refcount", "_M_pi") ||
	    !library_address_in(&control, &address))
		return false;
	if (address == 0)
		return true;
	const struct debug_type *type = debug_type_target(control.type, arena);
	if (type == NULL)
		return false;
	const struct typed_value counts = value_pointed(&control, type, arena);
	found->engaged = FOLLOW(&counts, arena, &uses, "_M_use_count") &&
			 FOLLOW(&counts, arena, &weak, "_M_weak_count") &&
			 value_number(&uses, &found->uses) == NULL &&
			 value_number(&weak, &found->weak) == NULL;
	/* All strong uses together count as one weak use. */
	if (found->engaged && found->uses > 0 && found->weak > 0)
		found->weak--;
	return found->engaged;
}

static bool
take_optional(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value flag;
	uint64_t engaged;

	if (!FOLLOW(value, arena, &flag, "_M_payload", "_M_engaged") ||
	    value_number(&flag, &engaged) != NULL || engaged > 1 ||
	    !FOLLOW(value, arena, &found->inner, "_M_payload", "_M_payload", "_M_value"))
		return false;
	found->engaged = engaged == 1;
	return true;
}

static bool
take_iterator(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	struct typed_value pointer;
	uint64_t address;

	if (!FOLLOW(value, arena, &pointer, "_M_current") ||
	    !library_address_in(&pointer, &address) || address == 0)
		return false;
	const struct debug_type *type = debug_type_target(pointer.type, arena);
	if (type == NULL)
		return false;
	found->inner = value_pointed(&pointer, type, arena);
	return true;
}

static const struct {
	const char *begins;		/* prefix of the type's name in its namespace */
	enum library_kind kind;
	bool (*take)(const struct typed_value *value, struct arena *arena,
		     struct library_value *found);
} libraries[] = {
	{ "basic_string<char,", LIBRARY_STRING, take_string },
	{ "basic_string_view<char,", LIBRARY_STRING, take_view },
	{ "vector<bool,", LIBRARY_CONTAINER, library_take_bits },
	{ "vector<", LIBRARY_VECTOR, take_vector },
	{ "unique_ptr<", LIBRARY_UNIQUE, take_unique },
	{ "shared_ptr<", LIBRARY_SHARED, take_shared },
	{ "weak_ptr<", LIBRARY_SHARED, take_shared },
	{ "optional<", LIBRARY_OPTIONAL, take_optional },
	{ "list<", LIBRARY_CONTAINER, library_take_list },
	{ "forward_list<", LIBRARY_CONTAINER, library_take_forward_list },
	{ "map<", LIBRARY_CONTAINER, library_take_map },
	{ "multimap<", LIBRARY_CONTAINER, library_take_map },
	{ "set<", LIBRARY_CONTAINER, library_take_set },
	{ "multiset<", LIBRARY_CONTAINER, library_take_set },
	{ "unordered_map<", LIBRARY_CONTAINER, library_take_hash_map },
	{ "unordered_multimap<", LIBRARY_CONTAINER, library_take_hash_map },
	{ "unordered_set<", LIBRARY_CONTAINER, library_take_hash_set },
	{ "unordered_multiset<", LIBRARY_CONTAINER, library_take_hash_set },
	{ "deque<", LIBRARY_CONTAINER, library_take_deque },
	{ "tuple<", LIBRARY_CONTAINER, library_take_tuple },
	{ "variant<", LIBRARY_CONTAINER, library_take_variant },
	{ "stack<", LIBRARY_CONTAINER, library_take_wrapper },
	{ "queue<", LIBRARY_CONTAINER, library_take_wrapper },
	{ "priority_queue<", LIBRARY_CONTAINER, library_take_wrapper },
	{ "String", LIBRARY_STRING, library_take_rust_string },
	{ "&str", LIBRARY_STRING, library_take_rust_text },
	{ "&mut str", LIBRARY_STRING, library_take_rust_text },
	{ "Vec<", LIBRARY_VECTOR, library_take_rust_vector },
	{ "&[", LIBRARY_VECTOR, library_take_rust_slice },
	{ "&mut [", LIBRARY_VECTOR, library_take_rust_slice },
	{ "__normal_iterator<", LIBRARY_ITERATOR, take_iterator },
};

bool
library_value_of(const struct typed_value *value, struct arena *arena, struct library_value *found)
{
	const char *name = value->type->own_name;

	if (value->type->kind != DEBUG_TYPE_STRUCTURE || name == NULL || value->why != NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(libraries); i++) {
		if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) != 0)
			continue;
		*found = (struct library_value){ .kind = libraries[i].kind, .name = name };
		return libraries[i].take(value, arena, found);
	}
	return false;
}

struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index)
{
	return (struct typed_value){ .type = library->element, .frame = value->frame,
				     .in_memory = true,
				     .address = library->address + index * library->element->size };
}
