/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_TABLE_H
#define SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/index_guard.h"

/**
 * Where the records of one kind are, in columns, in the order of the file.
 *
 * A row takes 8 bytes, one with a size 12, as long as every value fits into 32 bits; a table
 * that gets a larger one is widened as a whole. Lengths and names are not kept: the
 * text has them.
 */
struct table {
	void *addresses, *sizes, *offsets;	/* `sizes` only where `ranges` */
	size_t count, capacity;
	bool ranges;
	bool wide;		/* columns of uint64_t, else of uint32_t */
	bool borrowed;		/* the columns belong to an index file */
	struct index_guard *guard;	/* of the index file that has the columns; NULL: none */
};

static inline uint64_t
table_value(const struct table *table, const void *column, size_t row)
{
	const char *at = (const char *)column +
			 row * (table->wide ? sizeof(uint64_t) : sizeof(uint32_t));

	index_guard_touch(table->guard, at);
	return table->wide ? *(const uint64_t *)(const void *)at
			   : *(const uint32_t *)(const void *)at;
}

/** The address of a row, or its number for kinds with numbers. */
static inline uint64_t
table_address(const struct table *table, size_t row)
{
	return table_value(table, table->addresses, row);
}

static inline uint64_t
table_size(const struct table *table, size_t row)
{
	return table->ranges ? table_value(table, table->sizes, row) : 0;
}

static inline uint64_t
table_offset(const struct table *table, size_t row)
{
	return table_value(table, table->offsets, row);
}

/** Add a row; false when out of memory, or there are too many. */
bool
table_add(struct table *table, uint64_t address, uint64_t size, uint64_t offset);

struct slice_row;

/** Add `count` rows whose offsets count from `start`; false as above. */
bool
table_add_rows(struct table *table, const struct slice_row *rows, size_t count, uint64_t start);

/** Give back what was reserved for more rows. */
void
table_trim(struct table *table);

void
table_free(struct table *table);

/** How many rows lie before `end`, a place in the file. */
size_t
table_rows_before(const struct table *table, uint64_t end);

#endif
