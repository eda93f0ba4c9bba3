/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_LIBRARY_VALUE_H
#define INSPECT_LIBRARY_VALUE_H

#include "inspect/variable/frame_variables.h"

/**
 * Values of the C++ library (libstdc++) and of Rust's as what they hold.
 *
 * Members are found by their names, and what they say must agree: lengths with capacities,
 * addresses with each other. What fails a check is shown with its members, as any other
 * structure.
 */
enum library_kind {
	LIBRARY_STRING,
	LIBRARY_VECTOR,
	LIBRARY_UNIQUE,			/* std::unique_ptr */
	LIBRARY_SHARED,			/* std::shared_ptr, std::weak_ptr */
	LIBRARY_OPTIONAL,
	LIBRARY_ITERATOR,		/* of a vector or a string */
	LIBRARY_CONTAINER,		/* `items` */
};

/** Elements of a container that are looked for. */
enum { LIBRARY_ITEMS = 200 };

/** What stands before an element. */
enum library_index {
	LIBRARY_INDEX_NONE,
	LIBRARY_INDEX_FROM_0,
	LIBRARY_INDEX_FROM_1,
	LIBRARY_INDEX_KEY,		/* it is a pair: the key, and its value */
};

struct library_value {
	enum library_kind kind;
	const char *name;		/* "std::vector", "std::unique_ptr<int>" */
	uint64_t address, count, capacity;	/* of the characters of a string, of elements */
	const struct debug_type *element;
	/* A pointer, what an optional has, what an iterator is at */
	struct typed_value inner;
	bool engaged;			/* an optional has a value; a shared pointer counts uses: */
	uint64_t uses, weak;
	/* Of a container, or of Rust's vector: "std::map with 2 elements" */
	const char *title;
	enum library_index index;
	struct typed_value *items;	/* the first of its `count` elements */
	size_t item_count, item_capacity;
	/* Why the others are not there; NULL: no more than these were asked for */
	const char *cut;
};

/** What a value holds; false if it is none of those, or does not pass the checks. */
bool
library_value_of(const struct typed_value *value, struct arena *arena,
		 struct library_value *found);

/** The key and the value of an element of a map; false where it is no pair. */
bool
library_value_pair(const struct typed_value *element, struct arena *arena, struct typed_value *key,
		   struct typed_value *mapped);

/** Element `index` of a vector. */
struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index);

#endif
