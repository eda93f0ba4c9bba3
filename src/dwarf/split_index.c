/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/split_index.h"

/*
 * A valid hash table is at most 2/3 full, so a lookup needs few probes. Only a file made to waste
 * time needs more. Section 8 is .debug_rnglists only in version 5.
 */
enum { HEADER_SIZE = 16, MOST_LOOKS = 256, OLD_MACROS = 8 };

struct index_shape {
	uint32_t version, columns, units, slots;
};

static bool
read_shape(const struct reader *index, struct index_shape *shape)
{
	if (!reader_u32(index, 0, &shape->version) || !reader_u32(index, 4, &shape->columns) ||
	    !reader_u32(index, 8, &shape->units) || !reader_u32(index, 12, &shape->slots))
		return false;
	/* The version number 5 has two bytes, followed by two zero bytes. */
	if (shape->version == (index->big_endian ? 5u << 16 : 5u))
		shape->version = 5;
	return (shape->version == 2 || shape->version == 5) &&
	       shape->columns <= SPLIT_INDEX_COLUMNS && shape->slots != 0 &&
	       (shape->slots & (shape->slots - 1)) == 0;
}

/* The row of a unit, from 1; 0: none. */
static uint32_t
find_row(const struct reader *index, uint32_t slots, uint64_t id)
{
	const uint64_t mask = (uint64_t)slots - 1, step = (id >> 32 & mask) | 1;
	uint64_t at = id & mask, key = 0;
	uint32_t row = 0;

	for (uint32_t i = 0; i < slots && i < MOST_LOOKS; i++, at = (at + step) & mask) {
		if (!reader_u64(index, HEADER_SIZE + 8 * at, &key) ||
		    !reader_u32(index, HEADER_SIZE + 8 * (uint64_t)slots + 4 * at, &row) ||
		    row == 0)
			return 0;
		if (key == id)
			return row;
	}
	return 0;
}

size_t
split_index_find(const struct reader *index, uint64_t id,
		 struct split_index_part parts[static SPLIT_INDEX_COLUMNS])
{
	struct index_shape shape;
	size_t count = 0;

	if (!read_shape(index, &shape))
		return 0;
	const uint32_t row = find_row(index, shape.slots, id);
	const uint64_t table = HEADER_SIZE + 12 * (uint64_t)shape.slots;
	const uint64_t width = 4 * (uint64_t)shape.columns;
	if (row == 0 || row > shape.units)
		return 0;
	for (uint32_t column = 0; column < shape.columns; column++) {
		const uint64_t at = table + 4 * (uint64_t)column;
		struct split_index_part *part = &parts[count];

		if (!reader_u32(index, at, &part->section) ||
		    !reader_u32(index, at + width * row, &part->offset) ||
		    !reader_u32(index, at + width * ((uint64_t)shape.units + row), &part->size))
			return 0;
		count += part->section != 0 && !(shape.version == 2 && part->section == OLD_MACROS);
	}
	return count;
}
