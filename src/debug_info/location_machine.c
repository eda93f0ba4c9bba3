/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/location_machine.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "frame_table/dwarf_number.h"

enum {
	DEPTH = 64,
	LONGEST = 160,			/* maximum bytes of a postfix text */
	CALLS = 4,			/* maximum depth of calls of expressions */
	MOST_SHUFFLED = 3,		/* maximum number of values that a stack operation moves */
};

/* An expression that is running or has called the running expression. */
struct running {
	struct debug_expression expression;
	uint64_t at;
};

struct location_machine {
	const struct location_source *source;
	const struct location_start *start;
	struct arena *arena;
	struct location_result *result;
	struct running running[CALLS];
	size_t calls;
	struct dwarf_number stack[DEPTH];
	size_t depth;
	struct location_step step;
	struct location_part part;
	bool constant;			/* the last operation was the constant `written` */
	uint64_t written;
	bool described;			/* an operation has given the location of the part */
	bool entry_value;
	const char *why;		/* reason why the part cannot be computed */
	bool broken;			/* the following parts cannot be computed either */
};

/* Failures ------------------------------------------------------------------------------------- */

static const char cut_off[] = "the expression ends within an operation";
static const char too_few[] = "an operation has too few operands";

static void
fail(struct location_machine *machine, const char *why)
{
	if (machine->why == NULL)
		machine->why = why != NULL ? why : "out of memory";
}

/* Check an answer of the source: NULL is success; any other text is the reason to fail. */
static bool
answered(struct location_machine *machine, const char *why)
{
	if (why != NULL)
		fail(machine, why);
	return why == NULL;
}

/* The stack ------------------------------------------------------------------------------------ */

static unsigned
word_of(const struct location_machine *machine)
{
	return machine->source->arch->word_size;
}

static void
push_number(struct location_machine *machine, struct dwarf_number number)
{
	if (machine->depth == DEPTH) {
		fail(machine, "the expression needs more than 64 values at a time");
		return;
	}
	if (number.size == 0)
		number.size = word_of(machine);
	number.value = dwarf_number_cut(number.value, number.kind, number.size);
	number.made = machine->result->step_count;
	if (number.postfix != NULL && strlen(number.postfix) > LONGEST)
		number.postfix = "...";
	machine->stack[machine->depth++] = number;
}

static void
push(struct location_machine *machine, uint64_t value, const char *postfix)
{
	push_number(machine, (struct dwarf_number){ .value = value, .postfix = postfix });
}

static void
push_constant(struct location_machine *machine, uint64_t value)
{
	const int64_t number = (int64_t)value;

	machine->step.did = LOCATION_DID_NUMBER;
	push(machine, value,
	     number < 0 || number > 0xffff
		     ? arena_format(machine->arena, number > -0x10000 && number < 0 ? "%" PRId64
										    : "0x%" PRIx64,
				    number)
		     : arena_format(machine->arena, "%" PRIu64, value));
}

/* Pop the top value, which must exist. */
static struct dwarf_number
pop(struct location_machine *machine)
{
	return machine->stack[--machine->depth];
}

/* The top value, which must exist. */
static struct dwarf_number *
top(struct location_machine *machine)
{
	return &machine->stack[machine->depth - 1];
}

static void
set_top(struct location_machine *machine, uint64_t value, const char *word)
{
	struct dwarf_number *number = top(machine);

	number->value = dwarf_number_cut(value, number->kind, number->size);
	number->made = machine->result->step_count;
	number->postfix = number->postfix == NULL
				  ? NULL
				  : arena_format(machine->arena, "%s %s", number->postfix, word);
	if (number->postfix != NULL && strlen(number->postfix) > LONGEST)
		number->postfix = "...";
}

/* Operations with two operands ----------------------------------------------------------------- */

static void
run_binary(struct location_machine *machine, const struct dwarf_operation *operation)
{
	const struct dwarf_number right = pop(machine);
	struct dwarf_number left = pop(machine);

	machine->step.did = LOCATION_DID_COMPUTE;
	machine->step.name = operation->postfix;
	answered(machine,
		 dwarf_number_compute(operation->code, &right, word_of(machine), &left));
	left.postfix = left.postfix == NULL || right.postfix == NULL
			       ? NULL
			       : arena_format(machine->arena, "%s %s %s", left.postfix,
					      right.postfix, operation->postfix);
	push_number(machine, left);
}

