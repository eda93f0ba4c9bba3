/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "frame_table/dwarf_fold.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "frame_table/dwarf_number.h"

/*
 * Each stack entry has its postfix. An entry that is a sum has its value, too. Operations on the
 * stack itself (dup, swap, pick) copy entries, so they need no postfix.
 */

enum {
	DEPTH = 32,
	MOST_TEXT = 400,	/* longest postfix in bytes; real rules have under 100 */
	MOST_OPERATIONS = 64,
	MOST_SHUFFLED = 3,	/* maximum number of values that dup, swap etc. move */
};

struct dwarf_fold_entry {
	struct linear value;
	const char *text;
	uint64_t most;		/* upper bound of the value */
};

struct dwarf_folder {
	const struct arch *arch;
	const struct dwarf_fold_start *start;
	struct dwarf_folded *folded;
	struct dwarf_fold_entry stack[DEPTH];
	size_t depth;
	bool is_value;		/* the expression is the value itself, not its address */
	bool failed;		/* both the value and the text are unknown */
};

static const char too_few[] = "an operation has too few operands";
static const char no_operation[] = "postfix has no such operation";
static const char too_long[] = "it is longer than any compiler's output";

static void
dwarf_fold_no_text(struct dwarf_folder *folder, const char *why)
{
	if (folder->folded->cannot == NULL)
		folder->folded->cannot = why;
}

static void
dwarf_fold_fail(struct dwarf_folder *folder, const char *why)
{
	dwarf_fold_no_text(folder, why);
	folder->failed = true;
}

/* The entry that is `below` entries under the top; it must exist. */
static struct dwarf_fold_entry *
dwarf_fold_top(struct dwarf_folder *folder, size_t below)
{
	return &folder->stack[folder->depth - 1 - below];
}

static void ATTRIBUTE_PRINTF(3, 4)
dwarf_fold_text(struct dwarf_folder *folder, struct dwarf_fold_entry *entry, const char *format,
		...)
{
	entry->most = UINT64_MAX;
	if (folder->start->arena == NULL || folder->folded->cannot != NULL)
		return;
	/* Declared after the early return, because the compiler fills it with zeros. */
	char text[MOST_TEXT];
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || length >= MOST_TEXT) {
		dwarf_fold_no_text(folder, too_long);
		return;
	}
	entry->text = arena_copy(folder->start->arena, text, (size_t)length);
	if (entry->text == NULL)
		dwarf_fold_no_text(folder, OUT_OF_MEMORY);
}

static void
dwarf_fold_push_number(struct dwarf_folder *folder, int64_t number)
{
	struct dwarf_fold_entry *entry = &folder->stack[folder->depth++];

	*entry = (struct dwarf_fold_entry){ .value = linear_sum(LINEAR_NONE, number) };
	dwarf_fold_text(folder, entry, "%" PRId64, number);
	entry->most = (uint64_t)number;
}

static void
dwarf_fold_push_cfa(struct dwarf_folder *folder)
{
	struct dwarf_fold_entry *entry = &folder->stack[folder->depth++];

	*entry = (struct dwarf_fold_entry){ .value = linear_sum(LINEAR_CFA, 0) };
	dwarf_fold_text(folder, entry, ".cfa");
}

static void
dwarf_fold_push_register(struct dwarf_folder *folder, uint64_t dwarf, int64_t offset)
{
	const int reg = dwarf < INT32_MAX ? arch_dwarf_register(folder->arch, (int)dwarf)
					  : ARCH_NO_REGISTER;
	const char *name = reg >= 0 ? folder->arch->registers[reg].name : NULL;
	struct dwarf_fold_entry *entry = &folder->stack[folder->depth++];

	*entry = (struct dwarf_fold_entry){ 0 };
	if (reg >= 0 && reg == folder->arch->pc && folder->start->pc != NULL) {
		folder->folded->uses_pc = true;
		entry->value = linear_sum(LINEAR_NONE, (int64_t)(*folder->start->pc +
								 (uint64_t)offset));
	} else if (name != NULL) {
		entry->value = linear_sum(reg, offset);
	}
	if (name == NULL)
		dwarf_fold_no_text(folder, "it reads a register that walkers do not follow");
	else if (offset != 0)
		dwarf_fold_text(folder, entry, "%s %" PRId64 " +", name, offset);
	else
		dwarf_fold_text(folder, entry, "%s", name);
}

/* Operators ------------------------------------------------------------------------------------ */

static bool
is_power_of_two(uint64_t number)
{
	return number != 0 && (number & (number - 1)) == 0;
}

