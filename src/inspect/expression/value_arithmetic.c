/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "inspect/variable/library_value.h"
#include "inspect/expression/value_expression_internal.h"

/* Arithmetic with typed values as in C (C11, 6.3.1.8 and 6.5). */

/* Numbers -------------------------------------------------------------------------------------- */

static struct variable_value
value_of_none(struct value_computation *computation, const struct debug_type *type,
	      const char *why)
{
	return (struct variable_value){
		.location = VARIABLE_ABSENT,
		.value = { .type = type, .frame = computation->variables, .why = why } };
}

struct variable_value
value_of_number(struct value_computation *computation, const struct debug_type *type,
		uint64_t number)
{
	const size_t size = type != NULL ? (size_t)type->size : 0;
	uint8_t *bytes = size <= 8 ? arena_alloc(computation->arena, 2 * size + 1) : NULL;
	struct variable_value made = value_of_none(computation, type, NULL);

	if (type == NULL || bytes == NULL) {
		computation->result->wrong = OUT_OF_MEMORY;
		made.value.why = OUT_OF_MEMORY;
		return made;
	}
	made.location = VARIABLE_COMPUTED;
	made.value.size = size;
	if (type->kind == DEBUG_TYPE_BOOLEAN)
		number = number != 0;
	reader_put_number(bytes, size, value_is_big(&made.value), number);
	memset(bytes + size, 1, size);
	made.value.bytes = bytes;
	made.value.known = bytes + size;
	return made;
}

struct variable_value
value_or_none(struct value_computation *computation, const struct debug_type *type, uint64_t number,
	      const char *why)
{
	return why != NULL ? value_of_none(computation, type, why)
			   : value_of_number(computation, type, number);
}

struct variable_value
value_of_float(struct value_computation *computation, const struct debug_type *type, double number)
{
	const float narrow = (float)number;
	uint64_t bits = 0;
	uint32_t few;

	memcpy(&few, &narrow, sizeof(few));
	memcpy(&bits, &number, sizeof(bits));
	return value_of_number(computation, type, type != NULL && type->size == 4 ? few : bits);
}

/* Whether a type is an integer, a character, a truth value or an enumeration. */
static bool
is_integral(const struct debug_type *type)
{
	return type->kind == DEBUG_TYPE_NUMBER || type->kind == DEBUG_TYPE_CHARACTER ||
	       type->kind == DEBUG_TYPE_BOOLEAN || type->kind == DEBUG_TYPE_ENUMERATION;
}

static bool
is_float(const struct debug_type *type)
{
	return type->kind == DEBUG_TYPE_FLOAT;
}

static bool
is_pointer(const struct debug_type *type)
{
	return type->kind == DEBUG_TYPE_POINTER;
}

struct value_scalar {
	const struct debug_type *type;	/* promoted type */
	uint64_t integer;		/* sign-extended */
	double real;			/* value of floating-point types */
	const char *why;
};

void
value_look_through(struct value_computation *computation, struct value_operand *operand)
{
	struct typed_value *value = &operand->value.value;

	if (value->type->kind != DEBUG_TYPE_REFERENCE)
		return;
	const struct debug_type *target = value_target_of(computation, value->type);
	if (target == NULL)
		return;
	*value = value_pointed(value, target, computation->arena);
	operand->value.location = value->in_memory ? VARIABLE_MEMORY : VARIABLE_COMPUTED;
	operand->value.result = NULL;
	operand->value.how = NULL;
}

/* Turns an array into a pointer to its first element, a function into a pointer to itself. */
static bool
decay(struct value_computation *computation, struct value_operand *operand)
{
	const struct typed_value *value = &operand->value.value;
	const bool function = value->type->kind == DEBUG_TYPE_FUNCTION;

	value_look_through(computation, operand);
	if (value->type->kind != DEBUG_TYPE_ARRAY && !function)
		return true;
	if (value->why == NULL && !value->in_memory)
		return value_fail(computation, operand->from,
				  "the array is not in memory, so it has no address");
	const struct debug_type *pointer = value_pointer_to(
		computation, function ? value->type : value_target_of(computation, value->type));
	if (pointer == NULL)
		return value_fail(computation, operand->from, OUT_OF_MEMORY);
	operand->value = value_or_none(computation, pointer, value->address, value->why);
	return true;
}

