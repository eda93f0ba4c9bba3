/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_LOCATION_MACHINE_H
#define DEBUG_INFO_LOCATION_MACHINE_H

#include "crash/arch.h"
#include "debug_info/debug_variables.h"

/**
 * DWARF's stack machine (DWARF 5, 2.5 and 2.6). It computes a value, or the location of a value.
 *
 * It is separate from the machine of unwind rules, whose postfix language lacks half of DWARF's
 * operations. The caller supplies registers, memory and values of other frames.
 */
enum location_kind {
	LOCATION_ABSENT,		/* no location; `why` has the reason */
	LOCATION_MEMORY,		/* at address `number` */
	LOCATION_REGISTER,		/* in register `number`, in DWARF's numbering */
	LOCATION_VALUE,			/* `number` is the value */
	LOCATION_BYTES,			/* `bytes` are the value */
	LOCATION_POINTER,		/* points at `target`, which has no address */
};

struct location_part {
	enum location_kind kind;
	uint64_t number;
	struct reader bytes;
	struct debug_entry target;
	int64_t offset;			/* offset in the target, in bytes */
	bool whole;			/* false: a part of `bits` bits */
	uint64_t bits, bit_offset;	/* size of the part, and its place in the location */
	/* computed from a register's value at function entry */
	bool entry_value;
	const char *postfix;		/* computation of the address or value; NULL: none */
	/* the value is the constant `written` of 8 bytes, regardless of the word size */
	bool constant;
	uint64_t written;
	const char *why;
};

/** The effect of an operation on the stack. */
enum location_did {
	LOCATION_DID_OTHER,		/* another operation, described by its name */
	LOCATION_DID_NUMBER,		/* pushed a number */
	LOCATION_DID_NAME,		/* pushed the value of `name`, plus `added` */
	LOCATION_DID_ADD,		/* added `added` to the top value */
	LOCATION_DID_READ,		/* replaced an address by `size` bytes of memory */
	LOCATION_DID_COMPUTE,		/* applied `name` to the two top values */
	LOCATION_DID_CHANGE,		/* applied `name` to the top value */
};

/** A value on the stack. */
struct location_cell {
	uint64_t value;
	size_t made;			/* number of the operation that made it, from 0 */
};

/** An expression that was run to compute a value for another expression. */
struct location_answer;

struct location_step {
	const char *operation;		/* "breg7 16" */
	enum location_did did;
	const char *name;
	uint64_t named;			/* value of `name` */
	int64_t added;
	const struct location_answer *answer;	/* computation of the name's value; or NULL */
	const struct location_cell *stack;	/* stack after the operation, deepest value first */
	size_t depth;
	uint64_t top;			/* top value, if depth > 0 */
	bool reads;
	uint64_t address;
	unsigned size;
	int64_t reg;			/* DWARF number of the register that it used; -1: none */
	const char *why;		/* reason for the operation's failure; or NULL */
};

/** Maximum numbers of parts of a value and of operations of an expression. */
enum { LOCATION_PARTS = 64, LOCATION_OPERATIONS = 10000 };

/** Source of values. Functions return NULL, or the reason why there is no value. */
struct location_source {
	const struct arch *arch;
	void *context;
	const char *(*reg)(void *context, uint64_t number, uint64_t *value);
	const char *(*memory)(void *context, uint64_t address, unsigned size, uint64_t *value);
	const char *(*cfa)(void *context, uint64_t *value);
	const char *(*frame_base)(void *context, uint64_t *value, const char **postfix);
	/* The value at function entry of `expression` or of `parameter`; the other one is NULL. */
	const char *(*entry)(void *context, const struct debug_expression *expression,
			     const struct debug_entry *parameter, uint64_t *value);
	/* The address of `offset` in the thread-local data of the expression's file. */
	const char *(*thread_local)(void *context, const struct debug_home *home, uint64_t offset,
				    uint64_t *address);
	/* The process's address for a linked address of a file. */
	uint64_t (*loaded)(void *context, const struct debug_home *home, uint64_t linked);
	/* The computation of the last value; NULL: no expression was run for it. */
	const struct location_answer *(*answer)(void *context);
	/* The expression in `entry`, which a call operation runs. */
	const char *(*call)(void *context, const struct debug_entry *entry,
			    struct debug_expression *expression);
};

struct location_result {
	struct location_part parts[LOCATION_PARTS];
	size_t count;			/* at least 1 */
	size_t operations;		/* number of executed operations */
	struct location_step *steps;	/* executed operations, if requested */
	size_t step_count, step_capacity;
};

/** Initial state of an expression, and whether to record steps. */
struct location_start {
	bool has_object;
	uint64_t object;	/* value of DW_OP_push_object_address */
	bool pushes_object;	/* `object` is on the stack at first, as for members */
	bool records;
};

/** Run an expression. Texts live in `arena`. */
void
location_run(const struct debug_expression *expression, const struct location_source *source,
	     const struct location_start *start, struct arena *arena,
	     struct location_result *result);

#endif
