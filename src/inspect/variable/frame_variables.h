/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_VARIABLES_H
#define INSPECT_FRAME_VARIABLES_H

#include "crash/memory.h"
#include "debug_info/location_machine.h"
#include "walk/walk.h"

/**
 * Arguments and local variables of a frame, and what they hold.
 *
 * Variables, types and locations come from the debug information of the module's own files;
 * registers are those that the walk recovered, memory is that of the dump, then of the files. What
 * is not certain has no value, and says why. Everything lives in the asker's arena.
 */
struct value_frame;

/** The variables of a physical frame and of the calls that were inlined into it. */
struct frame_variables {
	struct debug_scopes scopes;	/* innermost first; none: `why` */
	const char *why;
	struct value_frame *frame;
};

/** The variables of frame `frame`. Needs no more of the walk than its callers, which it extends. */
const struct frame_variables *
frame_variables_of(struct walk *walk, const struct memory_view *memory, size_t frame,
		   struct arena *arena);

/**
 * The address that scopes and locations of a frame are looked up with: where it stands, or the last
 * byte of its call, which may be the last one that a location is for.
 */
uint64_t
value_frame_lookup(const struct walk *walk, size_t number);

/** What a place in the process, or in registers, holds. */
struct typed_value {
	const struct debug_type *type;
	struct value_frame *frame;
	bool in_memory;
	uint64_t address;		/* of the first byte, in memory */
	const uint8_t *bytes;		/* else: as they would be in memory, `size` of them, */
	const uint8_t *known;		/* and which of them have a value: not 0 */
	uint64_t size;
	bool is_bits;			/* it has `bits` from `bit_offset` on of its first byte */
	uint64_t bit_offset, bits;
	struct debug_entry target;	/* what a pointer without an address points at... */
	int64_t target_offset;		/* ...with so many bytes before it */
	const char *why;		/* there is no value, because of this; NULL: there may be */
};

/** The static variables of the unit that a frame's code is from. */
size_t
frame_variables_globals(const struct frame_variables *variables, struct arena *arena,
			struct debug_variable **globals);

/** How a variable is located. */
enum variable_location {
	VARIABLE_MEMORY,
	VARIABLE_REGISTER,
	VARIABLE_CONSTANT,
	VARIABLE_COMPUTED,
	VARIABLE_FROM_ENTRY,		/* computed from a value at the function's entry */
	VARIABLE_PIECES,
	VARIABLE_POINTER,		/* an implicit pointer */
	VARIABLE_PARTLY,		/* a part is optimised out */
	VARIABLE_ABSENT,
	VARIABLE_LOCATIONS
};

extern const char *const variable_locations[VARIABLE_LOCATIONS];

/** A variable with its value and where that comes from. */
struct variable_value {
	enum variable_location location;
	struct typed_value value;
	const struct location_result *result;	/* of its expression; NULL: it has none */
	const char *how;		/* "register rbp"; NULL: nothing is to be said */
};

/** The value of a variable. False when out of memory. */
bool
variable_value_of(const struct frame_variables *variables, const struct debug_variable *variable,
		  struct arena *arena, struct variable_value *value);

/* Values --------------------------------------------------------------------------------------- */

/** Copy a value's bytes in memory's order; NULL: `*why` says why they are not there. */
const uint8_t *
value_bytes(const struct typed_value *value, uint64_t size, struct arena *arena, const char **why);

/** The value as a number, as its type has it, sign and all; else why it has none, or NULL. */
const char *
value_number(const struct typed_value *value, uint64_t *number);

/**
 * Whether a type is of structures, unions, arrays or functions, which have an address, not a
 * number.
 */
bool
value_is_composite(const struct debug_type *type);

/** The members that a value has: of variants the one that it is. */
size_t
value_members(const struct typed_value *value, struct arena *arena, struct debug_member **members);

/** A member of a structure. */
struct typed_value
value_member(const struct typed_value *value, const struct debug_member *member,
	     struct arena *arena);

/** How many elements an array has; 0, with `*why`, where that is not known. */
uint64_t
value_count(const struct typed_value *value, struct arena *arena, const char **why);

/** An element of an array. */
struct typed_value
value_element(const struct typed_value *value, const struct debug_type *element, uint64_t index);

/** What a pointer or reference points at. */
struct typed_value
value_pointed(const struct typed_value *value, const struct debug_type *target,
	      struct arena *arena);

/** The bytes of the process from an address on that are there, up to `size`. */
size_t
value_read(const struct value_frame *frame, uint64_t address, uint8_t *bytes, size_t size);

/** Whether its most significant byte comes first. */
bool
value_is_big(const struct typed_value *value);

/** Whether a long double of the process has the 80 bits of x87. */
bool
value_has_x87(const struct typed_value *value);

/** The walk and the number of the frame that a value is of. */
struct walk *
value_walk(const struct value_frame *frame, size_t *number);

#endif
