/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_LIBRARY_VALUE_H
#define INSPECT_LIBRARY_VALUE_H

#include "inspect/variable/frame_variables.h"

/**
 * Values of the C++ libraries (libstdc++, libc++, Microsoft's) and of Rust's, shown by their
 * contents.
 *
 * Members are found by their names, and their values must agree: lengths with capacities, addresses
 * with each other. A value that fails a check is shown with its members, like any other structure.
 */
enum library_kind {
	LIBRARY_STRING,
	LIBRARY_VECTOR,
	LIBRARY_UNIQUE,			/* std::unique_ptr */
	LIBRARY_SHARED,			/* std::shared_ptr, std::weak_ptr */
	LIBRARY_OPTIONAL,
	LIBRARY_ITERATOR,		/* `inner` is its element or object */
	LIBRARY_CONTAINER,		/* `items` */
};

/** Maximum number of elements read from a container. */
enum { LIBRARY_ITEMS = 200 };

/** The label of an element. */
enum library_index {
	LIBRARY_INDEX_NONE,
	LIBRARY_INDEX_FROM_0,
	LIBRARY_INDEX_FROM_1,
	LIBRARY_INDEX_KEY,		/* the key; the element is a pair of key and value */
};

struct library_value {
	enum library_kind kind;
	const char *name;		/* "std::vector", "std::unique_ptr<int>" */
	uint64_t address, count, capacity;	/* string: characters; vector: elements */
	const struct debug_type *element;
	/* object of a pointer, value of an optional, element of an iterator */
	struct typed_value inner;
	/* The optional has a value, or the shared pointer has an owner */
	bool engaged;
	uint64_t uses, weak;
	/* title of a vector, container or Rust type: "std::map with 2 elements"; else NULL */
	const char *title;
	enum library_index index;
	struct typed_value *items;	/* the first `item_count` of `count` elements */
	struct typed_value *keys;	/* keys of these elements; NULL: the elements are pairs */
	size_t item_count, item_capacity, most;
	/* why further elements are missing; NULL: only these were requested */
	const char *cut;
};

/** The contents of a value; false if its type is not a library type, or if it fails a check. */
bool
library_value_of(const struct typed_value *value, struct arena *arena,
		 struct library_value *found);

/** library_value_of(), with up to `most` elements of a container. */
bool
library_value_up_to(const struct typed_value *value, size_t most, struct arena *arena,
		    struct library_value *found);

/** The key and the value of element `index` of a map; false if the value is not a map. */
bool
library_value_pair(const struct library_value *library, size_t index, struct arena *arena,
		   struct typed_value *key, struct typed_value *mapped);

/** Element `index` of a vector. */
struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index);

#endif
