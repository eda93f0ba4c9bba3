/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/variable_places.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/sorted.h"

/* Limits: frames whose variables are cached, variables of a frame, nested members and elements. */
enum { FRAMES_KEPT = 8, MOST_VARIABLES = 1024, MOST_NESTED = 12 };
/* Maximum number of pointers of an object that are followed. */
enum { MOST_POINTERS = 64 };
/* Maximum bytes of the variables and types of frames: enough for some 300 usual functions. */
#define MOST_KEPT ((uint64_t)32 << 20)

struct stored_variable {
	const char *name;
	uint64_t address;
	const struct debug_type *type;
	bool pointed;			/* `name` is a pointer to the value */
};

struct variable_places {
	struct walk *walk;
	const struct memory_view *memory;
	struct arena *arena;
	uint64_t used;			/* bytes of the arena, up to MOST_KEPT */
	struct {
		size_t frame;		/* frame plus 1; 0: unused */
		struct stored_variable *items;
		size_t count, capacity;
	} frames[FRAMES_KEPT];
};

struct variable_places *
variable_places_make(struct walk *walk, const struct memory_view *memory, struct arena *arena)
{
	struct variable_places *places = arena_alloc(arena, sizeof(*places));

	if (places != NULL)
		*places = (struct variable_places){ .walk = walk, .memory = memory,
						    .arena = arena };
	return places;
}

/* The frame whose bytes, from its stack pointer to its caller's, contain an address. */
static size_t
frame_at(const struct walk *walk, uint64_t address)
{
	const int sp = walk->arch->sp;
	size_t above;

	/* Stack pointers ascend from callee to caller. */
	BISECT(above, walk->count, registers_known(&walk->frames[above].registers, sp) &&
					   walk->frames[above].registers.value[sp] <= address);
	return above == 0 ? SIZE_MAX : above - 1;
}

static void
find_variables(struct variable_places *places, size_t frame, size_t slot)
{
	const uint64_t before = places->arena->used;
	struct value_frame *variables =
		places->used > MOST_KEPT ? NULL
					 : frame_variables_of(places->walk, places->memory, frame,
							      places->arena);
	size_t left = MOST_VARIABLES;

	places->frames[slot].frame = frame + 1;
	places->frames[slot].count = 0;
	for (size_t i = 0; variables != NULL && i < variables->scopes.count; i++) {
		const struct debug_scope *scope = &variables->scopes.items[i];

		for (size_t j = 0; j < scope->count && left > 0; j++, left--) {
			struct variable_value found;

			if (!variable_value_of(variables, &scope->variables[j], places->arena,
					       &found) ||
			    !found.value.in_memory || found.value.why != NULL ||
			    *scope->variables[j].name == '\0')
				continue;
			ARENA_ADD(places->arena, places->frames[slot].items,
				  places->frames[slot].count, places->frames[slot].capacity,
				  &(struct stored_variable){ scope->variables[j].name,
							     found.value.address, found.value.type,
							     false });
		}
	}
	places->used += places->arena->used - before;
}

static bool
contains(uint64_t start, uint64_t length, uint64_t address, uint64_t size)
{
	return checked_contains(start, length, address) && length - (address - start) >= size;
}

/* The member with `size` bytes at an offset of a structure; makes `*offset` relative to it. */
static const struct debug_member *
member_at(const struct debug_type *type, uint64_t *offset, uint64_t size, struct arena *arena)
{
	struct debug_member *members;
	const size_t count = debug_type_members(type, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const struct debug_member *member = &members[i];

		if (member->is_static || !member->has_offset || member->is_bits ||
		    !contains(member->offset, member->type->size, *offset, size))
			continue;
		*offset -= member->offset;
		return member;
	}
	return NULL;
}

/* Whether a type belongs to a library. The names of its members explain little. */
static bool
is_opaque(const struct debug_type *type)
{
	static const char *const names[] = { "std::", "alloc::", "core::" };

	return text_begins(text_of(type->name), names, ARRAY_COUNT(names)) > 0;
}

/* The name of `size` bytes at an offset in a variable. */
static const char *
name_part(const struct stored_variable *place, uint64_t offset, uint64_t size, struct arena *arena)
{
	const struct debug_type *type = place->type;
	const char *name = place->name, *join = place->pointed ? "->" : ".";

	for (unsigned i = 0; i < MOST_NESTED && name != NULL && type != NULL; i++) {
		if (type->kind == DEBUG_TYPE_ARRAY) {
			type = debug_type_target(type, arena);
			if (type == NULL || !type->has_size || type->size == 0)
				break;
			name = arena_format(arena, *join == '-' ? "(*%s)[%" PRIu64 "]"
							       : "%s[%" PRIu64 "]",
					    name, offset / type->size);
			offset %= type->size;
			join = ".";
			continue;
		}
		if (type->kind != DEBUG_TYPE_STRUCTURE || is_opaque(type))
			break;
		const struct debug_member *member = member_at(type, &offset, size, arena);
		if (member == NULL)
			break;
		if (!member->base && *member->name != '\0') {
			name = arena_format(arena, "%s%s%s", name, join, member->name);
			join = ".";
		}
		type = member->type;
	}
	if (name != NULL && *join == '-')
		name = arena_format(arena, "*%s", name);
	return offset == 0 || name == NULL ? name
					   : arena_format(arena, "%s + 0x%" PRIx64, name, offset);
}

