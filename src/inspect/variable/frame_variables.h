/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_FRAME_VARIABLES_H
#define INSPECT_FRAME_VARIABLES_H

#include "crash/memory.h"
#include "debug_info/location_machine.h"
#include "walk/walk.h"

/**
 * Arguments and local variables of a frame, with their values.
 *
 * Variables, types and locations come from the debug information of the module's own files. The
 * registers are those that the walk recovered. Memory comes from the dump, or else from the files.
 * An uncertain value is left out, with the reason. Everything lives in the caller's arena.
 */

/** Bytes of the largest register, and of an x87 register. */
enum { VALUE_REGISTER = 16, VALUE_X87 = 10 };

/** Free bytes of work for the text of a value; `work` counts only further bytes. */
#define VALUE_WORK_FREE 32768u
/** The reason for a missing number; other values have the address in theirs. */
#define VALUE_UNREAD "its memory is not in the dump"

/**
 * The variables of a physical frame and of the calls inlined into it, and the frame as seen by
 * expressions of locations: its registers, its CFA, the arguments of its callers.
 */
struct value_frame {
	struct walk *walk;
	const struct memory_view *memory;
	size_t number;
	struct arena *arena;
	uint64_t relative;		/* look-up address of its code, in its module */
	/* Innermost first. Without debug information: one symbol's range, and `why` is set */
	struct debug_scopes scopes;
	const char *why;		/* why there are no variables; NULL: there may be some */
	/* The range is that of a symbol; the function may have parts elsewhere */
	bool by_symbol;
	unsigned depth;			/* distance in frames from the frame first queried */
	bool has_cfa, asked_cfa;
	uint64_t cfa;
	const char *cfa_rule;		/* postfix of the CFA's rule */
	struct place cfa_place;
	/* The bound of an array is being computed; a nested array is not resolved */
	bool resolving;
	/* `operations` and `work` point to the counters of the frame first queried */
	uint64_t own_operations, *operations;
	uint64_t own_work, *work;	/* bytes of work over VALUE_WORK_FREE, and for reads */
	/* A tail call replaced the frame by `number`, so its registers and CFA are gone */
	bool jumped;
	/* A frame base is being computed; a nested frame base is an error */
	bool basing;
	/* Keep expressions to repeat them step by step */
	bool records;
	const struct location_answer *answer;	/* answer to the last query */
};

/** The variables of frame `frame`. May extend the walk by the frame's callers. */
struct value_frame *
frame_variables_of(struct walk *walk, const struct memory_view *memory, size_t frame,
		   struct arena *arena);

/**
 * The address for look-ups of a frame's scopes and locations: its pc, or the last byte of its call,
 * because scopes and locations may end with the call.
 */
uint64_t
value_frame_lookup(const struct walk *walk, size_t number);

/** The contents of a place in the process or in registers. */
struct typed_value {
	const struct debug_type *type;
	struct value_frame *frame;
	bool in_memory;
	uint64_t address;		/* address of the first byte, if in memory */
	const uint8_t *bytes;		/* if not in memory: `size` bytes in memory's order */
	const uint8_t *known;		/* for each byte in `bytes`: not 0 if known */
	uint64_t size;
	bool is_bits;			/* the value is `bits` bits, from `bit_offset` on */
	uint64_t bit_offset, bits;
	struct debug_entry target;	/* target of a pointer without an address */
	int64_t target_offset;		/* offset in that target, in bytes */
	const char *why;		/* why there is no value; NULL: there may be one */
};

/** The static variables of the unit of a frame's code. */
size_t
frame_variables_globals(const struct value_frame *frame, struct arena *arena,
			struct debug_variable **globals);

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

struct variable_value {
	enum variable_location location;
	struct typed_value value;
	const struct location_result *result;	/* result of its expression; NULL: it has none */
	const char *how;		/* "register rbp"; NULL: no words */
};

/** The value of a variable. False when out of memory. */
bool
variable_value_of(struct value_frame *frame, const struct debug_variable *variable,
		  struct arena *arena, struct variable_value *value);

/* Values --------------------------------------------------------------------------------------- */

/** Why a value whose type has no size is not shown. */
const char *
value_size_unknown(const struct debug_type *type);

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

/** The members of a value; if it has variants, only those of the active variant. */
size_t
value_members(const struct typed_value *value, struct arena *arena, struct debug_member **members);

struct typed_value
value_member(const struct typed_value *value, const struct debug_member *member,
	     struct arena *arena);

/** The number of elements of an array; 0, with `*why`, if it is unknown. */
uint64_t
value_count(const struct typed_value *value, struct arena *arena, const char **why);

