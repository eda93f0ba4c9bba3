/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_CURSOR_H
#define DWARF_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Reader of consecutive numbers.
 *
 * It reads hundreds of megabytes of entries, so it is inline and checks only the end. A read past
 * the end returns 0, moves to the end and sets `cut`.
 */
struct dwarf_cursor {
	const uint8_t *at, *end;
	bool big_endian;
	bool cut;
};

/** Bytes left. */
static inline uint64_t
dwarf_left(const struct dwarf_cursor *cursor)
{
	return (uint64_t)(cursor->end - cursor->at);
}

static inline void
dwarf_cut(struct dwarf_cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->cut = true;
}

static inline void
dwarf_skip(struct dwarf_cursor *cursor, uint64_t bytes)
{
	if (bytes > dwarf_left(cursor))
		dwarf_cut(cursor);
	else
		cursor->at += bytes;
}

/** An unsigned number of 1 to 8 bytes. */
static inline uint64_t
dwarf_number(struct dwarf_cursor *cursor, unsigned bytes)
{
	uint64_t value = 0;

	if (bytes > dwarf_left(cursor)) {
		dwarf_cut(cursor);
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)cursor->at[cursor->big_endian ? bytes - 1 - i : i] << 8 * i;
	cursor->at += bytes;
	return value;
}

static inline uint8_t
dwarf_byte(struct dwarf_cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->cut = true;
		return 0;
	}
	return *cursor->at++;
}

/** A number in LEB128 (DWARF 5, 7.6); bits from 64 on are dropped. */
static inline uint64_t
dwarf_uleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0;; shift += 7) {
		byte = dwarf_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

static inline int64_t
dwarf_sleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = dwarf_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte >= 0x80);
	if (shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/** A terminated string; NULL if the end comes first. */
static inline const char *
dwarf_text(struct dwarf_cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *end = start == cursor->end
				     ? NULL
				     : memchr(start, '\0', (size_t)dwarf_left(cursor));

	if (end == NULL) {
		dwarf_cut(cursor);
		return NULL;
	}
	cursor->at = end + 1;
	return (const char *)start;
}

#endif
