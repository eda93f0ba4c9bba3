/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_LIBRARY_VALUE_H
#define INSPECT_LIBRARY_VALUE_H

#include "inspect/variable/frame_variables.h"

/**
 * Values of the C++ library (libstdc++) as what they hold.
 *
 * Members are found by their names, and what they say must agree: lengths with capacities, addresses
 * with each other. What fails a check is shown with its members, as any other structure.
 */
enum library_kind {
	LIBRARY_STRING,
	LIBRARY_VECTOR,
	LIBRARY_UNIQUE,			/* std::unique_ptr */
	LIBRARY_SHARED,			/* std::shared_ptr, std::weak_ptr */
	LIBRARY_OPTIONAL,
	LIBRARY_ITERATOR,		/* of a vector or a string */
};

struct library_value {
	enum library_kind kind;
	const char *name;		/* "std::vector", "std::unique_ptr<int>" */
	uint64_t address, count, capacity;	/* of the characters of a string, of elements */
	const struct debug_type *element;
	struct typed_value inner;	/* a pointer, what an optional has, what an iterator is at */
	bool engaged;			/* an optional has a value; a shared pointer counts uses: */
	uint64_t uses, weak;
};

/** What a value holds; false if it is none of those, or does not pass the checks. */
bool
library_value_of(const struct typed_value *value, struct arena *arena,
		 struct library_value *found);

/** Element `index` of a vector. */
struct typed_value
library_value_element(const struct typed_value *value, const struct library_value *library,
		      uint64_t index);

#endif