/* Types ---------------------------------------------------------------------------------------- */

/* The kind and size of a base type at an offset in the unit; 0: a generic value. */
static bool
find_type(struct location_machine *machine, uint64_t offset, struct dwarf_number *like)
{
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	struct debug_entry entry;

	like->kind = NUMBER_GENERIC;
	like->size = word_of(machine);
	if (offset == 0)
		return true;
	const struct debug_type *type = debug_entry_at(home, offset, true, &entry)
						? debug_type_here(&entry, machine->arena) : NULL;
	if (type == NULL || type->size == 0 || type->size > 8 ||
	    (type->kind == DEBUG_TYPE_FLOAT && type->size != 4 && type->size != 8)) {
		fail(machine, "the expression computes with a type of more than 8 bytes");
		return false;
	}
	like->kind = type->kind == DEBUG_TYPE_FLOAT ? NUMBER_FLOAT
		     : type->is_signed ? NUMBER_SIGNED : NUMBER_UNSIGNED;
	like->size = (unsigned)type->size;
	return true;
}

/* Convert the type of the top number and keep its bits. */
static void
set_type(struct location_machine *machine, uint64_t type)
{
	struct dwarf_number like = { 0 };

	if (machine->why != NULL || !find_type(machine, type, &like))
		return;
	struct dwarf_number number = pop(machine);
	number.kind = like.kind;
	number.size = like.size;
	push_number(machine, number);
}

static bool
reads_typed_register(const struct dwarf_operation *operation)
{
	return operation->code == DWARF_OP_REGVAL_TYPE ||
	       operation->code == DWARF_OP_GNU_REGVAL_TYPE;
}

static void
run_convert(struct location_machine *machine, const struct dwarf_operation *operation,
	    uint64_t type)
{
	struct dwarf_number number = pop(machine), like = { 0 };

	machine->step.did = LOCATION_DID_CHANGE;
	machine->step.name = operation->name;
	if (!find_type(machine, type, &like))
		return;
	if (operation->code == DWARF_OP_CONVERT || operation->code == DWARF_OP_GNU_CONVERT)
		number.value = dwarf_number_convert(&number, &like);
	number.kind = like.kind;
	number.size = like.size;
	push_number(machine, number);
}

/* Values --------------------------------------------------------------------------------------- */

static const char *
label_of(const struct location_machine *machine, uint64_t number)
{
	const struct arch *arch = machine->source->arch;
	const int reg = number <= INT32_MAX ? arch_dwarf_register(arch, (int)number)
					    : ARCH_NO_REGISTER;

	if (reg != ARCH_NO_REGISTER)
		return arch_spelled(arch, reg);
	const struct arch_wide wide = arch_wide(arch, number);
	return wide.bank != NULL ? arena_format(machine->arena, "$%s", arch_wide_label(wide).text)
				 : arena_format(machine->arena, "$r%" PRIu64, number);
}

static void
push_named(struct location_machine *machine, uint64_t value, const char *name, int64_t offset)
{
	machine->step.did = LOCATION_DID_NAME;
	machine->step.name = name;
	machine->step.named = value;
	machine->step.added = offset;
	push(machine, value + (uint64_t)offset,
	     name == NULL ? NULL
	     : offset == 0 ? name
	     : offset < 0 ? arena_format(machine->arena, "%s %" PRIu64 " -", name,
					 0 - (uint64_t)offset)
			  : arena_format(machine->arena, "%s %" PRId64 " +", name, offset));
}

/* Push a named value that may be wider than a word, such as a double on a 32-bit CPU. */
static void
push_wide(struct location_machine *machine, uint64_t value, const char *name)
{
	push_named(machine, value, name, 0);
	if (machine->why == NULL && word_of(machine) < sizeof(value) &&
	    value >> 8 * word_of(machine) != 0) {
		top(machine)->kind = NUMBER_UNSIGNED;
		top(machine)->size = sizeof(value);
		top(machine)->value = value;
	}
}

