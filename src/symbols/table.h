/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_TABLE_H
#define SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The places of records of one kind, in columns, in the order of the file.
 *
 * A row takes 8 bytes, or 12 with a size, as long as all values fit in 32 bits; a larger value
 * widens the whole table. Lengths and names are read from the text.
 */
struct table {
	void *addresses, *sizes, *offsets;	/* `sizes` only if `ranges` */
	size_t count, capacity;
	bool ranges;
	bool wide;		/* columns of uint64_t, else of uint32_t */
	bool borrowed;		/* the columns belong to an index file */
};

static inline uint64_t
table_value(const struct table *table, const void *column, size_t row)
{
	const char *at = (const char *)column +
			 row * (table->wide ? sizeof(uint64_t) : sizeof(uint32_t));

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

/** Add a row. False when out of memory, or if there are too many. */
bool
table_add(struct table *table, uint64_t address, uint64_t size, uint64_t offset);

/** Free memory reserved for more rows. */
void
table_trim(struct table *table);

void
table_free(struct table *table);

/** Number of rows before `end`, an offset in the file. */
size_t
table_rows_before(const struct table *table, uint64_t end);

#endif
