/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VALUE_FRAME_H
#define INSPECT_VALUE_FRAME_H

#include "inspect/variable/frame_variables.h"

/**
 * What expressions of locations ask of a frame: its registers, its CFA, what its callers passed.
 * Only for the files of frame_variables.h.
 */

/** Bytes of the largest register, and of one of the x87. */
enum { VALUE_REGISTER = 16, VALUE_X87 = 10 };

/** Bytes that a usual value takes on the way to its text, at most. */
#define VALUE_WORK_FREE 32768u

struct value_frame {
	struct walk *walk;
	const struct memory_view *memory;
	size_t number;
	struct arena *arena;
	uint64_t relative;		/* of its code to its module: the address of look-ups */
	struct debug_scopes scopes;	/* without debug information: only the code, by a symbol */
	bool by_symbol;			/* so it is; parts elsewhere may belong to the function */
	unsigned depth;			/* callers that were asked on the way here */
	bool has_cfa, asked_cfa;
	uint64_t cfa;
	const char *cfa_rule;		/* that computed it, as postfix */
	struct place cfa_place;		/* of the rule */
	/* A bound of an array is computed, which no other array has */
	bool resolving;
	uint64_t work;			/* bytes that its values took beyond VALUE_WORK_FREE */
	/* Operations run for it and for the callers that were asked, which have the same counter */
	uint64_t own_operations, *operations;
	/* A frame base is computed, which may not need another one */
	bool basing;
	/* Expressions are to be run again step by step: keep them */
	bool records;
	const struct location_answer *answer;	/* to the last question */
};

/**
 * An expression that was run to answer another one: of a frame base, or of a caller's call site.
 */
struct location_answer {
	struct value_frame *frame;	/* for which it was run */
	struct debug_expression expression;
	const struct location_result *result;
};

/** The result of an expression for a frame; NULL when out of memory. */
const struct location_result *
value_frame_run(struct value_frame *frame, const struct debug_expression *expression,
		const struct location_start *start, struct arena *arena);

/** The bytes of a register by its number in DWARF, in the dump's order; why not, or NULL. */
const char *
value_frame_register(struct value_frame *frame, uint64_t number, uint8_t bytes[VALUE_REGISTER],
		     unsigned *size);

/** A floating-point or vector register of a frame. */
struct wide_value {
	struct arch_wide wide;
	const char *why;		/* it has no value; or NULL */
	/* Bytes that are known: of some registers calls keep a part */
	unsigned size;
	uint8_t bytes[VALUE_REGISTER];	/* in the dump's order */
	bool in_memory;			/* a younger frame saved it, or the kernel */
	uint64_t address;		/* there */
	size_t by;			/* that frame */
};

/**
 * The register of the frame: of the context, of what the kernel saved where a signal interrupted
 * it, of what rows of frame tables say that calls saved. Never NULL.
 */
const struct wide_value *
value_frame_wide(struct value_frame *frame, struct arch_wide wide);

/**
 * The bytes of a field of the context that the walk starts from: number `index` of those of a
 * name.
 */
bool
value_context_field(const struct walk *walk, const char *name, uint64_t index, uint64_t size,
		    struct reader *bytes);

/** What asks for the variables of a frame; NULL when out of memory. */
struct value_frame *
value_frame_make(struct walk *walk, const struct memory_view *memory, size_t number,
		 struct arena *arena);

/**
 * Find a register that calls need not keep in a younger frame: if no code that ran since the call
 * has changed it, it still has its value. Compilers rely on that where they see what they call.
 */
bool
value_frame_unchanged(struct value_frame *frame, int reg, uint64_t *value);

/**
 * Registers that the frame's function may have written between its entry and where the frame
 * stands: bit n for register n. All bits if that cannot be told.
 */
uint64_t
value_frame_written(struct value_frame *frame);

/** A register's name by its number in DWARF. */
const char *
value_register_label(const struct arch *arch, uint64_t number, struct arena *arena);

/**
 * Evaluate what the type of an array leaves open: where its elements are (`value` is of them
 * then, not of the descriptor that a compiler keeps), how many, how far from each other. Why that
 * failed, or NULL.
 */
const char *
value_resolve(struct typed_value *value, struct arena *arena);

/** Whether a member of a structure, and not only the bytes between them, lacks a value. */
bool
value_lacks_member(const struct typed_value *value, struct arena *arena);

#endif
