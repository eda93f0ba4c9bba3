/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_DWARF_OPERATION_H
#define FRAME_TABLE_DWARF_OPERATION_H

#include "base/reader.h"
#include "crash/arch.h"

/**
 * The operations of DWARF expressions (DWARF 5, 7.7.1, and GNU's before version 5): their operands,
 * names and effects.
 */
enum dwarf_does {
	DWARF_DOES_NOTHING,
	DWARF_DOES_CONSTANT,
	DWARF_DOES_ADDRESS,
	DWARF_DOES_INDEXED,		/* push a row of the unit's table of addresses */
	DWARF_DOES_REGISTER,		/* the value is in a register */
	DWARF_DOES_BASED,		/* push a register plus an offset */
	DWARF_DOES_READ,
	DWARF_DOES_BINARY,
	DWARF_DOES_UNARY,
	DWARF_DOES_STACK,
	DWARF_DOES_VALUE,		/* the top of the stack is the value itself */
	DWARF_DOES_BYTES,		/* the block is the value */
	DWARF_DOES_POINTER,		/* implicit pointer */
	DWARF_DOES_ENTRY,
	DWARF_DOES_PARAMETER,		/* push the caller's argument for a parameter */
	DWARF_DOES_CALL,
	DWARF_DOES_CONVERT,
	DWARF_DOES_TYPED,
	DWARF_DOES_PIECE,
	DWARF_DOES_SPECIAL,
};

enum dwarf_operation_code {
#define OPERATION(id, code, ...) DWARF_OP_##id = (code),
#include "frame_table/dwarf_operation.def"
#undef OPERATION
};

struct dwarf_operation {
	uint8_t code;
	const char *name;		/* name without DW_OP_ */
	const char *operands;		/* a letter for each, see dwarf_operation.def */
	unsigned pops, pushes;
	enum dwarf_does does;
	const char *postfix;		/* word in postfix; for STACK see dwarf_operation.def */
};

/** The bytes of an expression, and the sizes that its unit uses. */
struct dwarf_expression {
	struct reader code;
	unsigned version;
	unsigned word, offset_size;	/* bytes of an address and of an offset in a section */
};

struct dwarf_operands {
	bool known;			/* the operation itself is known */
	uint64_t numbers[2];
	struct reader block;
};

/**
 * Read the operation at `*at` and move `*at` to the next operation. NULL if the expression is
 * truncated or the operation is unknown. The first operand of litN, regN and bregN is N.
 */
const struct dwarf_operation *
dwarf_operation_read(const struct dwarf_expression *expression, uint64_t *at,
		     struct dwarf_operands *operands);

/** The operation as text: "breg7 16". NULL when out of memory. */
const char *
dwarf_operation_text(const struct dwarf_operation *operation, const struct dwarf_operands *operands,
		     const struct dwarf_expression *expression, const struct arch *arch,
		     struct arena *arena);

/** The expression as text: "breg7 16; stack_value". NULL when out of memory. */
const char *
dwarf_expression_text(const struct dwarf_expression *expression, const struct arch *arch,
		      struct arena *arena);

#endif
