/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/library_value_internal.h"

#include <inttypes.h>

/*
 * Strings, vectors and slices of Rust, by the members that the compiler emits (library/alloc:
 * string.rs, vec/mod.rs, raw_vec; those of a slice are the compiler's own).
 */

/* Upper limit of plausible bytes or elements. */
#define MOST_RUST (UINT64_C(1) << 40)

/* Reads the pointer of a vector, which is nested deeper in newer libraries. */
static bool
follow_buffer(const struct typed_value *vector, struct arena *arena, uint64_t *address)
{
	struct typed_value data;

	return (FOLLOW(vector, arena, &data, "buf", "inner", "ptr", "pointer", "pointer") ||
		FOLLOW(vector, arena, &data, "buf", "ptr", "pointer", "pointer") ||
		FOLLOW(vector, arena, &data, "buf", "ptr", "pointer")) &&
	       library_address_in(&data, address);
}

static bool
take_length(const struct typed_value *value, const char *name, struct arena *arena,
	    struct library_value *found)
{
	struct typed_value length;

	return FOLLOW(value, arena, &length, name) &&
	       value_number(&length, &found->count) == NULL && found->count < MOST_RUST;
}

bool
library_take_rust_string(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	struct typed_value bytes;

	return FOLLOW(value, arena, &bytes, "vec") && take_length(&bytes, "len", arena, found) &&
	       follow_buffer(&bytes, arena, &found->address);
}

bool
library_take_rust_text(const struct typed_value *value, struct arena *arena,
		       struct library_value *found)
{
	struct typed_value data;

	return FOLLOW(value, arena, &data, "data_ptr") &&
	       take_length(value, "length", arena, found) &&
	       library_address_in(&data, &found->address);
}

static bool
take_elements(const struct debug_type *element, const char *what, struct arena *arena,
	      struct library_value *found)
{
	found->element = element;
	found->capacity = found->count;
	found->title = arena_format(arena, "%s(size=%" PRIu64 ")", what, found->count);
	return element != NULL && element->has_size && element->size > 0 && found->title != NULL;
}

bool
library_take_rust_vector(const struct typed_value *value, struct arena *arena,
			 struct library_value *found)
{
	return take_length(value, "len", arena, found) &&
	       follow_buffer(value, arena, &found->address) &&
	       take_elements(debug_type_argument(value->type, 0, arena), "Vec", arena, found);
}

bool
library_take_rust_slice(const struct typed_value *value, struct arena *arena,
			struct library_value *found)
{
	struct typed_value data;

	return FOLLOW(value, arena, &data, "data_ptr") &&
	       take_length(value, "length", arena, found) &&
	       library_address_in(&data, &found->address) &&
	       take_elements(debug_type_target(data.type, arena), "&[T]", arena, found);
}
