/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_VALUE_EXPRESSION_INTERNAL_H
#define INSPECT_VALUE_EXPRESSION_INTERNAL_H

#include "inspect/expression/value_expression.h"
#include "inspect/variable/frame_variables.h"

/** Shared by the files that implement value_expression.h. */

/** Maximum number of pending operands and operators. The latter also limits open parentheses. */
enum { VALUE_OPERANDS = 64, VALUE_OPERATORS = 128 };

struct value_operand {
	struct variable_value value;
	size_t from, to;
	bool used;			/* the value is in the list of uses */
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
	/* higher numbers bind more tightly; 0: an open bracket */
	unsigned precedence;
	size_t at;
	const struct debug_type *type;	/* type of a cast */
};

struct value_computation {
	struct value_frame *variables;
	size_t call;
	struct surroundings *around;	/* functions in symbols; NULL: none */
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
	bool is_c;			/* comparisons have type int */
};

/** Report an error at byte `at` of the text; only the first error is kept. Returns false. */
bool
value_fail(struct value_computation *computation, size_t at, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

struct text
value_operand_text(const struct value_computation *computation,
		   const struct value_operand *operand);

void
value_add_use(struct value_computation *computation, struct value_operand *operand,
	      const char *function);

/** Push the value of the text between `from` and the current position. False: an error. */
bool
value_push(struct value_computation *computation, size_t from, struct variable_value value);

/** Maximum number of modules that are searched for a name. */
enum { VALUE_FILES = 16 };

/** The modules that were searched. Begin with all members 0. */
struct value_files {
	int tried[VALUE_FILES];
	size_t count, frame;
};

/** The chosen frame, then a frame of each other module with debug information, then NULL. */
struct value_frame *
value_files_next(struct value_computation *computation, struct value_files *files);

/* Containers: value_container.c ---------------------------------------------------------------- */

/** Read a text in double quotes: an array of characters. */
bool
value_push_text(struct value_computation *computation);

/**
 * Replace a container, string or vector of the library by the element with an index or a key. Sets
 * `*found` if the operand is such a value. False: an error.
 */
bool
value_container_index(struct value_computation *computation, struct value_operand *container,
		      struct value_operand *index, bool *found);

/**
 * Replace a reference-counted pointer of Rust by its object, and a variant by its value: `.` then
 * reaches their members.
 */
bool
value_container_object(struct value_computation *computation, struct value_operand *operand);

/** Replace a value of the library by the result of `name()`. Sets `*found` if the type has it. */
bool
value_container_call(struct value_computation *computation, struct value_operand *operand,
		     struct text name, bool *found);

/* Types: value_types.c ------------------------------------------------------------------------- */

/** Base types that C has without a declaration. */
enum value_basic {
	VALUE_BOOL, VALUE_CHAR, VALUE_SIGNED_CHAR, VALUE_UNSIGNED_CHAR, VALUE_SHORT,
	VALUE_UNSIGNED_SHORT, VALUE_INT, VALUE_UNSIGNED_INT, VALUE_LONG, VALUE_UNSIGNED_LONG,
	VALUE_LONG_LONG, VALUE_UNSIGNED_LONG_LONG, VALUE_FLOAT, VALUE_DOUBLE, VALUE_VOID
};

/** A type of the architecture; NULL when out of memory. */
const struct debug_type *
value_basic_type(struct value_computation *computation, enum value_basic which);

/** "long" if it has at least `size` bytes, else "long long"; or unsigned. NULL: out of memory. */
const struct debug_type *
value_wide_type(struct value_computation *computation, bool is_signed, uint64_t size);

/** The type of sizes, or (signed) of differences of pointers. NULL when out of memory. */
const struct debug_type *
value_size_type(struct value_computation *computation, bool is_signed);

/** A pointer to a type, or an array of it. NULL if the type is NULL, or when out of memory. */
const struct debug_type *
value_pointer_to(struct value_computation *computation, const struct debug_type *target);

const struct debug_type *
value_array_of(struct value_computation *computation, const struct debug_type *element,
	       uint64_t count);

/** The type of a pointer's target or of an array's elements, with the definition of a structure. */
const struct debug_type *
value_target_of(struct value_computation *computation, const struct debug_type *type);

/**
 * Read the name of a type at `*at`, and move `*at` past the name and the blanks after it. NULL: no
 * type is named there, and `*at` is unchanged.
 */
const struct debug_type *
value_read_type(struct value_computation *computation, size_t *at);

/** Find a variable that only symbol tables have. Its value is a number of its size, or bytes. */
bool
value_find_object(struct value_computation *computation, struct text name,
		  struct variable_value *value);

/** Whether a word is `struct`, `class`, `union` or `enum`. */
bool
value_is_keyword(struct text word);

/** The first byte at or after `at` that is not a blank. */
size_t
value_skip_blanks(struct text text, size_t at);

/** The end of the name at `at`, for example `std::string`. Returns `at` if there is no name. */
size_t
value_name_end(struct text text, size_t at);

/** A name as a string in the arena; NULL when out of memory. */
const char *
value_name_copy(struct value_computation *computation, size_t from, size_t to);

/** Find a variable in call `first` or a call that it is inlined into; sets `*call` to its call. */
const struct debug_variable *
value_variable(struct value_frame *variables, size_t first, struct text name,
	       size_t *call);

/* Computing: value_arithmetic.c ---------------------------------------------------------------- */

/** A number of a scalar type; it has no place in memory. */
struct variable_value
value_of_number(struct value_computation *computation, const struct debug_type *type,
		uint64_t number);

/** A number, or an unknown value if `why` is not NULL. */
struct variable_value
value_or_none(struct value_computation *computation, const struct debug_type *type, uint64_t number,
	      const char *why);

/** Like value_of_number, for a floating-point type. */
struct variable_value
value_of_float(struct value_computation *computation, const struct debug_type *type, double number);

/** Replace a reference by its object; other values are unchanged. */
void
value_look_through(struct value_computation *computation, struct value_operand *operand);

/** Apply an operator. The first operand receives the result. False: an error. */
bool
value_unary(struct value_computation *computation, const struct value_operator *by,
	    struct value_operand *operand);

bool
value_binary(struct value_computation *computation, const struct value_operator *by,
	     struct value_operand *left, struct value_operand *right);

/** The element of an array or of a pointer's target. */
bool
value_index(struct value_computation *computation, size_t at, struct value_operand *array,
	    struct value_operand *index);

/** The target of a pointer: `*operand`. */
bool
value_follow(struct value_computation *computation, size_t at, struct value_operand *operand);

#endif
