/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/value_parts.h"

#include <inttypes.h>

#include "inspect/variable/dynamic_type.h"
#include "inspect/variable/library_value.h"
#include "report/value/value_text.h"

bool
value_has_parts(const struct typed_value *value, struct arena *arena)
{
	const struct debug_type *target;
	uint64_t address;

	if (value->why != NULL && !value->bytes)
		return false;
	switch (value->type->kind) {
	case DEBUG_TYPE_STRUCTURE:
	case DEBUG_TYPE_UNION:
	case DEBUG_TYPE_ARRAY:
		return true;
	case DEBUG_TYPE_POINTER:
	case DEBUG_TYPE_REFERENCE:
		target = debug_type_target(value->type, arena);
		return target != NULL && target->kind != DEBUG_TYPE_VOID &&
		       target->kind != DEBUG_TYPE_FUNCTION &&
		       (value->target.home != NULL ||
			(value_number(value, &address) == NULL && address != 0));
	default:
		return false;
	}
}

static void
add_part(struct value_parts *parts, struct arena *arena, const char *name,
	 const struct typed_value *value)
{
	ARENA_ADD(arena, parts->items, parts->count, parts->capacity,
		  &(struct value_part){ text_or_empty(name), *value });
}

static void
add_members(struct value_parts *parts, const struct typed_value *value, struct arena *arena)
{
	struct debug_member *members;
	const size_t count = value_members(value, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const struct debug_member *member = &members[i];

		if (member->is_static)
			continue;
		const struct typed_value part = value_member(value, member, arena);
		add_part(parts, arena,
			 member->base ? arena_format(arena, "<%s>", member->type->name)
			 : *member->name != '\0' ? member->name : "(unnamed)", &part);
	}
}

/* Add the elements of `library` or, if it is NULL, of an array of `element`. */
static void
add_elements(struct value_parts *parts, const struct typed_value *value,
	     const struct library_value *library, const struct debug_type *element,
	     struct arena *arena)
{
	const char *why;
	const uint64_t count = library != NULL ? library->count : value_count(value, arena, &why);

	for (uint64_t i = 0; i < count && i < VALUE_PARTS_ELEMENTS; i++) {
		const struct typed_value part =
			library != NULL ? library_value_element(value, library, i)
					: value_element(value, element, i);

		add_part(parts, arena, arena_format(arena, "[%" PRId64 "]", (int64_t)i +
			 (library != NULL ? 0 : value->type->lower)), &part);
	}
	parts->more = count > VALUE_PARTS_ELEMENTS ? count - VALUE_PARTS_ELEMENTS : 0;
}

/* Add elements of a container, each with its key or number. */
static void
add_items(struct value_parts *parts, const struct library_value *library, struct arena *arena)
{
	const struct value_text_options options = { .library = true, .most = 40 };

	for (size_t i = 0; i < library->item_count && i < VALUE_PARTS_ELEMENTS; i++) {
		const bool from_1 = library->index == LIBRARY_INDEX_FROM_1;
		struct typed_value key, mapped;
		const bool pair = library_value_pair(library, i, arena, &key, &mapped);

		add_part(parts, arena,
			 pair ? arena_format(arena, "[%s]", value_text(&key, &options, arena))
			      : arena_format(arena, "[%zu]", i + from_1),
			 pair ? &mapped : &library->items[i]);
	}
	if (library->cut != NULL && library->item_count > 0 &&
	    library->item_count < VALUE_PARTS_ELEMENTS) {
		struct typed_value next = library->items[0];

		next.why = library->cut;
		add_part(parts, arena, "(the next one)", &next);
	}
	if (library->count > VALUE_PARTS_ELEMENTS)
		parts->more = library->count - VALUE_PARTS_ELEMENTS;
}

/* Add the contents of a library's container or holder. False: another type, or a string. */
static bool
add_held(struct value_parts *parts, const struct typed_value *value, struct arena *arena)
{
	struct library_value library;

	if (!library_value_of(value, arena, &library) || library.kind == LIBRARY_STRING)
		return false;
	if (library.kind == LIBRARY_CONTAINER)
		add_items(parts, &library, arena);
	else if (library.kind == LIBRARY_VECTOR)
		add_elements(parts, value, &library, NULL, arena);
	else if (library.kind != LIBRARY_OPTIONAL || library.engaged)
		add_part(parts, arena, "*", &library.inner);
	return true;
}

struct value_parts
value_parts_of(const struct typed_value *value, struct arena *arena)
{
	const enum debug_type_kind kind = value->type->kind;
	const bool leads = kind == DEBUG_TYPE_POINTER || kind == DEBUG_TYPE_REFERENCE;
	const struct debug_type *target = leads || kind == DEBUG_TYPE_ARRAY
						  ? debug_type_target(value->type, arena) : NULL;
	struct value_parts parts = { .items = NULL };
	struct typed_value object = *value;
	struct dynamic_type found;

	if (add_held(&parts, value, arena) ||
	    (target == NULL && (leads || kind == DEBUG_TYPE_ARRAY)))
		return parts;
	if (kind == DEBUG_TYPE_ARRAY) {
		add_elements(&parts, value, NULL, target, arena);
		return parts;
	}
	/* The parts belong to the object's own class, not to the pointer's class. */
	if (leads && dynamic_type_of(value, arena, &found) && found.type != NULL)
		object = (struct typed_value){ .type = found.type, .frame = value->frame,
					       .in_memory = true, .address = found.address };
	else if (leads)
		object = value_pointed(value, target, arena);
	/* A target structure has no row of its own: its parts follow directly. */
	if (leads && target->kind != DEBUG_TYPE_STRUCTURE && target->kind != DEBUG_TYPE_UNION)
		add_part(&parts, arena, "*", &object);
	else if (!leads || !add_held(&parts, &object, arena))
		add_members(&parts, &object, arena);
	return parts;
}