/* Writes AND with low bits as a remainder (`x 16 %`), with high bits as an alignment (`x 16 @`). */
static void
dwarf_fold_mask(struct dwarf_folder *folder, struct dwarf_fold_entry *a,
		const struct dwarf_fold_entry *b)
{
	const uint64_t low = (uint64_t)b->value.offset + 1;
	const uint64_t high = arch_wrap(folder->arch, 0 - (uint64_t)b->value.offset);
	const bool remainder = is_power_of_two(low);

	if (!linear_is_number(&b->value) || (!remainder && !is_power_of_two(high))) {
		dwarf_fold_no_text(folder, "postfix has no bitwise AND");
		return;
	}
	dwarf_fold_text(folder, a, "%s %" PRIu64 " %s", a->text, remainder ? low : high,
			remainder ? "%" : "@");
	if (remainder)
		a->most = low - 1;
}

/* Writes `a >= b` as a division if both are small. Rules of procedure linkage tables use `>=`. */
static void
dwarf_fold_compare(struct dwarf_folder *folder, struct dwarf_fold_entry *a,
		   const struct dwarf_fold_entry *b)
{
	const int64_t least = b->value.offset;
	uint64_t power = 2;

	if (!linear_is_number(&b->value) || least < 0 || least > 1 << 16 || a->most >= 1u << 16) {
		dwarf_fold_no_text(folder, "postfix has no comparison");
		return;
	}
	while (power <= a->most || power < (uint64_t)least)
		power *= 2;
	dwarf_fold_text(folder, a, "%s %" PRIu64 " + %" PRIu64 " /", a->text,
			power - (uint64_t)least, power);
	a->most = 1;
}

static void
dwarf_fold_shift(struct dwarf_folder *folder, struct dwarf_fold_entry *a,
		 const struct dwarf_fold_entry *b, const char *operator)
{
	const int64_t by = b->value.offset;

	if (!linear_is_number(&b->value) || by < 0 || by > 31)
		dwarf_fold_no_text(folder, "it shifts by a value that is not constant");
	else
		dwarf_fold_text(folder, a, "%s %" PRIu64 " %s", a->text, UINT64_C(1) << by,
				operator);
}

/* Postfix operators are unsigned, so none of them is DWARF's signed division. */
static void
dwarf_fold_operator(struct dwarf_folder *folder, const struct dwarf_operation *operation,
		    struct dwarf_fold_entry *a, const struct dwarf_fold_entry *b)
{
	switch (operation->code) {
	case DWARF_OP_PLUS:
	case DWARF_OP_MINUS:
	case DWARF_OP_MUL:
	case DWARF_OP_MOD:
		dwarf_fold_text(folder, a, "%s %s %s", a->text, b->text, operation->postfix);
		break;
	case DWARF_OP_AND:
		dwarf_fold_mask(folder, a, b);
		break;
	case DWARF_OP_GE:
		dwarf_fold_compare(folder, a, b);
		break;
	case DWARF_OP_SHL:
	case DWARF_OP_SHR:
		dwarf_fold_shift(folder, a, b, operation->code == DWARF_OP_SHL ? "*" : "/");
		break;
	default:
		dwarf_fold_no_text(folder, no_operation);
	}
}

static void
dwarf_fold_binary(struct dwarf_folder *folder, const struct dwarf_operation *operation)
{
	const bool subtracts = operation->code == DWARF_OP_MINUS;
	const struct dwarf_fold_entry *b = dwarf_fold_top(folder, 0);
	struct dwarf_fold_entry *a = dwarf_fold_top(folder, 1);
	const unsigned word = folder->arch->word_size;
	const struct dwarf_number right = { .value = (uint64_t)b->value.offset, .size = word };
	struct dwarf_number left = { .value = (uint64_t)a->value.offset, .size = word };

	folder->depth--;
	dwarf_fold_operator(folder, operation, a, b);
	if (subtracts || operation->code == DWARF_OP_PLUS)
		linear_add(&a->value, &b->value, subtracts);
	else if (linear_is_number(&a->value) && linear_is_number(&b->value) &&
		 dwarf_number_compute(operation->code, &right, word, &left) == NULL)
		a->value.offset = (int64_t)left.value;
	else
		a->value.known = false;
}

static void
dwarf_fold_unary(struct dwarf_folder *folder, uint8_t code, int64_t operand)
{
	const struct linear term = linear_sum(LINEAR_NONE, operand);
	struct dwarf_fold_entry *top = dwarf_fold_top(folder, 0);

	if (code == DWARF_OP_PLUS_UCONST) {
		linear_add(&top->value, &term, false);
		dwarf_fold_text(folder, top, "%s %" PRId64 " +", top->text, operand);
	} else {
		top->value.known = false;
		if (code == DWARF_OP_NEG)
			dwarf_fold_text(folder, top, "%s -1 *", top->text);
		else
			dwarf_fold_no_text(folder, no_operation);
	}
}