struct typed_value
value_element(const struct typed_value *value, const struct debug_type *element, uint64_t index);

/** The target of a pointer or reference. */
struct typed_value
value_pointed(const struct typed_value *value, const struct debug_type *target,
	      struct arena *arena);

/** Copy up to `size` bytes of the process at an address. Returns the number of bytes copied. */
size_t
value_read(const struct value_frame *frame, uint64_t address, uint8_t *bytes, size_t size);

/** Why memory at an address cannot be read; NULL: out of memory. */
const char *
value_unread(uint64_t address, struct arena *arena);

/** The number in up to eight bytes at an address. */
bool
value_read_number(const struct value_frame *frame, uint64_t address, unsigned size,
		  uint64_t *number);

/** Whether the most significant byte of a value comes first. */
bool
value_is_big(const struct typed_value *value);

/* Frames --------------------------------------------------------------------------------------- */

/** An expression that was run for another expression: a frame base, or a caller's call site. */
struct location_answer {
	struct value_frame *frame;	/* frame in which it ran */
	struct debug_expression expression;
	const struct location_result *result;
};

/**
 * The name of the function that the caller called and that then jumped to this frame's function (a
 * tail call): it has no frame. NULL: none, or call sites do not show it.
 */
const char *
value_frame_through(struct value_frame *frame);

/** The result of an expression for a frame; NULL when out of memory. */
const struct location_result *
value_frame_run(struct value_frame *frame, const struct debug_expression *expression,
		const struct location_start *start, struct arena *arena);

/** The bytes of a register with a DWARF number, in the dump's order; returns an error, or NULL. */
const char *
value_frame_register(struct value_frame *frame, uint64_t number, uint8_t bytes[VALUE_REGISTER],
		     unsigned *size);

struct wide_value {
	struct arch_wide wide;
	const char *why;		/* why it has no value; or NULL */
	/* number of known bytes: calls preserve only a part of some registers */
	unsigned size;
	uint8_t bytes[VALUE_REGISTER];	/* in the dump's order */
	bool in_memory;			/* saved by a callee, or by the kernel */
	uint64_t address;
	size_t by;			/* frame that saved it */
};

/**
 * A floating-point or vector register of a frame. Its value comes from the context, from a signal
 * frame, or from a save that frame tables describe. The result is never NULL.
 */
const struct wide_value *
value_frame_wide(struct value_frame *frame, struct arch_wide wide);

/**
 * The bytes of a field of the context where the walk starts. `index` counts fields named `name`.
 */
bool
value_context_field(const struct walk *walk, const char *name, uint64_t index, uint64_t size,
		    struct reader *bytes);

/** Begin look-ups for the variables of a frame; NULL when out of memory. */
struct value_frame *
value_frame_make(struct walk *walk, const struct memory_view *memory, size_t number,
		 struct arena *arena);

/**
 * Find the value of a caller-saved register in a callee. The value is valid if no code that ran
 * since the call has changed the register. Compilers rely on this if they know the callee.
 */
bool
value_frame_unchanged(struct value_frame *frame, int reg, uint64_t *value);

/** The name of a register with a DWARF number. */
const char *
value_register_label(const struct arch *arch, uint64_t number, struct arena *arena);

/**
 * Compute the variable parts of an array's type: number, distance and address of the elements. Then
 * `value` is the array, not the compiler's descriptor. Returns an error, or NULL.
 */
const char *
value_resolve(struct typed_value *value, struct arena *arena);

/** Whether a member of a structure, not only its padding, lacks a value. */
bool
value_lacks_member(const struct typed_value *value, struct arena *arena);

/**
 * A frame's arguments without debug information.
 *
 * The calling convention gives the registers of the first arguments. Such a register still has its
 * value from the function's entry if no code that may have run since then has written it. On x86, a
 * function's symbol record has the size of its stack arguments, but the function may have changed
 * their values. The number of arguments in registers is unknown.
 */
struct entry_argument {
	int reg;			/* ARCH_NO_REGISTER: a word of the stack, at `address` */
	uint64_t address;
	bool known;
	uint64_t value;
	/* reason for a missing value, or for trusting an existing one; or NULL */
	const char *why;
};

struct entry_arguments {
	struct entry_argument *items;
	size_t count, known;		/* `known`: the number with a value */
	/* Argument words on the stack according to the record; may be more than `items` */
	uint64_t words;
};

/** The arguments of a frame, in its arena; count 0: nothing is known. */
void
entry_arguments_of(struct value_frame *frame, struct entry_arguments *arguments);

#endif
