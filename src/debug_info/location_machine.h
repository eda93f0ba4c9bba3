/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_LOCATION_MACHINE_H
#define DEBUG_INFO_LOCATION_MACHINE_H

#include "crash/arch.h"
#include "debug_info/debug_variables.h"

/**
 * DWARF's stack machine (DWARF 5, 2.5 and 2.6), which computes where a value is, or the value.
 *
 * It is beside the postfix language of unwind rules, which lacks half of its operations. Registers,
 * memory and the values of callers come from the asker, so nothing is known here of frames.
 */
enum location_kind {
	LOCATION_ABSENT,		/* `why` */
	LOCATION_MEMORY,		/* at address `number` */
	LOCATION_REGISTER,		/* in register `number`, as DWARF counts */
	LOCATION_VALUE,			/* `number` is the value itself */
	LOCATION_BYTES,			/* and so are `bytes` */
	LOCATION_POINTER,		/* it points at `target`, which has no address */
};

/** The whole of a value, or a part of it. */
struct location_part {
	enum location_kind kind;
	uint64_t number;
	struct reader bytes;
	struct debug_entry target;
	int64_t offset;			/* in the target, in bytes */
	bool whole;			/* else it has so many bits: */
	uint64_t bits, bit_offset;	/* from `bit_offset` on of where it is */
	/* Computed from what a register held at the function's entry */
	bool entry_value;
	const char *postfix;		/* how the address or value is computed; NULL: it is not */
	/* A value that is written, of 8 bytes, whatever a word has: */
	bool constant;
	uint64_t written;
	const char *why;		/* it is absent */
};

/** What an operation did to the stack. */
enum location_did {
	LOCATION_DID_OTHER,		/* its name tells it */
	LOCATION_DID_NUMBER,		/* a number was pushed */
	LOCATION_DID_NAME,		/* what `name` stands for was pushed, with `added` */
	LOCATION_DID_ADD,		/* `added` to the topmost value */
	LOCATION_DID_READ,		/* `size` bytes of memory for an address */
	LOCATION_DID_COMPUTE,		/* from two values, as `name` says */
	LOCATION_DID_CHANGE,		/* the topmost value, as `name` says */
};

/** A value on the stack. */
struct location_cell {
	uint64_t value;
	size_t made;			/* by the operation of that number, from 0 */
};

/** How the asker came to an answer, where other expressions were run for it. */
struct location_answer;

/** An operation that was run. */
struct location_step {
	const char *operation;		/* "breg7 16" */
	enum location_did did;
	const char *name;
	uint64_t named;			/* what the name stands for */
	int64_t added;
	const struct location_answer *answer;	/* that says what the name stands for; or NULL */
	const struct location_cell *stack;	/* behind it, the deepest value first */
	size_t depth;
	uint64_t top;			/* topmost value; counts with a depth */
	bool reads;			/* it read memory */
	uint64_t address;
	unsigned size;
	int64_t reg;			/* the register that it named, as DWARF counts; -1: none */
	const char *why;		/* it failed */
};

/** Parts of one value, and operations of one expression, that are run. */
enum { LOCATION_PARTS = 64, LOCATION_OPERATIONS = 10000 };

/** Where the machine gets values. Functions return why there is no answer, or NULL. */
struct location_source {
	const struct arch *arch;
	void *context;
	const char *(*reg)(void *context, uint64_t number, uint64_t *value);
	const char *(*memory)(void *context, uint64_t address, unsigned size, uint64_t *value);
	const char *(*cfa)(void *context, uint64_t *value);
	const char *(*frame_base)(void *context, uint64_t *value, const char **postfix);
	/* What an expression would have given when the function was entered. */
	const char *(*entry)(void *context, const struct debug_expression *expression,
			     uint64_t *value);
	/* What the caller's call site says of a parameter of the function. */
	const char *(*parameter)(void *context, const struct debug_entry *parameter,
				 uint64_t *value);
	/* Where a thread has its own data of the file that the expression is of, and `offset`. */
	const char *(*thread_local)(void *context, const struct debug_home *home, uint64_t offset,
				    uint64_t *address);
	/* The linked address of a loaded file as it is in the process. */
	uint64_t (*loaded)(void *context, const struct debug_home *home, uint64_t linked);
	/* How the last question was answered; NULL where no expression was run for it. */
	const struct location_answer *(*answer)(void *context);
	/* The expression of another entry, for an expression that calls it. */
	const char *(*call)(void *context, const struct debug_entry *entry,
			    struct debug_expression *expression);
};

struct location_result {
	struct location_part parts[LOCATION_PARTS];
	size_t count;			/* at least 1 */
	size_t operations;		/* that were run */
	struct location_step *steps;	/* what was run; only if asked for */
	size_t step_count, step_capacity;
};

/** What an expression begins with, and whether its steps are wanted. */
struct location_start {
	bool has_object;		/* DW_OP_push_object_address; a member's first operand */
	uint64_t object;
	bool pushes_object;
	bool records;
};

/** Run an expression. Texts live in `arena`. */
void
location_run(const struct debug_expression *expression, const struct location_source *source,
	     const struct location_start *start, struct arena *arena,
	     struct location_result *result);

#endif