/* The type of a value after C's integer promotions. */
static const struct debug_type *
promoted(struct value_computation *computation, const struct typed_value *value)
{
	const struct debug_type *type = value->type;
	const uint64_t bits = value->is_bits ? value->bits : 8 * type->size;

	if (!is_integral(type))
		return type;
	if (bits < 32 || (bits == 32 && type->is_signed))
		return value_basic_type(computation, VALUE_INT);
	return bits == 32 ? value_basic_type(computation, VALUE_UNSIGNED_INT)
			  : value_wide_type(computation, type->is_signed, sizeof(uint64_t));
}

static double
real_of(uint64_t bits, uint64_t size)
{
	const uint32_t few = (uint32_t)bits;
	double wide;
	float narrow;

	memcpy(&wide, &bits, sizeof(wide));
	memcpy(&narrow, &few, sizeof(narrow));
	return size == 4 ? (double)narrow : wide;
}

/* Why a value is missing, with its part of the expression. */
static const char *
absent_part(struct value_computation *computation, const struct value_operand *operand,
	    const char *why)
{
	const struct text text = value_operand_text(computation, operand);

	if (strchr(why, ':') != NULL && operand->value.value.bytes == NULL && !operand->used)
		return why;
	return arena_format(computation->arena, "%.*s: %s", TEXT_UPTO(text, 60), why);
}

static bool
read_scalar(struct value_computation *computation, struct value_operand *operand,
	    struct value_scalar *scalar)
{
	const struct typed_value *value = &operand->value.value;

	if (!decay(computation, operand))
		return false;
	if (!is_integral(value->type) && !is_float(value->type) && !is_pointer(value->type))
		return value_fail(computation, operand->from,
				  "%s: not a number or a pointer; expected one", value->type->name);
	if (value->type->size > 8 ||
	    (is_float(value->type) && value->type->size != 4 && value->type->size != 8))
		return value_fail(computation, operand->from,
				  "numbers of more than 8 bytes cannot be computed with");
	*scalar = (struct value_scalar){ .type = promoted(computation, value) };
	if (scalar->type == NULL)
		return value_fail(computation, operand->from, OUT_OF_MEMORY);
	scalar->why = value->target.home != NULL ? "it points at a value without an address"
						 : value_number(value, &scalar->integer);
	if (scalar->why != NULL)
		scalar->why = absent_part(computation, operand, scalar->why);
	else if (is_float(value->type))
		scalar->real = real_of(scalar->integer, value->type->size);
	return true;
}

static double
as_real(const struct value_scalar *scalar)
{
	return is_float(scalar->type)	 ? scalar->real
	       : scalar->type->is_signed ? (double)(int64_t)scalar->integer
					 : (double)scalar->integer;
}

static uint64_t
real_to_integer(double real)
{
	if (real >= 9.2e18)
		return real < 1.8e19 ? (uint64_t)real : UINT64_MAX;
	return real > -9.2e18 ? (uint64_t)(int64_t)real : (uint64_t)INT64_MIN;
}

/* `number` cut to the bytes of a type, with its sign. */
static uint64_t
fit(const struct debug_type *type, uint64_t number)
{
	const unsigned unused = type->size >= 8 ? 0 : 64 - 8 * (unsigned)type->size;

	return type->is_signed ? (uint64_t)((int64_t)(number << unused) >> unused)
			       : number << unused >> unused;
}

