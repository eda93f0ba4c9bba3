/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/variable_places.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/sorted.h"

/* Frames whose variables are kept, variables of a frame, and nested members and elements. */
enum { FRAMES_KEPT = 8, MOST_VARIABLES = 1024, MOST_NESTED = 12 };
/* Bytes that variables and types of frames take: those of some 300 frames of usual functions. */
#define MOST_KEPT ((uint64_t)32 << 20)

struct stored_variable {
	const char *name;
	uint64_t address;
	const struct debug_type *type;
};

struct variable_places {
	struct walk *walk;
	const struct memory_view *memory;
	struct arena *arena;
	uint64_t used;			/* bytes of the arena, up to MOST_KEPT */
	struct {
		size_t frame;		/* plus 1; 0: unused */
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
	places->frames[slot].count = places->frames[slot].capacity = 0;
	places->frames[slot].items = NULL;
	for (size_t i = 0; variables != NULL && i < variables->scopes.count; i++) {
		const struct debug_scope *scope = &variables->scopes.items[i];

		for (size_t j = 0; j < scope->count && left > 0; j++, left--) {
			struct variable_value found;

			if (!variable_value_of(variables, &scope->variables[j], places->arena,
					       &found) ||
			    found.location != VARIABLE_MEMORY || !found.value.in_memory ||
			    found.value.why != NULL || *scope->variables[j].name == '\0')
				continue;
			struct stored_variable *place =
				ARENA_PUSH(places->arena, places->frames[slot].items,
					   places->frames[slot].count,
					   places->frames[slot].capacity);
			if (place != NULL)
				*place = (struct stored_variable){ scope->variables[j].name,
								  found.value.address,
								  found.value.type };
		}
	}
	places->used += places->arena->used - before;
}

/* The member that contains the byte at an offset of a structure; `*offset` becomes its own. */
static const struct debug_member *
member_at(const struct debug_type *type, uint64_t *offset, struct arena *arena)
{
	struct debug_member *members;
	const size_t count = debug_type_members(type, arena, &members);

	for (size_t i = 0; i < count; i++) {
		const struct debug_member *member = &members[i];

		if (member->is_static || !member->has_offset || member->is_bits ||
		    !checked_contains(member->offset, member->type->size, *offset))
			continue;
		*offset -= member->offset;
		return member;
	}
	return NULL;
}

/* Whether the members of a type are those of a library, which say little. */
static bool
is_opaque(const struct debug_type *type)
{
	static const char *const names[] = { "std::", "alloc::", "core::" };

	return text_begins(text_of(type->name), names, ARRAY_COUNT(names)) > 0;
}

/* The name of the byte at an offset in a variable. */
static const char *
name_part(const struct stored_variable *place, uint64_t offset, struct arena *arena)
{
	const struct debug_type *type = place->type;
	const char *name = place->name;

	for (unsigned i = 0; i < MOST_NESTED && name != NULL && type != NULL; i++) {
		if (type->kind == DEBUG_TYPE_ARRAY) {
			type = debug_type_target(type, arena);
			if (type == NULL || !type->has_size || type->size == 0)
				break;
			name = arena_format(arena, "%s[%" PRIu64 "]", name, offset / type->size);
			offset %= type->size;
			continue;
		}
		if (type->kind != DEBUG_TYPE_STRUCTURE || is_opaque(type))
			break;
		const struct debug_member *member = member_at(type, &offset, arena);
		if (member == NULL)
			break;
		if (!member->base && *member->name != '\0')
			name = arena_format(arena, "%s.%s", name, member->name);
		type = member->type;
	}
	return offset == 0 || name == NULL ? name
					   : arena_format(arena, "%s + 0x%" PRIx64, name, offset);
}

const char *
variable_places_name(struct variable_places *places, uint64_t address, struct arena *arena,
		     size_t *frame)
{
	const size_t owner = places != NULL ? frame_at(places->walk, address) : SIZE_MAX;

	/* Arguments on the stack are above their frame's end, in its caller. */
	for (size_t back = 0; owner != SIZE_MAX && back < 2 && back <= owner; back++) {
		const size_t slot = (owner - back) % FRAMES_KEPT;

		*frame = owner - back;
		if (places->frames[slot].frame != *frame + 1)
			find_variables(places, *frame, slot);
		for (size_t i = 0; i < places->frames[slot].count; i++) {
			const struct stored_variable *place = &places->frames[slot].items[i];

			if (checked_contains(place->address, place->type->size, address))
				return name_part(place, address - place->address, arena);
		}
	}
	return NULL;
}