static void
push_register(struct location_machine *machine, uint64_t number, int64_t offset)
{
	uint64_t value = 0;

	if (answered(machine, machine->source->reg(machine->source->context, number, &value)))
		push_named(machine, value, label_of(machine, number), offset);
}

static void
run_read(struct location_machine *machine, unsigned size)
{
	struct location_step *step = &machine->step;
	const struct dwarf_number *address = top(machine);
	uint64_t value = 0;

	if (size == 0 || size > 8) {
		fail(machine, "the expression reads a number of 0 or more than 8 bytes");
		return;
	}
	step->did = LOCATION_DID_READ;
	step->reads = true;
	step->address = address->value;
	step->size = size;
	if (!answered(machine, machine->source->memory(machine->source->context, address->value,
						       size, &value)))
		return;
	if (size > word_of(machine))
		top(machine)->size = size;
	set_top(machine, value,
		size == word_of(machine) ? "^" : arena_format(machine->arena, "^%u", size));
}

static void
run_entry(struct location_machine *machine, const struct reader *code)
{
	struct debug_expression expression = machine->running[machine->calls].expression;
	uint64_t value = 0, at = 0;
	struct dwarf_operands operands;

	expression.dwarf.code = *code;
	machine->entry_value = true;
	if (!answered(machine, machine->source->entry(machine->source->context, &expression,
						      NULL, &value)))
		return;
	const char *text = dwarf_expression_text(&expression.dwarf, machine->source->arch,
						 machine->arena);
	push_wide(machine, value,
		  text == NULL ? NULL : arena_format(machine->arena, "entry(%s)", text));
	const struct dwarf_operation *inner =
		dwarf_operation_read(&expression.dwarf, &at, &operands);
	if (inner != NULL && reads_typed_register(inner))
		set_type(machine, operands.numbers[1]);
}

static void
run_parameter(struct location_machine *machine, uint64_t offset)
{
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	const struct location_source *source = machine->source;
	struct debug_entry entry;
	uint64_t value = 0;

	machine->entry_value = true;
	if (!debug_entry_at(home, offset, true, &entry))
		fail(machine, "the parameter that the expression names is not in the file");
	else if (answered(machine, source->entry(source->context, NULL, &entry, &value)))
		push_wide(machine, value, "caller's argument");
}

/* Push the address of a variable. */
static void
push_loaded(struct location_machine *machine, const struct debug_home *home, uint64_t address)
{
	const struct location_source *source = machine->source;

	if (debug_home_is_object(home))
		fail(machine, "the variable has no address in its object file; dsymutil finds it");
	else
		push_constant(machine, source->loaded(source->context, home, address));
}

static void
run_indexed(struct location_machine *machine, uint64_t index, bool is_address)
{
	const struct debug_expression *expression = &machine->running[machine->calls].expression;
	uint64_t value;

	if (!debug_address_at(expression, index, &value))
		fail(machine,
		     "the unit's table of addresses lacks an entry that the expression uses");
	else if (is_address)
		push_loaded(machine, expression->home, value);
	else
		push_constant(machine, value);
}

static void
run_call(struct location_machine *machine, uint64_t offset, bool of_unit)
{
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	struct debug_expression expression;
	struct debug_entry entry;

	if (machine->calls + 1 == CALLS || !debug_entry_at(home, offset, of_unit, &entry))
		fail(machine, "the expression calls another one, which cannot be run");
	else if (answered(machine, machine->source->call(machine->source->context, &entry,
							 &expression)))
		machine->running[++machine->calls] = (struct running){ .expression = expression };
}

static void
run_jump(struct location_machine *machine, int64_t by)
{
	struct running *running = &machine->running[machine->calls];

	running->at += (uint64_t)by;
	if (running->at > running->expression.dwarf.code.size) {
		fail(machine, "the expression jumps out of itself");
		machine->broken = true;
	}
}