/* The floating-point type, else the larger type, else the unsigned type. */
static const struct debug_type *
common_type(const struct value_scalar *left, const struct value_scalar *right)
{
	if (is_float(left->type) != is_float(right->type))
		return is_float(left->type) ? left->type : right->type;
	if (left->type->size != right->type->size)
		return left->type->size > right->type->size ? left->type : right->type;
	return left->type->is_signed ? right->type : left->type;
}

/* Results -------------------------------------------------------------------------------------- */

/* Replaces the left operand by a result, whose text spans both operands. */
static bool
give(struct value_operand *left, const struct value_operand *right, struct variable_value value)
{
	left->value = value;
	left->to = right->to;
	left->used = false;
	return true;
}

/* Replaces an operand by the result of the prefix operator at byte `from` of the text. */
static bool
put(struct value_operand *operand, size_t from, struct variable_value value)
{
	operand->value = value;
	operand->from = from;
	operand->used = false;
	return true;
}

static const struct debug_type *
truth_type(struct value_computation *computation)
{
	return value_basic_type(computation, computation->is_c ? VALUE_INT : VALUE_BOOL);
}

/* Orders of two numbers; a NaN has no order. */
enum { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_NONE = 8 };

static const uint8_t accepted_orders[] = {
	[VALUE_EQUAL] = ORDER_EQUAL, [VALUE_UNEQUAL] = ORDER_LESS | ORDER_GREATER | ORDER_NONE,
	[VALUE_LESS] = ORDER_LESS, [VALUE_LESS_EQUAL] = ORDER_LESS | ORDER_EQUAL,
	[VALUE_GREATER] = ORDER_GREATER, [VALUE_GREATER_EQUAL] = ORDER_GREATER | ORDER_EQUAL,
};

static unsigned
order_of(const struct value_scalar *left, const struct value_scalar *right)
{
	const struct debug_type *type = common_type(left, right);

	if (is_float(type)) {
		const double one = as_real(left), other = as_real(right);
		return one < other    ? ORDER_LESS
		       : one > other  ? ORDER_GREATER
		       : one >= other ? ORDER_EQUAL
				      : ORDER_NONE;
	}
	const bool with_sign = type->is_signed && !is_pointer(left->type) &&
			       !is_pointer(right->type);
	const uint64_t one = fit(type, left->integer), other = fit(type, right->integer);
	if (one == other)
		return ORDER_EQUAL;
	return (with_sign ? (int64_t)one < (int64_t)other : one < other) ? ORDER_LESS
									  : ORDER_GREATER;
}

static bool
compute_real(struct value_computation *computation, const struct value_operator *by,
	     double one, double other, double *result)
{
	switch (by->id) {
	case VALUE_ADD:
		*result = one + other;
		return true;
	case VALUE_SUBTRACT:
		*result = one - other;
		return true;
	case VALUE_MULTIPLY:
		*result = one * other;
		return true;
	case VALUE_DIVIDE:
		*result = one / other;
		return true;
	default:
		return value_fail(computation, by->at,
				  "expected whole numbers on both sides of this operator");
	}
}

static bool
divide(struct value_computation *computation, const struct value_operator *by, bool with_sign,
       uint64_t one, uint64_t other, uint64_t *result)
{
	const bool rest = by->id == VALUE_MODULO;

	if (other == 0)
		return value_fail(computation, by->at, "division by zero");
	if (with_sign && other == UINT64_MAX)
		*result = rest ? 0 : 0 - one;
	else if (with_sign)
		*result = (uint64_t)(rest ? (int64_t)one % (int64_t)other
					  : (int64_t)one / (int64_t)other);
	else
		*result = rest ? one % other : one / other;
	return true;
}

