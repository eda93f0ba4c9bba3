/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/frame_variables.h"

#include "base/compiler.h"

/*
 * Arrays whose bounds are computed at run time: variable-length arrays of C, and arrays of Fortran.
 * A variable of Fortran is a descriptor with a pointer to the elements (DWARF 5, 5.5, 5.13, 5.18).
 */

enum { MOST_DIMENSIONS = 16 };

struct resolving {
	struct value_frame *frame;
	struct location_start start;
	struct arena *arena;
};

/* Reads a number from an attribute, an expression or a variable; returns an error, or NULL. */
static const char *
read_number(const struct resolving *resolving, const struct debug_entry *entry,
	    enum debug_attribute which, uint64_t *number)
{
	struct value_frame *frame = resolving->frame;
	struct debug_variable variable = { .name = "" };
	struct variable_value found;

	if (debug_reference(entry, which, &variable.entry))
		return variable_value_of(frame, &variable, resolving->arena, &found)
			       ? value_number(&found.value, number) : "out of memory";
	const struct debug_location location = debug_locate(entry, which, frame->relative);
	*number = location.number;
	if (location.kind == DEBUG_LOCATION_NUMBER)
		return NULL;
	if (location.kind != DEBUG_LOCATION_EXPRESSION)
		return "the number of its elements is not known";
	const struct location_result *result = value_frame_run(
		frame, &location.expression, &resolving->start, resolving->arena);
	if (result == NULL || result->count != 1)
		return "the number of its elements is not known";
	const struct location_part *part = &result->parts[0];
	*number = part->number;
	/*
	 * The expression of a length gives the address of the length, other expressions give the
	 * number itself. Compilers use the lower four bytes of a length.
	 */
	if (which == DEBUG_LENGTH && part->kind == LOCATION_MEMORY)
		return value_read_number(
			       frame, part->number,
			       frame->memory->big_endian ? frame->walk->arch->word_size : 4, number)
			       ? NULL : "the memory of its length is not in the dump";
	return part->kind == LOCATION_MEMORY || part->kind == LOCATION_VALUE
		       ? NULL : part->why != NULL ? part->why
						  : "the number of its elements is not known";
}

static bool
has(const struct resolving *resolving, const struct debug_entry *entry, enum debug_attribute which)
{
	return entry->home != NULL &&
	       debug_locate(entry, which, resolving->frame->relative).kind != DEBUG_LOCATION_NONE;
}

static const char *
count_elements(const struct resolving *resolving, struct debug_type *type)
{
	uint64_t bound, lower = (uint64_t)type->lower;

	if (has(resolving, &type->dimension, DEBUG_LOWER_BOUND) &&
	    read_number(resolving, &type->dimension, DEBUG_LOWER_BOUND, &lower) == NULL)
		type->lower = (int64_t)lower;
	const char *why = read_number(resolving, &type->dimension, DEBUG_COUNT, &type->count);
	if (has(resolving, &type->dimension, DEBUG_LENGTH)) {
		why = read_number(resolving, &type->dimension, DEBUG_LENGTH, &type->count);
	} else if (why != NULL) {
		why = read_number(resolving, &type->dimension, DEBUG_UPPER_BOUND, &bound);
		type->count = why != NULL || (int64_t)bound < type->lower
				      ? 0 : bound - (uint64_t)type->lower + 1;
	}
	return why;
}

/* Resolves a type; the type is unchanged if everything in it is constant. It may lack a count. */
static const char *
resolve(const struct resolving *resolving, const struct debug_type **type, unsigned depth)
{
	const struct debug_type *element;
	const char *why = NULL;

	if ((*type)->kind != DEBUG_TYPE_ARRAY || (*type)->dimension.home == NULL || depth == 0)
		return NULL;
	const struct debug_type *whole = element = debug_type_target(*type, resolving->arena);
	if (element == NULL)
		return NULL;
	why = resolve(resolving, &element, depth - 1);
	const bool strides = has(resolving, &(*type)->dimension, DEBUG_STRIDE);
	if (why != NULL ||
	    ((*type)->has_count && (*type)->has_size && element == whole && !strides))
		return why;
	struct debug_type *made = arena_alloc(resolving->arena, sizeof(*made));
	if (made == NULL)
		return "out of memory";
	*made = **type;
	made->made_of = element;
	if (!made->has_count)
		why = count_elements(resolving, made);
	if (why == NULL && strides)
		why = read_number(resolving, &made->dimension, DEBUG_STRIDE, &made->stride);
	made->stride = made->stride == element->size ? 0 : made->stride;
	made->has_count = why == NULL;
	made->has_size = made->has_count && element->has_size &&
			 (element->size == 0 || made->count <= UINT64_MAX / element->size);
	made->size = made->has_size ? made->count * element->size : 0;
	*type = made;
	return why;
}

/* Returns an error if an attribute says that the array has no elements. */
static const char *
check_there(const struct resolving *resolving, const struct debug_entry *array)
{
	static const struct {
		enum debug_attribute attribute;
		const char *why;
	} checks[] = { { DEBUG_ALLOCATED, "not allocated" },
		       { DEBUG_ASSOCIATED, "not associated" } };
	uint64_t number;

	for (size_t i = 0; i < ARRAY_COUNT(checks); i++)
		if (has(resolving, array, checks[i].attribute) &&
		    read_number(resolving, array, checks[i].attribute, &number) == NULL &&
		    number == 0)
			return checks[i].why;
	return NULL;
}

const char *
value_resolve(struct typed_value *value, struct arena *arena)
{
	const struct debug_type *type = value->type;
	struct value_frame *frame = value->frame;
	const struct resolving resolving = {
		.frame = frame, .arena = arena,
		.start = { .has_object = value->in_memory, .object = value->address } };

	/* The bound of an array cannot depend on the bound of another array. */
	if (type == NULL || type->kind != DEBUG_TYPE_ARRAY || type->entry.home == NULL ||
	    value->why != NULL || frame->resolving)
		return NULL;
	frame->resolving = true;
	value->why = check_there(&resolving, &type->entry);
	const char *why = value->why != NULL ? value->why
					     : resolve(&resolving, &value->type, MOST_DIMENSIONS);
	/* The descriptor has the address of the elements. */
	uint64_t address;
	if (why == NULL && has(&resolving, &type->entry, DEBUG_DATA_LOCATION)) {
		why = value->why =
			read_number(&resolving, &type->entry, DEBUG_DATA_LOCATION, &address);
		value->address = arch_wrap(frame->walk->arch, address);
	}
	frame->resolving = false;
	return why;
}
