/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include "frame_table/dwarf_expression.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/*
 * DWARF's stack machine run on texts: what lies on its stack are postfix expressions, so that
 * operations on the stack itself (dup, swap, pick) need no words of their own. DWARF 5, section
 * 2.5.1.
 */

enum {
	DEPTH = 32,
	TEXT = 400,		/* longest expression; real ones have under 100 bytes */
	MOST_OPERATIONS = 64,
};

struct stack_entry {
	char text[TEXT];
	bool is_number;
	int64_t number;
	uint64_t most;		/* the largest value that it can have */
};

struct dwarf_machine {
	const struct arch *arch;
	struct stack_entry stack[DEPTH];
	size_t depth;
	bool is_value;
	const char *cannot;
};

static const char too_long[] = "it is longer than any compiler's output";

static void
fail(struct dwarf_machine *machine, const char *why)
{
	if (machine->cannot == NULL)
		machine->cannot = why;
}

static struct stack_entry *
push(struct dwarf_machine *machine)
{
	if (machine->depth == DEPTH) {
		fail(machine, "it needs a deeper stack than any compiler's output");
		return NULL;
	}
	return &machine->stack[machine->depth++];
}

static struct stack_entry *
at(struct dwarf_machine *machine, size_t below_top)
{
	if (below_top < machine->depth)
		return &machine->stack[machine->depth - 1 - below_top];
	fail(machine, "an operation has too few operands");
	return NULL;
}

/* Make an entry a text, which may be made from the entry's own. */
static void ATTRIBUTE_PRINTF(3, 4)
set(struct dwarf_machine *machine, struct stack_entry *entry, const char *format, ...)
{
	char text[TEXT];
	va_list arguments;

	if (entry == NULL)
		return;
	va_start(arguments, format);
	const int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || length >= TEXT) {
		fail(machine, too_long);
		return;
	}
	*entry = (struct stack_entry){ .most = UINT64_MAX };
	memcpy(entry->text, text, (size_t)length + 1);
}

static void
push_number(struct dwarf_machine *machine, int64_t number)
{
	struct stack_entry *entry = push(machine);

	if (entry == NULL)
		return;
	set(machine, entry, "%" PRId64, number);
	entry->is_number = true;
	entry->number = number;
	entry->most = (uint64_t)number;
}

static void
push_register(struct dwarf_machine *machine, uint64_t dwarf, int64_t offset)
{
	const int reg = dwarf < INT32_MAX ? arch_dwarf_register(machine->arch, (int)dwarf)
					  : ARCH_NO_REGISTER;
	const char *name = reg >= 0 ? machine->arch->registers[reg].name : NULL;

	if (name == NULL)
		fail(machine, "it reads a register that walkers do not follow");
	else if (offset != 0)
		set(machine, push(machine), "%s %" PRId64 " +", name, offset);
	else
		set(machine, push(machine), "%s", name);
}

static void
push_copy(struct dwarf_machine *machine, size_t below_top)
{
	const struct stack_entry *from = at(machine, below_top);
	struct stack_entry *entry = from != NULL ? push(machine) : NULL;

	if (entry != NULL)
		*entry = *from;
}

/* Put `tail` behind the topmost text. */
static void
append(struct dwarf_machine *machine, const char *tail)
{
	struct stack_entry *top = at(machine, 0);

	if (top != NULL)
		set(machine, top, "%s %s", top->text, tail);
}

/* The two topmost texts become one with an operator behind. */
static void
join(struct dwarf_machine *machine, const char *operator)
{
	const struct stack_entry *second = at(machine, 0);
	struct stack_entry *first = at(machine, 1);

	if (first == NULL || second == NULL)
		return;
	set(machine, first, "%s %s %s", first->text, second->text, operator);
	machine->depth--;
}

static bool
is_power_of_two(uint64_t number)
{
	return number != 0 && (number & (number - 1)) == 0;
}

/* A mask of low bits is a remainder, one of high bits an alignment. */
static void
mask(struct dwarf_machine *machine)
{
	const struct stack_entry *second = at(machine, 0);
	struct stack_entry *first = at(machine, 1);

	if (first == NULL || second == NULL)
		return;
	const uint64_t low = (uint64_t)second->number + 1;
	const uint64_t high = arch_wrap(machine->arch, 0 - (uint64_t)second->number);
	const bool remainder = is_power_of_two(low);
	if (!second->is_number || (!remainder && !is_power_of_two(high))) {
		fail(machine, "postfix has no bitwise AND");
		return;
	}
	machine->depth--;
	set(machine, first, "%s %" PRIu64 " %s", first->text, remainder ? low : high,
	    remainder ? "%" : "@");
	if (remainder)
		first->most = low - 1;
}

