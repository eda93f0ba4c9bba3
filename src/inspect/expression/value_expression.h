/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VALUE_EXPRESSION_H
#define INSPECT_VALUE_EXPRESSION_H

#include "base/text.h"
#include "inspect/surroundings.h"
#include "inspect/variable/frame_variables.h"

/**
 * Expressions of C and C++ over the variables of a frame: `order->total[3]`, `*(long *)($rsp + 8)`,
 * `items_.size > 2 && !done`.
 *
 * Names are the variables of the chosen call, then of the calls that it is inlined into, members of
 * `this`, static variables, functions and enumerators of the file; numbers are C's: decimal without
 * 0x. Calls and assignments are not possible. Types and conversions are C's (C11, 6.3 and 6.5), `@`
 * is gdb's. The text is parsed without recursion.
 */

/** A variable, register or pointer that the value was computed from. */
struct value_use {
	struct text text;		/* its part of the expression */
	struct variable_value value;
	const char *function;		/* the call with the variable; NULL: the chosen call */
};

struct value_expression {
	const char *wrong;		/* the error; NULL: a value, or a reason for its absence */
	size_t column;			/* column of the error, from 1 on */
	struct variable_value value;
	const char *note;		/* a remark; NULL: none */
	const struct value_use *uses;	/* in the order of evaluation */
	size_t use_count;
};

/**
 * Evaluate `text` for the call `call` of a frame, 0 being the innermost one; `around` (may be NULL)
 * has the functions that debug information does not name. Lives in `arena`.
 */
struct value_expression
value_expression_of(struct value_frame *variables, size_t call, struct text text,
		    struct surroundings *around, struct arena *arena);

/**
 * The type that `text` names, or that of its value. NULL: neither, and `*wrong` says why.
 */
const struct debug_type *
value_expression_type(struct value_frame *variables, size_t call, struct text text,
		      struct surroundings *around, struct arena *arena, const char **wrong);

/** The names that may follow `text` and a sign: members of its value, also in bases. */
size_t
value_expression_members(struct value_frame *variables, size_t call, struct text text,
			 struct arena *arena, const char ***names);

/** Whether a word of `text` is the name of a variable of the frame's calls. */
bool
value_expression_names_variable(struct value_frame *variables, struct text text);

#endif
