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
 * A name is looked up among the variables of the chosen call, then of the calls that it is inlined
 * into. Then come members of `this`, and last static variables, functions and enumerators of the
 * file. Numbers, types and conversions are those of C (C11, 6.3 to 6.5); `@` is that of gdb. Calls
 * and assignments are not possible. The text is parsed without recursion.
 */

/** A variable, register or pointer that the value was computed from. */
struct value_use {
	struct text text;		/* part of the expression that gave the value */
	struct variable_value value;
	const char *function;		/* the variable's call; NULL: the chosen call */
};

struct value_expression {
	const char *wrong;		/* error in `text`; NULL: none, `value` is set */
	size_t column;			/* column of the error, counted from 1 */
	struct variable_value value;
	const char *note;		/* a remark; NULL: none */
	const struct value_use *uses;	/* in the order of evaluation */
	size_t use_count;
};

/**
 * Evaluate `text` in call `call` of a frame (0: the innermost call). Functions without debug
 * information are looked up in `around`, which may be NULL. The result lives in `arena`.
 */
struct value_expression
value_expression_of(struct value_frame *variables, size_t call, struct text text,
		    struct surroundings *around, struct arena *arena);

/** The type that `text` names, or the type of its value. NULL: neither, and `*wrong` says why. */
const struct debug_type *
value_expression_type(struct value_frame *variables, size_t call, struct text text,
		      struct surroundings *around, struct arena *arena, const char **wrong);

/** The names that may follow `text.` or `text->`: the members of the value and of its bases. */
size_t
value_expression_members(struct value_frame *variables, size_t call, struct text text,
			 struct arena *arena, const char ***names);

/** Whether a word of `text` is the name of a variable of the frame's calls. */
bool
value_expression_names_variable(struct value_frame *variables, struct text text);

#endif