/* Run dup, drop, over, swap, rot or pick. `postfix` lists which popped values to push, by index. */
static void
run_stack(struct location_machine *machine, const struct dwarf_operation *operation,
	  uint64_t operand)
{
	struct dwarf_number were[MOST_SHUFFLED];
	size_t left = 0;

	if (operation->code == DWARF_OP_PICK && operand >= machine->depth) {
		fail(machine, too_few);
		return;
	}
	if (operation->code == DWARF_OP_PICK) {
		push_number(machine, machine->stack[machine->depth - 1 - operand]);
		return;
	}
	for (unsigned i = 0; i < operation->pops; i++)
		were[i] = pop(machine);
	for (const char *digit = operation->postfix; *digit != '\0'; digit++, left++) {
		const struct dwarf_number number = were[*digit - '0'];

		/* Each value beyond the number of popped values is a new copy. */
		if (left >= operation->pops)
			push_number(machine, number);
		else
			machine->stack[machine->depth++] = number;
	}
}

static void
run_unary(struct location_machine *machine, const struct dwarf_operation *operation,
	  uint64_t operand)
{
	const struct dwarf_number *number = top(machine);
	const uint64_t value = number->value;

	machine->step.did = operation->code == DWARF_OP_PLUS_UCONST ? LOCATION_DID_ADD
								      : LOCATION_DID_CHANGE;
	machine->step.name = operation->postfix;
	machine->step.added = (int64_t)operand;
	if (number->kind == NUMBER_FLOAT)
		fail(machine, "the expression computes with floating-point numbers");
	else if (operation->code == DWARF_OP_PLUS_UCONST)
		set_top(machine, value + operand,
			arena_format(machine->arena, "%" PRIu64 " +", operand));
	else
		set_top(machine,
			operation->code == DWARF_OP_NOT   ? ~value
			: operation->code == DWARF_OP_NEG ? 0 - value
			: dwarf_number_signed(number) < 0
				? 0 - (uint64_t)dwarf_number_signed(number)
				: value,
			operation->postfix);
}

/* Locations ------------------------------------------------------------------------------------ */

/* Set the location of the part; only its size may follow. */
static void
describe(struct location_machine *machine, struct location_part part)
{
	if (machine->described)
		fail(machine, "the expression gives two locations for the value");
	machine->described = true;
	machine->part = part;
}

/* Store the described part and begin the next one. */
static void
end_part(struct location_machine *machine, bool whole, uint64_t bits, uint64_t bit_offset)
{
	struct location_result *result = machine->result;
	struct location_part part = machine->part;

	if (result->count == LOCATION_PARTS) {
		machine->broken = true;
		return;
	}
	if (machine->why != NULL) {
		part = (struct location_part){ .kind = LOCATION_ABSENT, .why = machine->why };
	} else if (!machine->described && machine->depth > 0) {
		const struct dwarf_number *number = top(machine);
		part = (struct location_part){ .kind = LOCATION_MEMORY, .number = number->value,
					       .postfix = number->postfix };
	} else if (!machine->described) {
		part = (struct location_part){ .kind = LOCATION_ABSENT, .why = "optimised out" };
	}
	part.whole = whole;
	part.bits = bits;
	part.bit_offset = bit_offset;
	part.entry_value = machine->entry_value;
	result->parts[result->count++] = part;
	machine->part = (struct location_part){ 0 };
	machine->described = machine->entry_value = false;
	machine->why = NULL;
	machine->depth = 0;
}

/* Describe the top value. A constant that was pushed last keeps all its 8 bytes. */
static void
describe_value(struct location_machine *machine, bool constant)
{
	const struct dwarf_number number = pop(machine);

	describe(machine, (struct location_part){ .kind = LOCATION_VALUE, .number = number.value,
						  .constant = constant,
						  .written = machine->written,
						  .postfix = number.postfix });
}

static void
describe_pointer(struct location_machine *machine, uint64_t entry, int64_t offset)
{
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	struct location_part part = { .kind = LOCATION_POINTER, .offset = offset };

	if (debug_entry_at(home, entry, false, &part.target))
		describe(machine, part);
	else
		fail(machine, "the pointer's target is not in the file");
}

/* Running -------------------------------------------------------------------------------------- */

