/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_LIBRARY_INTERNAL_H
#define INSPECT_LIBRARY_INTERNAL_H

#include "inspect/variable/library_value.h"

/**
 * Members of the libraries' types by their names, and elements of containers.
 *
 * A path joins the names of nested members: "a.b". It may list alternatives for several versions
 * and libraries: "a.b|c". The first existing alternative is used. A name is also found in bases and
 * in unnamed members.
 */

/** Upper limit of plausible bytes or elements. */
#define LIBRARY_PLAUSIBLE (UINT64_C(1) << 40)

bool
library_follow(const struct typed_value *value, const char *path, struct arena *arena,
	       struct typed_value *found);

/** Bytes of a word. */
unsigned
library_word(const struct typed_value *value);

/** Read the number in a member. */
bool
library_number(const struct typed_value *value, const char *path, struct arena *arena,
	       uint64_t *number);

/** Read the address in a pointer; false if the pointer has no value. */
bool
library_address(const struct typed_value *value, uint64_t *address);

/**
 * Read the address in a member. The result is the pointer's type; NULL: the member is no pointer,
 * or has no value.
 */
const struct debug_type *
library_pointer(const struct typed_value *value, const char *path, struct arena *arena,
		uint64_t *address);

/** Find the object of the pointer in a member; false also for the null pointer. */
bool
library_object(const struct typed_value *value, const char *path, struct arena *arena,
	       struct typed_value *object);

/** Add an element at an address; NULL when out of memory. */
struct typed_value *
library_add(const struct typed_value *value, const struct debug_type *type, uint64_t address,
	    struct arena *arena, struct library_value *found);

/** Read the pointer at an address; false, with the reason in `cut`, if the dump lacks it. */
bool
library_read_pointer(const struct typed_value *value, uint64_t address, struct arena *arena,
		     struct library_value *found, uint64_t *pointer);

/** Set element, capacity and title of a vector of `count` elements: "Vec(size=3)". */
bool
library_entitle_vector(const struct debug_type *element, const char *what, struct arena *arena,
		       struct library_value *found);

/* Readers of containers, for the table of types. */
#define LIBRARY_TAKE(name) \
	bool library_take_##name(const struct typed_value *value, struct arena *arena, \
				 struct library_value *found);
LIBRARY_TAKE(list)
LIBRARY_TAKE(forward_list)
LIBRARY_TAKE(tree)
LIBRARY_TAKE(hash)
LIBRARY_TAKE(tree_iterator)
LIBRARY_TAKE(hash_iterator)
LIBRARY_TAKE(deque)
LIBRARY_TAKE(rust_string)
LIBRARY_TAKE(rust_text)
LIBRARY_TAKE(rust_vector)
LIBRARY_TAKE(rust_slice)
LIBRARY_TAKE(rust_hash)
LIBRARY_TAKE(rust_tree)
LIBRARY_TAKE(rust_deque)
LIBRARY_TAKE(rust_shared)
LIBRARY_TAKE(rust_object)
LIBRARY_TAKE(go_string)
LIBRARY_TAKE(go_slice)
LIBRARY_TAKE(go_map)
#undef LIBRARY_TAKE

#endif