/* `a >= b`, which linkers' procedure linkage tables use, where both are known to be small. */
static void
compare(struct dwarf_machine *machine)
{
	const struct stack_entry *second = at(machine, 0);
	struct stack_entry *first = at(machine, 1);
	uint64_t power = 2;

	if (first == NULL || second == NULL)
		return;
	if (!second->is_number || second->number < 0 || first->most >= 1u << 16 ||
	    (uint64_t)second->number > 1u << 16) {
		fail(machine, "postfix has no comparison");
		return;
	}
	while (power <= first->most || power < (uint64_t)second->number)
		power *= 2;
	machine->depth--;
	set(machine, first, "%s %" PRIu64 " + %" PRIu64 " /", first->text,
	    power - (uint64_t)second->number, power);
	first->most = 1;
}

static void
shift(struct dwarf_machine *machine, const char *operator)
{
	const struct stack_entry *top = at(machine, 0);

	if (top == NULL)
		return;
	if (!top->is_number || top->number < 0 || top->number > 31) {
		fail(machine, "it shifts by a value that is not constant");
		return;
	}
	machine->depth--;
	push_number(machine, (int64_t)(UINT64_C(1) << top->number));
	join(machine, operator);
}

static void
swap(struct dwarf_machine *machine, size_t one, size_t other)
{
	struct stack_entry *first = at(machine, one), *second = at(machine, other);

	if (first == NULL || second == NULL)
		return;
	const struct stack_entry kept = *first;
	*first = *second;
	*second = kept;
}

static void
run_operator(struct dwarf_machine *machine, const Dwarf_Op *operation)
{
	switch (operation->atom) {
	case DW_OP_dup:
		push_copy(machine, 0);
		break;
	case DW_OP_over:
		push_copy(machine, 1);
		break;
	case DW_OP_pick:
		push_copy(machine, (size_t)operation->number);
		break;
	case DW_OP_drop:
		machine->depth -= at(machine, 0) != NULL;
		break;
	case DW_OP_swap:
		swap(machine, 0, 1);
		break;
	case DW_OP_rot:		/* the topmost goes below the two others */
		swap(machine, 0, 1);
		swap(machine, 1, 2);
		break;
	case DW_OP_plus:
		join(machine, "+");
		break;
	case DW_OP_minus:
		join(machine, "-");
		break;
	case DW_OP_mul:
		join(machine, "*");
		break;
	case DW_OP_mod:
		join(machine, "%");
		break;
	case DW_OP_and:
		mask(machine);
		break;
	case DW_OP_ge:
		compare(machine);
		break;
	case DW_OP_shl:
		shift(machine, "*");
		break;
	case DW_OP_shr:
		shift(machine, "/");
		break;
	default:
		fail(machine, "postfix has no such operation");
		break;
	}
}

static void
run(struct dwarf_machine *machine, const Dwarf_Op *operation)
{
	const uint8_t atom = operation->atom;
	const int64_t number = (int64_t)operation->number;
	char tail[64];

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push_number(machine, atom - DW_OP_lit0);
	else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		push_number(machine, number);
	else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		push_register(machine, (uint64_t)atom - DW_OP_reg0, 0);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(machine, (uint64_t)atom - DW_OP_breg0, number);
	else if (atom == DW_OP_regx)
		push_register(machine, operation->number, 0);
	else if (atom == DW_OP_bregx)
		push_register(machine, operation->number, (int64_t)operation->number2);
	else if (atom == DW_OP_call_frame_cfa)
		set(machine, push(machine), ".cfa");
	else if (atom == DW_OP_deref || (atom == DW_OP_deref_size &&
					 operation->number == machine->arch->word_size))
		append(machine, "^");
	else if (atom == DW_OP_plus_uconst) {
		snprintf(tail, sizeof(tail), "%" PRId64 " +", number);
		append(machine, tail);
	} else if (atom == DW_OP_neg)
		append(machine, "-1 *");
	else if (atom != DW_OP_nop && atom != DW_OP_stack_value)
		run_operator(machine, operation);
	/* The register itself, not what is at its address. */
	machine->is_value |= atom == DW_OP_stack_value || atom == DW_OP_regx ||
			     (atom >= DW_OP_reg0 && atom <= DW_OP_reg31);
}

const char *
dwarf_expression_postfix(const struct arch *arch, const Dwarf_Op *operations, size_t count,
			 bool is_value, struct arena *arena, const char **cannot)
{
	struct dwarf_machine machine = { .arch = arch, .is_value = is_value };

	if (count > MOST_OPERATIONS)
		fail(&machine, too_long);
	for (size_t i = 0; i < count && machine.cannot == NULL; i++)
		run(&machine, &operations[i]);
	if (machine.cannot == NULL && machine.depth == 0)
		fail(&machine, "it leaves no value");
	if (machine.cannot == NULL && !machine.is_value)
		append(&machine, "^");
	*cannot = machine.cannot;
	if (machine.cannot != NULL)
		return NULL;
	const struct stack_entry *top = &machine.stack[machine.depth - 1];
	const char *text = arena_copy(arena, top->text, strlen(top->text));
	if (text == NULL)
		*cannot = OUT_OF_MEMORY;
	return text;
}

#endif
