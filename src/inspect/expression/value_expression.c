/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/expression/value_expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/expression.h"
#include "inspect/expression/value_expression_internal.h"

/* Parses an expression from left to right, with two stacks. */

/* Maximum number of direct and indirect bases of a class, and of bytes of a number. */
enum { MOST_BASES = 64, MOST_DIGITS = 64 };
/* Maximum number of frames whose modules are determined. */
enum { MOST_FRAMES = 256 };
#define MOST_BYTES 4096u

bool
value_fail(struct value_computation *computation, size_t at, const char *format, ...)
{
	struct value_expression *result = computation->result;
	char text[2048];

	if (result->wrong != NULL)
		return false;
	TEXT_FORMAT(text, format);
	result->wrong = text_or_empty(arena_string(computation->arena, text));
	result->column = at + 1;
	return false;
}

struct text
value_operand_text(const struct value_computation *computation, const struct value_operand *operand)
{
	return text_trimmed((struct text){ computation->text.start + operand->from,
					   operand->to - operand->from });
}

void
value_add_use(struct value_computation *computation, struct value_operand *operand,
	      const char *function)
{
	struct value_expression *result = computation->result;
	const struct text text = value_operand_text(computation, operand);
	bool known = operand->used;

	for (size_t i = 0; i < result->use_count; i++)
		known |= text_equal(computation->uses[i].text, text);
	operand->used = true;
	if (!known)
		ARENA_ADD(computation->arena, computation->uses, result->use_count,
			  computation->use_capacity,
			  &(struct value_use){ text, operand->value, function });
	result->uses = computation->uses;
}

/* Operators ------------------------------------------------------------------------------------ */

/* Longer operators come before their prefixes: '<<' before '<'. */
static const struct {
	const char *sign;
	enum value_operator_id id;
	unsigned precedence;
} binaries[] = {
	{ "||", VALUE_OR, 1 }, { "&&", VALUE_AND, 2 }, { "==", VALUE_EQUAL, 6 },
	{ "!=", VALUE_UNEQUAL, 6 }, { "<<", VALUE_SHIFT_LEFT, 8 },
	{ ">>", VALUE_SHIFT_RIGHT, 8 }, { "<=", VALUE_LESS_EQUAL, 7 },
	{ ">=", VALUE_GREATER_EQUAL, 7 }, { "<", VALUE_LESS, 7 }, { ">", VALUE_GREATER, 7 },
	{ "|", VALUE_BIT_OR, 3 }, { "^", VALUE_BIT_XOR, 4 }, { "&", VALUE_BIT_AND, 5 },
	{ "@", VALUE_REPEAT, 9 }, { "+", VALUE_ADD, 10 }, { "-", VALUE_SUBTRACT, 10 },
	{ "*", VALUE_MULTIPLY, 11 }, { "/", VALUE_DIVIDE, 11 }, { "%", VALUE_MODULO, 11 },
};

static const struct {
	char sign;
	enum value_operator_id id;
} unaries[] = {
	{ '!', VALUE_NOT }, { '~', VALUE_COMPLEMENT }, { '-', VALUE_MINUS },
	{ '+', VALUE_PLUS }, { '*', VALUE_FOLLOW }, { '&', VALUE_ADDRESS },
};

enum { UNARY = 12 };

static char
sign_at(const struct value_computation *computation, size_t at)
{
	return at < computation->text.length ? computation->text.start[at] : '\0';
}

static bool
begins_with(const struct value_computation *computation, const char *sign)
{
	const struct text text = computation->text;
	const size_t length = strlen(sign);

	return text.length - computation->at >= length &&
	       memcmp(text.start + computation->at, sign, length) == 0;
}

static bool
push_operator(struct value_computation *computation, struct value_operator operator)
{
	if (computation->operator_count == VALUE_OPERATORS)
		return value_fail(computation, operator.at, "the expression is nested too deeply");
	computation->operators[computation->operator_count++] = operator;
	return true;
}

bool
value_push(struct value_computation *computation, size_t from, struct variable_value value)
{
	if (computation->operand_count == VALUE_OPERANDS)
		return value_fail(computation, from, "the expression has too many parts");
	computation->operands[computation->operand_count++] =
		(struct value_operand){ .value = value, .from = from, .to = computation->at };
	return computation->result->wrong == NULL;
}

