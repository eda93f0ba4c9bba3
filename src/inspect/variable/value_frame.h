/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VALUE_FRAME_H
#define INSPECT_VALUE_FRAME_H

#include "inspect/variable/frame_variables.h"

/**
 * A frame as seen by expressions of locations: its registers, its CFA, the arguments of its
 * callers. Only for the files of frame_variables.h.
 */

/** Bytes of the largest register, and of an x87 register. */
enum { VALUE_REGISTER = 16, VALUE_X87 = 10 };

/** Most bytes of work for the text of a usual value. */
#define VALUE_WORK_FREE 32768u

struct value_frame {
	struct walk *walk;
	const struct memory_view *memory;
	size_t number;
	struct arena *arena;
	uint64_t relative;		/* look-up address of its code, in its module */
	struct debug_scopes scopes;	/* without debug information only a symbol's range */
	bool by_symbol;			/* by a symbol; the function may have parts elsewhere */
	unsigned depth;			/* number of callers asked on the way here */
	bool has_cfa, asked_cfa;
	uint64_t cfa;
	const char *cfa_rule;		/* postfix of the CFA's rule */
	struct place cfa_place;		/* place of that rule */
	/* The bound of an array is being computed; others are not nested */
	bool resolving;
	uint64_t work;			/* bytes of work over VALUE_WORK_FREE */
	/* Operations run for it; shared with the callers that were asked */
	uint64_t own_operations, *operations;
	/* A frame base is being computed; others are not nested */
	bool basing;
	/* Keep expressions to repeat them step by step */
	bool records;
	const struct location_answer *answer;	/* for the last question */
};

/** An expression that was run to answer another one: a frame base, or a caller's call site. */
struct location_answer {
	struct value_frame *frame;	/* frame in which it ran */
	struct debug_expression expression;
	const struct location_result *result;
};

/** The result of an expression for a frame; NULL when out of memory. */
const struct location_result *
value_frame_run(struct value_frame *frame, const struct debug_expression *expression,
		const struct location_start *start, struct arena *arena);

/** The bytes of a register with a DWARF number, in the dump's order; returns an error, or NULL. */
const char *
value_frame_register(struct value_frame *frame, uint64_t number, uint8_t bytes[VALUE_REGISTER],
		     unsigned *size);

/** A floating-point or vector register of a frame. */
struct wide_value {
	struct arch_wide wide;
	const char *why;		/* why it has no value; or NULL */
	/* Known bytes: calls keep only part of some registers */
	unsigned size;
	uint8_t bytes[VALUE_REGISTER];	/* in the dump's order */
	bool in_memory;			/* saved by a callee, or by the kernel */
	uint64_t address;		/* address of the save */
	size_t by;			/* frame that saved it */
};

/**
 * The frame's register: from the context, from the kernel's save at a signal, or from saves by rows
 * of frame tables. Never NULL.
 */
const struct wide_value *
value_frame_wide(struct value_frame *frame, struct arch_wide wide);

/**
 * The bytes of a field of the context where the walk starts: number `index` of those with a name.
 */
bool
value_context_field(const struct walk *walk, const char *name, uint64_t index, uint64_t size,
		    struct reader *bytes);

/** Begin look-ups for the variables of a frame; NULL when out of memory. */
struct value_frame *
value_frame_make(struct walk *walk, const struct memory_view *memory, size_t number,
		 struct arena *arena);

/**
 * Find a register that is not callee-saved in a callee: if no code that ran since the call has
 * changed it, it still has its value. Compilers rely on that if they know the callee.
 */
bool
value_frame_unchanged(struct value_frame *frame, int reg, uint64_t *value);

/** The name of a register with a DWARF number. */
const char *
value_register_label(const struct arch *arch, uint64_t number, struct arena *arena);

/**
 * Compute the variable parts of an array's type: the address of its elements (then `value` is the
 * array, not the compiler's descriptor), their number and distance. Returns an error, or NULL.
 */
const char *
value_resolve(struct typed_value *value, struct arena *arena);

/** Whether a member of a structure, not only its padding, lacks a value. */
bool
value_lacks_member(const struct typed_value *value, struct arena *arena);

#endif
