/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfi_rows.h"

#include "base/checked.h"
#include "base/compiler.h"
#include "frame_table/dwarf_codes.h"

/*
 * The few operations that the expressions of compilers and linkers are made of: a register and an
 * offset, a word there, and for stubs of a PLT a sum over the address of the instruction (gABI of
 * x86-64; DWARF 5, 2.5.1).
 */
#define DEPTH 16u
#define MOST_BYTES 256u

/* Register plus offset, or a number; maybe the word there. */
struct cfi_value {
	int reg;		/* CFI_SUM_NUMBER, CFI_SUM_CFA or a DWARF number */
	int64_t offset;
	bool dereference;
};

struct cfi_machine {
	const struct reader *section;
	uint64_t at, end;
	struct cfi_value stack[DEPTH];
	unsigned depth;
	bool failed;
};

static uint64_t
operand(struct cfi_machine *machine, unsigned size, bool is_signed)
{
	uint64_t value = 0;

	if (machine->end - machine->at < size ||
	    !reader_unsigned(machine->section, machine->at, size, &value)) {
		machine->failed = true;
		return 0;
	}
	machine->at += size;
	return is_signed ? checked_extend(value, 8 * size) : value;
}

static uint64_t
leb128(struct cfi_machine *machine, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)operand(machine, 1, false);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) != 0 && !machine->failed);
	if (is_signed && (byte & 0x40) != 0 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

static void
push(struct cfi_machine *machine, int reg, uint64_t offset)
{
	machine->failed = machine->failed || machine->depth == DEPTH;
	if (!machine->failed)
		machine->stack[machine->depth++] =
			(struct cfi_value){ .reg = reg, .offset = (int64_t)offset };
}

static bool
compare(unsigned code, int64_t a, int64_t b)
{
	switch (code) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_ge:
		return a >= b;
	case DW_OP_gt:
		return a > b;
	case DW_OP_le:
		return a <= b;
	default:
		return a < b;
	}
}

/* Two numbers; sums may have a register, too. */
static void
binary(struct cfi_machine *machine, unsigned code)
{
	if (machine->depth < 2) {
		machine->failed = true;
		return;
	}
	const struct cfi_value b = machine->stack[--machine->depth];
	struct cfi_value *a = &machine->stack[machine->depth - 1];
	const bool numbers = a->reg == CFI_SUM_NUMBER && b.reg == CFI_SUM_NUMBER;
	const uint64_t left = (uint64_t)a->offset, right = (uint64_t)b.offset;

	machine->failed = machine->failed || a->dereference || b.dereference;
	if (code == DW_OP_plus) {
		machine->failed |= a->reg != CFI_SUM_NUMBER && b.reg != CFI_SUM_NUMBER;
		a->reg = a->reg != CFI_SUM_NUMBER ? a->reg : b.reg;
		a->offset = (int64_t)(left + right);
		return;
	}
	machine->failed |= code == DW_OP_minus ? b.reg != CFI_SUM_NUMBER : !numbers;
	if (code == DW_OP_minus)
		a->offset = (int64_t)(left - right);
	else if (code == DW_OP_and)
		a->offset = (int64_t)(left & right);
	else if (code == DW_OP_or)
		a->offset = (int64_t)(left | right);
	else if (code == DW_OP_mul)
		a->offset = (int64_t)(left * right);
	else if (code == DW_OP_shl || code == DW_OP_shr)
		a->offset = (int64_t)(right > 63 ? 0 : code == DW_OP_shl ? left << right
									   : left >> right);
	else
		a->offset = compare(code, a->offset, b.offset);
}

static void
run(struct cfi_machine *machine, int pc_register, uint64_t pc, bool *uses_pc)
{
	const unsigned code = (unsigned)operand(machine, 1, false);

	if (code >= DW_OP_lit0 && code <= DW_OP_lit31) {
		push(machine, CFI_SUM_NUMBER, code - DW_OP_lit0);
	} else if (code >= DW_OP_breg0 && code <= DW_OP_bregx) {
		const int reg = code == DW_OP_bregx
					? (int)(leb128(machine, false) & 0xffff)
					: (int)(code - DW_OP_breg0);
		const uint64_t offset = leb128(machine, true);

		*uses_pc |= reg == pc_register;
		if (reg == pc_register)
			push(machine, CFI_SUM_NUMBER, pc + offset);
		else
			push(machine, reg, offset);
	} else if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		const unsigned which = code - DW_OP_const1u;

		push(machine, CFI_SUM_NUMBER, operand(machine, 1u << which / 2, which % 2 != 0));
	} else if (code == DW_OP_constu || code == DW_OP_consts) {
		push(machine, CFI_SUM_NUMBER, leb128(machine, code == DW_OP_consts));
	} else if (code == DW_OP_plus_uconst) {
		push(machine, CFI_SUM_NUMBER, leb128(machine, false));
		binary(machine, DW_OP_plus);
	} else if (code == DW_OP_deref && machine->depth > 0) {
		machine->failed |= machine->stack[machine->depth - 1].dereference;
		machine->stack[machine->depth - 1].dereference = true;
	} else if (code == DW_OP_plus || code == DW_OP_minus || code == DW_OP_and ||
		   code == DW_OP_or || code == DW_OP_mul || code == DW_OP_shl ||
		   code == DW_OP_shr || (code >= DW_OP_eq && code <= DW_OP_ne)) {
		binary(machine, code);
	} else if (code != DW_OP_nop) {
		machine->failed = true;
	}
}

bool
cfi_expression_sum(const struct cfi_table *table, const struct cfi_rule *rule, int pc_register,
		   uint64_t pc, struct cfi_sum *sum)
{
	struct cfi_machine machine = { .section = &table->section, .at = (uint64_t)rule->value,
				   .end = (uint64_t)rule->value + rule->length };

	*sum = (struct cfi_sum){ .reg = CFI_SUM_NUMBER };
	if (rule->length > MOST_BYTES)
		return false;
	/* That of a register begins with the CFA on the stack (DWARF 5, 6.4.2.3). */
	push(&machine, CFI_SUM_CFA, 0);
	while (machine.at < machine.end && !machine.failed)
		run(&machine, pc_register, pc, &sum->uses_pc);
	if (machine.failed || machine.depth < 1)
		return false;
	const struct cfi_value *top = &machine.stack[machine.depth - 1];
	sum->reg = top->reg;
	sum->offset = top->offset;
	sum->dereference = top->dereference;
	return true;
}
