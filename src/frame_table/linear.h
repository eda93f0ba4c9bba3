/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_LINEAR_H
#define FRAME_TABLE_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Values as sums: a register plus an offset, or the word at that address.
 *
 * Nearly every unwind rule has this form in any notation. For example, `.cfa -8 + ^` is the same
 * rule as `.cfa 8 - ^`. Postfix programs (rules/fold.h) and DWARF expressions
 * (frame_table/dwarf_fold.h) are folded with these functions, so their rules can be compared.
 */
#define LINEAR_CFA (-2)		/* `.cfa` itself, if it is not a plain register plus offset */
#define LINEAR_NONE (-1)	/* a number alone */

struct linear {
	bool known;		/* false: the value is not such a sum */
	int base;		/* register number, LINEAR_CFA or LINEAR_NONE */
	int64_t offset;		/* wraps at 64 bits; 32-bit architectures use the lower half */
	bool parameters;	/* plus `.cbCalleeParams`, the size of the callee's parameters */
	bool dereference;	/* the word at base plus offset */
};

static inline struct linear
linear_sum(int base, int64_t offset)
{
	return (struct linear){ .known = true, .base = base, .offset = offset };
}

/** Whether a value is a known number. */
static inline bool
linear_is_number(const struct linear *value)
{
	return value->known && value->base == LINEAR_NONE && !value->parameters &&
	       !value->dereference;
}

/** Add `term` to `sum`, or subtract it. Two bases or a word from memory make `sum` unknown. */
void
linear_add(struct linear *sum, const struct linear *term, bool subtract);

/** Replace an address by the word at it; unknown if the address was itself read from memory. */
static inline void
linear_read(struct linear *address)
{
	address->known = address->known && !address->dereference;
	address->dereference = true;
}

/** Whether two values are known and equal. */
bool
linear_same(const struct linear *a, const struct linear *b);

#endif