/* Applies the topmost operator. */
static bool
reduce(struct value_computation *computation)
{
	const struct value_operator by = computation->operators[--computation->operator_count];
	struct value_operand *top = &computation->operands[computation->operand_count - 1];

	if (by.id >= VALUE_CAST && by.id <= VALUE_ADDRESS)
		return value_unary(computation, &by, top);
	computation->operand_count--;
	return by.id == VALUE_INDEX ? value_index(computation, by.at, top - 1, top)
				    : value_binary(computation, &by, top - 1, top);
}

/* Applies operators that bind at least as tightly as the next operator. */
static bool
reduce_to(struct value_computation *computation, unsigned precedence)
{
	while (computation->operator_count > 0 &&
	       computation->operators[computation->operator_count - 1].precedence >= precedence)
		if (!reduce(computation))
			return false;
	return true;
}

/* Numbers -------------------------------------------------------------------------------------- */

/* Finds the base of an integer and moves `*at` to its first digit. */
static unsigned
base_of(const char *digits, size_t *at)
{
	if (digits[0] != '0' || digits[1] == '\0')
		return 10;
	if (digits[1] == 'x' || digits[1] == 'X' || digits[1] == 'b' || digits[1] == 'B') {
		*at = 2;
		return digits[1] == 'x' || digits[1] == 'X' ? 16 : 2;
	}
	return 8;
}

static bool
push_real(struct value_computation *computation, size_t from, const char *digits)
{
	char *end;
	const double real = strtod(digits, &end);
	const bool narrow = *end == 'f' || *end == 'F';

	if (end[narrow] != '\0')
		return value_fail(computation, from, "expected a number");
	return value_push(computation, from, value_of_float(computation, value_basic_type(
				    computation, narrow ? VALUE_FLOAT : VALUE_DOUBLE), real));
}

/* The first of C's types that can hold a number (C11, 6.4.4.1); `which`: the first of the list. */
static const struct debug_type *
type_of_number(struct value_computation *computation, uint64_t number, bool decimal,
	       bool is_unsigned, enum value_basic which)
{
	const struct debug_type *type;

	while ((type = value_basic_type(computation, which)) != NULL &&
	       which < VALUE_UNSIGNED_LONG_LONG &&
	       ((type->is_signed ? is_unsigned : decimal && !is_unsigned) ||
		number > UINT64_MAX >> (64 - 8 * type->size + type->is_signed)))
		which++;
	return type;
}

static bool
push_number(struct value_computation *computation)
{
	const size_t from = computation->at;
	size_t length = 0, at = 0, longs = 0;
	char digits[MOST_DIGITS + 1];
	uint64_t number = 0;
	bool is_unsigned = false;

	for (char sign = sign_at(computation, from); length < MOST_DIGITS;
	     sign = sign_at(computation, ++computation->at)) {
		const bool exponent = length > 0 && (sign == '+' || sign == '-') &&
				      strchr("eE", digits[length - 1]) != NULL &&
				      strpbrk(digits, "xX") == NULL;

		if (!exponent && sign != '.' && (sign < '0' || sign > '9') &&
		    ((sign | 0x20) < 'a' || (sign | 0x20) > 'z'))
			break;
		digits[length++] = sign;
		digits[length] = '\0';
	}
	const unsigned base = base_of(digits, &at);
	if (base != 16 && strpbrk(digits, ".eE") != NULL)
		return push_real(computation, from, digits);
	const size_t first = at;
	for (; digits[at] != '\0'; at++) {
		const int letter = digits[at] | 0x20;
		const unsigned digit = letter >= 'a' ? (unsigned)(letter - 'a') + 10
						     : (unsigned)(digits[at] - '0');
		if (digit >= base || digits[at] < '0')
			break;
		if (number > (UINT64_MAX - digit) / base)
			return value_fail(computation, from, "the number has more than 64 bits");
		number = number * base + digit;
	}
	if (at == first)
		return value_fail(computation, from, "expected a number");
	for (; digits[at] != '\0'; at++) {
		longs += (digits[at] | 0x20) == 'l';
		is_unsigned |= (digits[at] | 0x20) == 'u';
		if (strchr("lLuU", digits[at]) == NULL)
			return value_fail(computation, from + at,
					  base == 10 ? "expected a decimal digit; hexadecimal "
						       "numbers begin with 0x"
						     : "expected a digit of the number");
	}
	const enum value_basic least =
		longs > 1 ? VALUE_LONG_LONG : longs == 1 ? VALUE_LONG : VALUE_INT;
	return value_push(computation, from, value_of_number(computation, type_of_number(
		computation, number, base == 10, is_unsigned, least), number));
}

