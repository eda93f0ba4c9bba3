/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "inspect/variable/frame_variables.h"

/* Parts of values: members, elements, and targets of pointers. */

bool
value_is_big(const struct typed_value *value)
{
	return value->frame->memory->big_endian != value->type->reversed;
}

bool
value_is_composite(const struct debug_type *type)
{
	return type->kind == DEBUG_TYPE_STRUCTURE || type->kind == DEBUG_TYPE_UNION ||
	       type->kind == DEBUG_TYPE_ARRAY || type->kind == DEBUG_TYPE_FUNCTION;
}

const char *
value_size_unknown(const struct debug_type *type)
{
	/* A type that was found has an entry. */
	return type->kind == DEBUG_TYPE_UNKNOWN && type->entry.home == NULL
		       ? "its type is in a file that was not found"
		       : "the size of its type is not known";
}

const uint8_t *
value_bytes(const struct typed_value *value, uint64_t size, struct arena *arena, const char **why)
{
	uint8_t *bytes = size < SIZE_MAX ? arena_alloc(arena, (size_t)size + 1) : NULL;

	*why = bytes == NULL ? "out of memory" : value->why;
	if (*why == NULL && value->target.home != NULL)
		*why = "points at a value without an address";
	if (*why != NULL)
		return NULL;
	if (!value->in_memory && (value->bytes == NULL || size > value->size ||
				  memchr(value->known, 0, (size_t)size) != NULL))
		*why = "optimised out";
	else if (!value->in_memory)
		memcpy(bytes, value->bytes, (size_t)size);
	else if (value_read(value->frame, value->address, bytes, (size_t)size) < size)
		*why = value_unread(value->address, arena);
	return *why == NULL ? bytes : NULL;
}

/* The number in `count` bits from `offset` on; big-endian bits count from the highest one. */
static uint64_t
take_bits(const uint8_t *bytes, uint64_t offset, uint64_t count, bool big_endian)
{
	uint64_t number = 0;

	for (uint64_t i = 0; i < count; i++) {
		const uint64_t at = offset + i;
		const unsigned in_byte = (unsigned)(at % 8);
		const uint64_t bit = bytes[at / 8] >> (big_endian ? 7 - in_byte : in_byte) & 1;

		number |= bit << (big_endian ? count - 1 - i : i);
	}
	return number;
}

const char *
value_number(const struct typed_value *value, uint64_t *number)
{
	const uint64_t bits = value->is_bits ? value->bits : 8 * value->type->size;
	const uint64_t offset = value->is_bits ? value->bit_offset : 0;
	struct arena scratch = { 0 };
	const char *why;

	if (bits == 0 || bits > 64)
		return value->why != NULL ? value->why : "it is not a number of up to 8 bytes";
	const uint8_t *bytes = value_bytes(value, (offset + bits + 7) / 8, &scratch, &why);
	if (bytes != NULL) {
		*number = take_bits(bytes, offset, bits, value_is_big(value));
		if (value->type->is_signed && bits < 64 && (*number >> (bits - 1) & 1) != 0)
			*number |= UINT64_MAX << bits;
	}
	/* The reason is in the scratch arena, which is about to be freed. */
	if (why != NULL && why != value->why && value->in_memory)
		why = VALUE_UNREAD;
	arena_free(&scratch);
	return why;
}

static struct typed_value
part_of(const struct typed_value *value, const struct debug_type *type, uint64_t offset)
{
	struct typed_value part = *value;

	part.type = type;
	part.is_bits = false;
	part.address += offset;
	if (value->in_memory || value->why != NULL)
		return part;
	if (value->bytes == NULL || offset > value->size) {
		part.why = "optimised out";
		return part;
	}
	part.bytes += offset;
	part.known += offset;
	part.size -= offset;
	return part;
}

/* Computes the offset of a member, such as a virtual base, by its expression. */
static bool
find_offset(const struct typed_value *value, const struct debug_member *member, struct arena *arena,
	    uint64_t *offset)
{
	const struct location_start start = { .pushes_object = true, .has_object = true,
					      .object = value->address };
	const struct debug_location location =
		debug_locate(&member->entry, DEBUG_MEMBER, value->frame->relative);

	*offset = member->offset;
	if (member->has_offset)
		return true;
	if (!value->in_memory || location.kind != DEBUG_LOCATION_EXPRESSION)
		return false;
	const struct location_result *result =
		value_frame_run(value->frame, &location.expression, &start, arena);
	if (result == NULL || result->count != 1 || result->parts[0].kind != LOCATION_MEMORY)
		return false;
	*offset = result->parts[0].number - value->address;
	return true;
}

