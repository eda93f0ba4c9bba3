/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_FUNCTION_H
#define CODE_FLOW_FLOW_FUNCTION_H

#include "code_flow/flow_lift.h"

/**
 * Abstract execution of a function's instructions, from its start along every path.
 *
 * Jumps are followed to any address, also into a cold part elsewhere. A tail call (a jump to the
 * start of another function with the stack as at the entry) ends the path. Code that no known jump
 * reaches, such as the targets of a table of unknown size, is marked as inferred. Inferred code
 * starts with the state that all jumps with an unknown target have in common.
 */

/** Facts about a call that the code around it does not reveal. */
struct flow_callee {
	bool stops; /* the called function never returns */
	bool returns; /* the called function certainly returns */
	bool settled; /* `pops` is known */
	int32_t pops; /* bytes that the callee pops; negative: bytes that it leaves on the stack */
};

/** Code, and facts about it. Addresses are relative to its module's base. */
struct flow_code {
	const struct arch *arch;
	bool big_endian;
	bool halfwords; /* the next function to run is Thumb code */
	bool windows;			/* Windows' ABI, in which callees preserve more registers */
	uint64_t linked; /* linked address of the module's base */
	void *context;
	/** The bytes at an address, and their number in `*count`; NULL: unknown. */
	const uint8_t *(*bytes)(void *context, uint64_t address, size_t *count);
	/** Whether a function or a part of a function begins at an address; NULL: unknown. */
	bool (*begins)(void *context, uint64_t address);
	/**
	 * The entry point of the function whose frame table entry begins at `start`: the
	 * address of a hook prologue before it, or `start`. NULL: unknown.
	 */
	uint64_t (*enters)(void *context, uint64_t start);
	/** The effect of a call of `target`; NULL: unknown. */
	struct flow_callee (*callee)(void *context, uint64_t target);
	/** The effect of a call of the function that the word at `slot` points to; NULL:
	 * unknown. */
	struct flow_callee (*imported)(void *context, uint64_t slot);
	/**
	 * Whether the call at `address` returns to `back`, given the `state` there. If the number
	 * of bytes that the callee pops is unknown, this function may set it in `callee`. NULL:
	 * every call returns and pops nothing.
	 */
	bool (*goes_on)(void *context, uint64_t address, uint64_t back,
		const struct flow_state *state, struct flow_callee *callee);
	/**
	 * Find the landing pad for an exception of the call that ends at `back`. Sets `*pad` to its
	 * address, and `*dropped` to the bytes of arguments that are dropped from the stack there.
	 * False: the exception is not caught. NULL: unknown.
	 */
	bool (*caught)(void *context, uint64_t back, uint64_t *pad, int32_t *dropped);
	/** Called for each executed instruction; false stops the run. NULL: no limit. */
	bool (*spend)(void *context);
};

/** Maximum number of instructions executed for a function. Large functions have some 50,000. */
#define FLOW_INSTRUCTIONS (1u << 17)

struct flow_function;

/** A runner of code for one thread; NULL if the code cannot be decoded, or when out of memory. */
struct flow_function *
flow_function_create(const struct flow_code *code);

void
flow_function_free(struct flow_function *function);

/** Run the function in [`start`, `end`), beginning at its entry point. */
void
flow_function_run(struct flow_function *function, uint64_t start, uint64_t end);

/** Whether all bytes from `first` to `last` are padding. */
bool
flow_function_is_idle(struct flow_function *function, uint64_t first, uint64_t last);

/** The state before the instruction at an address, from the last run. */
struct flow_point {
	const struct flow_instruction *instruction;
	const struct flow_state *state;
	bool inferred;
};

/** False: no path reaches the address. */
bool
flow_function_at(const struct flow_function *function, uint64_t address, struct flow_point *point);

/** The point before the call that ends at an address; false: no call ends there. */
bool
flow_function_call(const struct flow_function *function, uint64_t back, struct flow_point *point);

/** A point of the last run by its number; false after the last point. */
bool
flow_function_point(const struct flow_function *function, size_t number, struct flow_point *point);

#endif