/* Reads a character in quotes: 'a', '\n', '\0'. */
static bool
push_character(struct value_computation *computation)
{
	static const char letters[] = "abfnrtv0", codes[] = "\a\b\f\n\r\t\v";
	const size_t from = computation->at++;
	char sign = sign_at(computation, computation->at++);
	uint64_t number = (unsigned char)sign;

	if (sign == '\\') {
		sign = sign_at(computation, computation->at++);
		const char *known = sign != '\0' ? strchr(letters, sign) : NULL;
		number = known != NULL ? (unsigned char)codes[known - letters]
				       : (unsigned char)sign;
	}
	if (sign == '\0' || sign_at(computation, computation->at) != '\'')
		return value_fail(computation, from, "expected one character in quotes");
	computation->at++;
	return value_push(computation, from, value_of_number(
		computation, value_basic_type(computation, VALUE_CHAR), number));
}

/* Names ---------------------------------------------------------------------------------------- */

/* Reads a register of the frame: registers that hold pointers have a pointer type. */
static bool
push_register(struct value_computation *computation)
{
	struct value_frame *variables = computation->variables;
	const struct walk *walk = variables->walk;
	const struct arch *arch = walk->arch;
	const size_t from = computation->at;
	const size_t end = value_name_end(computation->text, from + 1);
	const struct text name = { computation->text.start + from, end - from };
	const int reg = expression_register(arch, name);

	computation->at = end;
	if (reg == ARCH_NO_REGISTER)
		return value_fail(computation, from, "no such register");
	const bool address = reg == arch->pc || reg == arch->sp || reg == arch->fp;
	const struct debug_type *type = value_basic_type(computation, address ? VALUE_VOID
						: arch->register_size == 8 ? VALUE_LONG_LONG
									   : VALUE_INT);
	if (address)
		type = value_pointer_to(computation, type);
	const struct registers *registers = &walk->frames[variables->number].registers;
	const char *label = arch->registers[reg].label;
	const char *why = registers_known(registers, reg)
				  ? NULL
				  : arena_format(computation->arena,
						 "register %s has no value in this frame", label);
	struct variable_value value =
		value_or_none(computation, type, registers->value[reg], why);
	value.how = arena_format(computation->arena, "register %s", label);
	if (!value_push(computation, from, value))
		return false;
	value_add_use(computation, &computation->operands[computation->operand_count - 1], NULL);
	return true;
}

/* Finds a member by name in a type, then in its bases and unnamed members, nearest first. */
static bool
find_member(struct value_computation *computation, const struct typed_value *value,
	    struct text name, struct typed_value *found, const struct debug_member **is_static)
{
	struct typed_value waiting[MOST_BASES] = { *value };
	struct debug_member *members;

	for (size_t done = 0, count = 1; done < count; done++) {
		const size_t member_count = debug_type_members(waiting[done].type,
							       computation->arena, &members);

		for (size_t i = 0; i < member_count; i++) {
			const struct debug_member *member = &members[i];
			const bool inner = member->base || *member->name == '\0';

			if (!inner && text_is(name, member->name)) {
				*is_static = member->is_static ? member : NULL;
				*found = member->is_static ? *value : value_member(
					&waiting[done], member, computation->arena);
				return true;
			}
			if (inner && !member->is_static && count < MOST_BASES)
				waiting[count++] = value_member(&waiting[done], member,
								computation->arena);
		}
	}
	return false;
}

