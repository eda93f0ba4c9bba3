/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_DYNAMIC_TYPE_H
#define INSPECT_DYNAMIC_TYPE_H

#include "inspect/variable/frame_variables.h"

/** The class of a complete object, from its virtual table (Itanium C++ ABI, 2.5; Visual C++). */
struct dynamic_type {
	const char *name;
	uint64_t address;		/* address of the complete object */
	/* the class in the debug information of the frame's module; NULL: none */
	const struct debug_type *type;
};

/** The name of the data or function at an address, and the distance: "vtable for Backend", 16. */
struct text
value_symbol(const struct value_frame *frame, uint64_t address, uint64_t *distance);

/**
 * The class of the object that a pointer or reference leads to, if it has a virtual table. False:
 * the type has none, the dump lacks the object, or its first word does not lead to a named table.
 */
bool
dynamic_type_of(const struct typed_value *pointer, struct arena *arena,
		struct dynamic_type *found);

#endif
