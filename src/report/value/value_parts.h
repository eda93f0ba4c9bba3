/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_PARTS_H
#define REPORT_VALUE_PARTS_H

#include "inspect/variable/frame_variables.h"

/** Maximum number of listed elements of an array or container. */
#define VALUE_PARTS_ELEMENTS 64u

/** A part of a value: a member "x", a base "<base>", an element "[3]", a pointer's target "*". */
struct value_part {
	const char *name;		/* "" when out of memory */
	struct typed_value value;
};

struct value_parts {
	struct value_part *items;
	size_t count, capacity;
	uint64_t more;			/* number of elements left out */
};

/** Whether a value has parts that can be shown. */
bool
value_has_parts(const struct typed_value *value, struct arena *arena);

/**
 * The parts of a value, in `arena`: the contents of a C++ or Rust library type, the elements of an
 * array, or the non-static members. A pointer has the parts of its object, by the object's dynamic
 * class.
 */
struct value_parts
value_parts_of(const struct typed_value *value, struct arena *arena);

#endif
