/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/dwarf_expression.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

/*
 * DWARF's stack machine run on texts: what lies on its stack are postfix expressions, so that
 * operations on the stack itself (dup, swap, pick) need no words of their own. DWARF 5, section 2.5.1.
 */

enum {
	DEPTH = 32,
	TEXT = 400,		/* longest expression; real ones have under 100 bytes */
};

enum {
	OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONSTS = 0x11, OP_DUP = 0x12, OP_DROP = 0x13,
	OP_OVER = 0x14, OP_PICK = 0x15, OP_SWAP = 0x16, OP_ROT = 0x17, OP_AND = 0x1a, OP_DIV = 0x1b,
	OP_MINUS = 0x1c, OP_MOD = 0x1d, OP_MUL = 0x1e, OP_NEG = 0x1f, OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23, OP_SHL = 0x24, OP_SHR = 0x25, OP_GE = 0x2a, OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f, OP_REG0 = 0x50, OP_REG31 = 0x6f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f,
	OP_REGX = 0x90, OP_BREGX = 0x92, OP_DEREF_SIZE = 0x94, OP_NOP = 0x96,
	OP_CALL_FRAME_CFA = 0x9c, OP_STACK_VALUE = 0x9f,
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
	struct stack_entry *entry = &machine->stack[machine->depth++];
	*entry = (struct stack_entry){ .most = UINT64_MAX };
	return entry;
}

static struct stack_entry *
at(struct dwarf_machine *machine, size_t below_top)
{
	if (below_top < machine->depth)
		return &machine->stack[machine->depth - 1 - below_top];
	fail(machine, "an operation has too few operands");
	return NULL;
}

static void
set_text(struct dwarf_machine *machine, struct stack_entry *entry, const char *text)
{
	if (strlen(text) >= sizeof(entry->text))
		fail(machine, "it is longer than any compiler's output");
	else
		memcpy(entry->text, text, strlen(text) + 1);
}

static void
push_number(struct dwarf_machine *machine, int64_t number)
{
	struct stack_entry *entry = push(machine);

	if (entry == NULL)
		return;
	snprintf(entry->text, sizeof(entry->text), "%" PRId64, number);
	entry->is_number = true;
	entry->number = number;
	entry->most = (uint64_t)number;
}

static const char *
register_name(struct dwarf_machine *machine, uint64_t dwarf)
{
	const int reg = dwarf < INT32_MAX ? arch_dwarf_register(machine->arch, (int)dwarf)
					  : ARCH_NO_REGISTER;
	const char *name = reg >= 0 ? machine->arch->registers[reg].name : NULL;

	if (name == NULL)
		fail(machine, "it reads a register that walkers do not follow");
	return name != NULL ? name : "";
}

static void
push_register(struct dwarf_machine *machine, uint64_t dwarf, int64_t offset)
{
	struct stack_entry *entry = push(machine);
	const char *name = register_name(machine, dwarf);

	if (entry != NULL && offset != 0)
		snprintf(entry->text, sizeof(entry->text), "%s %" PRId64 " +", name, offset);
	else if (entry != NULL)
		snprintf(entry->text, sizeof(entry->text), "%s", name);
}

static void
push_copy(struct dwarf_machine *machine, size_t below_top)
{
	const struct stack_entry *from = at(machine, below_top);
	struct stack_entry *entry = from != NULL ? push(machine) : NULL;

	if (entry != NULL)
		*entry = machine->stack[machine->depth - 2 - below_top];
}

/* Put `tail` behind the topmost text. */
static void
append(struct dwarf_machine *machine, const char *tail)
{
	struct stack_entry *top = at(machine, 0);
	char text[TEXT + 64];

	if (top == NULL)
		return;
	snprintf(text, sizeof(text), "%s %s", top->text, tail);
	set_text(machine, top, text);
	top->is_number = false;
	top->most = UINT64_MAX;
}

/* The two topmost texts become one with an operator behind. */
static void
join(struct dwarf_machine *machine, const char *operator)
{
	const struct stack_entry *second = at(machine, 0);
	struct stack_entry *first = at(machine, 1);
	char text[2 * TEXT + 8];

	if (first == NULL || second == NULL)
		return;
	snprintf(text, sizeof(text), "%s %s %s", first->text, second->text, operator);
	set_text(machine, first, text);
	first->is_number = false;
	first->most = UINT64_MAX;
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
	const struct stack_entry *top = at(machine, 0);
	char tail[64];

	if (top == NULL)
		return;
	const uint64_t low = (uint64_t)top->number + 1;
	const uint64_t high = arch_wrap(machine->arch, 0 - (uint64_t)top->number);
	if (!top->is_number || (!is_power_of_two(low) && !is_power_of_two(high))) {
		fail(machine, "postfix has no bitwise AND");
		return;
	}
	const bool remainder = is_power_of_two(low);
	machine->depth--;
	snprintf(tail, sizeof(tail), "%" PRIu64 " %s", remainder ? low : high,
		 remainder ? "%" : "@");
	append(machine, tail);
	if (remainder && machine->depth > 0)
		machine->stack[machine->depth - 1].most = low - 1;
}

