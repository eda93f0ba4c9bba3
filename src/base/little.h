/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LITTLE_H
#define BASE_LITTLE_H

#include <stdint.h>

/**
 * The unsigned little-endian value of up to eight bytes, which the caller has checked to be
 * there.
 */
static inline uint64_t
little_endian(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

#endif
