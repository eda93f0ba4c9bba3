/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_FRAME_TABLE_MADE_H
#define TESTS_UNIT_FRAME_TABLE_MADE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The bytes of a section, written part by part; amd64's are little-endian. */
struct made {
	uint8_t bytes[256];
	size_t size;
};

static inline void
put(struct made *made, const void *bytes, size_t size)
{
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

static inline void
put32(struct made *made, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };

	put(made, bytes, sizeof(bytes));
}

#endif