/* `a >= b`, which linkers' procedure linkage tables use, where both are known to be small. */
static void
compare(struct dwarf_machine *machine)
{
	const struct stack_entry *second = at(machine, 0), *first = at(machine, 1);
	uint64_t power = 2;
	char tail[96];

	if (first == NULL || second == NULL)
		return;
	if (!second->is_number || second->number < 0 || first->most >= 1u << 16 ||
	    (uint64_t)second->number > 1u << 16) {
		fail(machine, "postfix has no comparison");
		return;
	}
	while (power <= first->most || power < (uint64_t)second->number)
		power *= 2;
	snprintf(tail, sizeof(tail), "%" PRIu64 " + %" PRIu64 " /",
		 power - (uint64_t)second->number, power);
	machine->depth--;
	append(machine, tail);
	if (machine->depth > 0)
		machine->stack[machine->depth - 1].most = 1;
}

static void
shift(struct dwarf_machine *machine, const char *operator)
{
	struct stack_entry *top = at(machine, 0);

	if (top == NULL)
		return;
	if (!top->is_number || top->number < 0 || top->number > 31) {
		fail(machine, "it shifts by a value that is not constant");
		return;
	}
	const uint64_t factor = UINT64_C(1) << top->number;
	machine->depth--;
	push_number(machine, (int64_t)factor);
	join(machine, operator);
}

static void
swap(struct dwarf_machine *machine, size_t below_top)
{
	struct stack_entry *top = at(machine, 0), *other = at(machine, below_top);

	if (top == NULL || other == NULL)
		return;
	struct stack_entry kept = *top;
	*top = *other;
	*other = kept;
}

static void
run_stack(struct dwarf_machine *machine, const struct dwarf_operation *operation)
{
	switch (operation->atom) {
	case OP_DUP:
		push_copy(machine, 0);
		break;
	case OP_OVER:
		push_copy(machine, 1);
		break;
	case OP_PICK:
		push_copy(machine, (size_t)operation->number);
		break;
	case OP_DROP:
		machine->depth -= at(machine, 0) != NULL;
		break;
	case OP_SWAP:
		swap(machine, 1);
		break;
	default:
		/* rot: the topmost goes below the two others. */
		swap(machine, 1);
		if (at(machine, 2) != NULL) {
			struct stack_entry kept = machine->stack[machine->depth - 2];

			machine->stack[machine->depth - 2] = machine->stack[machine->depth - 3];
			machine->stack[machine->depth - 3] = kept;
		}
		break;
	}
}

static void
run_binary(struct dwarf_machine *machine, const struct dwarf_operation *operation)
{
	static const struct {
		uint8_t atom;
		const char *operator;
	} plain[] = { { OP_PLUS, "+" }, { OP_MINUS, "-" }, { OP_MUL, "*" }, { OP_MOD, "%" } };

	for (size_t i = 0; i < ARRAY_COUNT(plain); i++) {
		if (plain[i].atom != operation->atom)
			continue;
		join(machine, plain[i].operator);
		return;
	}
	switch (operation->atom) {
	case OP_AND:
		mask(machine);
		break;
	case OP_GE:
		compare(machine);
		break;
	case OP_SHL:
		shift(machine, "*");
		break;
	case OP_SHR:
		shift(machine, "/");
		break;
	default:
		fail(machine, "postfix has no such operation");
		break;
	}
}

static void
run(struct dwarf_machine *machine, const struct dwarf_operation *operation)
{
	const uint8_t atom = operation->atom;
	char tail[64];

	if (atom >= OP_LIT0 && atom <= OP_LIT31)
		push_number(machine, atom - OP_LIT0);
	else if (atom >= OP_CONST1U && atom <= OP_CONSTS)
		push_number(machine, (int64_t)operation->number);
	else if (atom >= OP_REG0 && atom <= OP_REG31)
		push_register(machine, (uint64_t)atom - OP_REG0, 0);
	else if (atom >= OP_BREG0 && atom <= OP_BREG31)
		push_register(machine, (uint64_t)atom - OP_BREG0, (int64_t)operation->number);
	else if (atom == OP_REGX)
		push_register(machine, operation->number, 0);
	else if (atom == OP_BREGX)
		push_register(machine, operation->number, (int64_t)operation->number2);
	else if (atom == OP_CALL_FRAME_CFA) {
		struct stack_entry *entry = push(machine);

		if (entry != NULL)
			set_text(machine, entry, ".cfa");
	} else if (atom == OP_DEREF ||
		   (atom == OP_DEREF_SIZE && operation->number == machine->arch->word_size))
		append(machine, "^");
	else if (atom == OP_PLUS_UCONST) {
		snprintf(tail, sizeof(tail), "%" PRId64 " +", (int64_t)operation->number);
		append(machine, tail);
	} else if (atom == OP_NEG) {
		append(machine, "-1 *");
	} else if (atom >= OP_DUP && atom <= OP_ROT)
		run_stack(machine, operation);
	else if (atom != OP_NOP && atom != OP_STACK_VALUE)
		run_binary(machine, operation);
	/* The register itself, not what is at its address. */
	machine->is_value |= atom == OP_STACK_VALUE || atom == OP_REGX ||
			     (atom >= OP_REG0 && atom <= OP_REG31);
}

const char *
dwarf_expression_postfix(const struct arch *arch, const struct dwarf_operation *operations,
			 size_t count, bool is_value, struct arena *arena, const char **cannot)
{
	struct dwarf_machine machine = { .arch = arch, .is_value = is_value };

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
