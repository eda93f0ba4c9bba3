/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/place.h"

/**
 * Bounded reads of a binary input in either byte order.
 *
 * A reader is a window on an input. Offsets count from its start, places from the start of the
 * input. A read past the end of the window returns false and does not change its output.
 */
struct reader {
	const struct input *input;
	const uint8_t *data;	/* first byte of the window */
	uint64_t size;		/* in bytes */
	uint64_t start;		/* offset of the window in the input */
	bool big_endian;
};

/** The little-endian number in four bytes. Compilers emit one load for this, but not for a loop. */
static inline uint32_t
reader_little(const uint8_t bytes[4])
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/** The unsigned number in `size` bytes, at most eight. The caller checks the bounds. */
static inline uint64_t
reader_number(const uint8_t *bytes, unsigned size, bool big_endian)
{
	uint64_t value = 0;

	if (!big_endian && (size == 4 || size == 8))
		return reader_little(bytes) |
		       (size == 8 ? (uint64_t)reader_little(bytes + 4) << 32 : 0);
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

/** Write a number to `size` bytes; if `size` is above 8, the most significant bytes become 0. */
static inline void
reader_put_number(uint8_t *bytes, size_t size, bool big_endian, uint64_t value)
{
	for (size_t i = 0; i < size; i++, value >>= 8)
		bytes[big_endian ? size - 1 - i : i] = (uint8_t)value;
}

/** The window of `size` bytes at `offset`; false if it does not fit. */
bool
reader_window(const struct reader *reader, uint64_t offset, uint64_t size, struct reader *window);

/** The place of `length` bytes at `offset` of the window. Its length is at most UINT32_MAX. */
struct place
reader_place(const struct reader *reader, uint64_t offset, uint64_t length);

/* Read an unsigned value. */

static inline bool
reader_u8(const struct reader *reader, uint64_t offset, uint8_t *value)
{
	if (offset >= reader->size)
		return false;
	*value = reader->data[offset];
	return true;
}

bool
reader_u16(const struct reader *reader, uint64_t offset, uint16_t *value);

bool
reader_u32(const struct reader *reader, uint64_t offset, uint32_t *value);

bool
reader_u64(const struct reader *reader, uint64_t offset, uint64_t *value);

/** Read an unsigned value of 1, 2, 4 or 8 bytes. */
bool
reader_unsigned(const struct reader *reader, uint64_t offset, unsigned size, uint64_t *value);

#endif