static void
run_typed(struct location_machine *machine, const struct dwarf_operation *operation,
	  const struct dwarf_operands *operands)
{
	struct dwarf_number number = { 0 };

	if (operation->code == DWARF_OP_CONST_TYPE ||
	    operation->code == DWARF_OP_GNU_CONST_TYPE) {
		if (!find_type(machine, operands->numbers[0], &number))
			return;
		if (!reader_unsigned(&operands->block, 0, (unsigned)operands->block.size,
				     &number.value)) {
			fail(machine, "a constant of the expression has an odd size");
			return;
		}
		number.postfix = arena_format(machine->arena, "0x%" PRIx64, number.value);
		machine->step.did = LOCATION_DID_NUMBER;
		push_number(machine, number);
		return;
	}
	const uint64_t from = operands->numbers[0];
	if (!reads_typed_register(operation))
		run_read(machine, (unsigned)from);
	else if (answered(machine, machine->source->reg(machine->source->context, from,
							&number.value)))
		push_wide(machine, number.value, label_of(machine, from));
	set_type(machine, operands->numbers[1]);
}

static void
run_special(struct location_machine *machine, const struct dwarf_operation *operation,
	    const struct dwarf_operands *operands)
{
	const struct location_source *source = machine->source;
	const uint64_t number = operands->numbers[0];
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	const char *postfix = NULL;
	struct dwarf_number popped;
	uint64_t value = 0;

	switch (operation->code) {
	case DWARF_OP_FBREG:
		if (answered(machine, source->frame_base(source->context, &value, &postfix)))
			push_named(machine, value, postfix, (int64_t)number);
		break;
	case DWARF_OP_CFA:
		if (answered(machine, source->cfa(source->context, &value)))
			push_named(machine, value, ".cfa", 0);
		break;
	case DWARF_OP_OBJECT:
		if (machine->start->has_object)
			push_named(machine, machine->start->object, "object", 0);
		else
			fail(machine, "the expression asks for the address of an object");
		break;
	case DWARF_OP_TLS:
	case DWARF_OP_GNU_TLS:
		machine->step.did = LOCATION_DID_CHANGE;
		machine->step.name = "tls";
		popped = pop(machine);
		if (answered(machine, source->thread_local(source->context, home, popped.value,
							   &value)))
			push(machine, value, arena_format(machine->arena, "tls(%s)",
							  popped.postfix != NULL ? popped.postfix
										 : "..."));
		break;
	case DWARF_OP_BRA:
		if (pop(machine).value != 0)
			run_jump(machine, (int64_t)number);
		break;
	case DWARF_OP_SKIP:
		run_jump(machine, (int64_t)number);
		break;
	default:
		fail(machine, arena_format(machine->arena, "the expression needs DW_OP_%s",
					   operation->name));
	}
}

static void
run_operation(struct location_machine *machine, const struct dwarf_operation *operation,
	      const struct dwarf_operands *operands)
{
	const struct debug_home *home = machine->running[machine->calls].expression.home;
	const uint64_t number = operands->numbers[0], second = operands->numbers[1];
	const bool constant = machine->constant;

	machine->constant = operation->does == DWARF_DOES_CONSTANT;
	if (machine->depth < operation->pops) {
		fail(machine, too_few);
		return;
	}
	switch (operation->does) {
	case DWARF_DOES_NOTHING:
		break;
	case DWARF_DOES_CONSTANT:
		machine->written = number;
		push_constant(machine, number);
		break;
	case DWARF_DOES_ADDRESS:
		push_loaded(machine, home, number);
		break;
	case DWARF_DOES_INDEXED:
		run_indexed(machine, number, operation->code == DWARF_OP_ADDRX ||
						     operation->code == DWARF_OP_GNU_ADDR_INDEX);
		break;
	case DWARF_DOES_REGISTER:
		describe(machine, (struct location_part){ .kind = LOCATION_REGISTER,
							  .number = number });
		break;
	case DWARF_DOES_BASED:
		push_register(machine, number, (int64_t)second);
		break;
	case DWARF_DOES_READ:
		run_read(machine, number == 0 ? word_of(machine) : (unsigned)number);
		break;
	case DWARF_DOES_BINARY:
		run_binary(machine, operation);
		break;
	case DWARF_DOES_UNARY:
		run_unary(machine, operation, number);
		break;
	case DWARF_DOES_STACK:
		run_stack(machine, operation, number);
		break;
	case DWARF_DOES_VALUE:
		describe_value(machine, constant);
		break;
	case DWARF_DOES_BYTES:
		describe(machine, (struct location_part){ .kind = LOCATION_BYTES,
							  .bytes = operands->block });
		break;
	case DWARF_DOES_POINTER:
		describe_pointer(machine, number, (int64_t)second);
		break;
	case DWARF_DOES_ENTRY:
		run_entry(machine, &operands->block);
		break;
	case DWARF_DOES_PARAMETER:
		run_parameter(machine, number);
		break;
	case DWARF_DOES_CALL:
		run_call(machine, number, operation->code != DWARF_OP_CALL_REF);
		break;
	case DWARF_DOES_CONVERT:
		run_convert(machine, operation, number);
		break;
	case DWARF_DOES_TYPED:
		run_typed(machine, operation, operands);
		break;
	case DWARF_DOES_PIECE:
		break;
	case DWARF_DOES_SPECIAL:
		run_special(machine, operation, operands);
		break;
	}
}

