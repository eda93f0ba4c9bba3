/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Numbers and bytes in the files that tests make, written without the code that reads them. */
#ifndef TESTS_LIB_BYTES_H
#define TESTS_LIB_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Write `size` bytes of a value, the lowest first. */
static inline void
put_le(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/** Read pairs of hex digits, with or without blanks between them; returns how many bytes. */
static inline size_t
bytes_of(const char *hex, uint8_t *bytes, size_t room)
{
	size_t count = 0;
	unsigned byte;
	int used;

	for (; count < room && sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		bytes[count++] = (uint8_t)byte;
	return count;
}

#endif