/* The value of the static variable that `entry` of the debug information describes. */
static bool
value_of_entry(struct value_computation *computation, struct value_frame *variables,
	       const struct debug_entry *entry, struct variable_value *value)
{
	const struct debug_variable variable = { .name = "", .entry = *entry };

	return variable_value_of(variables, &variable, computation->arena, value);
}

static bool
take_member(struct value_computation *computation, struct value_operand *operand, struct text name)
{
	const struct typed_value *value = &operand->value.value;
	const struct debug_member *is_static = NULL;
	struct debug_named named;
	struct typed_value found;

	if (!find_member(computation, value, name, &found, &is_static))
		return false;
	if (is_static == NULL) {
		operand->value.value = found;
	} else if (!value_of_entry(computation, computation->variables, &is_static->entry,
				   &operand->value) ||
		   operand->value.location == VARIABLE_ABSENT) {
		const char *whole = arena_format(computation->arena, "%s::%.*s", value->type->name,
						 (int)name.length, name.start);
		if (whole != NULL &&
		    debug_named(&computation->variables->scopes, DEBUG_WANTED_VALUE,
				DEBUG_TYPE_UNKNOWN, whole, computation->arena, &named))
			value_of_entry(computation, computation->variables, &named.entry,
				       &operand->value);
	}
	operand->value.how = NULL;
	operand->value.result = NULL;
	operand->used = false;
	return true;
}

/* Reports an unknown member name, with a similar name or a list of the members. */
static bool
refuse_member(struct value_computation *computation, size_t at, const struct typed_value *value,
	      struct text name)
{
	struct text_near near = text_near(name);
	struct debug_member *members;
	const size_t count = value_members(value, computation->arena, &members);
	const char *nearest = NULL, *list = "";

	for (size_t i = 0; i < count && list != NULL; i++) {
		if (*members[i].name == '\0' || members[i].base)
			continue;
		if (text_near_offer(&near, text_of(members[i].name)))
			nearest = members[i].name;
		if (strlen(list) < 120)
			list = arena_format(computation->arena, "%s%s%s", list,
					    *list != '\0' ? ", " : "", members[i].name);
	}
	return value_fail(computation, at, "%s has no member '%.*s'; %s%s", value->type->name,
			  TEXT_UPTO(name, 60), nearest != NULL ? "did you mean " : "its members: ",
			  nearest != NULL ? nearest : text_or_empty(list));
}

/* Whether `()` follows a name. Sets `*after` to the end of `()`. */
static bool
is_call(const struct value_computation *computation, size_t at, size_t *after)
{
	at = value_skip_blanks(computation->text, at);
	if (sign_at(computation, at) != '(')
		return false;
	*after = value_skip_blanks(computation->text, at + 1) + 1;
	return sign_at(computation, *after - 1) == ')';
}

/* Reads `.name` or `->name` after an operand. */
static bool
read_member(struct value_computation *computation, bool arrow)
{
	struct value_operand *operand = &computation->operands[computation->operand_count - 1];
	const struct typed_value *value = &operand->value.value;
	const size_t sign = computation->at;
	size_t after;
	bool called;

	computation->at += arrow ? 2 : 1;
	computation->at = value_skip_blanks(computation->text, computation->at);
	const size_t from = computation->at, end = value_name_end(computation->text, from);
	const struct text name = { computation->text.start + from, end - from };
	if (end == from)
		return value_fail(computation, from, "expected the name of a member");
	computation->at = end;
	value_look_through(computation, operand);
	/* As in gdb, `.` and `->` work for objects and for pointers. */
	if ((arrow || value->type->kind == DEBUG_TYPE_POINTER) &&
	    (value->type->kind != DEBUG_TYPE_STRUCTURE && value->type->kind != DEBUG_TYPE_UNION)) {
		if (!value_follow(computation, sign, operand))
			return false;
	} else if (arrow && value->type->kind == DEBUG_TYPE_STRUCTURE) {
		/* A smart pointer or iterator leads to the object with the member. */
		struct value_operand inner = *operand;

		if (!take_member(computation, operand, name)) {
			if (!value_follow(computation, sign, &inner))
				return false;
			*operand = inner;
		} else {
			operand->to = end;
			return true;
		}
	}
	value_look_through(computation, operand);
	if (is_call(computation, end, &after)) {
		if (!value_container_call(computation, operand, name, &called))
			return false;
		computation->at = called ? after : end;
		operand->to = computation->at;
		operand->used = called;
		if (called)
			return true;
	}
	if (value->type->kind != DEBUG_TYPE_STRUCTURE && value->type->kind != DEBUG_TYPE_UNION)
		return value_fail(computation, sign, "%s has no members", value->type->name);
	if (value->type->declared)
		return value_fail(computation, sign,
				  "%s is only declared in the debug information, not defined",
				  value->type->name);
	if (!take_member(computation, operand, name)) {
		struct value_operand inner = *operand;

		if (!value_container_object(computation, &inner) ||
		    !take_member(computation, &inner, name))
			return refuse_member(computation, from, value, name);
		*operand = inner;
	}
	operand->to = end;
	return true;
}

