/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_DWARF_NUMBER_H
#define FRAME_TABLE_DWARF_NUMBER_H

#include <stdint.h>

#include "frame_table/dwarf_operation.h"

/** Numbers of DWARF's stack machine (DWARF 5, 2.5.1): addresses, or values of a type. */
enum dwarf_number_kind { NUMBER_GENERIC, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

struct dwarf_number {
	uint64_t value;
	enum dwarf_number_kind kind;
	unsigned size;			/* bytes */
	size_t made;			/* number of the operation that computed the value */
	const char *postfix;
};

/** `value` cut to the bytes of a number, and sign-extended if the number is signed. */
uint64_t
dwarf_number_cut(uint64_t value, enum dwarf_number_kind kind, unsigned size);

/** The value of a number as signed operations use it. */
int64_t
dwarf_number_signed(const struct dwarf_number *number);

/**
 * Apply operation `code`; `right` is the operand on top of the stack. `left` receives the result.
 * Addresses and results of comparisons have `word` bytes. Returns NULL, or why that failed.
 */
const char *
dwarf_number_compute(uint8_t code, const struct dwarf_number *right, unsigned word,
			struct dwarf_number *left);

/** Convert a number to another kind; keeps the value as far as that kind can hold it. */
uint64_t
dwarf_number_convert(const struct dwarf_number *from, const struct dwarf_number *to);

#endif
