/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_LOCATION_OPERATION_H
#define DEBUG_INFO_LOCATION_OPERATION_H

#include "crash/arch.h"
#include "debug_info/debug_variables.h"

/**
 * The operations of DWARF expressions: their operands, names, and what they do (DWARF 5, 7.7.1, and
 * those of GNU before version 5).
 */
enum operation_does {
	OPERATION_DOES_NOTHING,
	OPERATION_DOES_CONSTANT,
	OPERATION_DOES_ADDRESS,
	OPERATION_DOES_INDEXED,		/* a number of a table of addresses */
	OPERATION_DOES_REGISTER,	/* the value is in a register */
	OPERATION_DOES_BASED,		/* a register and an offset */
	OPERATION_DOES_READ,
	OPERATION_DOES_BINARY,
	OPERATION_DOES_UNARY,
	OPERATION_DOES_STACK,
	OPERATION_DOES_VALUE,		/* what is on the stack is the value */
	OPERATION_DOES_BYTES,		/* and so is the block */
	OPERATION_DOES_POINTER,		/* implicit pointer */
	OPERATION_DOES_ENTRY,
	OPERATION_DOES_PARAMETER,	/* what the caller passed for one that has no register */
	OPERATION_DOES_CALL,
	OPERATION_DOES_CONVERT,
	OPERATION_DOES_TYPED,
	OPERATION_DOES_PIECE,
	OPERATION_DOES_SPECIAL,
};

enum operation_code {
#define OPERATION(id, code, ...) OPERATION_##id = (code),
#include "debug_info/location_operation.def"
#undef OPERATION
};

struct location_operation {
	uint8_t code;
	const char *name;		/* without DW_OP_ */
	const char *operands;		/* a letter each: location_operation.c */
	enum operation_does does;
	const char *postfix;		/* the word for it in postfix texts */
};

struct operands {
	bool known;			/* the operation itself is */
	uint64_t numbers[2];
	struct reader block;
};

/**
 * Read the operation at `*at`, which moves behind it; NULL where the expression is cut off, or the
 * operation unknown. Of lit0, reg0 and breg0 to 31 the number is the first operand.
 */
const struct location_operation *
operation_read(const struct debug_expression *expression, uint64_t *at, struct operands *operands);

/** The operation as text: "breg7 16". NULL when out of memory. */
const char *
operation_text(const struct location_operation *operation, const struct operands *operands,
	       const struct debug_expression *expression, const struct arch *arch,
	       struct arena *arena);

#endif