/* Finds a static variable, a function or an enumerator in the file of the frame of `variables`. */
static bool
find_static_in(struct value_computation *computation, struct value_frame *variables,
	       const char *name, struct variable_value *value)
{
	const struct debug_scopes *scopes = &variables->scopes;
	const struct walk *walk = variables->walk;
	struct debug_enumerator *all;
	struct debug_named named;

	if (scopes->count == 0 ||
	    !debug_named(scopes, DEBUG_WANTED_VALUE, DEBUG_TYPE_UNKNOWN, name, computation->arena,
			 &named))
		return false;
	if (named.is_function) {
		const struct debug_type *type = debug_type_here(&named.entry, computation->arena);
		const int module = walk->frames[variables->number].module;
		*value = (struct variable_value){ .location = VARIABLE_MEMORY, .value = {
			.type = type, .frame = variables, .in_memory = true,
			.address = walk->crash->modules[module].base + named.address } };
		return type != NULL;
	}
	if (!named.is_enumerator)
		return value_of_entry(computation, variables, &named.entry, value);
	const struct debug_type *type = debug_type_here(&named.enumeration, computation->arena);
	const size_t count = type != NULL
				     ? debug_type_enumerators(type, computation->arena, &all) : 0;
	const char *last = strrchr(name, ':');
	for (size_t i = 0; i < count; i++) {
		const char *own = strrchr(all[i].name, ':');
		if (strcmp(own != NULL ? own + 1 : all[i].name, last != NULL ? last + 1 : name) !=
		    0)
			continue;
		*value = value_of_number(computation, type, (uint64_t)all[i].value);
		value->location = VARIABLE_CONSTANT;
		return true;
	}
	return false;
}

struct value_frame *
value_files_next(struct value_computation *computation, struct value_files *files)
{
	struct value_frame *variables = computation->variables;
	struct walk *walk = variables->walk;

	if (files->count == 0) {
		files->tried[files->count++] = walk->frames[variables->number].module;
		return variables;
	}
	for (; files->frame < walk->count && files->frame < MOST_FRAMES; files->frame++) {
		const int module = walk->frames[files->frame].module;
		size_t at = 0;

		while (at < files->count && files->tried[at] != module)
			at++;
		if (at < files->count || module == MODULE_NONE || files->count == VALUE_FILES)
			continue;
		struct value_frame *other = frame_variables_of(walk, variables->memory,
							       files->frame, computation->arena);
		if (other == NULL)
			return NULL;
		/* A frame without debug information does not prove that its module has none. */
		if (other->why != NULL)
			continue;
		files->tried[files->count++] = module;
		return other;
	}
	return NULL;
}

/* Finds a static variable, a function or an enumerator in the files of the walk's modules. */
static bool
find_static(struct value_computation *computation, size_t from, size_t end,
	    struct variable_value *value)
{
	const char *name = value_name_copy(computation, from, end);
	struct value_files files = { .count = 0 };
	struct value_frame *variables;

	while (name != NULL && (variables = value_files_next(computation, &files)) != NULL)
		if (find_static_in(computation, variables, name, value))
			return true;
	return false;
}

