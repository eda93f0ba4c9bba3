/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_LOCATION_NUMBER_H
#define DEBUG_INFO_LOCATION_NUMBER_H

#include <stdint.h>

#include "debug_info/location_operation.h"

/** Numbers as DWARF's stack machine computes with them (DWARF 5, 2.5.1): addresses or of a type. */
enum number_kind { NUMBER_GENERIC, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

struct location_number {
	uint64_t value;
	enum number_kind kind;
	unsigned size;			/* bytes */
	size_t made;			/* the operation that made it, by its number */
	const char *postfix;
};

/** `value` cut to the bytes of a number, with its sign if it has one. */
uint64_t
location_number_cut(uint64_t value, enum number_kind kind, unsigned size);

/** The value as signed operations see it. */
int64_t
location_number_signed(const struct location_number *number);

/**
 * Compute with two numbers, the second one pushed last, by an operation with two operands. `word`
 * is the size of addresses, which comparisons give. Why it cannot be computed, or NULL.
 */
const char *
location_number_compute(uint8_t code, const struct location_number *right, unsigned word,
			struct location_number *left);

/** A number as one of another kind, with the same value as far as that has it. */
uint64_t
location_number_convert(const struct location_number *from, const struct location_number *to);

#endif
