/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/** Arithmetic with values from a file. */

/** Store a + b in `*sum` and return true, or return false if it wraps. */
static inline bool
checked_add(uint64_t a, uint64_t b, uint64_t *sum)
{
	if (b > UINT64_MAX - a)
		return false;
	*sum = a + b;
	return true;
}

/** The low `bits` bits of a value, sign-extended. */
static inline uint64_t
checked_extend(uint64_t value, unsigned bits)
{
	const uint64_t sign = (uint64_t)1 << (bits - 1);

	return ((value & (sign * 2 - 1)) ^ sign) - sign;
}

/** Whether `size` bytes at `offset` are within `total` bytes. */
static inline bool
checked_within(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

/** Whether `address` is in the `size` bytes at `base`; never wraps. */
static inline bool
checked_contains(uint64_t base, uint64_t size, uint64_t address)
{
	return address >= base && address - base < size;
}

/** The distance of two addresses. */
static inline uint64_t
checked_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

#endif