static bool
compute_integer(struct value_computation *computation, const struct value_operator *by,
		const struct debug_type *type, uint64_t one, uint64_t other, uint64_t *result)
{
	const uint64_t bits = 8 * type->size;

	switch (by->id) {
	case VALUE_ADD:
		*result = one + other;
		return true;
	case VALUE_SUBTRACT:
		*result = one - other;
		return true;
	case VALUE_MULTIPLY:
		*result = one * other;
		return true;
	case VALUE_BIT_AND:
		*result = one & other;
		return true;
	case VALUE_BIT_OR:
		*result = one | other;
		return true;
	case VALUE_BIT_XOR:
		*result = one ^ other;
		return true;
	case VALUE_SHIFT_LEFT:
	case VALUE_SHIFT_RIGHT:
		if (other >= bits)
			return value_fail(computation, by->at,
					  "a shift by more bits than the number has");
		*result = by->id == VALUE_SHIFT_LEFT ? one << other
			  : type->is_signed ? (uint64_t)((int64_t)one >> other) : one >> other;
		return true;
	default:
		return divide(computation, by, type->is_signed, one, other, result);
	}
}

/* Computes with a pointer and a number, or with two pointers. */
static bool
compute_pointer(struct value_computation *computation, const struct value_operator *by,
		struct value_operand *left, const struct value_operand *right,
		const struct value_scalar *one, const struct value_scalar *other)
{
	const struct debug_type *both = value_size_type(computation, true);
	const bool two = is_pointer(one->type) && is_pointer(other->type);
	const struct debug_type *pointer = is_pointer(one->type) ? one->type : other->type;
	const struct debug_type *target = value_target_of(computation, pointer);
	/* The size of the target is the unit of pointer arithmetic. */
	const uint64_t step = target == NULL || target->size == 0 ? 1 : target->size;

	if (is_float(one->type) || is_float(other->type) ||
	    (by->id != VALUE_SUBTRACT && (by->id != VALUE_ADD || two)) ||
	    (by->id == VALUE_SUBTRACT && !is_pointer(one->type)) || both == NULL)
		return value_fail(computation, by->at,
				  "this arithmetic is not defined for pointers; "
				  "a cast turns one into a number: (long)");
	if (one->why != NULL || other->why != NULL)
		return give(left, right,
			    value_of_none(computation, two ? both : pointer,
					  one->why != NULL ? one->why : other->why));
	if (two)
		return give(left, right, value_of_number(
			computation, both, (uint64_t)((int64_t)(one->integer - other->integer) /
						      (int64_t)step)));
	const uint64_t sum = by->id == VALUE_SUBTRACT ? one->integer - other->integer * step
			     : is_pointer(one->type) ? one->integer + other->integer * step
						     : other->integer + one->integer * step;
	return give(left, right, value_of_number(computation, pointer, sum));
}

/* `left && right` or `left || right`: if one operand decides, the other may be unknown. */
static bool
compute_truth(struct value_computation *computation, const struct value_operator *by,
	      struct value_operand *left, const struct value_operand *right,
	      const struct value_scalar *one, const struct value_scalar *other)
{
	const bool decides = by->id == VALUE_OR;
	const bool first = one->why == NULL && (as_real(one) != 0) == decides;
	const bool second = other->why == NULL && (as_real(other) != 0) == decides;
	const char *why = first || second ? NULL : one->why != NULL ? one->why : other->why;

	return give(left, right, value_or_none(computation, truth_type(computation),
					       (first || second) == decides, why));
}

/* `first @ 3`: the three elements that begin with `first`. */
static bool
repeat(struct value_computation *computation, const struct value_operator *by,
       struct value_operand *left, struct value_operand *right)
{
	struct value_scalar count;

	value_look_through(computation, left);
	if (!read_scalar(computation, right, &count))
		return false;
	if (!left->value.value.in_memory)
		return value_fail(computation, by->at, "expected a value in memory before '@'");
	if (count.why != NULL || is_float(count.type) || count.integer == 0 ||
	    count.integer > UINT32_MAX)
		return value_fail(computation, right->from,
				  "expected the number of elements after '@'");
	const struct debug_type *type =
		value_array_of(computation, left->value.value.type, count.integer);
	if (type == NULL)
		return value_fail(computation, by->at, OUT_OF_MEMORY);
	left->value.value.type = type;
	left->to = right->to;
	return true;
}