const char *
variable_places_name(struct variable_places *places, uint64_t address, struct arena *arena,
		     size_t *frame)
{
	const size_t owner = places != NULL ? frame_at(places->walk, address) : SIZE_MAX;

	/* Stack arguments are above their own frame, in the frame of the caller. */
	for (size_t back = 0; owner != SIZE_MAX && back < 2 && back <= owner; back++) {
		const size_t slot = (owner - back) % FRAMES_KEPT;

		*frame = owner - back;
		if (places->frames[slot].frame != *frame + 1)
			find_variables(places, *frame, slot);
		for (size_t i = 0; i < places->frames[slot].count; i++) {
			const struct stored_variable *place = &places->frames[slot].items[i];

			if (checked_contains(place->address, place->type->size, address))
				return name_part(place, address - place->address, 1, arena);
		}
	}
	return NULL;
}

struct sought {
	uint64_t address, size;
	struct arena *arena;
	const char **type;		/* receives the type of the structure with the object */
};

/*
 * The name of an object in a value or in the value's target. Else NULL, and `*pointed` is the
 * structure that the value is or points to. Without a structure, the type of `*pointed` is NULL.
 */
static const char *
name_by(const struct sought *sought, const char *name, const struct typed_value *value,
	struct typed_value *pointed)
{
	const enum debug_type_kind kind = value->type->kind;
	struct stored_variable place = { .name = name, .type = value->type,
					 .address = value->address };

	pointed->type = NULL;
	if (value->why != NULL || *name == '\0')
		return NULL;
	if (kind == DEBUG_TYPE_POINTER || kind == DEBUG_TYPE_REFERENCE) {
		place.pointed = kind == DEBUG_TYPE_POINTER;
		place.type = debug_type_target(value->type, sought->arena);
		if (place.type == NULL || value_number(value, &place.address) != NULL)
			return NULL;
	} else if (!value->in_memory) {
		return NULL;
	}
	if (!place.type->has_size)
		return NULL;
	if (contains(place.address, place.type->size, sought->address, sought->size)) {
		const bool member = place.type->kind == DEBUG_TYPE_STRUCTURE &&
				    !is_opaque(place.type);

		*sought->type = member ? place.type->name : NULL;
		return name_part(&place, sought->address - place.address, sought->size,
				 sought->arena);
	}
	if (place.type->kind == DEBUG_TYPE_STRUCTURE)
		*pointed = place.type == value->type
				   ? *value : value_pointed(value, place.type, sought->arena);
	return NULL;
}

/* Names the object by a variable, or by a pointer in the variable's own or target structure. */
static const char *
name_by_variable(const struct sought *sought, struct value_frame *frame,
		 const struct debug_variable *variable)
{
	struct variable_value found;
	struct typed_value object, deeper;
	struct debug_member *members;

	if (!variable_value_of(frame, variable, sought->arena, &found))
		return NULL;
	const char *name = name_by(sought, variable->name, &found.value, &object);
	const size_t count = name == NULL && object.type != NULL
				     ? debug_type_members(object.type, sought->arena, &members) : 0;
	for (size_t i = 0; i < count && i < MOST_POINTERS && name == NULL; i++) {
		if (members[i].is_static || members[i].type->kind != DEBUG_TYPE_POINTER)
			continue;
		const struct typed_value member = value_member(&object, &members[i], sought->arena);
		const char *path = arena_format(
			sought->arena, "%s%s%s", variable->name,
			found.value.type->kind == DEBUG_TYPE_POINTER ? "->" : ".", members[i].name);
		name = path != NULL ? name_by(sought, path, &member, &deeper) : NULL;
	}
	return name;
}

const char *
variable_leading_to(struct walk *walk, const struct memory_view *memory, size_t frame,
		    uint64_t address, uint64_t size, struct arena *arena, const char **type)
{
	const struct sought sought = { address, size, arena, type };
	struct value_frame *variables = frame_variables_of(walk, memory, frame, arena);
	size_t left = MOST_VARIABLES;
	struct debug_variable *globals;
	const char *name = NULL;

	if (variables == NULL || variables->why != NULL)
		return NULL;
	/* Prefer the outermost call: functions of libraries are inlined into the program's own. */
	for (size_t i = 0; i < variables->scopes.count; i++) {
		const struct debug_scope *scope = &variables->scopes.items[i];

		for (size_t j = 0; j < scope->count && left > 0; j++, left--) {
			const char *found =
				name_by_variable(&sought, variables, &scope->variables[j]);

			name = found != NULL ? found : name;
		}
	}
	const size_t count = name == NULL ? frame_variables_globals(variables, arena, &globals) : 0;
	for (size_t i = 0; i < count && i < left && name == NULL; i++)
		name = name_by_variable(&sought, variables, &globals[i]);
	return name;
}

const char *
variable_member_at(const char *name, const struct typed_value *value, uint64_t address,
		   uint64_t size, struct arena *arena, const char **type)
{
	const struct sought sought = { address, size, arena, type };
	struct typed_value pointed;

	return name_by(&sought, name, value, &pointed);
}
