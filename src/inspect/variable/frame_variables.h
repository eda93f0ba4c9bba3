/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_VARIABLES_H
#define INSPECT_FRAME_VARIABLES_H

#include "crash/memory.h"
#include "debug_info/location_machine.h"
#include "walk/walk.h"

/**
 * Arguments and local variables of a frame, with their values.
 *
 * Variables, types and locations come from the debug information of the module's own files;
 * registers are those that the walk recovered, memory is the dump's, then the files'. An uncertain
 * value is left out, with the reason. Everything lives in the caller's arena.
 */
struct value_frame;

/** The variables of a physical frame and of the calls inlined into it. */
struct frame_variables {
	struct debug_scopes scopes;	/* innermost first; empty: `why` is set */
	const char *why;
	struct value_frame *frame;
};

/** The variables of frame `frame`. May extend the walk by the frame's callers. */
const struct frame_variables *
frame_variables_of(struct walk *walk, const struct memory_view *memory, size_t frame,
		   struct arena *arena);

/**
 * The address for look-ups of a frame's scopes and locations: its pc, or the last byte of its call,
 * which may be the last one of a location.
 */
uint64_t
value_frame_lookup(const struct walk *walk, size_t number);

/** The contents of a place in the process or in registers. */
struct typed_value {
	const struct debug_type *type;
	struct value_frame *frame;
	bool in_memory;
	uint64_t address;		/* address of the first byte, if in memory */
	const uint8_t *bytes;		/* else the bytes in memory's order, `size` of them, */
	const uint8_t *known;		/* and for each whether it is known: not 0 */
	uint64_t size;
	bool is_bits;			/* `bits` bits, from `bit_offset` of its first byte on */
	uint64_t bit_offset, bits;
	struct debug_entry target;	/* target of a pointer without an address... */
	int64_t target_offset;		/* ...at this offset */
	const char *why;		/* why there is no value; NULL: there may be one */
};

/** The static variables of the unit of a frame's code. */
size_t
frame_variables_globals(const struct frame_variables *variables, struct arena *arena,
			struct debug_variable **globals);

/** The kinds of locations of a variable. */
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

/** A variable with its value and the value's origin. */
struct variable_value {
	enum variable_location location;
	struct typed_value value;
	const struct location_result *result;	/* result of its expression; NULL: it has none */
	const char *how;		/* "register rbp"; NULL: no words */
};

/** The value of a variable. False when out of memory. */
bool
variable_value_of(const struct frame_variables *variables, const struct debug_variable *variable,
		  struct arena *arena, struct variable_value *value);

/* Values --------------------------------------------------------------------------------------- */

/** Copy a value's bytes in memory's order; NULL: missing, with the reason in `*why`. */
const uint8_t *
value_bytes(const struct typed_value *value, uint64_t size, struct arena *arena, const char **why);

/** The value as a number of its type, sign-extended. Returns why it has none, or NULL. */
const char *
value_number(const struct typed_value *value, uint64_t *number);

/**
 * Whether a type is a structure, union, array or function, whose value is an address, not a number.
 */
bool
value_is_composite(const struct debug_type *type);

/** The members of a value; of variants, only the active one. */
size_t
value_members(const struct typed_value *value, struct arena *arena, struct debug_member **members);

/** A member of a structure. */
struct typed_value
value_member(const struct typed_value *value, const struct debug_member *member,
	     struct arena *arena);

/** The number of elements of an array; 0, with `*why`, if it is unknown. */
uint64_t
value_count(const struct typed_value *value, struct arena *arena, const char **why);

/** An element of an array. */
struct typed_value
value_element(const struct typed_value *value, const struct debug_type *element, uint64_t index);

/** The target of a pointer or reference. */
struct typed_value
value_pointed(const struct typed_value *value, const struct debug_type *target,
	      struct arena *arena);

/** The bytes of the process that are available from an address on, up to `size`. */
size_t
value_read(const struct value_frame *frame, uint64_t address, uint8_t *bytes, size_t size);

/** The number in up to eight bytes at an address. */
bool
value_read_number(const struct value_frame *frame, uint64_t address, unsigned size,
		  uint64_t *number);

/** Whether its most significant byte comes first. */
bool
value_is_big(const struct typed_value *value);

/** Whether a long double of the process has the 80 bits of x87. */
bool
value_has_x87(const struct typed_value *value);

/** The walk and the frame number of a value. */
struct walk *
value_walk(const struct value_frame *frame, size_t *number);

#endif