bool
value_binary(struct value_computation *computation, const struct value_operator *by,
	     struct value_operand *left, struct value_operand *right)
{
	struct value_scalar one, other;

	if (by->id == VALUE_REPEAT)
		return repeat(computation, by, left, right);
	if (!read_scalar(computation, left, &one) || !read_scalar(computation, right, &other))
		return false;
	const char *why = one.why != NULL ? one.why : other.why;
	if (by->id == VALUE_AND || by->id == VALUE_OR)
		return compute_truth(computation, by, left, right, &one, &other);
	if (by->id >= VALUE_EQUAL && by->id <= VALUE_GREATER_EQUAL)
		return give(left, right, value_or_none(
			computation, truth_type(computation),
			(accepted_orders[by->id] & order_of(&one, &other)) != 0, why));
	if (is_pointer(one.type) || is_pointer(other.type))
		return compute_pointer(computation, by, left, right, &one, &other);
	const bool shifts = by->id == VALUE_SHIFT_LEFT || by->id == VALUE_SHIFT_RIGHT;
	const struct debug_type *type = shifts ? one.type : common_type(&one, &other);
	uint64_t number = 0;
	double real = 0;
	if (why != NULL)
		return give(left, right, value_of_none(computation, type, why));
	if (is_float(one.type) || is_float(other.type))
		return compute_real(computation, by, as_real(&one), as_real(&other), &real) &&
		       give(left, right, value_of_float(computation, type, real));
	return compute_integer(computation, by, type, fit(type, one.integer),
			       shifts ? other.integer : fit(type, other.integer), &number) &&
	       give(left, right, value_of_number(computation, type, number));
}

/* Casts ---------------------------------------------------------------------------------------- */

/* The offset of a base in a derived class; false: not a base, or its offset is not constant. */
static bool
find_base(struct value_computation *computation, const struct debug_type *derived,
	  const struct debug_type *base, uint64_t *offset)
{
	struct {
		const struct debug_type *type;
		uint64_t offset;
	} waiting[VALUE_OPERANDS] = { { derived, 0 } };
	struct debug_member *members;

	for (size_t done = 0, count = 1; done < count; done++) {
		const size_t member_count = debug_type_members(waiting[done].type,
							       computation->arena, &members);

		if (strcmp(waiting[done].type->name, base->name) == 0) {
			*offset = waiting[done].offset;
			return true;
		}
		for (size_t i = 0; i < member_count; i++)
			if (members[i].base && members[i].has_offset && count < VALUE_OPERANDS) {
				waiting[count].type = members[i].type;
				waiting[count++].offset = waiting[done].offset + members[i].offset;
			}
	}
	return false;
}

/* The change of the address when a class pointer is converted to a base or a derived class. */
static uint64_t
shift_of(struct value_computation *computation, const struct debug_type *from,
	 const struct debug_type *to)
{
	const struct debug_type *source = is_pointer(from) ? value_target_of(computation, from)
							   : NULL;
	const struct debug_type *target = is_pointer(to) ? value_target_of(computation, to) : NULL;
	uint64_t offset;

	if (source == NULL || target == NULL || source->kind != DEBUG_TYPE_STRUCTURE ||
	    target->kind != DEBUG_TYPE_STRUCTURE)
		return 0;
	if (find_base(computation, source, target, &offset))
		return offset;
	return find_base(computation, target, source, &offset) ? 0 - offset : 0;
}

static bool
cast(struct value_computation *computation, const struct value_operator *by,
	   struct value_operand *operand)
{
	const struct debug_type *type = by->type;
	struct value_scalar scalar;