/* Finds a member of the object that `this` points to. */
static bool
find_in_this(struct value_computation *computation, struct text name, struct value_operand *operand)
{
	struct value_frame *variables = computation->variables;
	size_t call;
	const struct debug_variable *self =
		value_variable(variables, computation->call, text_of("this"), &call);

	if (self == NULL ||
	    !variable_value_of(variables, self, computation->arena, &operand->value) ||
	    operand->value.value.type->kind != DEBUG_TYPE_POINTER)
		return false;
	const struct debug_type *type = value_target_of(computation, operand->value.value.type);
	const struct debug_member *is_static;
	struct typed_value object = { .type = type, .frame = variables }, found;
	return type != NULL && find_member(computation, &object, name, &found, &is_static) &&
	       value_follow(computation, operand->from, operand) &&
	       take_member(computation, operand, name);
}

static bool
push_truth(struct value_computation *computation, size_t from, struct text name)
{
	const bool truth = text_is(name, "true");
	const bool null = text_is(name, "NULL") || text_is(name, "nullptr");
	const struct debug_type *type =
		value_basic_type(computation, null ? VALUE_VOID : VALUE_BOOL);

	if (!truth && !null && !text_is(name, "false"))
		return false;
	if (null)
		type = value_pointer_to(computation, type);
	value_push(computation, from, value_of_number(computation, type, truth));
	return true;
}

/* Finds a function that has a symbol but no debug information. */
static bool
find_function(struct value_computation *computation, struct text name, struct variable_value *value)
{
	uint64_t address;

	if (computation->around == NULL || !surroundings_find(computation->around, name, &address))
		return false;
	const struct debug_type *type =
		value_pointer_to(computation, value_basic_type(computation, VALUE_VOID));
	*value = value_of_number(computation, type, address);
	return true;
}

/* Maximum number of frames to search for a name that the chosen frame does not have. */
enum { MOST_OTHER_FRAMES = 32 };

/* A note that names the frame with a variable of this name; empty: none was found. */
static const char *
other_frame(const struct value_computation *computation, struct text name)
{
	struct walk *walk = computation->variables->walk;
	const char *found = "";
	struct arena arena = { 0 };
	size_t call;

	for (size_t i = 0; i < walk->count && i < MOST_OTHER_FRAMES && *found == '\0'; i++) {
		struct value_frame *variables =
			frame_variables_of(walk, computation->variables->memory, i, &arena);

		if (variables != NULL && value_variable(variables, 0, name, &call) != NULL)
			found = text_or_empty(arena_format(computation->arena,
							   "; frame %zu has it", i));
	}
	arena_free(&arena);
	return found;
}

static bool
refuse_name(struct value_computation *computation, size_t from, struct text name)
{
	const char *why = computation->variables->why;

	if (value_is_keyword(name))
		return value_fail(computation, from,
				  "expected the name of a type that the debug information has");
	if (expression_register(computation->variables->walk->arch, name) != ARCH_NO_REGISTER)
		return value_fail(computation, from, "the name of a register begins with '$'");
	return value_fail(computation, from,
			  why != NULL
				  ? "'%.*s': no such function, and no variables: %s"
				  : "no variable, function or enumerator '%.*s' is known here%s",
			  TEXT_UPTO(name, 100),
			  why != NULL ? why : other_frame(computation, name));
}

static bool
push_name(struct value_computation *computation, size_t from)
{
	struct value_frame *variables = computation->variables;
	const struct text name = { computation->text.start + from, computation->at - from };
	struct value_operand operand = { .from = from, .to = computation->at };
	size_t call;
	const struct debug_variable *found =
		value_variable(variables, computation->call, name, &call);
	const char *function = found != NULL && call != computation->call
				       ? variables->scopes.items[call].name : NULL;

	if (found != NULL) {
		if (!variable_value_of(variables, found, computation->arena, &operand.value))
			return value_fail(computation, from, OUT_OF_MEMORY);
	} else if (!find_in_this(computation, name, &operand)) {
		operand = (struct value_operand){ .from = from, .to = computation->at };
		if (push_truth(computation, from, name))
			return computation->result->wrong == NULL;
		if (!find_static(computation, from, computation->at, &operand.value) &&
		    !find_function(computation, name, &operand.value) &&
		    !value_find_object(computation, name, &operand.value))
			return refuse_name(computation, from, name);
	}
	if (!value_push(computation, from, operand.value))
		return false;
	if (operand.value.location != VARIABLE_CONSTANT)
		value_add_use(computation, &computation->operands[computation->operand_count - 1],
			      function);
	return true;
}