struct typed_value
value_member(const struct typed_value *value, const struct debug_member *member,
	     struct arena *arena)
{
	uint64_t offset;

	if (!find_offset(value, member, arena, &offset)) {
		struct typed_value absent = part_of(value, member->type, 0);
		absent.why = "its place in its object is not known";
		return absent;
	}
	if (!member->is_bits) {
		struct typed_value part = part_of(value, member->type, offset);
		value_resolve(&part, arena);
		return part;
	}
	struct typed_value part = part_of(value, member->type, member->bit_offset / 8);
	part.is_bits = true;
	part.bit_offset = member->bit_offset % 8;
	part.bits = member->bits;
	return part;
}

/* Whether a member belongs to the value's active variant; true if that is unknown. */
static bool
has_variant(const struct typed_value *value, const struct debug_member *members, size_t count,
	    const struct debug_member *member, struct arena *arena)
{
	uint64_t told;

	if (member->teller == NULL)
		return true;
	const struct typed_value teller = value_member(value, member->teller, arena);
	const uint64_t bits = 8 * member->teller->type->size;
	const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	if (value_number(&teller, &told) != NULL)
		return true;
	for (size_t i = 0; member->rest && i < count; i++)
		if (members[i].teller == member->teller && !members[i].rest &&
		    ((members[i].told ^ told) & mask) == 0)
			return false;
	return member->rest || ((member->told ^ told) & mask) == 0;
}

size_t
value_members(const struct typed_value *value, struct arena *arena, struct debug_member **members)
{
	const size_t count = debug_type_members(value->type, arena, members);
	struct debug_member *found = arena_array(arena, count + 1, sizeof(*found));
	size_t kept = 0;

	for (size_t i = 0; found != NULL && i < count; i++)
		if (has_variant(value, *members, count, &(*members)[i], arena))
			found[kept++] = (*members)[i];
	*members = found;
	return kept;
}

uint64_t
value_count(const struct typed_value *value, struct arena *arena, const char **why)
{
	const struct debug_type *type = value->type;
	struct typed_value whole = *value;

	*why = NULL;
	if (!type->has_count && type->dimension.home != NULL) {
		*why = value_resolve(&whole, arena);
		type = whole.type;
	}
	return type->has_count ? type->count : 0;
}

struct typed_value
value_element(const struct typed_value *value, const struct debug_type *element, uint64_t index)
{
	return part_of(value, element,
		       index * (value->type->stride != 0 ? value->type->stride : element->size));
}

/* The target of a pointer without an address: a variable, or a part of a variable. */
static struct typed_value
value_behind(const struct typed_value *value, const struct debug_type *target, struct arena *arena)
{
	const struct debug_variable variable = { .name = "", .entry = value->target };
	struct variable_value found;

	if (!variable_value_of(value->frame, &variable, arena, &found))
		return (struct typed_value){ .type = target, .frame = value->frame,
				       .why = "out of memory" };
	if (value->target_offset < 0)
		found.value.why = "the pointer leads before its target";
	return part_of(&found.value, target, (uint64_t)value->target_offset);
}

struct typed_value
value_pointed(const struct typed_value *value, const struct debug_type *target, struct arena *arena)
{
	struct typed_value pointed = { .type = target, .frame = value->frame, .in_memory = true };

	if (value->target.home != NULL)
		return value_behind(value, target, arena);
	pointed.why = value_number(value, &pointed.address);
	pointed.address = arch_wrap(value->frame->walk->arch, pointed.address);
	value_resolve(&pointed, arena);
	return pointed;
}

bool
value_lacks_member(const struct typed_value *value, struct arena *arena)
{
	struct debug_member *members;
	const size_t count = value_members(value, arena, &members);
	const char *why;

	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct typed_value member = value_member(value, &members[i], arena);

		if (!members[i].is_static && !members[i].base && member.type->has_size &&
		    value_bytes(&member, member.is_bits ? (member.bit_offset + member.bits + 7) / 8
							: member.type->size, arena, &why) == NULL)
			return true;
	}
	return false;
}