	value_look_through(computation, operand);
	operand->from = by->at;
	if (strcmp(operand->value.value.type->name, type->name) == 0)
		return true;
	if ((!is_integral(type) && !is_float(type) && !is_pointer(type)) || type->size > 8 ||
	    (is_float(type) && type->size != 4 && type->size != 8))
		return value_fail(computation, by->at,
				  "cannot cast to %s; *(%s *)& in front of the value reads its "
				  "bytes as one", type->name, type->name);
	if (!read_scalar(computation, operand, &scalar))
		return false;
	if (scalar.why == NULL && is_float(type))
		return put(operand, by->at, value_of_float(computation, type, as_real(&scalar)));
	uint64_t number = scalar.integer;
	if (is_float(scalar.type))
		number = type->kind == DEBUG_TYPE_BOOLEAN ? scalar.real != 0
							  : real_to_integer(scalar.real);
	else if (number != 0)
		number += shift_of(computation, scalar.type, type);
	return put(operand, by->at, value_or_none(computation, type, number, scalar.why));
}

/* One operand ---------------------------------------------------------------------------------- */

static bool
take_address(struct value_computation *computation, size_t at, struct value_operand *operand)
{
	const struct typed_value *value = &operand->value.value;

	value_look_through(computation, operand);
	if (value->why == NULL && value->is_bits)
		return value_fail(computation, at, "a bit field has no address");
	if (value->why == NULL && !value->in_memory)
		return value_fail(computation, at,
				  "the value is not in memory%s%s, so it has no address",
				  operand->value.how != NULL ? ": " : "",
				  text_or_empty(operand->value.how));
	const struct debug_type *type = value_pointer_to(computation, value->type);
	if (type == NULL)
		return value_fail(computation, at, OUT_OF_MEMORY);
	return put(operand, at, value_or_none(computation, type, value->address, value->why));
}

static bool
take_size(struct value_computation *computation, size_t at, struct value_operand *operand)
{
	const struct typed_value *value = &operand->value.value;

	value_look_through(computation, operand);
	uint64_t size = value->type->size;
	if (!value->type->has_size && value->type->kind == DEBUG_TYPE_ARRAY) {
		const struct debug_type *element = value_target_of(computation, value->type);
		const char *why;
		const uint64_t count = value_count(value, computation->arena, &why);

		if (why == NULL && element != NULL &&
		    (!element->has_size ||
		     (element->size > 0 && count > UINT64_MAX / element->size)))
			why = value_size_unknown(value->type);
		if (why != NULL || element == NULL)
			return value_fail(computation, at, "%s",
					  why != NULL ? why : OUT_OF_MEMORY);
		size = count * element->size;
	}
	return put(operand, at,
		   value_of_number(computation, value_size_type(computation, false), size));
}

bool
value_unary(struct value_computation *computation, const struct value_operator *by,
	    struct value_operand *operand)
{
	struct value_scalar scalar;

	if (by->id == VALUE_ADDRESS)
		return take_address(computation, by->at, operand);
	if (by->id == VALUE_SIZE)
		return take_size(computation, by->at, operand);
	if (by->id == VALUE_FOLLOW)
		return value_follow(computation, by->at, operand);
	if (by->id == VALUE_CAST)
		return cast(computation, by, operand);
	if (!read_scalar(computation, operand, &scalar))
		return false;
	const bool truth = by->id == VALUE_NOT;
	const struct debug_type *type = truth ? truth_type(computation) : scalar.type;
	if (!truth && (is_pointer(type) || (is_float(type) && by->id == VALUE_COMPLEMENT)))
		return value_fail(computation, by->at, "expected a number after this operator");
	if (scalar.why == NULL && is_float(type))
		return put(operand, by->at,
			   value_of_float(computation, type,
					  by->id == VALUE_MINUS ? -scalar.real : scalar.real));
	const uint64_t number = truth			      ? as_real(&scalar) == 0
				: by->id == VALUE_MINUS	      ? 0 - scalar.integer
				: by->id == VALUE_COMPLEMENT ? ~scalar.integer
							      : scalar.integer;
	return put(operand, by->at, value_or_none(computation, type, number, scalar.why));
}