/* Parsing -------------------------------------------------------------------------------------- */

/* Handles a word: `sizeof`, a C++ cast or a name. Sets `*done` if a value must follow. */
static bool
read_word(struct value_computation *computation, size_t from, bool *done)
{
	const struct text word = { computation->text.start + from, computation->at - from };
	static const char *const casts[] = { "static_cast", "reinterpret_cast", "const_cast" };
	struct value_operator operator = { .precedence = UNARY, .at = from };

	*done = false;
	computation->at = value_skip_blanks(computation->text, computation->at);
	size_t at = computation->at;
	const char sign = sign_at(computation, at++);
	if (text_is(word, "sizeof")) {
		*done = true;
		const struct debug_type *type =
			sign == '(' ? value_read_type(computation, &at) : NULL;
		if (type == NULL || sign_at(computation, at) != ')') {
			operator.id = VALUE_SIZE;
			return push_operator(computation, operator);
		}
		computation->at = at + 1;
		return value_push(
			       computation, from,
			       value_of_number(computation, value_size_type(computation, false),
					       type->size)) &&
		       (*done = false, true);
	}
	for (size_t i = 0; i < ARRAY_COUNT(casts) && sign == '<'; i++) {
		if (!text_is(word, casts[i]))
			continue;
		operator = (struct value_operator){ VALUE_CAST, UNARY + 1, from, NULL };
		operator.type = value_read_type(computation, &at);
		*done = true;
		if (operator.type == NULL || sign_at(computation, at) != '>')
			return value_fail(computation, at, "expected the name of a type");
		computation->at = at + 1;
		return push_operator(computation, operator);
	}
	computation->at = from + word.length;
	return push_name(computation, from);
}

/* Reads a parenthesis, which begins a cast or an expression. */
static bool
read_parenthesis(struct value_computation *computation)
{
	struct value_operator operator = { .id = VALUE_PARENTHESIS, .at = computation->at };
	size_t at = computation->at + 1;
	const struct debug_type *type = value_read_type(computation, &at);

	if (type != NULL && sign_at(computation, at) == ')') {
		operator = (struct value_operator){ VALUE_CAST, UNARY, computation->at, type };
		computation->at = at;
	}
	computation->at++;
	return push_operator(computation, operator);
}

/* Reads a prefix operator or a value. Sets `*done` if it was a value. */
static bool
read_operand(struct value_computation *computation, bool *done)
{
	const size_t from = computation->at;
	const char sign = sign_at(computation, from);
	const size_t end = value_name_end(computation->text, from);
	bool more;

	*done = true;
	if (sign >= '0' && sign <= '9')
		return push_number(computation);
	if (sign == '\'')
		return push_character(computation);
	if (sign == '"')
		return value_push_text(computation);
	if (sign == '$')
		return push_register(computation);
	if (end > from) {
		computation->at = end;
		const bool good = read_word(computation, from, &more);
		*done = !more;
		return good;
	}
	*done = false;
	if (sign == '(')
		return read_parenthesis(computation);
	for (size_t i = 0; i < ARRAY_COUNT(unaries); i++)
		if (unaries[i].sign == sign && sign != '\0') {
			computation->at++;
			return push_operator(computation, (struct value_operator){
				.id = unaries[i].id, .precedence = UNARY, .at = from });
		}
	return value_fail(computation, from, "expected a variable, a number or a register");
}

