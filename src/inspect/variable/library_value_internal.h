/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_LIBRARY_VALUE_INTERNAL_H
#define INSPECT_VARIABLE_LIBRARY_VALUE_INTERNAL_H

#include "base/compiler.h"
#include "inspect/variable/library_value.h"

/** Most levels of bases that are searched for a member. */
enum { LIBRARY_NESTED = 8 };

/** Find a member by its name and kind of type, also in bases and unnamed members. */
bool
library_find_member(const struct typed_value *value, const char *name, enum debug_type_kind kind,
		    unsigned depth, struct arena *arena, struct typed_value *found);

/** Follow members by their names. */
bool
library_follow(const struct typed_value *value, const char *const *names, size_t count,
	       struct arena *arena, struct typed_value *found);

#define FOLLOW(value, arena, found, ...) \
	library_follow(value, (const char *const[]){ __VA_ARGS__ }, \
		       ARRAY_COUNT(((const char *const[]){ __VA_ARGS__ })), arena, found)

/** The address in a pointer; false if it has no value. */
bool
library_address_in(const struct typed_value *value, uint64_t *address);

/** Elements of containers; false if the members contradict each other. */
bool
library_take_list(const struct typed_value *value, struct arena *arena,
		  struct library_value *found);

bool
library_take_forward_list(const struct typed_value *value, struct arena *arena,
			  struct library_value *found);

bool
library_take_map(const struct typed_value *value, struct arena *arena, struct library_value *found);

bool
library_take_set(const struct typed_value *value, struct arena *arena, struct library_value *found);

bool
library_take_hash_map(const struct typed_value *value, struct arena *arena,
		      struct library_value *found);

bool
library_take_hash_set(const struct typed_value *value, struct arena *arena,
		      struct library_value *found);

bool
library_take_deque(const struct typed_value *value, struct arena *arena,
		   struct library_value *found);

bool
library_take_bits(const struct typed_value *value, struct arena *arena,
		  struct library_value *found);

bool
library_take_tuple(const struct typed_value *value, struct arena *arena,
		   struct library_value *found);

bool
library_take_variant(const struct typed_value *value, struct arena *arena,
		     struct library_value *found);

/** The types of Rust: String, &str, Vec, &[T]. */
bool
library_take_rust_string(const struct typed_value *value, struct arena *arena,
			 struct library_value *found);

bool
library_take_rust_text(const struct typed_value *value, struct arena *arena,
		       struct library_value *found);

bool
library_take_rust_vector(const struct typed_value *value, struct arena *arena,
			 struct library_value *found);

bool
library_take_rust_slice(const struct typed_value *value, struct arena *arena,
			struct library_value *found);

bool
library_take_wrapper(const struct typed_value *value, struct arena *arena,
		     struct library_value *found);

#endif