/* Replaces a value of a C++ library type by the pointer in it, or by its object. */
static bool
look_into(struct value_computation *computation, struct value_operand *operand, bool *object)
{
	struct library_value library;

	*object = false;
	if (!library_value_of(&operand->value.value, computation->arena, &library) ||
	    library.kind == LIBRARY_STRING || library.kind == LIBRARY_VECTOR ||
	    library.kind == LIBRARY_CONTAINER ||
	    (library.kind == LIBRARY_OPTIONAL && !library.engaged))
		return false;
	*object = library.kind == LIBRARY_OPTIONAL || library.kind == LIBRARY_ITERATOR;
	operand->value.value = library.inner;
	return true;
}

bool
value_follow(struct value_computation *computation, size_t at, struct value_operand *operand)
{
	const struct typed_value *value = &operand->value.value;
	bool object = false;

	value_look_through(computation, operand);
	if (value->type->kind == DEBUG_TYPE_STRUCTURE && look_into(computation, operand, &object) &&
	    object)
		return true;
	if (!decay(computation, operand))
		return false;
	if (value->type->kind == DEBUG_TYPE_FUNCTION)
		return true;
	if (!is_pointer(value->type))
		return value_fail(computation, at,
				  value->type->kind == DEBUG_TYPE_STRUCTURE
					  ? "expected a pointer, or a pointer or iterator of a "
					    "library that has an object now; this is %s"
					  : "expected a pointer, this is %s; a cast makes one: "
					    "*(long *)",
				  value->type->name);
	const struct debug_type *target = value_target_of(computation, value->type);
	if (target == NULL)
		return value_fail(computation, at, OUT_OF_MEMORY);
	if (target->kind == DEBUG_TYPE_VOID)
		return value_fail(computation, at,
				  "the target of a void * has no type; a cast gives it one");
	struct typed_value pointed = value_pointed(value, target, computation->arena);
	if (pointed.why != NULL)
		pointed.why = absent_part(computation, operand, pointed.why);
	value_add_use(computation, operand, NULL);
	operand->value = (struct variable_value){
		.location = pointed.in_memory ? VARIABLE_MEMORY : VARIABLE_COMPUTED,
		.value = pointed };
	operand->used = false;
	return true;
}

bool
value_index(struct value_computation *computation, size_t at, struct value_operand *array,
	    struct value_operand *index)
{
	const struct typed_value *value = &array->value.value;
	const struct value_operator add = { .id = VALUE_ADD, .at = at };
	struct value_scalar number;
	const char *why;
	bool found;

	value_look_through(computation, array);
	if (!value_container_index(computation, array, index, &found))
		return false;
	if (found) {
		array->used = false;
		return true;
	}
	if (!read_scalar(computation, index, &number))
		return false;
	if (value->type->kind != DEBUG_TYPE_ARRAY) {
		if (!is_pointer(value->type) && !is_pointer(number.type))
			return value_fail(computation, at, "%s: neither an array nor a pointer",
					  value->type->name);
		if (is_pointer(value->type))
			value_add_use(computation, array, NULL);
		if (!value_binary(computation, &add, array, index))
			return false;
		array->to = computation->at;
		array->used = value->why == NULL;
		return value_follow(computation, at, array);
	}
	const struct debug_type *element = value_target_of(computation, value->type);
	const uint64_t count = value_count(value, computation->arena, &why);

	if (element == NULL || is_float(number.type))
		return value_fail(computation, index->from, "expected a whole number");
	number.integer -= (uint64_t)value->type->lower;
	if (number.why == NULL && why == NULL && count > 0 && number.integer >= count)
		computation->result->note = arena_format(
			computation->arena,
			"element %" PRId64 " is not one of the %" PRIu64 " of the array",
			(int64_t)number.integer + value->type->lower, count);
	array->value.value = value_element(value, element, number.integer);
	if (number.why != NULL)
		array->value = value_of_none(computation, value->type, number.why);
	array->value.how = NULL;
	array->value.result = NULL;
	array->used = false;
	return true;
}