/* Handles a closing bracket: applies the operators after its opening bracket. */
static bool
close_bracket(struct value_computation *computation, enum value_operator_id opened)
{
	if (!reduce_to(computation, 1))
		return false;
	const struct value_operator *top =
		computation->operator_count > 0
			? &computation->operators[computation->operator_count - 1] : NULL;
	if (top == NULL || top->id != opened)
		return value_fail(computation, computation->at,
				  opened == VALUE_INDEX ? "']' without '['" : "')' without '('");
	struct value_operand *operand = &computation->operands[computation->operand_count - 1];
	const size_t from = top->at;
	computation->at++;
	if (opened == VALUE_INDEX ? !reduce(computation) : computation->operator_count-- == 0)
		return false;
	operand = &computation->operands[computation->operand_count - 1];
	operand->to = computation->at;
	if (opened == VALUE_PARENTHESIS)
		operand->from = from;
	/* A cast of C++ is applied before an index or a member that follows it. */
	return reduce_to(computation, UNARY + 1);
}

/* Reads the operator or bracket after a value. Sets `*operand` if another value must follow. */
static bool
read_operator(struct value_computation *computation, bool *operand)
{
	const size_t at = computation->at;
	const char sign = sign_at(computation, at);

	*operand = false;
	if (begins_with(computation, "->") || sign == '.')
		return read_member(computation, sign == '-');
	if (sign == ')' || sign == ']')
		return close_bracket(computation, sign == ')' ? VALUE_PARENTHESIS : VALUE_INDEX);
	*operand = true;
	if (sign == '[') {
		computation->at++;
		return push_operator(computation,
				     (struct value_operator){ .id = VALUE_INDEX, .at = at });
	}
	for (size_t i = 0; i < ARRAY_COUNT(binaries); i++) {
		if (!begins_with(computation, binaries[i].sign))
			continue;
		computation->at += strlen(binaries[i].sign);
		return reduce_to(computation, binaries[i].precedence) &&
		       push_operator(computation, (struct value_operator){
			       .id = binaries[i].id, .precedence = binaries[i].precedence,
			       .at = at });
	}
	return value_fail(computation, at,
			  sign == '('   ? "functions cannot be called: there is no process"
			  : sign == '=' ? "nothing can be assigned; '==' compares"
					: "expected an operator or the end");
}

static bool
parse(struct value_computation *computation)
{
	bool expects_operand = true, done;

	for (;;) {
		computation->at = value_skip_blanks(computation->text, computation->at);
		if (computation->at >= computation->text.length && !expects_operand)
			break;
		if (!expects_operand) {
			if (!read_operator(computation, &expects_operand))
				return false;
		} else if (read_operand(computation, &done)) {
			expects_operand = !done;
		} else {
			return false;
		}
	}
	if (!reduce_to(computation, 1))
		return false;
	if (computation->operator_count > 0)
		return value_fail(computation, computation->operators[computation->operator_count -
								      1].at,
				  computation->operators[computation->operator_count - 1].id ==
						  VALUE_INDEX ? "'[' without ']'"
							      : "'(' without ')'");
	return true;
}

struct value_expression
value_expression_of(struct value_frame *variables, size_t call, struct text text,
		    struct surroundings *around, struct arena *arena)
{
	struct value_computation *computation = arena_alloc(arena, sizeof(*computation));
	struct value_expression result = { .wrong = NULL };

	if (computation == NULL)
		return (struct value_expression){ .wrong = OUT_OF_MEMORY, .column = 1 };
	*computation = (struct value_computation){
		.variables = variables, .call = call, .around = around, .text = text,
		.arena = arena, .result = &result,
		.is_c = variables->scopes.count == 0 || debug_is_c(&variables->scopes) };
	if (text.length > MOST_BYTES)
		value_fail(computation, MOST_BYTES, "the expression is too long");
	else if (parse(computation) && result.wrong == NULL)
		result.value = computation->operands[0].value;
	return result;
}

bool
value_expression_names_variable(struct value_frame *variables, struct text text)
{
	size_t call;

	for (size_t at = 0; at < text.length;) {
		const size_t end = value_name_end(text, at);
		const char before = at > 0 ? text.start[at - 1] : ' ';
		const struct text name = { text.start + at, end - at };

		if (end > at && before != '$' && before != '@' && before != '.' && before != '>' &&
		    before != '!' && (before < '0' || before > '9') &&
		    value_variable(variables, 0, name, &call) != NULL)
			return true;
		at = end > at ? end : at + 1;
	}
	return false;
}
