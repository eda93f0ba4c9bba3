/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_SECTION_H
#define TESTS_UNIT_BINARY_SECTION_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** SFrame sections of version 2 made in a test. The layout is written here again from "The SFrame
 * format", so that the reader is not tested against itself. Start addresses count from the section;
 * AMD64 with the return address at CFA - 8, or s390x in big-endian order. */
struct section_row {
	uint32_t offset;		/* from the function's start or its block's */
	int cfa;			/* from the stack pointer; 0: outermost */
};

#define SECTION_ROWS 48u

struct section_function {
	uint64_t start;
	uint32_t size;
	uint8_t repeat;			/* 0: the rows do not repeat */
	struct section_row rows[SECTION_ROWS];
	unsigned row_count;
};

struct section {
	uint8_t bytes[1024];
	size_t size;
	int big;
};

#define SECTION_HEADER 28u
#define SECTION_FUNCTION 20u

static inline void
section_put(struct section *section, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		section->bytes[section->size + (section->big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
	section->size += size;
}

/* The size of rows with an address of a byte and, unless they are outermost, one word of a byte. */
static inline size_t
section_rows_size(const struct section_function *function)
{
	size_t size = 0;

	for (unsigned i = 0; i < function->row_count; i++)
		size += function->rows[i].cfa != 0 ? 3 : 2;
	return size;
}

static inline void
section_header(struct section *section, const struct section_function *functions, unsigned count)
{
	size_t rows = 0, row_bytes = 0;

	for (unsigned i = 0; i < count; i++) {
		rows += functions[i].row_count;
		row_bytes += section_rows_size(&functions[i]);
	}
	section_put(section, 0xdee2, 2);
	section_put(section, 2, 1);
	section_put(section, 1, 1);			/* sorted */
	section_put(section, section->big ? 4 : 3, 1);
	section_put(section, 0, 1);
	section_put(section, section->big ? 0 : 0xf8, 1);
	section_put(section, 0, 1);
	section_put(section, count, 4);
	section_put(section, rows, 4);
	section_put(section, row_bytes, 4);
	section_put(section, 0, 4);
	section_put(section, (uint64_t)count * SECTION_FUNCTION, 4);
}

/** Make a section at `address` with `count` functions in this order. */
static inline void
section_make(struct section *section, int big, uint64_t address, const struct section_function *functions, unsigned count)
{
	size_t row_at = 0;

	*section = (struct section){ .big = big };
	section_header(section, functions, count);
	for (unsigned i = 0; i < count; i++) {
		section_put(section, functions[i].start - address, 4);
		section_put(section, functions[i].size, 4);
		section_put(section, row_at, 4);
		section_put(section, functions[i].row_count, 4);
		section_put(section, functions[i].repeat != 0 ? 0x10 : 0, 1);
		section_put(section, functions[i].repeat, 1);
		section_put(section, 0, 2);
		row_at += section_rows_size(&functions[i]);
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned row = 0; row < functions[i].row_count; row++) {
			const int cfa = functions[i].rows[row].cfa;
			section_put(section, functions[i].rows[row].offset, 1);
			section_put(section, cfa != 0 ? 0x03 : 0x01, 1);
			if (cfa != 0)
				section_put(section, (uint64_t)(int64_t)cfa, 1);
		}
}

#endif
