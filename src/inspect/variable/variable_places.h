/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VARIABLE_PLACES_H
#define INSPECT_VARIABLE_PLACES_H

#include "inspect/variable/frame_variables.h"

/** The variables of a walk's frames, by address. The first look-up finds a frame's variables. */
struct variable_places;

/** NULL when out of memory. Everything lives in `arena`. */
struct variable_places *
variable_places_make(struct walk *walk, const struct memory_view *memory, struct arena *arena);

/**
 * The variable whose memory contains an address of a stack, with its member or element: "cart",
 * "cart.items[2].price", "name + 0x8". `*frame` is set to its frame. NULL: none is known, or the
 * variables of the examined frames take too much memory.
 */
const char *
variable_places_name(struct variable_places *places, uint64_t address, struct arena *arena,
		     size_t *frame);

/**
 * A variable of a frame, else of its unit, that contains the object of `size` bytes at an address.
 * The variable may also lead to the object by one or two pointers. NULL: none. Examples:
 * "table.lock", "pool->lock", "*mutex", "store->shards->lock". `*type` is the type of the structure
 * with the object, or NULL.
 */
const char *
variable_leading_to(struct walk *walk, const struct memory_view *memory, size_t frame,
		    uint64_t address, uint64_t size, struct arena *arena, const char **type);

/** The same for a value of a variable: its name with the member that has the object's bytes. */
const char *
variable_member_at(const char *name, const struct typed_value *value, uint64_t address,
		   uint64_t size, struct arena *arena, const char **type);

#endif
