/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VALUE_EXPRESSION_INTERNAL_H
#define INSPECT_VALUE_EXPRESSION_INTERNAL_H

#include "inspect/expression/value_expression.h"
#include "inspect/variable/value_frame.h"

/** What the files of value_expression.h share. */

/** Operands and operators that wait, at most: parentheses nest less deeply. */
enum { VALUE_OPERANDS = 64, VALUE_OPERATORS = 128 };

/** A value, and which part of the text has given it. */
struct value_operand {
	struct variable_value value;
	size_t from, to;
	bool used;			/* it is among the uses */
};

enum value_operator_id {
	VALUE_PARENTHESIS, VALUE_INDEX,
	VALUE_CAST, VALUE_SIZE, VALUE_NOT, VALUE_COMPLEMENT, VALUE_MINUS, VALUE_PLUS, VALUE_FOLLOW,
	VALUE_ADDRESS,
	VALUE_OR, VALUE_AND, VALUE_BIT_OR, VALUE_BIT_XOR, VALUE_BIT_AND, VALUE_EQUAL,
	VALUE_UNEQUAL, VALUE_LESS, VALUE_LESS_EQUAL, VALUE_GREATER, VALUE_GREATER_EQUAL,
	VALUE_SHIFT_LEFT, VALUE_SHIFT_RIGHT, VALUE_REPEAT, VALUE_ADD, VALUE_SUBTRACT,
	VALUE_MULTIPLY, VALUE_DIVIDE, VALUE_MODULO,
};

struct value_operator {
	enum value_operator_id id;
	/* Higher ones bind more; 0: it is open until it is closed */
	unsigned precedence;
	size_t at;			/* in the text */
	const struct debug_type *type;	/* of a cast */
};

struct value_computation {
	const struct frame_variables *variables;
	size_t call;
	const struct value_functions *functions;
	struct text text;
	size_t at;
	struct arena *arena;
	struct value_expression *result;
	struct value_use *uses;
	size_t use_capacity;
	struct value_operand operands[VALUE_OPERANDS];
	size_t operand_count;
	struct value_operator operators[VALUE_OPERATORS];
	size_t operator_count;
	bool is_c;			/* comparisons give an int */
};

/** Say what is wrong at a byte of the text; the first time counts. Returns false. */
bool
value_fail(struct value_computation *computation, size_t at, const char *why);

/** The part of the text that an operand is. */
struct text
value_operand_text(const struct value_computation *computation,
		   const struct value_operand *operand);

/** Note a value that was used. */
void
value_add_use(struct value_computation *computation, struct value_operand *operand,
	      const char *function);

/* Types: value_types.c ------------------------------------------------------------------------- */

/** Base types that C has without any declaration. */
enum value_basic {
	VALUE_BOOL, VALUE_CHAR, VALUE_SIGNED_CHAR, VALUE_UNSIGNED_CHAR, VALUE_SHORT,
	VALUE_UNSIGNED_SHORT, VALUE_INT, VALUE_UNSIGNED_INT, VALUE_LONG, VALUE_UNSIGNED_LONG,
	VALUE_LONG_LONG, VALUE_UNSIGNED_LONG_LONG, VALUE_FLOAT, VALUE_DOUBLE, VALUE_VOID
};

/** A type of the architecture; NULL when out of memory. */
const struct debug_type *
value_basic_type(struct value_computation *computation, enum value_basic which);

/** A pointer to a type, and an array of one. */
const struct debug_type *
value_pointer_to(struct value_computation *computation, const struct debug_type *target);

const struct debug_type *
value_array_of(struct value_computation *computation, const struct debug_type *element,
	       uint64_t count);

/** The target of a pointer, the element of an array: a structure with its definition. */
const struct debug_type *
value_target_of(struct value_computation *computation, const struct debug_type *type);

/**
 * Read the name of a type at `*at`, which goes behind it and the blanks that follow. NULL: there is
 * none, and nothing has changed.
 */
const struct debug_type *
value_read_type(struct value_computation *computation, size_t *at);

/** Whether a word stands before the name of a structure, union or enumeration. */
bool
value_is_keyword(struct text word);

/** Behind a name at `at`, scopes included; `at` itself: there is none. */
size_t
value_name_end(struct text text, size_t at);

/** A name as a string in the arena; NULL when out of memory. */
const char *
value_name_copy(struct value_computation *computation, size_t from, size_t to);

/** The variable that a name means in the chosen call, or in one that it is inlined into. */
const struct debug_variable *
value_variable(const struct frame_variables *variables, size_t first, struct text name,
	       size_t *call);

/* Computing: value_arithmetic.c ---------------------------------------------------------------- */

/** A value that no place has: a number of a scalar type. */
struct variable_value
value_of_number(struct value_computation *computation, const struct debug_type *type,
		uint64_t number);

/** As value_of_number, of a floating-point type. */
struct variable_value
value_of_float(struct value_computation *computation, const struct debug_type *type, double number);

/** A value that is not known. */
struct variable_value
value_of_none(struct value_computation *computation, const struct debug_type *type,
	      const char *why);

/** The object that a reference refers to; other values as they are. */
void
value_look_through(struct value_computation *computation, struct value_operand *operand);

/** Compute with one or two operands: the first one gets the result. False: something is wrong. */
bool
value_unary(struct value_computation *computation, const struct value_operator *by,
	    struct value_operand *operand);

bool
value_binary(struct value_computation *computation, const struct value_operator *by,
	     struct value_operand *left, struct value_operand *right);

/** The element of an array, or behind a pointer. */
bool
value_index(struct value_computation *computation, size_t at, struct value_operand *array,
	    struct value_operand *index);

/** What a pointer points at: `*operand`. */
bool
value_follow(struct value_computation *computation, size_t at, struct value_operand *operand);

#endif