static void
dwarf_fold_read(struct dwarf_folder *folder, uint64_t size)
{
	struct dwarf_fold_entry *top = dwarf_fold_top(folder, 0);

	linear_read(&top->value);
	top->value.known = top->value.known && size == folder->arch->word_size;
	if (size == folder->arch->word_size)
		dwarf_fold_text(folder, top, "%s ^", top->text);
	else
		dwarf_fold_no_text(folder, no_operation);
}

/* Run dup, drop, over, pick, swap or rot. dwarf_operation.def lists the values that they leave. */
static void
dwarf_fold_stack(struct dwarf_folder *folder, const struct dwarf_operation *operation,
		 uint64_t operand)
{
	struct dwarf_fold_entry were[MOST_SHUFFLED];

	if (operation->code == DWARF_OP_PICK && operand >= folder->depth) {
		dwarf_fold_fail(folder, too_few);
	} else if (operation->code == DWARF_OP_PICK) {
		folder->stack[folder->depth] = *dwarf_fold_top(folder, (size_t)operand);
		folder->depth++;
	} else {
		for (unsigned i = 0; i < operation->pops; i++)
			were[i] = *dwarf_fold_top(folder, i);
		folder->depth -= operation->pops;
		for (const char *digit = operation->postfix; *digit != '\0'; digit++)
			folder->stack[folder->depth++] = were[*digit - '0'];
	}
}

static void
dwarf_fold_operation(struct dwarf_folder *folder, const struct dwarf_operation *operation,
		     const uint64_t numbers[2])
{
	if (folder->depth < operation->pops) {
		dwarf_fold_fail(folder, too_few);
		return;
	}
	if (folder->depth == DEPTH && operation->pushes >= operation->pops) {
		dwarf_fold_fail(folder, "it needs a deeper stack than any compiler's output");
		return;
	}
	switch (operation->does) {
	case DWARF_DOES_NOTHING:
		break;
	case DWARF_DOES_CONSTANT:
		dwarf_fold_push_number(folder, (int64_t)numbers[0]);
		break;
	case DWARF_DOES_REGISTER:
	case DWARF_DOES_BASED:
		folder->is_value |= operation->does == DWARF_DOES_REGISTER;
		dwarf_fold_push_register(folder, numbers[0], (int64_t)numbers[1]);
		break;
	case DWARF_DOES_READ:
		dwarf_fold_read(folder, operation->code == DWARF_OP_DEREF
						? folder->arch->word_size : numbers[0]);
		break;
	case DWARF_DOES_BINARY:
		dwarf_fold_binary(folder, operation);
		break;
	case DWARF_DOES_UNARY:
		dwarf_fold_unary(folder, operation->code, (int64_t)numbers[0]);
		break;
	case DWARF_DOES_STACK:
		dwarf_fold_stack(folder, operation, numbers[0]);
		break;
	case DWARF_DOES_VALUE:
		folder->is_value = true;
		break;
	default:
		if (operation->code == DWARF_OP_CFA)
			dwarf_fold_push_cfa(folder);
		else
			dwarf_fold_fail(folder, no_operation);
	}
}

static void
dwarf_fold_end(struct dwarf_folder *folder)
{
	struct dwarf_folded *folded = folder->folded;

	if (!folder->failed && folder->depth == 0)
		dwarf_fold_fail(folder, "it leaves no value");
	if (folder->failed)
		return;
	if (folder->start->is_address && !folder->is_value)
		dwarf_fold_read(folder, folder->arch->word_size);
	folded->value = dwarf_fold_top(folder, 0)->value;
	folded->text = folded->cannot == NULL ? dwarf_fold_top(folder, 0)->text : NULL;
}

void
dwarf_fold(const struct dwarf_expression *expression, const struct arch *arch,
	   const struct dwarf_fold_start *start, struct dwarf_folded *folded)
{
	struct dwarf_folder folder = { .arch = arch, .start = start, .folded = folded };
	unsigned count = 0;

	*folded = (struct dwarf_folded){ 0 };
	if (start->cfa)
		dwarf_fold_push_cfa(&folder);
	if (expression->code.size == 0)
		dwarf_fold_fail(&folder, "it has no operations");
	for (uint64_t at = 0; at < expression->code.size && !folder.failed; count++) {
		struct dwarf_operands operands;
		const struct dwarf_operation *operation =
			dwarf_operation_read(expression, &at, &operands);

		if (count == MOST_OPERATIONS)
			dwarf_fold_fail(&folder, too_long);
		else if (operation == NULL)
			dwarf_fold_fail(&folder, operands.known ? "it is cut off" : no_operation);
		else
			dwarf_fold_operation(&folder, operation, operands.numbers);
	}
	dwarf_fold_end(&folder);
}