/* Store the executed step with the resulting stack. */
static void
record(struct location_machine *machine, bool fails)
{
	struct location_result *result = machine->result;
	const struct location_source *source = machine->source;

	if (!machine->start->records)
		return;
	struct location_step *kept = ARENA_PUSH(machine->arena, result->steps, result->step_count,
						result->step_capacity);
	struct location_cell *cells =
		arena_array(machine->arena, machine->depth + 1, sizeof(*cells));
	if (kept == NULL)
		return;
	*kept = machine->step;
	kept->depth = cells != NULL ? machine->depth : 0;
	kept->stack = cells;
	for (size_t i = 0; i < kept->depth; i++)
		cells[i] = (struct location_cell){ machine->stack[i].value,
						   machine->stack[i].made };
	kept->top = kept->depth > 0 ? cells[kept->depth - 1].value : 0;
	kept->why = fails ? machine->why : NULL;
	if (kept->did == LOCATION_DID_NAME && source->answer != NULL)
		kept->answer = source->answer(source->context);
}

/* Run the next operation. False at the end of the expression. */
static bool
run_next(struct location_machine *machine)
{
	struct running *running = &machine->running[machine->calls];
	struct location_step *step = &machine->step;
	struct dwarf_operands operands;

	*step = (struct location_step){ .reg = -1 };
	if (running->at >= running->expression.dwarf.code.size) {
		if (machine->calls == 0)
			return false;
		machine->calls--;
		return true;
	}
	const struct dwarf_operation *operation =
		dwarf_operation_read(&running->expression.dwarf, &running->at, &operands);
	if (operation == NULL) {
		fail(machine, operands.known ? cut_off : "the expression has an unknown operation");
		machine->broken = true;
		return false;
	}
	if ((operation->does == DWARF_DOES_REGISTER ||
	     operation->does == DWARF_DOES_BASED) && operands.numbers[0] <= INT32_MAX)
		step->reg = (int64_t)operands.numbers[0];
	if (machine->start->records)
		step->operation = dwarf_operation_text(operation, &operands,
						       &running->expression.dwarf,
						       machine->source->arch, machine->arena);
	/* After a failure only the sizes of parts are needed. */
	const bool runs = machine->why == NULL;
	if (runs)
		run_operation(machine, operation, &operands);
	if (runs || operation->does == DWARF_DOES_PIECE)
		record(machine, runs && machine->why != NULL);
	if (operation->does == DWARF_DOES_PIECE) {
		const bool bits = operation->code == DWARF_OP_BIT_PIECE;

		end_part(machine, false,
			 bits || operands.numbers[0] > UINT64_MAX / 8 ? operands.numbers[0]
								      : 8 * operands.numbers[0],
			 bits ? operands.numbers[1] : 0);
	}
	return !machine->broken;
}

void
location_run(const struct debug_expression *expression, const struct location_source *source,
	     const struct location_start *start, struct arena *arena,
	     struct location_result *result)
{
	struct location_machine machine = { .source = source, .start = start, .arena = arena,
					    .result = result };

	machine.running[0].expression = *expression;
	result->count = result->operations = result->step_count = result->step_capacity = 0;
	result->steps = NULL;
	if (start->pushes_object)
		push(&machine, start->object, "object");
	while (run_next(&machine))
		if (++result->operations == LOCATION_OPERATIONS) {
			fail(&machine, "the expression runs more than 10000 operations");
			break;
		}
	if (result->count == 0 || machine.why != NULL)
		end_part(&machine, result->count == 0, 0, 0);
}
