/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_PDB_RECORDS_H
#define TESTS_UNIT_PDB_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** Records of types and symbols for tests: a length, a kind and data (cvinfo.h). */

/** Data: hexadecimal numbers with their sizes in bytes, "18/2", and texts in quotes. */
struct record {
	unsigned kind;
	const char *data;
};

/** Write `size` bytes of a value and advance `*at`. */
static inline void
put(uint8_t *to, size_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[(*at)++] = (uint8_t)(value >> 8 * i);
}

/** Write data and advance `*at`, at the end to a multiple of 4 with LF_PAD3, 2 and 1. */
static inline void
put_data(uint8_t *to, size_t *at, const char *data)
{
	while (*data != '\0') {
		char *end;
		if (*data == '\'') {
			while (*++data != '\'')
				put(to, at, (uint8_t)*data, 1);
			put(to, at, 0, 1);
			data++;
		} else {
			const uint64_t value = strtoull(data, &end, 16);
			put(to, at, value, (unsigned)strtoul(end + 1, &end, 10));
			data = end;
		}
		data += *data == ' ';
	}
	while (*at % 4 != 0)
		put(to, at, 0xf0 + 4 - *at % 4, 1);
}

/** Write a record and advance `*at`. */
static inline void
put_record(uint8_t *to, size_t *at, const struct record *record)
{
	size_t head = *at;

	*at += 2;
	put(to, at, record->kind, 2);
	put_data(to, at, record->data);
	put(to, &head, *at - head - 2, 2);
}

#endif
